"""Trick plays as problems: what is read of SGF files and of texts, and what may be played."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from yardstone.errors import IllegalMove, InputError, NoGamesError, UsageError
from yardstone.go.board import Board
from yardstone.go.patterns.pattern import ANY, Pattern, allowed, is_diagram_line, read_diagram
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
from yardstone.pool import Skipped, SkipReport
from yardstone.records.go_game import parse_board_size
from yardstone.records.sources import Source, find_sources

if TYPE_CHECKING:
    from yardstone.arrays import Flags
    from yardstone.records.sgf import SgfTree


REFUTATION, FAILURE = "refutation", "failure"
#: Longer variations are games of their own.
_LONGEST_VARIATION = 400
#: More variations than this are no problem any more.
_MOST_VARIATIONS = 64


@dataclass(frozen=True, slots=True, eq=False)
class Variation:
    """Moves from the position of a problem on."""

    kind: str  #: ``refutation`` or ``failure``.
    name: str  #: The kind, with a number where there are several.
    points: NDArray[np.int16]  #: [n]
    colours: NDArray[np.int8]  #: [n]

    def __len__(self) -> int:
        """Number of moves."""
        return len(self.points)


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """A trick play: what stands on a part of the board, and the answers to it."""

    name: str
    file: str
    line: int
    #: What must stand there; points outside its bounds at which a variation plays must be empty.
    pattern: Pattern
    bounds: str  #: Corners of the part that is known, such as ``H10:T1``.
    bounds_from: str  #: ``stated``, ``drawn`` or ``inferred``.
    to_answer: int  #: Who is to move: 1 Black, 2 White.
    last: int  #: The point of the stone that was played last; -1 if that is not known.
    variations: tuple[Variation, ...]

    @property
    def size(self) -> int:
        """Lines of the board."""
        return self.pattern.size

    @property
    def points(self) -> list[int]:
        """Points at which a variation plays."""
        played = np.concatenate([variation.points for variation in self.variations])
        return sorted(set(played[played != PASS].tolist()))


def make_problem(
    pattern: Pattern,
    lines: Sequence[tuple[str, Sequence[int], Sequence[int]]],
    *,
    name: str,
    file: str,
    line: int,
    bounds: tuple[str, str],
    to_answer: int,
    last: int = PASS,
) -> Problem:
    """A problem from what was read, once all of it fits together.

    `lines` are the variations: kind, points and colours of each. Raises `InputError` if there is no
    variation, one is empty, too long, illegal or begun by the other side, or the last stone is none
    of the opponent's.
    """
    if not lines:
        raise _no_variation()
    if len(lines) > _MOST_VARIATIONS:
        raise InputError(f"more than {_MOST_VARIATIONS} variations")
    try:  # what is not known counts as empty
        board = Board(
            pattern.size,
            setup_black=np.flatnonzero(pattern.points == allowed(BLACK)),
            setup_white=np.flatnonzero(pattern.points == allowed(WHITE)),
        )
    except InputError as error:
        raise InputError(f"the position is impossible: {error.message}") from None
    kinds = [kind for kind, _, _ in lines]
    variations = []
    for number, (kind, points, colours) in enumerate(lines):
        several = kinds.count(kind) > 1
        called = f"{kind} {kinds[: number + 1].count(kind)}" if several else kind
        if not len(points):
            raise InputError(f"the {called} has no move")
        if len(points) > _LONGEST_VARIATION:
            raise InputError(f"the {called} has more than {_LONGEST_VARIATION} moves")
        if colours[0] != to_answer:
            raise InputError(
                f"the {called} is begun by the other side", hint="let all variations begin alike"
            )
        own = board.copy()
        for move, (point, colour) in enumerate(zip(points, colours, strict=True), start=1):
            try:
                own.play(point, colour, tolerant=True)
            except IllegalMove as error:
                reason = f"move {move} of the {called} is illegal: {error.message}"
                raise InputError(reason) from None
        variations.append(
            Variation(kind, called, np.array(points, np.int16), np.array(colours, np.int8))
        )
    if last != PASS and pattern.points[last] != allowed(opponent(to_answer)):
        where = point_name(last, pattern.size)
        raise InputError(
            f"{where} is told to be the last stone, but no stone of the opponent is there"
        )
    problem = Problem(name, file, line, pattern, *bounds, to_answer, last, tuple(variations))
    free = [point for point in problem.points if pattern.points[point] == ANY]
    needed = pattern.changed((point, allowed(EMPTY)) for point in free) if free else pattern
    return replace(problem, pattern=needed)


def _no_variation() -> InputError:
    return InputError("the problem has no variation", hint="add a refutation and a failure")


#: Lines around what is shown, and lines to an edge that are taken along with it.
_MARGIN = 1
_NEAR_EDGE = 4
_CORNERS = re.compile(r"\s*([A-Za-z]\d{1,2})\s*[:\-]\s*([A-Za-z]\d{1,2})\s*")


@dataclass(frozen=True, slots=True)
class Bounds:
    """A rectangle of points: its first and last row and column, from 0."""

    top: int
    left: int
    bottom: int
    right: int

    def inside(self, size: int) -> Flags:
        """Whether each point of a board belongs to it, shape [size * size]."""
        mask = np.zeros((size, size), np.bool_)
        mask[self.top : self.bottom + 1, self.left : self.right + 1] = True
        return mask.reshape(-1)

    def named(self, size: int) -> str:
        """Its corners, as `parse_bounds` reads them."""
        first = point_name(self.top * size + self.left, size)
        return f"{first}:{point_name(self.bottom * size + self.right, size)}"

    @classmethod
    def around(cls, points: Iterable[int], size: int) -> Bounds:
        """The smallest rectangle around points."""
        rows, columns = np.divmod(np.fromiter(points, np.int64), size)
        return cls(int(rows.min()), int(columns.min()), int(rows.max()), int(columns.max()))


def parse_bounds(text: str, size: int) -> Bounds:
    """Read two opposite corners such as ``H10:T1``.

    Raises `InputError` if they are no points of a board of that size.

    Examples:
        >>> parse_bounds("H10:T1", 19)
        Bounds(top=9, left=7, bottom=18, right=18)
    """
    match = _CORNERS.fullmatch(text)
    if match is None:
        raise InputError(f"{text!r} are not bounds", hint="write two corners, such as H10:T1")
    return Bounds.around((point_number(corner, size) for corner in match.groups()), size)


def inferred_bounds(size: int, points: Iterable[int]) -> Bounds:
    """The smallest rectangle around points that is still a sensible part of a board.

    There is one line around them, and a side that is then at most four lines from the
    edge of the board reaches to it: between a corner stone and the edge nothing stands.

    Examples:
        >>> from yardstone.go.points import point_number
        >>> points = [point_number(name, 19) for name in ("P3", "R4", "P5")]
        >>> inferred_bounds(19, points).named(19)
        'O6:T1'
    """
    around = Bounds.around(points, size)

    def first(line: int) -> int:
        return 0 if line - _MARGIN <= _NEAR_EDGE else line - _MARGIN

    def last(line: int) -> int:
        return size - 1 - first(size - 1 - line)

    return Bounds(first(around.top), first(around.left), last(around.bottom), last(around.right))


_KEYS = {"problem", "size", "to play", "last", REFUTATION, FAILURE}
_ONCE = _KEYS - {REFUTATION, FAILURE}


@dataclass(slots=True)
class _Part:
    """The lines of one problem."""

    line: int = 0
    diagram_line: int = 0
    diagram: list[str] = field(default_factory=list)
    values: list[tuple[str, str, int]] = field(default_factory=list)

    def value(self, key: str) -> tuple[str, int] | None:
        matching = [(text, line) for name, text, line in self.values if name == key]
        return matching[-1] if matching else None


def _attempt(
    file: str, line: int, make: Callable[..., Problem], *arguments: object
) -> Problem | Skipped:
    """The problem that is made, or why there is none."""
    try:
        return make(*arguments)
    except InputError as error:
        hint = "" if error.hint is None else f" ({error.hint})"
        return Skipped(file, error.line or line, error.message + hint)


def _parts(lines: Sequence[str], file: str) -> Iterator[_Part | Skipped]:
    """Cut a file where a problem begins."""
    part = _Part()
    for number, raw in enumerate(lines, start=1):
        text = raw.strip()
        if not text or text.startswith("#"):
            continue
        key, colon, value = text.partition(":")
        key = " ".join(key.lower().split())
        named = bool(colon) and key in _KEYS
        if named:
            begins = key == "problem" or (key in _ONCE and part.value(key) is not None)
        elif is_diagram_line(text):
            shown = bool(part.diagram and part.values)
            begins = shown and part.values[-1][2] > part.diagram_line
        else:
            keys = ", ".join(sorted(_KEYS))
            reason = f"{text[:40]!r} is neither a row of a diagram nor one of {keys}"
            yield Skipped(file, number, reason)
            continue
        if begins and part.line:
            yield part
            part = _Part()
        part.line = part.line or number
        if named:
            part.values.append((key, value.strip(), number))
        else:
            part.diagram_line = part.diagram_line or number
            part.diagram.append(text)
    if part.line:
        yield part


def _problem(part: _Part, file: str, number: str) -> Problem:
    named = part.value("problem")
    name = named[0] if named and named[0] else number
    size = None
    if value := part.value("size"):
        if not value[0].isdecimal() or len(value[0]) > 3:
            raise InputError(f"{value[0][:20]!r} is not a size of a board", line=value[1])
        size = int(value[0])
    if not part.diagram:
        raise InputError("the problem has no diagram", line=part.line)
    diagram = read_diagram(
        part.diagram, size=size, file=file, line=part.diagram_line, name=f"problem {name}"
    )
    lines = diagram.pattern.size
    to_answer = BLACK
    if value := part.value("to play"):
        to_answer = _at_line(value[1], parse_colour, value[0])
    last = PASS
    if value := part.value("last"):
        last = _at_line(value[1], point_number, value[0], lines)
    variations = []
    for key, text, line in part.values:
        if key in (REFUTATION, FAILURE):
            points = [_at_line(line, point_number, word, lines) for word in text.split()]
            colours = [to_answer if k % 2 == 0 else opponent(to_answer) for k in range(len(points))]
            variations.append((key, points, colours))
    top, left = diagram.top, diagram.left
    drawn = Bounds(top, left, top + diagram.rows - 1, left + diagram.columns - 1)
    return make_problem(
        diagram.pattern,
        variations,
        name=name,
        file=file,
        line=part.line,
        bounds=(drawn.named(lines), "drawn"),
        to_answer=to_answer,
        last=last,
    )


def _at_line(line: int, function: Callable[..., int], *arguments: object) -> int:
    """Call a function, and name the line if it refuses."""
    try:
        return function(*arguments)
    except InputError as error:
        raise InputError(error.message, line=line, hint=error.hint) from None


_Properties = Mapping[str, tuple[str, ...]]
_COLOURS = {"B": BLACK, "W": WHITE}
_SETUP = {"AB": BLACK, "AW": WHITE, "AE": EMPTY}
_MARKS = ("TR", "SQ", "CR", "MA")
_RIGHT = re.compile(r"refut|right|correct|solution|success|正解", re.IGNORECASE)
_WRONG = re.compile(r"fail|wrong|incorrect|mistake|失敗|失败", re.IGNORECASE)
#: Moves that may lead to the position.
_LONGEST_LEAD = 1000


def problem_of_tree(tree: SgfTree, name: str, bounds: str | None = None) -> Problem:
    """The problem that a record shows.

    The position is that in front of the first branch, or behind the stones set up where there is
    one variation only. The branches are the variations: the first is the refutation and the others
    failures, unless their names (N) or the properties TE and BM tell otherwise. What is known is
    told by VW, by `bounds`, or inferred. Raises `InputError` if the record is no such problem.
    """
    reader = _Reader(tree)
    variations = [
        (reader.kind(child, number), *reader.moves(child))
        for number, child in enumerate(tree.children(reader.node))
    ]
    if not variations:
        raise _no_variation()
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
        bounds=(Bounds.around(np.flatnonzero(inside), size).named(size), source),
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
        self.view: Flags | None = None
        self._board = Board(self.size)
        self._last = PASS
        self._marked: list[int] = []
        # Go on until the line branches, or moves begin where it never does.
        self.node = lead = 0
        branched = any(len(tree.children(at)) > 1 for at in tree.main_line())
        while True:
            self._take(tree.properties(self.node))
            children = tree.children(self.node)
            if len(children) != 1:
                return
            following = tree.properties(children[0])
            if not branched and any(colour in following for colour in _COLOURS):
                return
            self.node, lead = children[0], lead + 1
            if lead > _LONGEST_LEAD:
                raise InputError(f"more than {_LONGEST_LEAD} moves lead to the position")

    @property
    def stones(self) -> NDArray[np.int8]:
        """The position."""
        return self._board.stones

    def _take(self, properties: _Properties) -> None:
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
            if view := list(_points(properties["VW"], self.size)):
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
        moves: list[tuple[int, int]] = []
        while True:
            properties = self._tree.properties(node)
            if any(name in properties for name in _SETUP):
                raise InputError("stones are set up within a variation", hint="play them as moves")
            moves += _played(properties, self.size)
            children = self._tree.children(node)
            if not children:
                return [point for point, _ in moves], [colour for _, colour in moves]
            if len(moves) > _LONGEST_VARIATION:
                raise InputError(f"a variation has more than {_LONGEST_VARIATION} moves")
            node = children[0]


def _played(properties: _Properties, size: int) -> Iterator[tuple[int, int]]:
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


_ENDINGS = (".sgf", ".txt")
#: Text files are small, and there are not more problems than this in a collection.
_MOST_BYTES = 4 << 20
_MOST_PROBLEMS = 10_000


def read_problems(
    *paths: str | os.PathLike[str], bounds: str | None = None, strict: bool = False
) -> tuple[list[Problem], SkipReport]:
    """Read all problems of some files.

    ``*paths``: SGF files (a problem a record) and text files with diagrams, folders, patterns and
    archives; problem 2 comes before problem 10. `bounds`: two corners, such as ``H10:T1``: the part
    of the board that all SGF problems show. Without it a record's property VW tells it, or else it
    is inferred. `strict`: raise at the first problem that cannot be used. Raises `InputError` if a
    file does not exist, or no problem can be used; `StrictError`: with `strict`, at the first
    problem that cannot be used.
    """
    if not paths:
        raise UsageError("no file of problems is given")
    skipped = SkipReport()
    problems: list[Problem] = []

    def in_order(source: Source) -> list[tuple[int, int, str]]:
        parts = re.split(r"([0-9]{1,18})", source.name)
        return [(1, int(part), "") if k % 2 else (0, 0, part) for k, part in enumerate(parts)]

    for source in sorted(find_sources(paths, _ENDINGS, skipped), key=in_order):
        for problem in _problems(source, bounds):
            if isinstance(problem, Skipped):
                skipped.add(problem, strict=strict)
            elif len(problems) == _MOST_PROBLEMS:
                raise InputError(f"more than {_MOST_PROBLEMS:,} problems", file=source.name)
            else:
                problems.append(problem)
    if not problems:
        if skipped.details:
            first = skipped.details[0]
            raise NoGamesError(
                f"no problem can be used: {first.reason}", file=first.file, line=first.line or None
            )
        raise NoGamesError("there are no problems")
    return problems, skipped


def _problems(source: Source, bounds: str | None) -> Iterator[Problem | Skipped]:
    from yardstone.records.sgf import SgfReader

    if source.ending == ".txt":
        try:
            text = source.content(_MOST_BYTES).decode("utf-8-sig", "replace")
        except InputError as error:
            yield Skipped(source.name, 0, error.message)
            return
        for number, part in enumerate(_parts(text.splitlines(), source.name), start=1):
            if isinstance(part, Skipped):
                yield part
            else:
                yield _attempt(source.name, part.line, _problem, part, source.name, str(number))
        return
    stem = PurePath(source.name).name.split(".")[0] or source.name
    reader = SgfReader(source)
    for tree in reader.trees():
        name = stem if tree.number == 1 else f"{stem} #{tree.number}"
        yield _attempt(source.name, tree.line, problem_of_tree, tree, name, bounds)
    yield from reader.skipped.details
