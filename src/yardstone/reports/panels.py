"""What a chart is made of before it is drawn: panels with axes, and marks at values.

Not-a-number is a gap, an infinite end of an interval reaches to the edge, and times are
`datetime64`. Colours are names (`LIGHT`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class Axis:
    """One direction of a panel."""

    label: str = ""
    #: `low`, `high`: ends; without them those of the marks, with some room.
    low: float | None = None
    high: float | None = None
    #: ``linear``, ``log``, ``date`` or ``category`` (values 0, 1, 2, … with `names`).
    scale: Literal["linear", "log", "date", "category"] = "linear"
    names: Sequence[str] = ()  #: Of categories; the first stands on top or at the left.
    #: Values with what is written there, in place of round values.
    ticks: Sequence[tuple[float, str]] | None = None
    between: bool = False  #: The text of a tick stands in the middle between it and the next one.
    whole: bool = False  #: Round values are whole numbers.
    grid: bool = False  #: Lines across the panel at the ticks.
    hidden: bool = False  #: Nothing but the ends matter.


@dataclass(frozen=True, eq=False)
class Stroke:
    """A line through points, or steps that hold until the next point."""

    x: ArrayLike
    y: ArrayLike
    colour: str = "c1"
    name: str = ""
    width: float = 1.8
    dash: tuple[float, ...] = ()
    step: bool = False


@dataclass(frozen=True, eq=False)
class Band:
    """The area between two values along the horizontal axis."""

    x: ArrayLike
    low: ArrayLike
    high: ArrayLike
    colour: str = "c1"
    name: str = ""
    opacity: float = 0.18


@dataclass(frozen=True, eq=False)
class Points:
    """Points, with intervals along either axis where they are known."""

    x: ArrayLike
    y: ArrayLike
    colour: str = "c1"
    name: str = ""
    #: ``circle``, ``square``, ``diamond``, ``up``, ``down``, ``left``, ``right``, ``cross``,
    #: ``plus`` or ``dash``.
    shape: str = "circle"
    size: float = 3.5  #: Half the width in pixels.
    hollow: bool = False
    opacity: float = 1.0
    #: `across`, `along` (low, high): intervals along the horizontal and the vertical axis.
    across: tuple[ArrayLike, ArrayLike] | None = None
    along: tuple[ArrayLike, ArrayLike] | None = None
    titles: Sequence[str] = ()  #: What each point says when it is pointed at.


@dataclass(frozen=True, eq=False)
class Bars:
    """Rectangles between values on both axes: columns, histograms and the cells of a map."""

    left: ArrayLike
    right: ArrayLike
    bottom: ArrayLike
    top: ArrayLike
    colour: str = "c1"
    name: str = ""
    opacity: ArrayLike = 1.0  #: Of all bars, or of each.
    gap: float = 0.0  #: Pixels that are left free between neighbours.
    texts: Sequence[str] = ()  #: Written above each.
    titles: Sequence[str] = ()


@dataclass(frozen=True)
class Guide:
    """A line across the whole panel at a value of one axis, with words at its end."""

    x: float | None = None
    y: float | None = None
    name: str = ""
    text: str = ""
    colour: str = "soft"
    dash: tuple[float, ...] = (4.0, 3.0)


@dataclass(frozen=True)
class Label:
    """Words at a place, moved by pixels."""

    x: float
    y: float
    text: str
    anchor: str = "start"
    colour: str = "ink"
    size: float = 11.0
    bold: bool = False
    right: float = 0.0
    up: float = 0.0


Mark = Stroke | Band | Points | Bars | Guide | Label


@dataclass(frozen=True)
class Panel:
    """Marks on two axes; later marks lie above earlier ones."""

    x: Axis = field(default_factory=Axis)
    y: Axis = field(default_factory=Axis)
    marks: Sequence[Mark] = ()
    title: str = ""
    top: Axis | None = None  #: Other ticks for the same values, along the upper edge.
    direct: bool = False  #: The names of lines stand at their right ends, in place of a legend.
    square: bool = False  #: As high as wide.
    height: float | None = None  #: Of the inside in pixels, in place of that of the chart.


Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Shape:
    """Lines through points, or areas within them; all of one colour."""

    parts: Sequence[Array]  #: (n, 2): corners of each part.
    #: `fill`, `stroke`: names of colours (`LIGHT`); "" for none. A filled part is closed.
    fill: str = ""
    stroke: str = ""
    width: float = 1.0  #: Of the stroke.
    dash: tuple[float, ...] = ()  #: Lengths of dashes and gaps; empty for a full line.
    opacity: float = 1.0
    title: str = ""  #: What it stands for, shown when it is pointed at.


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


def rectangle(left: float, top: float, right: float, bottom: float) -> Array:
    """Return the four corners in order."""
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]])


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


#: Name: (light, dark). The first are of the page, then those of series, then of boards.
_COLOURS = {
    "paper": ("#ffffff", "#12161a"),
    "ink": ("#1a2027", "#e7ebef"),
    "soft": ("#55606d", "#9fabb7"),
    "line": ("#9aa5b1", "#5a6672"),
    "grid": ("#e3e7ec", "#2b333b"),
    "c1": ("#1f6fb4", "#6cb4ee"),
    "c2": ("#d1560b", "#ff9a52"),
    "c3": ("#00876a", "#35c9a0"),
    "c4": ("#a8478a", "#e594c8"),
    "c5": ("#b38300", "#e8bd4a"),
    "c6": ("#3d9fd1", "#a6dcf7"),
    "c7": ("#6b7280", "#a9b2bd"),
    "wood": ("#e9c27c", "#c99f58"),
    "wood-line": ("#6d5122", "#5a421a"),
    "wood-text": ("#4a3512", "#35250a"),
    "point-dark": ("#9c6b3c", "#7d5228"),
    "point-light": ("#f7e6c6", "#e3c795"),
    "black": ("#16181b", "#0d0f11"),
    "white": ("#fdfdfb", "#f1f1ec"),
    "ring": ("#d1560b", "#d1560b"),
    "choice": ("#0b4f8a", "#082f54"),
}
LIGHT = {name: light for name, (light, _) in _COLOURS.items()}
#: Colours of series in the order in which they are used, and dashes when they are used up.
SERIES = ("c1", "c2", "c3", "c4", "c5", "c6", "c7")
DASHES: tuple[tuple[float, ...], ...] = ((), (6.0, 3.0), (2.0, 2.5), (8.0, 3.0, 2.0, 3.0))


def series_style(place: int) -> tuple[str, tuple[float, ...]]:
    """Colour and dashes of a series."""
    return SERIES[place % len(SERIES)], DASHES[place // len(SERIES) % len(DASHES)]


def stylesheet() -> str:
    """What a page needs to show pictures, light and dark, on screens and on paper."""

    def variables(place: int) -> str:
        return " ".join(f"--chart-{name}: {both[place]};" for name, both in _COLOURS.items())

    classes = "\n".join(
        f".drawing .f-{name} {{ fill: var(--chart-{name}); }} "
        f".drawing .s-{name} {{ stroke: var(--chart-{name}); }}"
        for name in _COLOURS
    )
    rules = resources.files(__package__).joinpath("templates", "charts.css").read_text("utf-8")
    return (
        f":root {{ {variables(0)} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {variables(1)} }} }}\n"
        f"{classes}\n{rules}"
    )


def night() -> str:
    """Rules that give a picture of a file, whose colours are fixed, those of dark screens."""
    rules = {
        f'[{of}="{light}"]{{{of}:{dark}}}'
        for light, dark in _COLOURS.values()
        for of in ("fill", "stroke")
        if light != dark
    }
    return f"@media screen and (prefers-color-scheme:dark){{{''.join(sorted(rules))}}}"
