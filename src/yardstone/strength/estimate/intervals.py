"""Calibrated intervals: a 90 % interval that holds 90 % of players never seen.

A model gives a distribution on the Fox scale, where n dan is n to n + 1, 1 kyu 0 to 1,
2 kyu -1 to 0. How far it can be trusted is measured on players whom the model has not
seen. Of each the rank group is known; the places at which the group begins and ends in
the distribution function would, together, fill 0 to 1 evenly if the distributions were
right (the probability integral transform for discrete outcomes; Czado, Gneiting and
Held 2009). Where they do not, the quantiles are moved to where they held on those
players (Kuleshov, Fenner and Ermon 2018), for few moves and for many by themselves.

The weakest group has all who are weaker as well, and the strongest all who are stronger:
no strengths are told apart within them. An interval that reaches into one of them holds
all of it, and what that adds is taken off elsewhere, with the allowance of conformal
prediction for the number of players.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.strength.rank.model import EDGES

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

__all__ = [
    "Coverage",
    "IntervalTable",
    "coverage",
    "fit_intervals",
    "group_ends",
    "quantiles",
]

#: Levels at which the quantiles are kept.
_GRID = np.concatenate(
    [[0.001, 0.0025, 0.005], np.arange(0.01, 0.995, 0.01), [0.995, 0.9975, 0.999]]
)
#: Edges of the classes by number of moves, unless told otherwise.
MOVES = (0, 20, 50, 100, 200, 400, 800, 1600, 3200)
#: No class is fitted to fewer players' estimates than this: it joins its neighbour.
_FEWEST = 200
#: Nor to fewer of any one group than this part of that number.
_GROUP_SHARE = 20
#: Probability that is added to every step, so that each has a quantile.
_TRACE = 1e-12
_SMALL = 1e-9
#: Steps in which places are counted, and estimates counted together.
_STEPS, _CHUNK = 2000, 512


def _cumulated(density: ArrayLike) -> tuple[Array, Array]:
    """Where the steps begin and end, and the distribution functions there."""
    p = np.asarray(density, np.float64) + _TRACE
    cdf = np.concatenate([np.zeros((*p.shape[:-1], 1)), np.cumsum(p, axis=-1)], axis=-1)
    return np.linspace(EDGES[0], EDGES[-1], p.shape[-1] + 1), np.asarray(cdf / cdf[..., -1:])


def quantiles(density: ArrayLike, levels: ArrayLike) -> Array:
    """Quantiles of a distribution on the Fox scale.

    Parameters
    ----------
    density : array_like [m]
        Probability of each of m equal steps from -4 to 10, as `RankModel.density`
        gives them.
    levels : array_like
        Between 0 and 1.
    """
    places, cdf = _cumulated(density)
    return np.asarray(np.interp(np.asarray(levels, np.float64), cdf, places))


def group_ends(density: ArrayLike, groups: ArrayLike) -> tuple[Array, Array]:
    """Distribution functions where each one's group begins and ends.

    Parameters
    ----------
    density : array_like [n, m]
    groups : int array [n]
        0 to 10.
    """
    places, cdf = _cumulated(np.atleast_2d(density))
    group = np.asarray(groups, np.int64)
    begin = np.searchsorted(places, EDGES[group] - _SMALL)
    end = np.searchsorted(places, EDGES[group + 1] - _SMALL)
    rows = np.arange(len(cdf))
    return cdf[rows, begin], cdf[rows, end]


@dataclass(frozen=True, slots=True, eq=False)
class IntervalTable:
    """Where the quantiles of a model's distributions really are, by number of moves.

    Attributes
    ----------
    moves : float64 [m]
        Typical number of moves of each class, growing.
    levels : float64 [q]
        Levels wanted, growing.
    at : float64 [m, q]
        Levels of the model's own distribution at which those are held.
    counts : int64 [m]
        Estimates that each class was fitted to.
    """

    moves: Array
    levels: Array
    at: Array
    counts: NDArray[np.int64]

    @classmethod
    def plain(cls) -> IntervalTable:
        """One that takes the distributions as they are."""
        return cls(np.ones(1), _GRID, _GRID[None, :], np.zeros(1, np.int64))

    def level_of(self, wanted: float, moves: int) -> float:
        """The level of the model's distribution that holds a level with so many moves."""
        rows = np.array([np.interp(wanted, self._x, row) for row in self._y])
        place = np.interp(np.log(max(moves, 1)), np.log(self.moves), np.arange(len(rows)))
        low = int(place)
        high = min(low + 1, len(rows) - 1)
        return float(rows[low] + (place - low) * (rows[high] - rows[low]))

    @property
    def _x(self) -> Array:
        return np.concatenate([[0.0], self.levels, [1.0]])

    @property
    def _y(self) -> Array:
        number = len(self.at)
        return np.concatenate([np.zeros((number, 1)), self.at, np.ones((number, 1))], axis=1)

    def interval(self, density: ArrayLike, moves: int, level: float) -> tuple[float, float]:
        """An interval that holds the strength with probability `level`.

        Parameters
        ----------
        density : array_like [m]
            As for `quantiles`.
        moves : int
            The player's moves that it rests upon.
        level : float
            Between 0 and 1.

        Returns
        -------
        low, high : float
            On the Fox scale, -4 to 10. As likely is the strength to lie below as above,
            unless one of them is the end of the scale.
        """
        low, high = quantiles(density, self.levels_of(level, moves))
        return (
            float(EDGES[0] if low < EDGES[1] else low),
            float(EDGES[-1] if high > EDGES[-2] else high),
        )

    def levels_of(self, level: float, moves: int) -> tuple[float, float]:
        """The levels of the model's distribution between which an interval lies."""
        if not 0.0 < level < 1.0:
            raise UsageError(f"a level of {level:g} is not between 0 and 1")
        tail = 0.5 * (1.0 - level)
        return self.level_of(tail, moves), self.level_of(1.0 - tail, moves)

    def as_dict(self) -> dict[str, Any]:
        """Plain lists and numbers."""
        return {
            "moves": [round(float(value), 1) for value in self.moves],
            "levels": [round(float(value), 6) for value in self.levels],
            "at": [[round(float(value), 6) for value in row] for row in self.at],
            "counts": [int(value) for value in self.counts],
        }

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> IntervalTable:
        """The table that `as_dict` wrote.

        Raises
        ------
        InputError
            It is damaged.
        """
        try:
            table = cls(
                np.asarray(found["moves"], np.float64),
                np.asarray(found["levels"], np.float64),
                np.asarray(found["at"], np.float64),
                np.asarray(found["counts"], np.int64),
            )
            whole = all(np.isfinite(part).all() for part in (table.moves, table.levels, table.at))
            shapes = table.at.shape == (len(table.moves), len(table.levels))
            grows = (np.diff(table._x) > 0).all() and (np.diff(table.at, axis=1) >= 0).all()
            inside = (table.at >= 0).all() and (table.at <= 1).all()
            moves = len(table.moves) > 0 and (table.moves >= 1).all()
            growing = bool((np.diff(table.moves) > 0).all())
        except (KeyError, TypeError, ValueError, IndexError):
            raise InputError("the table of intervals is damaged") from None
        if not (whole and shapes and grows and inside and moves and growing):
            raise InputError("the table of intervals is damaged")
        return table


