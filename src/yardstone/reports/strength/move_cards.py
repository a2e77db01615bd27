"""Costly and typical moves: each with the board before it and a few sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from yardstone.reports.charts.board import BoardDiagram
from yardstone.reports.document import Card, Picture

__all__ = ["move_cards"]

Plain = Mapping[str, Any]


def move_cards(moves: Sequence[Plain], games: Sequence[Plain]) -> list[Card]:
    """A title, a board and sentences for each move of which the position is known."""
    return [_card(move, games[move["game"]]) for move in moves if move.get("position")]


def _card(move: Plain, game: Plain) -> Card:
    opponent = game.get("opponent") or "an unnamed player"
    lines = [f"Game {move['game'] + 1} against {opponent}.", *_cost(move), *_effect(move)]
    colour = str(move["colour"]).capitalize()
    title = f"Move {move['move']}: {colour} {_move_words(move['point'])}"
    return Card(title, Picture(lambda: _board(move, colour)), [*lines, _network(move)])


def _board(move: Plain, colour: str) -> BoardDiagram:
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
