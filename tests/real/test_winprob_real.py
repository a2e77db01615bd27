"""Kaniuk's model, its fits, and the scales on real tournament games."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from lab.studies.winning.handicap_rules import (
    black_wins,
    fit_slope,
    fit_stone,
    log_loss,
    stone_interval,
)
from tests.shared import shared_path
from yardstone.clusters import clustered_interval
from yardstone.errors import YardstoneWarning
from yardstone.pool import Pool
from yardstone.ratings.sktlr import SktLr
from yardstone.winprob.games import GameColumns, read_games_csv
from yardstone.winprob.kaniuk import PUBLISHED, TABLE_1, GradeModel
from yardstone.winprob.likelihood import GradedGames, fit_likelihood, parameter_interval
from yardstone.winprob.scales import convert
from yardstone.winprob.statistics import WinningStatistics, statistics_of_files
from yardstone_lab.kaniuk import CANDIDATES, cross_validate, fit_grades, read_egf_list
from yardstone_lab.least_squares import fit_least_squares


@pytest.fixture(scope="module")
def pool() -> Pool:
    return read_games_csv(shared_path("data/go/tournaments/games.csv.gz"))


def test_every_row_of_a_table_is_counted_or_told_with_a_reason() -> None:
    path = shared_path("data/go/tournaments/games.csv.gz")
    rows = len(gzip.decompress(path.read_bytes()).splitlines()) - 1
    with pytest.warns(YardstoneWarning) as told:
        counted = statistics_of_files([path]).games.sum()
    left_out, unused = (str(each.message) for each in told)
    assert left_out.startswith("games left out: ")
    reasons = left_out.removeprefix("games left out: ").split(", ")
    assert sum(int(reason.split()[0]) for reason in reasons) == rows - counted == 4260
    assert unused == "grades decide; the ratings in 3,934 games are not used"


def test_fits_with_their_uncertainty(pool: Pool) -> None:
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


def test_rules_of_handicap(pool: Pool) -> None:
    """What `yardstone handicap` says of real games, and that a stone is about a grade."""
    first, second = (np.asarray(pool.columns[f"{s}_grade"]) for s in ("first", "second"))
    handicap, won = np.asarray(pool.columns["handicap"], np.float64), pool.score == 1.0
    gap = second - first
    known = np.isfinite(gap) & (pool.score != 0.5)
    known &= (np.minimum(first, second) >= -20) & (np.maximum(first, second) <= 6)
    placed = known & (handicap > 0) & (gap > 0)
    assert placed.sum() == 638
    stone, _ = fit_stone(gap[placed], handicap[placed], won[placed])
    assert stone == pytest.approx(1.08, abs=0.005)
    ends = stone_interval(gap[placed], handicap[placed], won[placed], pool.columns["event"][placed])
    assert ends == pytest.approx((0.78, 1.38), abs=0.005)
    goldis = SktLr().win_probability(-100.0 * gap[placed], handicap=handicap[placed])
    assert log_loss(goldis, won[placed]).mean() == pytest.approx(0.916, abs=0.001)
    even = known & (handicap == 0) & (np.abs(gap) <= 9)
    slope = fit_slope(gap[even], won[even])
    usual = black_wins(gap[placed], handicap[placed], stone=1.0, slope=slope)
    assert log_loss(usual, won[placed]).mean() == pytest.approx(0.667, abs=0.004)
    loss = log_loss(goldis, won[placed])
    ends = clustered_interval(
        loss, np.unique(pool.columns["event"][placed], return_inverse=True)[1]
    )
    assert ends is not None
    assert ends[0] > np.log(2)  # worse than a coin, with its uncertainty


def test_the_chosen_form_beats_the_published_one_on_games_left_out(pool: Pool) -> None:
    games = GameColumns.from_pool(pool)
    forms = [c for c in CANDIDATES if "komi" not in c.free and "low" not in c.free]
    result = cross_validate(games, candidates=forms, folds=5, seed=1)
    even = games.handicap == 0
    near = even & (np.abs(games.first - games.second) <= 9)
    for baseline in ("published", "plain logistic"):
        gain, error = result.gain(result.chosen, baseline, near)
        assert gain > 2 * error
    close = even & (np.abs(games.first - games.second) <= 4)
    assert result.mean(close)[result.chosen][0] < result.mean(close)["published"][0]


def test_colour_and_handicap(pool: Pool) -> None:
    games = GameColumns.from_pool(pool).graded()
    names = (*TABLE_1, "lapse", "black", "stone")
    fit = fit_likelihood(games, free=names, start=GradeModel(PUBLISHED, {"stone": 1.0}))
    result = dict(zip(fit.names, zip(fit.values, fit.standard_errors, strict=True), strict=True))
    black, black_error = result["black"]
    stone, stone_error = result["stone"]
    assert abs(black) < 2.5 * black_error  # komi takes what moving first is worth
    assert stone == pytest.approx(0.82, abs=0.05)
    assert stone_error == pytest.approx(0.096, abs=0.02)
    assert result["lapse"][0] == pytest.approx(0.13, abs=0.03)


def test_grade_against_rating() -> None:
    grades, ratings = read_egf_list(shared_path("data/go/tournaments/egf_list_2014-11.txt.gz"))
    assert len(grades) == 35506
    fit = fit_grades(grades, ratings)
    assert fit.players == 35345
    assert fit.slope == pytest.approx(95.9, abs=0.2)
    assert fit.intercept == pytest.approx(2049, abs=1)
    assert fit.correlation == pytest.approx(0.992, abs=0.001)
    # By definition 100 a grade and 2100 at 1 dan: declared grades flatter a little.
    shortfall = convert(fit.grades, "grade", "egf") - fit.mean
    assert np.all(shortfall[(fit.grades >= -12) & (fit.grades <= 2)] > 5)
