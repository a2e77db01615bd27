"""`yardstone history` and `predict`: ratings over time, and what the next game may bring."""

from __future__ import annotations

import csv
from itertools import pairwise
from typing import Any

import duckdb
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
        ("", {}),
        ("--system elo --set first_advantage=50",
         {"system": "elo", "parameters": {"first_advantage": 50}}),
        ("--advantage 25 --confidence 90", {"advantage": 25.0, "confidence": 0.9}),
        ("--exact --system skt-lr", {"exact": True, "system": "skt-lr"}),
    ]  # fmt: skip
    for options, more in rows:
        known = yardstone.predict("dated.csv", "0.1", "0.2", **usual | more).document()
        assert run.json(f"predict 0.1 0.2 dated.csv {options}") == plain(known), options


def test_lists_say_who_is_not_listed_and_who_has_no_interval(run: Command) -> None:
    out = run("history dated.csv --top 5").out
    assert ("400 games of 12 players" in out, out.count("2020-") >= 5) == (True, True)
    assert "±: 95 % interval, relative to the mean of all players, calibrated on" in out
    run.write("few.csv", "white,black,result\n" + "A,B,1-0\nB,C,1-0\n" * 3)
    for settled, listed in (("4", ["B"]), ("7", ["A", "B", "C"])):
        out = run(f"history few.csv --settled {settled}").out
        assert [name for name in "ABC" if f"  {name}  " in out] == listed
        assert ("are not listed" in out) == (len(listed) < 3)
    elo = run.json("history few.csv --system elo")
    assert {row["low"] for row in elo["ratings"]} == {None}  # no interval is promised
    assert "whr looks back" in run("history few.csv --system whr --player A").out
    run("history dated.csv --top 5 -o top.svg -o top.csv -q")
    text = run.read("top.svg")
    assert "the 10 highest with at least 10 games" in text
    names = [row["player"] for row in csv.DictReader(run.read("top.csv").splitlines())]
    assert len(names) == 12  # --top is for screens
    assert [name for name in names if f">{name}<" in text] == names[:10]


def test_curves_of_chosen_players(run: Command) -> None:
    name = "<script>alert(1)</script>"
    run.write("dated.csv", run.read("dated.csv").replace("0.3,", f"{name},"))
    line = f"history dated.csv --player '{name}' --player 0.4"
    assert "Highest" in run(line).out
    run(f"{line} --report --improbable 0.2 -o a.svg -o a.html -o a.parquet")
    rows = run.rows(line)
    assert {row["player"] for row in rows} == {name, "0.4"}
    mine = [row for row in rows if row["player"] == "0.4"]
    assert [int(row["number"]) for row in mine] == list(range(1, len(mine) + 1))
    for one, other in pairwise(mine):
        assert one["after"] == other["rating"]
        assert float(one["low"]) < float(one["rating"]) < float(one["high"])
    page = run.read("a.html")
    assert all(words in page for words in ("Improbable results", "&lt;script&gt;"))
    assert "<script>alert" not in page + run.read("a.svg")
    assert len(duckdb.execute("SELECT time FROM 'a.parquet'").fetchall()) == len(rows)


def test_kept_ratings_go_on_as_if_there_had_been_one_run_and_are_corrected(run: Command) -> None:
    lines = run.read("dated.csv").splitlines(keepends=True)
    run.write("early.csv", "".join(lines[:301]))
    run.write("late.csv", "".join([lines[0], *lines[301:]]))
    run("history early.csv --save kept -q")
    parts = run.json("history late.csv --state kept --save kept")
    whole = run.json("history dated.csv")
    assert (parts["ratings"], parts["replayed"]) == (whole["ratings"], 100)
    assert parts["notes"] == ["100 games were added. 100 games were replayed."]
    assert run.json("history --state kept")["ratings"] == whole["ratings"]
    known = run.json("predict 0.1 0.2 dated.csv")
    assert run.json("predict 0.1 0.2 --state kept") == known
    assert known["win"] + known["draw"] / 2 == pytest.approx(known["expected"])
    run("history dated.csv --save kept -q --system elo")
    row = list(csv.DictReader(lines))[350]
    for game in ("351", f"{row['white']} | {row['black']} | {row['date'][:10]}"):
        out = run("history --state kept --annul", game).out
        assert "399 games" in out
        assert f"Annulled: {row['date'][:10]}" in out
    later = "white,black,result,date\nTwin,0.0,1-0,2021-02-01\nZoe,Twin,1-0,2021-02-02\n"
    run.write("more.csv", later)
    run("history more.csv --state kept --save kept -q")
    for merge in ("", "--merge 0.0=Zoe"):
        assert ("Zoe is 0.0 now" in run(f"history --state kept {merge}").out) == bool(merge)


def test_a_prediction_in_words(run: Command) -> None:
    line = "predict 0.1 0.2 dated.csv"
    for options, words, absent in (
        ("", ("0.1, moving first, is expected to score", "(95 % interval)"), "--exact"),
        ("", ("averages over the uncertainty of the ratings",), "no deviations"),
        ("--exact", ("taken as exact (--exact)",), "interval)"),
        ("--system elo", ("no deviations, so there is no interval",), "interval)"),
        ("--system elo --set first_advantage=50", ("Moving second:",), "interval)"),
        ("--system elo --set first_advantage=50 --advantage 0", ("Win ",), "Moving second:"),
        ("--system skt-lr", ("no tested uncertainty", "In an even game 0.1 is"), "Deviation"),
    ):
        out = run(f"{line} {options}").out
        assert [each for each in words if each not in out] == [], options
        assert absent not in out, options
    (row,) = run.rows(f"{line} --confidence 90 -o game.html")
    assert (row["system"], row["first"], row["confidence"]) == ("glicko2", "0.1", "0.9")
    assert float(row["low"]) < float(row["expected"]) < float(row["high"])
    assert "is expected to score" in run.read("game.html")
    run.write("one.csv", "white,black,result\nAnn,Bob,1-0\n")
    assert "Note: Ann has 1 game and Bob has 1 game" in run("predict Ann Bob one.csv").out
    # Goldis' system expects a margin.
    result = run.json(f"{line} --system skt-lr")
    gap = result["first"]["rating"] - result["second"]["rating"]
    assert result["first"]["deviation"] is None
    assert result["margin"] == pytest.approx(8.0 * (10 ** (abs(gap) / 1000) - 1) * (gap > 0 or -1))
