"""Boards of backgammon: those of blunders, with what was played and what was best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from yardstone.backgammon.positions import Position, move_steps
from yardstone.errors import InputError
from yardstone.reports.charts.backgammon_board import BackgammonDiagram
from yardstone.reports.document import Picture, Step

__all__ = ["blunder_steps", "board_words", "signed"]

Plain = Mapping[str, Any]


def signed(equity: float) -> str:
    """An equity with its sign: +0.123."""
    return f"{equity:+.3f}".replace("-", "\N{MINUS SIGN}")


def blunder_steps(blunders: Sequence[Plain]) -> list[Step]:
    """A title, boards and sentences for each blunder, the worst first."""
    return [_step(place, blunder) for place, blunder in enumerate(blunders, 1)]


def _step(place: int, blunder: Plain) -> Step:
    position = Position.from_gnu_id(blunder["position"], blunder["match"])
    names = _names(blunder, position)
    dice = "".join(map(str, blunder["dice"]))
    file = blunder["file"].rpartition("/")[2]
    title = f"{place}. {blunder['player']} lost {blunder['error']:.3f}: " + (
        f"{dice}, {blunder['played']}" if dice else _kind(blunder)
    )
    lines = [
        f"Game {blunder['game']} of {file}, against {blunder['opponent']}. {_score(position)}",
        f"Played: {blunder['played']}{_equity(blunder, 'played')}. "
        f"Best: {blunder['best']}{_equity(blunder, 'best')}.",
        f"Position ID `{blunder['position']}`, match ID `{blunder['match']}`",
        f"`{position.xgid}`",
    ]
    return Step(title, _pictures(blunder, position, names), lines)


def _kind(blunder: Plain) -> str:
    remark = blunder.get("remark")
    return f"{blunder['kind']} ({remark})" if remark else str(blunder["kind"])


def _equity(blunder: Plain, which: str) -> str:
    """The equity in brackets, where it is known."""
    equity = blunder.get(f"{which}_equity")
    return "" if equity is None else f" ({signed(equity)})"


def _names(blunder: Plain, position: Position) -> tuple[str, str]:
    """Names of player 0 and player 1: who blundered had to decide."""
    both = (blunder["player"], blunder["opponent"])
    return both if position.to_decide == 0 else (both[1], both[0])


def _score(position: Position) -> str:
    """Score and cube in words."""
    if not position.length:
        return f"A money game, cube at {position.cube}."
    own, other = position.score[position.to_decide], position.score[1 - position.to_decide]
    cube = "Crawford game" if position.crawford else f"cube at {position.cube}"
    return f"Score {own}\N{EN DASH}{other} in a match to {position.length}, {cube}."


def _pictures(blunder: Plain, position: Position, names: tuple[str, str]) -> list[Picture]:
    """The move on the board, and the better one; for the cube one board."""
    words = board_words(position, names)
    try:
        played, best = move_steps(blunder["played"]), move_steps(blunder["best"])
    except InputError:  # a decision about the cube
        return [Picture(lambda: BackgammonDiagram(words, position, names))]

    def picture(steps: list[tuple[int, int]], *, better: bool) -> Picture:
        which = "best" if better else "played"
        verb = "Better" if better else "Played"
        caption = f"{verb}: {blunder[which]}{_equity(blunder, which)}"
        label = f"{words} {caption}."
        return Picture(
            lambda: BackgammonDiagram(label, position, names, steps, better), f"{caption}."
        )

    return [picture(played, better=False), picture(best, better=True)]


def board_words(position: Position, names: tuple[str, str] = ("", "")) -> str:
    """The position in words: where the chequers of both sides are, cube and dice."""
    sides = {position.on_roll: position.own, 1 - position.on_roll: position.other}
    parts = []
    for player in (position.to_decide, 1 - position.to_decide):
        name = names[player] or ("Black", "White")[player]
        places = ", ".join(
            f"{number} on {'the bar' if place == 25 else place}"
            for place, number in enumerate(sides[player], 1)
            if number
        )
        parts.append(f"{name} ({('black', 'white')[player]}) has {places}")
    dice = f" Dice {position.dice[0]} and {position.dice[1]}." if position.dice else ""
    doubled = " The cube is offered." if position.doubled else ""
    return f"{'; '.join(parts)}, by each side’s own points.{dice}{doubled}"
