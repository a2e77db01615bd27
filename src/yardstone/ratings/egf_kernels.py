"""The steps of the rating systems of the European Go Federation."""

from __future__ import annotations

from math import exp, log, log1p
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from yardstone.kernels import inlined_kernel, kernel
from yardstone.ratings.batches import batch_kernel
from yardstone.winprob.logistic_kernels import logistic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.ratings.sequential import Place, Record, Rounds

    Floats = NDArray[np.float64]

__all__ = [
    "CEILING",
    "OLD_CON",
    "EgfPlayers",
    "EgfRule",
    "beta",
    "bonus",
    "con",
    "replay",
    "slope_of_old",
]

#: Where the formulas would reach their end at 3300, they stop here.
CEILING = 3290.0

#: con of the old system at 100, 200, ... 2700; linear between.
OLD_CON = np.array(
    [
        116.0, 110.0, 105.0, 100.0, 95.0, 90.0, 85.0, 80.0, 75.0,
        70.0, 65.0, 60.0, 55.0, 51.0, 47.0, 43.0, 39.0, 35.0,
        31.0, 27.0, 24.0, 21.0, 18.0, 15.0, 13.0, 11.0, 10.0,
    ]
)  # fmt: skip


@kernel
def beta(rating: float) -> float:
    """-7 ln(3300 - r): its differences are log odds."""
    return -7.0 * log(3300.0 - min(rating, CEILING))


@kernel
def con(rating: float) -> float:
    """Points for a surprise of one point: ((3300 - r)/200)^1.6."""
    return float(((3300.0 - min(rating, CEILING)) / 200.0) ** 1.6)


@kernel
def bonus(rating: float) -> float:
    """Points for each game, against deflation: ln(1 + exp((2300 - r)/80))/5."""
    x = (2300.0 - rating) / 80.0
    return (max(x, 0.0) + log1p(exp(-abs(x)))) / 5.0


@kernel
def slope_of_old(rating: float) -> float:
    """The old system's a, by the weaker player's rating: 200 at 100 down to 70 at 2700."""
    return min(max(205.0 - rating / 20.0, 70.0), 200.0)


@kernel
def _con_of_old(rating: float) -> float:
    place = min(max(rating / 100.0 - 1.0, 0.0), len(OLD_CON) - 1.0)
    low = min(int(place), len(OLD_CON) - 2)
    return float(OLD_CON[low] + (place - low) * (OLD_CON[low + 1] - OLD_CON[low]))


@kernel
def _expected(one: float, other: float, ahead: float, old: bool) -> float:
    if old:
        return logistic((one + ahead - other) / slope_of_old(min(one, other)))
    return logistic(beta(one + ahead) - beta(other))


@kernel
def _change(rating: float, score: float, chance: float, old: bool, deflation: float) -> float:
    if old:
        return _con_of_old(rating) * (score - chance + 0.5 * deflation)
    return con(rating) * (score - chance) + bonus(rating)


class EgfRule(NamedTuple):
    """Which formulas hold, and what the pool says of each game and its players.

    `weight` is that of each game; `entry` the rating with which each player would
    enter: shape (games, 2), NaN for `initial`.
    """

    old: bool
    deflation: float
    initial: float
    floor: float
    weight: Floats
    entry: Floats


class EgfPlayers(NamedTuple):
    """A rating of NaN is that of a player who has not entered."""

    rating: Floats


@inlined_kernel
def _enter(rounds: Rounds, rule: EgfRule, players: EgfPlayers, record: Record, at: Place) -> None:
    for side in range(2):
        p = rounds.first[at.game] if side == 0 else rounds.second[at.game]
        if np.isnan(players.rating[p]):
            level = rule.entry[at.game, side]
            enters = rule.initial if np.isnan(level) else level
            players.rating[p] = min(max(enters, rule.floor), CEILING)


@inlined_kernel
def _predict(rounds: Rounds, rule: EgfRule, players: EgfPlayers, record: Record, at: Place) -> None:
    g = at.game
    one, other = players.rating[rounds.first[g]], players.rating[rounds.second[g]]
    chance = _expected(one, other, rounds.ahead[g], rule.old)
    record.expected[g] = chance
    record.before[g, 0], record.before[g, 1] = one, other
    weight, points = rule.weight[g], rounds.score[g]
    record.change[at.slot, 0] = weight * _change(one, points, chance, rule.old, rule.deflation)
    record.change[at.slot, 1] = weight * _change(
        other, 1.0 - points, 1.0 - chance, rule.old, rule.deflation
    )


@inlined_kernel
def _learn(rounds: Rounds, rule: EgfRule, players: EgfPlayers, record: Record, at: Place) -> None:
    for side in range(2):
        p = rounds.first[at.game] if side == 0 else rounds.second[at.game]
        players.rating[p] = max(players.rating[p] + record.change[at.slot, side], rule.floor)


replay = batch_kernel(_predict, _learn, enter=_enter)
