"""GNU Backgammon as a separate program: files of matches, their analysis, and failures."""

from __future__ import annotations

import base64
import gzip
import io
import os
import re
import stat
import tarfile
import threading
import zipfile
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.backgammon.gnubg_here import real_gnubg
from tests.backgammon.kept import program_and_ledger
from yardstone import parallel
from yardstone.backgammon import file_analysis, gnubg
from yardstone.backgammon._gnubg import close_rules, errors, listed, move_text
from yardstone.backgammon.file_analysis import (
    AnalysisFile,
    AnalysisSettings,
    FileAnalysis,
    MatchFile,
    analyse_file,
    analyse_files,
    match_files,
)
from yardstone.backgammon.gnubg import (
    Completed,
    Processes,
    find_clock,
    find_gnubg,
    gnubg_version,
    run_script,
)
from yardstone.backgammon.matches import AnalysedMatch, ClassErrors, class_errors, play_class
from yardstone.backgammon.positions import CHEQUERS, Position, move_steps, read_position
from yardstone.errors import InputError, UsageError, WorkerError
from yardstone.examples import example

EXAMPLE = example("backgammon.mat")


@pytest.fixture(scope="module")
def program() -> Path:
    return real_gnubg()


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> FileAnalysis:
    """The example's analysis: by the program, or as it was kept where there is none."""
    program, ledger = program_and_ledger(tmp_path_factory.mktemp("example"))
    match = MatchFile("example.mat", EXAMPLE)
    return analyse_files([match], ledger=AnalysisFile(ledger), program=program)[0]


def test_what_is_refused_and_what_is_read(tmp_path: Path, program: Path) -> None:
    """A loss written beside the win is no fault; a match without a date is not one of today."""
    path = tmp_path / "galaxy.mat"
    for data, reason in ((b"", "holds nothing"), (EXAMPLE.read_bytes()[:700], "no winner|Invalid")):
        path.write_bytes(data)
        result = analyse_file(MatchFile("a.mat", path), program=program)
        assert (result.status, bool(re.search(reason, result.reason))) == ("refused", True), reason
    text = EXAMPLE.read_text().partition("\n")[2]
    wins = "      Wins 1 point\n"
    path.write_text(text.replace(wins, wins.replace("Wins", "Losses") + wins, 1))
    result = analyse_file(MatchFile("galaxy.mat", path), program=program)
    assert AnalysedMatch.from_file(result).date is None
    script = "import gnubg\ngnubg.command('import mat \"m.mat\"')\n"
    script += f'gnubg.command("save match {tmp_path / "match.sgf"}")\n'
    run_script(script, files={"m.mat": EXAMPLE.read_bytes()}, program=program)
    for name, file, kind in (("match.sgf", tmp_path / "match.sgf", ""), ("m", EXAMPLE, "mat")):
        settings = AnalysisSettings(kind=kind) if kind else AnalysisSettings()
        result = analyse_file(MatchFile(name, file), settings, program=program)
        assert AnalysedMatch.from_file(result).score == (1, 3)


def test_what_the_script_makes_of_decisions() -> None:
    assert move_text(((25, 21), (6, 0), (6, 0))) == "bar/21 6/off(2)"
    made = [
        {"player": 0, "action": "move", "turn": 2, "class": 10, "position": "x", "error": error}
        for error in (0.0199999, 0.02, 0.5)
    ]
    assert [each["error"] for each in errors(made)] == [0.5, 0.02]
    assert errors(made)[0].keys() == {"player", "position", "error"}
    assert len(errors(made[1:2] * 401)) == 400
    rows = listed([*made[:1], {"player": 1, "action": "take", "error": 0.0}])
    assert rows == [[0, "move", 0.02, 2, 10, "x"], [1, "take", 0.0]]
    # Equities of holding the cube and of a double that is taken: close in 2003, and since 2006?
    for action, hold, take, close in (
        ("move", 0.5, 0.5, (True, True)),  # a missed double
        ("move", 1.0, 1.0, (True, True)), ("move", 1.01, 1.01, (True, True)),  # too good
        ("move", 0.5, 0.26, (True, False)), ("move", 0.5, 0.25, (False, False)),
        ("move", 0.5, 0.35, (True, True)), ("move", 0.5, 0.33, (True, False)),
        ("move", 0.76, 0.0, (True, False)), ("move", 1.17, 2.0, (True, False)),
        ("move", 1.15, 2.0, (True, True)), ("double", 0.9, -1.0, (True, True)),
    ):  # fmt: skip
        assert close_rules(action, hold, take) == close, (action, hold, take)


