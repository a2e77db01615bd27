"""Tables as templates want them: columns with their ways of sorting, rows of cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = ["Cell", "Column", "Row", "Table", "number_cell", "text_cell"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column.

    Attributes
    ----------
    text : str
        Its heading.
    kind : {"number", "text", ""}
        How it is sorted; '' if not at all.
    first : {"ascending", "descending"}
        The order that the first click makes.
    classes : str
        For the style sheet; ``extra`` columns stay away from narrow screens.
    head : bool
        Its cells say what the rows are about.
    sorted : {"ascending", "descending", ""}
        The order in which the rows come.
    """

    text: str
    kind: str = "number"
    first: str = "descending"
    classes: str = ""
    head: bool = False
    sorted: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: what is shown, what it is sorted by (the text itself if None), where it leads."""

    text: str | Markup
    value: float | str | None = None
    link: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """Cells from left to right; a chosen row stands out."""

    cells: Sequence[Cell]
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A whole table; the caption says what it holds."""

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Row]


def number_cell(value: float | None, digits: int = 0, *, sign: bool = False) -> Cell:
    """A number, sorted by itself; a dash, sorted last, where there is none."""
    if value is None or not isfinite(value):
        return Cell("–", "")
    text = f"{value:{'+' if sign else ''},.{digits}f}".replace("-", "−")
    return Cell(text, value)


def text_cell(text: str | None, link: str = "") -> Cell:
    """A text, sorted by itself; a dash where there is none."""
    return Cell(text or "–", text or "", link)
