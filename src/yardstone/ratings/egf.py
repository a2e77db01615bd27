"""The rating system of the European Go Federation (EGF) since 2021.

As the European Go Database describes it: r' = r + con (Sa - Se) + bonus for each
game, from the ratings at the start of the tournament, weighted by its class.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from yardstone.choices import check_fields, check_number
from yardstone.errors import InputError, UsageError
from yardstone.grades import (
    MOST_KOMI,
    MOST_STONES,
    nearest_grade,
    parse_grades,
    parse_professional,
)
from yardstone.pool import Pool, in_batches
from yardstone.ratings.sequential import Arrays, Games, Period, Predictions, Sequential
from yardstone.winprob.laws import egf_probability, logistic
from yardstone.winprob.scales import egf_of_grade, egf_of_pro, grade_of_egf

if TYPE_CHECKING:
    from yardstone.arrays import Floats


@dataclass(frozen=True, kw_only=True)
class Handicap:
    """Rating points for handicap stones and komi, read from columns of a pool.

    A game with H stones gives Black H - 1 moves more than an even game, and in any
    game Black's first move is worth half a stone less the komi. With `even_komi`,
    the komi that makes a game fair, the head start in stones is

        max(H - 1, 0) + (1 - komi/even_komi)/2

    Without komi that is H - 1/2, as the European Go Federation counts.

    Args:
        column: Column of the stones; 0 is an even game, 1 one without komi.
        komi_column: Column of the komi. Without it, and where it is NaN, even games have
            `even_komi` and all others none.
        points: Rating points of one stone.
        even_komi: The komi of a fair game.
        required: Raise InputError if the pool lacks a column, instead of taking all games for even
            ones.
    """

    column: str = "handicap"
    komi_column: str | None = None
    points: float = 100.0
    even_komi: float = 6.5
    required: bool = True

    def __post_init__(self) -> None:
        check_fields(self)
        if not self.even_komi > 0.0:
            raise UsageError(f"the komi of a fair game must be positive, not {self.even_komi}")

    def stones(self, pool: Pool) -> Floats | None:
        """Head start of each game's first player in stones; None if all are even."""
        placed = self._column(pool, self.column)
        komi = None if self.komi_column is None else self._column(pool, self.komi_column)
        if placed is None and komi is None:
            return None
        stones = np.zeros(len(pool)) if placed is None else np.nan_to_num(placed)
        usual = np.where(stones >= 1.0, 0.0, self.even_komi)
        given = usual if komi is None else np.where(np.isnan(komi), usual, komi)
        return np.maximum(stones - 1.0, 0.0) + 0.5 * (1.0 - given / self.even_komi)

    def advantage(self, pool: Pool) -> Floats | None:
        """The same in rating points."""
        stones = self.stones(pool)
        return None if stones is None else stones * self.points

    def _column(self, pool: Pool, name: str) -> Floats | None:
        if name not in pool.columns:
            if self.required:
                raise InputError(f"the games have no column {name!r}")
            return None
        lowest, highest = (0, MOST_STONES) if name == self.column else (-MOST_KOMI, MOST_KOMI)
        values = column_numbers(pool.columns[name], name)
        outside = values[(values < lowest) | (values > highest)]
        if len(outside):
            raise InputError(
                f"the column {name!r} holds {outside[0]:g}: {'stones' if not lowest else 'komi'} "
                f"from {lowest} to {highest} have a meaning"
            )
        return values


def stones_and_komi(pool: Pool) -> tuple[Floats, Floats]:
    """Handicap stones of each game, 0 where none are known, and komi, NaN where it is not.

    Raises `InputError`: the columns ``handicap`` or ``komi`` hold what is none.
    """
    reader = Handicap(required=False)
    stones, komi = (reader._column(pool, name) for name in ("handicap", "komi"))
    return (
        np.zeros(len(pool)) if stones is None else np.nan_to_num(stones),
        np.full(len(pool), np.nan) if komi is None else komi,
    )


def column_numbers(column: NDArray[Any], name: str) -> Floats:
    """Return the numbers of a column of numbers or texts; NaN where it says nothing.

    Raises `InputError`: it says something else.
    """
    if column.dtype.kind in "fiub":
        return column.astype(np.float64)
    texts = [str(value).strip() for value in column.tolist()]
    try:
        known = {text: float(text) if text else np.nan for text in set(texts)}
    except ValueError as error:
        raise InputError(
            f"the column {name!r} holds something that is not a number: {error}"
        ) from None
    return np.array([known[text] for text in texts], np.float64)


#: Weight of the games of a tournament by its class (time limits; D: on the Internet).
CLASS_WEIGHTS: Mapping[str, float] = MappingProxyType({"A": 1.0, "B": 0.75, "C": 0.5, "D": 0.25})