def test_many_files_in_any_number_of_processes_and_again(
    tmp_path: Path, program: Path, outcome: FileAnalysis
) -> None:
    (tmp_path / "empty.mat").write_bytes(b"")
    for name in ("a.mat", "twin.mat"):
        (tmp_path / name).write_bytes(EXAMPLE.read_bytes())
    kept = AnalysisFile(tmp_path / "ledger.jsonl")
    calls: list[tuple[str, int, int]] = []
    files = match_files([tmp_path])
    with parallel.context(workers=2, progress=lambda *call: calls.append(call)):
        first = analyse_files(files, ledger=kept, program=program)
    assert calls[-1] == ("analysing", 2, 2)
    good, empty, twin = first
    assert [result.status for result in first] == ["analysed", "refused", "refused"]
    assert (empty.file, good.content) == (str(tmp_path / "empty.mat"), outcome.content)
    assert "the same match as" in twin.reason
    written = (tmp_path / "ledger.jsonl").read_bytes()
    calls.clear()
    with parallel.context(workers=1, progress=lambda *call: calls.append(call)):
        kept = AnalysisFile(tmp_path / "ledger.jsonl")
        assert (analyse_files(files, ledger=kept, program=program), calls) == (first, [])
    assert (tmp_path / "ledger.jsonl").read_bytes() == written


def test_what_becomes_of_an_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fine = {"variation": "Standard", "more_games": 0, "games": [{"winner": "X"}]}
    run = Mock()
    monkeypatch.setattr(file_analysis, "run_script", run)
    program = tmp_path / "gnubg"
    program.touch(0o755)
    said = "GNU Backgammon: "
    cases: list[tuple[dict[str, Any] | None, str, str, str]] = [
        ({}, "will not be changed; cannot", "analysed", ""),
        ({}, 'Unrecognised move "Losses 1"', "analysed", ""),
        ({}, "ok\n  match.mat: not a valid\x07 move\n", "refused", f"{said}not a valid move"),
        (None, "", "refused", f"{said}there is no match"),
        (None, "Error", "refused", f"{said}Error"),
        ({}, "cannot " + "x" * 300, "refused", f"{said}cannot x"),
        ({"variation": "Nackgammon"}, "", "refused", "Nackgammon is another game than standard"),
        ({"variation": ""}, "", "analysed", ""),
        ({"more_games": 1}, "", "refused", "more than 1 games: not a match"),
        ({"games": []}, "", "refused", "it contains no games"),
        ({"games": [{"winner": "O"}, {}]}, "", "refused", "game 2 has no winner"),
        ({"analysis": None}, "", "failed", f"{said.removesuffix(': ')} gave no analysis"),
    ]
    for changes, output, status, reason in cases:
        match = None if changes is None else {**fine, **changes}
        analysis = (changes or {}).get("analysis", {})
        run.return_value = Completed(0, output, "", {"match": match, "analysis": analysis})
        result = analyse_file(MatchFile("a.mat", EXAMPLE), program=program)
        assert (result.status, result.reason[: len(reason)]) == (status, reason)
        assert len(result.reason) <= len(said) + 200
        assert (result.content is not None) == (match is not None and status != "failed")
    deeper = AnalysisSettings(plies=1, cube_plies=2, kind="sgf")
    for settings, command, timeout in (
        (AnalysisSettings(), 'import auto "match.mat"', 300.0),
        (deeper, 'load match "match.mat"', 7200.0),
    ):
        analyse_file(MatchFile("a.mat", EXAMPLE), settings, program=program)
        asked = run.call_args.kwargs
        assert (asked["data"]["import"], asked["timeout"]) == (command, timeout)


