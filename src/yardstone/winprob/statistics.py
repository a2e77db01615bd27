"""Winning statistics: how often the weaker player wins, by grade and difference.

``W(r, d)`` is the share of even games that a player of grade r won against one
of grade r + d, d = 1, 2, ...: the *weaker* player's wins (Kaniuk 2011, section
2). Grades are in zero-shodan units (1 dan = 0, 1 kyu = -1).

They are counted from files of games, or read. The European Go Database publishes "Winning
Statistics - Even Games" as preformatted text: one row a grade, and for each difference of one
to four grades the wins of the weaker player (Nw), the games (Ng) and their ratio in per cent
(Pw). Markup around and other tables beside it are passed over. CSV has one row a cell:
``grade,difference,wins,games,ratio``.
"""

from __future__ import annotations

import html
import os
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from yardstone.choices import plural
from yardstone.errors import (
    IgnoredWarning,
    InputError,
    MissingFileError,
    NoGamesError,
    SkippedWarning,
    UsageError,
)
from yardstone.grades import format_grade, parse_grade
from yardstone.pool import Pool, SkipReport
from yardstone.records.joining import join_pools
from yardstone.records.reading import read
from yardstone.records.sources import Source, delimited_rows
from yardstone.winprob.games import (
    GameColumns,
    between_grades,
    graded,
    grades_of,
    read_games_csv,
    without,
)

if TYPE_CHECKING:
    from yardstone.arrays import Flags, Floats, Longs


LOWEST, HIGHEST = -20, 6  #: Grades that are counted: 20 kyu to 7 dan.


@dataclass(frozen=True, eq=False, repr=False)
class WinningStatistics:
    """Wins of the weaker player and games, by grade and grade difference; frozen."""

    lowest: int  #: Grade of the first row, in zero-shodan units.
    #: (grades, differences): row i is grade ``lowest + i``, column j is difference ``j + 1``.
    wins: Floats
    games: Floats
    label: str = ""  #: Where the games come from, for headings.

    def __post_init__(self) -> None:
        wins = np.ascontiguousarray(self.wins, np.float64)
        games = np.ascontiguousarray(self.games, np.float64)
        if wins.shape != games.shape or wins.ndim != 2:
            raise InputError("wins and games must be tables of one shape")
        if np.any(wins < 0) or np.any(wins > games):
            raise InputError("there cannot be more wins than games")
        object.__setattr__(self, "wins", wins)
        object.__setattr__(self, "games", games)

    def __repr__(self) -> str:
        label = f" of {self.label}" if self.label else ""
        return f"<WinningStatistics{label}: {self.games.sum():.0f} games>"

    @classmethod
    def from_games(
        cls,
        first: Floats,
        second: Floats,
        first_won: Flags,
        *,
        differences: int = 4,
        label: str = "",
    ) -> WinningStatistics:
        """Count games, given both grades and whether `first` won.

        Left out are games between equals, beyond `differences`, and with a grade outside 20 kyu to
        7 dan or not whole.
        """
        weaker = np.minimum(first, second)
        difference = np.abs(first - second)
        keep = (
            (weaker >= LOWEST)
            & (np.maximum(first, second) <= HIGHEST)
            & (difference >= 1)
            & (difference <= differences)
            & (first == np.floor(first))
            & (second == np.floor(second))
        )
        cells = (weaker[keep] - LOWEST).astype(np.int64), difference[keep].astype(np.int64) - 1
        games, wins = np.zeros((2, HIGHEST - LOWEST + 1, differences))
        np.add.at(games, cells, 1.0)
        np.add.at(wins, cells, (first_won == (first < second))[keep])
        return cls(LOWEST, wins, games, label)

    @classmethod
    def from_pool(
        cls,
        pool: Pool,
        *,
        differences: int = 4,
        begin: str | np.datetime64 | None = None,
        end: str | np.datetime64 | None = None,
        label: str = "",
    ) -> WinningStatistics:
        """Count the even, decided games of a pool with grades.

        The pool has the columns ``first_grade`` and ``second_grade`` (zero-shodan units, NaN if
        unknown); ``handicap``, if there, must be 0. `differences` as in `from_games`; `begin`,
        `end`: first and last day counted; games without a date are then left out.
        """
        keep = between_grades(pool) & even(pool) & _in_period(pool, begin, end)
        first, second = (grade[keep] for grade in grades_of(pool))
        won = pool.score[keep] == 1.0
        return cls.from_games(first, second, won, differences=differences, label=label)

    @property
    def grades(self) -> Longs:
        """Grade of each row."""
        return self.lowest + np.arange(len(self.games))

    @property
    def differences(self) -> Longs:
        """Difference of each column: 1, 2, ..."""
        return 1 + np.arange(self.games.shape[1])

    def ratio(self) -> Floats:
        """W(r, d); NaN where there is no game."""
        with np.errstate(invalid="ignore"):
            return self.wins / np.where(self.games > 0, self.games, np.nan)

    def standard_error(self) -> Floats:
        """Binomial standard error of each ratio, from counts with one of each added."""
        share = (self.wins + 1.0) / (self.games + 2.0)
        return np.where(self.games > 0, np.sqrt(share * (1 - share) / (self.games + 2.0)), np.nan)

    def extended(self) -> Floats:
        """Probability of a win for d = -D .. D by equation 1; column D is d = 0.

        ``P(r, r + d) = W(r, d)``, ``P(r, r - d) = 1 - W(r - d, d)`` and
        ``P(r, r) = 0.5``; NaN where nothing is known.
        """
        rows, most = self.games.shape
        ratio = self.ratio()
        table = np.full((rows, 2 * most + 1), np.nan)
        table[:, most] = 0.5
        table[:, most + 1 :] = ratio
        for d in range(1, most + 1):
            table[d:, most - d] = 1.0 - ratio[: rows - d, d - 1]
        return table

    def weights(self) -> Floats:
        """Weight of each grade in the published fit (Kaniuk 2011, section 4).

        The games of all grades up to this one, divided by the largest such sum. The first row
        (20 kyu, where players below 20 kyu stand too) counts nothing and weighs nothing.
        """
        games = self.games.sum(axis=1)
        games[0] = 0.0
        total = np.cumsum(games)
        if not total[-1] > 0:
            raise NoGamesError("no game to weigh the grades by")
        weights: Floats = total / total[-1]
        return weights

    def __add__(self, other: WinningStatistics) -> WinningStatistics:
        if self.lowest != other.lowest or self.games.shape != other.games.shape:
            raise UsageError("only statistics of the same grades and differences can be added")
        return WinningStatistics(self.lowest, self.wins + other.wins, self.games + other.games)


