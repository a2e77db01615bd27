"""Calibrated intervals: a 90 % interval that holds 90 % of players never seen.

A model gives a distribution on the Fox scale, where n dan is n to n + 1, 1 kyu 0 to 1,
2 kyu -1 to 0. How far it can be trusted is measured on players whom the model has not
seen. Of each only the rank group is known, so that each stands for strengths spread evenly
over that group. Distributions that are too sure are first blurred, as far as makes the
true groups likeliest; then the quantiles are moved to where they held on those players
(Kuleshov, Fenner and Ermon 2018), for few moves and for many by themselves, with the
allowance of conformal prediction for the number of players.

The weakest group has all who are weaker as well, and the strongest all who are stronger:
no strengths are told apart within them. An interval that reaches into one of them has no
end on that side: it is a bound.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.strength.rank.model import EDGES

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]

#: Low and high end; None where there is none.
Interval: TypeAlias = tuple[float | None, float | None]

__all__ = [
    "Coverage",
    "Interval",
    "IntervalTable",
    "coverage",
    "fit_intervals",
    "quantiles",
]

#: Levels at which the quantiles are kept.
_GRID = np.concatenate(
    [[0.001, 0.0025, 0.005], np.arange(0.01, 0.995, 0.01), [0.995, 0.9975, 0.999]]
)
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
#: Beyond the level of an interval there must be so many of the players, or it is refused;
#: nor has one of less than a half been checked.
_BEYOND, _LEAST_LEVEL = 4.0, 0.5
#: Probability that is added to every step, so that each has a quantile.
_TRACE = 1e-12
_SMALL = 1e-9


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


@lru_cache(maxsize=64)
def _kernel(steps: int, blur: float) -> Array:
    """What each of so many steps becomes, blurred by a normal distribution; a row a step.

    What goes beyond the ends of the scale stays at them.
    """
    from scipy.special import ndtr

    edges = np.linspace(EDGES[0], EDGES[-1], steps + 1)
    middle = 0.5 * (edges[:-1] + edges[1:])
    below = ndtr((edges[None, 1:-1] - middle[:, None]) / blur)
    whole = np.concatenate([np.zeros((steps, 1)), below, np.ones((steps, 1))], axis=1)
    return np.diff(whole, axis=1)


def _blurred(density: ArrayLike, blur: float) -> Array:
    """Densities less sure by an error of so many ranks."""
    p, ranks = np.asarray(density, np.float64), round(blur, 2)
    return np.asarray(p @ _kernel(p.shape[-1], ranks)) if ranks > 0.0 else p


@dataclass(frozen=True, slots=True, eq=False)
class IntervalTable:
    """Where the quantiles of a model's distributions really are, by number of moves.

    Attributes
    ----------
    moves : float64 [m]
        Typical number of moves of each class, growing.
    blur : float64 [m]
        Ranks that the model's distributions are blurred by.
    levels : float64 [q]
        Levels wanted, growing.
    at : float64 [m, q]
        Levels of the blurred distribution at which those are held.
    counts : int64 [m]
        Estimates that each class was fitted to.
    players : int64 [m]
        Players that they are of; 0 if nobody was.
    """

    moves: Array
    blur: Array
    levels: Array
    at: Array
    counts: Ints
    players: Ints

    @classmethod
    def plain(cls) -> IntervalTable:
        """One that takes the distributions as they are."""
        none = np.zeros(1, np.int64)
        return cls(np.ones(1), np.zeros(1), _GRID, _GRID[None, :], none, none)

    @property
    def support(self) -> tuple[float, float]:
        """The least and the highest level of an interval that players speak for."""
        fewest = int(self.players.min())
        if fewest == 0:
            return 0.0, 1.0
        return _LEAST_LEVEL, max(1.0 - _BEYOND / fewest, _LEAST_LEVEL)

    def check_level(self, level: float) -> None:
        """Refuse a level that no players speak for.

        Raises
        ------
        UsageError
            It is not between 0 and 1, or outside of `support`.
        """
        if not 0.0 < level < 1.0:
            raise UsageError(f"a level of {level:g} is not between 0 and 1")
        least, most = self.support
        if not least - _SMALL <= level <= most + _SMALL:
            raise UsageError(
                f"nothing is known of intervals of {100 * level:g} %: the model was checked on "
                f"{int(self.players.min())} players, which is enough for {100 * least:g} to "
                f"{int(1000 * most) / 10:g} %"
            )

    def level_of(self, wanted: float, moves: int) -> float:
        """The level of the blurred distribution that holds a level with so many moves."""
        rows = np.array([np.interp(wanted, self._x, row) for row in self._y])
        return self._between(rows, moves)

    def blur_of(self, moves: int) -> float:
        """Ranks that a distribution from so many moves is blurred by."""
        return self._between(self.blur, moves)

    def _between(self, rows: Array, moves: int) -> float:
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

    def interval(self, density: ArrayLike, moves: int, level: float) -> Interval:
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
        low, high : float or None
            On the Fox scale. As likely is the strength to lie below as above; None where
            the interval reaches into the weakest or the strongest group, and so has no
            end there.
        """
        levels = self.levels_of(level, moves)
        low, high = quantiles(_blurred(density, self.blur_of(moves)), levels)
        return _bounded(float(low), float(high))

    def levels_of(self, level: float, moves: int) -> tuple[float, float]:
        """The levels of the blurred distribution between which an interval lies."""
        if not 0.0 < level < 1.0:
            raise UsageError(f"a level of {level:g} is not between 0 and 1")
        tail = 0.5 * (1.0 - level)
        return self.level_of(tail, moves), self.level_of(1.0 - tail, moves)

    def as_dict(self) -> dict[str, Any]:
        """Plain lists and numbers."""
        return {
            "moves": [round(float(value), 1) for value in self.moves],
            "blur": [round(float(value), 3) for value in self.blur],
            "levels": [round(float(value), 6) for value in self.levels],
            "at": [[round(float(value), 6) for value in row] for row in self.at],
            "counts": [int(value) for value in self.counts],
            "players": [int(value) for value in self.players],
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
                np.asarray(found["blur"], np.float64),
                np.asarray(found["levels"], np.float64),
                np.asarray(found["at"], np.float64),
                np.asarray(found["counts"], np.int64),
                np.asarray(found["players"], np.int64),
            )
            parts = (table.moves, table.blur, table.levels, table.at)
            whole = all(np.isfinite(part).all() for part in parts) and (table.blur >= 0).all()
            number = len(table.moves)
            shapes = table.at.shape == (number, len(table.levels)) and all(
                part.shape == (number,) for part in (table.blur, table.counts, table.players)
            )
            grows = (np.diff(table._x) > 0).all() and (np.diff(table.at, axis=1) >= 0).all()
            inside = (table.at >= 0).all() and (table.at <= 1).all()
            moves = number > 0 and (table.moves >= 1).all()
            growing = bool((np.diff(table.moves) > 0).all())
        except (KeyError, TypeError, ValueError, IndexError):
            raise InputError("the table of intervals is damaged") from None
        if not (whole and shapes and grows and inside and moves and growing):
            raise InputError("the table of intervals is damaged")
        return table