def test_a_hang_or_a_crash_costs_one_file(tmp_path: Path) -> None:
    for script, timeout, words in (
        ("sleep 60", 0.3, "0.3 seconds"),
        ("echo 'stack smashed' >&2; kill -ABRT $$", 60.0, "SIGABRT.*stack smashed"),
        ("exit 3", 60.0, "exit status 3.*it said nothing"),
    ):
        program = fake(tmp_path, script)
        result = analyse_file(MatchFile("m", EXAMPLE), program=program, timeout=timeout)
        assert (result.status, bool(re.search(words, result.reason))) == ("failed", True), words
    wrong: list[dict[str, Any]] = [{"plies": 5}, {"cube_plies": -1}, {"kind": "pgn"}]
    for settings in wrong:
        with pytest.raises(UsageError, match=r"plies|no format"):
            AnalysisSettings(**settings)


def test_one_process_analyses_many_matches(tmp_path: Path, program: Path) -> None:
    """It is started once; one that is broken in the middle costs its own result alone."""
    starts = tmp_path / "starts"
    counted = fake(tmp_path, f'echo >> {starts}; exec {program} "$@"')
    texts = [EXAMPLE.read_text().replace("Ann", name) for name in ("Eva", "Mia", "Zoe", "Lea")]
    texts[2] = texts[2][:700]
    matches = []
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.mat").write_text(text)
        matches.append(MatchFile(f"{number}.mat", tmp_path / f"{number}.mat"))
    apart = [analyse_file(match, program=program) for match in matches]
    assert [each.status for each in apart] == ["analysed", "analysed", "refused", "analysed"]
    gnubg_version(counted)
    # Together the two; then the broken one again in a second process, and the last in a third.
    for chosen, processes in (([0, 1], 1), ([0, 1, 2, 3], 3)):
        starts.write_text("")
        with parallel.context(workers=1):
            together = analyse_files([matches[k] for k in chosen], program=counted)
        assert together == [apart[k] for k in chosen]
        assert starts.read_text().count("\n") == processes


def test_jobs_of_one_process_know_nothing_of_each_other(program: Path) -> None:
    script = """
import json, os, sys, time
job = json.load(open("data.json"))
print("said", job)
if job == "crash":
    os.abort()
time.sleep(60 if job == "hang" else 0)
result = [os.getpid(), sorted(os.listdir(".")), "earlier" in globals()]
earlier = job
json.dump(result, open("result.json", "w"))
"""
    made = {}
    with Processes() as processes:
        for job in ("a", "b", "crash", "c", "hang", "d"):
            hangs = job == "hang"
            with pytest.raises(WorkerError, match="after 2 s") if hangs else nullcontext():
                made[job] = run_script(
                    script,
                    data=job,
                    files={f"{job}.mat": b"x"},
                    program=program,
                    timeout=2.0 if hangs else 60.0,
                    processes=processes,
                )
        last = psutil.Process(made["d"].result[0])
        folder = Path(last.cwd())
    assert (last.is_running(), folder.parent.exists()) == (False, False)
    assert (made.pop("crash").status, "hang" in made) == (-6, False)
    for job, done in made.items():
        assert [word for word in done.output.split("\n") if "said" in word] == [f"said {job}"]
        assert [name for name in done.result[1] if name.endswith(".mat")] == [f"{job}.mat"]
        assert not {"result.json", "ended"} & set(done.result[1])
        assert not done.result[2]
    a, b, c, d = (made[job].result[0] for job in "abcd")
    assert a == b
    assert len({a, c, d}) == 3


def test_the_file_of_analyses(tmp_path: Path) -> None:
    value = {"status": "analysed", "reason": "", "found": {"x": [1, 2]}}
    path = tmp_path / "ledger"
    kept = AnalysisFile(path)
    assert kept.get("k") is None
    for key, file in (("k", "a"), ("l", "b"), ("k", "c"), ("m", "d")):
        kept.put(key, {**value, "file": file})
    for again in (kept, AnalysisFile(path)):
        assert (again.get("k") or {})["file"] == "c"
        assert (len(again), again.damaged) == (3, 0)
    # A torn line is passed over, and nothing is written behind it.
    path.write_bytes(path.read_bytes()[:-20])
    torn = AnalysisFile(path)
    assert (len(torn), torn.damaged) == (2, 1)
    torn.put("n", {**value, "file": "a"})
    for again in (torn, AnalysisFile(path)):
        assert [key for key in "klmn" if again.get(key) is not None] == ["k", "l", "n"]
    # Another file is not written to.
    path.write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="not a file of analyses"):
        AnalysisFile(path)
    with pytest.raises(InputError, match="cannot be written"):
        AnalysisFile(tmp_path / "no" / "ledger").put("k", value)


