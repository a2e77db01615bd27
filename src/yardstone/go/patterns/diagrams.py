"""Reading patterns drawn with letters.

::

    ? ? . . . |      X  a black stone       b  Black or empty
    . . X . . |      O  a white stone       w  White or empty
    . . . O . |      .  an empty point      ?  anything
    . . . . . |
    ----------+      | - +  edges of the board

Blanks between points do not matter, nor do ``$$`` before a line. A side without an edge
is no edge: the pattern may stand anywhere along it, unless it fills the board.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from yardstone.errors import InputError
from yardstone.go.patterns.pattern import ANY, Pattern, allowed
from yardstone.go.points import BLACK, EMPTY, MAX_SIZE, MIN_SIZE, WHITE

__all__ = ["SIGNS", "Diagram", "is_diagram_line", "read_diagram"]

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
    """A pattern as it is drawn.

    Attributes
    ----------
    pattern : Pattern
        Where it may move, it stands at the bottom and at the left: then A1 is the
        lower left point of the drawing.
    top, left : int
        Row and column of its upper left point, from 0.
    rows, columns : int
        How large it is.
    """

    pattern: Pattern
    top: int
    left: int
    rows: int
    columns: int


@dataclass(slots=True)
class _Row:
    line: int
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

    Parameters
    ----------
    text : str or sequence of str
        The drawing, whole or in lines.
    size : int, optional
        Lines of the board; 19 unless the diagram shows all four edges.
    file, line : optional
        Where the first line stands, for messages.
    name : str

    Raises
    ------
    InputError
        It is no diagram, has no stone, or is larger than the board.

    Examples
    --------
    >>> diagram = read_diagram(". . .|\n. X .|\n. . .|\n-----+")
    >>> diagram.top, diagram.left, diagram.pattern.loose, len(diagram.pattern.placements())
    (16, 16, (False, False), 8)
    """
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
        row = _row(signs, file, number)
        if rows and (len(row.signs), row.left, row.right) != (
            len(rows[0].signs),
            rows[0].left,
            rows[0].right,
        ):
            what = "points" if len(row.signs) != len(rows[0].signs) else "edges"
            raise InputError(
                f"this row has other {what} than the first one",
                file=file,
                line=number,
                hint="draw all rows equally long, with | on the same sides",
            )
        rows.append(row)
    if not rows:
        raise InputError("the diagram has no row", file=file, line=line)
    if len(edges) > 2 or any(0 < place < len(rows) for place in edges):
        raise InputError(
            "an edge runs through the diagram", file=file, line=line, hint="draw one around it"
        )
    return _diagram(rows, 0 in edges, len(rows) in edges, size, file, line, name)


def _plain(text: str) -> str:
    return "".join(text.strip().removeprefix("$$").split())


def _row(signs: str, file: str | None, number: int) -> _Row:
    inner = signs.removeprefix("|").removesuffix("|")
    if strange := set(inner) - set(SIGNS):
        raise InputError(
            f"{min(strange)!r} is not a sign of a diagram",
            file=file,
            line=number,
            hint="X black, O white, . empty, ? anything, b and w: that colour or empty, | edge",
        )
    return _Row(number, inner, signs.startswith("|"), signs.endswith("|") and len(signs) > 1)


def _diagram(
    rows: list[_Row],
    top_edge: bool,
    bottom_edge: bool,
    size: int | None,
    file: str | None,
    line: int,
    name: str,
) -> Diagram:
    height, width = len(rows), len(rows[0].signs)
    left_edge, right_edge = rows[0].left, rows[0].right
    if size is None:
        closed = (top_edge and bottom_edge, height), (left_edge and right_edge, width)
        sizes = {length for whole, length in closed if whole}
        size = sizes.pop() if len(sizes) == 1 else _USUAL_SIZE
    if not MIN_SIZE <= size <= MAX_SIZE:
        raise InputError(
            f"boards of size {size} are not supported",
            file=file,
            line=line,
            hint=f"sizes are {MIN_SIZE} to {MAX_SIZE}",
        )
    sides = (("rows", height, top_edge, bottom_edge), ("columns", width, left_edge, right_edge))
    for what, length, first, last in sides:
        if length > size:
            raise InputError(
                f"the diagram has {length} {what}, the board {size}", file=file, line=line
            )
        if first and last and length < size:
            raise InputError(
                f"both edges are drawn, but there are {length} {what} of {size}",
                file=file,
                line=line,
                hint="draw all of them, or one edge",
            )
    top = 0 if top_edge else size - height
    left = size - width if right_edge and not left_edge else 0
    points = np.full((size, size), ANY, np.uint8)
    points[top : top + height, left : left + width] = [
        [SIGNS[sign] for sign in row.signs] for row in rows
    ]
    loose = (
        not (top_edge or bottom_edge) and height < size,
        not (left_edge or right_edge) and width < size,
    )
    try:
        pattern = Pattern(size, points.reshape(-1), loose, name)
    except InputError as error:
        raise InputError(error.message, file=file, line=line, hint=error.hint) from None
    return Diagram(pattern, top, left, height, width)
