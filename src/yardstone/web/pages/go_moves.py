"""The moves that mattered: each with the board before it and a few sentences."""

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
    said = [_effect(move["effect"]), _network(move)]
    if (lost := move.get("points_lost")) is not None:
        verb = "cost" if lost >= 0.0 else "gained"
        said.append(f"By the network, the move {verb} {abs(lost):.1f} points.")
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


def _effect(effect: float) -> str:
    side = "stronger" if effect > 0.0 else "weaker"
    return f"It speaks for a {side} player, by {abs(effect):.2f} ranks."


def _network(move: Plain) -> str:
    policy, best = move.get("policy"), move.get("best")
    if best == move["point"]:
        chance = "" if policy is None else f", with {_percent(policy)}"
        return f"It is the network’s own choice{chance}."
    if policy is None:
        return "By the rules that the network was told it is not allowed."
    seen = f"The network gives it {_percent(policy)}"
    return seen + ("." if best is None else f" and prefers {_move_words(best)}.")


def _move_words(point: str) -> str:
    return "a pass" if point == "pass" else point


def _percent(share: float) -> str:
    value = 100.0 * share
    if value < 0.1:
        return "less than 0.1\u00a0%"
    return f"{value:.1f}\u00a0%" if value < 10.0 else f"{value:.0f}\u00a0%"
