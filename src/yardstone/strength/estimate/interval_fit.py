"""Intervals fitted to players whom the model has not seen.

How far a model can be trusted is measured on players whom the model has not seen. Of a
player of Fox only the rank group is known, so that each stands for strengths spread evenly
over that group; of one of OGS the rating is. Distributions that are too sure are first
blurred, as far as makes the true groups likeliest; then the quantiles are moved to where they
held on those players (Kuleshov, Fenner and Ermon 2018), for few moves and for many by
themselves, with the allowance of conformal prediction for the number of players.

Where strengths are known, the quantiles can be fitted near several strengths, to the players
thereabouts above all: conditional on the truth (as Vovk 2012 does for classes), so that the
ends of a scale, where a model errs most, do not live on the middle.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import NoGamesError
from yardstone.strength.estimate.distribution import TRACE, blurred, blurring, cumulated
from yardstone.strength.estimate.intervals import LEVELS, IntervalTable, scale_ends

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]

__all__ = ["MOVES", "even_strengths", "fit_intervals"]

#: Edges of the classes by number of moves, unless told otherwise.
MOVES = (0, 20, 50, 100, 200, 400, 800, 1600, 3200)
#: No class is fitted to fewer estimates than this: it joins its neighbour.
_FEWEST = 200
#: Nor to fewer of any one group than this part of that number.
_GROUP_SHARE = 20
#: Blurs that are tried, in ranks.
_BLURS = np.round(np.arange(0.0, 3.01, 0.1), 1)
#: Strengths of a group that each of its players stands for.
_EVEN = 9
#: Players so many ranks from a strength count six tenths near it.
_NEAR = 8.0
_SMALL = 1e-9


def fit_intervals(
    density: ArrayLike,
    groups: ArrayLike,
    moves: ArrayLike,
    *,
    edges: ArrayLike,
    strengths: ArrayLike | None = None,
    players: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    by_moves: Sequence[int] = MOVES,
    fewest: int = _FEWEST,
    near: Sequence[float] = (),
) -> IntervalTable:
    """Fit intervals to estimates of players whom the model has not seen.

    Parameters
    ----------
    density : float array [n, m]
        What the model said of each (`ModelScale.density`).
    groups : int array [n]
        The true group of each, from 0.
    moves : int array [n]
        The player's moves that each estimate rests upon.
    edges : float array [g + 1]
        Where the groups begin, and where the last one ends.
    strengths : float array [n, e], optional
        Strengths that each may have had, all as likely; by default spread evenly over the
        group.
    players : int array [n], optional
        Whose estimate each is; everyone counts alike, however often. By default each is
        another player's.
    classes : int array [n], optional
        What is fitted by itself, such as the number of games; by default `by_moves` tells.
    by_moves : sequence of int
        Where classes by number of moves begin.
    fewest : int
        A class with fewer estimates, or with few of one of the groups, joins the one
        before it.
    near : sequence of float
        Strengths near which the levels are fitted by themselves; none for all alike.

    Returns
    -------
    IntervalTable
        Within a class all groups count alike, however many of each there are: who has
        many games is often of the strongest group. Near strengths all players do, the
        closer ones the more.
    """
    group, number = np.asarray(groups, np.int64), np.asarray(moves, np.float64)
    if not len(group):
        raise NoGamesError("intervals cannot be fitted to no estimates")
    p = np.atleast_2d(np.asarray(density, np.float64))
    who = np.arange(len(group)) if players is None else np.asarray(players, np.int64)
    place = (
        np.searchsorted(np.asarray(by_moves), number, side="right")
        if classes is None
        else np.asarray(classes, np.int64)
    )
    borders = np.asarray(edges, np.float64)
    true = even_strengths(group, borders) if strengths is None else np.asarray(strengths)
    rows_of = _classes(place, group, fewest)
    typical = [max(float(np.exp(np.log(np.maximum(number[r], 1.0)).mean())), 1.0) for r in rows_of]
    order = np.argsort(typical)
    blurs, at, people = [], [], []
    for rows in (rows_of[k] for k in order):
        weight = _weights(group[rows], who[rows])
        people.append(len(np.unique(who[rows])))
        blurs.append(_best_blur(p[rows], group[rows], weight, borders))
        players_at = _TrueLevels.of(p[rows], blurs[-1], true[rows], borders)
        if near:
            alike = _weights(np.zeros(len(rows), np.int64), who[rows])
            moved = players_at.moved_to(near, alike)
            at.append([_levels(*each, people[-1]) for each in moved])
        else:
            at.append([_levels(players_at, weight, people[-1])])
    return IntervalTable(
        np.array(typical)[order],
        np.array(blurs),
        LEVELS,
        np.array(at),
        np.array([len(rows_of[k]) for k in order], np.int64),
        np.array(people, np.int64),
        scale_ends(borders),
        np.array(near or [0.0], np.float64),
    )


def even_strengths(group: Ints, edges: Array) -> Array:
    """Strengths that players of these groups stand for."""
    share = (np.arange(_EVEN) + 0.5) / _EVEN
    return np.asarray(edges[group, None] + share * (edges[group + 1] - edges[group])[:, None])


def _weights(group: Ints, who: Ints) -> Array:
    """What each estimate counts: players alike within a group, and groups alike."""
    _, person = np.unique(who, return_inverse=True)
    weight = 1.0 / np.bincount(person)[person]
    return np.asarray(weight / np.bincount(group, weight)[group])


def _classes(place: Ints, group: Ints, fewest: int) -> list[Ints]:
    """Rows of each class, none of them small or without some group."""
    groups = np.unique(group)
    classes: list[Ints] = []
    rest = np.empty(0, np.int64)
    for k in np.unique(place):
        rest = np.concatenate([rest, np.flatnonzero(place == k)])
        least = np.bincount(group[rest], minlength=groups[-1] + 1)[groups].min()
        if len(rest) >= fewest and least >= fewest / _GROUP_SHARE:
            classes.append(rest)
            rest = np.empty(0, np.int64)
    if len(rest):
        if classes:
            classes[-1] = np.concatenate([classes[-1], rest])
        else:
            classes.append(rest)
    return classes


def _best_blur(density: Array, group: Ints, weight: Array, edges: Array) -> float:
    """Of the blurs that are tried the one under which the true groups are likeliest."""
    steps = np.linspace(edges[0], edges[-1], density.shape[1] + 1)[:-1]
    of_step = np.searchsorted(edges, steps + _SMALL, side="right") - 1
    within = np.eye(len(edges) - 1)[of_step]
    a_rank = len(steps) / (edges[-1] - edges[0])
    best, chosen = -np.inf, 0.0
    for blur in _BLURS:
        of_group = blurring(len(steps), float(blur * a_rank)) @ within if blur > 0.0 else within
        inside = (density @ of_group)[np.arange(len(group)), group]
        fits = float(np.average(np.log(inside + TRACE), weights=weight))
        if fits > best:
            best, chosen = fits, float(blur)
    return chosen


@dataclass(frozen=True, slots=True, eq=False)
class _TrueLevels:
    """Levels of players' distributions at the strengths that they may have.

    Attributes
    ----------
    at : float64 [n, e]
        Levels of the blurred distributions there.
    strengths : float64 [n, e]
    weak, strong : float64 [n]
        Levels where the outermost groups end and begin: there ends what an interval can have
        as an end.
    """

    at: Array
    strengths: Array
    weak: Array
    strong: Array

    @classmethod
    def of(cls, density: Array, blur: float, strengths: Array, edges: Array) -> _TrueLevels:
        """From distributions, and a blur."""
        begin, weakest, strongest, end = scale_ends(edges).tolist()
        places, cdf = cumulated(blurred(density, blur, begin, end), begin, end)
        at = [np.interp(row, places, values) for row, values in zip(strengths, cdf, strict=True)]
        weak, strong = (
            np.array([np.interp(edge, places, values) for values in cdf])
            for edge in (weakest, strongest)
        )
        return cls(np.array(at), strengths, weak, strong)

    def within(self, low: float, high: float) -> NDArray[np.bool_]:
        """Whether intervals between two levels hold the strengths: bool [n, e].

        An interval that reaches into an outermost group holds all of it.
        """
        begin = np.where(low < self.weak, -1.0, np.minimum(low, self.strong))[:, None]
        end = np.where(high > self.strong, 2.0, np.maximum(high, self.weak))[:, None]
        return np.asarray((begin <= self.at) & (self.at <= end))

    def moved_to(self, near: Sequence[float], weight: Array) -> Iterator[tuple[_TrueLevels, Array]]:
        """As if all players had each of some strengths, and what each of them counts there.

        Who is stronger is drawn to the middle from above: as far as a straight line through
        the levels, as deviates of a normal distribution, tells, they are brought to what they
        would be.
        """
        from scipy.special import ndtr, ndtri

        deviates = ndtri(np.clip(self.at, _SMALL, 1.0 - _SMALL))
        own = self.strengths.mean(axis=1)
        share = np.sqrt(weight)
        _, slope = np.polynomial.polynomial.polyfit(own, deviates.mean(axis=1), 1, w=share)
        for strength in near:
            moved = ndtr(deviates + slope * (strength - self.strengths))
            close = np.exp(-0.5 * ((own - strength) / _NEAR) ** 2)
            yield replace(self, at=moved), weight * close


def _levels(players: _TrueLevels, weight: Array, people: int) -> Array:
    """Levels of the blurred distributions whose intervals hold what they promise.

    The promise is raised by what conformal prediction allows for n players, (n + 1) / n
    times.
    """
    number = players.at.shape[1]
    each = np.repeat(weight / number, number)
    order = np.argsort(players.at, axis=None, kind="stable")
    total = np.cumsum(each[order])
    moved = np.interp(LEVELS, (total - 0.5 * each[order]) / total[-1], players.at.ravel()[order])
    tails = len(LEVELS) // 2  # the other half mirrors them, with the middle between
    held = np.array(
        [
            np.average(players.within(moved[k], moved[-1 - k]).mean(axis=1), weights=weight)
            for k in range(tails + 1)
        ]
    )
    promised = (1.0 - 2.0 * LEVELS[: tails + 1]) * (people + 1.0) / people
    # Of what is held the tails follow, from the widest interval to the narrowest.
    grows = np.concatenate([[True], np.diff(held) < 0.0])
    chosen = np.interp(-promised, -held[grows], LEVELS[: tails + 1][grows], left=0.0)
    lower = np.interp(chosen, [0.0, *LEVELS], [0.0, *moved])
    upper = np.interp(1.0 - chosen, [*LEVELS, 1.0], [*moved, 1.0])
    return np.maximum.accumulate(np.concatenate([lower, upper[:-1][::-1]]))
