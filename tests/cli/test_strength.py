from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Callable
from typing import Any, TypeAlias

import duckdb
import numpy as np
import pytest

from tests.cli.calls import Command, Said
from tests.strength.estimate_cases import Case, game, sgf
from tests.strength.trickplay_cases import GAME, PROBLEM, moves_sgf, turned
from yardstone.records.sgf import SgfReader
from yardstone.strength import strengths
from yardstone.strength.calibration import Calibration

Estimate: TypeAlias = Callable[..., Said]


@pytest.fixture(autouse=True)
def _scales_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of random moves the scales say what contradicts each other; tests/strength looks at that."""
    monkeypatch.setattr(strengths, "_APART", 99.0)


@pytest.fixture
def estimate(case: Case, run: Command, kept_evaluations: None) -> Estimate:
    """Runs `strength` with the small network; `anna.sgf` is three games of Anna."""
    pairs = (("Anna", "Bob", 3), ("Cid", "Anna", 1), ("Anna", "Dora", 2))
    games = [sgf(game(11 + k, one, two, day=day)) for k, (one, two, day) in enumerate(pairs)]
    run.write("anna.sgf", "\n".join(games))
    run.write("one.sgf", games[0])

    def estimate(line: str, *more: object, status: int = 0) -> Said:
        network = ("--net", case.file, "--model", case.model_file)
        return run(f"strength {line}", *network, *more, status=status)

    return estimate


def result_of(estimate: Estimate, options: str = "") -> Any:
    return json.loads(estimate(f"estimate anna.sgf --format json {options}").out)


def test_every_format_says_the_same(estimate: Estimate, run: Command) -> None:
    small = sgf(game(15, "Anna", "Bob", moves=4)).replace("SZ[19]", "SZ[23]")
    run.write("anna.sgf", f"{run.read('anna.sgf')}\n(;SZ[19;B[\n{small}")
    estimate("estimate anna.sgf -o anna.json -o anna.parquet -o a.svg -o a.html")
    said = estimate("estimate anna.sgf --format csv")
    result = json.loads(run.read("anna.json"))
    words = "2 records were skipped: 1 board size not supported, 1 not a game of Anna\n"
    assert (result["skipped"]["total"], f"yardstone: {words}" in said.err) == (2, True)
    rows = list(csv.DictReader(io.StringIO(said.out)))
    assert [row["part"] for row in rows] == ["all", "phase", "phase", "phase", *["game"] * 3]
    for name in ("rating", "low", "high", "rank", "games", "moves"):
        assert rows[0][name] == str(result[name])
    for row, each in zip(rows[4:], result["by_game"], strict=True):
        found = [row[name] for name in ("opponent", "rating", "running_high")]
        assert found == [each["opponent"], str(each["rating"]), str(each["running"]["high"])]
    parts = duckdb.execute("select count(*), sum(moves) from 'anna.parquet' where part = 'game'")
    assert parts.fetchall() == [(3, 96)]
    assert ("<svg" in run.read("a.svg"), run.read("a.html").count("<figure>") >= 3) == (True, True)


def test_options(estimate: Estimate) -> None:
    text = estimate("estimate anna.sgf --scale egf --confidence 50").out
    head = r"Anna: .* on the scale of EGF\n50 % interval .*; from 96 moves in 3 games"
    assert re.match(head, text)
    white = json.loads(estimate("estimate one.sgf --colour white --format json").out)
    assert [white[name] for name in ("player", "moves", "scale")] == ["Bob", 32, "fox"]
    for line, words in (
        ("anna.sgf --player Zoe", "no game is by 'Zoe' (there are Anna, Bob, Cid, Dora)"),
        ("empty.sgf", "no game can be used"),
        ("anna.sgf --scale anna.sgf", "not a calibration"),
    ):
        assert words in estimate(f"estimate {line}", status=1).err


def test_whose_strength_is_asked_on_a_terminal(
    estimate: Estimate, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = estimate("estimate one.sgf", status=2)
    assert said.err == (
        "yardstone: error: whose strength? This game is between Anna and Bob: "
        "name the player with --player NAME\n"
    )

    class Terminal(io.StringIO):
        buffer = io.BytesIO()

        def isatty(self) -> bool:
            return True

    for answer, option, player in (("2\n", "", "bob"), ("anna\n", "", "anna"), ("\n", "-q", "")):
        monkeypatch.setattr(sys, "stdin", Terminal(answer))
        monkeypatch.setattr(sys, "stderr", stderr := Terminal())
        out = estimate(f"estimate one.sgf {option}", status=0 if player else 2).out
        assert out.lower().startswith(player)
        assert "Whose strength?\n  1  Anna (1 game)\n  2  Bob (1 game)\n" in stderr.getvalue()
    assert "nobody is named" in stderr.getvalue()


def test_a_calibration_from_games_and_back(estimate: Estimate, run: Command) -> None:
    names = ("Anna", "Bob", "Cid", "Dora")
    found = {name: result_of(estimate, f"--player {name}")["rating"] for name in names}
    ordered = sorted(names, key=found.__getitem__)
    ratings = [f"{name},{1400 + 100 * place}\n" for place, name in enumerate(ordered)]
    run.write("ratings.csv", "player,rating\nZoe,1900\n" + "".join(ratings))
    text = estimate("calibrate ratings.csv anna.sgf --site club --save club.json").out
    for words in ("club = ", "Predicting 3 games between them", "Without a game: Zoe"):
        assert words in text
    kept = Calibration.load(run.folder / "club.json")
    assert (kept.site, kept.players, kept.kind) == ("club", 4, "points")
    result = result_of(estimate, "--scale club.json")
    expected = kept.slope * result["scales"]["fox"]["rating"] + kept.intercept
    assert result["rating"] == pytest.approx(expected, abs=0.01 * kept.slope + 0.5)
    assert (result["scale"], result["rank"]) == ("club", None)
    rows = "player,rating,estimate\nAnna,1500,2\nBob,1700,4\nCid,1610,3\nEve,?,5\n"
    run.write("pairs.csv", rows)  # a table alone
    said = run("strength calibrate pairs.csv --format json")
    table = json.loads(said.out)
    assert (table["calibration"]["slope"], table["cost"]) == (pytest.approx(100.0), None)
    assert "the rating is not a number" in said.err
    assert "pairs.csv:5" in run("strength calibrate pairs.csv --strict", status=1).err


HEAD = "corner\tcaptures\trank\tname\ncontinuous\tcontinuous\tcontinuous\tstring\n\t\tclass\tmeta\n"


def test_ranks_from_style(run: Command) -> None:
    generator = np.random.default_rng(0)
    features = generator.normal(size=(66, 2))
    ranks = np.round(3.0 * features[:, 0] + 0.5 * generator.normal(size=66))
    told = [f"{rank:g}" for rank in ranks[:60]] + ["?"] * 6  # of six the ranks are not told
    rows = [
        f"{one:.4f}\t{two:.4f}\t{rank}\tPlayer {number}\n"
        for number, ((one, two), rank) in enumerate(zip(features, told, strict=True))
    ]
    run.write("known.tab", HEAD + "".join(rows[:60]))
    run.write("unknown.tab", HEAD + "".join(rows[60:]))
    validated = run.json("strength style known.tab --folds 3 --workers 1")
    assert validated["validation"]["error"] == pytest.approx(validated["error"])
    assert {player["fold"] for player in validated["players"]} == {1, 2, 3}
    predicted = run.rows("strength style known.tab --predict unknown.tab -o style.html")
    assert [row["player"] for row in predicted] == [f"Player {number}" for number in range(60, 66)]
    assert np.abs([float(row["predicted"]) for row in predicted] - ranks[60:]).max() < 3.0
    assert "6 players rated from the style of 60 others" in run.read("style.html")


OTHER = "(;SZ[19]GN[other]AB[oq]AW[qp][ql](;B[qq]N[wrong])(;B[mp]N[solution]))"
MISSING = "(;SZ[19]AB[aa][ac][ae]AW[ca][cc][ce][ee][gg](;B[ff])(;B[gf]))"
BROKEN = "(;SZ[19]AB[oq]AW[qp])"
FIND = "trickplay find problems.sgf --games games.idx"


@pytest.fixture
def _games(run: Command) -> None:
    run.write("problems.sgf", "\n".join([PROBLEM, OTHER, MISSING, BROKEN]))
    second = turned("B oq W qp B cd W fd B dp W dc", 5, swapped=True)
    run.write("records.sgf", "\n".join(map(moves_sgf, [GAME, second, GAME])))
    said = run("trickplay index records.sgf -o games.idx --workers 1").out
    assert said == "2 games, 14 positions in games.idx; 1 game occurred again\n"


@pytest.mark.usefixtures("_games")
def test_positions_are_found_in_games_and_in_an_index(run: Command) -> None:
    text = run(f"{FIND} --workers 1").out
    assert text == run("trickplay find problems.sgf --games records.sgf --workers 1").out
    lines = text.splitlines()
    assert lines[:3] == [
        "3 problems in 2 games (14 positions): 1 found as they are",
        "Found only without the last stones, which were put back: problems #2",
        "Not found: problems #3",
    ]
    assert lines[5].split() == ["problems", "M6:T1", "1", "4", "records.sgf"]
    text = run(f"{FIND} --change problems=black:K4,empty:D16").out
    assert "Black K4 by hand; empty D16 by hand" in text
    for status, options, message in (
        (2, "--change problems", "write PROBLEM=COLOUR:POINT"),
        (2, "--change none=black:K4", "there is no problem 'none'"),
        (2, "--change problems=red:K4", "'red' is not black, white or empty"),
        (2, "--change problems=black:pass", "name a point"),
        (2, "--games records.sgf", "name one index, or files of games"),
        (1, "--strict", "no variation"),
    ):
        assert message in run(f"{FIND} {options}", status=status).err, options
    rows = run.rows(f"{FIND} --boards 3 -o found.html")
    found = [(row["found"], row["put_back"], row["boards"]) for row in rows]
    assert found == [("1", "", "1"), ("0", "White R8", "2"), ("0", "", "0")]
    assert "problems #2" in run.read("found.html")
    result = run.json(f"{FIND} --sgf boards.sgf")
    assert (result["problems"][2]["completed"], result["skipped"]["total"]) == ([], 1)
    trees = list(SgfReader("boards.sgf").trees())
    lengths = [len(tree.path(leaf)) - 1 for tree in trees for leaf in tree.leaves()]
    assert lengths == [4 + 3, 4 + 3, 4 + 1, 4 + 1]
    assert "White R8 put back" in trees[1].properties(4)["C"][0]
    answers = [trees[1].properties(child)["N"] for child in trees[1].children(4)]
    assert answers == [("failure",), ("refutation",)]


@pytest.mark.usefixtures("_games")
def test_answers_are_rated(case: Case, run: Command) -> None:
    line = "trickplay rate problems.sgf --games games.idx --threads 1 --workers 1"
    line += f" --net {case.file} --model {case.model_file}"
    text = run(f"{line} -o ratings.svg -o page.html").out
    assert "<svg" in run.read("ratings.svg")
    assert "Ratings of the failure and the refutation" in run.read("page.html")
    result = run.json(line)
    assert (result["compared"], result["scale"], result["model"]) == (2, "fox", "tiny")
    above = sum(not row["surprising"] for row in result["problems"][:2])
    assert result["refutation_above"] == above
    lines = text.splitlines()
    assert lines[2] == f"The refutation is rated above the failure in {above} of 2 problems"
    assert sum(row.endswith("*") for row in lines) == 2 - above
    # Single looks cannot tell what an answer costs, nor which the network prefers.
    assert not re.search("points|prefers", text)
    (row, *_, last) = run.rows(f"{line} --boards 1 --scale egf")
    assert (row["failure_spread"], last["failure_rating"], last["surprising"]) == ("0.0", "", "")
    run.write("problems.sgf", PROBLEM.replace("B[pq])", "B[pq];W[rq];B[rr])"))
    for moves, expected in (("all", [3, 2]), ("equal", [2, 2]), ("1", [1, 1])):
        (problem,) = run.json(f"{line} --no-history --moves {moves}")["problems"]
        assert [variation["moves"] for variation in problem["variations"]] == expected
    for moves in ("0", "some"):
        assert "write all, equal or a number" in run(f"{line} --moves={moves}", status=2).err
