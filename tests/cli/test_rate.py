from __future__ import annotations

import re
from typing import Any

import duckdb

from tests.cli.calls import CIRCLE, Command, pgn, plain, round_table
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
        ("--anchor Bob=1500", {"anchors": {"Bob": 1500.0}}, {}),
        ("--anchor Bob=1500±20", {"loose_anchors": {"Bob": Prior(1500.0, 20.0)}}, {}),
        ("--relation Bob>Ann=50±9", {"relations": (Relation("Bob", "Ann", 50.0, 9.0),)}, {}),
        ("--join 200", {"join": 200.0}, {}),
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
    for words in ("Group 2 (Dee and Eve): no game links it", "Max won every game: no rating"):
        assert said.out.count(words) == 1, words
    joined = run("rate apart.pgn --join 200").out
    assert ("Group 2" in joined, "relative to the priors" in joined) == (False, True)
    assert re.search(r"\d more players \(--top 0 shows all\)", run("rate apart.pgn --top 1").out)
    # Neutral ground that is in a column but not used is said.
    lines = [f"{home},{away},{k == 1},{result}" for k, (home, away, result) in enumerate(CIRCLE)]
    run.write("neutral.csv", "\n".join(["home,away,neutral,result", *lines]))
    error = run("rate neutral.csv").err
    assert "yardstone: neutral.csv: neutral ground in 'neutral' is not used: in 1 of 30 " in error
    assert "1 of 30 games left out by --where" in run("rate neutral.csv --where 'NOT neutral'").err


def test_every_command_says_what_was_skipped(run: Command) -> None:
    for line in (
        "rate odd.csv -q", "rate odd.csv --memory 500MB", "history odd.csv --system elo -o out.txt",
        "predict Ann Bob odd.csv --system elo", "convert odd.csv -o out.pgn -q",
        "evaluate odd.csv --systems elo --replicates 0", "match odd.csv --players Ann Bob",
    ):  # fmt: skip
        said = run(line).err
        assert "yardstone: 1 record was skipped: 1 unknown result\n" in said, line
        assert "  odd.csv:62: result '1-O' is not understood\n" in said, line
    run.write("odd.csv", run.read("odd.csv") + "Ann,Bob,1-O,2020-02-01\n" * 6)
    said = run("rate odd.csv --skip-unread").err
    assert ("odd.csv:66: " in said, "odd.csv:67: " in said) == (True, False)
    assert "  … and 2 others\n" in said


def test_winners_have_no_first_move(run: Command) -> None:
    run.write("table.csv", round_table("winner_name,loser_name", "6-4 6-4", "7-5 6-1"))
    for line in ("rate", "history", "evaluate --systems elo --replicates 0"):
        text = run(f"{line} table.csv").out
        assert "Who moved first is not known, so the first-move advantage is taken as 0" in text
        assert "first move only" not in text


def test_each_file_has_its_format_and_all_say_the_same(run: Command) -> None:
    for name in ("list.csv", "list.json", "list.parquet", "list.html", "list.svg"):
        assert run(f"rate games.pgn -o {name} -q").out == ""
    run("rate games.pgn --matrix m.csv --format json -o list")
    assert run.read("list") == run.read("list.json")
    assert run.rows("rate games.pgn -q --matrix m.parquet")[0]["player"] == "Ann"
    pairs = [("Ann", "Cid"), ("Ann", "Bob"), ("Cid", "Bob")]
    for name, columns, known in (
        ("list", "player", [("Ann",), ("Cid",), ("Bob",)]), ("m", "player, other", pairs),
    ):  # fmt: skip
        for ending in ("csv", "parquet"):
            assert duckdb.execute(f"SELECT {columns} FROM '{name}.{ending}'").fetchall() == known
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


def test_files_of_names_tables_and_queries(run: Command) -> None:
    known = run.rows("rate games.pgn")
    run.write("results.csv", "\n".join(["W,B,R", *map(",".join, CIRCLE)]))
    assert run.rows("rate results.csv --columns first=W,second=B,score=R") == known
    sql = "SELECT W AS white, B AS black, R AS result FROM 'results.csv'"
    assert run.rows("rate --query", sql) == known
    for options, names, listed in (
        ("--include", "Ann\nCid\n", {"Ann", "Cid"}), ("--exclude", "Bob\n", {"Ann", "Cid"}),
        ("--synonyms", "Ann,Cid\n", {"Ann", "Bob"}),
    ):  # fmt: skip
        run.write("names.csv", names)
        for games in (["games.pgn"], ["--query", sql]):
            rows = run.rows(f"rate {options} names.csv", *games)
            assert {row["player"] for row in rows} == listed, options
    # Two games of a pair that always end alike are worth one.
    twice = [game for game in CIRCLE for _ in range(2)]
    tagged = [f'[Round "{k // 2}"]\n{pgn(game)}' for k, game in enumerate(twice)]
    run.write("twice.pgn", "".join(tagged))
    alone, paired = (
        float(run.rows(f"rate twice.pgn {option}")[0]["deviation"])
        for option in ("", "--paired Round")
    )
    assert paired > 1.2 * alone
