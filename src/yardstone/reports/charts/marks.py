"""The marks of a panel as shapes in pixels, cut off at its edges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import singledispatch
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from yardstone.reports.charts.panels import Band, Bars, Guide, Label, Mark, Points, Stroke
from yardstone.reports.charts.rulers import Ruler, numbers
from yardstone.reports.charts.shapes import Discs, Element, Shape, Words

__all__ = ["Frame", "drawn", "sign"]

Array = NDArray[np.float64]

#: Lines with more points than these for each pixel across lose what cannot be seen.
_DENSE = 3.0
#: Steps between the faintest and the fullest of many bars.
_SHADES = 40
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


@singledispatch
def drawn(mark: Mark, place: Frame) -> Iterator[Element]:
    """The shapes of a mark."""
    raise NotImplementedError


def _pairs(x: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
    across, up = np.broadcast_arrays(numbers(x), numbers(y))
    return across, up


@drawn.register
def _(mark: Stroke, place: Frame) -> Iterator[Element]:
    x, y = _pairs(mark.x, mark.y)
    x, y = place.x.at(x), place.y.at(y)
    if mark.step:
        x, y = np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]
    x, (y,) = thinned(x, [y], abs(place.x.end - place.x.start))
    parts = clipped(x, y, place)
    if parts:
        yield Shape(parts, stroke=mark.colour, width=mark.width, dash=mark.dash)
    known = np.isfinite(x) & np.isfinite(y)
    beside = np.r_[False, known[:-1]] | np.r_[known[1:], False]
    alone = known & ~beside & _within(x, y, place)
    if alone.any():
        yield Discs(np.column_stack([x, y])[alone], 1.3 * mark.width, fill=mark.colour)


@drawn.register
def _(mark: Band, place: Frame) -> Iterator[Element]:
    x, low = _pairs(mark.x, mark.low)
    x, high = _pairs(x, mark.high)
    x, low, high = (
        np.broadcast_to(values, np.broadcast(x, low).shape) for values in (x, low, high)
    )
    across, floors, tops = place.x.at(x), place.y.inside(low), place.y.inside(high)
    parts = []
    for run in _runs(np.isfinite(floors) & np.isfinite(tops) & place.x.holds(x)):
        pixels = abs(place.x.end - place.x.start)
        left, (lower, upper) = thinned(across[run], [floors[run], tops[run]], pixels)
        if len(left) == 1:
            left = np.array([left[0] - 3.0, left[0] + 3.0])
            lower, upper = np.repeat(lower, 2), np.repeat(upper, 2)
        edge = np.column_stack([left, upper]), np.column_stack([left, lower])[::-1]
        parts.append(np.concatenate(edge))
    if parts:
        yield Shape(parts, fill=mark.colour, opacity=mark.opacity)


@drawn.register
def _(mark: Points, place: Frame) -> Iterator[Element]:
    x, y = _pairs(mark.x, mark.y)
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


@drawn.register
def _(mark: Bars, place: Frame) -> Iterator[Element]:
    left, right = _pairs(mark.left, mark.right)
    bottom, top = _pairs(mark.bottom, mark.top)
    count = np.broadcast(left, top)
    opacity = np.broadcast_to(np.asarray(mark.opacity, np.float64), count.shape)
    edges = [np.broadcast_to(values, count.shape) for values in (left, right, bottom, top)]
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
        shades = np.round(opacity * _SHADES) if len(set(opacity[keep].tolist())) > 2 else opacity
        for shade in np.unique(shades[keep]):
            rows = keep & (shades == shade)
            share = float(opacity[rows].mean())
            if share > 0.0:
                yield Shape(list(corners[rows]), fill=mark.colour, opacity=share)
    for text, middle, above in zip(
        mark.texts, 0.5 * (x0 + x1), np.minimum(y0, y1) - 4.0, strict=False
    ):
        if text and np.isfinite(middle + above):
            yield Words(text, float(middle), float(above), 11.0, "middle", bold=True)


@drawn.register
def _(mark: Guide, place: Frame) -> Iterator[Element]:
    left, right = place.x.start, place.x.end
    top, bottom = sorted((place.y.start, place.y.end))
    if mark.x is not None and place.x.holds(mark.x)[0]:
        x = float(place.x.at(mark.x)[0])
        yield Shape([np.array([[x, top], [x, bottom]])], stroke=mark.colour, dash=mark.dash)
        if mark.text:
            yield Words(mark.text, x, top - 4.0, 11.0, "middle", mark.colour)
    if mark.y is not None and place.y.holds(mark.y)[0]:
        y = float(place.y.at(mark.y)[0])
        yield Shape([np.array([[left, y], [right, y]])], stroke=mark.colour, dash=mark.dash)
        if mark.text:
            yield Words(mark.text, right, y - 4.0, 11.0, "end", mark.colour, halo=True)


@drawn.register
def _(mark: Label, place: Frame) -> Iterator[Element]:
    if place.x.holds(mark.x)[0] and place.y.holds(mark.y)[0]:
        x, y = float(place.x.at(mark.x)[0]) + mark.right, float(place.y.at(mark.y)[0]) - mark.up
        yield Words(mark.text, x, y, mark.size, mark.anchor, mark.colour, mark.bold, halo=True)


def _runs(known: NDArray[np.bool_]) -> list[slice]:
    """Stretches of places that are known."""
    edges = np.flatnonzero(np.diff(np.r_[False, known, False].astype(np.int8)))
    return [slice(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def _within(x: Array, y: Array, place: Frame) -> NDArray[np.bool_]:
    left, right = sorted((place.x.start, place.x.end))
    top, bottom = sorted((place.y.start, place.y.end))
    return (x >= left - 0.01) & (x <= right + 0.01) & (y >= top - 0.01) & (y <= bottom + 0.01)


def clipped(x: Array, y: Array, place: Frame) -> list[Array]:
    """The stretches of a line that lie within the panel; gaps stay gaps."""
    start = np.column_stack([x[:-1], y[:-1]])
    end = np.column_stack([x[1:], y[1:]])
    enter, leave = np.zeros(len(start)), np.ones(len(start))
    enter[~np.isfinite(start + end).all(axis=1)] = 2.0
    for axis, ruler in enumerate(place):
        least, most = sorted((ruler.start, ruler.end))
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            step = end[:, axis] - start[:, axis]
            ends = (np.array([[least - 1e-9], [most + 1e-9]]) - start[:, axis]) / step
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
