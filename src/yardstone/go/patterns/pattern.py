"""`Pattern`: what stands on a part of the board, and the ways it can lie on a whole one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yardstone.arrays import Flags, Ints
from yardstone.errors import InputError
from yardstone.go.points import (
    BLACK,
    EMPTY,
    SYMMETRIES,
    WHITE,
    check_size,
    point_name,
    symmetry_points,
)

#: What a point that is left open may be: everything.
ANY = 7


def allowed(*colours: int) -> int:
    """The number of a point which may have any of these colours: the bit 1 << colour of each."""
    return sum(1 << colour for colour in set(colours))


def swapped_colours(points: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """What points may be if Black and White change places."""
    return ((points & 1) | ((points & 2) << 1) | ((points & 4) >> 1)).astype(np.uint8)


def back_to_front(size: int) -> Ints:
    """Where each point came from under each symmetry: the inverse of `symmetry_points`."""
    return np.argsort(symmetry_points(size), axis=1).astype(np.int32)


@dataclass(frozen=True, slots=True)
class Placement:
    """One way for a pattern to lie on a board.

    The pattern is first moved by whole lines, then turned, then its colours change.
    """

    symmetry: int  #: 0 to 7, as in `yardstone.go.points.symmetry_points`.
    swapped: bool  #: Whether Black stands where the pattern has White.
    #: `down`, `right`: lines that it is moved by before it is turned; 0 unless the pattern is
    #: loose.
    down: int = 0
    right: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """A part of a board: which points are known, and what they may be.

    Raises:
        InputError: If no stone is known, or a point may be nothing at all.

    Examples:
        >>> from yardstone.go.points import point_number
        >>> points = np.full(81, ANY, np.uint8)
        >>> points[point_number("G3", 9)] = allowed(BLACK)
        >>> pattern = Pattern(9, points)
        >>> len(pattern.placements())
        8
    """

    size: int  #: Lines of the board, 2 to 19.
    #: A bit for each colour that a point may have (1 empty, 2 Black, 4 White); 7 is a point that
    #: may be anything.
    points: NDArray[np.uint8]
    #: Whether it may stand further up or down, and further left or right, on the board. What
    #: belongs to an edge is not loose.
    loose: tuple[bool, bool] = (False, False)
    name: str = "the pattern"  #: For messages.

    def __post_init__(self) -> None:
        check_size(self.size)
        points = np.ascontiguousarray(self.points, np.uint8)
        if points.shape != (self.size**2,):
            raise InputError(
                f"{self.name} has {points.size} points, not {self.size**2}",
                hint="give each point of the board",
            )
        if (points > ANY).any() or not points.all():
            raise InputError(f"{self.name} has a point that may be nothing at all")
        if not len(self._stones(points)):
            raise InputError(
                f"{self.name} has no stone: it would be found everywhere",
                hint="put at least one stone",
            )
        points.setflags(write=False)
        object.__setattr__(self, "points", points)

    @staticmethod
    def _stones(points: NDArray[np.uint8]) -> NDArray[np.intp]:
        return np.flatnonzero((points == 1 << BLACK) | (points == 1 << WHITE))

    @classmethod
    def of_stones(
        cls,
        size: int,
        stones: NDArray[np.integer],
        inside: Flags,
        *,
        name: str = "the pattern",
    ) -> Pattern:
        """What stands inside a part of a board.

        Args:
            stones (int array [size * size]): Colours of all points.
            inside (bool array [size * size]): The points that are known.

        Raises:
            InputError: If a stone stands outside, or there is none.
        """
        outside = np.flatnonzero((stones != EMPTY) & ~inside)
        if len(outside):
            raise InputError(
                f"{name}: the stone at {point_name(int(outside[0]), size)} is outside the bounds",
                hint="make them wider",
            )
        return cls(size, np.where(inside, 1 << stones.astype(np.int64), ANY), name=name)

    @property
    def known(self) -> NDArray[np.intp]:
        """Points that may not be anything, in rising order."""
        return np.flatnonzero(self.points != ANY)

    @property
    def stones(self) -> NDArray[np.intp]:
        """Points that must be of one colour, in rising order."""
        return self._stones(self.points)

    def colour(self, point: int) -> int:
        """The colour that a point must have: 0 empty, 1 Black, 2 White; -1 if there are several."""
        value = int(self.points[point])
        return value.bit_length() - 1 if value in (1, 2, 4) else -1

    def changed(self, changes: Iterable[tuple[int, int]]) -> Pattern:
        """The pattern with other values at some points: pairs of a point and `allowed` colours."""
        points = self.points.copy()
        for point, value in changes:
            points[point] = value
        return Pattern(self.size, points, self.loose, self.name)

    def room(self, also: Iterable[int] = ()) -> tuple[range, range]:
        """Lines that it can be moved by, down and right, so that all of it stays on the board.

        `also` are further points that must stay on it.
        """
        needed = np.array([*self.known.tolist(), *also])
        ranges = []
        for loose, lines in zip(self.loose, np.divmod(needed, self.size), strict=True):
            least, most = int(lines.min()), int(lines.max())
            ranges.append(range(-least, self.size - most) if loose else range(1))
        return ranges[0], ranges[1]

    def placements(self, also: Iterable[int] = ()) -> list[tuple[Placement, NDArray[np.uint8]]]:
        """Every way to lie on a board, equal ones once, with what each point may then be."""
        downs, rights = self.room(also)
        table = symmetry_points(self.size)
        board = self.points.reshape(self.size, self.size)
        ways: dict[bytes, tuple[Placement, NDArray[np.uint8]]] = {}
        for down in downs:
            for right in rights:
                moved = np.roll(board, (down, right), (0, 1)).reshape(-1)
                for swapped in (False, True):
                    plain = swapped_colours(moved) if swapped else moved
                    for symmetry in range(SYMMETRIES):
                        turned = np.empty_like(plain)
                        turned[table[symmetry]] = plain
                        key = turned.tobytes()
                        if key not in ways:
                            ways[key] = Placement(symmetry, swapped, down, right), turned
        return list(ways.values())


#: What each sign allows a point to be.
SIGNS = {
    **dict.fromkeys("Xx", allowed(BLACK)),
    **dict.fromkeys("Oo", allowed(WHITE)),
    **dict.fromkeys(".,", allowed(EMPTY)),
    "b": allowed(BLACK, EMPTY),
    "w": allowed(WHITE, EMPTY),
    **dict.fromkeys("?*", ANY),
}
_EDGE = frozenset("-+=")
_USUAL_SIZE = 19


@dataclass(frozen=True, slots=True, eq=False)
class Diagram:
    """A pattern as it is drawn."""

    #: Where it may move, it stands at the bottom and at the left: then A1 is the lower left point
    #: of the drawing.
    pattern: Pattern
    top: int  #: `top`, `left`: row and column of its upper left point, from 0.
    left: int
    rows: int  #: `rows`, `columns`: how large it is.
    columns: int


class _Row(NamedTuple):
    signs: str
    left: bool
    right: bool


def is_diagram_line(text: str) -> bool:
    """Whether a line is a row or an edge of a diagram."""
    signs = _plain(text)
    inner = signs.strip("|")
    return bool(signs) and (set(signs) <= _EDGE or (bool(inner) and set(inner) <= set(SIGNS)))


def read_diagram(
    text: str | Sequence[str],
    *,
    size: int | None = None,
    file: str | None = None,
    line: int = 1,
    name: str = "the pattern",
) -> Diagram:
    r"""Read a diagram.

    Args:
        text: The drawing, whole or in lines.
        size: Lines of the board; 19 unless the diagram shows all four edges.
        file, line: Where the first line stands, for messages.

    Raises:
        InputError: It is no diagram, has no stone, or is larger than the board.

    Examples:
        >>> diagram = read_diagram(". . .|\n. X .|\n. . .|\n-----+")
        >>> diagram.top, diagram.left, diagram.pattern.loose, len(diagram.pattern.placements())
        (16, 16, (False, False), 8)
    """
    fail = partial(InputError, file=file)
    lines = text.splitlines() if isinstance(text, str) else list(text)
    rows: list[_Row] = []
    edges: list[int] = []
    for number, raw in enumerate(lines, start=line):
        signs = _plain(raw)
        if not signs:
            continue
        if set(signs) <= _EDGE:
            edges.append(len(rows))
            continue
        inner = signs.removeprefix("|").removesuffix("|")
        if strange := set(inner) - set(SIGNS):
            hint = "X black, O white, . empty, ? anything, b and w: that colour or empty, | edge"
            raise fail(f"{min(strange)!r} is not a sign of a diagram", line=number, hint=hint)
        row = _Row(inner, signs.startswith("|"), signs.endswith("|") and len(signs) > 1)
        first = rows[0] if rows else row
        if len(row.signs) != len(first.signs) or row[1:] != first[1:]:
            what = "points" if len(row.signs) != len(first.signs) else "edges"
            raise fail(
                f"this row has other {what} than the first one",
                line=number,
                hint="draw all rows equally long, with | on the same sides",
            )
        rows.append(row)
    fail = partial(fail, line=line)
    if not rows:
        raise fail("the diagram has no row")
    if len(edges) > 2 or any(0 < place < len(rows) for place in edges):
        raise fail("an edge runs through the diagram", hint="draw one around it")
    top_edge, bottom_edge = 0 in edges, len(rows) in edges
    height, width = len(rows), len(rows[0].signs)
    left_edge, right_edge = rows[0].left, rows[0].right
    if size is None:
        closed = (top_edge and bottom_edge, height), (left_edge and right_edge, width)
        sizes = {length for whole, length in closed if whole}
        size = sizes.pop() if len(sizes) == 1 else _USUAL_SIZE
    sides = (("rows", height, top_edge, bottom_edge), ("columns", width, left_edge, right_edge))
    try:
        check_size(size)
        for what, length, one, other in sides:
            if length > size:
                raise fail(f"the diagram has {length} {what}, the board {size}")
            if one and other and length < size:
                raise fail(
                    f"both edges are drawn, but there are {length} {what} of {size}",
                    hint="draw all of them, or one edge",
                )
        top = 0 if top_edge else size - height
        left = size - width if right_edge and not left_edge else 0
        points = np.full((size, size), ANY, np.uint8)
        drawn = [[SIGNS[sign] for sign in row.signs] for row in rows]
        points[top : top + height, left : left + width] = drawn
        down = not (top_edge or bottom_edge) and height < size
        right = not (left_edge or right_edge) and width < size
        pattern = Pattern(size, points.reshape(-1), (down, right), name)
    except InputError as error:
        raise fail(error.message, hint=error.hint) from None
    return Diagram(pattern, top, left, height, width)


def _plain(text: str) -> str:
    return "".join(text.strip().removeprefix("$$").split())