#: Grades and ratings outside are none of amateurs or professionals: 50 kyu to 9 dan.
_LOWEST_GRADE, _HIGHEST_GRADE = -50.0, 8.0
_LOWEST, _HIGHEST = -5000.0, 3000.0
_SMALL = 100.0  #: A number this small in a column of grades is a grade in some other system.
#: What stands where nothing is known.
_BLANK = frozenset({"", "-", "?", "none", "nan", "null", "0", "0.0"})
_APART = 400.0  #: A grade and a rating further apart than this contradict each other.


def grade_rating(grades: NDArray[Any]) -> Floats:
    """Ratings from grades: 1k is 2000, 1d 2100, 7d and 1p 2700, 9p 2940.

    Numbers are taken for ratings; what cannot be read becomes NaN.
    """
    if grades.dtype.kind in "fiu":
        return grades.astype(np.float64)
    texts = [str(grade).strip().lower() for grade in grades.tolist()]
    known = {text: _entry(text) for text in set(texts)}
    return np.array([known[text] for text in texts], np.float64)


def _entry(text: str) -> float:
    """The rating of one grade or rating; NaN if it is none."""
    grade = float(parse_grades([text])[0])
    if _LOWEST_GRADE <= grade <= _HIGHEST_GRADE:
        return float(egf_of_grade(grade))
    dan = parse_professional(text)
    if dan is not None:
        return float(egf_of_pro(dan))
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _levels(column: NDArray[Any], *, grades: bool) -> Floats:
    """Ratings of a column; NaN for what is none, or small: a grade of some other system."""
    value = grade_rating(column)
    named = np.zeros(len(value), np.bool_)
    if column.dtype.kind not in "fiu":
        named = np.array([str(level).strip()[-1:].isalpha() for level in column.tolist()], np.bool_)
    small = np.abs(value) < _SMALL if grades else value == 0.0
    fits = (value >= _LOWEST) & (value < _HIGHEST) & (named | ~small)
    return np.where(fits, value, np.nan)


