"""`yardstone winprob` and `handicap`."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from lab.studies.winning.simulation import european_games, simulate_statistics
from tests.cli.calls import GAME, Command
from tests.winprob.made_games import write_games
from yardstone.examples import example
from yardstone.winprob.kaniuk import PUBLISHED
from yardstone.winprob.model import winning_model, write_model
from yardstone.winprob.statistics import as_published


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("2d 4d --win kaniuk", "2d beats 4d in 22.16 % of even games.\nBy the model kaniuk: "),
        ("2d 4d --win kaniuk", "No interval: it was published without errors"),
        ("1d 9d --win kaniuk", "in 1.2e-06 %"),
        ("4k --chance 0.35 --win kaniuk", "1.91k in 35.00 %"),
        ("2200 2400 --scale egf --win kaniuk", "22.16 %"),
        ("2215 --chance 0.2481 --scale egf --win kaniuk", "2390 in 24.81 %"),
        ("2d 4d", "has usually earned it"),
        ("30k 9d", "Beyond what that was made for"),
        ("2d 4d --set u1=0.3", "set by hand"),
        ("1d 5k --handicap 4 --komi 3", "5k is Black.\n"),
        ("1d 5k --handicap 4 --komi 3", "games with 4 stones and komi 3 (95 %"),
    ],
)
def test_two_players_in_words(line: str, words: str, run: Command) -> None:
    assert words in run(f"winprob {line}").out


def test_probabilities(run: Command) -> None:
    kaniuk = run.json("winprob 2d 4d --win kaniuk")
    assert kaniuk["probability"] == pytest.approx(0.221603, abs=1e-6)
    assert (kaniuk["first"], kaniuk["low"], kaniuk["model"]) == ("2d", None, "kaniuk")
    (row,) = run.rows("winprob 2d 4d --win kaniuk")
    assert float(row["probability"]) == pytest.approx(kaniuk["probability"])
    assert run.json("winprob 2d 4d --win kaniuk --set K=0")["probability"] > kaniuk["probability"]
    elo = run.json("winprob 1500 1700 --win elo")
    assert elo["probability"] == pytest.approx(1 / (1 + 10**0.5))
    assert elo["first_rating"] == 1500.0
    opponent = run.json("winprob 4k --chance 0.35 --win kaniuk")
    assert PUBLISHED.probability(-4, opponent["second_grade"]) == pytest.approx(0.35)
    # The weaker has the stones, whichever is named first.
    one, two = run.json("winprob 5k 1d --handicap 4"), run.json("winprob 1d 5k --handicap 4")
    assert one["probability"] == pytest.approx(1.0 - two["probability"])
    assert (one["low"], one["high"]) == pytest.approx((1.0 - two["high"], 1.0 - two["low"]))
    assert (one["black"], two["black"]) == ("first", "second")
    free, first = run.json("winprob 3k 3k --komi 0"), run.json("winprob 3k 3k --handicap 1")
    assert free["probability"] == first["probability"] > 0.5


def test_the_default_has_an_interval_and_a_name(run: Command) -> None:
    result, text = run.json("winprob 2d 4d"), run("winprob 2d 4d").out
    assert (result["model"], result["level"], result["extrapolated"]) == ("fitted", 0.95, False)
    assert result["probability"] == pytest.approx(float(winning_model().probability(1.0, 3.0)))
    ends = f"(95 % for one event: {100 * result['low']:.1f} to {100 * result['high']:.1f}; average"
    assert ends in text
    order = ("low", "average_low", "probability", "average_high", "high")
    assert sorted(order, key=result.__getitem__) == list(order)
    assert run.json("winprob 2d 4d --confidence 99")["low"] < result["low"]
    assert "ratings of both" in text
    assert "ratings of both" not in run("winprob 2215 2390 --scale egf").out
    write_model(run.folder / "mine.json", winning_model())
    assert run("winprob 2d 4d --win mine.json").out == text


def test_the_table_and_the_figures(run: Command) -> None:
    rows = run.rows("winprob --table --win kaniuk")
    assert list(rows[0]) == ["first", "second", "difference", "probability"]
    assert len(rows) == 30 * 9 + sum(range(9))  # nobody is stronger than 9 dan
    with_ends = run.json("winprob --table")
    assert len(with_ends) == len(rows)
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
    text = run(f"winprob stats {games} -o figure.png").out
    assert text.startswith("Winning Statistics - Even Games\n")
    assert (run.folder / "figure.png").stat().st_size > 10_000
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
    made = simulate_statistics(PUBLISHED, european_games(400_000), seed=2)
    run.write("table", as_published(made))
    result = run.json("winprob fit table")
    for row in result["parameters"]:
        assert row["interval"]["low"] < row["published"] < row["interval"]["high"]
        assert row["interval"]["method"] == "profile likelihood"
    assert [row["rms"] < 0.02 for row in result["rms"]] == [True] * 4
    (pair,) = run.json("winprob fit table --probability 2d,4d --free u0,K")["probabilities"]
    assert (pair["first"], pair["second"]) == ("2d", "4d")
    assert pair["interval"]["low"] < pair["probability"] < pair["interval"]["high"]
    assert "published" in run("winprob fit table -o fit.svg --save counts.json").out
    assert "<svg" in run.read("fit.svg")
    unknown = "No interval: counts do not say which games belong together"
    assert unknown in run("winprob 2d 4d --win counts.json").out
    for method in ("newton", "conjugate"):
        text = run(f"winprob published table --method {method}").out
        assert ("cycles" in text) == (method == "conjugate")
        assert "Least squares has no intervals of its own" in text
    text = run("winprob published table --bootstrap 39").out
    assert "95 % (simulated tables)" in text
    assert "39" in run("winprob published table --bootstrap 8", status=2).err


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


def test_the_handicap_of_the_worked_example(run: Command) -> None:
    result, text = run.json("handicap 2673 2235"), run("handicap 2673 2235 -o page.html").out
    known = {"stones": 2, "komi": 3, "tie": "black", "even_game_margin": 13}
    assert result["goldis"] | known == result["goldis"]
    assert (result["white"], result["black"]) == ("2673", "2235")
    assert text.startswith("White 2673, Black 2235: 4.38 grades apart (7.73d and 3.35d).\n")
    goldis = "Goldis: exactly 2.742 stones of 8 points; in an even game White should win by 13 "
    assert goldis in text
    assert "2.742 stones" in run.read("page.html")


def test_the_models_stand_side_by_side(run: Command) -> None:
    """Five grades are five stones by tradition and 3.2 of Goldis'."""
    proposals = {each["model"]: each for each in run.json("handicap 2d 4k")["proposals"]}
    stones = {name: each["stones"] for name, each in proposals.items()}
    assert (list(stones), stones["goldis"], stones["egf"]) == (["goldis", "egf", "fitted"], 3, 5)
    assert proposals["egf"]["exact_stones"] == pytest.approx(5.5, abs=1e-6)
    fitted = winning_model()
    for each in proposals.values():
        assert each["chance"]["probability"] == pytest.approx(0.5, abs=0.03)
        for name, komi in (("judged", each["half_point_komi"]), ("judged_without_komi", 0.0)):
            p = fitted.probability(-4.0, 1.0, handicap=each["stones"], komi=komi)
            assert each[name]["probability"] == pytest.approx(float(p))
            assert each[name]["low"] < each[name]["probability"] < each[name]["high"]
    assert proposals["egf"]["chance"]["low"] is None
    assert proposals["fitted"]["chance"] == proposals["fitted"]["judged"]
    narrow = run.json("handicap 2d 4k --confidence 50")["proposals"][2]["chance"]
    assert proposals["fitted"]["chance"]["low"] < narrow["low"] < narrow["high"]
    # Why they differ is computed.
    text = run("handicap 2d 4k").out
    assert "Tradition says 5 and Goldis 3: tradition counts a stone for each of 5 grades" in text
    assert "1.259, so 5 grades for 3.16" in text
    for number in (5, 3):
        p = fitted.probability(-4.0, 1.0, handicap=number, komi=0.0)
        assert f"{number} stones without komi {100 * p:.0f} % (" in text
    assert "both give the first move" in run("handicap 2d 1d").out
    assert "1.995" in run("handicap 2d 4k --base 1.9952623").out
    assert "Tradition" not in run("handicap 2d 4k --stones 4").out


