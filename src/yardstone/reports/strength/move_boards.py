"""Costly and typical moves: boards before and after each, and a few sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from yardstone.reports.charts.board import BoardDiagram
from yardstone.reports.document import Picture, Step

__all__ = ["move_steps"]

Plain = Mapping[str, Any]
_COLOURS = ("black", "white")


def move_steps(moves: Sequence[Plain], games: Sequence[Plain]) -> list[Step]:
    """A title, boards and sentences for each move of which the position is known."""
    return [_step(move, games[move["game"]]) for move in moves if move.get("position")]


def _step(move: Plain, game: Plain) -> Step:
    opponent = game.get("opponent") or "an unnamed player"
    lines = [f"Game {move['game'] + 1} against {opponent}.", *_cost(move), *_effect(move)]
    colour = str(move["colour"]).capitalize()
    title = f"Move {move['move']}: {colour} {_move_words(move['point'])}"
    return Step(title, list(_boards(move, colour)), [*lines, _network(move)])


def _boards(move: Plain, colour: str) -> Iterator[Picture]:
    """The move on the board before it, the moves that followed, and the better move."""
    point, best = move["point"], move["best"]
    other = None if best in (point, "pass", None) else best
    ring = f"{_move_words(point)} is marked with a ring" if point != "pass" else "a pass"
    choice = f", the network’s choice with A ({other})" if other else ""
    yield Picture(lambda: _before(move, colour), f"Before the move: {ring}{choice}.")
    if not move["position"].get("steps"):
        return
    count = len(move["position"]["steps"]) - 1
    went = f", and the {count} moves that followed" if count > 1 else ""
    yield Picture(lambda: _after(move, colour), f"After {_move_words(point)}{went}.")
    if other and "effect" not in move:
        words = f"The network’s choice: {colour} {other} instead."
        yield Picture(lambda: _better(move, colour), words)


def _before(move: Plain, colour: str) -> BoardDiagram:
    position, point, best = move["position"], move["point"], move["best"]
    best = None if best == point else best
    label = (
        f"The board at move {move['move']}: {colour} plays {_move_words(point)}"
        + ("" if best is None else f"; the network prefers {_move_words(best)}")
        + f". {len(position['black'])} black and {len(position['white'])} white stones."
    )
    before = position["before"]
    return BoardDiagram(
        label,
        position["size"],
        position["black"],
        position["white"],
        numbered=list(enumerate(before, move["move"] - len(before))),
        played=(move["colour"], point),
        best=best,
    )


def _after(move: Plain, colour: str) -> BoardDiagram:
    """The board some moves later, these moves with their numbers."""
    steps, number = move["position"]["steps"], move["move"]
    stones = _stones(move["position"])
    for step in steps:
        _play(stones, step["colour"], step["point"], step["takes"])
    points = ", ".join(_move_words(step["point"]) for step in steps)
    label = f"The board after move {number + len(steps) - 1}: {colour} began {points}."
    return BoardDiagram(
        label,
        move["position"]["size"],
        [point for point, stone in stones.items() if stone == "black"],
        [point for point, stone in stones.items() if stone == "white"],
        numbered=list(enumerate((step["point"] for step in steps), number)),
    )


def _better(move: Plain, colour: str) -> BoardDiagram:
    """The board after the network's choice."""
    position, best = move["position"], move["best"]
    stones = _stones(position)
    _play(stones, move["colour"], best, position["best_takes"])
    return BoardDiagram(
        f"The board after the network’s choice, {colour} {best}.",
        position["size"],
        [point for point, stone in stones.items() if stone == "black"],
        [point for point, stone in stones.items() if stone == "white"],
        played=(move["colour"], best),
    )


def _stones(position: Plain) -> dict[str, str]:
    return {point: colour for colour in _COLOURS for point in position[colour]}


def _play(stones: dict[str, str], colour: str, point: str, takes: Sequence[str]) -> None:
    """Put a stone on the board, and take off what it captures."""
    if point != "pass":
        stones[point] = colour
    for taken in takes:
        stones.pop(taken, None)


def _cost(move: Plain) -> list[str]:
    """What a costly move cost; of others nothing."""
    if "effect" in move:
        return []
    return [f"It cost {move['points_lost']:.1f} points, give or take {move['error']:.1f}."]


def _effect(move: Plain) -> list[str]:
    """Which players a typical move is typical of; of others nothing."""
    if (effect := move.get("effect")) is None:
        return []
    side, verb = ("stronger", "raises") if effect > 0.0 else ("weaker", "lowers")
    return [f"Typical of a {side} player: it {verb} the estimate by {abs(effect):.2f} ranks."]


def _network(move: Plain) -> str:
    policy, best = move.get("policy"), move.get("best")
    if best == move["point"]:
        chance = "" if policy is None else f", with {_percent(policy)}"
        return f"It is the network’s own choice{chance}."
    if policy is None:
        return "It is not allowed under the rules that the network was given."
    chance = f"The network gives it {_percent(policy)}"
    if best is None:
        return f"{chance}."
    if "effect" in move:
        return f"{chance} and prefers {_move_words(best)}."
    return f"{chance}; {_move_words(best)} is better."


def _move_words(point: str) -> str:
    return "a pass" if point == "pass" else point


def _percent(share: float) -> str:
    value = 100.0 * share
    if value < 0.1:
        return "less than 0.1\u00a0%"
    return f"{value:.1f}\u00a0%" if value < 10.0 else f"{value:.0f}\u00a0%"
