"""From the values of an axis to pixels, and where its ticks stand."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, isfinite, log10

import numpy as np
from numpy.typing import ArrayLike, NDArray

from yardstone.reports.charts.panels import Axis
from yardstone.reports.charts.shapes import text_width

__all__ = ["Ruler", "nice_ticks", "numbers", "plain_number"]

Array = NDArray[np.float64]
Tick = tuple[float, str]

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
    text = format(value, form)
    return text.replace("-", "−")


def _apart(low: float, high: float) -> bool:
    """Whether numbers between two ends can be told from them."""
    return high - low > 1e-12 * max(abs(low), abs(high), 1e-200)


def nice_ticks(low: float, high: float, most: int = 6, *, whole: bool = False) -> list[Tick]:
    """Round values between two ends, not more than `most`.

    Examples
    --------
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


def _log_ticks(low: float, high: float, most: int) -> list[Tick]:
    for factors in ((1, 2, 5), (1, 3), (1,)):
        powers = range(floor(low), ceil(high) + 1)
        values = [factor * 10.0**power for power in powers for factor in factors]
        inside = [value for value in values if low - 1e-9 <= log10(value) <= high + 1e-9]
        if len(inside) <= most:
            break
    else:
        inside = inside[:: ceil(len(inside) / most)]
    return [(value, f"{value:g}".replace("-", "−")) for value in inside]


def _date_ticks(low: float, high: float, most: int) -> list[Tick]:
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
    values = times.astype("datetime64[s]").astype(np.int64).astype(np.float64)
    written = [str(time).replace("T", " ")[5 if unit in "hms" else 0 :] for time in times]
    return [
        (float(value), text)
        for value, text in zip(values, written, strict=True)
        if low <= value <= high
    ]


#: Values beyond have no place on an axis.
_HUGE = 1e150


class Ruler:
    """An axis between two pixels.

    Parameters
    ----------
    axis : Axis
    known : float64 array
        Values that must have a place.
    start, end : float
        Pixels of the lowest and the highest value.
    """

    def __init__(self, axis: Axis, known: Array, start: float, end: float) -> None:
        self.axis, self.start, self.end = axis, start, end
        self.low, self.high = _ends(axis, known)

    def at(self, values: ArrayLike) -> Array:
        """Pixels of values."""
        transformed = self._transformed(numbers(values))
        share = (transformed - self.low) / (self.high - self.low)
        return np.asarray(self.start + share * (self.end - self.start), np.float64)

    def inside(self, values: ArrayLike) -> Array:
        """Pixels of values; those outside stand at the edges."""
        least, most = sorted((self.start, self.end))
        return np.clip(self.at(values), least, most)

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

    def ticks(self, most: int) -> list[Tick]:
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

    def fitting_ticks(self, size: float, gap: float = 14.0) -> list[Tick]:
        """Ticks whose texts stand side by side without touching."""
        reach = abs(self.end - self.start)
        for most in range(max(int(reach / 45.0), 2), 1, -1):
            ticks = self.ticks(most)
            if self.axis.ticks is not None or self.axis.scale == "category":
                break
            if len(self._clear(ticks, size, gap)) == len(ticks):
                return ticks
        return self._clear(ticks, size, gap)

    def _clear(self, ticks: Sequence[Tick], size: float, gap: float) -> list[Tick]:
        """Without the texts that would touch the one before."""
        apart: list[Tick] = []
        last = -np.inf
        for value, text in sorted(ticks, key=lambda tick: float(self.at(tick[0])[0])):
            middle, half = float(self.at(value)[0]), 0.5 * text_width(text, size)
            clear = middle - half >= last + gap or not text
            apart.append((value, text if clear else ""))
            if clear and text:
                last = middle + half
        if self.axis.ticks is None and self.axis.scale != "category":
            return [tick for tick in apart if tick[1]]
        return apart


def _ends(axis: Axis, known: Array) -> tuple[float, float]:
    """Lowest and highest value, in the units in which the axis is even."""
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
