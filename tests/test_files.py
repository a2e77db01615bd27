"""Whole files, and locks, whatever happens to the process or the place."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from yardstone import files
from yardstone.errors import InputError
from yardstone.files import changing, replaced, scratch_folder, write_text
from yardstone.tournament.event.settings import wishes_of

KILLED = """
import os, signal, sys
from pathlib import Path
from yardstone.files import replaced, scratch_folder
with {what} as path:
    (path / "x" if path.is_dir() else path).write_text("half")
    print(path, flush=True)
    os.kill(os.getpid(), signal.{signal})
"""


def killed(what: str, folder: Path, number: str = "SIGKILL") -> Path:
    """The temporary file or folder of a process that ended while it used it."""
    code = KILLED.format(what=what, signal=number)
    environment = {**os.environ, "TMPDIR": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == -getattr(signal, number)
    return folder / done.stdout.strip()


def test_what_a_killed_process_left_is_taken_over(tmp_path: Path) -> None:
    target = tmp_path / "list.csv"
    left = killed("replaced(Path('list.csv'))", tmp_path)
    assert left.exists()
    assert left == killed("replaced(Path('list.csv'))", tmp_path)  # they do not pile up
    write_text(target, "whole\n")
    assert [path.name for path in tmp_path.iterdir()] == ["list.csv"]


def test_two_at_once_have_files_of_their_own(tmp_path: Path) -> None:
    target = tmp_path / "list.csv"
    with replaced(target) as one, replaced(target) as other:
        assert one != other
        one.write_text("one")
        other.write_text("other")
    assert target.read_text() == "one"
    assert list(tmp_path.iterdir()) == [target]


def test_folders_of_killed_processes_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = killed("scratch_folder()", tmp_path)
    assert left.is_dir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with scratch_folder() as one, scratch_folder() as other:
        assert sorted(tmp_path.iterdir()) == sorted((one, other))
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_being_removed_can_be_taken_by_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = killed("scratch_folder()", tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    taken = []
    monkeypatch.setattr(
        "shutil.rmtree",
        lambda path, **_: taken.append((Path(path), files._lock_folder(Path(path)))),
    )
    with scratch_folder():
        assert taken == [(left, None)]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link, target = tmp_path / "link.csv", tmp_path / "real" / "list.csv"
    link.symlink_to(target)
    write_text(link, "whole\n")
    assert link.is_symlink()
    assert target.read_text() == "whole\n"
    assert [path.name for path in (tmp_path / "real").iterdir()] == ["list.csv"]


def test_a_pipe_gets_the_whole_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    taken: list[bytes] = []
    reader = threading.Thread(target=lambda: taken.append(pipe.read_bytes()))
    reader.start()
    with suppress(ZeroDivisionError), replaced(pipe) as temporary:
        temporary.write_text(f"half {1 // 0}")
    write_text(pipe, "whole\n")
    reader.join(10)
    assert taken == [b"whole\n"]


def test_standard_output_in_a_file_is_not_replaced(tmp_path: Path) -> None:
    code = (
        "from pathlib import Path; from yardstone.files import write_text;"
        "write_text(Path('/proc/self/fd/1'), 'whole\\n')"
    )
    log = tmp_path / "log"
    with log.open("w") as file:
        file.write("before\n")
        file.flush()
        subprocess.run([sys.executable, "-c", code], stdout=file, check=True)
    assert log.read_text() == "before\nwhole\n"


def test_one_lock_for_all_names_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "open.xml").write_text("")
    (tmp_path / "link.xml").symlink_to("open.xml")
    with (
        changing(tmp_path / "open.xml"),
        pytest.raises(InputError, match="another process is changing open"),
        changing(tmp_path / "link.xml", wait=0.0),
    ):
        pass
    assert wishes_of(tmp_path / "link.xml") == wishes_of(tmp_path / "open.xml")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.xml", "open.xml"]


def test_a_name_as_long_as_a_name_can_be(tmp_path: Path) -> None:
    target = tmp_path / ("x" * 251 + ".csv")
    write_text(target, "whole\n")
    assert list(tmp_path.iterdir()) == [target]
