from __future__ import annotations

import csv
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

import yardstone
from tests.cli.calls import Command
from yardstone.evaluation.metrics import measure
from yardstone.reports.evaluation import evaluation_document
from yardstone.reports.files import json_pieces

ELO = "evaluate dated.csv --systems elo,glicko2"


def plain(report: Any) -> Any:
    result = json.loads("".join(json_pieces(evaluation_document(report))))
    for system in result["systems"]:
        del system["seconds"]
    return result


@pytest.mark.parametrize(
    ("options", "more"),
    [
        ("--replicates 0", {"replicates": 0}),
        (
            "--metric brier --confidence 90 --seed 4",
            {"metric": "brier", "confidence": 0.9, "seed": 4},
        ),
        ("--train-share 0.5 --newcomers 9", {"train_share": 0.5, "newcomer_games": 9}),
        ("--train-until 2020-06-01", {"train_until": np.datetime64("2020-06-01")}),
        ("--since '2020-11-01 12:00'", {"since_dates": [np.datetime64("2020-11-01T12:00")]}),
        ("--group event --gaps ''", {"group_by": "event", "gap_edges": []}),
        ("--first-advantage none", {"first_advantage": "none"}),
        ("--set elo.initial=1000 --set k=9", {}),
        ("--tune 2", {"tune": 2}),
        ("--tune 2 --workers 2", {"tune": 2}),
    ],
)
def test_options_reach_the_evaluation(options: str, more: dict[str, Any], run: Command) -> None:
    if "--set" in options:
        options = options.replace("k=9", "elo.k=9")
        more = {"parameters": {"elo": {"initial": 1000, "k": 9}}}
    columns = "all" if "group_by" in more else None
    usual: dict[str, Any] = {"metric": "log_likelihood", "confidence": 0.95, "seed": 0}
    usual |= {"newcomer_games": 4, "gap_edges": [50.0, 100.0, 200.0, 400.0], "tune": 0}
    usual |= {"first_advantage": "auto", "replicates": 1000}
    pool = yardstone.read("dated.csv", columns=columns, times=True)
    known = plain(yardstone.evaluate(pool, ["elo", "glicko2"], **usual | more))
    result = run.json(f"{ELO} {options}")
    for system in result["systems"]:
        del system["seconds"]
    assert result == known


def test_a_ranking_with_a_statement_of_how_sure_it_is(run: Command) -> None:
    out = run(f"{ELO} --replicates 200").out
    for words in (
        "2 systems on 120 games of 12 players",
        "Each game was predicted from the games before it; the first 280",
        "This holds at 95 %.",
        "gap 0-50",
        "first move only",
    ):
        assert words in out
    assert any(w in out.splitlines()[0] for w in ("not significantly better", "predicts best"))


def test_two_players_have_no_interval(run: Command) -> None:
    """A match says nothing of other players, whatever the number of its games."""
    lines = [f"Ann,Bob,{(row * 7 % 3) / 2},2024-01-{row % 28 + 1:02d}" for row in range(200)]
    run.write("match.csv", "\n".join(["white,black,score,date", *lines]) + "\n")
    line = "evaluate match.csv --systems elo,glicko2"
    assert "Too few players to say which system is best" in run(line).out
    assert run.json(line)["rankings"] == []


def test_every_format_and_picture(run: Command) -> None:
    line = "evaluate dated.csv --systems elo --replicates 20"
    said = run(f"{line} -q -o t.parquet -o c.svg -o page.html")
    assert said.out == ""
    with duckdb.connect() as connection:
        rows = connection.execute("SELECT system, subset, games FROM 't.parquet'").fetchall()
    assert ("elo", "representative", 120) in rows
    assert "<svg" in run.read("c.svg")
    page = run.read("page.html")
    assert "<svg" in page
    assert "http" not in page.split("</head>")[0].replace("http-equiv", "")
    row = run.rows(line)[0]
    assert row["system"] == "elo"
    assert float(row["log_likelihood"]) < 0


def write_table(run: Command) -> list[dict[str, Any]]:
    """Predictions from elsewhere, with some rows that cannot be used; the rows that can."""
    generator = np.random.default_rng(1)
    rows = []
    for game, p in enumerate(generator.uniform(0.1, 0.9, 400).tolist()):
        row: dict[str, Any] = {
            "Result": int(generator.random() < p),
            "P": p,
            "Q": 0.25 + 0.5 * p,
            "Draw": 0.1,
        }
        row |= {"R1": 1500 + 400 * np.log10(p / (1 - p)), "R2": 1500}
        row |= {"A": f"p{game % 20}", "B": f"p{(game + 1 + game // 20) % 20}x", "Part": game % 2}
        rows.append(row)
    wrong: list[dict[str, Any]] = [{"Result": "*"}, {"P": "none"}, {"Q": 1.5}]
    with Path("table.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows([*rows, *(rows[0] | each for each in wrong)])
    return rows


def test_predictions_from_elsewhere_are_scored_the_same_way(run: Command) -> None:
    rows = write_table(run)
    line = "evaluate table.csv --predicted P --predicted blurred=Q --draws blurred=Draw"
    line += " --ratings 'by ratings=R1,R2' --columns score=result,first=A,second=B --group Part"
    result = run.json(line)
    assert result["games"] == 400
    assert [note.split(":")[0] for note in result["notes"]] == ["1 rows were left out"] * 3
    assert [part["name"] for part in result["subsets"]] == ["representative", "Part 0", "Part 1"]
    systems = {each["name"]: each["metrics"]["representative"] for each in result["systems"]}
    assert set(systems) == {"P", "blurred", "by ratings", "50:50"}
    score = [row["Result"] for row in rows]
    for name, column in (("P", "P"), ("by ratings", "P"), ("blurred", "Q")):
        mine = asdict(measure(score, [row[column] for row in rows]))
        for metric in ("log_likelihood", "brier", "accuracy"):
            assert systems[name][metric] == pytest.approx(mine[metric], rel=1e-9)
    assert systems["P"]["three_way"] is None
    assert systems["blurred"]["three_way"] is not None


@pytest.mark.parametrize("ending", ["parquet", "json", "tsv", "csv.gz"])
def test_predictions_in_tables_of_other_kinds(ending: str, run: Command) -> None:
    write_table(run)
    kind = {"parquet": "parquet", "json": "json"}.get(ending, "csv")
    more = {"tsv": ", DELIMITER '\t'", "csv.gz": ", COMPRESSION gzip"}.get(ending, "")
    rows = "read_csv('table.csv', all_varchar = true)"
    duckdb.execute(f"COPY (SELECT * FROM {rows}) TO 'other.{ending}' (FORMAT {kind}{more})")
    out = run(f"evaluate other.{ending} --predicted P --columns score=Result").out
    assert "1 system on 401 games" in out
    assert "The players are not known" in out
