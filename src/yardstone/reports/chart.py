"""A chart: panels with axes and marks at values, and where everything of it stands.

Not-a-number is a gap, an infinite end of an interval reaches to the edge, and times are
`datetime64`. Colours are names (`LIGHT`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import ceil, floor, isfinite, log10
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from yardstone.reports.drawing import (
    Array,
    Discs,
    Drawn,
    Element,
    Shape,
    Sheet,
    Words,
    broken,
    cut,
    rectangle,
    text_width,
)


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


@dataclass(frozen=True)
class Chart(Drawn):
    """Panels under a title."""

    panels: Sequence[Panel]
    title: str = ""
    words: str = ""  #: What the picture shows, for those who cannot see it; the title without it.
    note: str = ""  #: Below the picture.
    columns: int = 1  #: Panels side by side where there is room.
    height: float = 280.0  #: Of the inside of each panel, in pixels.
    #: In pixels: on a screen or paper, and if there are two, on a phone.
    widths: tuple[float, ...] = (760.0, 360.0)
    #: Colour, lowest and highest value of the shades of bars, for the legend.
    shading: tuple[str, str, str] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "words", self.words or self.title)

    def sheet(self, width: float | None = None) -> Sheet:
        """The chart in pixels, `width` wide and as high as it must be."""
        width = self.widths[0] if width is None else width
        elements: list[Element] = []
        room = width - 2.0 * _EDGE
        y = _EDGE
        for line in broken(self.title, room, _LARGE, bold=True):
            elements.append(Words(line, _EDGE, y + 0.8 * _LARGE, _LARGE, bold=True))
            y += 1.3 * _LARGE
        columns = max(1, min(self.columns, int(room // _PANEL), len(self.panels)))
        each = (room - (columns - 1) * _GUTTER) / columns
        panels = [_prepared(panel, each, panel.height or self.height) for panel in self.panels]
        legend, y = _legend(self, panels, room, y)
        elements += legend
        left = max((prepared.left for prepared in panels), default=0.0)
        right = max((prepared.right for prepared in panels), default=0.0)
        for first in range(0, len(panels), columns):
            row = panels[first : first + columns]
            head = max(prepared.top for prepared in row)
            high = 0.0
            for place, prepared in enumerate(row):
                x = _EDGE + place * (each + _GUTTER)
                inside = each - left - right
                panel = prepared.panel
                tall = inside if panel.square else panel.height or self.height
                elements += _panel(prepared, x, x + left, inside, y + head, tall)
                foot = 4.0 if panel.x.hidden else 20.0
                foot += _LINE * len(broken(panel.x.label, inside, _SMALL))
                high = max(high, head + tall + foot)
            y += high + (_GUTTER / 2.0 if first + columns < len(panels) else 0.0)
        for line in broken(self.note, room, _SMALL):
            y += _LINE
            elements.append(Words(line, _EDGE, y - 3.0, _SMALL, colour="soft"))
        for place, element in enumerate(elements):
            if isinstance(element, Words):  # moved sideways until they are inside the sheet
                begin, _, end, _ = element.box
                over = max(1.0 - begin, 0.0) + min(width - 1.0 - end, 0.0)
                elements[place] = replace(element, x=element.x + over) if over else element
        return Sheet(width, float(np.ceil(y + _EDGE)), elements)

    def sheets(self) -> list[Sheet]:
        """One as wide as each of its widths."""
        return list(map(self.sheet, self.widths))


#: Sizes of letters: of ticks and labels, of a panel's title, of the chart's.
_SMALL, _MIDDLE, _LARGE = 11.5, 12.5, 15.0
#: Pixels between the edge and what is drawn, between panels, and from line to line.
_EDGE, _GUTTER, _LINE = 6.0, 22.0, 16.0
#: A panel is at least so wide where several stand side by side.
_PANEL = 225.0
#: Names at the ends of lines take no more than this share of a panel.
_NAMES = 0.25
_SHADES = 6
#: From name to name at the ends of lines.
_NEXT = 13.0


class _Prepared(NamedTuple):
    """A panel, and the pixels around its inside, before it has a place."""

    panel: Panel
    title: list[str]
    direct: bool
    left: float
    right: float
    top: float


def _prepared(panel: Panel, width: float, height: float) -> _Prepared:
    title = broken(panel.title, width, _MIDDLE, bold=True)
    names = [mark.name for mark in panel.marks if isinstance(mark, Stroke) and mark.name]
    longest = max((text_width(name, _SMALL) for name in names), default=0.0)
    direct = panel.direct and bool(names) and longest <= _NAMES * width
    left = 2.0
    if not panel.y.hidden:
        down = _ruler(panel, panel.y, "y", height, 0.0)
        texts = [text for _, text in _levels(down, 0.38 * width)]
        left = max((text_width(text, _SMALL) for text in texts), default=0.0) + 8.0
    right = longest + 10.0 if direct else 2.0
    if not panel.x.hidden:
        texts = [text for _, text in _ruler(panel, panel.x, "x", 0.0, width).ticks(4)]
        right = max(right, 0.5 * text_width(texts[-1], _SMALL) if texts else 0.0)
    guides = [mark for mark in panel.marks if isinstance(mark, Guide)]
    guided = any(mark.x is not None and mark.text for mark in guides)
    top = 1.35 * _MIDDLE * len(title) + (_LINE + 6.0 if panel.y.label else 0.0)
    upper = (_LINE + 4.0) * (1 + bool(panel.top.label)) if panel.top else 0.0
    top += 6.0 * bool(title) + _LINE * guided + upper
    return _Prepared(panel, title, direct, left, right, max(top, 5.0))


def _ruler(panel: Panel, axis: Axis, way: str, start: float, end: float) -> Ruler:
    """An axis long enough for all marks of a panel."""
    reversed_names = axis.scale == "category" and way == "y"
    known = [part for mark in panel.marks for part in _reach(mark, way)]
    values = np.concatenate([numbers(part).ravel() for part in known]) if known else np.empty(0)
    return Ruler(axis, values, *((end, start) if reversed_names else (start, end)))


def _reach(mark: Mark, way: str) -> Iterator[ArrayLike]:
    """Values of a mark that its axis must hold."""
    if isinstance(mark, Bars):
        yield from (mark.left, mark.right) if way == "x" else (mark.bottom, mark.top)
    elif isinstance(mark, Band):
        yield from (mark.x,) if way == "x" else (mark.low, mark.high)
    elif not isinstance(mark, Label) and (value := getattr(mark, way)) is not None:
        yield value
    if isinstance(mark, Points):
        yield from (mark.across if way == "x" else mark.along) or ()


def _levels(ruler: Ruler, room: float) -> list[_Tick]:
    """Ticks of a vertical axis that do not touch, their texts no wider than `room`."""
    tall = ruler.most - ruler.least
    ticks = ruler.ticks(max(int(tall / 38.0), 2))
    least, kept, last = 1.02 * _SMALL, [], np.inf
    if ruler.axis.scale == "category" and len(ticks) > 1:
        every = int(np.ceil(least * len(ticks) / tall - 1e-9))
        return [(value, cut(text, room, _SMALL)) for value, text in ticks[:: max(every, 1)]]
    for value, text in sorted(ticks, key=lambda tick: -ruler.pixel(tick[0])):
        y = ruler.pixel(value)
        clear = last - y >= least
        kept.append((value, cut(text, room, _SMALL) if text and clear else ""))
        last = y if clear and text else last
    return kept


def _panel(
    prepared: _Prepared, x: float, left: float, width: float, top: float, height: float
) -> Iterator[Element]:
    panel, right = prepared.panel, left + width
    upright = _ruler(panel, panel.y, "y", top + height, top)
    place = Frame(_ruler(panel, panel.x, "x", left, right), upright)
    y = top - prepared.top
    for line in prepared.title:
        yield Words(line, x, y + _MIDDLE, _MIDDLE, bold=True)
        y += 1.35 * _MIDDLE
    y += 6.0 if prepared.title else 0.0
    if panel.y.label:
        yield Words(cut(panel.y.label, right - x, _SMALL), x, y + 8.0, _SMALL, colour="soft")
    if not panel.y.hidden:
        yield from _upright(panel, place)
    if not panel.x.hidden:
        yield from _across(panel, place)
    if panel.top is not None:
        yield from _upper(panel.top, place)
    for mark in panel.marks:
        yield from _DRAWN[type(mark)](mark, place)
    if prepared.direct:
        yield from _ends(panel, place)


def _segment(
    x0: float, y0: float, x1: float, y1: float, colour: str, dash: tuple[float, ...] = ()
) -> Shape:
    return Shape([np.array([[x0, y0], [x1, y1]])], stroke=colour, dash=dash)


def _upright(panel: Panel, place: Frame) -> Iterator[Element]:
    """The vertical axis: texts at the left, lines across where they are wanted."""
    left, right = place.x.start, place.x.end
    for value, text in _levels(place.y, 0.38 * right):
        y = place.y.pixel(value)
        if panel.y.grid:
            yield _segment(left, y, right, y, "grid")
        if text:
            yield Words(text, left - 6.0, y + 0.35 * _SMALL, _SMALL, "end", "soft")
    if not panel.y.grid and panel.y.scale != "category":
        yield _segment(left, place.y.least, left, place.y.most, "line")


def _across(panel: Panel, place: Frame) -> Iterator[Element]:
    """The horizontal axis: a line with ticks, texts and the label below."""
    left, right, bottom = place.x.start, place.x.end, place.y.most
    ticks = place.x.ticks(20) if panel.x.between else place.x.fitting_ticks(_SMALL)
    texts = _between(place.x, ticks) if panel.x.between else []
    for value, text in ticks:
        x = place.x.pixel(value)
        if panel.x.grid:
            yield _segment(x, place.y.least, x, bottom, "grid")
        if panel.x.scale != "category":
            yield _segment(x, bottom, x, bottom + 4.0, "line")
        if text and not panel.x.between:
            texts.append((x, text))
    yield _segment(left, bottom, right, bottom, "line")
    for x, text in texts:
        yield Words(text, x, bottom + 5.0 + _SMALL, _SMALL, "middle", "soft")
    for count, line in enumerate(broken(panel.x.label, right - left, _SMALL), 1):
        y = bottom + 20.0 + count * _LINE - 5.0
        yield Words(line, left + 0.5 * (right - left), y, _SMALL, "middle", "soft")


def _between(ruler: Ruler, ticks: list[_Tick]) -> list[tuple[float, str]]:
    """Texts halfway between ticks, where there is room for them."""
    texts, last = [], -np.inf
    edges = [*(ruler.pixel(value) for value, _ in ticks), ruler.most]
    for (_, text), (start, end) in zip(ticks, pairwise(edges), strict=True):
        half, middle = 0.5 * text_width(text, _SMALL), 0.5 * (start + end)
        if text and middle - half > last + 6.0 and middle + half <= edges[-1] + 4.0:
            texts.append((middle, text))
            last = middle + half
    return texts


def _upper(axis: Axis, place: Frame) -> Iterator[Element]:
    """Other ticks for the same values, along the upper edge."""
    left, right, top = place.x.start, place.x.end, place.y.least
    axis = replace(axis, low=place.x.low, high=place.x.high)
    ruler = Ruler(axis, np.empty(0), left, right)
    yield _segment(left, top, right, top, "line")
    for value, text in ruler.fitting_ticks(_SMALL, 8.0):
        x = ruler.pixel(value)
        yield _segment(x, top - 4.0, x, top, "line")
        if text:
            yield Words(text, x, top - 7.0, _SMALL, "middle", "soft")
    if axis.label:
        x = left + 0.5 * (right - left)
        yield Words(axis.label, x, top - 11.0 - _SMALL, _SMALL, "middle", "soft")


def _ends(panel: Panel, place: Frame) -> Iterator[Element]:
    """The names of lines at their right ends, clear of each other."""
    ends: list[tuple[float, float, Stroke]] = []
    top, bottom = place.y.least, place.y.most
    for mark in panel.marks:
        if isinstance(mark, Stroke) and mark.name:
            x, y = np.broadcast_arrays(place.x.at(mark.x), place.y.at(mark.y))
            inside = np.flatnonzero(place.x.holds(mark.x) & place.y.holds(mark.y))
            if len(inside):
                ends.append((float(y[inside[-1]]), float(x[inside[-1]]), mark))
    ends.sort(key=lambda end: end[0])
    heights: list[float] = []
    for end in ends:  # downwards past those above, where they would touch
        above = [height for height, one in zip(heights, ends, strict=False) if _beside(one, end)]
        heights.append(max([end[0], top + 4.0, *(height + _NEXT for height in above)]))
    for k in range(len(ends) - 1, -1, -1):  # and back up from the lower edge
        below = [heights[n] for n in range(k + 1, len(ends)) if _beside(ends[n], ends[k])]
        heights[k] = min([heights[k], bottom - 4.0, *(height - _NEXT for height in below)])
    for (wish, at, mark), height in zip(ends, heights, strict=True):
        if abs(height - wish) > 5.0:
            yield _segment(at + 1.0, wish, at + 7.0, height, mark.colour)
        base = height + 0.35 * _SMALL
        yield Words(mark.name, at + 8.0, base, _SMALL, colour=mark.colour, halo=True)


def _beside(one: tuple[float, float, Stroke], other: tuple[float, float, Stroke]) -> bool:
    """Whether two names would touch if they stood at the same height."""
    (_, left, line), (_, right, _) = sorted((one, other), key=lambda end: end[1])
    return right <= left + text_width(line.name, _SMALL) + 4.0


def _legend(
    chart: Chart, panels: list[_Prepared], room: float, y: float
) -> tuple[list[Element], float]:
    """What colours and signs mean, in lines below the title; and where it ends."""
    entries: dict[str, list[Mark]] = {}
    for prepared in panels:
        named: dict[str, list[Mark]] = {}
        for mark in prepared.panel.marks:
            name = getattr(mark, "name", "")
            if name and not (prepared.direct and isinstance(mark, Stroke)):
                named.setdefault(name, []).append(mark)
        for name, marks in named.items():
            entries.setdefault(name, marks)
    elements: list[Element] = []
    x = _EDGE
    if chart.shading is not None:
        colour, low, high = chart.shading
        elements.append(Words(low, x, y + 11.0, _SMALL, colour="soft"))
        x += text_width(low, _SMALL) + 6.0
        for shade in range(_SHADES):
            elements.append(_swatch(x, y + 1.0, 16.0, 12.0, colour, (shade + 1) / _SHADES))
            x += 16.0
        elements.append(Words(high, x + 6.0, y + 11.0, _SMALL, colour="soft"))
        x += 6.0 + (text_width(high, _SMALL) + 6.0) + 10.0
    for name, marks in entries.items():
        text = cut(name, room - 28.0, _SMALL)
        if x > _EDGE and x + 26.0 + text_width(text, _SMALL) > _EDGE + room:
            x, y = _EDGE, y + 1.15 * _LINE
        for mark in marks:
            elements += _key(mark, x, y + 7.0)
        elements.append(Words(text, x + 26.0, y + 11.0, _SMALL))
        x += 26.0 + text_width(text, _SMALL) + 16.0
    return elements, y + (1.15 * _LINE + 6.0 if elements else 0.0)


def _swatch(x: float, y: float, width: float, height: float, colour: str, opacity: float) -> Shape:
    return Shape([rectangle(x, y, x + width, y + height)], fill=colour, opacity=opacity)


def _key(mark: Mark, x: float, y: float) -> Iterator[Element]:
    """The sign of a mark for the legend, 20 pixels wide."""
    line = np.array([[x, y], [x + 20.0, y]])
    if isinstance(mark, Band):
        yield _swatch(x, y - 5.0, 20.0, 10.0, mark.colour, mark.opacity)
    elif isinstance(mark, Bars):
        yield _swatch(x + 4.0, y - 5.0, 12.0, 10.0, mark.colour, float(np.max(mark.opacity)))
    elif isinstance(mark, Stroke | Guide):
        width = mark.width if isinstance(mark, Stroke) else 1.0
        yield Shape([line], stroke=mark.colour, width=width, dash=mark.dash)
    elif isinstance(mark, Points):
        if mark.across is not None or mark.along is not None:
            upright = np.array([[x + 10.0, y - 7.0], [x + 10.0, y + 7.0]])
            yield Shape([line if mark.along is None else upright], stroke=mark.colour, width=1.3)
        yield from sign(mark, np.array([[x + 10.0, y]]))


#: Lines with more points than these for each pixel across lose what cannot be seen.
_DENSE = 3.0
#: Steps between the faintest and the fullest of many bars.
_OPACITIES = 40
#: Corners of the shapes of points, for a half width of 1, upwards.
_CORNERS = {
    "square": ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    "diamond": ((-1.25, 0), (0, 1.25), (1.25, 0), (0, -1.25)),
    "up": ((-1.15, -0.9), (0, 1.2), (1.15, -0.9)),
    "down": ((-1.15, 0.9), (0, -1.2), (1.15, 0.9)),
    "left": ((0.9, -1.15), (-1.2, 0), (0.9, 1.15)),
    "right": ((-0.9, -1.15), (1.2, 0), (-0.9, 1.15)),
}
_LINES = {
    "cross": (((-1, -1), (1, 1)), ((-1, 1), (1, -1))),
    "plus": (((-1.2, 0), (1.2, 0)), ((0, -1.2), (0, 1.2))),
    "dash": (((-1.5, 0), (1.5, 0)),),
}


class Frame(NamedTuple):
    """Where the values of a panel lie."""

    x: Ruler
    y: Ruler


def _drawn_stroke(mark: Stroke, place: Frame) -> Iterator[Element]:
    x, y = np.broadcast_arrays(place.x.at(mark.x), place.y.at(mark.y))
    if mark.step:
        x, y = np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]
    x, (y,) = thinned(x, [y], place.x.most - place.x.least)
    parts = clipped(x, y, place)
    if parts:
        yield Shape(parts, stroke=mark.colour, width=mark.width, dash=mark.dash)
    known = np.isfinite(x) & np.isfinite(y)
    beside = np.r_[False, known[:-1]] | np.r_[known[1:], False]
    alone = known & ~beside
    for pixels, ruler in ((x, place.x), (y, place.y)):
        alone &= (pixels >= ruler.least - 0.01) & (pixels <= ruler.most + 0.01)
    if alone.any():
        yield Discs(np.column_stack([x, y])[alone], 1.3 * mark.width, fill=mark.colour)


def _drawn_band(mark: Band, place: Frame) -> Iterator[Element]:
    x, low, high = np.broadcast_arrays(*map(numbers, (mark.x, mark.low, mark.high)))
    across, floors, tops = place.x.at(x), place.y.inside(low), place.y.inside(high)
    parts = []
    known = np.isfinite(floors) & np.isfinite(tops) & place.x.holds(x)
    edges = np.flatnonzero(np.diff(np.r_[False, known, False].astype(np.int8))).tolist()
    for run in map(slice, edges[::2], edges[1::2]):
        pixels = place.x.most - place.x.least
        left, (lower, upper) = thinned(across[run], [floors[run], tops[run]], pixels)
        if len(left) == 1:
            left = np.array([left[0] - 3.0, left[0] + 3.0])
            lower, upper = np.repeat(lower, 2), np.repeat(upper, 2)
        edge = np.column_stack([left, upper]), np.column_stack([left, lower])[::-1]
        parts.append(np.concatenate(edge))
    if parts:
        yield Shape(parts, fill=mark.colour, opacity=mark.opacity)


def _drawn_points(mark: Points, place: Frame) -> Iterator[Element]:
    x, y = np.broadcast_arrays(numbers(mark.x), numbers(mark.y))
    keep = place.x.holds(x) & place.y.holds(y)
    centres = np.column_stack([place.x.at(x), place.y.at(y)])
    parts = []
    for interval, ruler, axis in ((mark.across, place.x, 0), (mark.along, place.y, 1)):
        if interval is None:
            continue
        low, high = (ruler.inside(np.broadcast_to(numbers(end), len(x))) for end in interval)
        for row in np.flatnonzero(keep & np.isfinite(low) & np.isfinite(high)):
            ends = np.repeat(centres[row : row + 1], 2, axis=0)
            ends[:, axis] = low[row], high[row]
            parts.append(ends)
    if parts:
        yield Shape(parts, stroke=mark.colour, width=1.3, opacity=0.75 * mark.opacity)
    if mark.titles:
        for row in np.flatnonzero(keep):
            yield from sign(mark, centres[row : row + 1], mark.titles[int(row)])
    elif keep.any():
        yield from sign(mark, centres[keep])


def sign(mark: Points, centres: Array, title: str = "") -> Iterator[Element]:
    """The shape of points around places in pixels."""
    if mark.shape in _LINES:
        lines = [
            centre + mark.size * np.array(line, np.float64)
            for centre in centres
            for line in _LINES[mark.shape]
        ]
        yield Shape(lines, stroke=mark.colour, width=1.5, opacity=mark.opacity, title=title)
        return
    fill, stroke = ("paper", mark.colour) if mark.hollow else (mark.colour, "")
    if mark.shape == "circle":
        yield Discs(centres, mark.size, fill, stroke, 1.2, mark.opacity, title)
        return
    corners = mark.size * np.array(_CORNERS[mark.shape], np.float64) * (1.0, -1.0)
    areas = [centre + corners for centre in centres]
    yield Shape(areas, fill, stroke, 1.2, opacity=mark.opacity, title=title)


def _drawn_bars(mark: Bars, place: Frame) -> Iterator[Element]:
    edges = [numbers(values) for values in (mark.left, mark.right, mark.bottom, mark.top)]
    *edges, opacity = np.broadcast_arrays(*edges, np.asarray(mark.opacity, np.float64))
    keep = np.isfinite(np.sum(edges, axis=0)) & np.isfinite(opacity)
    x0, x1 = (place.x.inside(values) for values in edges[:2])
    y0, y1 = (place.y.inside(values) for values in edges[2:])
    if mark.gap:
        inset = np.minimum(0.5 * mark.gap, 0.1 * np.abs(x1 - x0)) * np.sign(x1 - x0)
        x0, x1 = x0 + inset, x1 - inset
    elif opacity.size and opacity.min() < opacity.max():  # cells of a map without seams
        x0, x1, y0, y1 = (np.round(values) for values in (x0, x1, y0, y1))
    keep &= (x0 != x1) & (np.abs(y0 - y1) > 1e-9)
    corners = np.stack([x0, y0, x1, y0, x1, y1, x0, y1], axis=-1).reshape(-1, 4, 2)
    if mark.titles:
        for row in np.flatnonzero(keep):
            part, shade = [corners[row]], float(opacity[row])
            yield Shape(part, fill=mark.colour, opacity=shade, title=mark.titles[int(row)])
    else:
        shades = np.round(opacity * _OPACITIES) if len(set(opacity[keep].tolist())) > 2 else opacity
        for shade in np.unique(shades[keep]):
            rows = keep & (shades == shade)
            share = float(opacity[rows].mean())
            if share > 0.0:
                yield Shape(list(corners[rows]), fill=mark.colour, opacity=share)
    above = np.minimum(y0, y1) - 4.0
    for text, x, y in zip(mark.texts, 0.5 * (x0 + x1), above, strict=False):
        if text and np.isfinite(x + y):
            yield Words(text, float(x), float(y), 11.0, "middle", bold=True)


def _drawn_guide(mark: Guide, place: Frame) -> Iterator[Element]:
    left, right, top, bottom = place.x.start, place.x.end, place.y.least, place.y.most
    if mark.x is not None and place.x.holds(mark.x)[0]:
        x = place.x.pixel(mark.x)
        yield _segment(x, top, x, bottom, mark.colour, mark.dash)
        if mark.text:
            yield Words(mark.text, x, top - 4.0, 11.0, "middle", mark.colour)
    if mark.y is not None and place.y.holds(mark.y)[0]:
        y = place.y.pixel(mark.y)
        yield _segment(left, y, right, y, mark.colour, mark.dash)
        if mark.text:
            yield Words(mark.text, right, y - 4.0, 11.0, "end", mark.colour, halo=True)


def _drawn_label(mark: Label, place: Frame) -> Iterator[Element]:
    if place.x.holds(mark.x)[0] and place.y.holds(mark.y)[0]:
        x, y = place.x.pixel(mark.x) + mark.right, place.y.pixel(mark.y) - mark.up
        yield Words(mark.text, x, y, mark.size, mark.anchor, mark.colour, mark.bold, halo=True)


#: The shapes of a mark.
_DRAWN: Mapping[type, Callable[[Any, Frame], Iterator[Element]]] = {
    Stroke: _drawn_stroke,
    Band: _drawn_band,
    Points: _drawn_points,
    Bars: _drawn_bars,
    Guide: _drawn_guide,
    Label: _drawn_label,
}


def clipped(x: Array, y: Array, place: Frame) -> list[Array]:
    """The stretches of a line that lie within the panel; gaps stay gaps."""
    start = np.column_stack([x[:-1], y[:-1]])
    end = np.column_stack([x[1:], y[1:]])
    enter, leave = np.zeros(len(start)), np.ones(len(start))
    enter[~np.isfinite(start + end).all(axis=1)] = 2.0
    for axis, ruler in enumerate(place):
        edges = np.array([[ruler.least - 1e-9], [ruler.most + 1e-9]])
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            step = end[:, axis] - start[:, axis]
            ends = (edges - start[:, axis]) / step
        # A step of zero gives infinite ends, of one sign if it lies outside.
        enter = np.fmax(enter, ends.min(axis=0))
        leave = np.fmin(leave, ends.max(axis=0))
    kept = enter <= leave
    parts: list[list[Array]] = []
    joined = False
    for row in np.flatnonzero(kept):
        step = end[row] - start[row]
        if not (joined and row and kept[row - 1] and enter[row] <= 0.0):
            parts.append([start[row] + enter[row] * step])
        parts[-1].append(start[row] + leave[row] * step)
        joined = bool(leave[row] >= 1.0)
    return [np.array(part) for part in parts]


def thinned(x: Array, curves: Sequence[Array], pixels: float) -> tuple[Array, list[Array]]:
    """Of a dense line the first, lowest, highest and last point at each pixel across."""
    if len(x) <= _DENSE * max(pixels, 1.0) or not np.isfinite(x).all() or np.any(np.diff(x) < 0.0):
        return x, list(curves)
    edges = np.r_[np.flatnonzero(np.diff(np.floor(x), prepend=-np.inf)), len(x)]
    keep = {0, len(x) - 1}
    for first, last in pairwise(edges):
        keep |= {int(first), int(last) - 1}
        for curve in curves:
            piece = curve[first:last]
            if np.isfinite(piece).all():
                keep |= {int(first + piece.argmin()), int(first + piece.argmax())}
            else:
                keep |= set(range(int(first), int(last)))
    rows = np.array(sorted(keep))
    return x[rows], [curve[rows] for curve in curves]


_Tick = tuple[float, str]

#: Calendar units with the steps that are round in them, and seconds of each at least.
_CALENDAR = (
    ("Y", (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000), 365.0 * 86400.0),
    ("M", (1, 3, 6), 28.0 * 86400.0),
    ("D", (1, 2, 7, 14), 86400.0),
    ("h", (1, 3, 6, 12), 3600.0),
    ("m", (1, 5, 15, 30), 60.0),
    ("s", (1, 5, 15, 30), 1.0),
)


def numbers(values: ArrayLike) -> Array:
    """Values as floats; times as seconds since 1970, and none of it as NaN."""
    array = np.asarray(values)
    if array.dtype.kind == "M":
        seconds = array.astype("datetime64[s]")
        return np.where(np.isnat(seconds), np.nan, seconds.astype(np.int64).astype(np.float64))
    return np.atleast_1d(array.astype(np.float64))


def plain_number(value: float) -> str:
    """A round number as it is written on an axis."""
    form = ".3g" if abs(value) >= 1e10 else ",.10g" if abs(value) >= 1e4 else ".10g"
    return format(value, form).replace("-", "−")


def _apart(low: float, high: float) -> bool:
    """Whether two ends are far enough apart for numbers between them."""
    return high - low > 1e-12 * max(abs(low), abs(high), 1e-200)


def nice_ticks(low: float, high: float, most: int = 6, *, whole: bool = False) -> list[_Tick]:
    """Round values between two ends, not more than `most`.

    Examples:
        >>> [text for _, text in nice_ticks(0, 238)]
        ['0', '50', '100', '150', '200']
    """
    if not _apart(low, high) or not isfinite(high - low):
        return [(low, plain_number(low))]
    rough = (high - low) / max(most - 1, 1)
    power = 10.0 ** floor(log10(rough))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough * (1.0 - 1e-9))
    if whole:
        step = max(ceil(step), 1.0)
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    if last - first + 1 > most:
        step, first, last = 2 * step, ceil(low / (2 * step)), floor(high / (2 * step))
    digits = max(0, -floor(log10(step) + 1e-9))
    return [(k * step, plain_number(round(k * step, digits + 1))) for k in range(first, last + 1)]


def _log_ticks(low: float, high: float, most: int) -> list[_Tick]:
    for factors in ((1, 2, 5), (1, 3), (1,)):
        powers = range(floor(low), ceil(high) + 1)
        values = [factor * 10.0**power for power in powers for factor in factors]
        inside = [value for value in values if low - 1e-9 <= log10(value) <= high + 1e-9]
        if len(inside) <= most:
            break
    else:
        inside = inside[:: ceil(len(inside) / most)]
    return [(value, f"{value:g}".replace("-", "−")) for value in inside]


def _date_ticks(low: float, high: float, most: int) -> list[_Tick]:
    chosen: tuple[str, int] = ("Y", _CALENDAR[0][1][-1])
    for unit, steps, seconds in _CALENDAR:
        for step in reversed(steps):
            if (high - low) / (step * seconds) <= most - 1:
                chosen = unit, step
    unit, step = chosen
    ends = np.array([low, high]).astype("datetime64[s]").astype(f"datetime64[{unit}]")
    first, last = (int(end) for end in ends.astype(np.int64))
    places = np.arange(-(-(first) // step) * step, last + 1, step)
    times = places.astype(f"datetime64[{unit}]")
    written = [str(time).replace("T", " ")[5 if unit in "hms" else 0 :] for time in times]
    ticks = zip(numbers(times).tolist(), written, strict=True)
    return [(value, text) for value, text in ticks if low <= value <= high]


#: Values beyond have no place on an axis.
_HUGE = 1e150


class Ruler:
    """An axis between two pixels.

    Args:
        known (float64 array): Values that must have a place.
        start, end: Pixels of the lowest and the highest value.
    """

    def __init__(self, axis: Axis, known: Array, start: float, end: float) -> None:
        self.axis, self.start, self.end = axis, start, end
        self.least, self.most = sorted((start, end))
        self.low, self.high = _axis_ends(axis, known)

    def at(self, values: ArrayLike) -> Array:
        """Pixels of values."""
        transformed = self._transformed(numbers(values))
        share = (transformed - self.low) / (self.high - self.low)
        return np.asarray(self.start + share * (self.end - self.start), np.float64)

    def pixel(self, value: float) -> float:
        """The pixel of one value."""
        return float(self.at(value)[0])

    def inside(self, values: ArrayLike) -> Array:
        """Pixels of values; those outside stand at the edges."""
        return np.clip(self.at(values), self.least, self.most)

    def holds(self, values: ArrayLike) -> NDArray[np.bool_]:
        """Which values lie between the ends."""
        transformed = self._transformed(numbers(values))
        room = 1e-9 * (self.high - self.low)
        return (transformed >= self.low - room) & (transformed <= self.high + room)

    def _transformed(self, values: Array) -> Array:
        if self.axis.scale != "log":
            return values
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.log10(values), np.float64)

    def ticks(self, most: int) -> list[_Tick]:
        """Values with what is written there: those of the axis, or at most so many round ones."""
        axis = self.axis
        if axis.ticks is not None:
            return [tick for tick in axis.ticks if self.holds(tick[0])[0]]
        if axis.scale == "category":
            return [(float(place), name) for place, name in enumerate(axis.names)]
        if axis.scale == "log":
            return _log_ticks(self.low, self.high, most)
        if axis.scale == "date":
            return _date_ticks(self.low, self.high, most)
        for few in (most, most + 1, most + 2):  # one tick alone does not say the scale
            ticks = nice_ticks(self.low, self.high, few, whole=axis.whole)
            if len(ticks) > 1:
                break
        return ticks

    def fitting_ticks(self, size: float, gap: float = 14.0) -> list[_Tick]:
        """Ticks whose texts stand side by side without touching."""
        given = self.axis.ticks is not None or self.axis.scale == "category"
        for most in range(max(int((self.most - self.least) / 45.0), 2), 1, -1):
            apart: list[_Tick] = []  # without the texts that would touch the one before
            last = -np.inf
            for value, text in sorted(self.ticks(most), key=lambda tick: self.pixel(tick[0])):
                middle, half = self.pixel(value), 0.5 * text_width(text, size)
                clear = middle - half >= last + gap or not text
                apart.append((value, text if clear else ""))
                if clear and text:
                    last = middle + half
            if given or all(text for _, text in apart):
                return apart
        return [tick for tick in apart if tick[1]]


def _axis_ends(axis: Axis, known: Array) -> tuple[float, float]:
    """Lowest and highest value, as logarithms on a logarithmic axis."""
    if axis.scale == "category":
        return -0.5, max(len(axis.names), 1) - 0.5
    if axis.scale == "log":
        known = np.log10(known[(known > 1.0 / _HUGE) & (known < _HUGE)])
    known = known[np.abs(known) < _HUGE]
    low, high = axis.low, axis.high
    if axis.scale == "log":
        low, high = (None if end is None else log10(end) for end in (low, high))
    least = float(known.min()) if len(known) else 0.0 if high is None else high - 1.0
    most = float(known.max()) if len(known) else least + 1.0
    room = 0.04 * (most - least)
    if low is None:
        low = min(least - room, most) if high is None or least < high else high - 1.0
    if high is None:
        high = most + room if most > low else low
    if not _apart(low, high):
        half = 86400.0 if axis.scale == "date" else 0.5 * max(abs(low) * 0.02, 1.0)
        if axis.low is not None and axis.high is None:
            return low, low + 2.0 * half
        return low - half, low + half
    return low, high
