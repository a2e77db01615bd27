"""The loop of the rating systems of the European Go Federation."""

from __future__ import annotations

from math import exp, log, log1p
from typing import TYPE_CHECKING

import numpy as np

from yardstone._kernel import kernel
from yardstone.ratings._logistic import logistic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int32]

__all__ = ["CEILING", "OLD_CON", "beta", "bonus", "con", "replay", "slope_of_old"]

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


@kernel
def replay(
    first: Ints,
    second: Ints,
    score: Floats,
    advantage: Floats,
    first_advantage: float,
    weight: Floats,
    entry: Floats,
    initial: float,
    old: bool,
    deflation: float,
    floor: float,
    start: NDArray[np.int64],
    actions: NDArray[np.int64],
    rating: Floats,
    expected: Floats,
    found: Floats,
) -> None:
    """Predict and learn, batch after batch, each from the ratings at its start.

    `weight` is that of each game; `entry` the rating with which each player would
    enter: shape (games, 2), NaN for `initial`. A rating of NaN is that of a player
    who has not entered. `found` gets both ratings: shape (games, 2).
    """
    single = len(start) == 0
    batches = len(first) if single else len(start) - 1
    by_turns = len(actions) == 0
    change = np.zeros((1 if single else len(first), 2))
    for step in range(2 * batches):
        action = step if by_turns else actions[step]
        batch = action >> 1
        low, high = (batch, batch + 1) if single else (start[batch], start[batch + 1])
        for g in range(low, high):
            i, j = first[g], second[g]
            slot = 0 if single else g
            if action & 1 == 1:
                rating[i] = max(rating[i] + change[slot, 0], floor)
                rating[j] = max(rating[j] + change[slot, 1], floor)
                continue
            for side in range(2):
                p = i if side == 0 else j
                if np.isnan(rating[p]):
                    enters = initial if np.isnan(entry[g, side]) else entry[g, side]
                    rating[p] = min(max(enters, floor), CEILING)
            ahead = first_advantage + (advantage[g] if len(advantage) > 0 else 0.0)
            one, other = rating[i], rating[j]
            chance = _expected(one, other, ahead, old)
            expected[g] = chance
            found[g, 0], found[g, 1] = one, other
            change[slot, 0] = weight[g] * _change(one, score[g], chance, old, deflation)
            change[slot, 1] = weight[g] * _change(
                other, 1.0 - score[g], 1.0 - chance, old, deflation
            )
