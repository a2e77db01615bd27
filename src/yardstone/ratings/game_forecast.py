"""What is expected of one game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import ClassVar

from yardstone.display import Displayed
from yardstone.ratings.result import Estimate

__all__ = ["GameForecast"]


@dataclass(frozen=True, repr=False)
class GameForecast(Displayed):
    """What is expected of a game; frozen.

    Attributes
    ----------
    first, second : str
        The players; `first` moves first.
    first_rating, second_rating : Estimate
        Their ratings with deviations (NaN where the system has none, or none that is tested).
    first_games, second_games : int
        Games they have played.
    expected : float
        Expected score of `first`.
    win, draw, loss : float
        Probabilities for `first`; without draws in the games, a draw has none.
    reversed_expected : float
        Expected score of `first` if `second` moved first.
    low, high : float
        Expected scores between which the one of the true ratings lies, with the level
        `confidence`; NaN where there is no such interval.
    confidence : float
        Level of the interval, 0 to 1.
    integrated : bool
        Whether expected scores and chances are averages over what the ratings may truly
        be; otherwise ratings are taken as exact.
    exact : bool
        Whether that was asked for.
    system : str
        Name of the system that rates the players.
    basis : str
        What the forecast rests on, in sentences.
    margin : float
        Points by which `first` is expected to win an even game of Go; NaN from systems that
        rate no margins.
    notes : sequence of str
        What a reader must know.
    """

    _made_by: ClassVar[str] = "reports.forecast:forecast_document"

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
    low: float = nan
    high: float = nan
    confidence: float = 0.95
    integrated: bool = False
    exact: bool = False
    system: str = ""
    basis: str = ""
    margin: float = nan
    notes: Sequence[str] = ()

    def __repr__(self) -> str:
        return (
            f"<GameForecast: {self.first} – {self.second}, expected {self.expected:.3f}, "
            f"win {self.win:.3f}, draw {self.draw:.3f}, loss {self.loss:.3f}>"
        )
