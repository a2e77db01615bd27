"""Go grades in zero-shodan units: 1 dan is 0, 2 dan is 1, 1 kyu is -1, 20 kyu is -20.

The unit of Kaniuk 2011, figure 1: neighbouring grades differ by one, without a
hole between 1 kyu and 1 dan.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

__all__ = ["MOST_KOMI", "MOST_STONES", "format_grade", "parse_grade", "parse_grades"]

#: More stones, or points of komi either way, are no handicap that anybody gives.
MOST_STONES = 36
MOST_KOMI = 150.0

_GRADE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(k|kyu|d|dan)\s*", re.IGNORECASE)


def parse_grade(text: str) -> float:
    """Grade in zero-shodan units from words such as ``4k``, ``2 dan`` or ``1.5d``.

    Examples
    --------
    >>> parse_grade("2d"), parse_grade("1k"), parse_grade("20 kyu")
    (1.0, -1.0, -20.0)
    """
    match = _GRADE.fullmatch(text)
    if match is None:
        hint = "write it like 4k or 2d"
        if re.fullmatch(r"\s*\d+\s*(p|pro)\s*", text, re.IGNORECASE):
            hint = "a professional rank has no place on the scale of amateur grades"
        raise InputError(f"{text!r} is not a Go grade", hint=hint)
    number = float(match[1])
    return -number if match[2].lower().startswith("k") else number - 1.0


def parse_grades(texts: Iterable[str | None]) -> NDArray[np.float64]:
    """Grades of many players; NaN where there is none that can be read.

    Made for files, where professional ranks, blanks and fancies stand among the
    grades; use `parse_grade` where a wrong word should be an error.
    """
    known: dict[str | None, float] = {}

    def read(text: str | None) -> float:
        if text not in known:
            match = _GRADE.fullmatch(text or "")
            known[text] = parse_grade(match[0]) if match else np.nan
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
