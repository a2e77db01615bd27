"""`--moves` of `rate`, `history`, `predict` and `evaluate`."""

from __future__ import annotations

import csv
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from tests.strength.estimate_cases import Case, game, make_case, sgf
from tests.strength.fusion.made_moves import made_pool
from yardstone.cli.main import main
from yardstone.pool import Pool
from yardstone.strength.fusion import MOVE_COLUMNS

NAMES = ("Ann", "Bob", "Cem", "Dan")


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    return make_case(tmp_path_factory.mktemp("case"))


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("records") / "games.zip"
    with zipfile.ZipFile(file, "w") as archive:
        for seed in range(6):
            made = game(seed, NAMES[seed % 4], NAMES[(seed + 1 + seed // 4) % 4], day=seed)
            archive.writestr(f"g{seed}.sgf", sgf(made))
    return file


@pytest.fixture
def options(case: Case, records: Path) -> list[str]:
    return ["--moves", str(records), "--net", str(case.file), "--model", str(case.model_file)]


def write_table(pool: Pool, file: Path, *, moves: bool = True) -> Path:
    """A pool with its moves as a table."""
    with file.open("w", encoding="utf-8", newline="") as stream:
        names = MOVE_COLUMNS if moves else ()
        writer = csv.writer(stream)
        writer.writerow(["first", "second", "score", "date", *names])
        assert pool.time is not None
        for row in range(len(pool)):
            sides = pool.players[pool.first[row]], pool.players[pool.second[row]]
            shown = [f"{pool.columns[name][row]:g}".replace("nan", "") for name in names]
            writer.writerow([*sides, pool.score[row], pool.time[row], *shown])
    return file


def test_records_are_results_and_moves(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "ratings.html"
    assert main(["history", *options, "-o", str(page), "--top", "0"]) == 0
    out = capsys.readouterr().out
    assert "6 games of 4 players" in out
    assert "rated by fusion" in out
    assert "Records of moves: 6 of 6 belong to a game." in out
    assert "Moves and results" in out
    text = page.read_text(encoding="utf-8")
    for word in ("Moves and results", "Results", "Both", "<svg"):
        assert word in text


def test_moves_beside_results_from_elsewhere(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = tmp_path / "results.csv"
    results.write_text(
        "id,black,white,result,date\n"
        "g0,Ann,bob,B+,2024-03-01\n"
        "x,Ann,Eve,W+,2024-03-02\n"
        "g1,bob,CEM,B+,2024-03-03\n"
    )
    assert main(["history", str(results), *options, "--format", "json", "--top", "0"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["system"] == "fusion"
    seen = {each["player"]: each["moves_seen"] for each in result["sources"]}
    assert seen["Eve"] == 0
    assert min(seen["Ann"], seen["bob"]) > 0
    (ann,) = (each for each in result["sources"] if each["player"] == "Ann")
    assert {"moves", "results", "both"} <= ann.keys()
    # By the day beside too: the records are of 1 and 2 March.
    assert any("2 of 6 belong to a game (4 of no such game)" in note for note in result["notes"])
    assert main(["history", str(results), *options, "--match", "id", "--format", "json"]) == 0
    other = json.loads(capsys.readouterr().out)
    assert other["ratings"] == result["ratings"]


def test_a_prediction_and_a_history_that_goes_on(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "kept"
    assert main(["history", *options, "--save", str(kept), "--quiet"]) == 0
    capsys.readouterr()
    assert main(["predict", "Ann", "Bob", *options, "--format", "json"]) == 0
    wanted = json.loads(capsys.readouterr().out)
    assert main(["predict", "Ann", "Bob", "--state", str(kept), "--format", "json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["expected"] == wanted["expected"]
    assert main(["history", "--state", str(kept), *options]) == 0
    assert "6 games were added" in capsys.readouterr().out
    # Strengths on another scale are other numbers.
    assert main(["history", "--state", str(kept), *options, "--moves-scale", "fox"]) != 0
    assert "scale ogs, and these of tiny, scale fox" in capsys.readouterr().err


def test_moves_in_a_table_need_no_network(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = write_table(made_pool(players=120, games=600), tmp_path / "games.csv")
    command = ["evaluate", str(table), "--systems", "glicko2,fusion", "--replicates", "0"]
    given = ["--set", "initial_deviation=250", "--format", "json"]
    likely = []
    for fit in ((), ("--fit",)):
        assert main([*command, *given, *fit]) == 0
        result = json.loads(capsys.readouterr().out)
        scores = {
            each["name"]: each["metrics"]["representative"]["log_likelihood"]
            for each in result["systems"]
        }
        likely.append(scores)
        assert scores["fusion"] > scores["glicko2"]
        assert any("fusion: What moves say " in note for note in result["notes"])
    assert likely[0]["fusion"] != likely[1]["fusion"]


def test_evaluate_takes_records(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", *options, "--systems", "elo,fusion", "--replicates", "0"]) == 0
    out = capsys.readouterr().out
    assert "fusion" in out
    assert "Moves are known of 6 of 6 games" in out


def test_moves_join_players_of_a_list(
    case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two pairs who never met: only moves say how they compare."""
    file = tmp_path / "games.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.sgf", sgf(game(1, "Ann", "Bob", day=0)))
        archive.writestr("b.sgf", sgf(game(2, "Cem", "Dan", day=0)))
    network = ["--net", str(case.file), "--model", str(case.model_file)]
    command = ["rate", "--format", "json"]
    assert main([*command, "--moves", str(file), *network]) == 0
    result = json.loads(capsys.readouterr().out)
    assert len(result["components"]) == 1
    assert np.isfinite([each["rating"] for each in result["ratings"]]).all()
    assert any("Records of moves: 2 of 2" in each for each in result["caveats"])
    assert main([*command, str(file)]) == 0
    assert len(json.loads(capsys.readouterr().out)["components"]) == 2


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["history", "--system", "elo"], "--moves is for the system fusion, not for elo"),
        (["evaluate", "--fit"], "a fit takes 50"),
        (["rate", "--watch"], "--moves cannot be used with --watch"),
        (["rate", "--anchor", "Ann=2000"], "and --anchor elsewhere"),
    ],
)
def test_what_does_not_go_together(
    command: list[str], said: str, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, *options]) != 0
    assert said in capsys.readouterr().err


def test_options_without_moves(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "games.csv"
    file.write_text("first,second,score,date\nAnn,Bob,1,2024-01-01\n")
    for command, said in (
        (["history", "--match", "id"], "--match goes with --moves"),
        (["rate", "--fit"], "--fit goes with --moves"),
        (["history", "--fit"], "--fit is for the system fusion"),
        (["history", "--system", "fusion"], "there is no column 'first_moves'"),
    ):
        assert main([*command, str(file)]) != 0
        assert said in capsys.readouterr().err
