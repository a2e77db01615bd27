"""Whole files, locks and arrays on disk, whatever happens to the process or is in the file."""

from __future__ import annotations

import errno
import io
import json
import os
import shutil
import stat
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from yardstone import files
from yardstone.arrays import ArrayFile, StoredArrays, map_array
from yardstone.disk import CodedTexts, Growing, column_on_disk, column_part, computed, pieces
from yardstone.errors import InputError, UsageError
from yardstone.files import changing, locked, replaced, scratch_folder, write_text
from yardstone.tournament.event.settings import wishes_of

KILLED = """
import os, signal
from pathlib import Path
from yardstone.files import replaced, scratch_folder
with {what} as path:
    (path / "x" if path.is_dir() else path).write_text("half")
    print(path, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def killed(what: str, folder: Path) -> Path:
    """The temporary file or folder of a process that ended while it used it."""
    words = [sys.executable, "-c", KILLED.format(what=what)]
    environment = {**os.environ, "TMPDIR": str(folder)}
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == -9
    return folder / done.stdout.strip()


def test_what_killed_processes_left_is_taken_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "list.csv"
    left = killed("replaced(Path('list.csv'))", tmp_path)
    assert left.exists()
    assert left == killed("replaced(Path('list.csv'))", tmp_path)  # they do not pile up
    folder = killed("scratch_folder()", tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    opened = len(list(Path("/proc/self/fd").iterdir()))
    with monkeypatch.context() as patch:  # nothing of another user's
        patch.setattr(os, "geteuid", lambda: -1)
        assert files._taken(left) is None
        assert len(list(Path("/proc/self/fd").iterdir())) == opened
        with scratch_folder():
            assert (folder / "x").read_text() == left.read_text() == "half"
    with monkeypatch.context() as patch:  # a folder that is being removed is taken by nobody
        taken, lock = [], files._lock_folder
        patch.setattr("shutil.rmtree", lambda path, **_: taken.append(lock(Path(path))))
        with scratch_folder() as own:
            assert taken == [None]
    shutil.rmtree(own)
    write_text(target, "whole\n")
    with scratch_folder() as one, scratch_folder() as other:  # two at once have their own
        assert set(tmp_path.iterdir()) == {target, one, other}
    with replaced(target) as one, replaced(target) as other:
        one.write_text("one")
        other.write_text("other")
    assert (list(tmp_path.iterdir()), target.read_text()) == ([target], "one")


def test_links_and_long_names(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link, target = tmp_path / "link.csv", tmp_path / "real" / ("x" * 251 + ".csv")
    link.symlink_to(target)
    write_text(link, "whole\n")
    assert (link.is_symlink(), target.read_text()) == (True, "whole\n")
    assert list(target.parent.iterdir()) == [target]
    # A link in the way of the temporary file is not followed.
    victim, target, way = (tmp_path / name for name in ("kept", "list.csv", ".list.csv.part.csv"))
    victim.write_text("kept")
    way.symlink_to(victim)
    with replaced(target) as temporary:
        assert temporary != way
        assert stat.S_IMODE(temporary.stat().st_mode) == 0o600  # nobody reads it before it is whole
        temporary.write_text("whole")
    assert (victim.read_text(), way.is_symlink(), target.read_text()) == ("kept", True, "whole")


def test_a_pipe_gets_the_whole_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    taken: list[bytes] = []
    reader = threading.Thread(target=lambda: taken.append(pipe.read_bytes()))
    reader.start()
    with suppress(ZeroDivisionError), replaced(pipe) as temporary:
        temporary.write_text(f"half {1 // 0}")
    write_text(pipe, "whole\n")
    reader.join()
    assert taken == [b"whole\n"]
    # Standard output in a file is not replaced.
    code = "from yardstone.files import *; write_text(Path('/proc/self/fd/1'), 'whole\\n')"
    (log := tmp_path / "log").write_text("before\n")
    with log.open("a") as file:
        subprocess.run([sys.executable, "-c", code], stdout=file, check=True)
    assert log.read_text() == "before\nwhole\n"


def test_one_lock_for_all_names_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "open.xml").write_text("")
    (tmp_path / "link.xml").symlink_to("open.xml")
    changed, refused = "another process is changing open", changing(tmp_path / "link.xml", wait=0.0)
    with changing(tmp_path / "open.xml"), pytest.raises(InputError, match=changed), refused:
        pass
    assert wishes_of(tmp_path / "link.xml") == wishes_of(tmp_path / "open.xml")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.xml", "open.xml"]


def test_the_mode_of_a_file_stays(tmp_path: Path) -> None:
    target = tmp_path / "list.csv"
    before = os.umask(0o027)
    try:
        for mode in (0o640, 0o604):
            write_text(target, f"{mode:o}")
            assert (stat.S_IMODE(target.stat().st_mode), target.read_text()) == (mode, f"{mode:o}")
            target.chmod(0o604)
    finally:
        os.umask(before)
    with suppress(ZeroDivisionError), replaced(target) as temporary:
        temporary.write_text(f"half {1 // 0}")
    assert target.read_text() == "604"
    assert list(tmp_path.iterdir()) == [target]


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    for error, said in (
        (OSError(errno.ENOSPC, "No space"), "x: cannot be written: No space (free some space"),
        (OSError(errno.EACCES, "Denied"), "x: cannot be written: Denied (name a file in a folder"),
        (OSError("7 requested and 3 written"), "the disk took only a part of it (free some space"),
        (OSError(f"IO Error: {os.strerror(errno.EROFS)}"), "Read-only file system (name a file in"),
        (OSError("odd"), "x: cannot be written: odd"),
    ):
        assert said in str(files.unwritable(error, "x"))
    uses: tuple[tuple[str, Callable[[], object]], ...] = (
        ("this is a folder", lambda: write_text(tmp_path, "x")),
        (r"be written: .* \(was the folder removed\?\)", lambda: write_text(tmp_path / "n/x", "x")),
        ("there is no such folder", lambda: changing(tmp_path / "n/x").__enter__()),
        ("gone", lambda: locked(tmp_path / "gone", "writing here").__enter__()),
    )
    for message, use in uses:
        with pytest.raises(InputError, match=message):
            use()


def test_files_of_settings(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(b"a.b = 1\n#".ljust(1 << 16, b"x"))
    assert files.read_toml(path) == {"a": {"b": 1}}
    parts = ".".join("a" * 100)
    for text, said in (
        ("#" * ((1 << 16) + 1), "too large for a file of settings: more than 64 KiB"),
        (f"x = 1\n{parts}.a = 1", "settings.toml:2: a name of more than 100 parts"),
        (f"[ 'a' . {parts} ]", "a name of more than 100 parts"),
        ("x = ", "is not TOML"),
        ("x = " + "[" * 9000, "is not TOML"),
        ("x = '\udcff'", "is not TOML"),
    ):
        path.write_text(text, encoding="utf-8", errors="surrogateescape")
        with pytest.raises(InputError) as error:
            files.read_toml(path)
        assert said in str(error.value)
    path.write_text(f"{parts} = 1")
    assert files.read_toml(path)
    assert files.read_bytes(path, 203, "a list") == f"{parts} = 1".encode()
    with pytest.raises(InputError, match="too large for a list"):
        files.read_bytes(path, 202, "a list")
    with pytest.raises(InputError, match=r"^name: there is no such file"):
        files.read_bytes(tmp_path / "none", 9, "a list", name="name")


def test_the_same_text_comes_to_the_same_bytes(tmp_path: Path) -> None:
    from yardstone.records.sources import Source

    for ending in ("", ".gz", ".bz2", ".xz", ".zst"):
        paths = [tmp_path / f"{name}.csv{ending}" for name in ("one", "other")]
        for path in paths:
            with files.open_text(path) as file:
                file.write("é\n")
            assert Source(path.name, path).content() == "é\n".encode()
        assert paths[0].read_bytes() == paths[1].read_bytes(), ending


def test_columns_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [(at.start, at.stop) for at in pieces(5, 2, begin=1)] == [(1, 3), (3, 5)]
    growing = Growing(np.int32)
    growing.add(np.array([5, 6]))
    growing.add(np.array([7]))
    code = growing.column()
    assert (code.tolist(), growing.number, str(code.dtype)) == ([5, 6, 7], 3, "int32")
    doubled = computed(lambda at: code[at] * 2.0, code, np.float64)
    assert isinstance(doubled, np.memmap)
    assert doubled.tolist() == [10.0, 12.0, 14.0]
    texts = CodedTexts(code - 5, np.array(["a", "b", "c"]))
    assert (len(texts), texts.shape, texts[1:].tolist()) == (3, (3,), ["b", "c"])
    part = column_part(texts, slice(2, 3))
    assert (part[:].tolist(), column_part(code, slice(0, 1)).tolist()) == (["c"], [5])
    assert (column_on_disk(0, "i4").shape, Growing("i4").column().shape) == ((0,), (0,))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
    for make in (lambda: Growing("i4"), lambda: column_on_disk(3, "i4")):
        with pytest.raises(InputError, match=r"games cannot be kept there .*TMPDIR"):
            make()


CAKE = ArrayFile(
    "cake", format=3, text="about", kind="a cake", most_bytes=1 << 20, most_arrays=8, hint="bake it"
)
PLAIN = ArrayFile("table", format=1)


def contents(arrays: StoredArrays, about: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    return dict(arrays), about


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.npz"


def test_what_is_written_is_read(path: Path) -> None:
    arrays: dict[str, Any] = {
        "numbers": np.arange(6, dtype=np.float32).reshape(2, 3),
        "turned": np.asfortranarray(np.arange(6).reshape(2, 3)),
        "none": np.empty((0, 4)),
        "one": np.array("text"),
        "days": np.array(["2024-05-31", "NaT"], "datetime64[s]"),
    }
    CAKE.write(path, arrays, {"colour": "red"})
    back, about = CAKE.read(path, contents)
    assert about == {"kind": "a cake", "format": 3, "colour": "red"}
    for name, array in arrays.items():
        assert (back[name].dtype, back[name].shape) == (array.dtype, array.shape)
        assert back[name].tobytes() == array.tobytes()
    back["numbers"][0, 0] = 7  # arrays may be changed
    PLAIN.write(path, {"x": np.arange(3)})
    with np.load(path) as file:
        assert int(file["format"]) == 1
    assert PLAIN.read(path, lambda arrays, _: arrays["x"].tolist()) == [0, 1, 2]
    # What cannot be written leaves the old file.
    path.write_bytes(b"old")
    with pytest.raises(ValueError, match="Out of range"):
        CAKE.write(path, {"x": np.arange(3)}, {"size": float("nan")})
    with pytest.raises(ValueError, match="allow_pickle"):
        CAKE.write(path, {"x": np.array([{}], object)})
    assert (path.read_bytes(), list(path.parent.iterdir())) == (b"old", [path])


def npy(array: Any, **options: Any) -> bytes:
    np.save(file := io.BytesIO(), array, **options)
    return file.getvalue()


def header(text: str, version: int = 1) -> bytes:
    head = text.ljust(117) + "\n"
    return b"\x93NUMPY" + bytes([version, 0]) + len(head).to_bytes(2, "little") + head.encode()


ABOUT = npy(np.frombuffer(json.dumps({"kind": "a cake", "format": 3}).encode(), np.uint8))
HUGE = "{'descr': '<f8', 'fortran_order': False, 'shape': (999999999999,)}"
HOSTILE: dict[str, dict[str, bytes]] = {
    "an object": {"x.npy": npy(np.array([{}], object), allow_pickle=True)},
    "a huge array": {"x.npy": header(HUGE)},
    "a size beyond numbers": {"x.npy": header(HUGE.replace("999,", "9" * 60 + ","))},
    "a negative shape": {"x.npy": header(HUGE.replace("9999", "-9999"))},
    "no header": {"x.npy": b"what is this"},
    "an unknown version": {"x.npy": header(HUGE, version=9)},
    "brackets": {"x.npy": header("(" * 100)},
    "half a token": {"x.npy": header("{'descr': '''")},
    "no type": {"x.npy": header("{'descr': 'cake', 'fortran_order': False, 'shape': ()}")},
    "a bomb": {"x.npy": npy(np.zeros(1 << 18))},
    "many arrays": {f"{k}.npy": npy(np.zeros(1)) for k in range(9)},
    "no text": {"about.npy": npy(np.zeros(3))},
    "no JSON": {"about.npy": npy(np.frombuffer(b"[" * 9999, np.uint8))},
    "an array that breaks off": {"x.npy": npy(np.zeros(9))[:-1]},
    "a list": {"about.npy": npy(np.frombuffer(b"[]", np.uint8))},
}


def write_zip(path: Path, members: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, data in members.items():
            archive.writestr(member, data)


def test_hostile_files_are_one_error(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, members in HOSTILE.items():
        write_zip(path, {"about.npy": ABOUT, **members})
        with pytest.raises(InputError, match=r"a\.npz: this is no cake \(bake it\)"):
            pytest.fail(f"{name}: {CAKE.read(path, contents)}")
    # What expands without measure is not read.
    monkeypatch.setattr("yardstone.arrays._EXTRA", 1 << 20)
    zeros = npy(np.zeros(1)).replace(b"(1,)", b"(99,)") + bytes(3 << 20)
    for data in (zeros, header(HUGE.replace("<f8", "<U0"))):
        write_zip(path, {"format.npy": npy(np.array(1)), "x.npy": data})
        with pytest.raises(InputError, match="no table"):
            PLAIN.read(path, contents)


def test_what_the_taker_of_the_arrays_raises(path: Path) -> None:
    for error, message in (
        (KeyError("x"), "a.npz: this is no cake (bake it)"),
        (UsageError("too sweet"), "a.npz: damaged: too sweet (bake it)"),
        (InputError("sour"), "a.npz: sour (bake it)"),
        (InputError("sour", hint="add sugar"), "a.npz: sour (add sugar)"),
        (InputError("sour", file="other"), "other: sour"),
    ):
        CAKE.write(path, {})
        with pytest.raises(InputError) as said:
            CAKE.read(path, Mock(side_effect=error))
        assert str(said.value).removeprefix(f"{path.parent}{os.sep}") == message

    np.savez(path, x=np.arange(3), format=np.array(2))
    for name, message in (("a.npz", "another version"), ("b", "no such file"), ("", "be read")):
        with pytest.raises(InputError, match=message):
            PLAIN.read(path.parent / name, contents)


def test_mapped_arrays(path: Path) -> None:
    for array in (np.arange(6).reshape(2, 3), np.empty((0, 3))):
        path.write_bytes(npy(array))
        assert np.array_equal(map_array(path), array)
    for data in (b"", b"no", npy(np.array([{}], object), allow_pickle=True), header(HUGE)):
        path.write_bytes(data)
        with pytest.raises(InputError, match=r"cannot be read.*made anew"):
            map_array(path, hint="made anew")
