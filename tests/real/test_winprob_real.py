"""Kaniuk's model, its fits, and the scales on real tournament games."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from tests.shared import shared_path
from yardstone.errors import YardstoneWarning
from yardstone.winprob.fit import EVENT_GAMES, fit_winning_model
from yardstone.winprob.games import read_games_csv
from yardstone.winprob.likelihood import GradedGames, fit_likelihood, parameter_interval
from yardstone.winprob.model import winning_model
from yardstone.winprob.scales import convert
from yardstone.winprob.statistics import WinningStatistics, statistics_of_files
from yardstone_lab.kaniuk import fit_grades, read_egf_list
from yardstone_lab.least_squares import fit_least_squares

GAMES = "data/go/tournaments/games.csv.gz"


def test_every_row_of_a_table_is_counted_or_told_with_a_reason() -> None:
    path = shared_path(GAMES)
    rows = len(gzip.decompress(path.read_bytes()).splitlines()) - 1
    with pytest.warns(YardstoneWarning) as told:
        counted = statistics_of_files([path]).games.sum()
    left_out, unused = (str(each.message) for each in told)
    assert left_out.startswith("games left out: ")
    reasons = left_out.removeprefix("games left out: ").split(", ")
    assert sum(int(reason.split()[0]) for reason in reasons) == rows - counted == 4260
    assert unused == "grades decide; the ratings in 3,934 games are not used"


def test_fits_with_their_uncertainty_and_the_model_that_ships() -> None:
    pool = read_games_csv(shared_path(GAMES))
    statistics = WinningStatistics.from_pool(pool)
    squares = fit_least_squares(statistics)
    likely = fit_likelihood(GradedGames.from_statistics(statistics))
    assert squares.values == pytest.approx([0.03185, 0, 0.10995, 0, 0.29573], abs=2e-4)
    assert likely.values == pytest.approx([0.00033, 0.003724, 0.10942, 0, 0.28693], abs=2e-4)
    # So few games say little: K is 0.29 give or take 0.05, and u3 is at its bound.
    assert likely.standard_errors[4] == pytest.approx(0.051, abs=0.002)
    assert np.isnan(likely.standard_errors[3])
    # u3 with K at a third of that would fit as well, and the interval reaches over both.
    low, high = parameter_interval(likely, "K")
    assert (low, high) == pytest.approx((0.073, 0.374), abs=0.003)
    result, ships = fit_winning_model(pool, name="fitted", event_games=EVENT_GAMES), winning_model()
    assert result.model.about == ships.about
    one, two = np.meshgrid(np.arange(-30.0, 9.0), np.arange(-30.0, 9.0))
    known = ships.probability(one, two)
    np.testing.assert_allclose(result.model.probability(one, two), known, atol=1e-7)
    games, stones = ([1.0, -10.0, -5.0], [3.0, -9.0, 0.0]), [0.0, 0.0, 4.0]
    ours, theirs = (each.interval(*games, handicap=stones) for each in (result.model, ships))
    np.testing.assert_allclose(np.array(ours), np.array(theirs), atol=1e-5)


def test_grade_against_rating() -> None:
    grades, ratings = read_egf_list(shared_path("data/go/tournaments/egf_list_2014-11.txt.gz"))
    fit = fit_grades(grades, ratings)
    assert (len(grades), fit.players) == (35506, 35345)
    assert fit.slope == pytest.approx(95.9, abs=0.2)
    assert fit.intercept == pytest.approx(2049, abs=1)
    assert fit.correlation == pytest.approx(0.992, abs=0.001)
    # By definition 100 a grade and 2100 at 1 dan: declared grades flatter a little.
    shortfall = convert(fit.grades, "grade", "egf") - fit.mean
    assert np.all(shortfall[(fit.grades >= -12) & (fit.grades <= 2)] > 5)
