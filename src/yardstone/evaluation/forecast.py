"""What a game between two rated players is expected to bring."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import UsageError
from yardstone.evaluation.draws import fit_draw_rate
from yardstone.evaluation.tuning import LEARNING_SHARE
from yardstone.ratings.result import Estimate
from yardstone.winprob.davidson import win_draw_loss

if TYPE_CHECKING:
    from yardstone.evaluation.rated import RatedGames

__all__ = ["Forecast", "forecast"]


@dataclass(frozen=True, slots=True)
class Forecast:
    """What is expected of a game; frozen.

    Attributes
    ----------
    first, second : str
        The players; `first` moves first.
    first_rating, second_rating : Estimate
        Their ratings with deviations (NaN where the system has none).
    first_games, second_games : int
        Games they have played.
    expected : float
        Expected score of `first`.
    win, draw, loss : float
        Probabilities for `first`; without draws in the games, a draw has none.
    reversed_expected : float
        Expected score of `first` if `second` moved first.
    """

    first: str
    second: str
    first_rating: Estimate
    second_rating: Estimate
    first_games: int
    second_games: int
    expected: float
    win: float
    draw: float
    loss: float
    reversed_expected: float


def forecast(
    rated: RatedGames, first: str, second: str, *, advantage: float | None = None
) -> Forecast:
    """Predict a game from the present ratings.

    Parameters
    ----------
    rated : RatedGames
    first, second : str
        The players; `first` moves first.
    advantage : float, optional
        Rating points of `first` for moving first and handicap, instead of the
        system's own.

    Raises
    ------
    InputError
        Nobody is called so.
    """
    if first == second:
        raise UsageError("nobody plays against himself: name two players")
    system, ratings = rated.system, rated.ratings
    expected = system.expected_score(ratings, first, second, advantage=advantage)
    turned = system.expected_score(ratings, second, first, advantage=advantage)
    judged = np.arange(len(rated.pool)) >= round(LEARNING_SHARE * len(rated.pool))
    rate = fit_draw_rate(rated.pool.score[judged], rated.replay.expected[judged])
    win, draw, loss = (float(part) for part in win_draw_loss(expected, rate))
    played = rated.pool.played()
    number = {name: row for row, name in enumerate(rated.pool.players)}
    return Forecast(
        first=first,
        second=second,
        first_rating=ratings[first],
        second_rating=ratings[second],
        first_games=int(played[number[first]]),
        second_games=int(played[number[second]]),
        expected=expected,
        win=win,
        draw=draw,
        loss=loss,
        reversed_expected=1.0 - turned,
    )