def test_files_folders_and_patterns(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    for name in ("one.mat", "deep/two.TXT", "deep/notes.pdf"):
        (tmp_path / name).write_text(name)
    (tmp_path / "three.mat.gz").write_bytes(gzip.compress(b"three"))
    found = [
        (Path(match.name).name, match.read(), match.ending) for match in match_files([tmp_path])
    ]
    two, one = ("two.TXT", b"deep/two.TXT", ".txt"), ("one.mat", b"one.mat", ".mat")
    assert found == [two, one, ("three.mat.gz", b"three", ".mat")]
    files = match_files([tmp_path / "deep" / "notes.pdf", f"{tmp_path}/*.mat"])
    assert [Path(match.name).name for match in files] == ["notes.pdf", "one.mat"]
    (tmp_path / "empty").mkdir()
    for path, message in (
        ("none.mat", "no such file"), ("empty", "this folder is empty"),
        ("empty/*.mat", "matches this pattern"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=message):
            match_files([f"{tmp_path}/{path}"])


def archive_of(path: Path, members: dict[str, bytes]) -> Path:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as out:
            for name, data in members.items():
                out.writestr(name, data)
        return path
    with tarfile.open(path, "w:gz") as out:
        for name, data in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            out.addfile(entry, io.BytesIO(data))
        for kind, target in ((tarfile.SYMTYPE, "/etc/passwd"), (tarfile.LNKTYPE, "x.mat")):
            entry = tarfile.TarInfo("link.mat")  # links are no matches
            entry.type, entry.linkname = kind, target
            out.addfile(entry)
    return path


@pytest.mark.parametrize("kind", ["matches.zip", "matches.tar.gz"])
def test_archives(kind: str, tmp_path: Path) -> None:
    members = {
        "../../escape.mat": b"one", "/etc/absolute.txt": b"two", "same.mat": b"three",
        "deep/same.mat": b"four", "picture.png": b"no match", "\x1b[31mred.mat": b"five",
    }  # fmt: skip
    path = archive_of(tmp_path / kind, members)
    files = match_files([path])
    assert [match.read() for match in files] == [b"one", b"two", b"three", b"four", b"five"]
    assert [files[k].name for k in (0, 4)] == [f"{path}/../../escape.mat", f"{path}/[31mred.mat"]
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_no_match(tmp_path: Path) -> None:
    long = b"0" * ((4 << 20) + 1)
    (tmp_path / "longest.mat").write_bytes(long[1:])
    assert len(match_files([tmp_path / "longest.mat"])[0].read()) == 4 << 20
    bomb = archive_of(tmp_path / "bomb.zip", {"a.mat": long})
    (tmp_path / "long.mat").write_bytes(long)
    (tmp_path / "long.mat.gz").write_bytes(gzip.compress(long))
    for match in match_files([bomb, tmp_path / "long.mat", tmp_path / "long.mat.gz"]):
        with pytest.raises(InputError, match="larger than 4 MiB"):
            match.read()
    os.mkfifo(tmp_path / "pipe.mat")
    with pytest.raises(InputError, match="not a regular file"):
        match_files([tmp_path / "pipe.mat"])[0].read()
    path = archive_of(tmp_path / "bomb.tar.gz", {f"{k}.mat": bytes(4 << 20) for k in range(20)})
    with pytest.raises(InputError, match="expand"):
        match_files([path])
    # Damaged archives are named, and spoil nothing.
    whole = archive_of(tmp_path / "whole.tar.gz", {f"{k}.mat": bytes(5000) for k in range(5)})
    (tmp_path / "torn.tar.gz").write_bytes(whole.read_bytes()[:90])
    (tmp_path / "no.zip").write_bytes(b"PK\3\4 nothing")
    files = match_files([tmp_path / name for name in ("torn.tar.gz", "no.zip", "longest.mat")])
    problems = {Path(match.name).name: match.problem.count("cannot be read") for match in files}
    assert problems == {"torn.tar.gz": 1, "no.zip": 1, "longest.mat": 0}


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
    monkeypatch.setenv("YARDSTONE_GNUBG", str(program))
    assert find_gnubg() == find_gnubg(program) == program
    monkeypatch.setenv("YARDSTONE_GNUBG", none)
    for named in ((), (none,)):
        with pytest.raises(InputError, match="no such program"):
            find_gnubg(*named)
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
    with pytest.raises(InputError, match="no room for temporary files: No space left"):
        analyse_file(match, program=program)


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


START = "4HPwATDgc/ABMA"
XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:52:4:3:0:9:10"
#: Positions put to the program in one process.
MANY = 200


@given(st.integers(0, 2**32))
def test_ids_lead_back_to_the_position(seed: int) -> None:
    position = random_position(np.random.default_rng(seed))
    assert read_position(position.gnu_id) == read_position(position.xgid) == position


def test_what_an_id_says() -> None:
    position = read_position(f"{START}:cIkqATAAIAAA")
    assert (position.dice, position.pips) == ((5, 2), (167, 167))
    assert (position.length, position.score, position.on_roll) == (9, (3, 4), 1)
    assert position.xgid == XGID
    held = Position(cube=2, owner=0, length=9, score=(2, 4), dice=(5, 2))
    assert held.match_id == "QYkqASAAIAAA"  # the example of GNU Backgammon's manual
    doubled = Position(doubled=True, length=5)
    assert (doubled.to_decide, read_position(doubled.xgid)) == (0, doubled)
    for text in (  # as programs write them
        f"  xgid = {XGID.removeprefix('XGID=')}",
        f"GNU Backgammon  Position ID: {START}\n                 Match ID   : cIkqATAAIAAA",
        *(XGID.removeprefix("XGID="), f"GNUBGID {START}:cIkqATAAIAAA"),
    ):
        assert read_position(text) == position


def test_ids_that_are_none() -> None:
    changes: tuple[tuple[str, str, str], ...] = (
        ("dice are '72'", "52", "72"), ("beavers", "52", "B"), ("9 parts", ":9:10", ":9"),
        ("chequers are A to O", "-b--", "-P--"), ("chequers are A to O", "-b--", "-ŉ--"),
        ("more than 15", "-b--", "bb--"), ("25 letters", "E-C", "E-"),
        ("is over at 3 to 9", ":4:3:0:9", ":9:3:0:9"), ("cube is 16", ":0:0:1:", ":16:1:1:"),
        ("Crawford", ":4:3:0:9", ":4:3:1:9"), ("rules are 2", ":4:3:0:9", ":4:3:2:9"),
        ("has an owner", ":0:0:1:", ":0:1:1:"), ("owner is 2", ":0:0:1:", ":1:2:1:"),
        ("largest cube is 16", ":9:10", ":9:16"), ("turn is 0", ":0:0:1:", ":0:0:0:"),
        ("first letter is the bar of the top", "-b--", "Ab--"),
        ("last letter is the bar of the bottom", "B-:", "Bb:"),
        ("not a number", ":9:10", ":1234567:10"), ("not a number", ":0:0:1:", ":x:0:1:"),
    )  # fmt: skip
    for text, reason in (
        ("4HPwATDgc/ABM", "not an ID of a position"), ("4HPwATDgc/ABMB", "not a position ID"),
        ("/////////////w", "not a position ID|more than|chequers"), ("AAAAAAAAAAAAAA", "borne off"),
        (f"{START}:cIkqATAAIA", "10 letters in place of 12"),
        (f"{START}:cIkqATAAIAA/", "bits are set"),
        *((XGID.replace(old, new), reason) for reason, old, new in changes),
    ):  # fmt: skip
        with pytest.raises(InputError, match=reason):
            read_position(text)
    assert move_steps("24/18*/16 6/5(2)") == [(24, 18), (18, 16), (6, 5), (6, 5)]
    assert move_steps("bar/off") == [(25, 0)]
    for bad in ("no double", "5/6", "5/5", "13", "26/20", "8/5(5)", "8/5(0)"):
        with pytest.raises(InputError):
            move_steps(bad)


def match_id(**fields: int) -> str:
    """A match ID by the manual of GNU Backgammon: numbers and their bits, the lowest first."""
    names = (
        "cube owner on_roll crawford state to_decide doubled resigned die_1 die_2 length score_0"
    )
    widths = (4, 2, 1, 1, 3, 1, 1, 2, 3, 3, 15, 15, 15, 1)
    value = shift = 0
    for name, width in zip([*names.split(), "score_1", "no_jacoby"], widths, strict=True):
        value |= fields.get(name, 0) << shift
        shift += width
    return base64.b64encode(value.to_bytes(9, "little")).decode()


def test_match_ids() -> None:
    usual = {"owner": 3, "on_roll": 1, "state": 1, "to_decide": 1}
    facts = {"length": 7, "score_0": 6, "score_1": 2, "crawford": 1, "die_1": 3, "die_2": 1}
    held = {"owner": 0, "cube": 15, "on_roll": 0, "doubled": 1, "no_jacoby": 1}
    for fields, position in (
        (facts, Position(length=7, score=(6, 2), crawford=True, dice=(3, 1))),
        ({}, Position(jacoby=True)),
        ({"no_jacoby": 1}, Position()),
        (held, Position(cube=1 << 15, owner=0, on_roll=0, doubled=True)),
    ):
        text = match_id(**{**usual, **fields})
        assert read_position(f"{START}:{text}") == position
        assert position.match_id == text
    for change, message in (
        ({"state": 0}, "no game is on"), ({"state": 2}, "the game is over"),
        ({"state": 3}, "a side has resigned"), ({"state": 4}, "ended with a pass"),
        ({"resigned": 1}, "a resignation is offered"), ({"owner": 2}, "an owner that there is not"),
        ({"to_decide": 0}, "the wrong player"), ({"doubled": 1}, "the wrong player"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=message):
            read_position(f"{START}:{match_id(**{**usual, **change})}")


def test_positions_that_cannot_be() -> None:
    side = Position().own
    last = {"length": 3, "score": (2, 0), "crawford": True}
    wrong: list[dict[str, Any]] = [
        *({"own": own} for own in (side[:-1], (-1, *side[1:]), (*side[:-1], 1), (0,) * 25)),
        {"other": (*[0] * 11, 2, *side[12:])},
        *({"cube": 3}, {"cube": 1 << 16}, {"owner": 1, "cube": 1}, {"owner": 2}, {"on_roll": 2}),
        *({"dice": (7, 1)}, {"dice": (1,)}, {"dice": (0, 1)}, {"doubled": True, "dice": (1, 2)}),
        *({"doubled": True, "owner": 0, "cube": 2}, {"length": 1 << 15}),
        *({"length": 3, "jacoby": True}, {"length": 3, "beavers": True}),
        *({"length": 3, "score": (3, 0)}, {"length": 3, "score": (-1, 0)}),
        *({"length": 3, "crawford": True}, {**last, "cube": 2, "owner": 0}),
        {**last, "doubled": True},
    ]
    for change in wrong:
        with pytest.raises(UsageError):
            Position(**change)
    most: dict[str, Any] = {"cube": 1 << 15, "owner": 0, "length": (1 << 15) - 1}
    assert read_position(Position(**most).gnu_id) == Position(**most)


def test_gnu_backgammon_understands_the_same() -> None:
    """Its own position and match IDs, and what it makes of the XGID, of many positions."""
    program = real_gnubg()
    generator = np.random.default_rng(20)
    made = [random_position(generator) for _ in range(MANY)]
    plain = [replace(position, doubled=False) for position in made]  # it drops an offered cube
    jobs = [[p.own, p.other, p.gnu_id, p.xgid] for p in plain]
    script = """
import gnubg, json
for line in ("set display off", "set confirm new off", "set player 0 human",
             "set player 1 human", "set automatic game off", "set automatic roll off"):
    gnubg.command(line)
answers = []
for own, other, gnu, xgid in json.load(open("data.json")):
    name = gnubg.positionid((tuple(other), tuple(own)))
    back = gnubg.positionfromid(name)
    gnubg.command("set gnubgid " + gnu)
    first = [gnubg.positionid(), gnubg.matchid()]
    gnubg.command("set xgid " + xgid)
    answers.append([name, back, first, [gnubg.positionid(), gnubg.matchid()]])
json.dump(answers, open("result.json", "w"))
"""
    done = run_script(script, data=jobs, program=program)
    assert done.result is not None, done.errors
    for position, (name, back, first, by_xgid) in zip(plain, done.result, strict=True):
        assert name == position.position_id
        assert [tuple(side) for side in back] == [position.other, position.own]
        if not position.dice or position.dice[0] >= position.dice[1]:  # it sorts the dice
            assert (first[0], first[1][:11]) == (position.position_id, position.match_id[:11])
        known, wanted = Position.from_gnu_id(*by_xgid), position
        if position.on_roll == 0:  # after an XGID the player on roll is always player 1 to it
            owner = None if position.owner is None else 1 - position.owner
            wanted = replace(position, on_roll=1, owner=owner, score=position.score[::-1])
        assert replace(known, dice=()) == replace(wanted, dice=())
        assert sorted(known.dice) == sorted(wanted.dice)


def side(*points: int) -> tuple[int, ...]:
    """Chequers on these points; 25 is the bar."""
    return tuple(points.count(point) for point in range(1, 26))


def test_classes_of_play() -> None:
    prime = [4, 4, 5, 5, 6, 6, 7, 7, 8, 8]
    for name, positions in {
        "bear-off": [([6, 1], [18])],
        "race": [([7, 1], [5]), ([10], [14])],
        "contact bear-in": [([10], [16]), ([12], [25]), ([7], [25])],
        "contact bear-off": [([6], [25])],
        # Two anchors of whoever is behind.
        "back game": [([20, 20, 24, 24], [13]), ([13], [20, 20, 24, 24])],
        # Five points in a row, with a chequer behind.
        "priming game": [([*prime, 13], [22]), ([22], [*prime, 13])],
        # One point on the other's side, whose chequers have all left, of whoever is behind.
        "holding game": [([20, 20], [18]), ([18, 18], [18]), ([18], [21, 21]),
                         ([18, 18], [17, 10, 8])],
        "middle game": [
            ([13], [25]), ([20, 20, 24, 24], [23, 23, 23, 22]), ([19, 19, 24, 24], [13]),
            ([20, 24, 24], [13]), ([13], [22, *prime]), ([*prime[2:], 13], [22]),
            ([*prime[:-1], 13], [22]), ([*prime, 13], [16]), ([19, 19], [18]), ([20, 20], [19]),
            ([20], [18]), ([18, 18], [17, 10, 9]),
        ],
    }.items():  # fmt: skip
        for own, other in positions:
            assert play_class(side(*own), side(*other)) == name, (own, other)
    start = Position()
    facts: dict[str, int]
    for facts, name in (
        ({"turn": 3}, "opening"), ({"turn": 4}, "middle game"), ({}, "middle game"),
        ({"gnubg_class": 9}, "crashed"), ({"gnubg_class": 10}, "middle game"),
    ):  # fmt: skip
        assert play_class(start.own, start.other, **facts) == name


def test_the_classes_of_a_match_add_up(tmp_path: Path) -> None:
    program, ledger = program_and_ledger(tmp_path)
    match = file_analysis.MatchFile("example.mat", example("backgammon.mat"))
    kept = file_analysis.AnalysisFile(ledger)
    (outcome,) = file_analysis.analyse_files([match], ledger=kept, program=program)
    assert outcome.content is not None
    rows = outcome.content["decisions"]
    stats = outcome.content["analysis"]["stats"]
    by_player = class_errors(rows)
    for player, who in enumerate("XO"):
        moves, own = stats[who]["moves"], by_player[player]
        cubes = sum(own[name].decisions for name in own if name in _CUBE)
        assert cubes == stats[who]["cube"]["close-cube"]
        assert sum(each.decisions for each in own.values()) - cubes == moves["unforced-moves"]
        chequers = [each for name, each in own.items() if name not in _CUBE]
        assert sum(each.loss for each in chequers) == pytest.approx(moves["error-skill"], abs=1e-4)
        marks = [moves["marked"][name] for name in ("doubtful", "bad", "very bad")]
        total = sum(chequers, ClassErrors())
        assert [total.doubtful, total.errors, total.blunders] == marks
        assert min(row[3] for row in rows if row[:2] == [player, "move"]) == 1


_CUBE = ("no double", "double", "take", "pass")


def test_what_an_evaluation_takes_from_the_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cube = {"no_double": 0.2, "take": 0.1, "verdict": "No double", "chances": [0.5] * 5}
    answer: dict[str, Any] = {"position": START, "class": 10, **cube}
    run = Mock(side_effect=lambda *_, **__: Completed(0, "GNU Backgammon 1.07", "", answer or None))
    for module in ("file_analysis", "gnubg"):
        monkeypatch.setattr(f"yardstone.backgammon.{module}.run_script", run)
    program = tmp_path / "gnubg"
    program.touch(0o755)
    cases: list[tuple[dict[str, Any], float | None]] = [
        ({}, 0.1), ({"owner": 1, "cube": 2}, 0.1), ({"owner": 0, "cube": 2}, None),
        ({"length": 2, "score": (0, 1), "crawford": True}, None),
    ]  # fmt: skip
    for facts, take in cases:
        result = file_analysis.evaluate_position(Position(**facts), program=program)
        assert (result.no_double, result.take, result.position_class) == (0.2, take, "contact")
        assert result.verdict == ("" if take is None else "No double")
    data = run.call_args.kwargs["data"]
    assert [data[name] for name in ("plies", "cube_plies", "moves")] == [2, 2, 5]
    for depth, seconds in enumerate((60.0, 60.0, 120.0, 600.0, 3600.0)):
        file_analysis.evaluate_position(Position(), plies=0, cube_plies=depth, program=program)
        assert run.call_args.kwargs["timeout"] == seconds
    wrong: dict[str, Any]
    for wrong in ({"plies": 5}, {"plies": -1}, {"cube_plies": 5}, {"moves": 0}):
        with pytest.raises(UsageError):
            file_analysis.evaluate_position(Position(), program=program, **wrong)
    answer["class"] = 7
    assert file_analysis.evaluate_position(Position(), program=program).position_class == "bear-off"
    for change, message in (
        ({"position": "x"}, f"understood x in place of {START}"), ({}, "gave no result"),
    ):  # fmt: skip
        answer.update(change) if change else answer.clear()
        with pytest.raises(WorkerError, match=message):
            file_analysis.evaluate_position(Position(), program=program)


#: The longest match that GNU Backgammon takes.
LONGEST = 64


def random_side(generator: np.random.Generator, free: np.ndarray) -> tuple[int, ...]:
    """Chequers of one side on points that are free, some borne off."""
    number = CHEQUERS if generator.random() < 0.6 else int(generator.integers(1, CHEQUERS + 1))
    most = int(generator.integers(2, 12))
    places = generator.choice(free, size=min(most, len(free)), replace=False)
    side = np.bincount(generator.choice(places, size=number), minlength=25)
    return tuple(side.tolist())


def random_position(generator: np.random.Generator) -> Position:
    """Any position that can be played on, in a match or for money."""
    own = random_side(generator, np.arange(25))
    taken = {23 - place for place, count in enumerate(own[:24]) if count}
    other = random_side(generator, np.array([k for k in range(25) if k not in taken]))
    length = int(generator.choice([0, 1, 3, 7, 25, LONGEST]))
    score = (0, 0)
    if length:
        one, two = generator.integers(0, length, 2).tolist()
        score = (one, two)
    crawford = bool(length > 1 and length - 1 in score and generator.random() < 0.5)
    on_roll = int(generator.integers(2))
    owner = [None, 0, 1][int(generator.integers(3))]
    cube = 1 if owner is None or crawford else 1 << int(generator.integers(1, 7))
    owner = None if crawford else owner
    doubled = bool(not crawford and owner != 1 - on_roll and generator.random() < 0.15)
    rolled = not doubled and generator.random() < 0.6
    one, two = generator.integers(1, 7, 2).tolist()
    return Position(
        own=own, other=other, on_roll=on_roll, cube=cube, owner=owner, doubled=doubled,
        dice=(one, two) if rolled else (), length=length, score=score, crawford=crawford,
        jacoby=bool(not length and generator.random() < 0.5),
    )  # fmt: skip
