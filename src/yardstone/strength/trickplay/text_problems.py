"""Problems written as text: a diagram, and the moves by name.

::

    problem: 7
    ? ? . . . . |
    . . O . . . |
    . . . . O . |
    . . X . . . |
    . . . . . . |
    . . . . . . |
    ------------+
    last: P5
    refutation: R3 Q4 Q3 N5 M3
    failure: N4 Q3 P4 Q4

Lines that begin with ``#`` are comments. `to play` (Black unless told) begins; `last`
is the stone that was played last; `size` is 19 unless told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from yardstone.errors import InputError
from yardstone.go.patterns.pattern import is_diagram_line, read_diagram
from yardstone.go.points import BLACK, PASS, opponent, parse_colour, point_name, point_number
from yardstone.pool import Skipped
from yardstone.strength.trickplay.problem import FAILURE, REFUTATION, Problem, make_problem

__all__ = ["text_problems"]

_KEYS = {"problem", "size", "to play", "last", REFUTATION, FAILURE}
_ONCE = _KEYS - {REFUTATION, FAILURE}


@dataclass(slots=True)
class _Part:
    """The lines of one problem."""

    line: int
    diagram_line: int = 0
    diagram: list[str] = field(default_factory=list)
    values: list[tuple[str, str, int]] = field(default_factory=list)

    def value(self, key: str) -> tuple[str, int] | None:
        matching = [(text, line) for name, text, line in self.values if name == key]
        return matching[-1] if matching else None


def text_problems(lines: Sequence[str], file: str) -> Iterator[Problem | Skipped]:
    """The problems of a text file, and what could not be used of it."""
    parts = list(_parts(lines, file))
    for number, part in enumerate(parts, start=1):
        if isinstance(part, Skipped):
            yield part
            continue
        try:
            yield _problem(part, file, str(number))
        except InputError as error:
            hint = "" if error.hint is None else f" ({error.hint})"
            yield Skipped(file, error.line or part.line, error.message + hint)


def _parts(lines: Sequence[str], file: str) -> Iterator[_Part | Skipped]:
    """Cut a file where a problem begins."""
    part = _Part(1)
    for number, raw in enumerate(lines, start=1):
        text = raw.strip()
        if not text or text.startswith("#"):
            continue
        key, colon, value = text.partition(":")
        key = " ".join(key.lower().split())
        if colon and key in _KEYS:
            begins = key == "problem" or (key in _ONCE and part.value(key) is not None)
            if begins and (part.diagram or part.values):
                yield part
                part = _Part(number)
            if not part.values and not part.diagram:
                part.line = number
            part.values.append((key, value.strip(), number))
        elif is_diagram_line(text):
            if part.diagram and part.values and part.values[-1][2] > part.diagram_line:
                yield part
                part = _Part(number)
            if not part.diagram:
                part.diagram_line = number
                part.line = part.values[0][2] if part.values else number
            part.diagram.append(text)
        else:
            keys = ", ".join(sorted(_KEYS))
            reason = f"{text[:40]!r} is neither a row of a diagram nor one of {keys}"
            yield Skipped(file, number, reason)
    if part.diagram or part.values:
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
    corner = (top + diagram.rows - 1) * lines + left + diagram.columns - 1
    bounds = f"{point_name(top * lines + left, lines)}:{point_name(corner, lines)}"
    return make_problem(
        diagram.pattern,
        variations,
        name=name,
        file=file,
        line=part.line,
        bounds=(bounds, "drawn"),
        to_answer=to_answer,
        last=last,
    )


def _at_line(line: int, function: Callable[..., int], *arguments: object) -> int:
    """Call a function, and name the line if it refuses."""
    try:
        return function(*arguments)
    except InputError as error:
        raise InputError(error.message, line=line, hint=error.hint) from None
