"""Costly and typical moves: each with the board before it and a few sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from yardstone.reports.svg_board import board_picture

__all__ = ["move_views"]

Plain = Mapping[str, Any]


def move_views(moves: Sequence[Plain], games: Sequence[Plain]) -> list[dict[str, Any]]:
    """A title, a board and sentences for each move, in the order given."""
    return [_view(move, games[move["game"]]) for move in moves]


def _view(move: Plain, game: Plain) -> dict[str, Any]:
    opponent = game.get("opponent") or "an unnamed player"
    point, best = move["point"], move["best"]
    said = [*_cost(move), *_effect(move), _network(move)]
    colour = {"black": "Black", "white": "White"}.get(move["colour"], move["colour"])
    about = [f"Game {move['game'] + 1} against {opponent}.", *said]
    board = None
    if position := move.get("position"):
        same = best == point
        label = (
            f"The board at move {move['move']}: {colour} plays {_move_words(point)}"
            + ("" if same or best is None else f"; the network prefers {_move_words(best)}")
            + f". {len(position['black'])} black and {len(position['white'])} white stones."
        )
        board = board_picture(
            label,
            position["size"],
            position["black"],
            position["white"],
            numbered=_last(move["move"], position["before"]),
            played=(move["colour"], point),
            best=None if same else best,
        )
    title = f"Move {move['move']}: {colour} {_move_words(point)}"
    return {"title": title, "board": board, "lines": about}


def _last(move: int, before: Sequence[str]) -> list[tuple[int, str]]:
    """The moves before a move, with their numbers."""
    return list(enumerate(before, move - len(before)))


def _cost(move: Plain) -> list[str]:
    """What a costly move cost; of others nothing."""
    if "effect" in move:
        return []
    return [f"It cost {move['points_lost']:.1f} points, give or take {move['error']:.1f}."]


def _effect(move: Plain) -> list[str]:
    """Which players a typical move is typical of; of others nothing."""
    if (effect := move.get("effect")) is None:
        return []
    side = "stronger" if effect > 0.0 else "weaker"
    return [f"Typical of a {side} player: it moves the estimate by {abs(effect):.2f} ranks."]


def _network(move: Plain) -> str:
    policy, best = move.get("policy"), move.get("best")
    if best == move["point"]:
        chance = "" if policy is None else f", with {_percent(policy)}"
        return f"It is the network’s own choice{chance}."
    if policy is None:
        return "By the rules that the network was told it is not allowed."
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
