"""Decided games between Go grades: from tables, and one by one for a fit.

A table has one row a game, and is read as any table (`yardstone.read`): players, grades (``4k``,
``2 dan``), ratings, handicap, result and date. Of a result such as ``1-0`` Black's points come
first. Further columns are found by name (case does not matter):

=====  ===========================
komi   ``komi``
event  ``event``, ``tournament``
round  ``round``, ``rnd``
size   ``size``: only 19 is kept
=====  ===========================
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from yardstone.errors import InputError, SkippedWarning
from yardstone.grades import MOST_KOMI, MOST_STONES, parse_grades, usual_komi
from yardstone.pool import Pool
from yardstone.records.reading import read
from yardstone.records.table_files import find_dialect
from yardstone.winprob.kaniuk import GradeModel, log_gradients
from yardstone.winprob.likelihood import GradedGames

if TYPE_CHECKING:
    from yardstone.arrays import Flags, Floats, Longs


#: Further columns of a table.
_FURTHER = {
    "komi": ("komi",),
    "event": ("event", "tournament"),
    "round": ("round", "rnd"),
    "size": ("size",),
}
#: Columns of grades and of ratings in a pool: of Black and of White.
GRADES, RATINGS = ("first_grade", "second_grade"), ("first_rating", "second_rating")


def _numbers(
    words: NDArray[Any] | None, size: int, missing: float, *, wrong: float | None = None
) -> Floats:
    """Numbers, `missing` where there is none, `wrong` for something else that is written."""
    if words is None:
        return np.full(size, missing)

    def number(word: str) -> float:
        try:
            return float(word)
        except ValueError:
            return missing if wrong is None or word.strip() in ("", "?", "-") else wrong

    return np.array([number(word) for word in words], np.float64)


def read_games_csv(path: str | os.PathLike[str], *, screen: float = 5.0) -> Pool:
    """Read games with grades from a CSV file, plain or compressed; Black is `first`.

    `screen`: events in which one colour wins by so many standard deviations too often are left out,
    as results entered to try a program out: see `implausible_events`. 0 keeps all. The pool has
    ``first_grade``, ``second_grade`` (zero-shodan units, NaN where a grade is not kyu or dan),
    ``handicap``, ``komi``, ``event`` and ``round``; with ``first_rating`` and ``second_rating``
    (NaN where there is none) if the table has ratings of both sides. Games on other boards and
    without a result are skipped and reported.
    """
    name = os.fspath(path)
    place = {each.lower(): each for each in reversed(find_dialect(Path(name), name).names)}
    found = ((key, [place[n] for n in names if n in place]) for key, names in _FURTHER.items())
    further = {key: names[0] for key, names in found if names}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SkippedWarning)  # the report says it
        try:
            pool = graded(read(name, first="black", levels=True, columns=further), name)
        except InputError as error:
            if "--" not in (error.hint or ""):
                raise
            hint = "correct the file: these commands have no options for it"
            raise InputError(error.message, file=error.file, line=error.line, hint=hint) from None
    data, size = pool.columns, len(pool)
    handicap = _numbers(data.get("handicap"), size, 0.0, wrong=np.inf)
    komi = _numbers(data.get("komi"), size, np.nan, wrong=np.inf)
    pool = without(
        replace(
            pool,
            columns={
                **{side: data[side] for side in GRADES},
                "handicap": handicap,
                "komi": komi,
                "event": data.get("event", np.full(size, "")),
                "round": _numbers(data.get("round"), size, 0.0),
                **{each: _numbers(data[each], size, np.nan) for each in RATINGS if each in data},
            },
        ),
        {
            "not on a board of 19 lines": _numbers(data.get("size"), size, 19.0) != 19,
            f"no handicap from 0 to {MOST_STONES} stones": (handicap < 0)
            | (handicap > MOST_STONES),
            f"no komi within {MOST_KOMI:g} points": np.abs(komi) > MOST_KOMI,
        },
    )
    if screen <= 0 or "event" not in further:
        return pool
    doubtful = np.isin(pool.columns["event"], implausible_events(pool, deviations=screen))
    return without(pool, {"event whose results favour one colour beyond chance": doubtful})


def graded(pool: Pool, file: str) -> Pool:
    """The games with their grades as numbers; `InputError` if they name none."""
    if not set(GRADES) <= set(pool.columns):
        raise InputError("the games do not name the players' grades", file=file)
    grades = {side: parse_grades([str(each) for each in pool.columns[side]]) for side in GRADES}
    return replace(pool, columns={**pool.columns, **grades})


def without(pool: Pool, reasons: Mapping[str, Flags]) -> Pool:
    """Leave games out, each counted under the first of its reasons."""
    keep = np.ones(len(pool), np.bool_)
    for reason, where in reasons.items():
        if number := int(np.sum(keep & where)):
            pool.skipped.add_uncounted(reason, number, known=True)
        keep &= ~where
    return pool if keep.all() else pool.select(keep)


def implausible_events(pool: Pool, *, deviations: float = 5.0) -> list[str]:
    """Events in which one colour won too many even games to be true.

    Judged by the share of even games that Black won, against one half.
    """
    even = (np.asarray(pool.columns["handicap"]) == 0) & (pool.score != 0.5)
    names, number = np.unique(pool.columns["event"], return_inverse=True)
    games = np.bincount(number[even], minlength=len(names))
    wins = np.bincount(number[even], pool.score[even], len(names))
    excess = np.abs(wins - 0.5 * games) / np.maximum(0.5 * np.sqrt(games), 0.5)
    return [str(name) for name in names[excess > deviations]]


@dataclass(frozen=True, eq=False)
class GameColumns:
    """Decided games one by one, with what a fold may be made of."""

    #: As in `GradedGames`.
    first: Floats
    second: Floats
    handicap: Floats
    komi: Floats
    first_won: Flags  #: Results.
    group: Longs  #: Games of equal number stay in one fold (a tournament, for example).
    #: (2, games): of both players, NaN where there is none; None without.
    ratings: Floats | None = None

    def __len__(self) -> int:
        return len(self.first)

    @classmethod
    def from_pool(cls, pool: Pool, *, group: str | None = None) -> GameColumns:
        """Decided games between players of known grades.

        The pool has ``first_grade``, ``second_grade`` and, where known, ``handicap``, ``komi``,
        ``first_rating`` and ``second_rating``; files name the komi of the even games beside
        handicap games too, so those count as without. `group`: column whose values make the groups;
        none makes every game its own.
        """
        if group is not None and group not in pool.columns:
            raise InputError(f"the games have no column {group!r}")
        keep = between_grades(pool)
        size = len(pool)
        first, second = grades_of(pool)
        handicap = np.asarray(pool.columns.get("handicap", np.zeros(size)), np.float64)
        komi = np.asarray(pool.columns.get("komi", np.full(size, np.nan)), np.float64)
        komi = np.where((handicap > 0) | ~np.isfinite(komi), usual_komi(handicap), komi)
        number = np.arange(size)
        if group is not None:
            number = np.unique(pool.columns[group], return_inverse=True)[1].ravel()
        ratings = None
        if set(RATINGS) <= set(pool.columns):
            ratings = np.array([np.asarray(pool.columns[name], np.float64) for name in RATINGS])
        won = pool.score == 1.0
        return cls(first, second, handicap, komi, won, number, ratings).select(keep)

    def select(self, keep: Flags) -> GameColumns:
        """Only the games where `keep` is true."""
        columns = ((each.name, getattr(self, each.name)) for each in fields(self))
        chosen = {name: values[..., keep] for name, values in columns if values is not None}
        return GameColumns(**chosen)

    @property
    def rated(self) -> Flags:
        """In which games both players have a rating."""
        if self.ratings is None:
            return np.zeros(len(self), np.bool_)
        return np.asarray(np.isfinite(self.ratings).all(axis=0))

    def graded(self, weight: Floats | None = None) -> GradedGames:
        """The games added up; with weights each counts as so many."""
        return GradedGames.from_columns(
            self.first, self.second, self.first_won, self.handicap, self.komi, weight
        )

    def log_gradients(self, model: GradeModel) -> tuple[Floats, Floats, Floats, Floats]:
        """`yardstone.winprob.kaniuk.log_gradients` of each game under a model."""
        conditions = self.first, self.second, self.handicap, self.komi
        return log_gradients(model.vector, model.link, *conditions)

    def group_weights(self, most: float) -> Floats:
        """Weights under which a group of n games counts as ``n / (1 + n / most)``.

        Those of games whose results correlate by 1 / `most` within a group: no group, however
        large, counts as more than `most` independent games.
        """
        _, number, size = np.unique(self.group, return_inverse=True, return_counts=True)
        return np.asarray(1.0 / (1.0 + size[number.ravel()] / most), np.float64)


def grades_of(pool: Pool) -> tuple[Floats, Floats]:
    """Grades of both players of each game; `InputError` if the games have none."""
    for name in GRADES:
        if name not in pool.columns:
            raise InputError(f"the games have no column {name!r}")
    first, second = (np.asarray(pool.columns[name], np.float64) for name in GRADES)
    return first, second


def between_grades(pool: Pool) -> Flags:
    """Which games are decided, and between players of known grades: 30 kyu to 9 dan.

    Raises `InputError` if the games have no grades.
    """
    first, second = grades_of(pool)
    handicap = np.asarray(pool.columns.get("handicap", np.zeros(len(pool))), np.float64)
    known = (np.minimum(first, second) >= -30.0) & (np.maximum(first, second) <= 8.0)
    return np.asarray(known & (pool.score != 0.5) & (handicap >= 0))
