"""What handicap stones and komi are worth to the side that moves first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.choices import check_fields
from yardstone.errors import InputError, UsageError
from yardstone.winprob.grades import MOST_KOMI, MOST_STONES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool

__all__ = ["Handicap", "stones_and_komi"]


@dataclass(frozen=True, kw_only=True)
class Handicap:
    """Rating points for handicap stones and komi, read from columns of a pool.

    A game with H stones gives Black H - 1 moves more than an even game, and in any
    game Black's first move is worth half a stone less the komi. With `even_komi`,
    the komi that makes a game fair, the head start in stones is

        max(H - 1, 0) + (1 - komi/even_komi)/2

    Without komi that is H - 1/2, as the European Go Federation counts.

    Parameters
    ----------
    column : str
        Column of the stones; 0 is an even game, 1 one without komi.
    komi_column : str, optional
        Column of the komi. Without it, and where it is NaN, even games have
        `even_komi` and all others none.
    points : float
        Rating points of one stone.
    even_komi : float
        The komi of a fair game.
    required : bool
        Raise InputError if the pool lacks a column, instead of taking all games for
        even ones.
    """

    column: str = "handicap"
    komi_column: str | None = None
    points: float = 100.0
    even_komi: float = 6.5
    required: bool = True

    def __post_init__(self) -> None:
        check_fields(self)
        if not self.even_komi > 0.0:
            raise UsageError(f"the komi of a fair game must be positive, not {self.even_komi}")

    def stones(self, pool: Pool) -> NDArray[np.float64] | None:
        """Head start of each game's first player in stones; None if all are even."""
        placed = self._column(pool, self.column)
        komi = None if self.komi_column is None else self._column(pool, self.komi_column)
        if placed is None and komi is None:
            return None
        stones = np.zeros(len(pool)) if placed is None else np.nan_to_num(placed)
        usual = np.where(stones >= 1.0, 0.0, self.even_komi)
        given = usual if komi is None else np.where(np.isnan(komi), usual, komi)
        return np.maximum(stones - 1.0, 0.0) + 0.5 * (1.0 - given / self.even_komi)

    def advantage(self, pool: Pool) -> NDArray[np.float64] | None:
        """The same in rating points."""
        stones = self.stones(pool)
        return None if stones is None else stones * self.points

    def _column(self, pool: Pool, name: str) -> NDArray[np.float64] | None:
        if name not in pool.columns:
            if self.required:
                raise InputError(f"the games have no column {name!r}")
            return None
        lowest, highest = (0, MOST_STONES) if name == self.column else (-MOST_KOMI, MOST_KOMI)
        values = _numbers(pool.columns[name], name)
        outside = values[(values < lowest) | (values > highest)]
        if len(outside):
            raise InputError(
                f"the column {name!r} holds {outside[0]:g}: {'stones' if not lowest else 'komi'} "
                f"from {lowest} to {highest} have a meaning"
            )
        return values


def stones_and_komi(pool: Pool) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Handicap stones of each game, 0 where none are known, and komi, NaN where it is not.

    Raises
    ------
    InputError
        The columns ``handicap`` or ``komi`` hold what is none.
    """
    reader = Handicap(required=False)
    stones, komi = (reader._column(pool, name) for name in ("handicap", "komi"))
    return (
        np.zeros(len(pool)) if stones is None else np.nan_to_num(stones),
        np.full(len(pool), np.nan) if komi is None else komi,
    )


def _numbers(column: NDArray[Any], name: str) -> NDArray[np.float64]:
    """Numbers of a column of numbers or texts; NaN where it says nothing."""
    if column.dtype.kind in "fiub":
        return column.astype(np.float64)
    texts = [str(value).strip() for value in column.tolist()]
    try:
        known = {text: float(text) if text else np.nan for text in set(texts)}
    except ValueError as error:
        raise InputError(
            f"the column {name!r} holds something that is not a number: {error}"
        ) from None
    return np.array([known[text] for text in texts], np.float64)
