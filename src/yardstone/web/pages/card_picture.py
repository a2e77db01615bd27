"""The picture of a card: PNG, which is all that other sites read, where matplotlib is there."""

from __future__ import annotations

import threading
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np

from yardstone.files import scratch_folder
from yardstone.reports.charts.shapes import Discs, Element, Shape, Sheet, Words, broken, cut

if TYPE_CHECKING:
    from yardstone.web.kinds.kind import Card

__all__ = ["can_draw", "card_png"]

#: Of the layout, in pixels; the file has twice as many either way: 1200 by 630.
_WIDTH, _HEIGHT = 600.0, 315.0
_MARGIN = 36.0
_TITLE, _SENTENCE, _SITE = 34.0, 19.0, 16.0
_LOCK = threading.Lock()


@cache
def can_draw() -> bool:
    """Whether pictures can be made here."""
    return find_spec("matplotlib") is not None


@lru_cache(maxsize=64)
def card_png(card: Card, site: str) -> bytes:
    """The picture of a card, with the title of the site.

    Parameters
    ----------
    card : Card
    site : str

    Returns
    -------
    bytes
        PNG, 1200 by 630 pixels.
    """
    from yardstone.reports.charts.files import save

    with _LOCK, scratch_folder() as folder:
        path = folder / "card.png"
        save(_sheet(card, site), path, card.title)
        return path.read_bytes()


def _sheet(card: Card, site: str) -> Sheet:
    room = _WIDTH - 2.0 * _MARGIN
    elements: list[Element] = [
        Shape([_box(0.0, 0.0, _WIDTH, _HEIGHT)], fill="paper"),
        Shape([_box(0.0, 0.0, 10.0, _HEIGHT)], fill="c1"),
        Words(cut(site, room, _SITE), _MARGIN, 38.0, size=_SITE, colour="soft"),
    ]
    y = 52.0
    for text, size, bold, most in (
        (card.title, _TITLE, True, 2),
        (card.sentence, _SENTENCE, False, 3),
    ):
        for line in broken(text, room, size, bold=bold)[:most]:
            y += 1.2 * size
            elements.append(Words(line, _MARGIN, y, size=size, bold=bold))
        y += 6.0
    return Sheet(_WIDTH, _HEIGHT, [*elements, *_ranges(card, y + 14.0, _HEIGHT - 28.0)])


def _ranges(card: Card, top: float, bottom: float) -> list[Element]:
    """Intervals below each other, on one scale."""
    if not card.ranges or bottom - top < 8.0:
        return []
    places = [end for ends in card.ranges for end in ends] + [at for at, _ in card.ticks]
    low, width = min(places), max(max(places) - min(places), 1e-9)

    def across(value: float) -> float:
        return _MARGIN + 10.0 + (_WIDTH - 2.0 * _MARGIN - 20.0) * (value - low) / width

    step = min((bottom - top) / len(card.ranges), 26.0)
    elements: list[Element] = []
    for at, text in card.ticks:
        x, end = across(at), top + step * len(card.ranges)
        elements.append(Shape([np.array([[x, top], [x, end]])], stroke="line"))
        elements.append(Words(text, x, end + 18.0, size=14.0, anchor="middle", colour="soft"))
    for place, ends in enumerate(card.ranges):
        left, middle, right = map(across, ends)
        y = top + (place + 0.5) * step
        line = np.array([[left, y], [right, y]])
        elements += [
            Shape([line], stroke="c1", width=min(0.3 * step, 4.0)),
            Discs(np.array([[middle, y]]), min(0.36 * step, 8.0), fill="c1"),
        ]
    return elements


def _box(left: float, top: float, right: float, bottom: float) -> np.ndarray:
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
