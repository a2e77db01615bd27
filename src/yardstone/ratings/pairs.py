"""Pairs of games in which two players had the same opening once with each side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.choices import unknown_player
from yardstone.errors import InputError
from yardstone.ratings.matches import Match

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool

__all__ = ["PairedGames", "pentanomial"]

#: Columns of a pool that tell openings apart, where it has them.
USUAL_COLUMNS = ("event", "opening")


@dataclass(frozen=True, slots=True)
class PairedGames:
    """The games between two players, paired.

    Attributes
    ----------
    pairs : Match
        Five counts of pairs, seen by the first player; of size 0 if none.
    games : Match
        Three counts of all their games, paired or not.
    unpaired : int
        Games without a counterpart with the other side.
    by : tuple of str
        Columns in which the two games of a pair agree.
    """

    pairs: Match
    games: Match
    unpaired: int
    by: tuple[str, ...]

    @property
    def gain(self) -> float:
        """Standard error of the score from pairs over that from single games.

        Below 1 where openings favour one side: the two games of a pair then make
        up for each other. NaN where either cannot be computed.
        """
        single = self.games.standard_error
        return self.pairs.standard_error / single if single > 0.0 else float("nan")


def pentanomial(
    pool: Pool, first: str, second: str, *, by: Sequence[str] | None = None
) -> PairedGames:
    """Pair the games of two players that differ in who moved first.

    Among the games that agree in all columns of `by`, the k-th game with `first`
    to move is paired with the k-th game with `second` to move, in the order of
    the pool. Where a game of a pair may be missing, name a column that says which
    games belong together (an opening, or a round).

    Parameters
    ----------
    pool : Pool
    first, second : str
        The players; the counts are seen by `first`.
    by : sequence of str, optional
        Columns of the pool; by default those of ``event`` and ``opening`` it has.

    Raises
    ------
    InputError
        A player or a column is not in the pool, or the players never met.

    Examples
    --------
    >>> from yardstone.pool import Pool
    >>> pool = Pool.from_names("ABAB", "BABA", [1, 0.5, 0.5, 0.5])
    >>> pentanomial(pool, "A", "B").pairs.counts
    (0.0, 0.0, 1.0, 1.0, 0.0)
    """
    a, b = _number(pool, first), _number(pool, second)
    if a == b:
        raise InputError(f"a match has two players, not {first!r} twice")
    chosen = (
        tuple(name for name in USUAL_COLUMNS if name in pool.columns) if by is None else tuple(by)
    )
    for name in chosen:
        if name not in pool.columns:
            raise InputError(f"the games have no column {name!r}")
    met = ((pool.first == a) & (pool.second == b)) | ((pool.first == b) & (pool.second == a))
    if not met.any():
        raise InputError(f"{first!r} and {second!r} did not meet")
    moved = pool.first[met] == a
    score = np.where(moved, pool.score[met], 1.0 - pool.score[met])
    group = np.zeros(len(score), np.int64)
    for name in chosen:
        values, code = np.unique(pool.columns[name][met], return_inverse=True)
        _, group = np.unique(group * len(values) + code, return_inverse=True)
    _, left, right = np.intersect1d(
        _with_rank(group[moved]),
        _with_rank(group[~moved]),
        assume_unique=True,
        return_indices=True,
    )
    points = score[moved][left] + score[~moved][right]
    pairs = np.bincount((points * 2.0).astype(np.int64), minlength=5)
    games = np.bincount((score * 2.0).astype(np.int64), minlength=3)
    return PairedGames(
        Match(tuple(float(count) for count in pairs)),
        Match(tuple(float(count) for count in games)),
        len(score) - 2 * len(points),
        chosen,
    )


def _number(pool: Pool, player: str) -> int:
    try:
        return pool.players.index(player)
    except ValueError:
        raise unknown_player(player, pool.players) from None


def _with_rank(group: NDArray[np.int64]) -> NDArray[np.int64]:
    """One number for (group, how many of that group came before)."""
    order = np.argsort(group, kind="stable")
    ordered = group[order]
    start = np.flatnonzero(np.diff(ordered, prepend=-1))
    length = np.diff(np.append(start, len(group)))
    rank = np.empty(len(group), np.int64)
    rank[order] = np.arange(len(group)) - np.repeat(start, length)
    return group * (1 << 32) + rank
