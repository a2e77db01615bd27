"""Winning statistics of files: of games, in the European Go Database's layout, and as CSV.

The database publishes "Winning Statistics - Even Games" as preformatted text:
one row a grade, and for each difference of one to four grades the wins of the
weaker player (Nw), the games (Ng) and their ratio in per cent (Pw). Markup
around and other tables beside it are passed over. CSV has one row a cell:
``grade,difference,wins,games,ratio``.
"""

from __future__ import annotations

import csv
import html
import io
import os
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import InputError, MissingFileError, NoGamesError, SkippedWarning, UsageError
from yardstone.records.joining import join_pools
from yardstone.winprob.game_columns import between_grades
from yardstone.winprob.games_csv import read_games_csv
from yardstone.winprob.grades import format_grade, parse_grade, parse_grades
from yardstone.winprob.statistics import WinningStatistics

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool

__all__ = [
    "as_published",
    "read_all_games",
    "read_graded_games",
    "read_statistics",
    "statistics_of_files",
]

#: Begins the table in the database's pages.
TITLE = "Winning Statistics - Even Games"
_ROW = re.compile(r"(\d{1,2}\s?[kd])(?=\s)([\d\s.%-]+)", re.IGNORECASE | re.ASCII)
#: A file of more bytes, a grade farther from 1 dan, a difference or a number of games beyond
#: these is no table of statistics.
_MOST_BYTES = 4 << 20
_FARTHEST_GRADE = 100
_MOST_DIFFERENCES = 100
_MOST_GAMES = 1e12


