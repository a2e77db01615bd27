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
from yardstone.strength import strengths
from yardstone.strength.calibration import Calibration

Estimate: TypeAlias = Callable[..., Said]


@pytest.fixture(autouse=True)
def _scales_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of random moves the scales say what contradicts each other; tests/strength looks at that."""
    monkeypatch.setattr(strengths, "_APART", 99.0)


@pytest.fixture
def estimate(case: Case, run: Command) -> Estimate:
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
    estimate("estimate anna.sgf -o anna.json -o anna.parquet")
    said = estimate("estimate anna.sgf --format csv")
    result = json.loads(run.read("anna.json"))
    assert result["skipped"]["total"] == 2
    words = "2 records were skipped: 1 board size not supported, 1 not a game of Anna\n"
    assert f"yardstone: {words}" in said.err
    rows = list(csv.DictReader(io.StringIO(said.out)))
    assert [row["part"] for row in rows] == ["all", "phase", "phase", "phase", *["game"] * 3]
    assert {row["player"] for row in rows} == {"Anna"}
    for name in ("rating", "low", "high", "rank", "games", "moves"):
        assert rows[0][name] == str(result[name])
    for row, each in zip(rows[4:], result["by_game"], strict=True):
        found = [row[name] for name in ("opponent", "rating", "running_high")]
        assert found == [each["opponent"], str(each["rating"]), str(each["running"]["high"])]
    parts = duckdb.execute("select count(*), sum(moves) from 'anna.parquet' where part = 'game'")
    assert parts.fetchall() == [(3, 96)]
    run.write("odd.sgf", sgf(game(14, "<script>alert(1)</script>", "$x_1$ & \\\\frac")))
    estimate("estimate odd.sgf --colour black -o page.html -o a.svg")
    page = run.read("page.html")
    assert "<h1>How strong is &lt;script&gt;" in page
    assert "<script>alert" not in page + run.read("a.svg")
    assert page.count("<figure>") >= 3


def test_options(estimate: Estimate) -> None:
    text = estimate("estimate anna.sgf --scale egf --confidence 50").out
    head = r"Anna: .* on the scale of EGF\n50 % interval .*; from 96 moves in 3 games"
    assert re.match(head, text)
    rows = [line.split()[1:4] for line in text.splitlines() if " 2024-03-" in line]
    days = [("02", "Cid", "W"), ("03", "Dora", "B"), ("04", "Bob", "B")]
    assert rows == [[f"2024-03-{day}", *rest] for day, *rest in days]
    white = json.loads(estimate("estimate one.sgf --colour white --format json").out)
    values = [white[name] for name in ("player", "moves", "scale", "level")]
    assert values == ["Bob", 32, "fox", 0.9]
    for line, words in (
        ("anna.sgf --player Zoe", "no game is by 'Zoe' (there are Anna, Bob, Cid, Dora)"),
        ("empty.sgf", "no game can be used"),
        ("anna.sgf --scale anna.sgf", "not a calibration"),
    ):
        said = estimate(f"estimate {line}", status=1).err
        assert (words in said, said.count("\n")) == (True, 1)


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
    for words in (
        "club = ", "4 players from", "Predicting 3 games between them", "Without a game: Zoe"
    ):  # fmt: skip
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
    text = run("strength calibrate pairs.csv").out
    assert "what the line costs in prediction is unknown" in text
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
    text = run("strength style known.tab --folds 4 --workers 1").out
    for words in ("60 players, each rated from the other parts of 4", "Always the mean rank inste"):
        assert words in text
    assert "-0  " not in text
    validated = run.json("strength style known.tab --folds 3 --workers 1")
    assert validated["validation"]["folds"] == 3
    assert validated["validation"]["error"] == pytest.approx(validated["error"])
    assert validated["error"] < 1.5
    assert {player["fold"] for player in validated["players"]} == {1, 2, 3}
    line = "strength style known.tab --predict"
    predicted = run.rows(f"{line} unknown.tab")
    known = [(f"Player {number}", "") for number in range(60, 66)]
    assert [(row["player"], row["rank"]) for row in predicted] == known
    apart = np.array([float(row["predicted"]) for row in predicted]) - ranks[60:]
    assert np.abs(apart).max() < 3.0
    assert "Player 61" in run(f"{line} unknown.tab -o style.html").out
    assert "6 players rated from the style of 60 others" in run.read("style.html")
    run.write("other.tab", HEAD.replace("captures", "edge") + "1\t2\t?\tAnn\n")
    said = run(f"{line} other.tab", status=1).err
    assert "has the features corner, edge in place of corner, captures" in said
