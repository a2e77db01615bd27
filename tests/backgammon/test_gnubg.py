from __future__ import annotations

import os
import stat
import threading
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.backgammon.gnubg_here import real_gnubg
from yardstone.backgammon import gnubg
from yardstone.backgammon.file_analysis import MatchFile, analyse_file
from yardstone.backgammon.gnubg import find_clock, find_gnubg, gnubg_version, run_script
from yardstone.errors import InputError, WorkerError

#: A script that tells what GNU Backgammon's interpreter sees.
LOOK = """
import json, os, time, gnubg
text = open("named.txt").read() if os.path.exists("named.txt") else None
found = {"data": json.load(open("data.json")), "text": text, "clock": int(time.time()),
         "home": os.environ["HOME"] == os.getcwd(), "has": hasattr(gnubg, "match")}
json.dump(found, open("result.json", "w"))
"""


def fake(folder: Path, text: str) -> Path:
    """A program that does what a broken GNU Backgammon might."""
    path = folder / "gnubg"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_what_is_named_is_found_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, none = fake(tmp_path, "true"), str(tmp_path / "none")
    assert find_gnubg(program) == program
    monkeypatch.setenv("YARDSTONE_GNUBG", str(program))
    assert find_gnubg() == program
    with pytest.raises(InputError, match="no such program"):
        find_gnubg(none)
    monkeypatch.setenv("YARDSTONE_GNUBG", none)
    with pytest.raises(InputError, match="no such program"):
        find_gnubg()
    monkeypatch.delenv("YARDSTONE_GNUBG")
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(gnubg, "_USUAL_FOLDERS", ())
    with pytest.raises(InputError, match="apt-get install gnubg"):
        find_gnubg()
    monkeypatch.setenv("YARDSTONE_FAKETIME", none)
    assert find_clock() is None
    with pytest.raises(InputError, match="apt-get install faketime"):
        run_script("", program=program, clock=1_000_000_000)


def test_another_program_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not GNU Backgammon"):
        gnubg_version(fake(tmp_path, "echo I am not the one"))
    version = "1.07.001 20230103"
    named = fake(tmp_path, f"echo; echo 'GNU Backgammon {version}'; echo more")
    assert gnubg_version(named.rename(tmp_path / "named")) == version
    program = fake(tmp_path, "")
    program.write_bytes(b"\x7fELF is no program")
    with pytest.raises(WorkerError, match="could not start"):
        run_script("", program=program)


def test_a_hang_is_killed_with_its_children(tmp_path: Path) -> None:
    mark = tmp_path / "child"
    program = fake(tmp_path, f"sleep 600 & echo $! > {mark}; wait")
    with pytest.raises(WorkerError, match=r"stopped after 2 seconds"):
        run_script("", program=program, timeout=2.0)
    with suppress(psutil.NoSuchProcess):
        child = psutil.Process(int(mark.read_text()))
        psutil.wait_procs([child], timeout=30.0)
        assert child.status() == psutil.STATUS_ZOMBIE
    stop = threading.Event()
    stop.set()
    with pytest.raises(WorkerError, match="interrupted"):
        run_script("", program=program, stop=stop)


def test_a_full_disk_is_no_fault_of_the_match(tmp_path: Path) -> None:
    """The whole run ends, with a line that says why: the next one finds nothing written off."""
    program = fake(tmp_path, "ln -sf /dev/full data.json")
    (tmp_path / "a.mat").write_text("a match")
    match = MatchFile("a.mat", tmp_path / "a.mat")
    for ask in (
        lambda: run_script("", program=program),
        lambda: analyse_file(match, program=program),
    ):
        with pytest.raises(InputError, match="no room for temporary files: No space left"):
            ask()


def test_the_real_program_runs_a_script() -> None:
    program = real_gnubg(clock=True)
    assert gnubg_version(program)[0].isdigit()
    told = {"data": [1, "zwei"], "text": "moved 8/3", "home": True, "has": True}
    for clock in (123_456_789, 2_000_000_000):
        done = run_script(
            LOOK, data=[1, "zwei"], files={"named.txt": b"moved 8/3"}, program=program, clock=clock
        )
        assert done.result == {**told, "clock": clock}
    done = run_script("raise ValueError('so it is')", program=program)
    assert done.result is None
    assert "so it is" in done.output + done.errors


def test_what_comes_back_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = fake(tmp_path, 'echo said; echo meant >&2; printf "{\\"a" > result.json; exit 3')
    done = run_script("", program=program)
    assert (done.status, done.output, done.errors) == (3, "said\n", "meant\n")
    assert done.result is None, "the answer is torn"
    # The settings of the user stay out.
    monkeypatch.setenv("PYTHONPATH", os.environ.get("PYTHONPATH", ""))
    words = run_script("", program=fake(tmp_path, "pwd; env")).output.splitlines()
    assert f"HOME={words[0]}" in words
    assert not any(word.startswith(("PYTHONPATH", "DISPLAY", "LD_PRELOAD")) for word in words)
    script = 'until [ "$(ulimit -t)" != unlimited ]; do sleep 0.05; done; ulimit -v; ulimit -t'
    done = run_script("", program=fake(tmp_path, script), timeout=60.0)
    assert done.output.split() == [str(4 << 20), "70"]  # KiB, seconds
    monkeypatch.setattr(gnubg, "STREAM_LIMIT", 100_000)
    with pytest.raises(WorkerError, match="MiB of messages"):
        run_script("", program=fake(tmp_path, "yes"), timeout=60.0)
