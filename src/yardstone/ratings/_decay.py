"""The loop of the Bradley-Terry model with decaying weights, game by game."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from yardstone.kernels import kernel
from yardstone.ratings._whr_layout import DayGames, Layout
from yardstone.ratings._whr_replay import Forecasts, learn_shared, uncertain_chance
from yardstone.ratings._whr_terms import game_terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int32]
    Longs = NDArray[np.int64]

__all__ = ["Entries", "FadingLearner", "replay"]

#: Games whose weight has fallen below this no longer count.
_FORGOTTEN = 1e-3
#: A step of a strength is cut to so many logits.
_LONGEST = 2.0


class Entries(NamedTuple):
    """Of each entry of a layout: the day, and the opponent's number."""

    day: Floats
    opponent: Ints


class FadingLearner(NamedTuple):
    """What is learned, changed in place.

    `end` is the end of each player's entries so far, `precision` that of his strength `x`
    on day `last`; `shared` are w and tau (of which some are `free`), `known` is the
    information on them.
    """

    end: Longs
    x: Floats
    precision: Floats
    last: Floats
    shared: Floats
    known: Floats
    free: NDArray[np.bool_]


@kernel
def _weigh(
    layout: Layout,
    entries: Entries,
    learner: FadingLearner,
    player: int,
    now: float,
    fading: float,
    prior: float,
) -> tuple[float, float]:
    """Gradient and curvature of one player's strength from his entries so far."""
    x, shared = learner.x, learner.shared
    u2 = -1.0 if np.isnan(shared[1]) else exp(2.0 * shared[1])
    slope, curvature = -prior * x[player], prior
    for e in range(learner.end[player] - 1, layout.entry_start[player] - 1, -1):
        weight = exp(-fading * (now - entries.day[e]))
        if weight < _FORGOTTEN:
            break
        if entries.opponent[e] == player:  # a game against oneself tells nothing
            continue
        difference = (
            x[player] - x[entries.opponent[e]] + layout.side[e] * shared[0] + layout.shift[e]
        )
        s, c = game_terms(difference, layout.score[e], u2)
        slope += weight * s
        curvature += weight * c
    return slope, curvature


@kernel
def replay(
    layout: Layout,
    entries: Entries,
    games: DayGames,
    begin: int,
    learner: FadingLearner,
    fading: float,
    prior: float,
    forecasts: Forecasts,
) -> None:
    """Predict and learn the games from number `begin` on, day after day.

    A game's weight is exp(-fading age).
    """
    first, second, score, day = games
    end, x, precision, last, shared, known, free = learner
    expected, before = forecasts
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
                before[row, 2 * s] = x[p]
                before[row, 2 * s + 1] = 1.0 / (prior + faded)
            difference = (
                before[row, 0] - before[row, 2] + shared[0] + layout.shift[layout.own[g, 0]]
            )
            expected[row] = uncertain_chance(difference, before[row, 1] + before[row, 3])
            before[row, 4] = shared[1]
        for g in range(low, high):
            row = g - begin
            difference = (
                before[row, 0] - before[row, 2] + shared[0] + layout.shift[layout.own[g, 0]]
            )
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
                slope, curvature = _weigh(layout, entries, learner, p, now, fading, prior)
                x[p] += min(max(slope / curvature, -_LONGEST), _LONGEST)
                precision[p] = curvature
                last[p] = now
        low = high
