"""`yardstone trickplay` from files to tables, pictures and boards."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tests.strength.estimate_cases import Case, make_case
from tests.strength.trickplay_cases import GAME, PROBLEM, moves_sgf, turned
from yardstone.cli.commands import application
from yardstone.cli.main import main
from yardstone.errors import InputError, NoGamesError, StrictError, UsageError
from yardstone.records.sgf import SgfReader

OTHER = "(;SZ[19]GN[other]AB[oq]AW[qp][ql](;B[qq]N[wrong])(;B[mp]N[solution]))"
MISSING = "(;SZ[19]AB[aa][ac][ae]AW[ca][cc][ce][ee][gg](;B[ff])(;B[gf]))"
BROKEN = "(;SZ[19]AB[oq]AW[qp])"


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    return make_case(tmp_path_factory.mktemp("case"))


@pytest.fixture
def problems(tmp_path: Path) -> Path:
    path = tmp_path / "problems.sgf"
    path.write_text("\n".join([PROBLEM, OTHER, MISSING, BROKEN]))
    return path


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "games.sgf"
    second = "B oq W qp B cd W fd B dp W dc"
    texts = [moves_sgf(GAME), moves_sgf(turned(second, 5, swapped=True)), moves_sgf(GAME)]
    path.write_text("\n".join(texts))
    return path


@pytest.fixture
def index(games: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    path = games.with_suffix(".idx")
    run(capsys, "index", games, "-o", path, "--workers", 1, "--quiet")
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path | int) -> str:
    words = [str(argument) for argument in arguments]
    application("trickplay")(args=words, prog_name="trickplay", standalone_mode=False)
    return capsys.readouterr().out


def test_an_index_says_what_it_holds(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = games.with_suffix(".idx")
    text = run(capsys, "index", games, "-o", path, "--workers", 1)
    assert text == f"2 games, 14 positions in {path}; 1 game occurred again\n"


def test_positions_are_found_in_games_and_in_an_index(
    problems: Path, games: Path, index: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = run(capsys, "find", problems, "--games", index, "--workers", 1)
    assert text == run(capsys, "find", problems, "--games", games, "--workers", 1)
    lines = text.splitlines()
    assert lines[0] == "3 problems in 2 games (14 positions): 1 found as they are"
    assert lines[1] == ("Found only without the last stones, which were put back: problems #2")
    assert lines[2] == "Not found: problems #3"
    rows = [line.split() for line in lines[5:]]
    assert rows[0] == ["problems", "M6:T1", "1", "4", str(games)]
    assert rows[1][4:] == ["3", str(games), "White", "R8", "put", "back"]
    assert rows[2] == ["problems", "#3", "A19:H12", "0"]


def test_found_problems_as_csv_json_and_page(
    problems: Path, index: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = run(capsys, "find", problems, "--games", index, "--format", "csv", "--boards", 3)
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["found"] for row in rows] == ["1", "0", "0"]
    assert [row["put_back"] for row in rows] == ["", "White R8", ""]
    assert [row["boards"] for row in rows] == ["1", "2", "0"]
    result = json.loads(run(capsys, "find", problems, "--games", index, "--format", "json"))
    assert result["problems"][0]["bounds_from"] == "inferred"
    assert result["problems"][2]["completed"] == []
    assert result["skipped"]["total"] == 1
    run(capsys, "find", problems, "--games", index, "-o", tmp_path / "found.html")
    assert "problems #2" in (tmp_path / "found.html").read_text()


def test_boards_are_written_as_sgf(
    problems: Path, index: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "find", problems, "--games", index, "--sgf", tmp_path / "boards.sgf")
    trees = list(SgfReader(tmp_path / "boards.sgf").trees())
    assert [tree.properties(0)["GN"] for tree in trees] == [("problems",), ("problems #2",)]
    lines = [tree.path(leaf) for tree in trees for leaf in tree.leaves()]
    assert [len(line) - 1 for line in lines] == [4 + 3, 4 + 3, 4 + 1, 4 + 1]
    second = trees[1]
    assert "White R8 put back" in second.properties(4)["C"][0]
    assert [second.properties(child)["N"] for child in second.children(4)] == [
        ("failure",),
        ("refutation",),
    ]


def rate(problems: Path, index: Path, case: Case) -> list[str | Path | int]:
    """The beginning of a command that rates, with the small network and model."""
    files: list[str | Path | int] = [
        "--games",
        index,
        "--net",
        case.file,
        "--model",
        case.model_file,
    ]
    return ["rate", problems, *files, "--threads", 1]


def test_answers_are_rated(
    problems: Path, index: Path, case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    common = [*rate(problems, index, case), "--workers", 1]
    plot = tmp_path / "ratings.png"
    text = run(capsys, *common, "-o", plot)
    assert plot.read_bytes().startswith(b"\x89PNG")
    result = json.loads(run(capsys, *common, "--format", "json"))
    assert (result["compared"], result["scale"], result["model"]) == (2, "fox", "tiny")
    first, second, third = result["problems"]
    assert [v["moves"] for v in first["variations"] + second["variations"]] == [2, 2, 1, 1]
    assert first["difference"] == pytest.approx(
        first["refutation_rating"] - first["failure_rating"], abs=0.011
    )
    assert [v["line"] for v in first["variations"]] == [["R3", "Q4", "Q3"], ["N4", "Q3", "P4"]]
    assert first["variations"][0]["low"] <= first["refutation_rating"]
    assert len(second["variations"][0]["by_board"]) == 2
    assert third["variations"] == []
    assert third["difference"] is None
    above = sum(not row["surprising"] for row in result["problems"][:2])
    assert result["refutation_above"] == above
    lines = text.splitlines()
    assert lines[1].startswith("Rated: of each variation as many moves")
    assert lines[2] == f"The refutation is rated above the failure in {above} of 2 problems"
    starred = [line.split()[0] for line in lines if line.endswith("*")]
    assert len(starred) == 2 - above
    assert ("rated as high as the refutation, or higher" in text) == (above < 2)
    # Single looks cannot tell what an answer costs, nor which the network prefers.
    assert not any(word in text for word in ("points", "prefers"))
    assert not any("lost" in name for row in result["problems"] for name in row)


def test_all_moves_or_the_first_are_rated(
    problems: Path, index: Path, case: Case, capsys: pytest.CaptureFixture[str]
) -> None:
    longer = problems.with_name("longer.sgf")
    longer.write_text(PROBLEM.replace("B[pq])", "B[pq];W[rq];B[rr])"))
    common = [*rate(longer, index, case), "--format", "json", "--no-history"]
    for moves, expected in (("all", [3, 2]), ("equal", [2, 2]), ("1", [1, 1])):
        result = json.loads(run(capsys, *common, "--moves", moves))
        (problem,) = result["problems"]
        assert [variation["moves"] for variation in problem["variations"]] == expected
        assert str(result["moves"]) == moves
    for moves in ("0", "some", "-1"):
        with pytest.raises(UsageError, match="write all, equal or a number"):
            run(capsys, *common, f"--moves={moves}")


def test_ratings_on_another_scale_as_csv_and_page(
    problems: Path, index: Path, case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    common = [*rate(problems, index, case), "--workers", 1, "--boards", 1]
    (row, *_, last) = csv.DictReader(
        io.StringIO(run(capsys, *common, "--scale", "egf", "--format", "csv"))
    )
    assert 0 < float(row["failure_rating"]) < 3500
    assert row["failure_spread"] == "0.0"
    assert last["failure_rating"] == last["surprising"] == ""
    run(capsys, *common, "-o", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "Ratings of the failure and the refutation" in page
    run(capsys, *common, "-o", tmp_path / "rows.parquet")
    assert (tmp_path / "rows.parquet").read_bytes().startswith(b"PAR1")


def test_changes_by_hand_are_shown(
    problems: Path, index: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change = ["--change", "problems=black:K4,empty:D16"]
    text = run(capsys, "find", problems, "--games", index, *change)
    assert "Black K4 by hand; empty D16 by hand" in text


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--change", "problems"], "write PROBLEM=COLOUR:POINT"),
        (["--change", "none=black:K4"], "there is no problem 'none'"),
        (["--change", "problems=red:K4"], "'red' is not black, white or empty"),
        (["--change", "problems=black:Z9"], "not a point"),
        (["--change", "problems=black:pass"], "name a point"),
        (["--games", "games.sgf"], "name one index, or files of games"),
    ],
)
def test_wrong_usage_is_refused(
    problems: Path,
    index: Path,
    options: list[str],
    reason: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(UsageError, match=reason):
        run(capsys, "find", problems, "--games", index, *options)


def test_trouble_in_the_input_is_one_line(
    problems: Path, index: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(StrictError, match="no variation"):
        run(capsys, "find", problems, "--games", index, "--strict")
    with pytest.raises(InputError, match="no such file"):
        run(capsys, "find", problems, "--games", tmp_path / "none.zip")
    (tmp_path / "cut.idx").write_bytes(index.read_bytes()[:300])
    with pytest.raises(InputError, match="damaged"):
        run(capsys, "find", problems, "--games", tmp_path / "cut.idx")
    (tmp_path / "empty.sgf").write_text("")
    with pytest.raises(NoGamesError):
        run(capsys, "find", tmp_path / "empty.sgf", "--games", index)
    assert main(["trickplay", "find", str(problems), "--games", str(tmp_path / "no.zip")]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "no such file" in error
    assert main(["trickplay", "find", str(problems), "--games", str(index), "--change", "x"]) == 2


def test_a_level_that_cannot_be_is_refused(
    problems: Path, index: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UsageError, match="--confidence"):
        run(capsys, "rate", problems, "--games", index, "--confidence", "0")
