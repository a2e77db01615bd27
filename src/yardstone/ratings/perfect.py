"""Bounds for players who won or lost every game.

Their maximum-likelihood rating is infinite. Ordo gives a floor or a ceiling:
the rating at which the perfect score has an even chance of happening. Its
manual describes another one, the rating for half a point less than perfect.
Both are here; and, because Ordo stops its search as soon as the chance is
within 1e-5 of a half (some thousandths of a rating point early), so is a search
that takes Ordo's steps and ends on Ordo's digits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.kernels import kernel
from yardstone.ratings._newton import pair_probabilities

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["bound_at", "bound_draw", "bound_ordo"]

#: Widest bracket around the opponents in which a bound is looked for, in log odds.
_REACH = 60.0


@kernel
def _perfect_chance(x: float, winner: bool, opponents: Floats, games: Floats, u2: float) -> float:
    """Logarithm of the probability of the perfect score for a player rated `x`.

    `opponents` are ratings corrected for the first move, in log odds.
    """
    total = 0.0
    for k in range(len(opponents)):
        p, q, root, m = pair_probabilities(x - opponents[k], u2)
        v = p * q
        if u2 < 0.0:
            chance = p if winner else q
        else:
            high = root + abs(m)
            low = 4.0 * v * u2 / high
            if winner:
                chance = p * (low if m >= 0.0 else high) / (1.0 + root)
            else:
                chance = q * (high if m >= 0.0 else low) / (1.0 + root)
        total += games[k] * np.log(max(chance, 1e-320))
    return total


@kernel
def _expected_points(x: float, opponents: Floats, games: Floats) -> float:
    total = 0.0
    for k in range(len(opponents)):
        p, _, _, _ = pair_probabilities(x - opponents[k], -1.0)
        total += games[k] * p
    return total


@kernel
def bound_at(winner: bool, opponents: Floats, games: Floats, u2: float, chance: float) -> float:
    """Rating (log odds) at which the perfect score has probability `chance`; bisection."""
    low, high = float(opponents.min()) - _REACH, float(opponents.max()) + _REACH
    goal = float(np.log(chance))
    for _ in range(200):
        middle = 0.5 * (low + high)
        if (_perfect_chance(middle, winner, opponents, games, u2) < goal) == winner:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@kernel
def bound_draw(winner: bool, opponents: Floats, games: Floats) -> float:
    """Rating (log odds) that expects half a point less than perfect (or more than none)."""
    low, high = float(opponents.min()) - _REACH, float(opponents.max()) + _REACH
    goal = games.sum() - 0.5 if winner else 0.5
    for _ in range(200):
        middle = 0.5 * (low + high)
        if _expected_points(middle, opponents, games) < goal:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@kernel
def _walk_to_score(goal: float, opponents: Floats, games: Floats, logit: float) -> float:
    """A rating near the one that expects `goal` points, found by Ordo's damped steps."""
    x = 2000.0
    stride, softness = 200.0, 0.05
    miss = (goal - _expected_points(x / logit, opponents, games)) ** 2
    for _ in range(20):
        damping = 1.0
        for _ in range(10000):
            gap = goal - _expected_points(x / logit, opponents, games)
            move = stride * abs(gap) / (softness * damping + abs(gap))
            trial = x + move if gap >= 0.0 else x - move
            new_miss = (goal - _expected_points(trial / logit, opponents, games)) ** 2
            if new_miss >= miss:
                break
            x, miss = trial, new_miss
            if miss < 1e-6:
                return x
            damping *= 0.995
        stride *= 0.5
        softness *= 2.0
    return x


@kernel
def bound_ordo(winner: bool, opponents: Floats, games: Floats, u2: float, logit: float) -> float:
    """`bound_at` a chance of 1/2 to Ordo's own digits, in rating points.

    The search starts from the rating for a quarter of a point less than perfect
    and walks by 200 points, halving the stride after each step that does not come
    closer, until the chance is within 1e-5 of a half. The direction is taken from
    the last point tried, accepted or not. `opponents` are in log odds, `logit` is
    the number of points of one.
    """
    total = games.sum()
    x = _walk_to_score(total - 0.25 if winner else 0.25, opponents, games, logit)
    stride = 200.0
    sign = 1.0 if winner else -1.0
    gap = sign * (0.5 - np.exp(_perfect_chance(x / logit, winner, opponents, games, u2)))
    miss = gap * gap
    move = -stride if gap < 0.0 else stride
    for _ in range(2000):
        trial = x + move
        gap = sign * (0.5 - np.exp(_perfect_chance(trial / logit, winner, opponents, games, u2)))
        move = -stride if gap < 0.0 else stride
        if gap * gap >= miss:
            stride *= 0.5
        else:
            x, miss = trial, gap * gap
        if miss < 1e-10:
            break
    return x
