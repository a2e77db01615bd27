"""How a game goes on after each of a player's moves: what the lead does over the next ones.

What a single move costs is mostly noise of the network. What the lead does until the
player's second, fourth or eighth move after it is not, and tells of both players: the
strong win and lose games by less at a time.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.strength.rank.scalar import MoveFacts, Scalar

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["COURSE", "FURTHEST", "SPELL"]

#: So many of the player's moves later the lead is looked at again.
_STEPS = (2, 4, 8)
#: Changes are cut off at several heights: one turn is not the whole game.
_POINTS = (1.0, 3.0, 10.0)
_WINS = (0.05, 0.15, 0.4)
#: Moves of a player in a row that are looked at together.
SPELL = 8
#: Whatever is said of a move looks no further than so many of the player's moves ahead.
FURTHEST = max(_STEPS) + SPELL - 1


def _lost(what: str, steps: int, most: float, facts: MoveFacts) -> NDArray[Any]:
    """What is lost until a later move; NaN where nothing follows."""
    return np.asarray(np.clip(facts.fall(what, steps), 0.0, most))


def _gained(what: str, steps: int, most: float, facts: MoveFacts) -> NDArray[Any]:
    return np.asarray(np.clip(-facts.fall(what, steps), 0.0, most))


#: What a player loses and gains until later moves of the same game.
COURSE = tuple(
    Scalar(f"{kind}_{name}_{most:g}_in_{steps}", "course", partial(change, what, steps, most))
    for steps in _STEPS
    for name, what, heights in (("points", "lead", _POINTS), ("win", "winrate", _WINS))
    for most in heights
    for kind, change in (("lost", _lost), ("gained", _gained))
)
