"""Analysis by the real GNU Backgammon, and what happens when it fails."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

from tests.backgammon.gnubg_here import real_gnubg
from tests.backgammon.kept import program_and_ledger
from yardstone import parallel
from yardstone.backgammon._gnubg import move_text
from yardstone.backgammon.file_analysis import (
    AnalysisFile,
    AnalysisSettings,
    FileAnalysis,
    MatchFile,
    analyse_file,
    analyse_files,
    match_files,
)
from yardstone.backgammon.gnubg import run_script
from yardstone.backgammon.matches import AnalysedMatch
from yardstone.errors import InputError, UsageError
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
    assert outcome.status == "analysed"
    match = AnalysedMatch.from_file(outcome)
    assert match.players == ("Ann", "Bob")
    assert (match.length, match.score, match.winner, match.games) == (3, (1, 3), 1, 3)
    assert str(match.date) == "2024-05-31"
    assert match.errors[0].moves + match.errors[1].moves > 30
    assert 0.0 < match.errors[0].epm < 0.2
    assert 0.0 < match.luck_adjusted < 1.0


def test_the_errors_add_up_to_the_statistics(outcome: FileAnalysis) -> None:
    assert outcome.content is not None
    sums: defaultdict[tuple[int, str], float] = defaultdict(float)
    for error in outcome.content["errors"]:
        sums[error["player"], error["kind"]] += error["error"]
    names = {
        "chequer play": "chequer",
        "missed double": "missed_double",
        "wrong double": "wrong_double",
        "wrong take": "wrong_take",
        "wrong pass": "wrong_pass",
    }
    match = AnalysedMatch.from_file(outcome)
    for side, errors in enumerate(match.errors):
        for kind, name in names.items():
            whole = getattr(errors, name)
            # Errors below 0.02 are not listed one by one.
            assert whole - 0.02 * errors.decisions <= sums[side, kind] <= whole + 1e-4
    sizes = [error["error"] for error in outcome.content["errors"]]
    assert sizes == sorted(sizes, reverse=True)


def test_positions_are_what_gnu_backgammon_calls_them(outcome: FileAnalysis, program: Path) -> None:
    assert outcome.content is not None
    script = """
import gnubg, json
answers = []
for one in json.load(open("data.json")):
    gnubg.command("set player 0 human")
    gnubg.command("set player 1 human")
    gnubg.command("set gnubgid %s:%s" % (one["position"], one["match"]))
    cube = one["kind"] != "chequer play"
    answers.append([gnubg.positionid(), gnubg.matchid(), None if cube else gnubg.hint(1)])
