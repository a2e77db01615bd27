"""What loops are for, and how much of it plain Python does in a second or less.

Machine code is some fifty times as fast, but a process that uses it first imports numba
(0.3 s) and loads the code (0.1 s to 0.5 s); the first such process on a machine compiles
it, for seconds or up to a minute. Up to `Loops.small` plain Python is as quick or quicker
than a warm start, and spares the first user the compiler. Measured on one core of a common
server; what is small is a choice, and no result depends on it beyond the last digits.
"""

from __future__ import annotations

from enum import Enum

__all__ = ["Loops", "rating_work"]


class Loops(Enum):
    """What loops are for, and what of it is small.

    Attributes
    ----------
    title : str
        For the reader who waits.
    small : float
        So much of it runs as plain Python.
    """

    PGN = ("the reader of PGN", 1_000_000)  # bytes
    RATING = ("ratings", 6_000)  # pairs of players, and twentieths of games
    REPLAY = ("rating systems", 60_000)  # games of a system such as Elo, as often as replayed
    WHOLE_HISTORY = ("whole histories", 250)  # games, as often as fitted
    PAIRING = ("pairing", 30_000)  # squares of players, as often as paired
    SGF = ("the reader of SGF", 500_000)  # bytes
    BOARD = ("the board of Go", 80)  # positions

    def __init__(self, title: str, small: float) -> None:
        self.title = title
        self.small = small


def rating_work(games: int, players: int, times: int = 1) -> float:
    """How much there is to do for `Loops.RATING`, if so many games are rated so many times."""
    return times * (min(games, players * players) + games / 20)
