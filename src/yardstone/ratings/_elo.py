"""The loops of the Elo system."""

from __future__ import annotations

from math import erfc
from typing import TYPE_CHECKING

import numpy as np

from yardstone._kernel import kernel
from yardstone.ratings._logistic import logistic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int32]

__all__ = ["replay_by_batch", "replay_by_game"]


@kernel
def _expected(difference: float, steepness: float, normal: bool) -> float:
    """Expected score; `steepness` is 1/scale, for the normal curve over the root of 2."""
    if normal:
        return float(0.5 * erfc(-difference * steepness))
    return logistic(difference * steepness)


@kernel
def replay_by_game(
    first: Ints,
    second: Ints,
    score: Floats,
    advantage: Floats,
    first_advantage: float,
    steepness: float,
    normal: bool,
    k: float,
    furthest: float,
    rating: Floats,
    expected: Floats,
    first_rating: Floats,
    second_rating: Floats,
) -> None:
    """One game after the other, with one K for all; fills the last three arrays."""
    varies = len(advantage) > 0
    for g in range(len(first)):
        i, j = first[g], second[g]
        one, other = rating[i], rating[j]
        difference = one - other + first_advantage
        if varies:
            difference += advantage[g]
        difference = min(max(difference, -furthest), furthest)
        chance = _expected(difference, steepness, normal)
        expected[g] = chance
        first_rating[g] = one
        second_rating[g] = other
        change = k * (score[g] - chance)
        rating[i] += change
        rating[j] -= change


@kernel
def _factor(rule: Floats, rating: float, played: int, top: bool) -> float:
    """K by games and rating; `rule` as `KFactor.numbers` gives it."""
    if played < rule[1]:
        return float(rule[0])
    return float(rule[3] if top or rating >= rule[4] else rule[2])


@kernel
def replay_by_batch(
    first: Ints,
    second: Ints,
    score: Floats,
    advantage: Floats,
    first_advantage: float,
    steepness: float,
    normal: bool,
    rule: Floats,
    furthest: float,
    start: NDArray[np.int64],
    actions: NDArray[np.int64],
    rating: Floats,
    played: Ints,
    top: NDArray[np.bool_],
    expected: Floats,
    first_rating: Floats,
    second_rating: Floats,
) -> None:
    """Batches of games, each rated from the ratings at its start, with K by rule."""
    single = len(start) == 0
    batches = len(first) if single else len(start) - 1
    by_turns = len(actions) == 0
    kept = 1 if single else len(first)
    first_change, second_change = np.zeros(kept), np.zeros(kept)
    in_batch = np.zeros(len(rating), np.int32)
    for step in range(2 * batches):
        action = step if by_turns else actions[step]
        batch = action >> 1
        low, high = (batch, batch + 1) if single else (start[batch], start[batch + 1])
        if action & 1 == 0:
            for g in range(low, high):
                in_batch[first[g]] += 1
                in_batch[second[g]] += 1
            for g in range(low, high):
                i, j = first[g], second[g]
                difference = rating[i] - rating[j] + first_advantage
                if len(advantage) > 0:
                    difference += advantage[g]
                difference = min(max(difference, -furthest), furthest)
                chance = _expected(difference, steepness, normal)
                expected[g] = chance
                first_rating[g] = rating[i]
                second_rating[g] = rating[j]
                surprise = score[g] - chance
                slot = 0 if single else g
                k = _factor(rule, rating[i], played[i], top[i])
                first_change[slot] = min(k, rule[5] / in_batch[i]) * surprise
                k = _factor(rule, rating[j], played[j], top[j])
                second_change[slot] = min(k, rule[5] / in_batch[j]) * surprise
            for g in range(low, high):
                in_batch[first[g]] = 0
                in_batch[second[g]] = 0
        else:
            for g in range(low, high):
                i, j = first[g], second[g]
                slot = 0 if single else g
                rating[i] += first_change[slot]
                rating[j] -= second_change[slot]
                played[i] += 1
                played[j] += 1
            for g in range(low, high):
                i, j = first[g], second[g]
                top[i] = top[i] or rating[i] >= rule[4]
                top[j] = top[j] or rating[j] >= rule[4]
