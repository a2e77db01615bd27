"""What a simulated game brings: probabilities from the strengths of two players.

A `WinningLaw` takes the strengths of the player who moves first and of the second one,
and the handicap stones of the first, and gives the probability that the first wins
and that the game is drawn. In Go strengths are grades (1 dan = 0), in chess ratings.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Values = NDArray[np.float64]

    WinningLaw = Callable[[Values, Values, Values], tuple[Values, Values]]

__all__ = ["LAWS", "winning_law", "elo_chance", "grade_chance"]

#: Names for `winning_law`.
LAWS = ("fitted", "kaniuk", "egf", "elo")


def handicap_grades(stones: Values) -> Values:
    """Grades that a handicap is worth: 1 (no komi) half of one, 9 eight and a half.

    As the European Go Federation counts it in its ratings.
    """
    return np.where(stones > 0, stones - 0.5, 0.0)


def grade_chance(
    even: Callable[[Values, Values], Values], first: Values, second: Values, stones: Values
) -> tuple[Values, Values]:
    """Go: the win probability of an even game, the first player being stronger by the handicap."""
    return even(first + handicap_grades(stones), second), np.zeros(np.shape(first))


def elo_chance(
    first: Values, second: Values, stones: Values, *, advantage: float = 0.0, draw_rate: float = 0.0
) -> tuple[Values, Values]:
    """Chess: Davidson's law on Elo points; there are no stones.

    `advantage` is that of moving first, in points; `draw_rate` the draw rate
    between equal players.
    """
    from yardstone.winprob.davidson import win_draw_loss
    from yardstone.winprob.logistic import win_probability

    win, draw, _ = win_draw_loss(win_probability(first + advantage - second), draw_rate)
    return win, draw


def winning_law(name: str, *, advantage: float = 0.0, draw_rate: float = 0.0) -> WinningLaw:
    """A probability by its name.

    ``kaniuk``: his published model on grades; ``egf``: the formula of the European Go
    Federation's ratings, on grades; ``elo``: the logistic on rating points, with
    `advantage` of moving first and `draw_rate` of equal players.

    Raises
    ------
    UsageError
        There is none of that name, or a number is out of range.
    """
    if name == "elo":
        if not 0.0 <= draw_rate < 1.0 or not np.isfinite(advantage):
            raise UsageError("a draw rate lies from 0 to 1, an advantage is a number of points")
        return partial(elo_chance, advantage=advantage, draw_rate=draw_rate)
    if advantage or draw_rate:
        raise UsageError(f"{name}: an advantage and draws go with elo only")
    if name == "kaniuk":
        from yardstone.winprob.kaniuk import PUBLISHED

        return partial(grade_chance, PUBLISHED.probability)
    if name == "egf":
        return partial(grade_chance, _egf)
    if name == "fitted":
        return _fitted
    raise UsageError(f"no win probability is called {name!r}: {', '.join(LAWS)}")


def _fitted(first: Values, second: Values, stones: Values) -> tuple[Values, Values]:
    from yardstone.winprob.models import winning_model

    win = winning_model().probability(first, second, handicap=stones)
    return win, np.zeros(np.shape(win))


def _egf(first: Values, second: Values) -> Values:
    from yardstone.ratings.egf import EGF
    from yardstone.tournament.population import grade_rating

    return EGF().probability(grade_rating(first), grade_rating(second))
