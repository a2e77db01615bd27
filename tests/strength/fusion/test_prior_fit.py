"""The parameters by which the fusion believes moves, and priors of lists made with them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.strength.fusion.made_moves import made_pool, sides_of
from yardstone.errors import NoGamesError, UsageError
from yardstone.evaluation.backtest import earlier_part
from yardstone.evaluation.splits import earlier_games
from yardstone.pool import Pool
from yardstone.ratings.glicko import Glicko2
from yardstone.ratings.joint import Prior
from yardstone.strength.fusion import MOVE_COLUMNS, Fusion, fit_moves_prior, sides_before
from yardstone.strength.fusion_priors import (
    FITTED,
    centred_fusion,
    fit_fusion,
    fusion_parameters,
    moves_priors,
)

START = Fusion(initial_deviation=250.0)


def newcomers(pool: Pool) -> np.ndarray:
    """Games of somebody with at most 20 before, of whom moves are known."""
    _, number = sides_before(pool)
    before = np.column_stack(earlier_games(pool))
    return np.asarray(((number > 0) & (before <= 20)).any(axis=1))


def test_the_fit_is_that_of_a_prior_with_the_newcomers_density_divided_out() -> None:
    pool, system = made_pool(players=300, games=1200), Glicko2(initial_deviation=250.0)
    fitted, games = fit_fusion(pool, START)
    few = newcomers(pool)
    assert games == few.sum()
    # A strength in units in which those of newcomers are as wide as their ratings.
    sides = sides_of(pool, system).select(few)
    known = sides.moves_rating[sides.moves > 0]
    middle, unit = known.mean(), 250.0 / known.std()
    sides = replace(sides, moves_rating=1500.0 + unit * (sides.moves_rating - middle))
    prior = fit_moves_prior(sides, pool.score[few], system, Prior(1500.0, 250.0))
    shown, moves = np.array([-6.0, 0.0, 4.0]), np.array([40.0, 200.0, 1e9])
    wanted = prior.prior(1500.0 + unit * (shown - middle), moves)
    for result, value in zip(fitted.moves_prior.prior(shown, moves), wanted, strict=True):
        assert result == pytest.approx(value)
    assert (fitted.half_moves, fitted.level) == (prior.half, prior.level)
    precision = 1 / prior.deviation**2 - 1 / 250**2
    assert fitted.noise == pytest.approx(precision**-0.5)
    assert fitted.slope == pytest.approx(60.0, abs=20.0)  # what the pool was made with


def test_the_fit_sees_the_earlier_games_only() -> None:
    pool = made_pool(players=100, games=500)
    assert len(earlier_part(pool, share=0.6)) == 300
    turned = replace(pool, score=np.append(pool.score[:300], 1.0 - pool.score[300:]))
    given, again = (
        fusion_parameters(earlier_part(each, share=0.6), {"initial_deviation": 250.0}, fit=True)
        for each in (pool, turned)
    )
    assert given == again
    assert "fitted to" in given[1]
    assert given[0].keys() == {*FITTED, "initial_deviation"}


def test_without_a_fit_the_average_player_is_in_the_middle() -> None:
    pool = made_pool()
    columns = [pool.columns[name] for name in MOVE_COLUMNS]
    shown = []
    for player in range(len(pool.players)):
        first, second = pool.first == player, pool.second == player
        number = np.concatenate([columns[0][first], columns[2][second]])
        strength = np.concatenate([columns[1][first], columns[3][second]])
        shown.append(number[number > 0] @ strength[number > 0] / number.sum())
    middle = centred_fusion(pool).strength
    assert middle == pytest.approx(np.mean(shown))
    given, sentence = fusion_parameters(pool, {}, fit=False)
    assert given == {"slope": 64.0, "noise": 166.0, "half_moves": 13.0, "strength": middle}
    assert Fusion().strength == -11.4  # of the average of 325 people of OGS
    assert "as shipped for strengths on the scale ogs" in sentence
    given, _ = fusion_parameters(pool, {"strength": 2.0, "noise": 100.0}, fit=False, scale="fox")
    assert given == {"slope": 133.0, "noise": 100.0, "half_moves": 60.0, "strength": 2.0}
    given, _ = fusion_parameters(pool, {"strength": 0.4}, fit=False, scale="fox")
    assert given["noise"] == 294.0
    own = {"slope": 50.0, "noise": 200.0, "half_moves": 50.0}
    given, _ = fusion_parameters(pool, own, fit=False, scale="kgs")
    assert given == {**own, "strength": middle}


def test_what_cannot_be_found() -> None:
    pool = made_pool(games=60)
    with pytest.raises(UsageError, match="nothing is shipped of what strengths on the scale kgs"):
        fusion_parameters(pool, {"slope": 1.0, "noise": 1.0}, fit=False, scale="kgs")
    with pytest.raises(NoGamesError, match="no moves are known"):
        centred_fusion(replace(pool, columns={}))
    with pytest.raises(UsageError, match="--fit finds slope"):
        fusion_parameters(pool, {"slope": 3.0}, fit=True)


@pytest.mark.parametrize("moves", [1e9, 40.0])
@pytest.mark.parametrize("join", [None, 150.0])
@pytest.mark.parametrize("unit", [1.0, 2.0])
def test_priors_of_a_list_are_the_measurement_alone(
    moves: float, join: float | None, unit: float
) -> None:
    """What a newcomer's prior adds is taken out again, and the spread of the list put in."""
    system = Fusion(strength=0.0, slope=60.0, noise=100.0, half_moves=80.0)
    pool = Pool.from_names(["A", "C"], ["B", "A"], [1, 0])
    values = [moves, moves], [4.0, -1.0], [0.0, moves], [np.nan, 4.0]
    pool = replace(pool, columns=dict(zip(MOVE_COLUMNS, map(np.array, values), strict=True)))
    points = unit * 400 / np.log(10)
    result = moves_priors(pool, system, average=2000.0, join=join, points_per_logit=points)
    if unit == 1.0:  # of lists that begin at 2300
        usual = moves_priors(pool, system, join=join)
        assert usual["A"].mean == pytest.approx(result["A"].mean + 300.0)
    assert list(result) == ["A", "C"]
    for name, shown, number in (("A", 4.0, 2 * moves), ("C", -1.0, moves)):
        trust = number / (number + 80.0)
        left = 350.0**2 * 100.0**2 / (350.0**2 + 100.0**2)  # of a newcomer after many moves
        variance = 350.0**2 - trust * (350.0**2 - left)
        above = trust * 60.0 * shown * 350.0**2 / (350.0**2 + 100.0**2)
        precision = 1 / variance - 1 / 350.0**2
        mean, own = unit * above / variance / precision, precision / unit**2
        known = 0.0 if join is None else 1 / join**2
        assert result[name].mean == pytest.approx(2000.0 + mean * own / (own + known))
        assert result[name].deviation == pytest.approx((own + known) ** -0.5)
    if moves > 1e6 and join is None:
        assert result["A"].mean == pytest.approx(2000.0 + unit * 240.0, abs=0.01)
        assert result["A"].deviation == pytest.approx(unit * 100.0, abs=0.01)