@dataclass(frozen=True, kw_only=True)
class EGF(Sequential):
    """The EGF's system since 2021.

    con = ((3300 - r)/200)^1.6, bonus = ln(1 + exp((2300 - r)/80))/5, and the expected
    score is logistic in the difference of beta(r) = -7 ln(3300 - r). Near 3300 the
    formulas end, so they are used up to 3290 only.

    Args:
        initial: Rating with which a player without a grade enters.
        grade_columns: Columns with the grades (or ratings) of `first` and `second`: a player enters
            with the rating of the grade in his first game. Missing columns are no error.
        rating_columns: The same for ratings on the EGF's scale, for players without a grade.
        class_column: Column with the class of each game's tournament (A to D) or its weight; a pool
            without it is of `weight` throughout.
        weight: Weight of all games in a pool without `class_column`.
        floor: No rating falls below this.
        period ({"event", "game", "day", "week", "month", "quarter", "year"} or float): Games rated
            at once: those of an event, or else.
        event_column: Column that names the events.
        first_advantage: Rating points for moving first.
        handicap: Where the handicap is found; H stones count as 100 (H - 0.5) points for Black.

    Examples:
        >>> from yardstone.pool import Pool
        >>> pool = Pool.from_names(["Ann"], ["Bob"], [1])
        >>> round(EGF(initial=2100, period="game").replay(pool).ratings["Ann"].value, 3)
        2109.306
    """

    initial: float = 100.0
    grade_columns: tuple[str, str] = ("first_grade", "second_grade")
    rating_columns: tuple[str, str] = ("first_rating", "second_rating")
    class_column: str = "class"
    weight: float = 1.0
    floor: float = -900.0
    period: Period = "event"
    event_column: str = "event"
    first_advantage: float = 0.0
    handicap: Handicap | None = field(default_factory=lambda: Handicap(required=False))

    scale = "egf"
    _not_negative: ClassVar[tuple[str, ...]] = ("weight",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number("floor", self.floor, below=_HIGHEST)

    def _rules(self) -> tuple[bool, float]:
        """Whether the old formulas hold, and their epsilon."""
        return False, 0.0

    def _newcomers(self, number: int) -> Arrays:
        return {"rating": np.full(number, np.nan)}

    def _weights(self, games: Games) -> Floats:
        """Weight of each game in the order of rating."""
        column = games.pool.columns.get(self.class_column)
        if column is None:
            return np.full(len(games), float(self.weight))
        if column.dtype.kind in "fiu":
            weight = column.astype(np.float64)
        else:
            names, place = np.unique(column.astype(str), return_inverse=True)
            unknown = [name for name in names.tolist() if name.strip().upper() not in CLASS_WEIGHTS]
            if unknown:
                raise InputError(f"{unknown[0]!r} is not a tournament class (A, B, C or D)")
            weight = np.array([CLASS_WEIGHTS[name.strip().upper()] for name in names.tolist()])[
                place
            ]
        if not (np.isfinite(weight).all() and (weight >= 0.0).all()):
            raise InputError(
                f"the column {self.class_column!r} holds a weight that is not a positive number"
            )
        return games.schedule.take(weight)

    def entries(self, pool: Pool) -> Floats:
        """Ratings that a pool declares for `first` and `second` of each game; shape (games, 2).

        NaN where it declares none, or none that can be read.
        """
        entry = np.full((len(pool), 2), np.nan)
        for grades, columns in ((False, self.rating_columns), (True, self.grade_columns)):
            for side, name in enumerate(columns):
                if name in pool.columns:
                    value = _levels(pool.columns[name], grades=grades)
                    known = ~np.isnan(value)
                    entry[known, side] = value[known]
        return np.where(np.isnan(entry), entry, np.maximum(entry, self.floor))

    def remarks(self, pool: Pool) -> tuple[str, ...]:
        """With what players enter, and what of their levels cannot be used."""
        begins = f"{self.initial:g} ({nearest_grade(float(grade_of_egf(self.initial)))})"
        names = (*self.grade_columns, *self.rating_columns)
        by_rating = replace(self, grade_columns=("", ""))
        played, known = np.zeros((2, len(pool.players)), np.bool_)
        examples: dict[str, dict[str, None]] = {name: {} for name in names}
        unread = apart = 0
        for games in in_batches(pool):
            for name in examples.keys() & games.columns.keys():
                column = games.columns[name]
                value = _levels(column, grades=name in self.grade_columns)
                texts = [str(level) for level in column[np.isnan(value)].tolist()]
                texts = [text for text in texts if text.strip().lower() not in _BLANK]
                unread += len(texts)
                examples[name] |= dict.fromkeys(list(dict.fromkeys(texts))[:3])
            declared = self.entries(games)
            player = np.stack([games.first, games.second], axis=1).ravel()
            who, game = np.unique(player, return_index=True)
            new = ~played[who]
            played[who] = True
            known[who[new]] = ~np.isnan(declared.ravel()[game[new]])
            if all(name in games.columns for name in names):
                away = np.abs(by_rating.entries(games) - declared)
                apart += int((away > _APART).any(axis=1).sum())
        notes = []
        if unread:
            some = dict.fromkeys(text for each in examples.values() for text in each)
            shown = ", ".join(repr(text) for text in list(some)[:3])
            notes.append(f"{unread:,} grades or ratings cannot be read, such as {shown}.")
        number, everybody = int(known.sum()), int(played.sum())
        if not number:
            notes.append(f"No grades are given: everyone starts at {begins}.")
        elif number < everybody:
            notes.append(
                f"{number:,} of {everybody:,} players start at the grade or rating of their first "
                f"game, the others at {begins}."
            )
        else:
            notes.append("All players start at the grade or rating of their first game.")
        if apart:
            notes.append(
                f"In {apart:,} games a grade and a rating are more than {_APART:g} points "
                "apart: the grade was used."
            )
        return tuple(notes)

    def _play(self, arrays: Arrays, games: Games) -> Predictions:
        from yardstone.ratings import _steps

        entries = games.schedule.take(self.entries(games.pool))
        rule = *self._rules(), self.initial, self.floor, self._weights(games), entries
        record = games.record()
        _steps.EGF(arrays["rating"], *rule).replay(games.rounds, record)
        return Predictions.of(record)

    def _chance(self, first: Floats, second: Floats, ahead: Floats, variance: Floats) -> Floats:
        return egf_probability(first + ahead, second)


@dataclass(frozen=True, kw_only=True)
class EGFOld(EGF):
    """The EGF's system of 1998 to 2020.

    r' = r + con (Sa - Se) with Se = 1/(1 + exp(D/a)) - epsilon/2, where D is the
    opponent's rating less the player's, handicap counted, and a that of the weaker
    player's rating: 200 at 20 kyu, 70 at 7 dan.

    Args:
        epsilon: What the expected scores of both players together lack to 1 (0.016; 0.014 at
            first). Predictions leave it out, so that they sum to 1.
        floor: No rating falls below this (20 kyu in that system).

    Notes:
        The other parameters are those of `EGF`.
    """

    epsilon: float = 0.016
    floor: float = 100.0

    scale = "egf before 2021"
    _not_negative = ("weight", "epsilon")

    def _rules(self) -> tuple[bool, float]:
        return True, self.epsilon

    def _chance(self, first: Floats, second: Floats, ahead: Floats, variance: Floats) -> Floats:
        slope = np.clip(205.0 - np.minimum(first, second) / 20.0, 70.0, 200.0)
        return logistic((first + ahead - second) / slope)