def test_options_of_a_handicap(run: Command) -> None:
    run("handicap 2673 2235 --komi 6.5 -o out")
    line = next(line for line in run.read("out").splitlines() if line.startswith("goldis"))
    assert line.split()[1:6] == ["2", "Black", "gives", "2", "White"]
    fixed = run.json("handicap 2673 2235 --stones 1")["proposals"]
    assert ([each["stones"] for each in fixed], fixed[0]["komi"]) == ([1, 1, 1], -5)
    assert fixed[1]["half_point_komi"] == pytest.approx(-14 * 4.38 + 7, abs=0.5)
    elo = run.json("handicap 2100 2000 --base 3.1622776602")
    assert elo["goldis"]["exact_stones"] == pytest.approx(3.16228, abs=1e-5)
    few = run.json("handicap 20k 28k")  # grades that Goldis' table does not have
    assert [each["model"] for each in few["proposals"]] == ["egf", "fitted"]
    assert (few["failures"][0]["model"], few["black_grade"]) == ("goldis", -28)
    write_model(run.folder / "mine.json", replace(winning_model(), name="mine"))
    for name, own in (("kaniuk", "fitted"), ("mine.json", "mine")):
        result = run.json(f"handicap 2d 4k --win {name}")
        assert (len(result["proposals"]), result["goldis"]) == (1, None)
        assert result["judge"]["model"] == own
    assert "7 grades apart" in run("handicap 6d 2k --win fitted").out
    for line, ratings in (("7aml 3step", [2600, 1700]), ("2d 2000 --scale egf", [2100, 1900])):
        assert run.json(f"handicap {line}")["ratings"] == pytest.approx(ratings, abs=0.5)
