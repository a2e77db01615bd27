"""Intervals of probabilities by fitted models hold, where events or players differ."""

from __future__ import annotations

import numpy as np
import pytest

from lab.studies.coverage_models import SETTINGS, drawn, held
from yardstone.errors import UsageError
from yardstone.winprob.fit import fit_winning_model, region_by_event
from yardstone.winprob.games import GameColumns
from yardstone.winprob.kaniuk import ALL_PARAMETERS, GradeModel, Kaniuk, log_gradients
from yardstone.winprob.model import CoefficientRegion

MODEL = GradeModel(Kaniuk.from_parameters({"u1": 0.2, "K": 0.04}), {"stone": 1.0}, "logistic")


@pytest.mark.parametrize("place", [1, 3, 6], ids=["25 events", "at a bound", "40 players"])
def test_intervals_hold(place: int) -> None:
    inside, times = held(SETTINGS[place], 40, seed=7)
    assert times >= 30
    assert inside.mean() / times >= 0.88


def test_games_that_count_alone_would_promise_too_much() -> None:
    """Events that differ are counted: with the errors of independent games intervals fail."""
    setting = SETTINGS[1]
    pool = drawn(np.random.default_rng(3), setting)
    games = GameColumns.from_pool(pool, group="event")
    result = fit_winning_model(pool)
    alone = region_by_event(result.fit.model, result.fit.names, with_groups(games, len(games)))
    region = result.model.region
    assert region is not None
    assert alone is not None
    wide, narrow = (
        np.diff(each.interval(-15, -9, average=True), axis=0) for each in (region, alone)
    )
    assert wide > 1.3 * narrow


def with_groups(games: GameColumns, number: int) -> GameColumns:
    return GameColumns(
        games.first, games.second, games.handicap, games.komi, games.first_won, np.arange(number)
    )


def test_gradients_are_those_of_the_probabilities() -> None:
    rng = np.random.default_rng(1)
    game = tuple(np.array([x]) for x in (-4.0, -1.0, 2.0, 0.5))
    vector = MODEL.vector
    vector[ALL_PARAMETERS.index("lapse")] = 0.1
    for link in ("erf", "logistic"):
        base = log_gradients(vector, link, *game)
        step = 1e-6 * rng.choice([-1.0, 1.0], len(vector))
        moved = log_gradients(vector + step, link, *game)
        for side in (0, 1):
            predicted = step @ base[2 + side][:, 0]
            assert moved[side][0] - base[side][0] == pytest.approx(predicted, rel=1e-3, abs=1e-12)


def test_a_bound_cuts_the_region_off() -> None:
    """With the top beyond zero the interval is one-sided, and holds the fit."""
    flat = GradeModel(Kaniuk.from_parameters({"u1": 0.2}), {"stone": 1.0}, "logistic")
    covariance = np.diag([0.02, 0.01, 0.1]) ** 2
    region = CoefficientRegion(
        flat, ("u1", "K", "stone"), np.array([0.2, -0.005, 1.0]), covariance, 50.0, "60 events"
    )
    low, high = region.coefficient_interval("K")
    assert low == 0.0
    # As far from the best allowed point as the quantile says: sqrt(0.5² + 2.009²) errors.
    assert high == pytest.approx(-0.005 + 0.01 * np.hypot(0.5, 2.0086), rel=1e-3)
    ends = region.interval([-10.0], [-9.0])
    p = flat.probability(-10.0, -9.0)
    assert ends[0][0] < p < ends[1][0]
    with pytest.raises(UsageError, match="level"):
        region.interval(0, 1, level=1.0)


def test_what_games_say_nothing_of_has_no_end() -> None:
    region = CoefficientRegion(
        MODEL, ("u1", "stone"), np.array([0.2, 1.0]), np.diag([1e-4, 0.0]), 10.0, "12 events"
    )
    assert region.coefficient_interval("stone") == (0.0, np.inf)


def test_lapses_leave_no_interval() -> None:
    pool = drawn(np.random.default_rng(3), SETTINGS[1])
    result = fit_winning_model(pool, free=("u1", "K", "stone", "lapse"))
    assert result.model.interval(0, 1) is None
    assert "lapses" in result.model.no_interval
