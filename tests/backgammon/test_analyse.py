"""GNU Backgammon as a separate program: files of matches, their analysis, and failures."""

from __future__ import annotations

import gzip
import io
import os
import re
import stat
import tarfile
import threading
import zipfile
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

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
from yardstone.backgammon.gnubg import Completed, find_clock, find_gnubg, gnubg_version, run_script
from yardstone.backgammon.matches import AnalysedMatch
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


def test_a_match(outcome: FileAnalysis) -> None:
    """Its errors, one by one, add up to the statistics."""
    assert outcome.status == "analysed"
    match = AnalysedMatch.from_file(outcome)
    assert match.players == ("Ann", "Bob")
    assert (match.length, match.score, match.winner, match.games) == (3, (1, 3), 1, 3)
    assert str(match.date) == "2024-05-31"
    assert outcome.content is not None
    sums: defaultdict[tuple[int, str], float] = defaultdict(float)
    for error in outcome.content["errors"]:
        sums[error["player"], error["kind"]] += error["error"]
    for side, each in enumerate(match.errors):
        for kind in ("chequer play", "missed double", "wrong double", "wrong take", "wrong pass"):
            whole = getattr(each, kind.removesuffix(" play").replace(" ", "_"))
            # Errors below 0.02 are not listed one by one.
            assert whole - 0.02 * each.decisions <= sums[side, kind] <= whole + 1e-4
    analysis = outcome.content["analysis"]
    for who in "XO":  # close decisions are counted as GNU Backgammon counts them
        assert analysis["close"][who]["close-2006"] == analysis["stats"][who]["cube"]["close-cube"]
    with pytest.raises(ValueError, match="was not analysed"):
        AnalysedMatch.from_file(FileAnalysis("a.mat", "refused"))


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
    script = "import gnubg\ngnubg.command('import mat \"m.mat\"')\n"
    script += f'gnubg.command("save match {tmp_path / "match.sgf"}")\n'
    run_script(script, files={"m.mat": EXAMPLE.read_bytes()}, program=program)
    for name, file, kind, status in (
        ("galaxy.mat", path, "", "analysed"), ("match.sgf", tmp_path / "match.sgf", "", "analysed"),
        ("m", EXAMPLE, "mat", "analysed"), ("m", EXAMPLE, "sgg", "refused"),
    ):  # fmt: skip
        settings = AnalysisSettings(kind=kind) if kind else AnalysisSettings()
        result = analyse_file(MatchFile(name, file), settings, program=program)
        assert result.status == status, result.reason
        if name == "galaxy.mat":
            assert AnalysedMatch.from_file(result).date is None
        elif status == "analysed":
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
    ledger = tmp_path / "ledger.jsonl"
    calls: list[tuple[str, int, int]] = []
    files = match_files([tmp_path])
    with parallel.context(workers=2, progress=lambda *call: calls.append(call)):
        first = analyse_files(files, ledger=AnalysisFile(ledger), program=program)
    assert calls[-1] == ("analysing", 2, 2)
    good, empty, twin = first
    assert [result.status for result in first] == ["analysed", "refused", "refused"]
    assert (empty.file, good.content) == (str(tmp_path / "empty.mat"), outcome.content)
    assert "the same match as" in twin.reason
    kept = ledger.read_bytes()
    calls.clear()
    with parallel.context(workers=1, progress=lambda *call: calls.append(call)):
        again = analyse_files(files, ledger=AnalysisFile(ledger), program=program)
    assert (again, calls, ledger.read_bytes()) == (first, [], kept)


def test_what_becomes_of_an_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fine = {"variation": "Standard", "more_games": 0, "games": [{"winner": "X"}]}
    asked: dict[str, Any] = {}
    answer: list[Completed] = []

    def run(_: str, **arguments: Any) -> Completed:
        asked.update(arguments)
        return answer[-1]

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
        answer.append(Completed(0, output, "", {"match": match, "analysis": analysis}))
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
    files = match_files([tmp_path])
    assert [Path(match.name).name for match in files] == ["two.TXT", "one.mat", "three.mat.gz"]
    assert [match.read() for match in files] == [b"deep/two.TXT", b"one.mat", b"three"]
    assert [match.ending for match in files] == [".txt", ".mat", ".mat"]
    files = match_files([tmp_path / "deep" / "notes.pdf", f"{tmp_path}/*.mat"])
    assert [Path(match.name).name for match in files] == ["notes.pdf", "one.mat"]
    (tmp_path / "empty").mkdir()
    for path, message in (
        ("none.mat", "no such file"),
        ("empty", "this folder is empty"),
        ("empty/*.mat", "matches this pattern"),
    ):
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
    assert files[4].name == f"{path}/[31mred.mat"
    assert files[0].name == f"{path}/../../escape.mat"
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
    for name in (program, none):
        monkeypatch.setenv("YARDSTONE_GNUBG", str(name))
        for named in ((), (name,)):
            if name == program:
                assert find_gnubg(*named) == program
            else:
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
