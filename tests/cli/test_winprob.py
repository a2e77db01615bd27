"""`yardstone winprob` and `handicap`."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from tests.cli.calls import GAME, Command, plain
from tests.winprob.made_games import write_games
from yardstone.examples import example
from yardstone.reports.winprob import (
    fit_document,
    grades_document,
    handicap_document,
    pair_document,
)
from yardstone.winprob.fit import fit_statistics
from yardstone.winprob.model import winning_model, with_coefficients, write_model
from yardstone.winprob.players import advise_handicap, opponent_for, probability_between
from yardstone.winprob.statistics import statistics_of_files


def test_options_reach_the_model(run: Command) -> None:
    mine = replace(winning_model(), name="mine")
    write_model(run.folder / "mine.json", mine)
    kaniuk = winning_model("kaniuk")
    set_by_hand = with_coefficients(kaniuk, {"K": 0.0})
    for line, pair in (
        ("2d 4d --win mine.json", probability_between("2d", "4d", model=mine)),
        ("2d 4d --confidence 99", probability_between("2d", "4d", level=0.99)),
        ("2d 4d --win kaniuk --set K=0", probability_between("2d", "4d", model=set_by_hand)),
        ("5k 1d --handicap 4 --komi 3", probability_between("5k", "1d", handicap=4, komi=3.0)),
        ("2215 2390 --scale egf", probability_between("2215", "2390", scale="egf")),
        ("1500 1700 --win elo", probability_between("1500", "1700", model="elo")),
        ("4k --chance 0.35 --komi 0", opponent_for("4k", 0.35, komi=0.0)),
    ):
        assert run.json(f"winprob {line}") == plain(pair_document(pair)), line
    one, two = run.json("winprob 3k 3k --komi 0"), run.json("winprob 3k 3k --handicap 1")
    assert one["probability"] == two["probability"] > 0.5
    known = plain(grades_document(mine, "curves", handicap=2, komi=None, level=0.9))
    line = "winprob --table --handicap 2 --confidence 90 --win mine.json"
    assert run.json(line) == known
    for line, advice in (
        ("2d 4k", advise_handicap(["2d", "4k"])),
        ("2d 4k --win mine.json", advise_handicap(["2d", "4k"], win="mine.json")),
        ("2d 2000 --scale egf", advise_handicap(["2d", "2000"], scale="egf")),
        ("2673 2235 --komi 6.5 --base 2 --stones 1 --confidence 50",
         advise_handicap(["2673", "2235"], komi=6.5, base=2.0, stones=1, level=0.5)),
        ("20k 28k", advise_handicap(["20k", "28k"])),
    ):  # fmt: skip
        assert run.json(f"handicap {line}") == plain(handicap_document(advice)), line


def test_two_players_in_words(run: Command) -> None:
    number = r"\d+\.\d"
    mean = rf"\(95 % for one event: {number} to {number}; average over events: {number} to {number}"
    for line, words in (
        ("winprob 2d 4d --win kaniuk", r"2d beats 4d in 22\.16 % of even games\.\nBy the model ka"),
        ("winprob 2d 4d --win kaniuk", "No interval: it was published without errors"),
        ("winprob 1d 9d --win kaniuk", r"in 1\.2e-06 %"),
        ("winprob 4k --chance 0.35 --win kaniuk", r"1\.91k in 35\.00 %"),
        ("winprob 2200 2400 --scale egf --win kaniuk", r"22\.16 %"),
        ("winprob 2215 --chance 0.2481 --scale egf --win kaniuk", r"2390 in 24\.81 %"),
        ("winprob 2d 4d", rf"(?s){mean}.*has\s+usually\s+earned\s+it.*ratings\s+of\s+both"),
        ("winprob 2215 2390 --scale egf", "(?s)^(?!.*ratings of both)"),
        ("winprob 30k 9d", "Beyond what that was made for"),
        ("winprob 2d 4d --set u1=0.3", "set by hand"),
        ("winprob 1d 5k --handicap 4 --komi 3", r"(?s)games with 4 stones and komi 3 \(95 %.*5k i"),
        ("handicap 2673 2235", r"^White 2673, Black 2235: 4\.38 grades apart \(7\.73d and 3\.35d"),
        ("handicap 2673 2235",
         r"Goldis: exactly 2\.742 stones of 8 points; in an even game White should win by 13 "),
        ("handicap 2673 2235 --komi 6.5", r"\ngoldis +2 +Black gives 2 +White"),
        ("handicap 2d 4k", "Tradition says 5 and Goldis 3: tradition counts a stone for each of 5"),
        ("handicap 2d 4k", r"1\.259, so 5 grades for 3\.16"),
        ("handicap 2d 4k --base 1.9952623", r"1\.995"),
        ("handicap 2d 1d", "both give the first move"),
        ("handicap 2d 4k --stones 4", "(?s)^(?!.*Tradition)"),
        ("handicap 6d 2k --win fitted", "7 grades apart"),
    ):  # fmt: skip
        assert re.search(words, run(line).out), line


def test_the_table_and_the_figures(run: Command) -> None:
    rows = run.rows("winprob --table --win kaniuk")
    assert list(rows[0]) == ["first", "second", "difference", "probability"]
    with_ends = run.json("winprob --table")
    assert len(with_ends) == len(rows) == 30 * 9 + sum(range(9))  # nobody is above 9 dan
    assert all(row["low"] < row["probability"] < row["high"] for row in with_ends)
    lines = run("winprob --table").out.splitlines()
    at = next(k for k, line in enumerate(lines) if line.startswith("2d"))
    assert (lines[at].split()[2], lines[at + 1].split()[1]) == ("27.7", "8-50")
    figures = ("curves", "lambda", "contour")
    for figure in figures:
        assert run(f"winprob -o {figure}.svg --figure {figure}").out == ""
    assert len({run.read(f"{figure}.svg") for figure in figures}) == 3


def test_statistics_both_ways(run: Command) -> None:
    games = write_games(run.folder / "graded.csv").name
    text = run(f"winprob stats {games} -o figure.svg").out
    assert text.startswith("Winning Statistics - Even Games\n")
    assert "<svg" in run.read("figure.svg")
    run.write("table.txt", text)
    every, early, late, few = (
        run.json(f"winprob stats {games} {option}")
        for option in ("", "--to 2005-12-31", "--from 2006-01-01", "--differences 2")
    )
    assert run.json("winprob stats table.txt") == every
    counts = [sum(row["games"] for row in rows) for rows in (early, late, every)]
    assert counts[0] + counts[1] == counts[2] > max(counts[:2]) > 0
    assert few == [row for row in every if row["difference"] <= 2]
    run.write("one.sgf", GAME.replace("WR[?]", "WR[2k]").replace("SZ[9]", "SZ[19]"))
    assert sum(row["games"] for row in run.json("winprob stats one.sgf")) == 1
    said = run(f"winprob fit {games} --all-games --free u1,K,stone", status=2).err
    assert "nothing of 'stone'" in said


def test_fits_to_counts(run: Command) -> None:
    table = example("winning_statistics_simulated.txt")
    result = run.json(f"winprob fit {table} --probability 2d,4d --free u0,K --confidence 90")
    pairs, names = [(1.0, 3.0)], ["u0", "K"]
    fit = fit_statistics(statistics_of_files([table]), free=names, pairs=pairs, level=0.9)
    assert result == plain(fit_document(fit))
    assert "published" in run(f"winprob fit {table} -o fit.svg --save counts.json").out
    assert "<svg" in run.read("fit.svg")
    unknown = "No interval: counts do not say which games belong together"
    assert unknown in run("winprob 2d 4d --win counts.json").out
    for method in ("newton", "conjugate"):
        text = run(f"winprob published {table} --method {method}").out
        assert ("cycles" in text) == (method == "conjugate")
        assert "Least squares has no intervals of its own" in text
    assert "95 % (simulated tables)" in run(f"winprob published {table} --bootstrap 39").out
    assert "39" in run(f"winprob published {table} --bootstrap 8", status=2).err


def test_a_fit_is_saved_and_used_by_name(run: Command) -> None:
    line = f"winprob fit {example('graded_games_simulated.csv')} --all-games --free u1,K"
    line += " --link logistic"
    text = run(f"{line} --event-games 50 --probability 2d,4d --save mine.json").out
    assert "(over 40 events)" in text
    assert "2,000 games of 40 events, 2016 to 2025" in text
    told = next(each for each in text.splitlines() if each.startswith("2d beats 4d"))
    result = run.json("winprob 2d 4d --win mine.json")
    assert result["model"] == "mine"
    p, low, high = (100 * result[name] for name in ("probability", "low", "high"))
    assert re.search(rf"{p:.2f} %.*{low:.2f} to {high:.2f}", told)
    # Nothing was learnt of handicap games, so nothing is claimed.
    said = run("winprob 4k 1k --handicap 3 --win mine.json").out
    assert "No interval: the worth of a stone was not fitted" in said
    assert "events, 2020;" in run(f"{line} --from 2020-01-01 --to 2020-12-31").out


def test_a_handicap_for_programs(run: Command) -> None:
    """Five grades are five stones by tradition and 3.2 of Goldis'."""
    result = run.json("handicap 2d 4k")
    proposals = {each["model"]: each for each in result["proposals"]}
    stones = {name: each["stones"] for name, each in proposals.items()}
    assert (list(stones), stones["goldis"], stones["egf"]) == (["goldis", "egf", "fitted"], 3, 5)
    assert proposals["fitted"]["chance"] == proposals["fitted"]["judged"]
    for number in (5, 3):  # why they differ is computed
        p = winning_model().probability(-4.0, 1.0, handicap=number, komi=0.0)
        assert f"{number} stones without komi {100 * p:.0f} % (" in result["why"]
    result = run.json("handicap 2673 2235")
    known = {"stones": 2, "komi": 3, "tie": "black", "even_game_margin": 13}
    assert result["goldis"] | known == result["goldis"]
    assert (result["white"], result["black"]) == ("2673", "2235")
    few = run.json("handicap 20k 28k")  # grades that Goldis' table does not have
    assert (few["failures"][0]["model"], few["black_grade"]) == ("goldis", -28)
    assert run.json("handicap 7aml 3step")["ratings"] == pytest.approx([2600, 1700], abs=0.5)
