"""A document as text: aligned lines for pipes and files, tables for terminals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, pairwise
from textwrap import TextWrapper
from typing import TYPE_CHECKING

from yardstone.reports.document import Block, Document, Facts, Lines, Picture, Section, Table
from yardstone.reports.words import plural

if TYPE_CHECKING:
    from rich.console import Console

#: Letters in a line of a list of sentences.
_WIDTH = 100


def document_text(document: Document) -> str:
    """The document; ends with a newline."""
    return "".join(text_pieces(document))


def text_pieces(document: Document) -> Iterator[str]:
    """The same line by line, so that a long table takes little memory."""
    gap = ""
    if document.lead:
        yield "\n".join(document.lead)
        gap = "\n\n"
    for section in document.sections:
        lines = chain.from_iterable(map(_block_lines, section.blocks))
        first = next(lines, None)
        begin = [] if first is None else [first]
        if section.title and (begin or not section.blocks):
            begin.insert(0, section.title)
        for line in chain(begin, lines):
            yield gap + line
            gap = "\n"
        gap = gap and "\n\n"
    yield "\n"


def _said(block: Block | None) -> Table | Lines | Facts | None:
    """The part of a block that texts show; None if there is none."""
    if isinstance(block, Picture):
        return _said(block.instead)
    if isinstance(block, Table):
        return block if len(block.rows) else None
    if isinstance(block, Facts):
        return block if block.facts else None
    return block if isinstance(block, Lines) and block.lines and not block.aside else None


def _block_lines(block: Block) -> Iterable[str]:
    said = _said(block)
    if isinstance(said, Lines):
        if not said.bullets:
            return said.lines
        bullets = TextWrapper(_WIDTH, initial_indent="  • ", subsequent_indent="    ")
        return [part for line in said.lines for part in bullets.wrap(line)]
    if isinstance(said, Table):
        return _table_lines(said)
    if isinstance(said, Facts):
        facts = said.facts
        return _wrapped_facts(said) if said.width else _aligned(lambda: facts, left={0, 1})
    return ()


def _wrapped_facts(block: Facts) -> list[str]:
    indent = " " * (2 + max((len(label) for label, _ in block.facts), default=0))
    wrapper = TextWrapper(max(block.width or 0, len(indent) + 20), subsequent_indent=indent)
    wrapper.break_long_words = wrapper.break_on_hyphens = False
    lines = []
    for label, text in block.facts:
        wrapper.initial_indent = label.ljust(len(indent))
        lines += wrapper.wrap(text)
    return lines


def _table_lines(table: Table) -> Iterator[str]:
    """Heading and rows, with the lines between them, and how many rows are hidden."""
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


def _aligned(rows: Callable[[], Iterable[Sequence[str]]], *, left: set[int]) -> Iterator[str]:
    """Align rows; they are read twice, so that few need be in memory."""
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


#: A name may take so much of a terminal before it is cut.
_NAME_WIDTH = 40
#: Lists shown on a terminal where rows are limited.
_GROUPS = 4


def print_document(document: Document, console: Console, *, limit: int | None = None) -> None:
    """Print the document; `limit` is for the rows of tables without a limit of their own.

    With a limit, only the first sections of many with tables are printed.
    """
    from rich.table import Table as RichTable
    from rich.text import Text

    for place, line in enumerate(document.lead):
        _print_line(line, console, style="bold" if place == 0 else "")
    begun = bool(document.lead)
    for section in _first_sections(document, console, limit):
        if section.blocks and not any(map(_said, section.blocks)):
            continue
        if begun:
            console.print()
        begun = True
        if section.title:
            console.print(Text(section.title, style="bold yellow" if section.caution else "bold"))
        for said in map(_said, section.blocks):
            if isinstance(said, Lines):
                lead = "  • " if said.bullets else ""
                for line in said.lines:
                    _print_line(line, console, lead=lead, exact=said.exact)
            elif isinstance(said, Table):
                _print_table(said, console, limit if said.limit is None else said.limit)
            elif said is not None:
                grid = RichTable.grid(padding=(0, 2, 0, 0))
                grid.add_column(no_wrap=True)
                grid.add_column()
                for label, text in said.facts:
                    grid.add_row(Text(label, style="bold"), Text(text))
                console.print(grid)


def _first_sections(document: Document, console: Console, limit: int | None) -> Sequence[Section]:
    """The sections; of too many groups only the first, and how many more there are."""
    tables = [
        k
        for k, section in enumerate(document.sections)
        if any(isinstance(block, Table) and block.group for block in section.blocks)
    ]
    if limit is None or len(tables) <= _GROUPS:
        return document.sections
    hidden = tables[_GROUPS:]
    kept = [section for k, section in enumerate(document.sections) if k not in hidden]
    more = f"… and {plural(len(hidden), 'smaller group')} (--top 0 shows all)"
    kept.insert(hidden[0], Section("", [Lines([more])]))
    return kept


def _print_line(
    line: str, console: Console, *, lead: str = "", style: str = "", exact: bool = False
) -> None:
    """A line broken at blanks, its parts indented as its beginning."""
    from rich.text import Text

    if exact:
        console.print(Text(line), soft_wrap=True)
        return
    body = line.lstrip()
    lead = lead + line[: len(line) - len(body)]
    for part in Text(body, style=style).wrap(console, max(console.width - len(lead), 20)):
        console.print(Text(lead).append_text(part))
        lead = " " * len(lead)
    if not body:
        console.print()


def _print_table(table: Table, console: Console, limit: int | None) -> None:
    from rich.text import Text

    rows = table.rows[:limit]
    starts = [0, *sorted(place for place in table.breaks if place < len(rows)), len(rows)]
    for begin, end in pairwise(starts):
        if begin in table.breaks:
            console.print(Text(table.breaks[begin], style="bold"))
        if begin < end:
            _print_rows(table, rows[begin:end], console)
    for line in hidden_rows(table, limit):
        console.print(Text(line, style="dim"))


def _print_rows(table: Table, rows: Sequence[object], console: Console) -> None:
    """Print rows; columns are dropped, lowest `gives_way` first, until the table fits."""
    from rich import box
    from rich.cells import cell_len
    from rich.table import Table as RichTable
    from rich.text import Text

    columns = table.printed
    size = {
        id(column): max([cell_len(column.heading), *(cell_len(column.cell(r)) for r in rows)])
        for column in columns
    }
    while True:
        names = [column for column in columns if column.at_left]
        # What the other columns leave for names; two blanks part columns.
        room = console.width - sum(2 + size[id(column)] for column in columns if not column.at_left)
        longest = sum(min(size[id(column)], _NAME_WIDTH) + 2 for column in names) - 2
        droppable = [column for column in columns if column.gives_way]
        if room >= longest or not droppable:
            break
        columns.remove(min(droppable, key=lambda column: column.gives_way))
    name_width = _NAME_WIDTH
    if len(names) < 2:
        name_width = max(room, 4)
    elif room < longest:
        name_width = max((room - 2 * (len(names) - 1)) // len(names), 12)
    grid = RichTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), header_style="bold")
    grid.pad_edge = grid.show_edge = False
    for column in columns:
        grid.add_column(
            Text(column.heading),
            justify="left" if column.at_left else "right",
            no_wrap=True,
            overflow="ellipsis",
            max_width=name_width if column.at_left else None,
        )
    styles = ["bold" if column.strong else "" for column in columns]
    for row in rows:
        grid.add_row(*(Text(c.cell(row), style) for c, style in zip(columns, styles, strict=True)))
    console.print(grid)
