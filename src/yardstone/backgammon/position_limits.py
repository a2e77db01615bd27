"""What a position of backgammon can be: chequers, cube, dice and score."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yardstone.backgammon._gnubg_ids import PLACES

if TYPE_CHECKING:
    from yardstone.backgammon.positions import Position

__all__ = ["CHEQUERS", "MOST_CUBE", "MOST_POINTS", "problem_of"]

#: Of each side, those borne off counted.
CHEQUERS = 15
#: Largest exponent of a cube, and largest score and length, that a match ID can hold.
MOST_CUBE, MOST_POINTS = 15, (1 << 15) - 1


def problem_of(position: Position) -> str:
    """Why there is no such position; empty if there is."""
    own, other = position.own, position.other
    for side in (own, other):
        if len(side) != PLACES or min(side) < 0:
            return "a side has 24 points and a bar, with no negative number of chequers"
        if sum(side) > CHEQUERS:
            return f"a side has {sum(side)} chequers, more than {CHEQUERS}"
        if not sum(side):
            return "a side has borne off all its chequers: the game is over"
    for place in range(PLACES - 1):
        if own[place] and other[PLACES - 2 - place]:
            return f"both sides are on the {place + 1} point of the player on roll"
    return _problem_of_cube(position) or _problem_of_score(position)


def _problem_of_cube(position: Position) -> str:
    cube, dice = position.cube, position.dice
    if cube < 1 or cube & (cube - 1) or cube.bit_length() - 1 > MOST_CUBE:
        return f"a cube shows a power of two up to {1 << MOST_CUBE}, not {cube}"
    if position.owner not in (None, 0, 1) or position.on_roll not in (0, 1):
        return "the players are 0 and 1"
    if position.owner is not None and cube == 1:
        return "a cube that has an owner shows 2 at least"
    if dice and (len(dice) != 2 or not all(1 <= die <= 6 for die in dice)):
        return f"dice show two numbers from 1 to 6, not {dice}"
    if position.doubled and dice:
        return "a double is offered before the dice are thrown"
    if position.doubled and (position.crawford or position.owner == 1 - position.on_roll):
        return "a double is offered by a player who has no right to"
    return ""


def _problem_of_score(position: Position) -> str:
    length, score = position.length, position.score
    if not 0 <= length <= MOST_POINTS or not all(0 <= each <= MOST_POINTS for each in score):
        return f"length and scores are whole numbers up to {MOST_POINTS}"
    if length and max(score) >= length:
        return f"the match to {length} is over at {score[0]} to {score[1]}"
    if position.crawford and length - 1 not in score:
        return "in the Crawford game a player is one point away from the match"
    if position.crawford and position.cube != 1:
        return "in the Crawford game nobody doubles"
    if length and (position.jacoby or position.beavers):
        return "Jacoby's rule and beavers are for money games"
    return ""
