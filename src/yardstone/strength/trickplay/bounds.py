"""The part of the board that a problem is about: told, or inferred from its stones."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import InputError
from yardstone.go.points import point_name, point_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Bounds", "inferred_bounds", "parse_bounds"]

#: Lines around what is shown, and lines to an edge that are taken along with it.
MARGIN = 1
NEAR_EDGE = 4
_CORNERS = re.compile(r"\s*([A-Za-z]\d{1,2})\s*[:\-]\s*([A-Za-z]\d{1,2})\s*")


@dataclass(frozen=True, slots=True)
class Bounds:
    """A rectangle of points: its first and last row and column, from 0."""

    top: int
    left: int
    bottom: int
    right: int

    def inside(self, size: int) -> NDArray[np.bool_]:
        """Whether each point of a board belongs to it, shape [size * size]."""
        mask = np.zeros((size, size), np.bool_)
        mask[self.top : self.bottom + 1, self.left : self.right + 1] = True
        return mask.reshape(-1)

    def named(self, size: int) -> str:
        """Its corners, as `parse_bounds` reads them."""
        first = point_name(self.top * size + self.left, size)
        return f"{first}:{point_name(self.bottom * size + self.right, size)}"


def parse_bounds(text: str, size: int) -> Bounds:
    """Read two opposite corners such as ``H10:T1``.

    Raises
    ------
    InputError
        If they are no points of a board of that size.

    Examples
    --------
    >>> parse_bounds("H10:T1", 19)
    Bounds(top=9, left=7, bottom=18, right=18)
    """
    match = _CORNERS.fullmatch(text)
    if match is None:
        raise InputError(f"{text!r} are not bounds", hint="write two corners, such as H10:T1")
    rows, columns = zip(
        *(divmod(point_number(corner, size), size) for corner in match.groups()), strict=True
    )
    return Bounds(min(rows), min(columns), max(rows), max(columns))


def inferred_bounds(size: int, points: Iterable[int]) -> Bounds:
    """The smallest rectangle around points that is still a sensible part of a board.

    There is one line around them, and a side that is then at most four lines from the
    edge of the board reaches to it: between a corner stone and the edge nothing stands.

    Examples
    --------
    >>> from yardstone.go.points import point_number
    >>> points = [point_number(name, 19) for name in ("P3", "R4", "P5")]
    >>> inferred_bounds(19, points).named(19)
    'O6:T1'
    """
    rows, columns = np.divmod(np.fromiter(points, np.int64), size)
    sides = []
    for lines in (rows, columns):
        first, last = int(lines.min()) - MARGIN, int(lines.max()) + MARGIN
        sides.append(
            (
                0 if first <= NEAR_EDGE else first,
                size - 1 if size - 1 - last <= NEAR_EDGE else last,
            )
        )
    (top, bottom), (left, right) = sides
    return Bounds(top, left, bottom, right)
