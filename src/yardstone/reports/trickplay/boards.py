"""Completed trick plays as SGF: the game up to the problem, and its variations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from yardstone.go.points import BLACK, PASS, colour_name
from yardstone.records.sgf import SgfTree, write_sgf

if TYPE_CHECKING:
    from yardstone.strength.trickplay.completion import Completion
    from yardstone.strength.trickplay.settling import Settled

__all__ = ["boards_sgf"]


def boards_sgf(completions: Sequence[Completion]) -> str:
    """A record for each board; what was changed stands in its comment."""
    return "".join(
        write_sgf(_tree(completion, board))
        for completion in completions
        for board in completion.boards
    )


def _tree(completion: Completion, board: Settled) -> SgfTree:
    game, problem = board.game, completion.problem
    tree = SgfTree()
    node = tree.add(None, dict(_root(completion, board)))
    last = len(game.moves) - 1
    for number, (point, colour) in enumerate(
        zip(game.moves.tolist(), game.colours.tolist(), strict=True)
    ):
        properties = {_letter(colour): [_point(point, game.size)]}
        if number == last:
            properties["C"] = [_comment(completion, board)]
        node = tree.add(node, properties)
    for variation in problem.variations:
        at = node
        points = board.shifted(variation.points).tolist()
        for number, (point, colour) in enumerate(
            zip(points, variation.colours.tolist(), strict=True)
        ):
            properties = {_letter(colour): [_point(point, game.size)]}
            if number == 0:
                properties["N"] = [variation.name]
            at = tree.add(at, properties)
    return tree


def _root(completion: Completion, board: Settled) -> Iterator[tuple[str, list[str]]]:
    game = board.game
    yield "GM", ["1"]
    yield "FF", ["4"]
    yield "CA", ["UTF-8"]
    yield "SZ", [str(game.size)]
    yield "GN", [completion.problem.name]
    for name, text in (("PB", game.black), ("PW", game.white)):
        if text:
            yield name, [text]
    for name, points in (("AB", game.setup_black), ("AW", game.setup_white)):
        if len(points):
            yield name, [_point(point, game.size) for point in points.tolist()]
    if not len(game.moves):
        yield "PL", [_letter(completion.problem.to_answer)]
        yield "C", [_comment(completion, board)]


def _comment(completion: Completion, board: Settled) -> str:
    place = f"{board.game.file}:{board.game.line}" if board.game.line > 1 else board.game.file
    lines = [
        f"{completion.problem.name}: {colour_name(completion.problem.to_answer)} to answer",
        f"from {place}, after {board.moves} moves",
    ]
    if board.placement.swapped:
        lines.append("colours exchanged")
    lines += [change.text(board.game.size) for change in board.changes]
    return "\n".join(lines)


def _letter(colour: int) -> str:
    return "B" if colour == BLACK else "W"


def _point(point: int, size: int) -> str:
    if point == PASS:
        return ""
    row, column = divmod(point, size)
    return chr(ord("a") + column) + chr(ord("a") + row)