def even(pool: Pool) -> Flags:
    """Which games have no handicap."""
    handicap = np.asarray(pool.columns.get("handicap", np.zeros(len(pool))), np.float64)
    return np.asarray(handicap == 0)


def _in_period(
    pool: Pool, begin: str | np.datetime64 | None, end: str | np.datetime64 | None
) -> Flags:
    """Which games were played from the first day to the last; `UsageError` where none tells."""
    keep = np.ones(len(pool), np.bool_)
    for bound, later in ((begin, False), (end, True)):
        if bound is None:
            continue
        if pool.time is None:
            raise UsageError("the games have no dates, so no period can be chosen")
        try:
            day = np.datetime64(str(bound)).astype("datetime64[D]")
        except ValueError:
            raise UsageError(f"{bound!r} is not a date: write it like 2001-01-31") from None
        keep &= pool.time < day + 1 if later else pool.time >= day
    return keep


#: Begins the table in the database's pages.
_TITLE = "Winning Statistics - Even Games"
_ROW = re.compile(r"(\d{1,2}\s?[kd])(?=\s)([\d\s.%-]+)", re.IGNORECASE | re.ASCII)
#: A larger file, grade, difference or number of games is no table of statistics.
_MOST_BYTES = 4 << 20
_FARTHEST_GRADE = 100
_MOST_DIFFERENCES = 100
_MOST_GAMES = 1e12


