"""The digits at which Ordo's own search ends.

Ordo does not solve its score equations: it lets every rating take steps against its surplus of
expected points, makes the steps smaller when they stop helping, and turns to the first-move
advantage only between such phases. Where games are many it ends within 1e-5 points of the solution.
Where they are few, the advantage may be left some hundredths of a point, or much more, from it.

Who needs Ordo's list to the last digit gets it from the same steps, taken in the same order with
the same arithmetic. Everybody else is better served by the solution itself.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from yardstone.kernels import kernel
from yardstone.ratings import joint
from yardstone.ratings.joint import fit_draw_rate
from yardstone.ratings.result import Estimate, JointRatings, Status
from yardstone.winprob.laws import plain_logistic

if TYPE_CHECKING:
    from yardstone.arrays import Floats, Ints
    from yardstone.pool import PairCounts
    from yardstone.ratings.bradley_terry import BradleyTerry


#: Beyond so many pairs of players the search ends on the printed digits of the solution.
MOST_PAIRS = 20_000

SEARCHED = "searched as Ordo does"  #: Entry in `extras` of a list whose ratings were searched for.

_MOST_WORK = 3_000_000_000  #: The search is given up after so many evaluations of a pair.

# Where the search begins: step, softness of its limit, first resolution.
_STRIDE, _SOFTNESS, _FIRST_RESOLUTION = 100.0, 0.05, 10.0
# How it goes on: steps shrink between phases, soften within one.
_SHRINK, _SOFTEN = 1.1, 1.0 - 1.0 / 1000.0
# When it ends: misfit and resolution; most phases, steps of one, and rounds over both unknowns.
_MISFIT, _RESOLUTION = 1e-7, 1e-6
_PHASES, _STEPS, _CYCLES = 1000, 10_000, 4
_ADVANTAGE_PROGRESS = 0.01
_NO_ADVANTAGE = 1e-8
_ADVANTAGE_LIMIT = 1000.0


class _Played(NamedTuple):
    """Games and points of each pair, in all by who moved first; `beta`: log odds of a point."""

    first: Ints
    second: Ints
    games: Floats
    points: Floats
    scored: float
    total: float
    beta: float


@kernel
def _expected_points(
    pairs: _Played, rating: Floats, advantage: float, obtained: Floats, played: Floats
) -> tuple[Floats, float]:
    """Expected points of every player, in the order of the pairs, and their squared misfit."""
    first, second, games, beta = pairs.first, pairs.second, pairs.games, pairs.beta
    expected, misfit = np.zeros(len(rating)), 0.0
    for k in range(len(first)):
        i, j = first[k], second[k]
        points = games[k] * plain_logistic(((rating[i] + advantage) - rating[j]) * beta)
        expected[j] += games[k] - points
        expected[i] += points
    for player in range(len(expected)):
        if played[player] > 0.0:
            surplus = expected[player] - obtained[player]
            misfit += surplus * surplus / played[player]
    return expected, misfit


@kernel
def _step(
    rating: Floats,
    expected: Floats,
    obtained: Floats,
    played: Floats,
    stride: float,
    softness: float,
) -> float:
    """Move every rating against its surplus, in place; returns the longest move."""
    longest = 0.0
    for player in range(len(rating)):
        if played[player] == 0.0:
            continue
        surplus = abs((expected[player] - obtained[player]) / played[player])
        share = surplus / (softness + surplus)
        longest = max(longest, share)
        if expected[player] > obtained[player]:
            rating[player] -= stride * share
        else:
            rating[player] += stride * share
    return longest * stride


@kernel
def _expected_of_first(pairs: _Played, rating: Floats, advantage: float) -> float:
    """Points expected of the side moving first in all games."""
    first, second, games, beta = pairs.first, pairs.second, pairs.games, pairs.beta
    expected = 0.0
    for k in range(len(first)):
        gap = rating[second[k]] - (rating[first[k]] + advantage)
        expected += games[k] / (1.0 + np.exp(gap * beta))
    return expected


@kernel
def _advantage_misfit(pairs: _Played, rating: Floats, advantage: float) -> float:
    """Squared difference of expected and scored points of the side moving first, per game."""
    first, second, games, beta = pairs.first, pairs.second, pairs.games, pairs.beta
    expected = 0.0
    for k in range(len(first)):
        gap = rating[second[k]] - (rating[first[k]] + advantage)
        expected += 1.0 / (1.0 + np.exp(gap * beta)) * games[k]
    return (expected - pairs.scored) * (expected - pairs.scored) / pairs.total


@kernel
def _best_advantage(pairs: _Played, rating: Floats, low: float, high: float) -> float:
    """The advantage between `low` and `high` that expects the points scored; bisection."""
    for _ in range(100):
        middle = 0.5 * (low + high)
        if _expected_of_first(pairs, rating, middle) < pairs.scored:
            low = middle
        else:
            high = middle
        if high - low < 1e-11:
            break
    return 0.5 * (low + high)


@kernel
def _adjust_advantage(pairs: _Played, rating: Floats, advantage: float, reach: float) -> float:
    """A better advantage, looked for in steps from `reach` on that grow by half."""
    while True:
        below = _advantage_misfit(pairs, rating, advantage - reach)
        here = _advantage_misfit(pairs, rating, advantage)
        above = _advantage_misfit(pairs, rating, advantage + reach)
        if below >= here and here <= above:
            if not here > 0.0:
                return advantage
            ratio_below = here / below if below <= here else below / here
            ratio_above = above / here if here <= above else here / above
            if ratio_below < 1.0000001 and ratio_above < 1.0000001:
                return advantage
            return _best_advantage(pairs, rating, advantage - reach, advantage + reach)
        if here >= below and below <= above:
            advantage -= reach
        elif below >= above and above <= here:
            advantage += reach
        else:
            return advantage
        reach *= 1.5
        if not (reach > _RESOLUTION and -_ADVANTAGE_LIMIT < advantage < _ADVANTAGE_LIMIT):
            return advantage


@kernel
def _search(
    pairs: _Played,
    rating: Floats,
    advantage: float,
    free_advantage: bool,
    anchor: int,
    anchor_rating: float,
    all_games: float,
    most_work: float,
) -> tuple[float, bool]:
    """Move `rating`, in place, to where the search ends; returns the advantage, and success."""
    n = len(rating)
    obtained, played = np.zeros(n), np.zeros(n)
    first, second, games, points = pairs.first, pairs.second, pairs.games, pairs.points
    for k in range(len(first)):
        obtained[first[k]] += points[k]
        obtained[second[k]] += games[k] - points[k]
        played[first[k]] += games[k]
        played[second[k]] += games[k]
    resolution = _FIRST_RESOLUTION
    progress = _STRIDE
    work, cycle = 0.0, 0
    cycles = _CYCLES if free_advantage else 1
    while resolution > _RESOLUTION or (cycle < cycles and progress > _ADVANTAGE_PROGRESS):
        done = False
        stride = _STRIDE
        expected, misfit = _expected_points(pairs, rating, advantage, obtained, played)
        for _ in range(_PHASES):
            softness = 1.0
            if free_advantage:
                advantage = _adjust_advantage(pairs, rating, advantage, resolution)
            for _ in range(_STEPS):
                work += len(first)
                if work > most_work:
                    return advantage, False
                before = rating.copy()
                last = misfit
                resolution = _step(rating, expected, obtained, played, stride, _SOFTNESS * softness)
                expected, misfit = _expected_points(pairs, rating, advantage, obtained, played)
                failed = misfit >= last
                if failed:
                    rating[:] = before
                    expected, misfit = _expected_points(pairs, rating, advantage, obtained, played)
                else:
                    softness *= _SOFTEN
                done = 1000.0 * np.sqrt(misfit / all_games) < _MISFIT and resolution < _RESOLUTION
                if done or failed:
                    break
            stride /= _SHRINK
            if done:
                break
        if free_advantage:
            previous = advantage
            advantage = _adjust_advantage(pairs, rating, advantage, resolution)
            progress = abs(advantage - previous)
        if anchor >= 0:
            excess = rating[anchor] - anchor_rating
            for player in range(n):
                rating[player] -= excess
        cycle += 1
    return advantage, True


def as_ordo_ends(
    system: BradleyTerry, counts: PairCounts, ratings: JointRatings, *, all_games: int | None = None
) -> JointRatings:
    """The same list with the ratings at which Ordo's search would have ended.

    Only for the score equations without fixed ratings, with everybody on one scale and up to
    `MOST_PAIRS` pairs; other lists, and those where the search does not end, stay as they are.
    `all_games` are those of the input, left out or not: part of Ordo's condition to stop.
    """
    if system.likelihood or system.anchors or len(counts.first) > MOST_PAIRS:
        return ratings
    setup = joint.prepare(system, ratings.players, counts)
    active = setup.status == Status.NORMAL
    if len(np.unique(setup.component[active])) != 1:
        return ratings
    used = setup.used
    rating = np.full(len(ratings), system.average, np.float64)
    held = setup.anchor if setup.anchor is not None and system.reference == "anchor" else None
    given = system.first_advantage
    logit = system.points_per_logit
    advantage, ended = _search(
        _Played(
            used.first,
            used.second,
            used.games,
            used.points,
            float(used.points.sum()),
            float(used.games.sum()),
            1.0 / logit,
        ),
        rating,
        0.0 if isinstance(given, str) else float(given),  # type: ignore[arg-type]
        given == "auto",
        -1 if held is None else held,
        system.average,
        float(used.games.sum() if all_games is None else all_games),
        _MOST_WORK,
    )
    if not ended or not np.isfinite(rating).all():
        return ratings
    if abs(advantage) < _NO_ADVANTAGE:
        advantage = 0.0  # not "-0.00"
    if setup.anchor is None:
        rating[active] -= rating[active].sum() / active.sum() - system.average
    draw_rate = ratings.draw_rate
    if system.draw_rate == "auto":
        unknowns = np.append(rating / logit, [advantage / logit, 0.0])
        fitted = fit_draw_rate(
            used.first, used.second, used.games, float(used.draws.sum()), unknowns
        )
        draw_rate = Estimate(float(fitted), draw_rate.deviation)
    # A perfect scorer met by another one counts where he started, moved with the anchor.
    rating[setup.status == Status.NO_GAMES] = np.nan
    joint.rate_perfect(setup, rating, advantage, draw_rate.value)
    setup.shift_to_anchor(rating)
    return replace(
        ratings,
        rating=rating,
        first_advantage=Estimate(advantage, ratings.first_advantage.deviation),
        draw_rate=draw_rate,
        extras={**ratings.extras, SEARCHED: True},
    )
