"""Calibrated intervals: a 90 % interval that holds 90 % of players never seen.

A model gives a distribution on a scale of ranks, where n dan is n to n + 1, 1 kyu 0 to 1,
2 kyu -1 to 0 (`yardstone.strength.model_scale`). A table says where its quantiles really are,
as `fit_intervals` measured on players whom the model has not seen.

The weakest group has all who are weaker as well, and the strongest all who are stronger:
no strengths are told apart within them. An interval that reaches into one of them has no
end on that side: it is a bound.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from yardstone.errors import InputError, UsageError
from yardstone.strength.estimate.distribution import blurred, quantiles

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]

#: Low and high end; None where there is none.
Interval: TypeAlias = tuple[float | None, float | None]

__all__ = ["LEVELS", "Interval", "IntervalTable", "scale_ends"]

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
    ends : float64 [4]
        Where the scale begins, where its weakest group ends, where its strongest one begins,
        and where the scale ends.
    """

    moves: Array
    blur: Array
    levels: Array
    at: Array
    counts: Ints
    players: Ints
    ends: Array

    @classmethod
    def plain(cls, edges: Array) -> IntervalTable:
        """One that takes the distributions on a scale with such groups as they are."""
        none = np.zeros(1, np.int64)
        levels = LEVELS[None, :]
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

    def level_of(self, level: float, moves: int) -> float:
        """The level of the blurred distribution that holds a level with so many moves."""
        rows = np.array([np.interp(level, self._x, row) for row in self._y])
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
            On the scale. As likely is the strength to lie below as above; None where
            the interval reaches into the weakest or the strongest group, and so has no
            end there.
        """
        levels = self.levels_of(level, moves)
        begin, weak, strong, end = self.ends.tolist()
        less_sure = blurred(density, self.blur_of(moves), begin, end)
        low, high = quantiles(less_sure, levels, begin, end)
        return (
            None if low < weak else min(float(low), strong),
            None if high > strong else max(float(high), weak),
        )

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
            "ends": [float(value) for value in self.ends],
        }

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> IntervalTable:
        """The table that `as_dict` wrote.

        Raises
        ------
        InputError
            It is damaged.
        """
        try:
            table = cls(
                np.asarray(fields["moves"], np.float64),
                np.asarray(fields["blur"], np.float64),
                np.asarray(fields["levels"], np.float64),
                np.asarray(fields["at"], np.float64),
                np.asarray(fields["counts"], np.int64),
                np.asarray(fields["players"], np.int64),
                np.asarray(fields["ends"], np.float64),
            )
            parts = (table.moves, table.blur, table.levels, table.at, table.ends)
            whole = all(np.isfinite(part).all() for part in parts) and (table.blur >= 0).all()
            number = len(table.moves)
            shapes = table.at.shape == (number, len(table.levels)) and all(
                part.shape == (number,) for part in (table.blur, table.counts, table.players)
            )
            grows = (np.diff(table._x) > 0).all() and (np.diff(table.at, axis=1) >= 0).all()
            inside = (table.at >= 0).all() and (table.at <= 1).all()
            moves = number > 0 and (table.moves >= 1).all() and table.ends.shape == (4,)
            inside = inside and (np.diff(table.ends) > 0.0).all()
            growing = bool((np.diff(table.moves) > 0).all())
        except (KeyError, TypeError, ValueError, IndexError):
            raise InputError("the table of intervals is damaged") from None
        if not (whole and shapes and grows and inside and moves and growing):
            raise InputError("the table of intervals is damaged")
        return table


def scale_ends(edges: Array) -> Array:
    """What an `IntervalTable` keeps of a scale with such groups: its `ends`."""
    return np.array([edges[0], edges[1], edges[-2], edges[-1]])
