"""A backgammon board in letters: X is the player who decides, at the bottom."""

from __future__ import annotations

from yardstone.backgammon.positions import CHEQUERS, Position

__all__ = ["text_board"]

#: Rows of chequers above and below the middle; a number stands where there are more.
_ROWS = 5
_BAR = 25
_SIGNS = ("X", "O")


def text_board(position: Position) -> list[str]:
    """The lines of the board, from the side of the player who decides.

    Examples
    --------
    >>> for line in text_board(Position(dice=(5, 2))):
    ...     print(line)
      13 14 15 16 17 18     19 20 21 22 23 24
     +------------------+--+------------------+  O  Black, pips 167
     | X           O    |  | O              X |
     | X           O    |  | O              X |
     | X           O    |  | O                |
     | X                |  | O                |
     | X                |  | O                |
     |                  |  |                  |  X plays 52, cube 1 in the middle
     | O                |  | X                |
     | O                |  | X                |
     | O           X    |  | X                |
     | O           X    |  | X              O |
     | O           X    |  | X              O |
     +------------------+--+------------------+  X  White, pips 167
      12 11 10  9  8  7      6  5  4  3  2  1
    """
    top, bottom = range(13, 25), range(12, 0, -1)
    lines = [_numbers(top), f" {_rim()}  {_side(position, 1)}"]
    lines += [_row(position, top, height) for height in range(_ROWS)]
    middle = " |" + 18 * " " + "|  |" + 18 * " " + f"|  {_turn(position)}"
    lines.append(middle)
    lines += [_row(position, bottom, height) for height in reversed(range(_ROWS))]
    lines += [f" {_rim()}  {_side(position, 0)}", _numbers(bottom)]
    return [line.rstrip() for line in lines]


def _numbers(places: range) -> str:
    cells = [f"{place:>3}" for place in places]
    return " " + "".join(cells[:6]) + "    " + "".join(cells[6:])


def _rim() -> str:
    return f"+{'-' * 18}+--+{'-' * 18}+"


def _chequers(position: Position) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Those of the player who decides, and those of the other."""
    sides = (position.own, position.other)
    return sides if position.to_decide == position.on_roll else (sides[1], sides[0])


def _row(position: Position, places: range, height: int) -> str:
    """One line of chequers; `height` counts from the rim."""
    own, other = _chequers(position)
    cells = []
    for place in places:
        mine, theirs = own[place - 1], other[24 - place]
        cells.append(_cell(mine or theirs, "X" if mine else "O", height))
    upper = places[0] > 12  # chequers on the bar stand in the half in which they come in
    on_bar = (own if upper else other)[_BAR - 1]
    bar = _cell(on_bar, "X" if upper else "O", _ROWS - 1 - height).strip() or " "
    return " |" + "".join(cells[:6]) + f"|{bar:>2}|" + "".join(cells[6:]) + "|"


def _cell(number: int, sign: str, height: int) -> str:
    if height == 0 and number > _ROWS:
        return f"{number:>2} "
    return f" {sign} " if height < number else "   "


def _side(position: Position, place: int) -> str:
    """Sign, points, pips and what was borne off of the upper (1) or lower player."""
    player = position.to_decide if place == 0 else 1 - position.to_decide
    side = _chequers(position)[place]
    pips = position.pips[0 if player == position.on_roll else 1]
    points = f"{position.score[player]} of {position.length} points, " if position.length else ""
    off = CHEQUERS - sum(side)
    colour = ("Black", "White")[player]
    return f"{_SIGNS[place]}  {colour}, {points}pips {pips}" + (f", {off} off" if off else "")


def _turn(position: Position) -> str:
    """Dice and cube."""
    if position.doubled:
        return f"X is doubled to {2 * position.cube}"
    turn = "X plays " + "".join(map(str, position.dice)) if position.dice else "X is on roll"
    if position.crawford:
        return f"{turn}, Crawford game"
    owner = "in the middle"
    if position.owner is not None:
        owner = f"of {_SIGNS[int(position.owner != position.to_decide)]}"
    return f"{turn}, cube {position.cube} {owner}"