def fit_intervals(
    density: ArrayLike,
    groups: ArrayLike,
    moves: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    edges: Sequence[int] = MOVES,
    fewest: int = _FEWEST,
) -> IntervalTable:
    """Fit intervals to estimates of players whom the model has not seen.

    Parameters
    ----------
    density : float array [n, m]
        What the model said of each (`RankModel.density`).
    groups : int array [n]
        The true group of each, 0 to 10.
    moves : int array [n]
        The player's moves that each estimate rests upon.
    weights : float array [n], optional
        What each counts, so that a player with many estimates is not counted often.
    edges : sequence of int
        Where classes by number of moves begin.
    fewest : int
        A class with fewer estimates, or with few of one of the groups, joins the one
        before it.

    Returns
    -------
    IntervalTable
        Within a class all groups count alike, however many of each there are: who has
        many games is often of the strongest group.
    """
    group, number = np.asarray(groups, np.int64), np.asarray(moves, np.float64)
    weight = np.ones(len(group)) if weights is None else np.array(weights, np.float64)
    if not len(group):
        raise NoGamesError("intervals cannot be fitted to no estimates")
    low, high = group_ends(density, group)
    outer = _outer(density)
    classes = _classes(number, group, edges, fewest)
    typical, at = [], []
    for rows in classes:
        weight[rows] /= np.bincount(group[rows], weight[rows])[group[rows]]
        typical.append(max(float(np.exp(np.log(np.maximum(number[rows], 1.0)).mean())), 1.0))
        places = _places(low[rows], high[rows], weight[rows])
        at.append(_narrowed(places, low[rows], high[rows], outer[rows], weight[rows]))
    counts = np.array([len(rows) for rows in classes], np.int64)
    return IntervalTable(np.array(typical), _GRID, np.array(at), counts)


def _outer(density: ArrayLike) -> Array:
    """Distribution functions where the weakest group ends and the strongest begins: [n, 2]."""
    number = len(np.atleast_2d(density))
    last = len(EDGES) - 2
    below = group_ends(density, np.zeros(number, np.int64))[1]
    above = group_ends(density, np.full(number, last))[0]
    return np.column_stack([below, above])


