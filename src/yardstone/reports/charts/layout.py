"""Where everything of a chart stands: the only layout of all pictures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from yardstone.reports.charts.marks import Frame, drawn, sign
from yardstone.reports.charts.panels import (
    Axis,
    Band,
    Bars,
    Guide,
    Mark,
    Panel,
    Points,
    Stroke,
)
from yardstone.reports.charts.rulers import Ruler, Tick, numbers
from yardstone.reports.charts.shapes import (
    Element,
    Shape,
    Sheet,
    Words,
    broken,
    cut,
    text_width,
)

if TYPE_CHECKING:
    from yardstone.reports.charts.chart import Chart

__all__ = ["laid_out"]

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


def laid_out(chart: Chart, width: float) -> Sheet:
    """A chart as shapes, `width` pixels wide and as high as it must be."""
    elements: list[Element] = []
    room = width - 2.0 * _EDGE
    y = _EDGE
    for line in broken(chart.title, room, _LARGE, bold=True):
        elements.append(Words(line, _EDGE, y + 0.8 * _LARGE, _LARGE, bold=True))
        y += 1.3 * _LARGE
    columns = max(1, min(chart.columns, int(room // _PANEL), len(chart.panels)))
    each = (room - (columns - 1) * _GUTTER) / columns
    panels = [_prepared(panel, each, panel.height or chart.height) for panel in chart.panels]
    legend, y = _legend(chart, panels, room, y)
    elements += legend
    left = max((prepared.frame.left for prepared in panels), default=0.0)
    right = max((prepared.frame.right for prepared in panels), default=0.0)
    for first in range(0, len(panels), columns):
        row = panels[first : first + columns]
        head = max(prepared.frame.top for prepared in row)
        high = 0.0
        for place, prepared in enumerate(row):
            x = _EDGE + place * (each + _GUTTER)
            inside = each - left - right
            panel = prepared.panel
            tall = inside if panel.square else panel.height or chart.height
            box = _Box(x + left, y + head, inside, tall)
            elements += _panel(prepared, x, box)
            high = max(high, head + tall + _foot(panel, inside))
        y += high + (_GUTTER / 2.0 if first + columns < len(panels) else 0.0)
    for line in broken(chart.note, room, _SMALL):
        y += _LINE
        elements.append(Words(line, _EDGE, y - 3.0, _SMALL, colour="soft"))
    return Sheet(width, float(np.ceil(y + _EDGE)), [_held(each, width) for each in elements])


def _held(element: Element, width: float) -> Element:
    """Words moved sideways as far as they would leave the sheet."""
    if not isinstance(element, Words):
        return element
    left, _, right, _ = element.box
    over = max(1.0 - left, 0.0) + min(width - 1.0 - right, 0.0)
    return replace(element, x=element.x + over) if over else element


@dataclass(frozen=True)
class _Frame:
    """Pixels around the inside of a panel."""

    left: float
    right: float
    top: float


@dataclass(frozen=True)
class _Box:
    """The inside of a panel."""

    left: float
    top: float
    width: float
    height: float


@dataclass(frozen=True)
class _Prepared:
    """A panel with what must be known before it has a place."""

    panel: Panel
    frame: _Frame
    title: list[str]
    direct: bool


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
    guided = any(
        isinstance(mark, Guide) and mark.x is not None and mark.text for mark in panel.marks
    )
    top = 1.35 * _MIDDLE * len(title) + (_LINE + 6.0 if panel.y.label else 0.0)
    top += (
        6.0 * bool(title)
        + _LINE * guided
        + ((_LINE + 4.0) * (1 + bool(panel.top.label)) if panel.top else 0.0)
    )
    return _Prepared(panel, _Frame(left, right, max(top, 5.0)), title, direct)


def _foot(panel: Panel, inside: float) -> float:
    """Room below the inside of a panel that is so wide."""
    return (4.0 if panel.x.hidden else 20.0) + _LINE * len(broken(panel.x.label, inside, _SMALL))


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
    elif isinstance(mark, Stroke | Points):
        yield mark.x if way == "x" else mark.y
        if isinstance(mark, Points):
            yield from (mark.across if way == "x" else mark.along) or ()
    elif isinstance(mark, Guide):
        yield [np.nan if (value := mark.x if way == "x" else mark.y) is None else value]


def _levels(ruler: Ruler, room: float) -> list[Tick]:
    """Ticks of a vertical axis that do not touch, their texts no wider than `room`."""
    tall = abs(ruler.end - ruler.start)
    ticks = ruler.ticks(max(int(tall / 38.0), 2))
    least, kept, last = 1.02 * _SMALL, [], np.inf
    if ruler.axis.between and ruler.axis.ticks is not None:
        return ticks
    order = sorted(ticks, key=lambda tick: -float(ruler.at(tick[0])[0]))
    if ruler.axis.scale == "category" and len(ticks) > 1:
        every = int(np.ceil(least * len(ticks) / tall - 1e-9))
        return [(value, cut(text, room, _SMALL)) for value, text in ticks[:: max(every, 1)]]
    for value, text in order:
        y = float(ruler.at(value)[0])
        clear = last - y >= least
        kept.append((value, cut(text, room, _SMALL) if text and clear else ""))
        last = y if clear and text else last
    return kept


def _panel(prepared: _Prepared, x: float, box: _Box) -> Iterator[Element]:
    panel = prepared.panel
    right, bottom = box.left + box.width, box.top + box.height
    place = Frame(
        _ruler(panel, panel.x, "x", box.left, right), _ruler(panel, panel.y, "y", bottom, box.top)
    )
    y = box.top - prepared.frame.top
    for line in prepared.title:
        yield Words(line, x, y + _MIDDLE, _MIDDLE, bold=True)
        y += 1.35 * _MIDDLE
    y += 6.0 if prepared.title else 0.0
    if panel.y.label:
        yield Words(cut(panel.y.label, right - x, _SMALL), x, y + 8.0, _SMALL, colour="soft")
    yield from _upright(panel, place, box)
    yield from _across(panel, place, box)
    if panel.top is not None:
        yield from _upper(panel.top, place, box)
    for mark in panel.marks:
        yield from drawn(mark, place)
    if prepared.direct:
        yield from _ends(panel, place)


def _segment(x0: float, y0: float, x1: float, y1: float, colour: str) -> Shape:
    return Shape([np.array([[x0, y0], [x1, y1]])], stroke=colour)


def _upright(panel: Panel, place: Frame, box: _Box) -> Iterator[Element]:
    """The vertical axis: texts at the left, lines across where they are wanted."""
    if panel.y.hidden:
        return
    right, bottom = box.left + box.width, box.top + box.height
    for value, text in _levels(place.y, 0.38 * (box.width + box.left)):
        y = float(place.y.at(value)[0])
        if panel.y.grid:
            yield _segment(box.left, y, right, y, "grid")
        if text:
            yield Words(text, box.left - 6.0, y + 0.35 * _SMALL, _SMALL, "end", "soft")
    if not panel.y.grid and panel.y.scale != "category":
        yield _segment(box.left, box.top, box.left, bottom, "line")


def _across(panel: Panel, place: Frame, box: _Box) -> Iterator[Element]:
    """The horizontal axis: a line with ticks, texts and the label below."""
    bottom = box.top + box.height
    if panel.x.hidden:
        return
    ticks = place.x.ticks(20) if panel.x.between else place.x.fitting_ticks(_SMALL)
    texts = _between(place.x, ticks) if panel.x.between else []
    for value, text in ticks:
        x = float(place.x.at(value)[0])
        if panel.x.grid:
            yield _segment(x, box.top, x, bottom, "grid")
        if panel.x.scale != "category":
            yield _segment(x, bottom, x, bottom + 4.0, "line")
        if text and not panel.x.between:
            texts.append((x, text))
    yield _segment(box.left, bottom, box.left + box.width, bottom, "line")
    for x, text in texts:
        yield Words(text, x, bottom + 5.0 + _SMALL, _SMALL, "middle", "soft")
    y = bottom + 20.0
    for line in broken(panel.x.label, box.width, _SMALL):
        y += _LINE
        middle = box.left + 0.5 * box.width
        yield Words(line, middle, y - 5.0, _SMALL, "middle", "soft")


def _between(ruler: Ruler, ticks: list[Tick]) -> list[tuple[float, str]]:
    """Texts in the middle from tick to tick, where there is room for them."""
    texts, last = [], -np.inf
    edges = [*(float(ruler.at(value)[0]) for value, _ in ticks), max(ruler.start, ruler.end)]
    for (_, text), start, end in zip(ticks, edges[:-1], edges[1:], strict=True):
        half = 0.5 * text_width(text, _SMALL)
        middle = 0.5 * (start + end)
        if text and middle - half > last + 6.0 and middle + half <= edges[-1] + 4.0:
            texts.append((middle, text))
            last = middle + half
    return texts


def _upper(axis: Axis, place: Frame, box: _Box) -> Iterator[Element]:
    """Other ticks for the same values, along the upper edge."""
    ruler = Ruler(
        replace(axis, low=place.x.low, high=place.x.high), np.empty(0), place.x.start, place.x.end
    )
    yield _segment(box.left, box.top, box.left + box.width, box.top, "line")
    for value, text in ruler.fitting_ticks(_SMALL, 8.0):
        x = float(ruler.at(value)[0])
        yield _segment(x, box.top - 4.0, x, box.top, "line")
        if text:
            yield Words(text, x, box.top - 7.0, _SMALL, "middle", "soft")
    if axis.label:
        middle = box.left + 0.5 * box.width
        yield Words(axis.label, middle, box.top - 11.0 - _SMALL, _SMALL, "middle", "soft")


def _ends(panel: Panel, place: Frame) -> Iterator[Element]:
    """The names of lines at their right ends, clear of each other."""
    ends: list[tuple[float, float, Stroke]] = []
    top, bottom = sorted((place.y.start, place.y.end))
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
        yield Words(
            mark.name, at + 8.0, height + 0.35 * _SMALL, _SMALL, colour=mark.colour, halo=True
        )


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
    x, left = _EDGE, _EDGE
    if chart.shading is not None:
        colour, low, high = chart.shading
        for text in (low, None, high):
            if text is not None:
                elements.append(Words(text, x, y + 11.0, _SMALL, colour="soft"))
                x += text_width(text, _SMALL) + 6.0
                continue
            for shade in range(_SHADES):
                elements.append(_swatch(x, y + 1.0, 16.0, 12.0, colour, (shade + 1) / _SHADES))
                x += 16.0
            x += 6.0
        x += 10.0
    for name, marks in entries.items():
        text = cut(name, room - 28.0, _SMALL)
        if x > left and x + 26.0 + text_width(text, _SMALL) > _EDGE + room:
            x, y = left, y + 1.15 * _LINE
        for mark in marks:
            elements += _key(mark, x, y + 7.0)
        elements.append(Words(text, x + 26.0, y + 11.0, _SMALL))
        x += 26.0 + text_width(text, _SMALL) + 16.0
    return elements, y + (1.15 * _LINE + 6.0 if elements else 0.0)


def _swatch(x: float, y: float, width: float, height: float, colour: str, opacity: float) -> Shape:
    corners = np.array([[x, y], [x + width, y], [x + width, y + height], [x, y + height]])
    return Shape([corners], fill=colour, opacity=opacity)


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
