"""Boards of Go and backgammon as diagrams."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import hypot

import numpy as np

from yardstone.backgammon.positions import BAR, CHEQUERS, OFF, Position
from yardstone.go.points import PASS, check_size, point_name, point_number
from yardstone.reports.drawing import Discs, Drawn, Element, Shape, Sheet, Words, rectangle

#: Pixels between two lines, and from the edge to the first, where their names stand.
_CELL, _MARGIN = 20.0, 26.0
#: Half the width of a stone.
_STONE = 9.4


@dataclass(frozen=True)
class BoardDiagram(Drawn):
    """A position.

    Raises:
        InputError: When it is drawn, if there is no such board or point.
    """

    words: str  #: What the picture shows, for those who cannot see it.
    size: int  #: Lines, 2 to 19.
    black: Sequence[str]  #: `black`, `white`: points with stones, such as ``Q16``.
    white: Sequence[str]
    #: Moves whose numbers stand on their stones, or on the bare point if the stone was captured.
    numbered: Sequence[tuple[int, str]] = ()
    #: The move that the picture is about, ``black`` or ``white`` and its point: a stone with a
    #: ring.
    played: tuple[str, str] | None = None
    best: str | None = None  #: A point to mark with a letter A.

    def sheet(self) -> Sheet:
        """The diagram in pixels."""
        check_size(self.size)
        reach = 2.0 * _MARGIN + (self.size - 1) * _CELL
        return Sheet(reach, reach, [*self._lines(reach), *self._names(reach), *self._stones()])

    def _at(self, point: int) -> tuple[float, float]:
        row, column = divmod(point, self.size)
        return _MARGIN + column * _CELL, _MARGIN + row * _CELL

    def _lines(self, reach: float) -> Iterator[Element]:
        yield Shape([rectangle(0.0, 0.0, reach, reach)], fill="wood")
        last = reach - _MARGIN
        steps = [_MARGIN + k * _CELL for k in range(self.size)]
        across = [np.array([[_MARGIN, at], [last, at]]) for at in steps]
        yield Shape([*across, *(line[:, ::-1] for line in across)], stroke="wood-line")
        if stars := _stars(self.size):
            yield Discs(_MARGIN + _CELL * np.array(stars, np.float64), 2.4, fill="wood-line")

    def _names(self, reach: float) -> Iterator[Words]:
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


def _letters(text: str, x: float, y: float, size: float, ink: str, *, bold: bool = False) -> Words:
    """Text with its middle at a place."""
    return Words(text, x, y + 0.35 * size, size, "middle", ink, bold)


def _stars(size: int) -> list[tuple[int, int]]:
    if size < 9:
        return []
    edge, middle = 3 if size >= 13 else 2, size // 2
    places = [edge, size - 1 - edge]
    if size % 2 and size >= 15:
        places.insert(1, middle)
    stars = [(x, y) for x in places for y in places]
    return [*stars, (middle, middle)] if size % 2 and size < 15 else stars


#: Pixels: width of a point, radius of a chequer, margins at the sides, above and below.
_POINT, _CHEQUER = 30.0, 13.5
_SIDE, _RIM = 34.0, 36.0
_BAR = 34.0
#: Height of the board, and of a point.
_HEIGHT, _REACH = 336.0, 138.0
#: Chequers drawn on a point; where there are more, their number stands on the first.
_STACK = 5
_WIDTH = 2.0 * _SIDE + 12.0 * _POINT + _BAR
_COLOURS = ("black", "white")
_INK = {"black": "white", "white": "black"}
#: Of the six numbers of a die, where the pips lie, in thirds of its half width.
_PIPS: tuple[tuple[tuple[int, int], ...], ...] = (
    ((0, 0),),
    ((-1, -1), (1, 1)),
    ((-1, -1), (0, 0), (1, 1)),
    ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
)


@dataclass(frozen=True)
class BackgammonDiagram(Drawn):
    """A position, seen by the player who decides; player 0 has the black chequers."""

    words: str  #: What the picture shows, for those who cannot see it.
    position: Position
    names: tuple[str, str] = ("", "")  #: Of player 0 and player 1.
    #: Points from and to, of the player on roll, that arrows join.
    steps: Sequence[tuple[int, int]] = ()
    best: bool = False  #: Whether the arrows are of the better move, which has a colour of its own.

    def sheet(self) -> Sheet:
        """The diagram in pixels."""
        elements = [
            *_board(), *self._chequers(), *self._cube(), *self._dice(), *self._sides(),
            *self._arrows(),
        ]  # fmt: skip
        return Sheet(_WIDTH, _HEIGHT + 2.0 * _RIM, elements)

    def _side(self, player: int) -> tuple[int, ...]:
        """The chequers of a player, on that player's own points."""
        return self.position.own if player == self.position.on_roll else self.position.other

    def _chequers(self) -> Iterator[Element]:
        for player, colour in enumerate(_COLOURS):
            for place, number in enumerate(self._side(player), 1):
                for height in range(min(number, _STACK)):
                    at = np.array([self._at(player, place, height)])
                    yield Discs(at, _CHEQUER - 0.5, colour, "c7", 1.0)
                if number > _STACK:  # at the rim, where no arrow begins
                    x, y = self._at(player, place)
                    yield _letters(str(number), x, y, 13.0, _INK[colour], bold=True)

    def _at(self, player: int, place: int, height: int = 0) -> tuple[float, float]:
        """Middle of a chequer of a player on one of the player's own points, or the bar."""
        step = (2.0 * _CHEQUER) * height + _CHEQUER
        bottom = player == self.position.to_decide
        if place == BAR:  # on the side on which it comes in
            middle = _RIM + _HEIGHT / 2.0
            return _SIDE + 6.0 * _POINT + _BAR / 2.0, middle + (-step - 12 if bottom else step + 12)
        if place == OFF:
            return _WIDTH - _SIDE / 2.0, _RIM + (_HEIGHT - 14.0 if bottom else 14.0)
        own = place if bottom else BAR - place
        x = _column(own)
        return (x, _RIM + _HEIGHT - step) if own <= 12 else (x, _RIM + step)

    def _cube(self) -> Iterator[Element]:
        position = self.position
        value, middle = position.cube, _RIM + _HEIGHT / 2.0
        if position.crawford:
            yield _letters("Crawford game", _SIDE + 3.0 * _POINT, middle, 12.0, "wood-text")
            return
        x, y = _SIDE / 2.0, middle
        if position.doubled:
            value, x = 2 * value, _SIDE + 3.0 * _POINT
        elif position.owner is not None:
            y = middle + (1.0 if position.owner == self.position.to_decide else -1.0) * (
                _HEIGHT / 2.0 - 18.0
            )
        yield _square(x, y, 12.0, "white")
        shown = 64 if position.owner is None and value == 1 else value
        yield _letters(str(shown), x, y, 12.0 if shown < 100 else 9.0, "black", bold=True)

    def _dice(self) -> Iterator[Element]:
        colour = _COLOURS[self.position.on_roll]
        for place, die in enumerate(self.position.dice):
            x = _SIDE + 9.0 * _POINT + _BAR + (place - 0.5) * 32.0
            y = _RIM + _HEIGHT / 2.0
            yield _square(x, y, 12.0, colour)
            pips = np.array([(x + 6.5 * a, y + 6.5 * b) for a, b in _PIPS[die - 1]])
            yield Discs(pips, 2.3, _INK[colour])

    def _sides(self) -> Iterator[Element]:
        """Name, colour, points and pips of each side, and what it has borne off."""
        position = self.position
        pips = dict(zip((position.on_roll, 1 - position.on_roll), position.pips, strict=True))
        for player, name in enumerate(self.names):
            bottom = player == self.position.to_decide
            y = _RIM + (_HEIGHT + 28.0 if bottom else -28.0)
            yield Discs(np.array([[_SIDE + 6.0, y]]), 6.0, _COLOURS[player], "c7", 1.0)
            words = name or _COLOURS[player].capitalize()
            points = f", {position.score[player]} of {position.length}" if position.length else ""
            yield Words(f"{words}{points}", _SIDE + 18.0, y + 4.5, 13.0, bold=True)
            yield Words(f"pips {pips[player]}", _WIDTH - _SIDE, y + 4.5, 13.0, "end", "soft")
            gone = CHEQUERS - sum(self._side(player))
            if gone:
                x, height = self._at(player, OFF)
                height += -42.0 if bottom else 42.0
                yield _letters(str(gone), x, height - 7.0, 13.0, "ink", bold=True)
                yield _letters("off", x, height + 7.0, 11.0, "soft")

    def _arrows(self) -> Iterator[Element]:
        player = self.position.on_roll
        taken: dict[int, int] = {}
        landed: dict[int, int] = {}
        side = self._side(player)
        for start, end in self.steps:
            number = min(side[start - 1], _STACK) if start else 0
            used = taken.get(start, 0)
            if number - used > 0:
                one = self._at(player, start, number - used - 1)
            else:  # a chequer that came here by this move
                one = self._at(player, start, max(landed.get(start, 1) - 1, 0) + number)
            taken[start] = used + 1
            there = 0 if end == OFF else min(side[end - 1], _STACK - 1) + landed.get(end, 0)
            other = self._at(player, end, min(there, _STACK - 1))
            landed[end] = landed.get(end, 0) + 1
            yield from _arrow(one, other, "choice" if self.best else "ring")


