"""From an SGF record with variations to a problem."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import IllegalMove, InputError
from yardstone.go.board import Board
from yardstone.go.patterns.pattern import Pattern
from yardstone.go.points import (
    BLACK,
    EMPTY,
    PASS,
    WHITE,
    check_size,
    opponent,
    parse_colour,
    point_name,
    point_number,
)
from yardstone.records.go_game import parse_board_size
from yardstone.strength.trickplay.bounds import inferred_bounds, parse_bounds
from yardstone.strength.trickplay.problem import (
    FAILURE,
    LONGEST_VARIATION,
    REFUTATION,
    Problem,
    make_problem,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.records.sgf import SgfTree

__all__ = ["problem_of_tree"]

Properties = Mapping[str, tuple[str, ...]]
_COLOURS = {"B": BLACK, "W": WHITE}
_SETUP = {"AB": BLACK, "AW": WHITE, "AE": EMPTY}
_MARKS = ("TR", "SQ", "CR", "MA")
_RIGHT = re.compile(r"refut|right|correct|solution|success|正解", re.IGNORECASE)
_WRONG = re.compile(r"fail|wrong|incorrect|mistake|失敗|失败", re.IGNORECASE)
#: Moves that may lead to the position.
_LONGEST_LEAD = 1000


def problem_of_tree(tree: SgfTree, name: str, bounds: str | None = None) -> Problem:
    """The problem that a record shows.

    The position is that in front of the first branch, or behind the stones set up where
    there is one variation only. The branches are the variations: the first is the
    refutation and the others failures, unless their names (N) or the properties TE and
    BM tell otherwise. What is known is told by VW, by `bounds`, or inferred.

    Raises
    ------
    InputError
        The record is no such problem.
    """
    reader = _Reader(tree)
    variations = [(reader.kind(child, k), *reader.moves(child)) for k, child in reader.branches()]
    if not variations:
        raise InputError("the problem has no variation", hint="add a refutation and a failure")
    stones, size = reader.stones, reader.size
    moves = [point for _, points, _ in variations for point in points if point != PASS]
    points = [*np.flatnonzero(stones).tolist(), *moves]
    if bounds is not None:
        inside, source = parse_bounds(bounds, size).inside(size), "stated"
    elif reader.view is not None:
        inside, source = reader.view, "stated"
    elif not points:
        raise InputError("the problem shows no stone", hint="set stones up with AB and AW")
    else:
        inside, source = inferred_bounds(size, points).inside(size), "inferred"
    first = [colour for _, _, colours in variations for colour in colours[:1]]
    to_answer = reader.to_play or next(iter(first), BLACK)
    return make_problem(
        Pattern.of_stones(size, stones, inside, name=name),
        variations,
        name=name,
        file=tree.file,
        line=tree.line,
        bounds=(_corners(inside, size), source),
        to_answer=to_answer,
        last=reader.last(to_answer),
    )


class _Reader:
    """Walks to the position of a problem."""

    def __init__(self, tree: SgfTree) -> None:
        self._tree = tree
        root = tree.properties(0)
        if root.get("GM", ("1",))[0].strip() not in ("1", ""):
            raise InputError("this is not a game of Go")
        lines = parse_board_size(root["SZ"][0]) if root.get("SZ") else (19, 19)
        if lines is None or lines[0] != lines[1]:
            raise InputError(f"size {root['SZ'][0][:20]!r} is not a size of a board")
        self.size = check_size(lines[0])
        self.to_play = EMPTY
        self.view: NDArray[np.bool_] | None = None
        self._board = Board(self.size)
        self._last = PASS
        self._marked: list[int] = []
        self._node = 0
        self._walk()

    @property
    def stones(self) -> NDArray[np.int8]:
        """The position."""
        return self._board.stones

    def _walk(self) -> None:
        """Go on until the line branches, or moves begin where it never does."""
        tree, node, lead = self._tree, 0, 0
        branched = any(len(tree.children(at)) > 1 for at in tree.main_line())
        while True:
            self._take(tree.properties(node))
            self._node = node
            children = tree.children(node)
            if len(children) != 1:
                return
            following = tree.properties(children[0])
            if not branched and any(colour in following for colour in _COLOURS):
                return
            node, lead = children[0], lead + 1
            if lead > _LONGEST_LEAD:
                raise InputError(f"more than {_LONGEST_LEAD} moves lead to the position")

    def _take(self, properties: Properties) -> None:
        if any(name in properties for name in _SETUP):
            stones, set_up = self._board.stones, set()
            for name, colour in _SETUP.items():
                for point in _points(properties.get(name, ()), self.size):
                    if point in set_up:
                        where = point_name(point, self.size)
                        raise InputError(
                            f"{where} is set up twice", hint="name it in one of AB, AW and AE"
                        )
                    set_up.add(point)
                    stones[point] = colour
            self._board = Board(
                self.size,
                setup_black=np.flatnonzero(stones == BLACK),
                setup_white=np.flatnonzero(stones == WHITE),
            )
            self._last = PASS
        for point, colour in _played(properties, self.size):
            self._board.play(point, colour, tolerant=True)
            self._last = point
            self.to_play = opponent(colour)
        if properties.get("PL"):
            self.to_play = parse_colour(properties["PL"][0])
        if "VW" in properties:
            self.view = None
            view = list(_points(properties["VW"], self.size))
            if view:
                self.view = np.zeros(self.size**2, np.bool_)
                self.view[view] = True
        self._marked = [p for mark in _MARKS for p in _points(properties.get(mark, ()), self.size)]

    def last(self, to_answer: int) -> int:
        """The stone that was played last: the last move, or the only stone with a mark."""
        other = self.stones == opponent(to_answer)
        if self._last != PASS and other[self._last]:
            return self._last
        marked = [point for point in self._marked if other[point]]
        return marked[0] if len(marked) == 1 else PASS

    def branches(self) -> Iterator[tuple[int, int]]:
        """The variations: their number and first node."""
        return enumerate(self._tree.children(self._node))

    def kind(self, node: int, number: int) -> str:
        """What a branch is, by its name or by its place."""
        properties = self._tree.properties(node)
        name = " ".join(properties.get("N", ()))
        if "BM" in properties or _WRONG.search(name):
            return FAILURE
        if "TE" in properties or _RIGHT.search(name):
            return REFUTATION
        return FAILURE if number else REFUTATION

    def moves(self, node: int) -> tuple[list[int], list[int]]:
        """Points and colours of the main line from a node on."""
        points: list[int] = []
        colours: list[int] = []
        while True:
            properties = self._tree.properties(node)
            if any(name in properties for name in _SETUP):
                raise InputError("stones are set up within a variation", hint="play them as moves")
            for point, colour in _played(properties, self.size):
                points.append(point)
                colours.append(colour)
            children = self._tree.children(node)
            if not children:
                return points, colours
            if len(points) > LONGEST_VARIATION:
                raise InputError(f"a variation has more than {LONGEST_VARIATION} moves")
            node = children[0]


def _played(properties: Properties, size: int) -> Iterator[tuple[int, int]]:
    """The moves of a node."""
    for name, colour in _COLOURS.items():
        if name in properties:
            try:
                yield _point(properties[name][0], size), colour
            except InputError as error:
                raise IllegalMove(error.message) from None


def _point(text: str, size: int) -> int:
    """The point that an SGF value names: ``pd``, ``Q16``, or nothing for a pass."""
    letters = text.strip()
    if letters in ("", "tt") or letters.lower() == "pass":
        return PASS
    if len(letters) == 2 and letters.isascii() and letters.isalpha():
        column, row = (ord(letter) - ord("a") for letter in letters.lower())
        if 0 <= column < size and 0 <= row < size:
            return row * size + column
        raise InputError(f"{letters!r} is not a point of a {size}x{size} board")
    return point_number(letters, size)


def _points(values: tuple[str, ...], size: int) -> Iterator[int]:
    """The points of a list, with its rectangles (``aa:cc``)."""
    for value in values:
        if not value.strip():
            continue
        ends = [_point(corner, size) for corner in value.split(":", 1)]
        if PASS in ends:
            raise InputError(f"{value[:20]!r} is not a point")
        (top, left), (bottom, right) = (divmod(end, size) for end in (ends[0], ends[-1]))
        for row in range(min(top, bottom), max(top, bottom) + 1):
            for column in range(min(left, right), max(left, right) + 1):
                yield row * size + column


def _corners(inside: NDArray[np.bool_], size: int) -> str:
    """The corners of the rectangle around what is known."""
    rows, columns = np.divmod(np.flatnonzero(inside), size)
    first, last = rows.min() * size + columns.min(), rows.max() * size + columns.max()
    return f"{point_name(int(first), size)}:{point_name(int(last), size)}"
