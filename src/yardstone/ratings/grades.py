"""Declared grades and ratings as forecasts: strengths in the file, which no result moves.

What rating systems must be better than: the players' grades in the file, and the chances
that a model of winning gives them, handicap and komi counted; or the ratings in the file,
with the logistic law.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import InputError, UsageError
from yardstone.grades import nearest_grade, usual_komi
from yardstone.pool import Pool, in_batches
from yardstone.ratings.egf import EGF, grade_rating, stones_and_komi
from yardstone.ratings.sequential import Arrays, Games, Predictions, Sequential
from yardstone.winprob.laws import win_probability
from yardstone.winprob.model import DEFAULT, WinningModel, winning_model
from yardstone.winprob.scales import grade_of_egf

if TYPE_CHECKING:
    from yardstone.arrays import Floats


@dataclass(frozen=True, kw_only=True)
class DeclaredGrades(Sequential):
    """Grades taken from each game, as points of the EGF's scale (1 dan is 2100); frozen.

    A player without a grade in a game has that of the last one; one who never had any has
    `initial`. Professional ranks stand where the EGF rates them (1p with 7 dan).

    Args:
        win: Model of winning by its name or file, on grades.
        initial: Points of players of whom no grade is known: those of 1 kyu.
        grade_columns: Columns with the grades of `first` and `second`.
        first_advantage: Points for moving first, beside what the model counts.

    Examples:
        >>> from yardstone.pool import Pool
        >>> pool = Pool.from_names(
        ...     ["Ann"], ["Bob"], [1], columns={"first_grade": ["2d"], "second_grade": ["4d"]}
        ... )
        >>> DeclaredGrades(win="kaniuk").replay(pool).expected.round(4)
        array([0.2216])
    """

    win: str = DEFAULT
    initial: float = 2000.0
    grade_columns: tuple[str, str] = ("first_grade", "second_grade")
    first_advantage: float = 0.0

    scale = "egf"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.model.scale != "grades":
            raise UsageError(f"{self.model.name}: a model of winning on grades is needed")

    @property
    def model(self) -> WinningModel:
        """The model of winning."""
        return winning_model(self.win)

    def _newcomers(self, number: int) -> Arrays:
        return {"rating": np.full(number, self.initial, np.float64)}

    def _declared(self, pool: Pool) -> Floats:
        """Points of the declared grades of first and second; NaN where there is none."""
        reader = EGF(grade_columns=self.grade_columns, rating_columns=("", ""), floor=-5000.0)
        return reader.entries(pool)

    def remarks(self, pool: Pool) -> tuple[str, ...]:
        """The model, and how many players have no grade."""
        played, graded = np.zeros((2, len(pool.players)), np.bool_)
        for games in in_batches(pool):
            seats = np.column_stack([games.first, games.second])
            played[seats] = True
            graded[seats[np.isfinite(self._declared(games))]] = True
        if not graded.any():
            raise InputError("no player has a grade in these games")
        without = int(played.sum() - graded.sum())
        notes = [f"Grades as declared, by the model {self.model.name}: {self.model.about}."]
        if self.model.region is not None:
            notes.append(
                "Its coefficients stand; where these games are among those it was fitted to, it "
                "knows more than the other systems."
            )
        if without:
            name = nearest_grade(float(grade_of_egf(self.initial)))
            notes.append(f"{without:,} players have no grade and are taken for {name}.")
        return tuple(notes)

    def _play(self, arrays: Arrays, games: Games) -> Predictions:
        declared = games.schedule.take(self._declared(games.pool))
        stones, komi = (games.schedule.take(each) for each in stones_and_komi(games.pool))
        one, two = _carried(arrays["rating"], games, declared)
        black, white = grade_of_egf(one + self.first_advantage), grade_of_egf(two)
        given = np.where(np.isfinite(komi), komi, usual_komi(stones))
        expected = self.model.probability(black, white, handicap=stones, komi=given)
        return Predictions(expected, one, two)

    def _chance(self, first: Floats, second: Floats, ahead: Floats, variance: Floats) -> Floats:
        return self.model.probability(grade_of_egf(first + ahead), grade_of_egf(second))


@dataclass(frozen=True, kw_only=True)
class DeclaredRatings(Sequential):
    """Ratings taken from each game, with the logistic law; frozen.

    A player without a rating in a game has that of the last one; one who never had any is
    taken to be as strong as the opponent.

    Args:
        scale_points: Points for a factor of ten in the odds.
        rating_columns: Columns with the ratings of `first` and `second`.
        first_advantage: Points for moving first.

    Examples:
        >>> from yardstone.pool import Pool
        >>> pool = Pool.from_names(
        ...     ["Ann"], ["Bob"], [1], columns={"first_rating": [2400], "second_rating": [2000]}
        ... )
        >>> DeclaredRatings().replay(pool).expected.round(4)
        array([0.9091])
    """

    scale_points: float = 400.0
    rating_columns: tuple[str, str] = ("first_rating", "second_rating")
    first_advantage: float = 0.0

    _above_zero = ("scale_points",)

    def _newcomers(self, number: int) -> Arrays:
        return {"rating": np.full(number, np.nan)}

    def _declared(self, pool: Pool) -> Floats:
        """Ratings of first and second in the file; NaN where there is none."""
        columns = [
            grade_rating(pool.columns[name]) if name in pool.columns else np.full(len(pool), np.nan)
            for name in self.rating_columns
        ]
        value = np.column_stack(columns)
        return np.where(value == 0.0, np.nan, value)

    def remarks(self, pool: Pool) -> tuple[str, ...]:
        """How many games have no rating of a player."""
        without = sum(
            int(np.isnan(self._declared(games)).any(axis=1).sum()) for games in in_batches(pool)
        )
        if without == len(pool):
            raise InputError("no game has the ratings of both players")
        notes = [
            f"Ratings as they stand in the file, {self.scale_points:g} points a factor of ten."
        ]
        if without:
            notes.append(f"{without:,} of {len(pool):,} games lack a rating: the last one is used.")
        return tuple(notes)

    def _play(self, arrays: Arrays, games: Games) -> Predictions:
        declared = games.schedule.take(self._declared(games.pool))
        one, two = _carried(arrays["rating"], games, declared)
        one, two = np.where(np.isnan(one), two, one), np.where(np.isnan(two), one, two)
        return Predictions(self.probability(one, two), one, two)

    def _chance(self, first: Floats, second: Floats, ahead: Floats, variance: Floats) -> Floats:
        gap: Floats = np.nan_to_num(first - second)
        return win_probability(gap + ahead, points_per_logit=self.scale_points / log(10.0))


def _carried(rating: Floats, games: Games, declared: Floats) -> tuple[Floats, Floats]:
    """Ratings before each game: the declared ones, or else the last; changes `rating`."""
    sides = (games.rounds.first, games.rounds.second)
    before = np.empty((len(games), 2))
    for game in range(len(games)):
        for side, who in enumerate(sides):
            player = who[game]
            if np.isfinite(declared[game, side]):
                rating[player] = declared[game, side]
            before[game, side] = rating[player]
    return before[:, 0], before[:, 1]
