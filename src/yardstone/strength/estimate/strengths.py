"""Strengths with calibrated intervals from evidence: whole, by phase, game by game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import InputError
from yardstone.go.analysis import PHASES, Phases
from yardstone.strength.estimate.games import BOARD, EvaluatedGame
from yardstone.strength.estimate.intervals import IntervalTable
from yardstone.strength.estimate.phases import phase_means
from yardstone.strength.move_phases import PHASES as MODEL_PHASES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.strength.evidence import Evidence
    from yardstone.strength.model import StrengthModel

    Array = NDArray[np.float64]

__all__ = ["PARTS", "Rated", "RatedGame", "Rater", "by_date", "interval_tables"]

#: What intervals are calibrated for: all moves of games, and those of each phase.
PARTS = ("whole", *PHASES)


@dataclass(frozen=True, slots=True)
class Rated:
    """A strength on one of a model's scales, with its interval.

    Attributes
    ----------
    rating : float
        n dan is n to n + 1, 1 kyu 0 to 1, 2 kyu -1 to 0.
    low, high : float or None
        None where the interval reaches into the weakest or the strongest rank group: how
        weak or strong the player may be the model does not know. Neither is there where
        the moves are `unlikely`: of such players no interval has been checked.
    moves : int
        The player's moves that it rests upon.
    unlikely : bool
        Whether the moves look like those of nobody of any strength that the model knows.
    """

    rating: float
    low: float | None
    high: float | None
    moves: int
    unlikely: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class RatedGame:
    """One game of an estimate.

    Attributes
    ----------
    evaluated : EvaluatedGame
    colour : int
        The player's: 1 Black, 2 White.
    alone : Rated
        From this game's moves alone.
    running : Rated
        From this game and those before it.
    numbers : list of int
        Which of the game's moves, from 1, are the player's.
    """

    evaluated: EvaluatedGame
    colour: int
    alone: Rated
    running: Rated
    numbers: list[int]


def interval_tables(model: StrengthModel, scale: str) -> dict[str, IntervalTable]:
    """The tables of intervals that a model carries; if it has none, its own distributions.

    Parameters
    ----------
    model : StrengthModel
    scale : str
        One of its scales.

    Returns
    -------
    dict of str to IntervalTable
        For each of `PARTS`.

    Raises
    ------
    InputError
        They are damaged, or of another version.
    """
    tables = (model.card.get("intervals") or {}).get(scale)
    if tables is None:
        return dict.fromkeys(PARTS, IntervalTable.plain(model.scale(scale).edges))
    if not isinstance(tables, dict) or not set(PARTS) <= set(tables):
        raise InputError(
            "the model's intervals are of another version of Yardstone", hint="train it anew"
        )
    return {part: IntervalTable.from_dict(tables[part]) for part in PARTS}


class Rater:
    """Rates games by what the model keeps of each.

    Parameters
    ----------
    model : StrengthModel
    level : float
        Of the intervals, 0 to 1.
    scale : str, optional
        One of the model's scales; by default its first.

    Raises
    ------
    UsageError
        The level is none, or too few players speak for it.
    """

    def __init__(self, model: StrengthModel, level: float, scale: str | None = None) -> None:
        self._model = model
        self.scale = model.scale(scale)
        self._tables = interval_tables(model, self.scale.name)
        farthest = (model.card.get("farthest") or {}).get(self.scale.name)
        self._farthest: dict[str, float] = dict(farthest or {})
        self._level = level
        for table in self._tables.values():
            table.check_level(level)

    def rate(self, statistics: Array, *, part: str = "whole", mean: float | None = None) -> Rated:
        """A strength from the sum of statistics of games.

        Parameters
        ----------
        statistics : float64 [phases + 1 + k]
        part : str
            Which of `PARTS` the moves are.
        mean : float, optional
            The rating, if it is not the mean of the distribution.
        """
        moves = int(statistics[:MODEL_PHASES].sum())
        density = self.scale.density(statistics)
        rating = float(self.scale.moments(density)[0]) if mean is None else mean
        if self.scale.distance(statistics) > self._farthest.get(part, inf):
            return Rated(rating, None, None, moves, unlikely=True)
        low, high = self._tables[part].interval(density, moves, self._level)
        return Rated(
            rating,
            None if low is None else min(low, rating),
            None if high is None else max(high, rating),
            moves,
        )

    def whole(
        self, evidence: Evidence, chosen: NDArray[np.bool_] | None = None
    ) -> tuple[Rated, Array]:
        """The strength from all moves, and the probabilities of the groups.

        Parameters
        ----------
        evidence : Evidence
        chosen : bool [n], optional
            Rate these moves alone, each as a part of what is around it.
        """
        part = np.zeros(len(evidence), np.int64) if chosen is None else np.where(chosen, 0, -1)
        statistics = self._model.part_statistics(evidence, part, 1)[0].sum(axis=0)
        return self.rate(statistics), self.scale.shares(self.scale.density(statistics))

    def phases(self, evidence: Evidence) -> tuple[tuple[str, Rated], ...]:
        """The strength in each phase of the game: see `yardstone.strength.estimate.phases`."""
        place = Phases().of(evidence.number.astype(np.int32), BOARD)
        parts = self._model.part_statistics(evidence, place, len(PHASES)).sum(axis=1)
        whole = self._model.game_statistics(evidence).sum(axis=0)
        means = phase_means(self.scale, parts, whole)
        return tuple(
            (name, self.rate(part, part=name, mean=float(mean) if part.any() else None))
            for name, part, mean in zip(PHASES, parts, means, strict=True)
        )

    def games(
        self, evidence: Evidence, evaluated: Sequence[tuple[EvaluatedGame, int]]
    ) -> tuple[RatedGame, ...]:
        """Each game alone, and how the estimate moved with it."""
        each = self._model.game_statistics(evidence)
        running = np.cumsum(each, axis=0)
        rated = []
        for number, (game, colour) in enumerate(evaluated):
            own = evidence.game == number
            rated.append(
                RatedGame(
                    evaluated=game,
                    colour=colour,
                    alone=self.rate(each[number]),
                    running=self.rate(running[number]),
                    numbers=evidence.number[own].tolist(),
                )
            )
        return tuple(rated)


def by_date(games: Sequence[Any]) -> list[int]:
    """Places of the games in the order of their dates; those without one come last."""
    dates = np.array([game.date for game in games], "datetime64[s]")
    return [int(place) for place in np.argsort(dates, kind="stable")]
