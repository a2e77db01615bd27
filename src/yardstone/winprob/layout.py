"""Winning statistics in files: the European Go Database's layout, and CSV.

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
from pathlib import Path

import numpy as np

from yardstone.errors import InputError
from yardstone.winprob.grades import format_grade, parse_grade
from yardstone.winprob.statistics import WinningStatistics

__all__ = ["TITLE", "as_csv", "as_published", "read_statistics"]

TITLE = "Winning Statistics - Even Games"
_ROW = re.compile(r"^\s*(\d{1,2}\s?[kd])\s+([\d\s.%-]+?)\s*$", re.IGNORECASE)
_CSV_HEAD = ["grade", "difference", "wins", "games", "ratio"]


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
            shown = "-" if np.isnan(share) else f"{share:.1f}"
            wins, games = statistics.wins[row, column], statistics.games[row, column]
            cells += f"{wins:>8.0f}{games:>8.0f}{shown:>8}"
        lines.append(f"{format_grade(grade):>5}{cells}")
    return "\n".join(lines) + "\n"


def as_csv(statistics: WinningStatistics) -> str:
    """The statistics as CSV, cells without games left out."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_CSV_HEAD)
    ratio = statistics.ratio()
    for row, column in zip(*np.nonzero(statistics.games), strict=True):
        writer.writerow(
            [
                format_grade(statistics.grades[row]),
                int(statistics.differences[column]),
                f"{statistics.wins[row, column]:.12g}",
                f"{statistics.games[row, column]:.12g}",
                f"{ratio[row, column]:.6f}",
            ]
        )
    return out.getvalue()


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
        text = Path(path).read_text(encoding="utf-8", errors="replace")
        found = _from_csv(text, str(path)) if text.startswith("grade,") else _from_page(text)
        if not found:
            raise InputError("no winning statistics of even games were found", file=str(path))
        for key, (wins, games) in found.items():
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


def _from_page(text: str) -> dict[tuple[int, int], tuple[float, float]]:
    plain = html.unescape(re.sub(r"<[^>]*>", "", text))
    cells: dict[tuple[int, int], tuple[float, float]] = {}
    inside = False
    for line in plain.splitlines():
        if "statistic" in line.lower():
            inside = TITLE.lower() in line.lower()
        row = _ROW.match(line) if inside else None
        if row is None:
            continue
        grade = int(parse_grade(row[1]))
        numbers = row[2].replace("%", "").split()
        for difference in range(1, len(numbers) // 3 + 1):
            wins, games = numbers[3 * difference - 3 : 3 * difference - 1]
            if wins.isdigit() and games.isdigit() and int(games) > 0:
                cells[grade, difference] = float(wins), float(games)
    return cells


def _from_csv(text: str, file: str) -> dict[tuple[int, int], tuple[float, float]]:
    cells = {}
    for line, row in enumerate(csv.DictReader(io.StringIO(text)), 2):
        try:
            key = int(parse_grade(row["grade"])), int(row["difference"])
            cells[key] = float(row["wins"]), float(row["games"])
        except (KeyError, ValueError, TypeError, InputError) as error:
            raise InputError("not a row of winning statistics", file=file, line=line) from error
        if key[1] < 1:
            raise InputError("a difference is at least 1", file=file, line=line)
    return cells
