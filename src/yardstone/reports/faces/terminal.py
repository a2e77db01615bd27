"""A document on a terminal: colours, and tables as wide as it allows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from yardstone.reports.document import (
    Block,
    Column,
    Document,
    Facts,
    Lines,
    Picture,
    Section,
    Table,
)
from yardstone.reports.faces.text import hidden_rows
from yardstone.reports.words import plural

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["print_document"]

#: A name may take so much of a terminal before it is cut.
_NAME_WIDTH = 40


def print_document(document: Document, console: Console, *, limit: int | None = None) -> None:
    """Print the document; `limit` is for the rows of tables without a limit of their own.

    With a limit, only the first sections of many with tables are printed.
    """
    from rich.text import Text

    for place, line in enumerate(document.lead):
        _print_line(line, console, style="bold" if place == 0 else "")
    begun = bool(document.lead)
    for section in _first_sections(document, console, limit):
        if section.blocks and not any(map(_printed, section.blocks)):
            continue
        if begun:
            console.print()
        begun = True
        if section.title:
            console.print(Text(section.title, style="bold yellow" if section.caution else "bold"))
        for block in section.blocks:
            _print_block(block, console, limit)


def _first_sections(document: Document, console: Console, limit: int | None) -> Sequence[Section]:
    """The sections; of many with tables under a limit, those beyond it are counted."""
    tables = [k for k, section in enumerate(document.sections) if _is_group(section)]
    if limit is None or len(tables) <= document.groups:
        return document.sections
    hidden = tables[document.groups :]
    kept = [section for k, section in enumerate(document.sections) if k not in hidden]
    more = plural(len(hidden), "smaller group")
    rest = Section("", [Lines([f"… and {more} ({document.remedy})"])])
    kept.insert(hidden[0], rest)
    return kept


def _is_group(section: Section) -> bool:
    return any(isinstance(block, Table) and block.group for block in section.blocks)


def _printed(block: Block) -> bool:
    if isinstance(block, Picture):
        return block.instead is not None
    if isinstance(block, Table):
        return len(block.rows) > 0
    if isinstance(block, Facts):
        return len(block.facts) > 0
    return isinstance(block, Lines) and not block.aside and bool(block.lines)


def _print_block(block: Block, console: Console, limit: int | None) -> None:
    if not _printed(block):
        return
    if isinstance(block, Lines):
        for line in block.lines:
            _print_line(line, console, lead="  • " if block.bullets else "", exact=block.exact)
    elif isinstance(block, Picture) and block.instead is not None:
        _print_block(block.instead, console, limit)
    elif isinstance(block, Table):
        _print_table(block, console, limit if block.limit is None else block.limit)
    elif isinstance(block, Facts):
        _print_facts(block, console)


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


def _print_facts(block: Facts, console: Console) -> None:
    from rich.table import Table as RichTable
    from rich.text import Text

    grid = RichTable.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column()
    for label, text in block.facts:
        grid.add_row(Text(label, style="bold"), Text(text))
    console.print(grid)


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
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    columns, name_width = _fitting(table.printed, rows, console.width)
    grid = RichTable(
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
        header_style="bold",
        show_edge=False,
    )
    for column in columns:
        grid.add_column(
            Text(column.heading),
            justify="left" if column.at_left else "right",
            no_wrap=True,
            overflow="ellipsis",
            max_width=name_width if column.at_left else None,
        )
    for row in rows:
        grid.add_row(
            *(Text(column.cell(row), style="bold" if column.strong else "") for column in columns)
        )
    console.print(grid)


def _fitting(columns: list[Column], rows: Sequence[object], width: int) -> tuple[list[Column], int]:
    """Drop columns, those that give way first, until the table fits; and the room for names."""
    from rich.cells import cell_len

    size = {
        id(column): max([cell_len(column.heading), *(cell_len(column.cell(r)) for r in rows)])
        for column in columns
    }

    def names() -> list[Column]:
        return [column for column in columns if column.at_left]

    def room() -> int:
        """What the other columns leave for names; two blanks part columns."""
        return width - sum(2 + size[id(column)] for column in columns if not column.at_left)

    def longest() -> int:
        return sum(min(size[id(column)], _NAME_WIDTH) + 2 for column in names()) - 2

    while room() < longest():
        droppable = [column for column in columns if column.gives_way]
        if not droppable:
            break
        columns.remove(min(droppable, key=lambda column: column.gives_way))
    share = max(len(names()), 1)
    if share == 1:
        return columns, max(room(), 4)
    fits = room() >= longest()
    return columns, _NAME_WIDTH if fits else max((room() - 2 * (share - 1)) // share, 12)
