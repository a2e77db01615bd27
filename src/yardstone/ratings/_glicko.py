"""The loops of Glicko (Glickman, "The Glicko system", 1995)."""

from __future__ import annotations

from math import log, pi, sqrt
from typing import TYPE_CHECKING

import numpy as np

from yardstone._kernel import kernel
from yardstone.ratings._logistic import logistic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int32]

__all__ = ["replay"]

_Q = log(10.0) / 400.0
_THREE_Q2_OVER_PI2 = 3.0 * _Q**2 / pi**2


@kernel
def _shrink(variance: float) -> float:
    """g, from a squared deviation."""
    return 1.0 / sqrt(1.0 + _THREE_Q2_OVER_PI2 * variance)


@kernel
def _aged(variance: float, idle: float, drift: float, oldest: float) -> float:
    """Step 1: squared deviation at the onset of a period."""
    if idle <= 0.0:
        return variance
    return max(variance, min(variance + drift * idle, oldest))


@kernel
def replay(
    first: Ints,
    second: Ints,
    score: Floats,
    advantage: Floats,
    first_advantage: float,
    clock: Floats,
    start: NDArray[np.int64],
    actions: NDArray[np.int64],
    drift: float,
    oldest: float,
    lowest: float,
    rating: Floats,
    variance: Floats,
    last: Floats,
    expected: Floats,
    found: Floats,
) -> None:
    """Predict and learn, batch after batch.

    `drift` is c^2, `oldest` and `lowest` limit the squared deviation; `clock` is the
    time of each batch in periods (empty: nobody ages). `found` gets rating and
    deviation of both players: shape (games, 4).
    """
    single = len(start) == 0
    batches = len(first) if single else len(start) - 1
    by_turns = len(actions) == 0
    kept = 1 if single else len(first)
    gains, informations = np.zeros((kept, 2)), np.zeros((kept, 2))
    total_gain, total_information = np.zeros(len(rating)), np.zeros(len(rating))
    waiting = np.zeros(len(rating), np.bool_)
    ages = len(clock) > 0
    for step in range(2 * batches):
        action = step if by_turns else actions[step]
        batch = action >> 1
        now = clock[batch] if ages else 0.0
        low, high = (batch, batch + 1) if single else (start[batch], start[batch + 1])
        if action & 1 == 0:
            for g in range(low, high):
                i, j = first[g], second[g]
                variance_i, variance_j = variance[i], variance[j]
                if ages:
                    variance_i = _aged(variance_i, now - last[i], drift, oldest)
                    variance_j = _aged(variance_j, now - last[j], drift, oldest)
                difference = rating[i] - rating[j] + first_advantage
                if len(advantage) > 0:
                    difference += advantage[g]
                found[g, 0], found[g, 1] = rating[i], sqrt(variance_i)
                found[g, 2], found[g, 3] = rating[j], sqrt(variance_j)
                expected[g] = logistic(_Q * _shrink(variance_i + variance_j) * difference)
                g_i, g_j = _shrink(variance_i), _shrink(variance_j)
                e_i, e_j = logistic(_Q * g_j * difference), logistic(-_Q * g_i * difference)
                slot = 0 if single else g
                gains[slot, 0] = _Q * g_j * (score[g] - e_i)
                gains[slot, 1] = _Q * g_i * (1.0 - score[g] - e_j)
                informations[slot, 0] = (_Q * g_j) ** 2 * e_i * (1.0 - e_i)
                informations[slot, 1] = (_Q * g_i) ** 2 * e_j * (1.0 - e_j)
            continue
        for g in range(low, high):
            slot = 0 if single else g
            for side in range(2):
                p = first[g] if side == 0 else second[g]
                total_gain[p] += gains[slot, side]
                total_information[p] += informations[slot, side]
                waiting[p] = True
        for g in range(low, high):
            for side in range(2):
                p = first[g] if side == 0 else second[g]
                if not waiting[p]:
                    continue
                before = variance[p]
                if ages:
                    before = _aged(before, now - last[p], drift, oldest)
                    last[p] = now
                after = 1.0 / (1.0 / before + total_information[p])
                rating[p] += after * total_gain[p]
                variance[p] = max(after, lowest)
                total_gain[p] = total_information[p] = 0.0
                waiting[p] = False
