"""What loops are for, and how much of it plain Python does in a second or less.

Machine code is some fifty times as fast, but a process that uses it first imports numba
(0.3 s) and loads the code (0.1 s to 0.5 s); the first such process on a machine compiles
it, for seconds or up to a minute. Up to `Loops.small` plain Python is as quick or quicker
than a warm start, and spares the first user the compiler. Measured on one core of a common
server; what is small is a choice, and no result depends on it beyond the last digits.
"""

from __future__ import annotations

import sys
from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, Self


class Loops(Enum):
    """What loops are for (`title`, for the reader who waits), and how much runs as plain Python."""

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


class Way(Enum):
    """How loops run."""

    PLAIN = "as plain Python"
    MACHINE = "as machine code"


class ChosenWay(NamedTuple):
    """A way, and the loops it was chosen for."""

    way: Way
    loops: Loops


#: None where nobody has chosen: loops then run as machine code.
CHOSEN: ContextVar[ChosenWay | None] = ContextVar("chosen", default=None)


_talks = True
_spares = False


def in_command(*, quiet: bool) -> None:
    """Tell that this process is a command of ours: nobody else's kernels run in it."""
    global _talks, _spares
    _talks, _spares = not quiet, True


def talks() -> bool:
    """Return whether this process says what it does, on standard error: a quiet one does not."""
    return _talks


def spares_packages() -> bool:
    """Whether numba may be imported without packages that only others' kernels need."""
    return _spares


def tell(text: str) -> None:
    """Say on standard error why nothing seems to happen, unless nobody wants to know."""
    if _talks:
        print(f"yardstone: {text}", file=sys.stderr, flush=True)


@dataclass(frozen=True)
class Setting:
    """The settings of this process, for a worker, and the way that was chosen for its loops."""

    talks: bool
    spares: bool
    chosen: ChosenWay | None

    @classmethod
    def here(cls, *, talks: bool) -> Self:
        """What holds here, for a worker; one of them talks, lest all say the same."""
        return cls(talks and _talks, _spares, CHOSEN.get())

    def take(self) -> None:
        """Let it hold in this process from now on."""
        global _talks, _spares
        _talks, _spares = self.talks, self.spares
        CHOSEN.set(self.chosen)