def _board() -> Iterator[Element]:
    """The wood, the points with their numbers, and the bar."""
    left, right, bottom = _SIDE, _WIDTH - _SIDE, _RIM + _HEIGHT
    rim = rectangle(left, _RIM, right, bottom)
    yield Shape([rim], fill="wood")
    half = 0.5 * _POINT - 1.0
    for kind, places in (("point-dark", range(2, 25, 2)), ("point-light", range(1, 25, 2))):
        corners = []
        for place in places:
            x = _column(place)
            foot, tip = (bottom, bottom - _REACH) if place <= 12 else (_RIM, _RIM + _REACH)
            corners.append(np.array([[x - half, foot], [x, tip], [x + half, foot]]))
        yield Shape(corners, fill=kind)
    x = left + 6.0 * _POINT
    yield Shape([rectangle(x, _RIM, x + _BAR, bottom)], fill="wood-line", opacity=0.45)
    yield Shape([np.vstack([rim, rim[:1]])], stroke="wood-line", width=2.0)
    for place in range(1, 25):
        y = bottom + 9.0 if place <= 12 else _RIM - 9.0
        yield _letters(str(place), _column(place), y, 10.0, "soft")


def _column(place: int) -> float:
    """The middle of a point of the player at the bottom, whose ace point is on the right."""
    number = 12 - place if place <= 12 else place - 13
    return _SIDE + _POINT * (number + 0.5) + (_BAR if number >= 6 else 0.0)


def _square(x: float, y: float, half: float, colour: str) -> Shape:
    return Shape([rectangle(x - half, y - half, x + half, y + half)], fill=colour, stroke="black")


def _arrow(one: tuple[float, float], other: tuple[float, float], colour: str) -> Iterator[Element]:
    """A line from a chequer to where it goes, with a head."""
    along = np.array([other[0] - one[0], other[1] - one[1]])
    along /= max(hypot(*along), 1e-9)
    across = np.array([-along[1], along[0]])
    tip = np.array(other)
    neck = tip - 12.0 * along
    yield Discs(np.array([one]), 5.0, colour, "white", 1.2)
    yield Shape([np.array([one, neck])], stroke="white", width=6.0)
    yield Shape([np.array([one, neck])], stroke=colour, width=3.6)
    head = [tip, neck + 7.5 * across, neck - 7.5 * across]
    yield Shape([np.array(head)], fill=colour, stroke="white", width=1.0)