json.dump(answers, open("result.json", "w"), default=str)
"""
    errors = outcome.content["errors"][:12]
    done = run_script(script, data=errors, program=program)
    assert done.result is not None, done.errors
    for error, (position, match, hint) in zip(errors, done.result, strict=True):
        assert position == error["position"]
        assert match[:11] == error["match"][:11]  # the last bit says whether Jacoby is on
        assert hint is None or hint["hinttype"] == "chequer"


def test_moves_in_words() -> None:
    assert move_text(((25, 21), (6, 0), (6, 0))) == "bar/21 6/off(2)"


BAD = {
    "empty.mat": (b"", "holds nothing"),
    "random.mat": (bytes(range(256)) * 4, "not recognized"),
    "header.mat": (b" five pointers\n\n Game 1\n", "not recognized|not a valid"),
    "no-end.mat": (EXAMPLE.read_bytes()[:700], "no winner|Invalid move"),
    "illegal.mat": (EXAMPLE.read_bytes().replace(b"24/21 8/6", b"99/98 3/44"), "Unrecognised move"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_refused(name: str, tmp_path: Path, program: Path) -> None:
    data, reason = BAD[name]
    path = tmp_path / name
    path.write_bytes(data)
    result = analyse_file(MatchFile(name, path), program=program)
    assert result.status == "refused"
    assert re.search(reason, result.reason), result.reason


def test_a_loss_written_beside_the_win_is_no_fault(tmp_path: Path, program: Path) -> None:
    path = tmp_path / "galaxy.mat"
    text = EXAMPLE.read_text()
    path.write_text(
        text.replace("      Wins 1 point\n", "      Losses 1 point\n      Wins 1 point\n", 1)
    )
    result = analyse_file(MatchFile("galaxy.mat", path), program=program)
    assert result.status == "analysed", result.reason


def test_a_match_without_a_date_is_not_one_of_today(tmp_path: Path, program: Path) -> None:
    path = tmp_path / "undated.mat"
    path.write_text(EXAMPLE.read_text().partition("\n")[2])
    result = AnalysedMatch.from_file(analyse_file(MatchFile("undated.mat", path), program=program))
    assert result.date is None


def test_its_own_format_and_a_kind_by_name(tmp_path: Path, program: Path) -> None:
    script = "import gnubg\ngnubg.command('import mat \"m.mat\"')\n"
    script += f'gnubg.command("save match {tmp_path / "match.sgf"}")\n'
    run_script(script, files={"m.mat": EXAMPLE.read_bytes()}, program=program)
    saved = analyse_file(MatchFile("match.sgf", tmp_path / "match.sgf"), program=program)
    assert saved.status == "analysed", saved.reason
    assert AnalysedMatch.from_file(saved).score == (1, 3)
    mat = analyse_file(MatchFile("m", EXAMPLE), AnalysisSettings(kind="mat"), program=program)
    assert mat.status == "analysed"
    other = analyse_file(MatchFile("m", EXAMPLE), AnalysisSettings(kind="sgg"), program=program)
    assert other.status == "refused"


def test_many_files_in_any_number_of_processes_and_again(
    tmp_path: Path, program: Path, outcome: FileAnalysis
) -> None:
    for name, (data, _) in BAD.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "a.mat").write_bytes(EXAMPLE.read_bytes())
    (tmp_path / "twin.mat").write_bytes(EXAMPLE.read_bytes())
    ledger = tmp_path / "ledger.jsonl"
    calls: list[tuple[str, int, int]] = []

    def tell(what: str, done: int, total: int) -> None:
        calls.append((what, done, total))

    files = match_files([tmp_path])
    with parallel.context(workers=2, progress=tell):
        first = analyse_files(files, ledger=AnalysisFile(ledger), program=program)
    assert calls[-1] == ("analysing", 6, 6)
    statuses = {Path(result.file).name: result.status for result in first}
    assert statuses == {
        **dict.fromkeys(BAD, "refused"),
        "a.mat": "analysed",
        "twin.mat": "refused",
    }
    assert "the same match as" in next(f.reason for f in first if f.file.endswith("twin.mat"))
    good = next(result for result in first if result.status == "analysed")
    assert good.content == outcome.content
    size = ledger.stat().st_size
    calls.clear()
    with parallel.context(workers=1, progress=tell):
        again = analyse_files(files, ledger=AnalysisFile(ledger), program=program)
    assert again == first
    assert calls == []
    assert ledger.stat().st_size == size


def test_a_hang_costs_one_file(tmp_path: Path) -> None:
    stuck = tmp_path / "gnubg"
    stuck.write_text("#!/bin/sh\nsleep 60\n")
    stuck.chmod(0o755)
    result = analyse_file(MatchFile("m", EXAMPLE), program=stuck, timeout=0.3)
    assert result.status == "failed"
    assert "0.3 seconds" in result.reason


def test_a_crash_costs_one_file(tmp_path: Path) -> None:
    broken = tmp_path / "gnubg"
    broken.write_text("#!/bin/sh\necho 'stack smashed' >&2\nkill -ABRT $$\n")
    broken.chmod(0o755)
    result = analyse_file(MatchFile("m", EXAMPLE), program=broken)
    assert result.status == "failed"
    assert "SIGABRT" in result.reason
    assert "stack smashed" in result.reason


def test_settings_out_of_range() -> None:
    with pytest.raises(UsageError, match="plies"):
        AnalysisSettings(plies=5)
    with pytest.raises(UsageError, match="no format"):
        AnalysisSettings(kind="pgn")


VALUE = {"file": "a", "status": "analysed", "reason": "", "found": {"x": [1, 2]}}


class TestTheFile:
    def test_results_are_kept(self, tmp_path: Path) -> None:
        kept = AnalysisFile(tmp_path / "ledger")
        assert kept.get("k") is None
        kept.put("k", VALUE)
        kept.put("l", {**VALUE, "file": "b"})
        kept.put("k", {**VALUE, "file": "c"})
        for again in (kept, AnalysisFile(tmp_path / "ledger")):
            result = again.get("k")
            assert result is not None
            assert result["file"] == "c"
            assert len(again) == 2

    def test_a_torn_line_is_passed_over(self, tmp_path: Path) -> None:
        path = tmp_path / "ledger"
        kept = AnalysisFile(path)
        kept.put("k", VALUE)
        kept.put("l", VALUE)
        path.write_bytes(path.read_bytes()[:-20])
        again = AnalysisFile(path)
        assert (len(again), again.damaged) == (1, 1)
        again.put("m", VALUE)
        third = AnalysisFile(path)
        assert third.get("m") is not None
        assert third.get("k") is not None
        assert third.get("l") is None

    def test_another_file_is_not_written_to(self, tmp_path: Path) -> None:
        path = tmp_path / "table.csv"
        path.write_text("a,b\n1,2\n")
        with pytest.raises(InputError, match="not a file of analyses"):
            AnalysisFile(path)
        with pytest.raises(InputError, match="cannot be written"):
            AnalysisFile(tmp_path / "no" / "ledger").put("k", VALUE)
