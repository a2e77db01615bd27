"""Moves in the usual notation, such as ``24/18 13/11(2) bar/21* 6/off``."""

from __future__ import annotations

import re
from itertools import pairwise

from yardstone.errors import InputError

__all__ = ["BAR", "OFF", "move_steps"]

#: The bar and the place of chequers borne off, as numbers of points.
BAR, OFF = 25, 0
_PART = re.compile(r"([0-9]{1,2}|bar|off)", re.IGNORECASE)
_STEP = re.compile(
    r"(?P<places>(?:[0-9]{1,2}|bar)(?:/(?:[0-9]{1,2}|off)\*?)+)(?:\((?P<times>[1-4])\))?",
    re.IGNORECASE,
)


def move_steps(move: str) -> list[tuple[int, int]]:
    """The steps of a move, each from one of the player's own points to another.

    Points on the way are kept as steps of their own; hits are not marked.

    Raises
    ------
    InputError
        It is not a move.

    Examples
    --------
    >>> move_steps("bar/21 6/off(2)"), move_steps("24/18*/16")
    ([(25, 21), (6, 0), (6, 0)], [(24, 18), (18, 16)])
    """
    steps: list[tuple[int, int]] = []
    for word in move.split():
        match = _STEP.fullmatch(word)
        places = [] if match is None else [_place(each) for each in _PART.findall(match["places"])]
        pairs = list(pairwise(places))
        if match is None or not all(BAR >= one > other >= OFF for one, other in pairs):
            raise InputError(f"{move!r} is not a move", hint="one is 24/18 13/11")
        steps += pairs * int(match["times"] or 1)
    return steps


def _place(text: str) -> int:
    return int(text) if text.isdigit() else {"bar": BAR, "off": OFF}[text.lower()]
