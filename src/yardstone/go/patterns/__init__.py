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
    from yardstone.go.patterns.index import GameIndex as GameIndex
    from yardstone.go.patterns.index import build_index as build_index
    from yardstone.go.patterns.pattern import Diagram as Diagram
    from yardstone.go.patterns.pattern import Pattern as Pattern
    from yardstone.go.patterns.pattern import Placement as Placement
    from yardstone.go.patterns.pattern import read_diagram as read_diagram
    from yardstone.go.patterns.search import Matches as Matches
    from yardstone.go.patterns.search import find_patterns as find_patterns


__dir__, __getattr__ = lazy_names(__name__)
