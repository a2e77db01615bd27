"""How a game goes on after each of a player's moves: what the lead does over the next ones.

What a single move costs is mostly noise of the network. What the lead does until the
player's second, fourth or eighth move after it is not, and tells of both players: the
strong win and lose games by less at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.strength.evidence import Evidence

    Floats = NDArray[np.float32]

__all__ = ["COURSE", "FURTHEST", "SPELL", "course", "goes_on", "lead_before", "winrate_before"]

#: So many of the player's moves later the lead is looked at again.
_STEPS = (2, 4, 8)
#: Changes are cut off at several heights: one turn is not the whole game.
_POINTS = (1.0, 3.0, 10.0)
_WINS = (0.05, 0.15, 0.4)
#: Moves of a player in a row that are looked at together.
SPELL = 8
#: Whatever is said of a move looks no further than so many of the player's moves ahead.
FURTHEST = max(_STEPS) + SPELL - 1

#: Names of the values, in their order.
COURSE = tuple(
    f"{kind}_{what}_{most:g}_in_{steps}"
    for steps in _STEPS
    for what, heights in (("points", _POINTS), ("win", _WINS))
    for most in heights
    for kind in ("lost", "gained")
)


def goes_on(evidence: Evidence, steps: int) -> NDArray[np.bool_]:
    """Whether the row so many further on is the player's move so many later: bool [n]."""
    found = np.zeros(len(evidence), bool)
    number = evidence.number.astype(np.int64)
    same_game = evidence.game[steps:] == evidence.game[:-steps]
    found[:-steps] = same_game & (number[steps:] == number[:-steps] + 2 * steps)
    return found


def lead_before(evidence: Evidence) -> Floats:
    """Points that the player is ahead by before each move: float32 [n]."""
    head = np.nan_to_num(evidence.head)
    return np.asarray(10.0 * (head[:, 1] + head[:, 5]))


def winrate_before(evidence: Evidence) -> Floats:
    """The player's winrate before each move: float32 [n]."""
    head = np.nan_to_num(evidence.head)
    return np.asarray(np.clip(head[:, 0] + 0.5 + head[:, 4], 0.0, 1.0))


def course(evidence: Evidence) -> Floats:
    """What the player loses and gains until later moves of the same game.

    Returns
    -------
    float32 [n, len(COURSE)]
        NaN where the evidence does not go on so far.
    """
    columns = []
    lead, winrate = lead_before(evidence), winrate_before(evidence)
    for steps in _STEPS:
        there = goes_on(evidence, steps)
        for values, heights in ((lead, _POINTS), (winrate, _WINS)):
            lost = np.where(there, values - np.roll(values, -steps), np.nan)
            for most in heights:
                columns += [np.clip(lost, 0.0, most), np.clip(-lost, 0.0, most)]
    return np.column_stack(columns).astype(np.float32)
