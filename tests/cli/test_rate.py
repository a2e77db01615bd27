from __future__ import annotations

import json
import re
from typing import Any

import duckdb

from tests.cli.calls import CIRCLE, Command, pgn, plain
from tests.skipping import read_skipping
from yardstone.ratings.bradley_terry import BradleyTerry
from yardstone.ratings.joint import Prior, Relation
from yardstone.ratings.rating_list import rate_list
from yardstone.reports.rating_list import rating_list_document


def test_options_reach_the_model(run: Command) -> None:
    usual: dict[str, Any] = {"average": 2300.0, "method": "likelihood"}
    usual |= dict.fromkeys(("first_advantage", "draw_rate"), "auto")
    rows: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
        ("", {}, {}),
        ("--average 0", {"average": 0.0}, {}),
        ("--anchor Bob=1500", {"anchors": {"Bob": 1500.0}}, {}),
        ("--anchor Bob=1500±20", {"loose_anchors": {"Bob": Prior(1500.0, 20.0)}}, {}),
        ("--relation Bob>Ann=50±9", {"relations": (Relation("Bob", "Ann", 50.0, 9.0),)}, {}),
        ("--join 200", {"join": 200.0}, {}),
        ("--first-advantage 35", {"first_advantage": 35.0}, {}),
        ("--draw-rate 30%±5%", {"draw_rate": Prior(0.3, 0.05)}, {}),
        ("--confidence 99 --min-games 3", {}, {"confidence": 0.99, "minimum_games": 3}),
        ("--simulate 20 --seed 3 --workers 1", {}, {"simulations": 20, "seed": 3}),
        ("--simulate 20 --seed 3 --workers 2", {}, {"simulations": 20, "seed": 3}),
        ("--memory 500MB", {}, {}),
    ]
    for options, model, more in rows:
        given = {"confidence": 0.95, "minimum_games": 0, "simulations": 0, "seed": 0, **more}
        report = rate_list(read_skipping("apart.pgn"), BradleyTerry(**usual | model), **given)
        document = rating_list_document(report, title="Ratings: apart.pgn", top=None)
        assert run.json(f"rate apart.pgn {options}") == plain(document), options


def test_what_cannot_be_compared_is_said(run: Command) -> None:
    said = run("rate apart.pgn")
    skipped = "yardstone: 2 records were skipped: 1 unfinished (result *), 1 unknown result\n"
    assert said.err.startswith(skipped)
    assert said.out.startswith("33 games of 6 players in 2 groups that cannot be compared\n")
    for words in (
        "Group 2 (Dee and Eve): no game links it to another group.",
        "(> or <: where that has an even chance)",
        "Max won every game: no rating or rank can be given.",
        "With 95 % confidence at least: Max ",
        "Skipped: 2 records",
        "95 % confidence interval, relative to the mean of the group",
    ):
        assert said.out.count(words) == 1, words
    assert "relative to the anchor, Bob" in run("rate games.pgn --anchor Bob=1500").out
    joined = run("rate apart.pgn --join 200").out
    assert ("Group 2" in joined, "relative to the priors" in joined) == (False, True)
    assert re.search(r"\d more players \(--top 0 shows all\)", run("rate apart.pgn --top 1").out)
    lines = [f"{home},{away},{k == 1},{result}" for k, (home, away, result) in enumerate(CIRCLE)]
    run.write("neutral.csv", "\n".join(["home,away,neutral,result", *lines]))
    error = run("rate neutral.csv").err
    assert "yardstone: neutral.csv: neutral ground in 'neutral' is not used: in 1 of 30 " in error
    assert "1 of 30 games left out by --where" in run("rate neutral.csv --where 'NOT neutral'").err


def test_each_file_has_its_format_and_all_say_the_same(run: Command) -> None:
    for name in ("list.csv", "list.json", "list.parquet", "list.txt"):
        assert run(f"rate games.pgn -o {name}").out == ""
    text = run("rate games.pgn -o list.html -o list.svg --matrix m.csv").out
    assert run("rate games.pgn -q --matrix m.parquet").out == ""
    assert text == run.read("list.txt")
    assert run("rate games.pgn --format csv").out == run.read("list.csv")
    assert run.json("rate games.pgn") == json.loads(run.read("list.json"))
    pairs = [("Ann", "Cid"), ("Ann", "Bob"), ("Cid", "Bob")]
    for name, columns, known in (
        ("list", "player", [("Ann",), ("Cid",), ("Bob",)]), ("m", "player, other", pairs),
    ):  # fmt: skip
        for ending in ("csv", "parquet"):
            assert duckdb.execute(f"SELECT {columns} FROM '{name}.{ending}'").fetchall() == known
    assert run.read("list.html").startswith("<!DOCTYPE html>")
    assert "<svg" in run.read("list.svg")
    run("rate games.pgn --format json -o list")
    assert run.read("list") == run.read("list.json")
    run("rate games.pgn -o list.csv --anchor Zoe=1", status=1)
    assert run.read("list.csv").startswith("player")  # it stays as it was


def test_a_handful_of_games_keeps_its_weak_priors_when_joined(run: Command) -> None:
    """The first move came out as 397 ± 425, draws as "100.0 % (given)", which nobody gave."""
    run.write("few.csv", "first,second,score\nAnn,Bob,1\nBob,Cid,1\nCid,Dan,1\nDan,Ann,0.5\n")
    for joined in ("", "--join 300"):
        result = run.json(f"rate few.csv {joined}")
        assert abs(result["first_advantage"]["value"]) < 200
        assert 0.1 < result["draw_rate"]["low"] < result["draw_rate"]["high"] < 0.95
        assert sum("say little about" in line for line in result["caveats"]) == 2
    assert "(given)" not in run("rate few.csv --join 300").out
    given = run("rate few.csv --first-advantage 30").out
    assert "30.0 points (given)" in given
    assert "say little about the first-move" not in given
    games = [f"P{i},P{j},{score}" for i in range(8) for j in range(8) if i != j for score in (1, 0)]
    run.write("close.csv", "\n".join(["first,second,score", *games]))
    assert "not 1000 as given" in run("rate close.csv --join 1000").out


def test_files_of_names_tables_and_queries(run: Command) -> None:
    for option, names, listed in (
        ("--include", "Ann\nCid\n", {"Ann", "Cid"}),
        ("--exclude", "Bob\n", {"Ann", "Cid"}),
        ("--synonyms", "Ann,Cid\n", {"Ann", "Bob"}),
    ):
        run.write("names.csv", names)
        rows = run.rows(f"rate games.pgn {option} names.csv")
        assert {row["player"] for row in rows} == listed
    known = run.rows("rate games.pgn")
    run.write("results.csv", "\n".join(["W,B,R", *map(",".join, CIRCLE)]))
    assert run.rows("rate results.csv --columns first=W,second=B,score=R") == known
    sql = "SELECT W AS white, B AS black, R AS result FROM 'results.csv'"
    assert run.rows("rate --query", sql) == known
    run.write("names.csv", "Bob\n")
    left = run.rows("rate --exclude names.csv --query", sql)
    assert {row["player"] for row in left} == {"Ann", "Cid"}
    # Two games of a pair that always end alike are worth one.
    twice = [game for game in CIRCLE for _ in range(2)]
    tagged = [f'[Round "{k // 2}"]\n{pgn(game)}' for k, game in enumerate(twice)]
    run.write("twice.pgn", "".join(tagged))
    alone, paired = (
        float(run.rows(f"rate twice.pgn {option}")[0]["deviation"])
        for option in ("", "--paired Round")
    )
    assert paired > 1.2 * alone