def as_published(statistics: WinningStatistics) -> str:
    """The statistics in the published layout, as plain text."""
    differences = statistics.differences
    lines = [_TITLE]
    if statistics.label:
        lines.append(statistics.label)
    lines += [
        "",
        "Nw: wins of the weaker player, Ng: games, Pw: per cent, by the grade of the weaker player",
        "",
        "Grade" + "".join(f"{f'd = {d}':^24}" for d in differences).rstrip(),
        "     " + "".join(f"{'Nw':>8}{'Ng':>8}{'Pw':>8}" for _ in differences),
    ]
    ratio = statistics.ratio()
    for row, grade in enumerate(statistics.grades):
        cells = ""
        for column in range(len(differences)):
            share = 100.0 * ratio[row, column]
            per_cent = "-" if np.isnan(share) else f"{share:.1f}"
            wins, games = statistics.wins[row, column], statistics.games[row, column]
            cells += f"{wins:>8.0f}{games:>8.0f}{per_cent:>8}"
        lines.append(f"{format_grade(grade):>5}{cells}")
    return "\n".join(lines) + "\n"


def statistics_of_files(
    files: Sequence[Path], *, begin: str | None = None, end: str | None = None, differences: int = 4
) -> WinningStatistics:
    """Statistics of files of games, or of files of counts; several are added up.

    Of games `begin` and `end` are the first and last day counted, `differences` the largest
    difference of grades. Raises `InputError` if a file is not there, or cannot be read;
    `UsageError` if there are games and counts, or a period of counts; `NoGamesError` if no game
    counts.
    """
    counted = [_holds_counts(file) for file in files]
    if all(counted):
        if begin or end:
            raise UsageError("--from and --to need games, not counts")
        return read_statistics(*files)
    if any(counted):
        raise UsageError("give games or counts, not both")
    period = " to ".join(filter(None, (begin, end)))
    parts = [
        WinningStatistics.from_pool(
            _by_grades(_said(_counted(_graded_games(file), differences))),
            begin=begin,
            end=end,
            differences=differences,
            label=period or file.name,
        )
        for file in files
    ]
    total = reduce(add, parts)
    if not total.games.sum():
        raise NoGamesError("there is no even, decided game between players of known grades")
    return total


_TABLES = (".csv", ".tsv", ".txt")  #: Endings of tables, without those of compression.


def read_graded_games(file: Path) -> Pool:
    """Games with grades, with a warning of what was left out.

    Tables are read by `read_games_csv`, other files and folders by `yardstone.records`; the grades
    of a game record are those that it names for its players. Raises `InputError` if it cannot be
    read, or its games have no grades.
    """
    return _said(_graded_games(file))


def _graded_games(file: Path) -> Pool:
    """Read a file, and leave out games that are drawn or without known grades."""
    table = any(ending in _TABLES for ending in (each.lower() for each in file.suffixes[-2:]))
    if table and not file.is_dir():
        _check_file(file)
        pool = read_games_csv(file)
    else:
        pool = graded(read(file, levels=True), str(file))
    known = between_grades(pool)
    drawn = pool.score == 0.5
    return without(pool, {"drawn": drawn, "without two grades from 30k to 9d": ~drawn & ~known})


def _counted(pool: Pool, differences: int) -> Pool:
    """Leave out the games that `WinningStatistics` do not count."""
    first, second = grades_of(pool)
    apart = np.abs(first - second)
    inside = (np.minimum(first, second) >= LOWEST) & (np.maximum(first, second) <= HIGHEST)
    reasons = {
        "with a handicap": ~even(pool),
        "between equal grades": apart == 0,
        f"more than {plural(differences, 'grade')} apart": apart > differences,
        "with a grade beyond 20k to 7d": ~inside,
    }
    return without(pool, reasons)


def _said(pool: Pool) -> Pool:
    """Warn of the games that were left out."""
    if len(pool.skipped):
        reasons = ", ".join(f"{n} {reason}" for reason, n in pool.skipped.reasons.most_common())
        warnings.warn(SkippedWarning(f"games left out: {reasons}"), stacklevel=3)
    return pool


def _by_grades(pool: Pool) -> Pool:
    """Warn of ratings that are not used."""
    if rated := int(GameColumns.from_pool(pool).rated.sum()):
        said = f"grades decide; the ratings in {plural(rated, 'game')} are not used"
        warnings.warn(IgnoredWarning(said), stacklevel=3)
    return pool