def _held(levels: Array, low: Array, high: Array, outer: Array) -> Array:
    """How much of each one's group lies within an interval between these levels.

    All of an outer group counts as held as soon as the interval reaches into it.
    """
    begin = np.where(levels[..., 0] < outer[:, 0], 0.0, levels[..., 0])
    end = np.where(levels[..., 1] > outer[:, 1], 1.0, levels[..., 1])
    inside = np.minimum(high, end) - np.maximum(low, begin)
    return np.asarray(np.maximum(inside, 0.0) / np.maximum(high - low, _SMALL))


def _classes(
    number: Array, group: NDArray[np.int64], edges: Sequence[int], fewest: int
) -> list[NDArray[np.int64]]:
    """Rows of each class by number of moves, none of them small or without some group."""
    place = np.searchsorted(np.asarray(edges), number, side="right")
    groups = np.unique(group)
    classes: list[NDArray[np.int64]] = []
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


def _places(low: Array, high: Array, weight: Array) -> Array:
    """Quantiles of the places of the truth; each lies evenly between `low` and `high`."""
    u = np.linspace(0.0, 1.0, _STEPS + 1)
    width = np.maximum(high - low, _SMALL)
    total = np.zeros(len(u))
    for start in range(0, len(low), _CHUNK):
        part = slice(start, start + _CHUNK)
        share = np.clip((u[:, None] - low[part]) / width[part], 0.0, 1.0)
        total += share @ weight[part]
    total /= weight.sum()
    grows = np.concatenate([[True], np.diff(total) > 0.0])
    return np.maximum.accumulate(np.interp(_GRID, total[grows], u[grows]))


def _narrowed(places: Array, low: Array, high: Array, outer: Array, weight: Array) -> Array:
    """Levels whose intervals, outer groups taken whole, hold what they promise.

    The promise is raised by what conformal prediction allows for n estimates, (n + 1) / n
    times.
    """
    tails = len(_GRID) // 2  # the other half mirrors them, with the middle between
    held = np.array(
        [
            np.average(_held(places[[k, -1 - k]], low, high, outer), weights=weight)
            for k in range(tails + 1)
        ]
    )
    effective = weight.sum() ** 2 / (weight**2).sum()
    promised = (1.0 - 2.0 * _GRID[: tails + 1]) * (effective + 1.0) / effective
    # Of what is held the tails follow, from the widest interval to the narrowest.
    grows = np.concatenate([[True], np.diff(held) < 0.0])
    chosen = np.interp(-promised, -held[grows], _GRID[: tails + 1][grows], left=0.0)
    lower = np.interp(chosen, [0.0, *_GRID], [0.0, *places])
    upper = np.interp(1.0 - chosen, [*_GRID, 1.0], [*places, 1.0])
    return np.concatenate([lower, upper[:-1][::-1]])


@dataclass(frozen=True, slots=True)
class Coverage:
    """How often intervals held, in one class by number of moves.

    Attributes
    ----------
    least, most : int
        Moves that the estimates rest upon.
    count : int
        Estimates.
    level : float
        What was promised.
    held : float
        Share of the strengths that the intervals hold. Of a player only the rank group
        is known: within it the strength is where the model has it.
    even : float
        The same if all strengths within a group were equally likely, whatever the model
        says of the moves.
    met : float
        Share of intervals that reach into the player's group at all.
    width : float
        Mean width of the intervals, in ranks.
    """

    least: int
    most: int
    count: int
    level: float
    held: float
    even: float
    met: float
    width: float


def coverage(
    table: IntervalTable,
    density: ArrayLike,
    groups: ArrayLike,
    moves: ArrayLike,
    *,
    level: float = 0.9,
    edges: Sequence[int] = MOVES,
) -> list[Coverage]:
    """How often the intervals of a table hold, by number of moves.

    Parameters are those of `fit_intervals`; the estimates must be of players that
    neither the model nor the table was fitted to.
    """
    p = np.atleast_2d(np.asarray(density, np.float64))
    group, number = np.asarray(groups, np.int64), np.asarray(moves, np.int64)
    low, high = group_ends(p, group)
    levels = np.array([table.levels_of(level, int(n)) for n in number]).reshape(-1, 2)
    held = _held(levels, low, high, _outer(p))
    ends = np.array(
        [table.interval(row, int(n), level) for row, n in zip(p, number, strict=True)]
    ).reshape(-1, 2)
    begin, end = EDGES[group], EDGES[group + 1]
    reach = np.minimum(end, ends[:, 1]) - np.maximum(begin, ends[:, 0])
    even = np.maximum(reach, 0.0) / (end - begin)
    place = np.searchsorted(np.asarray(edges), number, side="right")
    found = []
    for k in np.unique(place):
        rows = place == k
        found.append(
            Coverage(
                least=int(number[rows].min()),
                most=int(number[rows].max()),
                count=int(rows.sum()),
                level=level,
                held=float(held[rows].mean()),
                even=float(even[rows].mean()),
                met=float((reach[rows] > 0.0).mean()),
                width=float((ends[rows, 1] - ends[rows, 0]).mean()),
            )
        )
    return found
