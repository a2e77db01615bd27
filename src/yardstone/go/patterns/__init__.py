"""Local patterns, and where they occur in many games.

A `Pattern` is a part of a board. A `GameIndex` holds the moves of many games in one
file that is built once (`build_index`), and `find_patterns` finds every position of
them in which a pattern stands, whichever way the board lies and whoever has which
colour. The names below are loaded when they are used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yardstone.facade import lazy_names

if TYPE_CHECKING:
    from yardstone.go.patterns.index import GameIndex, build_index
    from yardstone.go.patterns.pattern import Diagram, Pattern, Placement, read_diagram
    from yardstone.go.patterns.search import Matches, find_patterns

__all__ = [
    "Diagram",
    "GameIndex",
    "Matches",
    "Pattern",
    "Placement",
    "build_index",
    "find_patterns",
    "read_diagram",
]

__getattr__ = lazy_names(
    __name__,
    {
        "pattern": ("Diagram", "read_diagram", "Pattern", "Placement"),
        "index": ("GameIndex", "build_index"),
        "search": ("Matches", "find_patterns"),
    },
)
