"""Calibrated intervals: a 90 % interval that holds 90 % of players never seen.

A model gives a distribution on a scale of ranks, where n dan is n to n + 1, 1 kyu 0 to 1,
2 kyu -1 to 0 (`yardstone.strength.model_scale`). A table says where its quantiles really are,
as `fit_intervals` measured on players whom the model has not seen.

A model draws the weak and the strong to the middle, so that the same quantiles hold more of
the players in the middle than at the ends. Where the table was fitted near several strengths,
an interval has the strengths at which the distribution lies between the quantiles that held
there: as many players of each strength are within.

The weakest group has all who are weaker as well, and the strongest all who are stronger:
no strengths are told apart within them. An interval that reaches into one of them has no
end on that side: it is a bound.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from dataclasses import fields as dataclass_fields
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from yardstone.errors import InputError, UsageError
from yardstone.winprob.laws import normal_cdf

if TYPE_CHECKING:
    from yardstone.arrays import Floats, Longs

#: Low and high end; None where there is none.
Interval: TypeAlias = tuple[float | None, float | None]


#: Levels at which the quantiles are kept.
LEVELS = np.concatenate(
    [[0.001, 0.0025, 0.005], np.arange(0.01, 0.995, 0.01), [0.995, 0.9975, 0.999]]
)
#: Beyond the level of an interval there must be so many of the players, or it is refused;
#: nor has one of less than a half been checked.
_BEYOND, _LEAST_LEVEL = 4.0, 0.5
_SMALL = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class IntervalTable:
    """Where the quantiles of a model's distributions really are, by number of moves."""

    moves: Floats  #: [m]: typical number of moves of each class, growing.
    blur: Floats  #: [m]: ranks that the model's distributions are blurred by.
    levels: Floats  #: [q]: levels wanted, growing.
    #: [m, k, q]: levels of the blurred distribution at which those are held, near k strengths.
    at: Floats
    counts: Longs  #: [m]: estimates that each class was fitted to.
    players: Longs  #: [m]: players that they are of; 0 if nobody was.
    #: [4]: where the scale begins, where its weakest group ends, where its strongest one begins,
    #: and where the scale ends.
    ends: Floats
    #: [k]: those strengths, growing; between them the levels lie on the straight line. Where there
    #: is but one, all strengths have the same.
    strengths: Floats = field(default_factory=lambda: np.zeros(1))

    @classmethod
    def plain(cls, edges: Floats) -> IntervalTable:
        """One that takes the distributions on a scale with such groups as they are."""
        none = np.zeros(1, np.int64)
        levels = LEVELS[None, None, :]
        return cls(np.ones(1), np.zeros(1), LEVELS, levels, none, none, scale_ends(edges))

    @property
    def support(self) -> tuple[float, float]:
        """The least and the highest level of an interval that players speak for."""
        fewest = int(self.players.min())
        if fewest == 0:
            return 0.0, 1.0
        return _LEAST_LEVEL, max(1.0 - _BEYOND / fewest, _LEAST_LEVEL)

    def check_level(self, level: float) -> None:
        """Refuse a level that no players speak for.

        Raises `UsageError` if it is not between 0 and 1, or outside of `support`.
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

    def levels_of(self, level: float, moves: int) -> tuple[Floats, Floats]:
        """The levels of the blurred distribution between which an interval lies: [k] each."""
        if not 0.0 < level < 1.0:
            raise UsageError(f"a level of {level:g} is not between 0 and 1")
        tail = 0.5 * (1.0 - level)
        wanted, x = [tail, 1.0 - tail], [0.0, *self.levels, 1.0]
        rows = [[np.interp(wanted, x, [0.0, *near, 1.0]) for near in row] for row in self.at]
        low, high = self._between(np.array(rows), moves).T
        return low, high

    def blur_of(self, moves: int) -> float:
        """Ranks that a distribution from so many moves is blurred by."""
        return float(self._between(self.blur, moves))

    def _between(self, rows: Floats, moves: int) -> Any:
        """What so many moves have, between those of two classes."""
        place = np.interp(np.log(max(moves, 1)), np.log(self.moves), np.arange(len(rows)))
        low = int(place)
        high = min(low + 1, len(rows) - 1)
        return rows[low] + (place - low) * (rows[high] - rows[low])

    def interval(self, density: ArrayLike, moves: int, level: float) -> Interval:
        """An interval that holds the strength with probability `level`.

        `density` [m]: probability of each of m equal steps, as `ModelScale.density` gives them.
        `moves`: the player's moves that it rests upon. `level`: between 0 and 1. Returns low, high:
        on the scale. As likely is the strength to lie below as above; None where the interval
        reaches into the weakest or the strongest group, and so has no end there.
        """
        lowest, highest = self.levels_of(level, moves)
        begin, weak, strong, end = self.ends.tolist()
        places, cdf = cumulated(blurred(density, self.blur_of(moves), begin, end), begin, end)
        low = _crossing(places, cdf - np.interp(places, self.strengths, lowest))
        high = -_crossing(-places[::-1], (np.interp(places, self.strengths, highest) - cdf)[::-1])
        return (
            None if low < weak else min(low, strong),
            None if high > strong else max(high, weak),
        )

    def as_dict(self) -> dict[str, Any]:
        """Plain lists and numbers."""
        digits = {"moves": 1, "blur": 3, "levels": 6}
        rounded = {
            name: [round(float(value), number) for value in getattr(self, name)]
            for name, number in digits.items()
        }
        names = ("counts", "players", "ends", "strengths")
        exact = {name: getattr(self, name).tolist() for name in names}
        return {**rounded, "at": np.round(self.at, 6).tolist(), **exact}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> IntervalTable:
        """The table that `as_dict` wrote.

        Raises `InputError` if it is damaged.
        """
        try:
            given = {"strengths": [0.0], **fields}
            kinds = {"counts": np.int64, "players": np.int64}
            arrays: dict[str, Any] = {
                each.name: np.asarray(given[each.name], kinds.get(each.name, np.float64))
                for each in dataclass_fields(cls)
            }
            table = cls(**arrays)
            if table.at.ndim == 2:  # of version 0.1: the same for all strengths
                table = replace(table, at=table.at[:, None, :])
            parts = (table.moves, table.blur, table.levels, table.at, table.ends, table.strengths)
            number, near = len(table.moves), len(table.strengths)
            growing = (table.moves, table.strengths, table.ends, [0.0, *table.levels, 1.0])
            sound = (
                number > 0,
                near > 0,
                all(np.isfinite(part).all() for part in parts),
                table.ends.shape == (4,),
                table.at.shape == (number, near, len(table.levels)),
                all(len(part) == number for part in (table.blur, table.counts, table.players)),
                all((np.diff(part) > 0).all() for part in growing),
                (np.diff(table.at, axis=-1) >= 0).all(),
                (table.at >= 0).all() and (table.at <= 1).all(),
                (table.blur >= 0).all() and (table.moves >= 1).all(),
            )
        except (KeyError, TypeError, ValueError, IndexError, OverflowError):
            raise InputError("the table of intervals is damaged") from None
        if not all(map(bool, sound)):
            raise InputError("the table of intervals is damaged")
        return table


def _crossing(places: Floats, above: Floats) -> float:
    """The first place at which what starts below 0 is no longer so."""
    row = int(np.argmax(above >= 0.0))
    if row == 0:
        return float(places[0])
    share = -above[row - 1] / (above[row] - above[row - 1])
    return float(places[row - 1] + share * (places[row] - places[row - 1]))


def scale_ends(edges: Floats) -> Floats:
    """What an `IntervalTable` keeps of a scale with such groups: its `ends`."""
    return np.array([edges[0], edges[1], edges[-2], edges[-1]])


#: Probability that is added to every step, so that each has a quantile.
TRACE = 1e-12


def cumulated(density: ArrayLike, begin: float, end: float) -> tuple[Floats, Floats]:
    """Where the steps begin and end, and the distribution functions there."""
    p = np.asarray(density, np.float64) + TRACE
    cdf = np.concatenate([np.zeros((*p.shape[:-1], 1)), np.cumsum(p, axis=-1)], axis=-1)
    return np.linspace(begin, end, p.shape[-1] + 1), np.asarray(cdf / cdf[..., -1:])


@lru_cache(maxsize=64)
def blurring(steps: int, blur: float) -> Floats:
    """What each of so many steps becomes, blurred by so many steps; a row a step.

    What goes beyond the ends of the scale stays at them.
    """
    # An edge is half a step and some whole ones from the middle of a step; `normal` has them all.
    normal = normal_cdf(np.arange(0.5 - steps, steps) / blur)
    below = normal[np.arange(1, steps) + np.arange(steps - 1, -1, -1)[:, None]]
    whole = np.concatenate([np.zeros((steps, 1)), below, np.ones((steps, 1))], axis=1)
    return np.diff(whole, axis=1)


def blurred(density: ArrayLike, blur: float, begin: float, end: float) -> Floats:
    """Densities from one strength to another, less sure by an error of so many ranks."""
    p = np.asarray(density, np.float64)
    steps = p.shape[-1]
    width = round(round(blur, 2) * steps / (end - begin), 4)
    return np.asarray(p @ blurring(steps, width)) if width > 0.0 else p