def _bounded(low: float, high: float) -> Interval:
    """The ends of an interval, of which those within the outermost groups are none."""
    weak, strong = float(EDGES[1]), float(EDGES[-2])
    return (
        None if low < weak else min(low, strong),
        None if high > strong else max(high, weak),
    )


def fit_intervals(
    density: ArrayLike,
    groups: ArrayLike,
    moves: ArrayLike,
    *,
    players: ArrayLike | None = None,
    classes: ArrayLike | None = None,
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
    players : int array [n], optional
        Whose estimate each is; everyone counts alike, however often. By default each is
        another player's.
    classes : int array [n], optional
        What is fitted by itself, such as the number of games; by default `edges` tell.
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
    if not len(group):
        raise NoGamesError("intervals cannot be fitted to no estimates")
    p = np.atleast_2d(np.asarray(density, np.float64))
    who = np.arange(len(group)) if players is None else np.asarray(players, np.int64)
    place = (
        np.searchsorted(np.asarray(edges), number, side="right")
        if classes is None
        else np.asarray(classes, np.int64)
    )
    rows_of = _classes(place, group, fewest)
    typical = [max(float(np.exp(np.log(np.maximum(number[r], 1.0)).mean())), 1.0) for r in rows_of]
    order = np.argsort(typical)
    blurs, at, people = [], [], []
    for rows in (rows_of[k] for k in order):
        weight = _weights(group[rows], who[rows])
        people.append(len(np.unique(who[rows])))
        blurs.append(_best_blur(p[rows], group[rows], weight))
        at.append(_levels(p[rows], blurs[-1], group[rows], weight, people[-1]))
    return IntervalTable(
        np.array(typical)[order],
        np.array(blurs),
        _GRID,
        np.array(at),
        np.array([len(rows_of[k]) for k in order], np.int64),
        np.array(people, np.int64),
    )


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


def _best_blur(density: Array, group: Ints, weight: Array) -> float:
    """Of the blurs that are tried the one under which the true groups are likeliest."""
    steps = np.linspace(EDGES[0], EDGES[-1], density.shape[1] + 1)[:-1]
    of_step = np.searchsorted(EDGES, steps + _SMALL, side="right") - 1
    within = np.eye(len(EDGES) - 1)[of_step]
    best, chosen = -np.inf, 0.0
    for blur in _BLURS:
        of_group = _kernel(len(steps), float(blur)) @ within if blur > 0.0 else within
        inside = (density @ of_group)[np.arange(len(group)), group]
        fits = float(np.average(np.log(inside + _TRACE), weights=weight))
        if fits > best:
            best, chosen = fits, float(blur)
    return chosen


def _levels(density: Array, blur: float, group: Ints, weight: Array, people: int) -> Array:
    """Levels of the blurred distributions whose intervals hold what they promise.

    The promise is raised by what conformal prediction allows for n players, (n + 1) / n
    times.
    """
    places, cdf = _cumulated(_blurred(density, blur))
    share = (np.arange(_EVEN) + 0.5) / _EVEN
    strengths = EDGES[group, None] + share * (EDGES[group + 1] - EDGES[group])[:, None]
    at = np.array(
        [np.interp(row, places, values) for row, values in zip(strengths, cdf, strict=True)]
    )
    each = np.repeat(weight / _EVEN, _EVEN)
    order = np.argsort(at, axis=None, kind="stable")
    total = np.cumsum(each[order])
    moved = np.interp(_GRID, (total - 0.5 * each[order]) / total[-1], at.ravel()[order])
    # Where the outermost groups begin, there ends what an interval can have as an end.
    weak, strong = (
        np.array([np.interp(edge, places, values) for values in cdf])
        for edge in (EDGES[1], EDGES[-2])
    )
    tails = len(_GRID) // 2  # the other half mirrors them, with the middle between
    held = np.array(
        [
            np.average(
                _within(at, moved[k], moved[-1 - k], weak, strong).mean(axis=1), weights=weight
            )
            for k in range(tails + 1)
        ]
    )
    promised = (1.0 - 2.0 * _GRID[: tails + 1]) * (people + 1.0) / people
    # Of what is held the tails follow, from the widest interval to the narrowest.
    grows = np.concatenate([[True], np.diff(held) < 0.0])
    chosen = np.interp(-promised, -held[grows], _GRID[: tails + 1][grows], left=0.0)
    lower = np.interp(chosen, [0.0, *_GRID], [0.0, *moved])
    upper = np.interp(1.0 - chosen, [*_GRID, 1.0], [*moved, 1.0])
    return np.maximum.accumulate(np.concatenate([lower, upper[:-1][::-1]]))


def _within(at: Array, low: float, high: float, weak: Array, strong: Array) -> NDArray[np.bool_]:
    """Whether intervals between two levels hold strengths at these levels.

    An interval that reaches into an outermost group holds all of it.
    """
    begin = np.where(low < weak, -1.0, np.minimum(low, strong))[:, None]
    end = np.where(high > strong, 2.0, np.maximum(high, weak))[:, None]
    return np.asarray((begin <= at) & (at <= end))


@dataclass(frozen=True, slots=True)
class Coverage:
    """How often intervals held.

    Attributes
    ----------
    count, players : int
        Estimates, and players that they are of.
    level : float
        What was promised.
    held : float
        Share of strengths within the intervals, if those of a player are spread evenly
        over the player's rank group.
    error : float
        Its standard error, clustered by player.
    reach : float
        Share of intervals that reach into the player's group at all.
    width : float
        Mean width of the intervals, in ranks; one without an end goes to that of the scale.
    bounds : float
        Share of intervals that lack an end.
    """

    count: int
    players: int
    level: float
    held: float
    error: float
    reach: float
    width: float
    bounds: float


def coverage(
    intervals: Sequence[Interval],
    groups: ArrayLike,
    *,
    level: float,
    players: ArrayLike | None = None,
) -> Coverage:
    """How often intervals hold the strengths of players of some rank groups.

    Parameters
    ----------
    intervals : sequence of (float or None, float or None)
        Of players that neither the model nor its table of intervals was fitted to.
    groups : int array [n]
        The true group of each, 0 to 10.
    level : float
        What they promise.
    players : int array [n], optional
        Whose each is; by default each is another player's.
    """
    group = np.asarray(groups, np.int64)
    if not len(group):
        raise NoGamesError("there is no interval to look at")
    who = np.arange(len(group)) if players is None else np.asarray(players, np.int64)
    ends = np.array(
        [
            (EDGES[0] if low is None else low, EDGES[-1] if high is None else high)
            for low, high in intervals
        ]
    )
    begin, end = EDGES[group], EDGES[group + 1]
    inside = np.minimum(end, ends[:, 1]) - np.maximum(begin, ends[:, 0])
    held = np.maximum(inside, 0.0) / (end - begin)
    _, person = np.unique(who, return_inverse=True)
    number = int(person.max()) + 1
    away = np.bincount(person, held - held.mean())
    error = float(np.sqrt((away**2).sum() * number / max(number - 1, 1)) / len(held))
    return Coverage(
        count=len(held),
        players=number,
        level=level,
        held=float(held.mean()),
        error=error,
        reach=float((inside > 0.0).mean()),
        width=float((ends[:, 1] - ends[:, 0]).mean()),
        bounds=float(np.mean([None in each for each in intervals])),
    )
