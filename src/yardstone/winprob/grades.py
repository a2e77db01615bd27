"""Go grades on one number line: 1 dan is 0, 2 dan is 1, 1 kyu is -1, 20 kyu is -20.

These are the zero-shodan units of Kaniuk 2011, figure 1: neighbouring grades differ by
one, without a hole between 1 kyu and 1 dan. Everything in Yardstone that has to do with
grades uses them: `parse_grade` reads them, `format_grade` writes them.

A strength lies anywhere on the line. A grade's whole number is the middle of its stretch,
which reaches half a grade to either side: `nearest_grade` names the stretch. Sites that
count from the beginning of a stretch (OGS, Fox) are converted in `yardstone.scales`.
"""

from __future__ import annotations

import re
from math import floor
from typing import TYPE_CHECKING, Literal

import numpy as np

from yardstone.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

__all__ = [
    "MOST_KOMI",
    "MOST_STONES",
    "format_grade",
    "nearest_grade",
    "parse_grade",
    "parse_grades",
    "parse_professional",
    "split_grade",
]

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

    Examples
    --------
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

    Raises
    ------
    InputError
        It is no grade of amateurs.

    Examples
    --------
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


def parse_grades(texts: Iterable[str | None]) -> NDArray[np.float64]:
    """Grades of many players; NaN where there is none that can be read.

    Made for files, where professional ranks, blanks and fancies stand among the
    grades; use `parse_grade` where a wrong word should be an error.
    """
    known: dict[str | None, float] = {}

    def read(text: str | None) -> float:
        if text not in known:
            parts = split_grade(text or "")
            amateur = parts is not None and parts[1] != "pro"
            known[text] = parse_grade(text or "") if amateur else np.nan
        return known[text]

    return np.array([read(text) for text in texts], np.float64)


def format_grade(grade: float) -> str:
    """Short name of a grade, the inverse of `parse_grade`.

    A grade between two others is written with its decimals, as dan from 1 dan
    on and as kyu below.

    Examples
    --------
    >>> format_grade(1), format_grade(-20), format_grade(-0.5)
    ('2d', '20k', '0.5k')
    """
    value = float(grade)
    if not np.isfinite(value):
        return "?"
    return f"{-value:.10g}k" if value < 0 else f"{value + 1:.10g}d"


def nearest_grade(strength: float) -> str:
    """Name of the grade in whose stretch a strength lies; the stretch begins with its lower end.

    Examples
    --------
    >>> nearest_grade(1.3), nearest_grade(-0.5), nearest_grade(-0.51)
    ('2d', '1d', '1k')
    """
    value = float(strength)
    return format_grade(floor(value + 0.5)) if np.isfinite(value) else "?"
