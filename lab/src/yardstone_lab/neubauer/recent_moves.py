"""Recent moves: the last moves of both players before a game.

The recent move set of a player before game t holds the player's last N moves in the
games before t; passes have no features and are left out, and so is game t itself
(Neubauer 2024, definition 2, with t - 1 for the current time).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import InputError, UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool

    Integers = NDArray[np.int64]

__all__ = ["WINDOW", "Pieces", "recent_moves"]

#: The thesis' N: so many moves of each player at most.
WINDOW = 500


@dataclass(frozen=True, eq=False)
class Pieces:
    """Where the moves of each game of a pool lie in the rows of its features.

    Attributes
    ----------
    start, length : int64 arrays [games, 2]
        First row and number of rows of the first player's moves (Black's), and of the
        second's. A game whose moves are not known has length 0.
    known : bool array [games]
        Whether the moves are known; a known game may still have no move of a player.
    """

    start: Integers
    length: Integers
    known: NDArray[np.bool_]

    def __post_init__(self) -> None:
        """Refuse arrays that do not go together."""
        if self.start.shape != self.length.shape or self.start.shape != (len(self.known), 2):
            raise InputError("starts, lengths and what is known are not of the same games")
        if (self.length < 0).any():
            raise InputError("a game has fewer than no moves")


def recent_moves(
    pool: Pool,
    pieces: Pieces,
    games: NDArray[np.integer[Any]] | NDArray[np.bool_] | None = None,
    *,
    window: int = WINDOW,
    last_games: int | None = None,
) -> tuple[Integers, Integers]:
    """The last moves of both players before each of some games.

    Parameters
    ----------
    pool : Pool
        All games in order of time; of games at one moment, those that stand earlier
        count as earlier.
    pieces : Pieces
        Of the same games.
    games : int or bool array, optional
        The games to be looked at; all by default.
    window : int
        At most so many moves of each player.
    last_games : int, optional
        Only moves of the player's last so many games, as if the earlier ones had
        never been seen; 0 leaves nothing. Games whose moves are not known count.

    Returns
    -------
    rows : int64 [k]
        Rows of the features, of one side after the other, the oldest move first.
    starts : int64 [2 * games + 1]
        Side s (0 the first player, 1 the second) of the i-th game has
        ``rows[starts[2 * i + s]:starts[2 * i + s + 1]]``.
    """
    if len(pieces.known) != len(pool):
        raise InputError(f"moves of {len(pieces.known)} games are not of this pool of {len(pool)}")
    if window < 1:
        raise UsageError(f"a window has at least 1 move, not {window}")
    if last_games is not None and last_games < 0:
        raise UsageError(f"the last {last_games} games cannot be taken")
    chosen = np.arange(len(pool)) if games is None else np.asarray(games)
    if chosen.dtype == np.bool_:
        chosen = np.flatnonzero(chosen)
    order, place, begins = histories(pool)
    length = pieces.length.ravel()[order]
    ends = np.concatenate([[0], np.cumsum(length)])
    flat = ranges(pieces.start.ravel()[order], length)
    here = place[(2 * chosen[:, None] + np.array([0, 1])).ravel()]
    oldest = begins[here]
    if last_games is not None:
        oldest = np.maximum(oldest, here - last_games)
    stop = ends[here]
    start = np.maximum(ends[oldest], stop - window)
    taken = stop - start
    return flat[ranges(start, taken)], np.concatenate([[0], np.cumsum(taken)])


def histories(pool: Pool) -> tuple[Integers, Integers, Integers]:
    """The games of every player, one player after the other, each in order of time.

    Returns
    -------
    order : int64 [2 * games]
        Sides (twice the game, plus 1 for the second player) in that order.
    place : int64 [2 * games]
        Where each side stands in it.
    begins : int64 [2 * games]
        For each place, where its player's first game stands.
    """
    player = np.column_stack([pool.first, pool.second]).ravel().astype(np.int64)
    order = np.argsort(player, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    grouped = player[order]
    return order, place, np.searchsorted(grouped, grouped, side="left").astype(np.int64)


def ranges(start: Integers, length: Integers) -> Integers:
    """All of ``start, start + 1, …`` of one range after the other.

    Examples
    --------
    >>> ranges(np.array([5, 0]), np.array([2, 3]))
    array([5, 6, 0, 1, 2])
    """
    ends = np.cumsum(length)
    total = int(ends[-1]) if len(ends) else 0
    places: Integers = np.arange(total) + np.repeat(start - (ends - length), length)
    return places
