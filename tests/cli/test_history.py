"""`yardstone history` and `predict`: ratings over time, and what the next game may bring."""

from __future__ import annotations

import csv
from typing import Any

import pytest

import yardstone
from tests.cli.calls import Command, plain


def test_options_reach_the_ratings_and_the_prediction(run: Command) -> None:
    usual: dict[str, Any] = {"confidence": 0.95, "top": 20, "settled": 10, "report": False}
    usual |= {"idle_days": 365.0, "improbable": 0.01, "intervals": True}
    rows: list[tuple[str, dict[str, Any]]] = [
        ("", {}),
        ("--system elo --set k=10 --set period=month",
         {"system": "elo", "parameters": {"k": 10, "period": "month"}}),
        ("--player 0.3 --player 0.4 --confidence 90",
         {"players": ("0.3", "0.4"), "confidence": 0.9}),
        ("--report --improbable 0.2 --settled 65 --idle 3 --top 3 --annul 5",
         {"report": True, "improbable": 0.2, "settled": 65, "idle_days": 3.0, "top": 3,
          "annul": [5]}),
    ]  # fmt: skip
    for options, more in rows:
        known = yardstone.history("dated.csv", **usual | more).document()
        assert run.json(f"history dated.csv {options}") == plain(known), options
    usual = {"system": "glicko2", "exact": False, "confidence": 0.95}
    rows = [
        ("", {}), ("--advantage 25 --confidence 90", {"advantage": 25.0, "confidence": 0.9}),
        ("--system elo --set first_advantage=50",
         {"system": "elo", "parameters": {"first_advantage": 50}}),
        ("--exact --system skt-lr", {"exact": True, "system": "skt-lr"}),
    ]  # fmt: skip
    for options, more in rows:
        known = yardstone.predict("dated.csv", "0.1", "0.2", **usual | more).document()
        assert run.json(f"predict 0.1 0.2 dated.csv {options}") == plain(known), options
    # Goldis' system expects a margin, and nothing of its uncertainty was tested.
    out = run("predict 0.1 0.2 dated.csv --system skt-lr").out
    assert ("no tested uncertainty" in out, "Deviation" in out) == (True, False)
    result = run.json("predict 0.1 0.2 dated.csv --system skt-lr")
    gap = result["first"]["rating"] - result["second"]["rating"]
    assert result["margin"] == pytest.approx(8.0 * (10 ** (abs(gap) / 1000) - 1) * (gap > 0 or -1))


def test_curves_of_chosen_players(run: Command) -> None:
    line = "history dated.csv --system elo --player 0.3 --player 0.4"
    run(f"{line} --report --improbable 0.2 -o a.html")
    rows = run.rows(line)
    assert {row["player"] for row in rows} == {"0.3", "0.4"}
    assert "Improbable results" in run.read("a.html")
    ratings = run.json("history dated.csv --system elo")["ratings"]
    assert {row["low"] for row in ratings} == {None}  # no interval is promised
    run("history dated.csv --system elo --top 5 -o top.csv -q")
    assert len(run.read("top.csv").splitlines()) == 1 + 12  # --top is for screens


def test_kept_ratings_go_on_as_if_there_had_been_one_run_and_are_corrected(run: Command) -> None:
    lines = run.read("dated.csv").splitlines(keepends=True)
    run.write("early.csv", "".join(lines[:301]))
    run.write("late.csv", "".join([lines[0], *lines[301:]]))
    run("history early.csv --save kept -q --system elo")
    parts = run.json("history late.csv --state kept --save kept")
    whole = run.json("history dated.csv --system elo")
    assert (parts["ratings"], parts["replayed"]) == (whole["ratings"], 100)
    assert "100 games were added. 100 games were replayed." in parts["notes"]
    known = run.json("predict 0.1 0.2 dated.csv --system elo")
    assert run.json("predict 0.1 0.2 --state kept") == known
    row = list(csv.DictReader(lines))[350]
    for game in ("351", f"{row['white']} | {row['black']} | {row['date'][:10]}"):
        out = run("history --state kept --annul", game).out
        assert ("399 games" in out, f"Annulled: {row['date'][:10]}" in out) == (True, True)
    later = "white,black,result,date\nTwin,0.0,1-0,2021-02-01\nZoe,Twin,1-0,2021-02-02\n"
    run.write("more.csv", later)
    run("history more.csv --state kept --save kept -q")
    for merge in ("", "--merge 0.0=Zoe"):
        assert ("Zoe is 0.0 now" in run(f"history --state kept {merge}").out) == bool(merge)
