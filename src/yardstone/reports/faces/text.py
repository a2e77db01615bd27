"""A document as text without colours: aligned lines for pipes and files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from textwrap import wrap

from yardstone.reports.document import Block, Document, Facts, Lines, Picture, Section, Table
from yardstone.reports.words import plural

__all__ = ["aligned", "document_text", "hidden_rows"]

#: Letters in a line of a list of sentences.
_WIDTH = 100


def document_text(document: Document) -> str:
    """The document; ends with a newline."""
    parts = [list(document.lead)] if document.lead else []
    parts += [lines for section in document.sections if (lines := section_lines(section))]
    return "\n\n".join("\n".join(lines) for lines in parts) + "\n"


def section_lines(section: Section) -> list[str]:
    """The lines of a section, none if it is empty."""
    body = [line for block in section.blocks for line in _block_lines(block)]
    return [section.title, *body] if section.title and (body or not section.blocks) else body


def _block_lines(block: Block) -> Iterable[str]:
    if isinstance(block, Lines):
        if block.aside:
            return ()
        if not block.bullets:
            return block.lines
        return [part for line in block.lines for part in _bullet(line)]
    if isinstance(block, Picture) and block.instead is not None:
        return _block_lines(block.instead)
    if isinstance(block, Table):
        return table_lines(block)
    if isinstance(block, Facts) and block.width:
        return _wrapped_facts(block, block.width)
    if isinstance(block, Facts):
        return aligned(block.facts, left={0, 1})
    return ()


def _wrapped_facts(block: Facts, width: int) -> list[str]:
    """Each text wrapped beside its label."""
    indent = " " * (2 + max((len(label) for label, _ in block.facts), default=0))
    lines = []
    for label, text in block.facts:
        lines += wrap(
            text,
            max(width, len(indent) + 20),
            initial_indent=label.ljust(len(indent)),
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
    return lines


def _bullet(line: str) -> list[str]:
    return wrap(line, _WIDTH, initial_indent="  • ", subsequent_indent="    ")


def table_lines(table: Table) -> list[str]:
    """Heading and rows, with the lines between them, and how many rows are hidden."""
    if not len(table.rows):
        return []
    columns = table.printed
    cells = [[column.heading.strip() for column in columns], *table.cells(table.limit)]
    lines = aligned(cells, left={k for k, column in enumerate(columns) if column.at_left})
    for place in sorted(table.breaks, reverse=True):
        if place < len(cells) - 1:
            lines.insert(place + 1, table.breaks[place])
    return lines + hidden_rows(table)


def hidden_rows(table: Table, limit: int | None = None) -> list[str]:
    """How many rows are not shown, if any."""
    limit = table.limit if limit is None else limit
    rest = 0 if limit is None else len(table.rows) - limit
    remedy = f" ({table.remedy})" if table.remedy else ""
    return [f"… and {plural(rest, f'more {table.noun}')}{remedy}"] if rest > 0 else []


def aligned(rows: Sequence[Sequence[str]], *, left: set[int]) -> list[str]:
    """Rows of cells as lines of equal columns; those in `left` begin at the left."""
    from rich.cells import cell_len

    if not rows:
        return []
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = []
        for place, (cell, width) in enumerate(zip(row, widths, strict=True)):
            blanks = " " * (width - cell_len(cell))
            cells.append(cell + blanks if place in left else blanks + cell)
        lines.append("  ".join(cells).rstrip())
    return lines
