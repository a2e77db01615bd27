"""What a simulated game brings: the chances of a model of winning, with draws in chess.

A `WinningLaw` takes the strengths of the player who moves first and of the second one,
and the handicap stones of the first, and gives the probability that the first wins
and that the game is drawn. In Go strengths are grades (1 dan = 0), in chess ratings.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import UsageError
from yardstone.winprob.models import DEFAULT, winning_model

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.tournament.model import Tournament
    from yardstone.winprob.models import WinningModel

    Values = NDArray[np.float64]

    WinningLaw = Callable[[Values, Values, Values], tuple[Values, Values]]

__all__ = ["ModelLaw", "usual_model", "winning_law"]


@dataclass(frozen=True, eq=False)
class ModelLaw:
    """The law of a model of winning; frozen. It is a `WinningLaw` itself.

    Attributes
    ----------
    model : WinningModel
    advantage : float
        On rating points: what moving first is worth.
    draw_rate : float
        On rating points: how often equal players draw (Davidson).
    """

    model: WinningModel
    advantage: float = 0.0
    draw_rate: float = 0.0

    def __call__(self, first: Values, second: Values, stones: Values) -> tuple[Values, Values]:
        """Chance that the first wins, and that nobody does."""
        if self.model.scale == "grades":
            win = self.model.probability(first, second, handicap=stones)
            return win, np.zeros(np.shape(win))
        from yardstone.winprob.davidson import win_draw_loss

        expected = self.model.probability(np.add(first, self.advantage), second, handicap=stones)
        win, draw, _ = win_draw_loss(expected, self.draw_rate)
        return win, draw


def usual_model(tournament: Tournament | None) -> str:
    """The model where none is named: Elo's in chess, the fitted one in Go."""
    chess = tournament is not None and tournament.discipline == "chess"
    return "elo" if chess else DEFAULT


def winning_law(
    win: str | os.PathLike[str], *, advantage: float = 0.0, draw_rate: float = 0.0
) -> ModelLaw:
    """The law of a model by its name or file (`yardstone.winprob.models`).

    On rating points (``elo``) with `advantage` of moving first, in points, and
    `draw_rate` of equal players.

    Raises
    ------
    UsageError
        There is none of that name, or a number is out of range.
    InputError
        The file holds no model.
    """
    model = winning_model(win)
    if model.scale == "grades" and (advantage or draw_rate):
        raise UsageError(f"{model.name}: an advantage and draws go with rating points (elo) only")
    if not 0.0 <= draw_rate < 1.0 or not np.isfinite(advantage):
        raise UsageError("a draw rate lies from 0 to 1, an advantage is a number of points")
    return ModelLaw(model, advantage, draw_rate)
