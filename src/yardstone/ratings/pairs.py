"""Pairs of games in which two players had the same opening once with each side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.choices import checked_arguments, no_such, unknown_player
from yardstone.errors import InputError, NoGamesError
from yardstone.ratings.matches import Match
from yardstone.ratings.pairing import Manner, find_pairing, grouped, rank_within

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool

__all__ = ["PairedGames", "pentanomial"]


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
    manner : str
        How the pairs were found: by the ``columns`` that were asked for, by ``round``,
        ``position`` or ``order``, or not at all: ``none``.
    sides : (Match, Match)
        Three counts of the games in which the first player moved first, and of the others;
        both are seen by the first player.
    """

    pairs: Match
    games: Match
    unpaired: int
    by: tuple[str, ...]
    manner: Manner
    sides: tuple[Match, Match]

    @property
    def gain(self) -> float:
        """Standard error of the score from pairs over that from single games.

        Below 1 where openings favour one side: the two games of a pair then make
        up for each other. NaN where either cannot be computed.
        """
        single = self.games.standard_error
        return self.pairs.standard_error / single if single > 0.0 else float("nan")


@checked_arguments()
def pentanomial(
    pool: Pool, first: str, second: str, *, by: Sequence[str] | None = None
) -> PairedGames:
    """Pair the games of two players that differ in who moved first.

    Without `by` the games tell which belong together, in the first of these ways that they
    allow; `PairedGames.manner` says which:

    ``round``
        Each round (of an event) has two games at most, with sides swapped, as match
        programs number them. Starting positions, where they are known, are the same.
    ``position``
        Games from the same starting position (``fen``), in their order.
    ``order``
        Of the games in their order each two that follow one another have sides swapped.
    ``none``
        Nothing says which games belong together: there are no pairs.

    Parameters
    ----------
    pool : Pool
    first, second : str
        The players; the counts are seen by `first`.
    by : sequence of str, optional
        Columns of the pool. Among the games that agree in all of them, the k-th game with
        `first` to move is paired with the k-th with `second` to move; where a game of a
        pair may be missing, they must say which games belong together.

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
    for name in by or ():
        if name not in pool.columns:
            raise InputError(no_such("column", name, pool.columns))
    met = ((pool.first == a) & (pool.second == b)) | ((pool.first == b) & (pool.second == a))
    if not met.any():
        raise NoGamesError(f"{first!r} and {second!r} did not meet")
    moved = pool.first[met] == a
    score = np.where(moved, pool.score[met], 1.0 - pool.score[met])
    manner: Manner = "columns"
    chosen = tuple(by or ())
    group = None
    if by is None:
        manner, chosen, group = find_pairing(
            {name: column[met] for name, column in pool.columns.items()}, moved
        )
    if group is None:
        group = grouped([pool.columns[name][met] for name in chosen], len(score))
    points = np.empty(0)
    if manner != "none":
        _, left, right = np.intersect1d(
            _with_rank(group[moved]),
            _with_rank(group[~moved]),
            assume_unique=True,
            return_indices=True,
        )
        points = score[moved][left] + score[~moved][right]
    return PairedGames(
        _counted(points, 5),
        _counted(score, 3),
        len(score) - 2 * len(points),
        chosen,
        manner,
        (_counted(score[moved], 3), _counted(score[~moved], 3)),
    )


def _counted(points: NDArray[np.float64], kinds: int) -> Match:
    counts = np.bincount((points * 2.0).astype(np.int64), minlength=kinds)
    return Match(tuple(float(count) for count in counts))


def _number(pool: Pool, player: str) -> int:
    try:
        return pool.players.index(player)
    except ValueError:
        raise unknown_player(player, pool.players) from None


def _with_rank(group: NDArray[np.int64]) -> NDArray[np.int64]:
    """One number for (group, how many of that group came before)."""
    return group * (1 << 32) + rank_within(group)
