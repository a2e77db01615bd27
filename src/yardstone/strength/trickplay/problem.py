"""`Problem`: a local position, and what may be played in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import IllegalMove, InputError
from yardstone.go.patterns.pattern import ANY, Pattern, allowed
from yardstone.go.points import BLACK, EMPTY, PASS, WHITE, point_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.go.board import Board

__all__ = ["FAILURE", "LONGEST_VARIATION", "REFUTATION", "Problem", "Variation", "make_problem"]

REFUTATION, FAILURE = "refutation", "failure"
#: Longer variations are games of their own.
LONGEST_VARIATION = 400
#: More variations than this are no problem any more.
MOST_VARIATIONS = 64


@dataclass(frozen=True, slots=True, eq=False)
class Variation:
    """Moves from the position of a problem on.

    Attributes
    ----------
    kind : str
        ``refutation`` or ``failure``.
    name : str
        The kind, with a number where there are several.
    points : int16 [n]
    colours : int8 [n]
    """

    kind: str
    name: str
    points: NDArray[np.int16]
    colours: NDArray[np.int8]

    def __len__(self) -> int:
        """Number of moves."""
        return len(self.points)


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """A trick play: what stands on a part of the board, and the answers to it.

    Attributes
    ----------
    name : str
    file : str
    line : int
    pattern : Pattern
        What must stand there; points outside its bounds at which a variation plays
        must be empty.
    bounds : str
        Corners of the part that is known, such as ``H10:T1``.
    bounds_from : str
        ``stated``, ``drawn`` or ``inferred``.
    to_answer : int
        Who is to move: 1 Black, 2 White.
    last : int
        The point of the stone that was played last; -1 if that is not known.
    variations : tuple of Variation
    """

    name: str
    file: str
    line: int
    pattern: Pattern
    bounds: str
    bounds_from: str
    to_answer: int
    last: int
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

    def of_kind(self, kind: str) -> list[Variation]:
        """The variations of a kind."""
        return [variation for variation in self.variations if variation.kind == kind]


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

    `lines` are the variations: kind, points and colours of each.

    Raises
    ------
    InputError
        There is no variation, one is empty, too long, illegal or begun by the other
        side, or the last stone is none of the opponent's.
    """

    def wrong(message: str, hint: str | None = None) -> InputError:
        return InputError(message, file=file, line=line, hint=hint)

    if not lines:
        raise wrong("the problem has no variation", "add a refutation and a failure")
    if len(lines) > MOST_VARIATIONS:
        raise wrong(f"more than {MOST_VARIATIONS} variations")
    board = _board_of(pattern, wrong)
    kinds = [kind for kind, _, _ in lines]
    variations = []
    for number, (kind, points, colours) in enumerate(lines):
        several = kinds.count(kind) > 1
        called = f"{kind} {kinds[: number + 1].count(kind)}" if several else kind
        if not len(points):
            raise wrong(f"the {called} has no move")
        if len(points) > LONGEST_VARIATION:
            raise wrong(f"the {called} has more than {LONGEST_VARIATION} moves")
        if colours[0] != to_answer:
            raise wrong(
                f"the {called} is begun by the other side", "let all variations begin alike"
            )
        variations.append(
            Variation(kind, called, np.array(points, np.int16), np.array(colours, np.int8))
        )
        _check_legal(board.copy(), variations[-1], wrong)
    opponents = allowed(WHITE if to_answer == BLACK else BLACK)
    if last != PASS and pattern.points[last] != opponents:
        where = point_name(last, pattern.size)
        raise wrong(f"{where} is told to be the last stone, but no stone of the opponent is there")
    problem = Problem(name, file, line, pattern, *bounds, to_answer, last, tuple(variations))
    free = [point for point in problem.points if pattern.points[point] == ANY]
    if free:
        needed = pattern.changed((point, allowed(EMPTY)) for point in free)
        problem = Problem(name, file, line, needed, *bounds, to_answer, last, problem.variations)
    return problem


def _board_of(pattern: Pattern, wrong: Callable[[str], InputError]) -> Board:
    """The pattern alone; what is not known counts as empty."""
    from yardstone.go.board import Board

    try:
        return Board(
            pattern.size,
            setup_black=np.flatnonzero(pattern.points == allowed(BLACK)),
            setup_white=np.flatnonzero(pattern.points == allowed(WHITE)),
        )
    except InputError as error:
        raise wrong(f"the position is impossible: {error.message}") from None


def _check_legal(board: Board, variation: Variation, wrong: Callable[[str], InputError]) -> None:
    """Play a variation on a board of its own."""
    for number, (point, colour) in enumerate(
        zip(variation.points.tolist(), variation.colours.tolist(), strict=True), start=1
    ):
        try:
            board.play(point, colour, tolerant=True)
        except IllegalMove as error:
            raise wrong(
                f"move {number} of the {variation.name} is illegal: {error.message}"
            ) from None
