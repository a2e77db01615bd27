"""What a chart is made of before it is drawn: panels with axes, and marks at values.

Not-a-number is a gap, an infinite end of an interval reaches to the edge, and times are
`datetime64`. Colours are the names of `yardstone.reports.charts.colours`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from numpy.typing import ArrayLike

__all__ = ["Axis", "Band", "Bars", "Guide", "Label", "Mark", "Panel", "Points", "Stroke"]


@dataclass(frozen=True)
class Axis:
    """One direction of a panel.

    Attributes
    ----------
    label : str
    low, high : float, optional
        Ends; without them those of the marks, with some room.
    scale : str
        ``linear``, ``log``, ``date`` or ``category`` (values 0, 1, 2, … with `names`).
    names : sequence of str
        Of categories; the first stands on top or at the left.
    ticks : sequence of (float, str), optional
        Values with what is written there, in place of round values.
    between : bool
        The text of a tick stands in the middle between it and the next one.
    whole : bool
        Round values are whole numbers.
    grid : bool
        Lines across the panel at the ticks.
    hidden : bool
        Nothing but the ends matter.
    """

    label: str = ""
    low: float | None = None
    high: float | None = None
    scale: Literal["linear", "log", "date", "category"] = "linear"
    names: Sequence[str] = ()
    ticks: Sequence[tuple[float, str]] | None = None
    between: bool = False
    whole: bool = False
    grid: bool = False
    hidden: bool = False


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
    """Points, with intervals along either axis where they are known.

    Attributes
    ----------
    shape : str
        ``circle``, ``square``, ``diamond``, ``up``, ``down``, ``left``, ``right``, ``cross``,
        ``plus`` or ``dash``.
    size : float
        Half the width in pixels.
    across, along : (low, high) of arrays, optional
        Intervals along the horizontal and the vertical axis.
    titles : sequence of str
        What each point says when it is pointed at.
    """

    x: ArrayLike
    y: ArrayLike
    colour: str = "c1"
    name: str = ""
    shape: str = "circle"
    size: float = 3.5
    hollow: bool = False
    opacity: float = 1.0
    across: tuple[ArrayLike, ArrayLike] | None = None
    along: tuple[ArrayLike, ArrayLike] | None = None
    titles: Sequence[str] = ()


@dataclass(frozen=True, eq=False)
class Bars:
    """Rectangles between values on both axes: columns, histograms and the cells of a map.

    Attributes
    ----------
    opacity : float or array
        Of all bars, or of each.
    gap : float
        Pixels that are left free between neighbours.
    texts : sequence of str
        Written above each.
    """

    left: ArrayLike
    right: ArrayLike
    bottom: ArrayLike
    top: ArrayLike
    colour: str = "c1"
    name: str = ""
    opacity: ArrayLike = 1.0
    gap: float = 0.0
    texts: Sequence[str] = ()
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
    """Marks on two axes; later marks lie above earlier ones.

    Attributes
    ----------
    top : Axis, optional
        Other ticks for the same values, along the upper edge.
    direct : bool
        The names of lines stand at their right ends, in place of a legend.
    square : bool
        As high as wide.
    height : float, optional
        Of the inside in pixels, in place of that of the chart.
    """

    x: Axis = field(default_factory=Axis)
    y: Axis = field(default_factory=Axis)
    marks: Sequence[Mark] = ()
    title: str = ""
    top: Axis | None = None
    direct: bool = False
    square: bool = False
    height: float | None = None
