"""The loop of the Bradley-Terry model with decaying weights, game by game."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING

import numpy as np

from yardstone.kernels import kernel
from yardstone.ratings._whr_layout import Layout
from yardstone.ratings._whr_replay import learn_shared, uncertain_chance
from yardstone.ratings._whr_terms import game_terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int32]
    Longs = NDArray[np.int64]

__all__ = ["replay"]

#: Games whose weight has fallen below this no longer count.
_FORGOTTEN = 1e-3
#: A step of a strength is cut to so many logits.
_LONGEST = 2.0


@kernel
def _weigh(
    layout: Layout,
    entry_day: Floats,
    opponent: Ints,
    player: int,
    end: int,
    now: float,
    fading: float,
    x: Floats,
    shared: Floats,
    prior: float,
) -> tuple[float, float]:
    """Gradient and curvature of one player's strength from his entries before `end`."""
    u2 = -1.0 if np.isnan(shared[1]) else exp(2.0 * shared[1])
    slope, curvature = -prior * x[player], prior
    for e in range(end - 1, layout.entry_start[player] - 1, -1):
        weight = exp(-fading * (now - entry_day[e]))
        if weight < _FORGOTTEN:
            break
        if opponent[e] == player:  # a game against oneself tells nothing
            continue
        difference = x[player] - x[opponent[e]] + layout.side[e] * shared[0] + layout.shift[e]
        s, c = game_terms(difference, layout.score[e], u2)
        slope += weight * s
        curvature += weight * c
    return slope, curvature


@kernel
def replay(
    layout: Layout,
    entry_day: Floats,
    opponent: Ints,
    first: Ints,
    second: Ints,
    score: Floats,
    day: Floats,
    begin: int,
    end: Longs,
    x: Floats,
    precision: Floats,
    last: Floats,
    shared: Floats,
    known: Floats,
    free: NDArray[np.bool_],
    fading: float,
    prior: float,
    expected: Floats,
    found: Floats,
) -> None:
    """Predict and learn the games from number `begin` on, day after day.

    `end` is the end of each player's entries so far, `precision` that of his strength
    on day `last`. A game's weight is exp(-fading age). `found` gets strength and
    variance of both players and tau: shape (games, 5).
    """
    improved, mark = np.zeros(len(x), np.int64), 0
    low = begin
    while low < len(first):
        high = low
        while high < len(first) and day[high] == day[low]:
            high += 1
        now = day[low]
        for g in range(low, high):
            row = g - begin
            for s in range(2):
                p = first[g] if s == 0 else second[g]
                faded = (precision[p] - prior) * exp(-fading * (now - last[p]))
                found[row, 2 * s] = x[p]
                found[row, 2 * s + 1] = 1.0 / (prior + faded)
            difference = found[row, 0] - found[row, 2] + shared[0] + layout.shift[layout.own[g, 0]]
            expected[row] = uncertain_chance(difference, found[row, 1] + found[row, 3])
            found[row, 4] = shared[1]
        for g in range(low, high):
            row = g - begin
            difference = found[row, 0] - found[row, 2] + shared[0] + layout.shift[layout.own[g, 0]]
            if first[g] != second[g]:
                learn_shared(shared, known, free, difference, score[g])
            end[first[g]] += 1
            end[second[g]] += 1
        mark += 1
        for g in range(low, high):
            for s in range(2):
                p = first[g] if s == 0 else second[g]
                if improved[p] == mark:
                    continue
                improved[p] = mark
                slope, curvature = _weigh(
                    layout, entry_day, opponent, p, end[p], now, fading, x, shared, prior
                )
                x[p] += min(max(slope / curvature, -_LONGEST), _LONGEST)
                precision[p] = curvature
                last[p] = now
        low = high
