"""Decided games between Go grades: from CSV tables, and one by one for a fit.

A table has one row a game; columns are found by name, and these names are known (case does
not matter):

=========  ==================================================================
black      ``black``, ``first``
white      ``white``, ``second``
grades     ``b_rank``, ``black_rank``, ``black_grade``, ``first_grade`` and the
           same for White: ``4k``, ``2 dan``
result     ``result``, as in any table (`yardstone.read`), with Black's points first
           in ``1-0``, and alone in ``1`` / ``0.5`` / ``0``
handicap   ``handicap``, ``hd``; none means an even game
komi       ``komi``
date       ``date``, ``begin``, ``time``
event      ``event``, ``tournament``
round      ``round``, ``rnd``
ratings    as in any table: ``w_rating``, ``BlackElo``; of both sides or none
size       ``size``: only 19 is kept
=========  ==================================================================
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from yardstone.errors import InputError
from yardstone.grades import MOST_KOMI, MOST_STONES, parse_grades, usual_komi
from yardstone.pool import Pool, Skipped, SkipReport
from yardstone.records.columns import level_columns
from yardstone.records.dates import read_dates
from yardstone.records.decoding import clean
from yardstone.records.options import UNKNOWN_RESULT, listed_values, too_much
from yardstone.records.results import ResultColumn, read_column
from yardstone.records.table_files import connection_for, csv_table, find_dialect
from yardstone.records.table_results import quoted
from yardstone.winprob.kaniuk import GradeModel, log_gradients
from yardstone.winprob.likelihood import GradedGames

if TYPE_CHECKING:
    from yardstone.arrays import Flags, Floats, Longs


_KNOWN: Mapping[str, tuple[str, ...]] = {
    "black": ("black", "first"),
    "white": ("white", "second"),
    "first_grade": ("b_rank", "black_rank", "black_grade", "first_grade", "first_rank"),
    "second_grade": ("w_rank", "white_rank", "white_grade", "second_grade", "second_rank"),
    "result": ("result", "score"),
    "handicap": ("handicap", "hd"),
    "komi": ("komi",),
    "date": ("date", "begin", "time"),
    "event": ("event", "tournament"),
    "round": ("round", "rnd"),
    "size": ("size",),
}
#: Columns of grades and of ratings in a pool: of Black and of White.
GRADES, RATINGS = ("first_grade", "second_grade"), ("first_rating", "second_rating")
_NEEDED = ("black", "white", "first_grade", "second_grade", "result")
_LONGEST_EVENT = 500  #: Names of events have one width in memory, that of the longest.


def _results(words: NDArray[Any], column: str, file: str, report: SkipReport) -> Floats:
    """Black's points; NaN where there is no result, which the report takes."""
    counts = Counter(str(word).strip() for word in words)
    sides = ("black", "white")
    read = read_column(ResultColumn(column, counts, sides, sides, file, colour="black", sure=True))
    if too_much(read.unknown, read.unknown.total(), counts.total()):
        raise InputError(f"the values {listed_values(read.unknown)} are not understood", file=file)
    score = np.array([read.scores.get(str(word).strip(), np.nan) for word in words], np.float64)
    for row in np.flatnonzero(np.isnan(score)):
        kind = read.left_out.get(str(words[row]).strip(), UNKNOWN_RESULT)
        report.add(Skipped(file, int(row) + 2, kind), kind=kind, known=kind != UNKNOWN_RESULT)
    return score


def _columns(path: str) -> dict[str, NDArray[Any]]:
    dialect = find_dialect(Path(path), path)
    place = {name.lower(): name for name in dialect.names}
    chosen = {
        key: next((place[name] for name in names if name in place), None)
        for key, names in _KNOWN.items()
    }
    missing = [key for key in _NEEDED if chosen[key] is None]
    if missing:
        raise InputError(f"there is no column {' or '.join(_KNOWN[missing[0]])}", file=path)
    levels, _ = level_columns(dialect.names, str(chosen["black"]), str(chosen["white"]))
    chosen |= {name: levels.get(name) for name in RATINGS}
    wanted = {key: name for key, name in chosen.items() if name is not None}
    how = f"header = true, skip = {dialect.header - 1}"
    table = csv_table(Path(path), dialect, how, dict.fromkeys(wanted.values()))
    with connection_for(path) as connection:
        columns = ", ".join(map(quoted, wanted.values()))
        fetched = connection.execute(f"SELECT {columns} FROM {table}").fetchall()
    return {
        key: np.array(["" if row[at] is None else row[at] for row in fetched], object)
        for at, key in enumerate(wanted)
    }


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
    data = _columns(name)
    size = len(data["black"])
    report = SkipReport()
    score = _results(data["result"], "result", name, report)
    keep = np.isfinite(score)
    handicap = _numbers(data.get("handicap"), size, 0.0, wrong=np.inf)
    komi = _numbers(data.get("komi"), size, np.nan, wrong=np.inf)
    events = data.get("event", np.full(size, "", object))
    for kind, wrong in (
        ("not on a board of 19 lines", _numbers(data.get("size"), size, 19.0) != 19),
        (
            f"name of the event longer than {_LONGEST_EVENT} letters",
            np.array([len(word) > _LONGEST_EVENT for word in events], bool),
        ),
        (f"no handicap from 0 to {MOST_STONES} stones", (handicap < 0) | (handicap > MOST_STONES)),
        (f"no komi within {MOST_KOMI:g} points", np.abs(komi) > MOST_KOMI),
    ):
        for row in np.flatnonzero(keep & wrong):
            report.add(Skipped(name, int(row) + 2, kind), kind=kind)
        keep &= ~wrong
    players: dict[str, int] = {}
    ids = np.array(
        [
            [players.setdefault(clean(str(word)), len(players)) for word in pair]
            for pair in zip(data["black"][keep], data["white"][keep], strict=True)
        ],
        np.int32,
    ).reshape(-1, 2)
    time = read_dates([str(word) for word in data["date"]]).time if "date" in data else None
    pool = Pool(
        tuple(players),
        ids[:, 0],
        ids[:, 1],
        score[keep],
        None if time is None else time[keep],
        {
            **{name: parse_grades(data[name][keep]) for name in GRADES},
            "handicap": handicap[keep],
            "komi": komi[keep],
            "event": events[keep].astype(str),
            "round": _numbers(data.get("round"), size, 0.0)[keep],
            **{name: _numbers(data[name], size, np.nan)[keep] for name in RATINGS if name in data},
        },
        report,
    )
    if screen <= 0 or "event" not in data:
        return pool
    doubtful = np.isin(pool.columns["event"], implausible_events(pool, deviations=screen))
    kind = "event whose results favour one colour beyond chance"
    for row in np.flatnonzero(keep)[doubtful]:
        report.add(Skipped(name, int(row) + 2, kind), kind=kind)
    return pool.select(~doubtful)


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


def grades_of(pool: Pool, hint: str | None = None) -> tuple[Floats, Floats]:
    """Grades of both players of each game; `InputError` if the games have none."""
    for name in GRADES:
        if name not in pool.columns:
            raise InputError(f"the games have no column {name!r}", hint=hint)
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
