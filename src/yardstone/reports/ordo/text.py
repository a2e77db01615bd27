"""How Ordo writes numbers and names, and in which order it lists players."""

from __future__ import annotations

import unicodedata
from math import floor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["as_in_tag", "display_width", "fixed", "listing_order", "name_width", "pad", "rounded"]

#: Names wider than this stick out of their column.
MAX_NAME_WIDTH = 50

#: Ordo rounds to at most so many decimals before it prints.
_ROUNDED_DECIMALS = 5


def as_in_tag(name: str) -> str:
    """A name as it stands between the quotes of a PGN tag."""
    if "\\" in name or '"' in name:
        return name.replace("\\", "\\\\").replace('"', '\\"')
    return name


def display_width(text: str) -> int:
    """Columns that `text` takes on a terminal: two for wide characters, none for accents."""
    if text.isascii():
        return len(text)
    width = 0
    for character in text:
        if unicodedata.combining(character) or unicodedata.category(character) in (
            "Mn",
            "Me",
            "Cf",
        ):
            continue
        width += 2 if unicodedata.east_asian_width(character) in "WF" else 1
    return width


def pad(text: str, width: int, *, right: bool = False) -> str:
    """`text` filled with blanks to `width` columns; to the left if `right`-aligned."""
    blanks = " " * (width - display_width(text))
    return blanks + text if right else text + blanks


def name_width(names: Iterable[str]) -> int:
    """Width of the column of names."""
    return min(max(map(display_width, names), default=0), MAX_NAME_WIDTH)


def fixed(value: float, decimals: int) -> str:
    """`value` with so many decimals, rounded to even on its binary value as C does."""
    return f"{value:.{decimals}f}"


def rounded(value: float, decimals: int) -> float:
    """`value` rounded half up, as Ordo does before it prints ratings and errors."""
    scale = float(10 ** min(max(decimals, 0), _ROUNDED_DECIMALS))
    if not -1e300 < value < 1e300:
        return value
    return floor(value * scale + 0.5) / scale


def listing_order(players: Sequence[int], rating: NDArray[np.float64]) -> list[int]:
    """Players from the highest rating down, equal ratings in Ordo's order.

    Ordo sorts with a quicksort that leaves short ranges alone, then once with an
    insertion sort. Neither keeps the order of equals, so where ratings are equal
    its exchanges are repeated here.
    """
    order = list(players)
    value = {player: float(rating[player]) for player in order}
    if len(set(value.values())) == len(order):
        return sorted(order, key=value.__getitem__, reverse=True)
    _exchange_ranges(order, value)
    _insert_each(order, value)
    return order


def _exchange_ranges(order: list[int], value: Mapping[int, float]) -> None:
    """Split at a pivot, higher ratings before it, every range of seven or more."""
    ranges = [(0, len(order) - 1)]
    while ranges:
        low, high = ranges.pop()
        if high < low + 6:
            continue
        if high <= low + 12:
            _median_to_front(order, value, low, high)
        pivot = _split(order, value, low, high)
        ranges.append((low, pivot - 1))
        ranges.append((pivot + 1, high))


def _median_to_front(order: list[int], value: Mapping[int, float], low: int, high: int) -> None:
    middle = low + (high - low) // 2
    if value[order[high]] < value[order[middle]] < value[order[low]]:
        order[middle], order[low] = order[low], order[middle]
    if value[order[middle]] < value[order[high]] < value[order[low]]:
        order[high], order[low] = order[low], order[high]


def _split(order: list[int], value: Mapping[int, float], low: int, high: int) -> int:
    pivot = value[order[low]]
    left, right = low + 1, high
    while left < right:
        if value[order[left]] > pivot:
            left += 1
        else:
            order[left], order[right] = order[right], order[left]
            right -= 1
    place = left if value[order[left]] > pivot else left - 1
    order[place], order[low] = order[low], order[place]
    return place


def _insert_each(order: list[int], value: Mapping[int, float]) -> None:
    """Insertion sort from the end; a player passes those rated strictly higher."""
    for start in range(len(order) - 2, -1, -1):
        player = order[start]
        place = start
        while place + 1 < len(order) and value[order[place + 1]] > value[player]:
            order[place] = order[place + 1]
            place += 1
        order[place] = player
