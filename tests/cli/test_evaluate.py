from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pytest

import yardstone
from tests.cli.calls import Command, plain
from yardstone.evaluation.metrics import measure
from yardstone.reports.evaluation import evaluation_document

SYSTEMS = ["elo", "glicko2"]
ELO = "evaluate dated.csv --systems elo,glicko2"


@pytest.mark.parametrize(
    ("options", "more"),
    [
        ("--metric brier --confidence 90 --seed 4 --replicates 50",
         {"metric": "brier", "confidence": 0.9, "seed": 4, "replicates": 50}),
        ("--train-share 0.5 --newcomers 9", {"train_share": 0.5, "newcomer_games": 9}),
        ("--train-until 2020-06-01", {"train_until": np.datetime64("2020-06-01")}),
        ("--since '2020-11-01 12:00'", {"since_dates": [np.datetime64("2020-11-01T12:00")]}),
        ("--group event --gaps ''", {"group_by": "event", "gap_edges": []}),
        ("--first-advantage none --set elo.initial=1000 --set elo.k=9",
         {"first_advantage": "none", "parameters": {"elo": {"initial": 1000, "k": 9}}}),
        ("--tune 2 --workers 1", {"tune": 2}),
        ("--tune 2 --workers 2", {"tune": 2}),
    ],
)  # fmt: skip
def test_options_reach_the_evaluation(options: str, more: dict[str, Any], run: Command) -> None:
    usual: dict[str, Any] = {"metric": "log_likelihood", "confidence": 0.95, "seed": 0}
    usual |= {"newcomer_games": 4, "gap_edges": [50.0, 100.0, 200.0, 400.0], "tune": 0}
    usual |= {"first_advantage": "auto", "replicates": 1000 if "until" in options else 20}
    pool = yardstone.read("dated.csv", columns="all" if "group_by" in more else None, times=True)
    document = evaluation_document(yardstone.evaluate(pool, SYSTEMS, **usual | more))
    known = plain(document)
    replicates = "" if "until" in options else "--replicates 20"  # a thousand by default
    result = run.json(f"{ELO} {replicates} {options}")
    for system in (*result["systems"], *known["systems"]):
        del system["seconds"]
    assert result == known


def test_a_ranking_with_a_statement_of_how_sure_it_is(run: Command) -> None:
    run(f"{ELO} --replicates 50 -o t.parquet -o c.svg -o page.html -o out.txt")
    out = run.read("out.txt")
    for words in (
        "2 systems on 120 games of 12 players", "This holds at 95 %.", "gap 0-50",
        "Each game was predicted from the games before it; the first 280", "first move only",
    ):  # fmt: skip
        assert words in out
    assert any(w in out.splitlines()[0] for w in ("not significantly better", "predicts best"))
    rows = duckdb.execute("SELECT system, subset, games FROM 't.parquet'").fetchall()
    assert ("elo", "representative", 120) in rows
    assert "<svg" in run.read("c.svg")
    assert "<svg" in run.read("page.html")
    assert float(run.rows(f"{ELO} --replicates 20")[0]["log_likelihood"]) < 0
    # A match says nothing of other players, whatever the number of its games.
    lines = [f"Ann,Bob,{(row * 7 % 3) / 2},2024-01-{row % 28 + 1:02d}" for row in range(200)]
    run.write("match.csv", "\n".join(["white,black,score,date", *lines]) + "\n")
    line = "evaluate match.csv --systems elo,glicko2"
    assert "Too few players to say which system is best" in run(line).out
    assert run.json(line)["rankings"] == []


@pytest.mark.parametrize("ending", ["csv", "parquet", "json"])
def test_predictions_from_elsewhere_are_scored_the_same_way(ending: str, run: Command) -> None:
    rng = np.random.default_rng(1)
    chances = rng.uniform(0.1, 0.9, 100)
    ratings = 1500 + 400 * np.log10(chances / (1 - chances))
    rows = [
        f"{int(rng.random() < p)},{p},{rating},1500,a{k % 9},b{k % 7},{k % 2},0.1"
        for k, (p, rating) in enumerate(zip(chances.tolist(), ratings.tolist(), strict=True))
    ]
    run.write("table.csv", "\n".join(["Result,P,R1,R2,A,B,Part,Draw", *rows, "*,0,0,0,a,b,0,0"]))
    if ending != "csv":
        duckdb.execute(f"COPY (SELECT * FROM 'table.csv') TO 'table.{ending}' (FORMAT {ending})")
    line = f"evaluate table.{ending} --predicted P --draws P=Draw --ratings 'by ratings=R1,R2'"
    result = run.json(f"{line} --columns score=result,first=A,second=B --group Part")
    assert result["games"] == 100
    assert [note.split(":")[0] for note in result["notes"]] == ["1 rows were left out"]
    assert [part["name"] for part in result["subsets"]] == ["representative", "Part 0", "Part 1"]
    systems = {each["name"]: each["metrics"]["representative"] for each in result["systems"]}
    known = measure([int(row[0]) for row in rows], chances).log_likelihood
    assert systems["P"]["log_likelihood"] == pytest.approx(known, rel=1e-9)
    assert systems["by ratings"]["log_likelihood"] == pytest.approx(known, rel=1e-9)
    assert [systems[name]["three_way"] is None for name in ("P", "by ratings")] == [False, True]
    assert "The players are not known" in run(f"{line} --columns score=Result").out
