"""`GoGame`: one game of Go as a record has it, whatever format it came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BLACK", "DRAWN", "EMPTY", "PASS", "UNKNOWN", "WHITE", "GoGame"]

#: Colours of points, moves and winners.
EMPTY = 0
BLACK = 1
WHITE = 2
#: The move that puts no stone.
PASS = -1
#: Values of `GoGame.winner` beside the colours: no result that counts, and jigo.
UNKNOWN = 0
DRAWN = -1


def _no_properties() -> Mapping[str, tuple[str, ...]]:
    return MappingProxyType({})


def _no_points() -> NDArray[np.int16]:
    return np.empty(0, np.int16)


def _no_colours() -> NDArray[np.int8]:
    return np.empty(0, np.int8)


@dataclass(frozen=True, slots=True, eq=False)
class GoGame:
    """One game: its place, players, result, stones set up and moves.

    A point is ``row * size + column``, both from 0; row 0 is the top row (SGF ``a``),
    column 0 the left one. On 19x19, SGF ``pd`` is column 15 of row 3: point 72.

    Attributes
    ----------
    file : str
        The file, or ``archive.zip/member.sgf``; '' if the game was not read.
    line : int
        The line at which it begins, from 1; 0 if unknown.
    number : int
        Its number within the file, from 1.
    size : int
        Lines of the board, 2 to 19.
    komi : float or None
        Points that White gets; what servers write in other units is repaired. None
        if the record does not say.
    handicap : int
        Stones that Black put before White's first move; 0 in an even game.
    rules : str
        As written; '' if absent.
    setup_black, setup_white : int16 arrays
        Stones on the board before the first move.
    to_play : int
        The colour that moves first: 1 Black, 2 White.
    moves : int16 array
        Points of the main line; -1 is a pass.
    colours : int8 array
        Who made each move: 1 Black, 2 White.
    black, white : str
        Names; '' if absent.
    black_rank, white_rank, black_team, white_team : str
        As written; '' if absent.
    result : str
        As written; '' if absent.
    winner : int
        1 Black, 2 White, -1 a draw (jigo), 0 none or unknown.
    date : datetime64[s]
        When it was played, or began; NaT if unknown.
    event, place : str
        As written; '' if absent.
    time_left : float32 array or None
        Seconds that the mover had left after each move, NaN where the record does
        not say; None if it never does.
    properties : mapping of str to tuples of str
        Everything the record says of the game as a whole, decoded.
    """

    file: str = ""
    line: int = 0
    number: int = 1
    size: int = 19
    komi: float | None = None
    handicap: int = 0
    rules: str = ""
    setup_black: NDArray[np.int16] = field(default_factory=_no_points)
    setup_white: NDArray[np.int16] = field(default_factory=_no_points)
    to_play: int = BLACK
    moves: NDArray[np.int16] = field(default_factory=_no_points)
    colours: NDArray[np.int8] = field(default_factory=_no_colours)
    black: str = ""
    white: str = ""
    black_rank: str = ""
    white_rank: str = ""
    black_team: str = ""
    white_team: str = ""
    result: str = ""
    winner: int = UNKNOWN
    date: np.datetime64 = field(default_factory=lambda: np.datetime64("NaT", "s"))
    event: str = ""
    place: str = ""
    time_left: NDArray[np.float32] | None = None
    properties: Mapping[str, tuple[str, ...]] = field(default_factory=_no_properties)
