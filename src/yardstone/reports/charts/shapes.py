"""What every picture is made of: shapes, discs and words, in pixels from the upper left."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Discs",
    "Element",
    "Shape",
    "Sheet",
    "Words",
    "broken",
    "cut",
    "legible",
    "text_width",
]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Shape:
    """Lines through points, or areas within them; all of one colour.

    Attributes
    ----------
    parts : sequence of (n, 2) arrays
        Corners of each part.
    fill, stroke : str
        Names of colours (`yardstone.reports.charts.colours`); "" for none. A filled part is
        closed.
    width : float
        Of the stroke.
    dash : tuple of float
        Lengths of dashes and gaps; empty for a full line.
    opacity : float
    title : str
        What it stands for, shown when it is pointed at.
    """

    parts: Sequence[Array]
    fill: str = ""
    stroke: str = ""
    width: float = 1.0
    dash: tuple[float, ...] = ()
    opacity: float = 1.0
    title: str = ""


@dataclass(frozen=True, eq=False)
class Discs:
    """Circles of one size around points."""

    centres: Array
    radius: float
    fill: str = ""
    stroke: str = ""
    width: float = 1.0
    opacity: float = 1.0
    title: str = ""


@dataclass(frozen=True, slots=True)
class Words:
    """A line of text; `y` is its base line, `x` its start, middle or end."""

    text: str
    x: float
    y: float
    size: float = 12.0
    anchor: str = "start"
    colour: str = "ink"
    bold: bool = False
    halo: bool = False

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom, by an estimate that is rather too wide."""
        width = text_width(self.text, self.size, bold=self.bold)
        left = self.x - {"start": 0.0, "middle": 0.5, "end": 1.0}[self.anchor] * width
        return left, self.y - 0.8 * self.size, left + width, self.y + 0.25 * self.size


Element = Shape | Discs | Words


@dataclass(frozen=True, eq=False)
class Sheet:
    """A finished picture: what stands later lies above."""

    width: float
    height: float
    elements: Sequence[Element]


#: Control characters and halves of pairs, which no XML file may hold.
_FORBIDDEN = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")
#: Stands for a blank that no line may end at.
_TIED = "\0%"


@cache
def _letter_width(letter: str) -> float:
    """In parts of the size of the letters, of a wide sans-serif font."""
    if unicodedata.combining(letter) or unicodedata.category(letter) in ("Cf", "Cc"):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.0
    if letter in "ijl|!.,:;'` fItr()[]":
        return 0.4 if letter in "trfI()[] " else 0.33
    if letter in "mwMW@%":
        return 0.97
    return 0.72 if letter.isupper() else 0.62


def text_width(text: str, size: float = 12.0, *, bold: bool = False) -> float:
    """Pixels that a line of text takes, rather too many than too few."""
    return sum(map(_letter_width, text)) * size * (1.1 if bold else 1.0)


def cut(text: str, room: float, size: float = 12.0, *, bold: bool = False) -> str:
    """A text that fits in `room` pixels, with … for what it lacks."""
    if text_width(text, size, bold=bold) <= room:
        return text
    for end in range(len(text) - 1, 0, -1):
        shorter = text[:end].rstrip() + "…"
        if text_width(shorter, size, bold=bold) <= room:
            return shorter
    return "…"


def broken(text: str, room: float, size: float = 12.0, *, bold: bool = False) -> list[str]:
    """A text in lines that fit in `room` pixels."""
    lines: list[str] = []
    for word in text.replace(" %", _TIED).split():
        word = word.replace(_TIED, " %")
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size, bold=bold) <= room:
            lines[-1] = longer
        else:
            lines.append(cut(word, room, size, bold=bold))
    return lines


def legible(text: str) -> str:
    """A text with a sign in place of what neither XML nor fonts know."""
    return _FORBIDDEN.sub("\ufffd", text)
