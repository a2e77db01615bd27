"""Curves and intervals as pictures as wide as there is room, with text that keeps its size.

Places across are percentages, places down are pixels; a curve stands in an inner
picture that is stretched across.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil, floor, isfinite, log10
from typing import TYPE_CHECKING

from markupsafe import Markup

from yardstone.reports.svg import number, percent, picture, tag

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "Span",
    "Tick",
    "bar_chart",
    "curve_chart",
    "interval_bar",
    "interval_chart",
    "loss_chart",
    "nice_ticks",
]

#: Room for the text at the foot of a chart, and above its highest line, in pixels.
_FOOT, _HEAD = 22, 16
#: Share of the width that stays free on either side of what lies between the ends.
_SIDE = 0.015


@dataclass(frozen=True, slots=True)
class Tick:
    """A value on an axis and what is written there ('' for a line alone)."""

    value: float
    label: str


@dataclass(frozen=True, slots=True)
class Span:
    """An estimate with its interval; the ends are None where there is none."""

    value: float
    low: float | None = None
    high: float | None = None


def nice_ticks(low: float, high: float, most: int = 6) -> list[Tick]:
    """Round values between two ends, not more than `most`.

    Examples
    --------
    >>> [tick.label for tick in nice_ticks(0, 238)]
    ['0', '50', '100', '150', '200']
    """
    if not high > low:
        return [Tick(low, _round(low))]
    rough = (high - low) / max(most - 1, 1)
    power = 10.0 ** floor(log10(rough))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough * (1.0 - 1e-9))
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    if last - first + 1 > most:
        step, first, last = 2 * step, ceil(low / (2 * step)), floor(high / (2 * step))
    return [Tick(k * step, _round(k * step)) for k in range(first, last + 1)]


def _round(value: float) -> str:
    return f"{value:.10g}".replace("-", "−")


class _Across:
    """Places of values from left to right."""

    def __init__(self, low: float, high: float) -> None:
        self.low = low
        self.width = high - low if high > low else 1.0

    def share(self, value: float) -> float:
        """0 at the left edge, 1 at the right one; values outside stay at the edges."""
        inside = min(max((value - self.low) / self.width, 0.0), 1.0)
        return _SIDE + (1.0 - 2.0 * _SIDE) * inside


class _Down:
    """Places of values from top to bottom, in pixels."""

    def __init__(self, low: float, high: float, height: float) -> None:
        self.low, self.high = low, high if high > low else low + 1.0
        self.height = height

    def at(self, value: float) -> float:
        """Pixels from the top; values outside stay at the edges."""
        inside = min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)
        return _HEAD + (self.height - _HEAD - _FOOT) * (1.0 - inside)


def interval_chart(
    label: str, ticks: Sequence[Tick], span: Span, low: float, high: float, *, caption: str = ""
) -> Markup:
    """One estimate with its interval on a scale from `low` to `high`.

    Ticks lie at the borders of the ranks, and the names stand between them: a rank
    reaches from its tick to the next one. `caption` stands above the estimate.
    """
    height, middle = 84.0, 40.0
    across = _Across(low, high)
    parts = [
        tag("line", x1=percent(across.share(low)), x2=percent(across.share(high)),
            y1=middle, y2=middle, class_="axis"),
        *_scale(ticks, across, low, high, middle),
    ]  # fmt: skip
    if span.low is not None and span.high is not None:
        left, right = across.share(span.low), across.share(span.high)
        parts.append(
            tag("rect", x=percent(left), width=percent(right - left), y=middle - 7, height=14,
                rx=7, class_="band")
        )  # fmt: skip
    x = across.share(span.value)
    parts.append(tag("circle", cx=percent(x), cy=middle, r=8, class_="dot"))
    if caption:
        parts.append(_text(caption, x, 20, "value"))
    return picture(label, *parts, class_="chart scale", height=height)


def interval_bar(label: str, span: Span, low: float, high: float) -> Markup:
    """One estimate with its interval for a cell of a table, on a scale from `low` to `high`.

    Where the interval has one end only, it reaches to the edge on the other side.
    """
    across = _Across(low, high)
    parts = []
    if span.low is not None or span.high is not None:
        left = across.share(low if span.low is None else span.low)
        right = across.share(high if span.high is None else span.high)
        parts.append(
            tag("line", x1=percent(left), x2=percent(right), y1=9, y2=9, class_="reach")
        )  # fmt: skip
    parts.append(_dot(across.share(span.value), 9.0, 4.0, "dot"))
    return picture(label, *parts, class_="chart small", height=18)


def _scale(
    ticks: Sequence[Tick], across: _Across, low: float, high: float, middle: float
) -> Iterable[Markup]:
    """Borders of the ranks and their names; names that lack room are left out."""
    inside = [tick for tick in ticks if low <= tick.value <= high]
    every = max(1, ceil(len(inside) / 9))
    for k, tick in enumerate(inside):
        x = percent(across.share(tick.value))
        yield tag("line", x1=x, x2=x, y1=middle - 5, y2=middle + 5, class_="tick")
        end = inside[k + 1].value if k + 1 < len(inside) else high
        centre = across.share((tick.value + end) / 2.0)
        if tick.label and k % every == 0 and across.share(end) - across.share(tick.value) > 0.03:
            yield _text(tick.label, centre, middle + 28, "tick")


def curve_chart(
    label: str,
    spans: Sequence[Span | None],
    ticks: Sequence[Tick],
    low: float,
    high: float,
    *,
    across: Sequence[Tick],
    start: float = 0.0,
    marks: Sequence[int] = (),
    dots: bool = False,
    height: float = 180.0,
    base: float | None = None,
) -> Markup:
    """A curve over 0, 1, 2, …, with a band where its values have intervals.

    Parameters
    ----------
    label : str
    spans : sequence of Span or None
        None leaves a gap.
    ticks : sequence of Tick
        Lines across, at values between `low` and `high`.
    low, high : float
        Ends of the axis.
    across : sequence of Tick
        Of the horizontal axis, which begins at `start`.
    start : float
        What the first value stands over.
    marks : sequence of int
        Places of the sequence that get a dot of their own.
    dots : bool
        A dot for every value.
    height : float
        In pixels.
    base : float, optional
        The area between the curve and this value is filled.
    """
    down = _Down(low, high, height)
    places = _Across(start, start + len(spans) - 1)
    shares = [places.share(start + k) for k in range(len(spans))]
    parts = [*_levels(ticks, down), *_feet(across, places, height)]
    runs = _runs(spans)
    inner = [shape for run in runs for shape in _shapes(run, spans, shares, down, base)]
    if inner:
        parts.append(_stretched(height, *inner))
    single = {run[0] for run in runs if len(run) == 1}
    wanted = range(len(spans)) if dots else sorted(single)
    for k in wanted:
        if (span := spans[k]) is not None:
            if k in single and span.low is not None and span.high is not None:
                x = percent(shares[k])
                ends = {"y1": down.at(span.high), "y2": down.at(span.low)}
                parts.append(tag("line", x1=x, x2=x, class_="reach", **ends))
            parts.append(_dot(shares[k], down.at(span.value), 4.0, "dot"))
    parts += [
        _dot(shares[k], down.at(span.value), 5.0, "mark")
        for k in marks
        if 0 <= k < len(spans) and (span := spans[k]) is not None
    ]
    parts += _level_names(ticks, down)
    return picture(label, *parts, class_="chart", height=height)


def _runs(spans: Sequence[Span | None]) -> list[list[int]]:
    """Places of values that follow each other without a gap."""
    runs: list[list[int]] = []
    for k, span in enumerate(spans):
        if span is None:
            continue
        if runs and runs[-1][-1] == k - 1:
            runs[-1].append(k)
        else:
            runs.append([k])
    return runs


def _shapes(
    run: Sequence[int],
    spans: Sequence[Span | None],
    shares: Sequence[float],
    down: _Down,
    base: float | None,
) -> Iterable[Markup]:
    """Band, area and line of one stretch."""
    if len(run) < 2:
        return
    known = [(shares[k], span) for k in run if (span := spans[k]) is not None]
    for _, group in groupby(known, key=lambda each: _bounded(each[1])):
        band = list(group)
        if len(band) > 1 and _bounded(band[0][1]):
            upper = [(x, down.at(span.high or 0.0)) for x, span in band]
            lower = [(x, down.at(span.low or 0.0)) for x, span in reversed(band)]
            yield tag("polygon", points=_points(upper + lower), class_="band")
    curve = [(x, down.at(span.value)) for x, span in known]
    if base is not None:
        feet = [(curve[-1][0], down.at(base)), (curve[0][0], down.at(base))]
        yield tag("polygon", points=_points(curve + feet), class_="area")
    yield tag("polyline", points=_points(curve), class_="line", vector_effect="non-scaling-stroke")


def _bounded(span: Span) -> bool:
    return span.low is not None and span.high is not None


def _points(places: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{number(1000.0 * x)},{number(y)}" for x, y in places)


def loss_chart(
    label: str,
    moves: Sequence[int],
    losses: Sequence[float],
    length: int,
    *,
    across: Sequence[Tick],
    marks: Sequence[int] = (),
    height: float = 110.0,
) -> Markup:
    """A bar for each move of a player: points lost upwards, gained downwards.

    Parameters
    ----------
    label : str
    moves : sequence of int
        Numbers of the moves, from 1.
    losses : sequence of float
        Points that each cost.
    length : int
        Moves of the whole game, so that the picture lies under its winrate.
    across : sequence of Tick
    marks : sequence of int
        Numbers of moves whose bars stand out.
    height : float
        In pixels.
    """
    finite = [loss for loss in losses if isfinite(loss)]
    high = max([1.0, *finite])
    low = min([0.0, *finite])
    low = max(low, -high)
    down = _Down(low, high, height)
    places = _Across(0, length)
    width = max(0.7 * (1.0 - 2.0 * _SIDE) / max(length, 1), 0.0015)
    zero = down.at(0.0)
    wanted = set(marks)
    upper = nice_ticks(0.0, high, 3)[-1]
    levels = [Tick(0.0, ""), Tick(upper.value, f"{upper.label} points" if upper.value else "")]
    shapes: dict[str, list[str]] = {}
    for move, loss in zip(moves, losses, strict=True):
        if not isfinite(loss):
            continue
        kind = "bar marked" if move in wanted else "bar" if loss >= 0.0 else "bar gain"
        x, end = places.share(move) - width / 2, down.at(loss)
        top, tall = min(zero, end), max(abs(zero - end), 0.5)
        shapes.setdefault(kind, []).append(
            f"M{number(1000.0 * x)} {number(top)}h{number(1000.0 * width)}v{number(tall)}"
            f"h-{number(1000.0 * width)}z"
        )
    bars = [tag("path", d="".join(each), class_=kind) for kind, each in sorted(shapes.items())]
    return picture(
        label,
        *_levels(levels, down),
        *_feet(across, places, height),
        *([_stretched(height, *bars)] if bars else []),
        *_level_names(levels, down),
        class_="chart",
        height=height,
    )


def _stretched(height: float, *shapes: Markup) -> Markup:
    """An inner picture, 1000 units wide whatever the width of the outer one is."""
    return tag(
        "svg",
        *shapes,
        x="0",
        y="0",
        width="100%",
        height=height,
        viewBox=f"0 0 1000 {number(height)}",
        preserveAspectRatio="none",
    )


def bar_chart(label: str, bars: Sequence[tuple[str, float]], *, height: float = 120.0) -> Markup:
    """A column for each of a few shares (0 to 1), with its name and percentage."""
    high = max([share for _, share in bars] + [1e-9])
    down = _Down(0.0, high, height)
    room = 1.0 / max(len(bars), 1)
    parts = [tag("line", x1="0%", x2="100%", y1=down.at(0), y2=down.at(0), class_="axis")]
    for k, (name, share) in enumerate(bars):
        top = down.at(share)
        parts += [
            tag("rect", x=percent((k + 0.14) * room), width=percent(0.72 * room), y=top,
                height=down.at(0) - top, class_="column"),
            _text(name, (k + 0.5) * room, height - 6, "tick"),
        ]  # fmt: skip
        if share >= 0.005:
            parts.append(_text(f"{100 * share:.0f}", (k + 0.5) * room, top - 4, "value small"))
    return picture(label, *parts, class_="chart", height=height)


def _levels(ticks: Iterable[Tick], down: _Down) -> Iterable[Markup]:
    """Lines across."""
    for tick in ticks:
        y = down.at(tick.value)
        yield tag("line", x1="0%", x2="100%", y1=y, y2=y, class_="grid")


def _level_names(ticks: Iterable[Tick], down: _Down) -> Iterable[Markup]:
    """Names of the lines, above them at the left edge; drawn last, to be read on the curve."""
    for tick in ticks:
        if tick.label:
            yield tag("text", tick.label, x="0", y=down.at(tick.value) - 3, class_="tick")


def _feet(ticks: Iterable[Tick], places: _Across, height: float) -> Iterable[Markup]:
    for tick in ticks:
        yield _text(tick.label, places.share(tick.value), height - 6, "tick")


def _dot(x: float, y: float, radius: float, kind: str) -> Markup:
    return tag("circle", cx=percent(x), cy=y, r=radius, class_=kind)


def _text(text: str, share: float, y: float, kind: str) -> Markup:
    """Text that stays within the picture: near an edge it ends or begins there."""
    anchor = "start" if share < 0.06 else "end" if share > 0.94 else "middle"
    return tag("text", text, x=percent(share), y=y, text_anchor=anchor, class_=kind)
