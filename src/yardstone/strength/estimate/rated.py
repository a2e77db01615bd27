"""Strengths with calibrated intervals from evidence: whole, by phase, game by game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.go.analysis import PHASES, Phases
from yardstone.strength.estimate.intervals import IntervalTable
from yardstone.strength.estimate.seen import BOARD, SeenGame

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.strength.evidence import Evidence
    from yardstone.strength.rank.model import RankModel

    Array = NDArray[np.float64]

__all__ = ["Rated", "RatedGame", "Rater", "by_date", "interval_table"]


@dataclass(frozen=True, slots=True)
class Rated:
    """A strength on the Fox scale, with its interval.

    Attributes
    ----------
    rating, low, high : float
        n dan is n to n + 1, 1 kyu 0 to 1, 2 kyu -1 to 0.
    moves : int
        The player's moves that it rests upon.
    """

    rating: float
    low: float
    high: float
    moves: int


@dataclass(frozen=True, slots=True, eq=False)
class RatedGame:
    """One game of an estimate.

    Attributes
    ----------
    seen : SeenGame
    colour : int
        The player's: 1 Black, 2 White.
    alone : Rated
        From this game's moves alone.
    running : Rated
        From this game and those before it.
    numbers : list of int
        Which of the game's moves, from 1, are the player's.
    """

    seen: SeenGame
    colour: int
    alone: Rated
    running: Rated
    numbers: list[int]


def interval_table(model: RankModel) -> IntervalTable:
    """The table of intervals that a model carries; if it has none, its own distributions."""
    found = model.card.get("intervals")
    return IntervalTable.plain() if found is None else IntervalTable.from_dict(found)


class Rater:
    """Rates games by what the model keeps of each.

    Parameters
    ----------
    model : RankModel
    level : float
        Of the intervals, 0 to 1.
    """

    def __init__(self, model: RankModel, level: float) -> None:
        self._model = model
        self._table = interval_table(model)
        self._level = level

    def rate(self, statistics: Array, moves: int) -> Rated:
        """A strength from the sum of statistics of games, with the number of moves."""
        mean, _, _ = self._model.posterior(statistics)
        density = self._model.density(statistics)
        low, high = self._table.interval(density, moves, self._level)
        rating = float(mean)
        return Rated(rating, min(low, rating), max(high, rating), moves)

    def whole(self, evidence: Evidence) -> tuple[Rated, Array]:
        """The strength from all moves, and the probabilities of the rank groups."""
        statistics = self._model.game_statistics(evidence).sum(axis=0)
        probabilities = self._model.posterior(statistics)[2]
        return self.rate(statistics, len(evidence)), probabilities

    def phases(self, evidence: Evidence) -> tuple[tuple[str, Rated], ...]:
        """The strength in each phase of the game, from its moves alone."""
        place = Phases().of(evidence.number.astype(np.int32), BOARD)
        found = []
        for number, name in enumerate(PHASES):
            part = evidence.select(place == number)
            found.append((name, self.whole(part)[0]))
        return tuple(found)

    def games(
        self, evidence: Evidence, seen: Sequence[tuple[SeenGame, int]]
    ) -> tuple[RatedGame, ...]:
        """Each game alone, and how the estimate moved with it."""
        each = self._model.game_statistics(evidence)
        moves = np.bincount(evidence.game, minlength=len(seen))
        running, so_far = np.cumsum(each, axis=0), np.cumsum(moves)
        found = []
        for number, (game, colour) in enumerate(seen):
            own = evidence.game == number
            found.append(
                RatedGame(
                    seen=game,
                    colour=colour,
                    alone=self.rate(each[number], int(moves[number])),
                    running=self.rate(running[number], int(so_far[number])),
                    numbers=evidence.number[own].tolist(),
                )
            )
        return tuple(found)


def by_date(games: Sequence[Any]) -> list[int]:
    """Places of the games in the order of their dates; those without one come last."""
    dates = np.array([game.date for game in games], "datetime64[s]")
    return [int(place) for place in np.argsort(dates, kind="stable")]
