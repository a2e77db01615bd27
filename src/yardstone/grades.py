"""Go grades on one number line, and what handicap stones and komi are worth on it.

1 dan is 0, 2 dan is 1, 1 kyu is -1, 20 kyu is -20. These are the zero-shodan units of Kaniuk
2011, figure 1: neighbouring grades differ by one, without a hole between 1 kyu and 1 dan.
Everything in Yardstone that has to do with grades uses them: `parse_grade` reads them,
`format_grade` writes them.

A strength lies anywhere on the line. A grade's whole number is the middle of its stretch,
which reaches half a grade to either side: `nearest_grade` names the stretch. Sites that
count from the beginning of a stretch (OGS, Fox) are converted in `yardstone.winprob.scales`.

An even game at komi 7 is worth nothing to either side: 7 points are the half stone that
moving first is worth, so a stone is 14 points. With h stones and no komi Black is ahead by
h - 1/2, as the first stone is the move that he has anyhow (`head_start`). European usage and
the EGF's ratings count so; `yardstone.winprob.goldis` counts a stone at the komi.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import floor
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from yardstone.errors import InputError, UsageError

if TYPE_CHECKING:
    Floats = NDArray[np.float64]

#: More stones, or points of komi either way, are no handicap that anybody gives.
MOST_STONES = 36
MOST_KOMI = 150.0

#: A number and a word; Fox writes professionals as P9段, servers add ? or * to doubtful ranks.
_GRADE = re.compile(
    r"\s*+(p)?\s*+(\d{1,3}(?:\.\d{1,9})?|[初一二三四五六七八九])\s*+"
    r"(kyu|k|dan|d|pro|p|段|단|级|級|급|品)\s*+[?*]?\s*+",
    re.IGNORECASE,
)
_CHINESE = {"初": 1.0} | {word: float(n) for n, word in enumerate("一二三四五六七八九", 1)}
_KYU = frozenset(("k", "kyu", "级", "級", "급"))
_PROFESSIONAL = frozenset(("p", "pro", "品"))

Kind = Literal["kyu", "dan", "pro"]


def split_grade(text: str) -> tuple[float, Kind] | None:
    """Number and kind of a grade as people and servers write it; None if it is none.

    Examples:
        >>> split_grade("4k"), split_grade("2 Dan"), split_grade("9p"), split_grade("strong")
        ((4.0, 'kyu'), (2.0, 'dan'), (9.0, 'pro'), None)
        >>> split_grade("18级"), split_grade("九段"), split_grade("P9段"), split_grade("5k?")
        ((18.0, 'kyu'), (9.0, 'dan'), (9.0, 'pro'), (5.0, 'kyu'))
    """
    match = _GRADE.fullmatch(text)
    if match is None:
        return None
    before, digits, word = match[1], match[2], match[3].lower()
    number = _CHINESE[digits] if digits in _CHINESE else float(digits)
    if number == 0.0:
        return None
    if before or word in _PROFESSIONAL:
        return (number, "pro") if word not in _KYU else None
    return number, "kyu" if word in _KYU else "dan"


def parse_grade(text: str) -> float:
    """Grade in zero-shodan units from words such as ``4k``, ``2 dan`` or ``1.5d``.

    Raises:
        InputError: It is no grade of amateurs.

    Examples:
        >>> parse_grade("2d"), parse_grade("1k"), parse_grade("20 kyu")
        (1.0, -1.0, -20.0)
    """
    parts = split_grade(text)
    if parts is None:
        raise InputError(f"{text!r} is not a Go grade", hint="write it like 4k or 2d")
    number, kind = parts
    if kind == "pro":
        raise InputError(
            f"{text!r} is not a Go grade",
            hint="a professional rank has no place on the scale of amateur grades",
        )
    return -number if kind == "kyu" else number - 1.0


def parse_professional(text: str) -> int | None:
    """Dan of a professional rank such as ``3p``, from 1 to 9; None if it is none."""
    parts = split_grade(text)
    if parts is None or parts[1] != "pro" or parts[0] not in range(1, 10):
        return None
    return int(parts[0])


def parse_grades(texts: Iterable[str | None]) -> Floats:
    """Grades of many players; NaN where there is none that can be read.

    Made for files, where professional ranks, blanks and fancies stand among the
    grades; use `parse_grade` where a wrong word should be an error.
    """
    words = list(texts)
    parts = {word: split_grade(word or "") for word in set(words)}
    known = {
        word: parse_grade(word or "") if part is not None and part[1] != "pro" else np.nan
        for word, part in parts.items()
    }
    return np.array([known[word] for word in words], np.float64)


def format_grade(grade: float) -> str:
    """Short name of a grade, the inverse of `parse_grade`.

    A grade between two others is written with its decimals, as dan from 1 dan on and as kyu below.

    Examples:
        >>> format_grade(1), format_grade(-20), format_grade(-0.5)
        ('2d', '20k', '0.5k')
    """
    value = float(grade)
    if not np.isfinite(value):
        return "?"
    return f"{-value:.10g}k" if value < 0 else f"{value + 1:.10g}d"


def nearest_grade(strength: float) -> str:
    """Name of the grade in whose stretch a strength lies; the stretch begins with its lower end.

    Examples:
        >>> nearest_grade(1.3), nearest_grade(-0.5), nearest_grade(-0.51)
        ('2d', '1d', '1k')
    """
    value = float(strength)
    return format_grade(floor(value + 0.5)) if np.isfinite(value) else "?"


#: The komi of an even game that favours nobody.
EVEN_KOMI = 7.0
#: Points of komi that are worth a stone.
POINTS_PER_STONE = 14.0


def usual_komi(handicap: ArrayLike) -> Floats:
    """Komi where none is named: 7 in an even game, none with one stone or more."""
    return np.where(np.asarray(handicap, np.float64) == 0.0, EVEN_KOMI, 0.0)


def head_start(handicap: ArrayLike, komi: ArrayLike | None = None) -> Floats:
    """Stones by which Black is ahead.

    Args:
        handicap (array_like): Stones of Black; 0 is an even game, and with 1 Black only moves
            first.
        komi (array_like): Points that Black gives; the usual one by default. A reverse komi is
            negative.

    Examples:
        >>> float(head_start(0)), float(head_start(1)), float(head_start(4, 7))
        (0.0, 0.5, 3.0)
    """
    stones = np.asarray(handicap, np.float64)
    given = usual_komi(stones) if komi is None else np.asarray(komi, np.float64)
    return np.asarray(np.maximum(stones, 1.0) - 0.5 - given / POINTS_PER_STONE)


def check_conditions(handicap: Floats, komi: Floats) -> None:
    """Raise UsageError for stones or komi that nobody gives."""
    if np.any(~((handicap >= 0.0) & (handicap <= MOST_STONES))) or np.any(
        ~(np.abs(komi) <= MOST_KOMI)
    ):
        raise UsageError(
            f"handicaps lie from 0 to {MOST_STONES} stones, komi within {MOST_KOMI:g} points"
        )
