"""A Go board as a picture: stones, numbers of the last moves, and one marked point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from yardstone.go.points import PASS, check_size, point_name, point_number
from yardstone.reports.svg import number, picture, tag

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = ["board_picture"]

#: Units between two lines.
_CELL = 20
#: From the edge of the picture to the first line; the names of the lines stand there.
_MARGIN = 26
#: Lines with handicap points, counted from the edge.
_LEAST_SIZE_FOR_STARS = 9


def board_picture(
    label: str,
    size: int,
    black: Sequence[str],
    white: Sequence[str],
    *,
    numbered: Sequence[tuple[int, str]] = (),
    played: tuple[str, str] | None = None,
    best: str | None = None,
) -> Markup:
    """A position.

    Parameters
    ----------
    label : str
        What the picture shows, for those who cannot see it.
    size : int
        Lines, 2 to 19.
    black, white : sequence of str
        Points with stones, such as ``Q16``.
    numbered : sequence of (int, str)
        Moves whose numbers stand on their stones, or on the bare point if the stone
        was captured.
    played : (str, str), optional
        The move that the picture is about, ``black`` or ``white`` and its point: a stone
        with a ring.
    best : str, optional
        A point to mark with a letter A.

    Raises
    ------
    InputError
        If there is no such board or point.
    """
    check_size(size)
    colours = {point_number(point, size): "black" for point in black}
    colours |= {point_number(point, size): "white" for point in white}
    parts = [_lines(size), *_names(size)]
    for point, colour in sorted(colours.items()):
        x, y = _place(point, size)
        parts.append(tag("circle", cx=x, cy=y, r=9.4, class_=f"stone {colour}"))
    for count, name in numbered:
        point = point_number(name, size)
        if point != PASS:
            parts += _number(count, point, size, colours.get(point))
    if played is not None and (point := point_number(played[1], size)) != PASS:
        x, y = _place(point, size)
        colours[point] = played[0]
        parts.append(tag("circle", cx=x, cy=y, r=9.4, class_=f"stone {played[0]}"))
        parts.append(tag("circle", cx=x, cy=y, r=6, class_="played"))
    if best is not None and (point := point_number(best, size)) != PASS:
        x, y = _place(point, size)
        if point not in colours:
            parts.append(tag("circle", cx=x, cy=y, r=9.4, class_="best"))
            parts.append(_letters("A", x, y, "best"))
    reach = _reach(size)
    return picture(label, *parts, class_="board", view=f"0 0 {reach} {reach}")


def _reach(size: int) -> int:
    return 2 * _MARGIN + (size - 1) * _CELL


def _place(point: int, size: int) -> tuple[int, int]:
    row, column = divmod(point, size)
    return _MARGIN + column * _CELL, _MARGIN + row * _CELL


def _lines(size: int) -> Markup:
    """The wood, the grid as one path, and the handicap points."""
    reach, last = _reach(size), _MARGIN + (size - 1) * _CELL
    steps = [_MARGIN + k * _CELL for k in range(size)]
    across = "".join(f"M{_MARGIN} {at}H{last}" for at in steps)
    down = "".join(f"M{at} {_MARGIN}V{last}" for at in steps)
    stars = [
        tag("circle", cx=_MARGIN + x * _CELL, cy=_MARGIN + y * _CELL, r=2.4, class_="star")
        for x, y in _stars(size)
    ]
    return tag(
        "g",
        tag("rect", width=reach, height=reach, rx=4, class_="wood"),
        tag("path", d=across + down, class_="lines"),
        *stars,
    )


def _stars(size: int) -> list[tuple[int, int]]:
    if size < _LEAST_SIZE_FOR_STARS:
        return []
    edge = 3 if size >= 13 else 2
    places = [edge, size - 1 - edge]
    middle = size // 2
    if size % 2 == 0:
        return [(x, y) for x in places for y in places]
    if size >= 15:
        places.insert(1, middle)
        return [(x, y) for x in places for y in places]
    return [(x, y) for x in places for y in places] + [(middle, middle)]


def _names(size: int) -> list[Markup]:
    """Letters above and below, numbers on both sides."""
    far = _reach(size) - 8
    names = []
    for k in range(size):
        name = point_name(k * size + k, size)
        at = _MARGIN + k * _CELL
        names += [_letters(name[0], at, edge, "name") for edge in (10, far - 1)]
        names += [_letters(name[1:], edge, at, "name") for edge in (11, far - 2)]
    return names


def _number(count: int, point: int, size: int, colour: str | None) -> list[Markup]:
    x, y = _place(point, size)
    parts = []
    if colour is None:  # its stone is gone: clear the crossing so that the digits can be read
        parts.append(tag("circle", cx=x, cy=y, r=8, class_="gone"))
    length = " long" if count >= 100 else ""
    return [*parts, _letters(str(count), x, y, f"count {colour or 'bare'}{length}")]


def _letters(text: str, x: float, y: float, kind: str) -> Markup:
    """Text in the middle of a point; `dy` puts its middle there in every browser."""
    return tag(
        "text", text, x=number(x), y=number(y), dy="0.35em", text_anchor="middle", class_=kind
    )
