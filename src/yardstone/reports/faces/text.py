"""A document as text without colours: aligned lines for pipes and files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from textwrap import wrap

from yardstone.reports.document import Block, Document, Facts, Lines, Picture, Section, Table
from yardstone.reports.words import plural

__all__ = ["aligned", "document_text", "hidden_rows", "text_pieces"]

#: Letters in a line of a list of sentences.
_WIDTH = 100


def document_text(document: Document) -> str:
    """The document; ends with a newline."""
    return "".join(text_pieces(document))


def text_pieces(document: Document) -> Iterator[str]:
    """The same line by line, so that a long table takes little memory."""
    begin = True
    if document.lead:
        yield "\n".join(document.lead)
        begin = False
    for section in document.sections:
        gap = "" if begin else "\n\n"
        for line in section_lines(section):
            yield gap + line
            gap, begin = "\n", False
    yield "\n"


def section_lines(section: Section) -> Iterator[str]:
    """The lines of a section, none if it is empty."""
    empty = bool(section.blocks)
    for block in section.blocks:
        for line in _block_lines(block):
            if empty and section.title:
                yield section.title
            empty = False
            yield line
    if not section.blocks and section.title:
        yield section.title


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


def table_lines(table: Table) -> Iterator[str]:
    """Heading and rows, with the lines between them, and how many rows are hidden."""
    if not len(table.rows):
        return
    columns = table.printed
    heading = [column.heading.strip() for column in columns]
    left = {k for k, column in enumerate(columns) if column.at_left}

    def cells() -> Iterator[list[str]]:
        yield heading
        yield from table.cells(table.limit)

    for place, line in enumerate(_aligned(cells, left=left), start=-1):
        if place in table.breaks:
            yield table.breaks[place]
        yield line
    yield from hidden_rows(table)


def hidden_rows(table: Table, limit: int | None = None) -> list[str]:
    """How many rows are not shown, if any."""
    limit = table.limit if limit is None else limit
    rest = 0 if limit is None else len(table.rows) - limit
    remedy = f" ({table.remedy})" if table.remedy else ""
    return [f"… and {plural(rest, f'more {table.noun}')}{remedy}"] if rest > 0 else []


def aligned(rows: Sequence[Sequence[str]], *, left: set[int]) -> list[str]:
    """Rows of cells as lines of equal columns; those in `left` begin at the left."""
    return list(_aligned(lambda: rows, left=left))


def _aligned(rows: Callable[[], Iterable[Sequence[str]]], *, left: set[int]) -> Iterator[str]:
    """The same of rows that are gone through twice."""
    from rich.cells import cell_len

    widths: list[int] = []
    for row in rows():
        lengths = map(cell_len, row)
        widths = [max(pair) for pair in zip(widths, lengths, strict=True)] if widths else [*lengths]
    for row in rows():
        cells = []
        for place, (cell, width) in enumerate(zip(row, widths, strict=True)):
            blanks = " " * (width - cell_len(cell))
            cells.append(cell + blanks if place in left else blanks + cell)
        yield "  ".join(cells).rstrip()
