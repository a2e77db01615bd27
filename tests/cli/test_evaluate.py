from __future__ import annotations

from typing import Any

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


def test_predictions_from_elsewhere_are_scored_the_same_way(run: Command) -> None:
    rng = np.random.default_rng(1)
    chances = rng.uniform(0.1, 0.9, 100)
    ratings = 1500 + 400 * np.log10(chances / (1 - chances))
    rows = [
        f"{int(rng.random() < p)},{p},{rating},1500,a{k % 9},b{k % 7},{k % 2},0.1"
        for k, (p, rating) in enumerate(zip(chances.tolist(), ratings.tolist(), strict=True))
    ]
    run.write("table.csv", "\n".join(["Result,P,R1,R2,A,B,Part,Draw", *rows, "*,0,0,0,a,b,0,0"]))
    line = "evaluate table.csv --predicted P --draws P=Draw --ratings 'by ratings=R1,R2'"
    result = run.json(f"{line} --columns score=result,first=A,second=B --group Part")
    assert [note.split(":")[0] for note in result["notes"]] == ["1 rows were left out"]
    assert [part["name"] for part in result["subsets"]] == ["representative", "Part 0", "Part 1"]
    systems = {each["name"]: each["metrics"]["representative"] for each in result["systems"]}
    known = measure([int(row[0]) for row in rows], chances).log_likelihood
    for name, three_way in (("P", True), ("by ratings", False)):
        assert systems[name]["log_likelihood"] == pytest.approx(known, rel=1e-9)
        assert (systems[name]["three_way"] is not None) == three_way
