"""`yardstone winprob` and `handicap`."""

from __future__ import annotations

import re
from dataclasses import replace

from tests.cli.calls import Command, plain
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
        ("2673 2235 --komi 6.5 --base 2 --stones 1 --confidence 50",
         advise_handicap(["2673", "2235"], komi=6.5, base=2.0, stones=1, level=0.5)),
        ("20k 28k", advise_handicap(["20k", "28k"])),
    ):  # fmt: skip
        assert run.json(f"handicap {line}") == plain(handicap_document(advice)), line


def test_two_players_in_words(run: Command) -> None:
    for line, words in (
        ("winprob 4k --chance 0.35 --win kaniuk", r"1\.91k in 35\.00 %"),
        ("winprob 2d 4d", r"(?s)has\s+usually\s+earned\s+it.*ratings\s+of\s+both"),
        ("winprob 2215 2390 --scale egf", "(?s)^(?!.*ratings of both)"),
        ("winprob 30k 9d", "Beyond what that was made for"),
        ("winprob 1d 9d --win kaniuk", r"in 1\.2e-06 %"),
        ("winprob 2d 4d --set u1=0.3", "set by hand"), ("handicap 2d 1d", "both give the first m"),
    ):  # fmt: skip
        assert re.search(words, run(line).out), line


def test_the_table_and_the_figures(run: Command) -> None:
    with_ends = run.json("winprob --table")
    assert len(with_ends) == 30 * 9 + sum(range(9))  # nobody is above 9 dan
    assert all(row["low"] < row["probability"] < row["high"] for row in with_ends)
    pictures = []
    for figure in ("curves", "lambda", "contour"):
        assert run(f"winprob -o a.svg --figure {figure}").out == ""
        pictures.append(run.read("a.svg"))
    assert len(set(pictures)) == 3


def test_statistics_both_ways(run: Command) -> None:
    games = write_games(run.folder / "graded.csv").name
    run.write("table.txt", run(f"winprob stats {games} -o figure.svg").out)
    assert "<svg" in run.read("figure.svg")
    every, early, late, few = (
        run.json(f"winprob stats {games} {option}")
        for option in ("", "--to 2005-12-31", "--from 2006-01-01", "--differences 2")
    )
    assert run.json("winprob stats table.txt") == every
    counts = [sum(row["games"] for row in rows) for rows in (early, late, every)]
    assert counts[0] + counts[1] == counts[2] > max(counts[:2]) > 0
    assert few == [row for row in every if row["difference"] <= 2]
    said = run(f"winprob fit {games} --all-games --free u1,K,stone", status=2).err
    assert "nothing of 'stone'" in said


def test_fits_to_counts(run: Command) -> None:
    table = example("winning_statistics_simulated.txt")
    result = run.json(f"winprob fit {table} --probability 2d,4d --free u0,K --confidence 90")
    pairs, names = [(1.0, 3.0)], ["u0", "K"]
    fit = fit_statistics(statistics_of_files([table]), free=names, pairs=pairs, level=0.9)
    assert result == plain(fit_document(fit))
    assert run(f"winprob fit {table} -o fit.svg --save counts.json").out
    assert "<svg" in run.read("fit.svg")
    unknown = "No interval: counts do not say which games belong together"
    assert unknown in run("winprob 2d 4d --win counts.json").out
    for method in ("newton", "conjugate"):
        text = run(f"winprob published {table} --method {method}").out
        assert ("cycles" in text) == (method == "conjugate")
    assert "95 % (simulated tables)" in run(f"winprob published {table} --bootstrap 39").out
    assert "39" in run(f"winprob published {table} --bootstrap 8", status=2).err
