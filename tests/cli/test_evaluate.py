from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import duckdb
import numpy as np
import pytest

from tests.cli.ratings_command import write_games
from yardstone.cli.main import main
from yardstone.evaluation.metrics import measure

_SCORE = ("--columns", "score=Result")


@pytest.fixture
def games(tmp_path: Path) -> Path:
    return write_games(tmp_path / "games.csv")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Predictions from elsewhere, with some rows that cannot be used."""
    generator = np.random.default_rng(1)
    truth = generator.uniform(0.1, 0.9, 400)
    score = (generator.random(400) < truth).astype(int)
    path = tmp_path / "table.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["Result", "P", "Q", "Draw", "R1", "R2", "A", "B", "Part"])
        for game in range(400):
            p = truth[game]
            points = 400 * np.log10(p / (1 - p))
            names = [f"p{game % 20}", f"p{(game + 1 + game // 20) % 20}x"]
            row = [
                score[game],
                p,
                0.5 + 0.5 * (p - 0.5),
                0.1,
                1500 + points,
                1500,
                *names,
                game % 2,
            ]
            writer.writerow(row)
        writer.writerow(["*", 0.5, 0.5, 0.1, 1500, 1500, "p1", "p2", 0])
        writer.writerow([1, "none", 0.5, 0.1, 1500, 1500, "p1", "p2", 0])
        writer.writerow([1, 0.5, 1.5, 0.1, 1500, 1500, "p1", "p2", 0])
    return path


def test_a_ranking_with_a_statement_of_how_sure_it_is(
    games: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate", str(games), "--systems", "elo,glicko2", "--replicates", "200"]) == 0
    out = capsys.readouterr().out
    assert "2 systems on 360 games of 25 players" in out
    assert "Each game was predicted from the games before it; the first 840" in out
    first = out.splitlines()[0]
    assert "not significantly better" in first or "predicts best" in first
    assert "This holds at 95 %." in out
    assert "gap 0-50" in out
    assert "first move only" in out


def test_json_has_the_documented_shape(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--systems", "elo", "--tune", "2", "--format", "json", "--replicates", "50"]
    assert main(["evaluate", str(games), *options, "--set", "elo.initial=1000"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["format"] == 1
    assert set(result) == {
        "format", "metric", "confidence", "games", "players", "earlier", "tuned", "period",
        "conclusion", "systems", "rankings", "subsets", "notes", "advantages", "unable",
    }  # fmt: skip
    system = result["systems"][0]
    assert set(system) == {
        "name", "rank", "baseline", "parameters", "own_draws", "given", "seconds",
        "metrics", "calibration",
    }  # fmt: skip
    assert system["parameters"]["initial"] == 1000
    assert set(system["metrics"]["representative"]) == {
        "games", "accuracy", "constant_side", "log_likelihood", "brier", "three_way", "impossible",
    }  # fmt: skip
    assert {"metric", "subset", "unit", "systems"} == set(result["rankings"][0])
    assert result["tuned"] == 2
    assert result["period"]["from"] <= result["period"]["to"]


def test_equal_seeds_and_any_number_of_workers(
    games: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["evaluate", str(games), "--systems", "elo,glicko", "--tune", "3"]
    command += ["--replicates", "50", "--format", "csv"]
    texts = []
    for workers in ("1", "2"):
        assert main([*command, "--workers", workers]) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]


def test_every_format_and_picture(
    games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["evaluate", str(games), "--systems", "elo", "--replicates", "20", "--since"]
    command += ["2020-11-01", "--group", "event", "--gaps", ""]
    assert main([*command, "-o", str(tmp_path / "table.parquet"), "--quiet"]) == 0
    where = str(tmp_path / "table.parquet")
    with duckdb.connect() as connection:
        rows = connection.execute(f"SELECT system, subset, games FROM '{where}'").fetchall()
    assert ("elo", "representative", 360) in rows
    assert ("elo", "since 2020-11-01T00:00:00", 0) not in rows
    pictures = ["-o", str(tmp_path / "c.svg"), "-o", str(tmp_path / "page.html")]
    assert main([*command, "--quiet", *pictures]) == 0
    assert capsys.readouterr().out == ""
    assert "<svg" in (tmp_path / "c.svg").read_text()
    page = (tmp_path / "page.html").read_text()
    assert "<svg" in page
    assert "http" not in page.split("</head>")[0].replace("http-equiv", "")
    assert main([*command, "--format", "csv"]) == 0
    lines = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert lines[0]["system"] == "elo"
    assert float(lines[0]["log_likelihood"]) < 0


def test_predictions_from_elsewhere_are_scored_the_same_way(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["evaluate", str(table), "--predicted", "P", "--predicted", "blurred=Q"]
    command += ["--ratings", "by ratings=R1,R2", "--columns", "score=result,first=A,second=B"]
    assert main([*command, "--group", "Part", "--format", "json", "--draws", "blurred=Draw"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["games"] == 400
    assert [note.split(":")[0] for note in result["notes"]] == ["1 rows were left out"] * 3
    systems = {system["name"]: system for system in result["systems"]}
    assert set(systems) == {"P", "blurred", "by ratings", "50:50"}
    with table.open() as file:
        rows = list(csv.DictReader(file))[:400]
    mine = measure([float(row["Result"]) for row in rows], [float(row["P"]) for row in rows])
    got = systems["P"]["metrics"]["representative"]
    assert got["log_likelihood"] == pytest.approx(mine.log_likelihood, rel=1e-12)
    assert got["three_way"] is None
    assert systems["blurred"]["metrics"]["representative"]["three_way"] is not None
    same = systems["by ratings"]["metrics"]["representative"]["log_likelihood"]
    assert same == pytest.approx(mine.log_likelihood, rel=1e-9)
    assert [part["name"] for part in result["subsets"]] == ["representative", "Part 0", "Part 1"]


@pytest.mark.parametrize("ending", ["parquet", "json", "tsv", "csv.gz"])
def test_tables_of_other_kinds(
    table: Path, ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"other.{ending}"
    kind = {"parquet": "parquet", "json": "json"}.get(ending, "csv")
    more = {"tsv": ", DELIMITER '\t'", "csv.gz": ", COMPRESSION gzip"}.get(ending, "")
    rows = f"read_csv('{table}', all_varchar = true)"
    duckdb.execute(f"COPY (SELECT * FROM {rows}) TO '{path}' (FORMAT {kind}{more})")
    assert main(["evaluate", str(path), "--predicted", "P", *_SCORE]) == 0
    out = capsys.readouterr().out
    assert "1 system on 401 games" in out
    assert "The players are not known" in out


@pytest.mark.parametrize(
    "given",
    [
        ["--systems", "elk"],
        ["--systems", ""],
        ["--metric", "elo"],
        ["--train-share", "2"],
        ["--train-until", "soon"],
        ["--train-until", "2020-01-01", "--train-share", "0.5"],
        ["--gaps", "5,4"],
        ["--gaps", "a"],
        ["--set", "glicko2.tau=1", "--systems", "elo"],
        ["--set", "k"],
        ["-o", "x.doc"],
        ["--format", "parquet"],
        ["--since", "never"],
        ["--tune", "-1"],
    ],
)
def test_wrong_usage(games: Path, given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", str(games), *given]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("yardstone: error: ")


@pytest.mark.parametrize(
    ("given", "status", "says"),
    [
        (["--predicted", "P"], 1, "there is no column 'score'"),
        (["--predicted", "Z", *_SCORE], 1, "the columns are Result, P, Q"),
        (["--ratings", "R1", *_SCORE], 2, "name two columns"),
        (["--predicted", "P", "--draws", "Z=Q", *_SCORE], 2, "draws for 'Z'"),
        (["--predicted", "A", *_SCORE], 1, "no row has a score and predictions"),
        (["--predicted", "P", *_SCORE, "--metric", "three_way"], 2, "another metric"),
    ],
)
def test_tables_that_do_not_hold_what_is_asked(
    table: Path, given: list[str], status: int, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate", str(table), *given]) == status
    assert says in capsys.readouterr().err


def test_no_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate"]) == 2
    assert main(["evaluate", "--predicted", "P"]) == 2
    assert main(["evaluate", str(tmp_path / "none.csv"), "--predicted", "P"]) == 1
    capsys.readouterr()


def test_two_players_have_no_interval(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A match says nothing of other players, whatever the number of its games."""
    path = tmp_path / "match.csv"
    lines = [f"Ann,Bob,{(row * 7 % 3) / 2},2024-01-{row % 28 + 1:02d}" for row in range(200)]
    path.write_text("\n".join(["white,black,score,date", *lines]) + "\n")
    assert main(["evaluate", str(path), "--systems", "elo,glicko2"]) == 0
    assert "Too few players to say which system is best" in capsys.readouterr().out
    assert main(["evaluate", str(path), "--systems", "elo,glicko2", "--format", "json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["rankings"] == []
