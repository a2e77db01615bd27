"""Whole-history rating kept up to date game by game, every prediction made before its game.

After each day every player who played gets new strengths for his whole history, the
others given: Newton's step on his tridiagonal system, as Coulom 2008 (section 3)
proposes for servers. The first-move advantage and the draw parameter follow by one
Newton step a game, with all information so far. A full fit may come in between.
"""

from __future__ import annotations

from math import exp, pi, sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from yardstone.kernels import kernel
from yardstone.ratings._whr_layout import DayGames, Layout
from yardstone.ratings._whr_newton import Hessian, climb
from yardstone.ratings._whr_terms import Law, Model, Stretch, game_terms, refresh, tau_terms
from yardstone.winprob.logistic_kernels import logistic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Longs = NDArray[np.int64]

__all__ = ["Forecasts", "Learner", "Pace", "learn_shared", "replay", "uncertain_chance"]

#: Steps of one player's strengths are cut to so many logits.
_LONGEST = 2.0
#: Steps smaller than this are left out.
_LEAST = 1e-7
#: Full fits.
_TOLERANCE, _MAX_STEPS = 1e-5, 60
_THREE_OVER_PI_SQUARED = 3.0 / pi**2


@kernel
def uncertain_chance(difference: float, variance: float) -> float:
    """Expected score when the difference of strength is known up to a variance.

    Glickman's approximation: the difference shrinks by 1/sqrt(1 + 3 variance/pi^2).
    """
    return logistic(difference / sqrt(1.0 + _THREE_OVER_PI_SQUARED * variance))


@kernel
def learn_shared(
    shared: Floats, known: Floats, free: NDArray[np.bool_], difference: float, score: float
) -> None:
    """One Newton step for w and tau from one game; `known` is the information so far."""
    lawful = not np.isnan(shared[1])
    u2 = exp(2.0 * shared[1]) if lawful else -1.0
    if free[0]:
        slope, curvature = game_terms(difference, score, u2)
        known[0] += curvature
        shared[0] += slope / known[0]
    if free[1] and lawful:
        slope, _, usual, _ = tau_terms(difference, score, u2)
        known[1] += usual
        shared[1] += slope / known[1]


class Learner(NamedTuple):
    """What is learned, changed in place.

    `stop` is the end of each player's nodes so far, `x` the strength of each node,
    `variance` that of each player's last one; `shared` are w and tau (of which some are
    `free`), `known` is the information on them; `fitted` holds the day of the last full fit.
    """

    stop: Longs
    x: Floats
    variance: Floats
    shared: Floats
    known: Floats
    free: NDArray[np.bool_]
    fitted: Floats


class Pace(NamedTuple):
    """How many of a player's days are weighed anew, and days from one full fit to the next."""

    window: int
    refit_days: float


class Forecasts(NamedTuple):
    """Expected scores, and strength and variance of both players and tau: shape (games, 5)."""

    expected: Floats
    before: Floats


class _Room(NamedTuple):
    """For the steps of one player."""

    gradient: Floats
    step: Floats
    sums: Floats


@kernel
def _improve(
    layout: Layout, part: Stretch, learner: Learner, model: Model, hessian: Hessian, room: _Room
) -> None:
    """Newton's step for one player's strengths, and the variance of the last.

    Only the days of the stretch are linearised anew. What the days before say stands
    in their factors, as of the last time; their strengths move along with the rest.
    """
    player, begin, stop = part
    start, x, shared = layout.node_start[player], learner.x, learner.shared
    off, pivot, gradient, step = hessian.off, hessian.pivot, room.gradient, room.step
    law = Law(shared[0], -1.0 if np.isnan(shared[1]) else exp(2.0 * shared[1]))
    refresh(layout, part, x, law, model, hessian, gradient, room.sums)
    for node in range(begin, stop):
        pivot[node] = hessian.diagonal[node]
        step[node] = gradient[node]
        if node > start:
            pivot[node] -= off[node] * off[node] / pivot[node - 1]
        if node > begin:
            step[node] -= off[node] / pivot[node - 1] * step[node - 1]
    for node in range(stop - 1, begin - 1, -1):
        step[node] /= pivot[node]
        if node < stop - 1:
            step[node] -= off[node + 1] / pivot[node] * step[node + 1]
    for node in range(begin, stop):
        x[node] += min(max(step[node], -_LONGEST), _LONGEST)
    move = step[begin]
    for node in range(begin - 1, start - 1, -1):
        move *= -off[node + 1] / pivot[node]
        if abs(move) < _LEAST:
            break
        x[node] += move
    learner.variance[player] = 1.0 / pivot[stop - 1]


@kernel
def replay(
    layout: Layout,
    games: DayGames,
    begin: int,
    learner: Learner,
    model: Model,
    pace: Pace,
    hessian: Hessian,
    forecasts: Forecasts,
) -> bool:
    """Predict and learn the games from number `begin` on, day after day.

    The full fits leave w and tau as they are (`hessian.free` is false for both).
    Returns False if a full fit failed.
    """
    first, second, score, day = games
    stop, x, variance, shared, known, free, fitted = learner
    expected, before, prior = forecasts.expected, forecasts.before, model.prior
    n = len(x)
    room = _Room(np.zeros(n), np.zeros(n), np.zeros(6))
    improved, mark = np.zeros(len(stop), np.int64), 0
    low = begin
    while low < len(first):
        high = low
        while high < len(first) and day[high] == day[low]:
            high += 1
        if day[low] - fitted[0] >= pace.refit_days:
            done, _, _ = climb(layout, stop, x, shared, hessian, model, _TOLERANCE, _MAX_STEPS)
            if not done:
                return False
            for p in range(len(stop)):
                if stop[p] > layout.node_start[p]:
                    variance[p] = 1.0 / hessian.pivot[stop[p] - 1]
            fitted[0] = day[low]
        for g in range(low, high):
            for s in range(2):
                p = first[g] if s == 0 else second[g]
                node = layout.opponent[layout.own[g, 1 - s]]
                if node < stop[p]:
                    strength, doubt = x[node], variance[p]
                elif node == layout.node_start[p]:
                    strength, doubt = prior[p, 0], 1.0 / prior[p, 1]
                else:
                    days = layout.node_day[node] - layout.node_day[node - 1]
                    strength, doubt = x[node - 1], variance[p] + model.w2 * days
                before[g - begin, 2 * s] = strength
                before[g - begin, 2 * s + 1] = doubt
            row = g - begin
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
            for s in range(2):
                p = first[g] if s == 0 else second[g]
                node = layout.opponent[layout.own[g, 1 - s]]
                if node >= stop[p]:
                    x[node] = x[node - 1] if node > layout.node_start[p] else prior[p, 0]
                    stop[p] = node + 1
        mark += 1
        for g in range(low, high):
            for s in range(2):
                p = first[g] if s == 0 else second[g]
                if improved[p] == mark:
                    continue
                improved[p] = mark
                start = max(layout.node_start[p], stop[p] - pace.window)
                _improve(layout, Stretch(p, start, stop[p]), learner, model, hessian, room)
        low = high
    return True