def read_all_games(
    files: Sequence[Path], *, begin: str | None = None, end: str | None = None
) -> Pool:
    """The games of several files as one, from the first day to the last.

    Raises `InputError`: as `read_graded_games`; or a game has no date, and a period was named;
    `UsageError` if a day is not a date.
    """
    pools = [_by_grades(read_graded_games(file)) for file in files]
    pool = pools[0] if len(pools) == 1 else join_pools(pools)
    return pool if begin is None and end is None else pool.select(_in_period(pool, begin, end))


def _check_file(file: Path) -> None:
    if not file.is_file():
        raise MissingFileError("there is no such file", file=str(file))


def _holds_counts(file: Path) -> bool:
    if file.is_dir():
        return False
    _check_file(file)
    with file.open("rb") as stream:
        head = stream.read(1 << 16).decode("utf-8", "replace")
    return _TITLE.lower() in head.lower() or head.startswith("grade,")


def read_statistics(*paths: str | os.PathLike[str]) -> WinningStatistics:
    """Read statistics from pages as published, their text, or CSV; several files are added up.

    Grades below 20 kyu are left out. Raises `InputError` if a file holds no such table, or counts
    that cannot be.
    """
    cells: dict[tuple[int, int], tuple[float, float]] = {}
    for path in paths:
        text = Source(str(path), Path(path)).content(_MOST_BYTES).decode("utf-8", "replace")
        table = _from_csv(str(path)) if text.startswith("grade,") else _from_page(text)
        if not table:
            raise InputError("no winning statistics of even games were found", file=str(path))
        for key, (wins, games) in table.items():
            if abs(key[0]) > _FARTHEST_GRADE or key[1] > _MOST_DIFFERENCES:
                raise InputError(
                    f"a grade or a difference of grades is beyond {_FARTHEST_GRADE}",
                    file=str(path),
                )
            before = cells.get(key, (0.0, 0.0))
            cells[key] = before[0] + wins, before[1] + games
    if not cells:
        raise InputError("no file of winning statistics was given")
    highest = max(HIGHEST, *(grade for grade, _ in cells))
    most = max(4, *(difference for _, difference in cells))
    counts = np.zeros((2, highest - LOWEST + 1, most))
    for (grade, difference), pair in cells.items():
        if grade >= LOWEST:
            counts[:, grade - LOWEST, difference - 1] = pair
    label = ", ".join(Path(path).name for path in paths)
    return WinningStatistics(LOWEST, counts[0], counts[1], label)


def _from_page(text: str) -> dict[tuple[int, int], tuple[float, float]]:
    plain = html.unescape(re.sub(r"<[^<>]*>", "", text))
    cells: dict[tuple[int, int], tuple[float, float]] = {}
    inside = False
    for line in plain.splitlines():
        if "statistic" in line.lower():
            inside = _TITLE.lower() in line.lower()
        row = _ROW.fullmatch(line.strip()) if inside else None
        if row is None:
            continue
        grade = int(parse_grade(row[1]))
        numbers = row[2].replace("%", "").split()
        for difference in range(1, len(numbers) // 3 + 1):
            wins, games = numbers[3 * difference - 3 : 3 * difference - 1]
            if wins.isdigit() and games.isdigit() and 0 < float(games) < _MOST_GAMES:
                cells[grade, difference] = float(wins), float(games)
    return cells


def _from_csv(file: str) -> dict[tuple[int, int], tuple[float, float]]:
    cells = {}
    header, rows = delimited_rows(file, skipped := SkipReport(), most=_MOST_BYTES)
    for record in skipped.details:
        raise InputError(record.reason, file=file, line=record.line)
    for line, texts in rows:
        row = dict(zip(header, texts, strict=True))
        try:
            key = int(parse_grade(row["grade"])), int(row["difference"])
            cells[key] = wins, games = float(row["wins"]), float(row["games"])
        except (InputError, KeyError, ArithmeticError, ValueError) as error:
            raise InputError("not a row of winning statistics", file=file, line=line) from error
        if not 0.0 <= wins <= games < _MOST_GAMES:
            raise InputError("not a row of winning statistics", file=file, line=line)
        if key[1] < 1:
            raise InputError("a difference is at least 1", file=file, line=line)
    return cells
