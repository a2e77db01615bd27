"""Rows of cells as lines of text."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["aligned", "aligned_text"]


def aligned(rows: Sequence[Sequence[str]], *, left: set[int]) -> list[str]:
    """Rows of cells as lines of equal columns; those in `left` begin at the left."""
    from rich.cells import cell_len

    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = []
        for place, (cell, width) in enumerate(zip(row, widths, strict=True)):
            blanks = " " * (width - cell_len(cell))
            cells.append(cell + blanks if place in left else blanks + cell)
        lines.append("  ".join(cells).rstrip())
    return lines


def aligned_text(rows: Sequence[Sequence[str]], *, left: set[int]) -> str:
    """The same as one text that ends with a newline."""
    return "\n".join(aligned(rows, left=left)) + "\n"
