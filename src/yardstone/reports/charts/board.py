"""A Go board as a diagram: stones, numbers of the last moves, and one marked point."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from yardstone.go.points import PASS, check_size, point_name, point_number
from yardstone.reports.charts.shapes import Discs, Element, Shape, Sheet, Words

__all__ = ["BoardDiagram"]

#: Pixels between two lines, and from the edge to the first, where their names stand.
_CELL, _MARGIN = 20.0, 26.0
#: Half the width of a stone.
_STONE = 9.4
_LEAST_SIZE_FOR_STARS = 9


@dataclass(frozen=True)
class BoardDiagram:
    """A position.

    Attributes
    ----------
    words : str
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
        When it is drawn, if there is no such board or point.
    """

    words: str
    size: int
    black: Sequence[str]
    white: Sequence[str]
    numbered: Sequence[tuple[int, str]] = ()
    played: tuple[str, str] | None = None
    best: str | None = None

    def sheet(self) -> Sheet:
        """The diagram in pixels."""
        check_size(self.size)
        reach = 2.0 * _MARGIN + (self.size - 1) * _CELL
        return Sheet(reach, reach, [*self._lines(reach), *self._names(reach), *self._stones()])

    def svg(self) -> str:
        """An SVG element for a page, in the colours of its style sheet."""
        from yardstone.reports.charts.svg import page_svg

        return page_svg([self.sheet()], self.words)

    def standalone(self) -> str:
        """An SVG file as text, in fixed colours on white."""
        from yardstone.reports.charts.svg import file_svg

        return file_svg(self.sheet(), self.words)

    def save(self, path: Path) -> None:
        """Write it to a file ending in .svg, .png or .pdf."""
        from yardstone.reports.charts.files import save

        save(self.sheet(), path, self.words)

    def _at(self, point: int) -> tuple[float, float]:
        row, column = divmod(point, self.size)
        return _MARGIN + column * _CELL, _MARGIN + row * _CELL

    def _lines(self, reach: float) -> Iterator[Element]:
        """The wood, the grid, and the handicap points."""
        corners = [[0.0, 0.0], [reach, 0.0], [reach, reach], [0.0, reach]]
        yield Shape([np.array(corners)], fill="wood")
        last = reach - _MARGIN
        steps = [_MARGIN + k * _CELL for k in range(self.size)]
        across = [np.array([[_MARGIN, at], [last, at]]) for at in steps]
        down = [line[:, ::-1] for line in across]
        yield Shape([*across, *down], stroke="wood-line")
        if stars := _stars(self.size):
            yield Discs(_MARGIN + _CELL * np.array(stars, np.float64), 2.4, fill="wood-line")

    def _names(self, reach: float) -> Iterator[Words]:
        """Letters above and below, numbers on both sides."""
        for k in range(self.size):
            name = point_name(k * self.size + k, self.size)
            at = _MARGIN + k * _CELL
            for edge in (10.0, reach - 9.0):
                yield _letters(name[0], at, edge, 9.5, "wood-text")
            for edge in (11.0, reach - 10.0):
                yield _letters(name[1:], edge, at, 9.5, "wood-text")

    def _stones(self) -> Iterator[Element]:
        colours = {point_number(point, self.size): "black" for point in self.black}
        colours |= {point_number(point, self.size): "white" for point in self.white}
        for point, colour in sorted(colours.items()):
            yield _stone(self._at(point), colour)
        for count, name in self.numbered:
            point = point_number(name, self.size)
            if point == PASS:
                continue
            x, y = self._at(point)
            on = colours.get(point)
            if on is None:  # its stone is gone: clear the crossing so that the digits can be read
                yield Discs(np.array([[x, y]]), 8.0, fill="wood")
            ink = {"black": "white", "white": "black", None: "wood-text"}[on]
            yield _letters(str(count), x, y, 8.6 if count >= 100 else 11.0, ink, bold=True)
        if self.played is not None:
            colour, name = self.played
            point = point_number(name, self.size)
            if point != PASS:
                colours[point] = colour
                yield _stone(self._at(point), colour)
                yield Discs(np.array([self._at(point)]), 6.0, stroke="ring", width=2.6)
        if self.best is not None:
            point = point_number(self.best, self.size)
            if point != PASS and point not in colours:
                x, y = self._at(point)
                yield Discs(np.array([[x, y]]), _STONE, "wood", "choice", 2.0)
                yield _letters("A", x, y, 11.0, "choice", bold=True)


def _stone(at: tuple[float, float], colour: str) -> Discs:
    return Discs(np.array([at]), _STONE, colour, "black", 0.7)


def _letters(
    text: str, x: float, y: float, size: float, colour: str, *, bold: bool = False
) -> Words:
    """Text in the middle of a point."""
    return Words(text, x, y + 0.35 * size, size, "middle", colour, bold)


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
