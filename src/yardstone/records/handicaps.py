"""Handicap stones, however a record gives them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from yardstone.records.go_game import BLACK, PASS, WHITE

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["HANDICAP_MISSING", "HandicapSetup", "handicap_setup", "standard_stones"]

HANDICAP_AS_MOVES = "handicap stones played as moves"
HANDICAP_MISSING = "handicap stones not placed: the standard points were used"
HANDICAP_UNSAID = "handicap not stated: the stones set up were counted"
_THIRDS: tuple[Literal["upper left", "lower right"], ...] = ("upper left", "lower right")
#: More stones than this in a row are no handicap.
_MOST = 9


@dataclass(frozen=True, slots=True)
class HandicapSetup:
    """Handicap stones as they stand before the first move.

    Attributes
    ----------
    handicap : int
        How many.
    black : int16 array
        Where.
    keep : slice or boolean array
        Which of the moves remain moves.
    hint : str or None
        What was put right; if None, nothing was, and the rest is to be ignored.
    """

    handicap: int
    black: NDArray[np.int16]
    keep: slice | NDArray[np.bool_]
    hint: str | None


def standard_stones(
    size: int, stones: int, *, third: Literal["upper left", "lower right"] = "upper left"
) -> NDArray[np.int16] | None:
    """The points where `stones` handicap stones stand by custom; None if there is none.

    2 to 9 stones on odd boards from 9 lines on, up to 4 on even ones and on 7 lines;
    in the order of GTP's ``fixed_handicap``, save that customs differ on the third.

    Examples
    --------
    >>> standard_stones(19, 2).tolist()  # Q16 and D4
    [72, 288]
    """
    if size < 7 or not 2 <= stones <= (9 if size % 2 and size >= 9 else 4):
        return None
    near = 3 if size >= 13 else 2
    far, middle = size - 1 - near, size // 2
    others = [(near, near), (far, far)]
    corners = [(near, far), (far, near), *(others if third == "upper left" else others[::-1])]
    sides = [(middle, near), (middle, far), (near, middle), (far, middle)]
    places = corners[: min(stones, 4)]
    if stones >= 6:
        places += sides[: 2 if stones < 8 else 4]
    if stones >= 5 and stones % 2:
        places.append((middle, middle))
    return np.sort(np.array([row * size + column for row, column in places], np.int16))


def handicap_setup(
    size: int,
    handicap: int,
    black: NDArray[np.int16],
    white: NDArray[np.int16],
    moves: NDArray[np.int16],
    colours: NDArray[np.int8],
    to_play: int,
) -> HandicapSetup:
    """Put the handicap stones of a game where they belong: on the board before it begins.

    Some programs write them as moves, with or without passes of White between them;
    some say how many there are but not where; some set them up without saying so.

    Parameters
    ----------
    size : int
        Lines of the board.
    handicap : int
        As the record says.
    black, white : int16 arrays
        Stones set up.
    moves, colours : arrays
        The main line.
    to_play : int
        Who moves first if the record says so, else 0.
    """
    nothing = slice(0, 0)
    if len(black) or len(white):
        first = to_play or (int(colours[0]) if len(colours) else 0)
        if handicap == 0 and not len(white) and len(black) >= 2 and first == WHITE:
            return HandicapSetup(len(black), black, slice(None), HANDICAP_UNSAID)
        return HandicapSetup(handicap, black, nothing, None)
    if not len(moves):
        return HandicapSetup(handicap, black, nothing, None)
    if colours[0] == BLACK:
        end, stones = _leading_stones(handicap, moves, colours)
        if len(stones) >= 2:
            return HandicapSetup(len(stones), np.sort(stones), slice(end, None), HANDICAP_AS_MOVES)
    elif handicap >= 2:
        for third in _THIRDS:
            points = standard_stones(size, handicap, third=third)
            # Where one of the first moves stands on such a point, the stones were elsewhere.
            if points is not None and not np.isin(moves[: 2 * _MOST], points).any():
                return HandicapSetup(handicap, points, slice(None), HANDICAP_MISSING)
    return HandicapSetup(handicap, black, nothing, None)


def _leading_stones(
    handicap: int, moves: NDArray[np.int16], colours: NDArray[np.int8]
) -> tuple[int, NDArray[np.int16]]:
    """Where White's first real move is, and the stones Black put before it, if a handicap."""
    none = np.empty(0, np.int16)
    if len(colours) < 2 or (colours[1] == WHITE and (handicap < 2 or moves[1] != PASS)):
        return 0, none  # nearly all games end here
    stones: list[int] = []
    for place, (move, colour) in enumerate(zip(moves.tolist(), colours.tolist(), strict=True)):
        if colour == BLACK and move != PASS and len(stones) < max(handicap, _MOST):
            stones.append(move)
            if len(set(stones)) == handicap >= 2:
                return place + 1, np.array(stones, np.int16)
        elif colour == WHITE and move == PASS and handicap >= 2:
            continue
        elif colour == WHITE and handicap < 2 and len(set(stones)) == len(stones):
            return place, np.array(stones, np.int16)
        else:
            break
    return 0, none
