"""Classes of chequer play and of the cube, as players name them.

GNU Backgammon itself tells only which network or database evaluates a position: contact,
crashed, race or bear-off. The classes here are drawn from the board, so that each can be
checked by eye; the first that fits counts. *Home* are a player's points 1 to 6, an
*anchor* two chequers or more on a point of the other's home (one's own 19 to 24), a *prime*
five made points in a row, *behind* more pips to go. *Either side* means that the class is of
the game, whoever moves.

==================  =====================================================================
opening             the first three turns of each player
race                no contact; chequers of the player are still outside home
bear-off            no contact; all of them are home
contact bear-off    contact; all chequers of the player are home
contact bear-in     contact; all within the player's own half (points 1 to 12)
back game           either side has two anchors or more on its points 20 to 24, and is behind
priming game        either side has a prime with a chequer of the other behind it
holding game        either side is behind and holds its 18, 20 or 21 point; none of the
                    other's chequers is farther back than that side's bar point
crashed             GNU Backgammon's class: a side has hardly a chequer left to play with
middle game         any other position with contact
==================  =====================================================================

Of the cube there are four classes, by what the player did: no double, double, take, pass.
An error is *doubtful* from 0.03 of normalised equity on, an *error* from 0.06 and a
*blunder* from 0.12: the limits of GNU Backgammon 1.07, which marks moves so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from yardstone.backgammon._gnubg_ids import PLACES, unpack_position
from yardstone.backgammon.positions import pips, rearmost

__all__ = ["CHEQUER_CLASSES", "CUBE_CLASSES", "SIZES", "ClassErrors", "class_errors", "play_class"]

CHEQUER_CLASSES = (
    "opening", "middle game", "priming game", "holding game", "back game", "crashed",
    "contact bear-in", "contact bear-off", "race", "bear-off",
)  # fmt: skip
#: By what the player did.
CUBE_CLASSES = ("no double", "double", "take", "pass")
#: Least loss of each size of an error, in normalised equity.
SIZES = {"doubtful": 0.03, "error": 0.06, "blunder": 0.12}
_OPENING_TURNS = 3
_CRASHED = 9
_HOME, _HALF = 6, 12
_PRIME = 5

Side = Sequence[int]


@dataclass(frozen=True, slots=True)
class ClassErrors:
    """Decisions of one class and what went wrong; they add up.

    Attributes
    ----------
    decisions : int
        Unforced moves, or close cube decisions.
    loss : float
        Sum of the losses in normalised equity.
    doubtful, errors, blunders : int
        Numbers by size; each loss counts once, by the largest size that it reaches.
    """

    decisions: int = 0
    loss: float = 0.0
    doubtful: int = 0
    errors: int = 0
    blunders: int = 0

    def __add__(self, other: ClassErrors) -> ClassErrors:
        return ClassErrors(
            self.decisions + other.decisions,
            self.loss + other.loss,
            self.doubtful + other.doubtful,
            self.errors + other.errors,
            self.blunders + other.blunders,
        )

    @classmethod
    def of(cls, loss: float) -> ClassErrors:
        """One decision."""
        large, middle, small = SIZES["blunder"], SIZES["error"], SIZES["doubtful"]
        blunder, error = loss >= large, middle <= loss < large
        return cls(1, loss, int(small <= loss < middle), int(error), int(blunder))


def class_errors(decisions: Iterable[Sequence[Any]]) -> tuple[dict[str, ClassErrors], ...]:
    """What both players did in each class, from the decisions that an analysis lists.

    `decisions` are rows of player, action, loss and, of moves, turn, GNU Backgammon's class
    and position ID. The result has the classes that occurred, for player 0 and player 1.
    """
    result: tuple[dict[str, ClassErrors], ...] = ({}, {})
    for player, action, loss, *move in decisions:
        name = play_class(*unpack_position(move[2]), move[0], move[1]) if move else action
        result[player][name] = result[player].get(name, ClassErrors()) + ClassErrors.of(loss)
    return result


def play_class(own: Side, other: Side, turn: int = 99, gnubg_class: int = 0) -> str:
    """The class of a position in which a player moves.

    Parameters
    ----------
    own, other : sequences of 25 int
        As in `yardstone.backgammon.positions.Position`.
    turn : int
        Of this player in the game, from 1; the default is no opening.
    gnubg_class : int
        GNU Backgammon's number of the class; only 9, crashed, matters.

    Examples
    --------
    >>> from yardstone.backgammon.positions import read_position
    >>> position = read_position("XGID=-B-BBBBAA-A----a--bcbbbAa-:0:0:1:63:0:0:0:7:10")
    >>> play_class(position.own, position.other)
    'priming game'
    """
    if turn <= _OPENING_TURNS:
        return "opening"
    last = rearmost(own)
    if last + rearmost(other) <= PLACES:
        return "bear-off" if last <= _HOME else "race"
    if last <= _HOME:
        return "contact bear-off"
    if last <= _HALF:
        return "contact bear-in"
    sides = ((own, other), (other, own))
    if any(_back_game(*pair) for pair in sides):
        return "back game"
    if any(_priming(*pair) for pair in sides):
        return "priming game"
    if any(_holding(*pair) for pair in sides):
        return "holding game"
    return "crashed" if gnubg_class == _CRASHED else "middle game"


def _back_game(side: Side, other: Side) -> bool:
    anchors = sum(number >= 2 for number in side[19:24])
    return anchors >= 2 and pips(side) > pips(other)


def _priming(side: Side, other: Side) -> bool:
    """A prime of one side with a chequer of the other behind it, which must still pass it."""
    behind = PLACES - rearmost(other)  # where that chequer is, by this side's points
    run = 0
    for place, number in enumerate(side[:24], 1):
        run = run + 1 if number >= 2 else 0
        if run >= _PRIME and place - run + 1 > behind:
            return True
    return False


def _holding(side: Side, other: Side) -> bool:
    held = any(side[place - 1] >= 2 for place in (18, 20, 21))
    return held and rearmost(other) <= 18 and pips(side) > pips(other)
