from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.calls import Command, plain
from tests.cli.match_files import Program, play, written
from yardstone.ratings.match import Match
from yardstone.ratings.sprt import Sprt, judge_match
from yardstone.reports.match import match_document

PLAYERS = "--players 'New 1.1' 'Old 1.0'"


def test_options_reach_the_judgement_and_results_have_every_format(run: Command) -> None:
    rows: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
        ("", (0.0, 5.0, 0.05, 0.05, "logistic"), {}),
        ("--elo0 -3 --elo1 4", (-3.0, 4.0), {}),
        ("--alpha 0.1 --beta 0.2", (0.0, 5.0, 0.1, 0.2), {}),
        ("--model normalized", (0.0, 5.0, 0.05, 0.05, "normalized"), {}),
        ("--confidence 90 --half-width 2", (), {"confidence": 0.9, "half_width": 2.0}),
    ]
    for options, test, more in rows:
        given = {"confidence": 0.95, "half_width": 5.0, **more}
        judgement = judge_match(Match.from_counts([13, 37, 50, 25, 3]), test=Sprt(*test), **given)
        known = plain(match_document(judgement))
        assert run.json(f"match 13 37 50 25 3 {options}") == known, options
    run("match 859 1329 772 -o match.html -o match.txt")
    (row,) = run.rows("match 859 1329 772")
    assert (row["counts"], row["decision"]) == ("772 1329 859", "continue")
    assert float(row["elo_low"]) == pytest.approx(0.916, abs=5e-4)
    assert "Likelihood of superiority" in run.read("match.html")
    assert "+10.2  [+0.9, +19.5] at 95 %" in run.read("match.txt")
    for extreme in ("0 0 0", "9 0 0", "0 9 0"):  # results too, of no width
        run.json(f"match {extreme}")


@pytest.mark.parametrize("program", ["fastchess", "cutechess-cli"])
def test_the_counts_of_a_match_that_is_not_finished(program: Program, run: Command) -> None:
    games = play(60)[:-9]
    text = written(games[:-1], program)
    line = text.count("\n") + 1
    text += written(games[-1:], program).replace(games[-1].result, "*")
    run.write("match.pgn", text)
    said = run(f"match match.pgn {PLAYERS} --format json")
    result = json.loads(said.out)
    for name, counts in {  # counted from the file without Yardstone
        "counts": [2, 11, 21, 15, 5],
        "games_between": [38, 43, 29],
        "moving_first": [21, 24, 10],
        "moving_second": [17, 19, 19],
    }.items():
        assert list(result[name].values()) == counts
    assert (result["player"], result["other"], result["unpaired"]) == ("New 1.1", "Old 1.0", 2)
    assert (result["pairing"], result["paired_by"]) == ("round", ["event", "round"])
    paired = run.json(f"match match.pgn {PLAYERS} --pair-by event,round")
    assert paired["counts"] == result["counts"]
    assert (result["endings"][0]["name"], result["endings"][0]["lost"]) == ("time forfeit", [2, 2])
    llr = Sprt().state(Match((2.0, 11.0, 21.0, 15.0, 5.0))).llr
    assert result["sprt"]["llr"] == pytest.approx(llr)
    place = {"file": "match.pgn", "line": line, "reason": "unfinished (result *)"}
    assert result["skipped"]["first"] == [place]
    assert f"match.pgn:{line}: unfinished (result *)" in said.err


def test_losses_on_time_left_out_tables_queries_and_games_that_nothing_pairs(run: Command) -> None:
    games = play(60)
    run.write("match.pgn", written(games))
    out = run(f"match match.pgn {PLAYERS}").out
    none = "Losses on time             New 1.1 0, Old 1.0 0"
    for words in ("  Moving first             60 (+", "adjudication", "illegal move (lost by "):
        assert words in out
    late = sum(game.ending == "time forfeit" for game in games)
    said = run(f"match match.pgn {PLAYERS} --where", "Termination <> 'time forfeit'")
    assert (none in out, none in said.out) == (False, True)
    assert f"{late} of 120 games left out by --where" in said.err
    assert f"{120 - late} (+" in said.out
    rows = [",".join(map(str, game)) for game in play(20)]
    run.write("rounds.csv", "\n".join(["Round,white,black,result,Termination", *rows]))
    result = run.json(f"match --query \"SELECT * FROM 'rounds.csv'\" {PLAYERS}")
    assert (result["pairing"], result["paired_by"]) == ("round", ["Round"])
    assert result["endings"]
    run.write("four.csv", "white,black,result\nA,B,1-0\nA,B,0-1\nB,A,1-0\nA,B,1-0\n")
    out = run("match four.csv").out
    assert ("Paired by                  nothing: neither" in out, "Pairs " in out) == (True, False)
    assert "4 (+2 =0 -2)" in out