def as_published(statistics: WinningStatistics) -> str:
    """The statistics in the published layout, as plain text."""
    differences = statistics.differences
    lines = [TITLE]
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
    files: Sequence[Path],
    *,
    begin: str | None = None,
    end: str | None = None,
    differences: int = 4,
) -> WinningStatistics:
    """Statistics of files of games, or of files of counts; several are added up.

    Parameters
    ----------
    files : sequence of paths
    begin, end : date, optional
        First and last day counted, of games.
    differences : int
        Largest difference of grades counted.

    Raises
    ------
    InputError
        A file is not there, or cannot be read.
    UsageError
        There are games and counts, or a period of counts.
    NoGamesError
        No game counts.
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
            _said(_counted(_graded_games(file), differences)),
            begin=_day(begin),
            end=_day(end),
            differences=differences,
            label=period or file.name,
        )
        for file in files
    ]
    total = reduce(add, parts)
    if not total.games.sum():
        raise NoGamesError("there is no even, decided game between players of known grades")
    return total


#: Endings of tables, without those of compression.
_TABLES = (".csv", ".tsv", ".txt")


def read_graded_games(file: Path) -> Pool:
    """Games with grades, with a warning of what was left out.

    Tables are read by `read_games_csv`, other files and folders by `yardstone.records`; the
    grades of a game record are those that it names for its players.

    Raises
    ------
    InputError
        It cannot be read, or its games have no grades.
    """
    return _said(_graded_games(file))


def _graded_games(file: Path) -> Pool:
    """Read a file, and leave out games that are drawn or without known grades."""
    table = any(ending in _TABLES for ending in (each.lower() for each in file.suffixes[-2:]))
    if table and not file.is_dir():
        _check_file(file)
        pool = read_games_csv(file)
    else:
        pool = _read_records(file)
    known = between_grades(pool)
    drawn = pool.score == 0.5
    return _without(pool, {"drawn": drawn, "without two grades from 30k to 9d": ~drawn & ~known})


def _counted(pool: Pool, differences: int) -> Pool:
    """Leave out the games that `WinningStatistics` do not count."""
    first, second = (pool.columns[name] for name in ("first_grade", "second_grade"))
    apart = np.abs(first - second)
    inside = (np.minimum(first, second) >= -20) & (np.maximum(first, second) <= 6)
    reasons = {
        "with a handicap": np.asarray(pool.columns.get("handicap", 0.0 * apart)) != 0,
        "between equal grades": apart == 0,
        f"more than {differences} grades apart": apart > differences,
        "with a grade beyond 20k to 7d": ~inside,
    }
    return _without(pool, reasons)


def _without(pool: Pool, reasons: Mapping[str, NDArray[np.bool_]]) -> Pool:
    """Leave games out, each counted under the first of its reasons."""
    keep = np.ones(len(pool), np.bool_)
    for reason, where in reasons.items():
        if number := int(np.sum(keep & where)):
            pool.skipped.add_uncounted(reason, number, known=True)
        keep &= ~where
    return pool if keep.all() else pool.select(keep)


def _said(pool: Pool) -> Pool:
    """Warn of the games that were left out."""
    if len(pool.skipped):
        reasons = ", ".join(f"{n} {reason}" for reason, n in pool.skipped.reasons.most_common())
        warnings.warn(SkippedWarning(f"games left out: {reasons}"), stacklevel=3)
    return pool


def read_all_games(
    files: Sequence[Path], *, begin: str | None = None, end: str | None = None
) -> Pool:
    """The games of several files as one, from the first day to the last.

    Raises
    ------
    InputError
        As `read_graded_games`; or a game has no date, and a period was named.
    UsageError
        A day is not a date.
    """
    first, last = _day(begin), _day(end)
    pools = [read_graded_games(file) for file in files]
    pool = pools[0] if len(pools) == 1 else join_pools(pools)
    if first is None and last is None:
        return pool
    if pool.time is None:
        raise InputError("the games have no dates for a period", file=str(files[0]))
    keep = ~np.isnat(pool.time)
    if first is not None:
        keep &= pool.time >= np.datetime64(first, "s")
    if last is not None:
        keep &= pool.time < np.datetime64(last, "D") + np.timedelta64(1, "D")
    return pool.select(keep)


def _read_records(file: Path) -> Pool:
    from yardstone.records.reading import read

    pool = read(file, levels=True)
    sides = ("first_grade", "second_grade")
    if not set(sides) <= set(pool.columns):
        raise InputError("the games do not name the players' grades", file=str(file))
    grades = {side: parse_grades([str(each) for each in pool.columns[side]]) for side in sides}
    return replace(pool, columns={**pool.columns, **grades})


def _check_file(file: Path) -> None:
    if not file.is_file():
        raise MissingFileError("there is no such file", file=str(file))


def _holds_counts(file: Path) -> bool:
    if file.is_dir():
        return False
    _check_file(file)
    with file.open("rb") as stream:
        head = stream.read(1 << 16).decode("utf-8", "replace")
    return TITLE.lower() in head.lower() or head.startswith("grade,")


def _day(word: str | None) -> str | None:
    if word is not None:
        try:
            np.datetime64(word, "D")
        except ValueError:
            raise UsageError(f"{word!r} is not a date: write it like 2001-01-31") from None
    return word


def read_statistics(*paths: str | os.PathLike[str], lowest: int = -20) -> WinningStatistics:
    """Read statistics in either form; several files are added up.

    Parameters
    ----------
    *paths : paths
        Pages as published, their text, or CSV.
    lowest : int
        Grade of the first row; weaker grades in a file are left out.

    Raises
    ------
    InputError
        If a file holds no such table, or counts that cannot be.
    """
    cells: dict[tuple[int, int], tuple[float, float]] = {}
    for path in paths:
        text = _text(Path(path))
        table = _from_csv(text, str(path)) if text.startswith("grade,") else _from_page(text)
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
    highest = max(6, *(grade for grade, _ in cells))
    most = max(4, *(difference for _, difference in cells))
    wins_table = np.zeros((highest - lowest + 1, most))
    games_table = np.zeros_like(wins_table)
    for (grade, difference), (wins, games) in cells.items():
        if grade >= lowest:
            wins_table[grade - lowest, difference - 1] = wins
            games_table[grade - lowest, difference - 1] = games
    label = ", ".join(Path(path).name for path in paths)
    return WinningStatistics(lowest, wins_table, games_table, label)


def _text(path: Path) -> str:
    _check_file(path)
    with path.open("rb") as stream:
        data = stream.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise InputError(f"is larger than {_MOST_BYTES >> 20} MiB", file=str(path))
    return data.decode("utf-8", "replace")


def _from_page(text: str) -> dict[tuple[int, int], tuple[float, float]]:
    plain = html.unescape(re.sub(r"<[^<>]*>", "", text))
    cells: dict[tuple[int, int], tuple[float, float]] = {}
    inside = False
    for line in plain.splitlines():
        if "statistic" in line.lower():
            inside = TITLE.lower() in line.lower()
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


def _from_csv(text: str, file: str) -> dict[tuple[int, int], tuple[float, float]]:
    cells = {}
    rows = csv.DictReader(io.StringIO(text))
    line = 1
    try:
        for line, row in enumerate(rows, 2):
            key = int(parse_grade(row["grade"])), int(row["difference"])
            cells[key] = wins, games = float(row["wins"]), float(row["games"])
            if not 0.0 <= wins <= games < _MOST_GAMES:
                raise ValueError(games)
            if key[1] < 1:
                raise InputError("a difference is at least 1", file=file, line=line)
    except InputError as error:
        if error.file is not None:
            raise
        raise InputError("not a row of winning statistics", file=file, line=line) from error
    except (csv.Error, KeyError, ArithmeticError, ValueError, TypeError) as error:
        raise InputError("not a row of winning statistics", file=file, line=line) from error
    return cells
