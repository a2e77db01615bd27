"""A rating list as text: a table for a terminal, plain aligned lines elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from yardstone.reports import statements
from yardstone.reports.columns import columns

if TYPE_CHECKING:
    from rich.console import Console

    from yardstone.ratings.rating_list import Group, RatingList
    from yardstone.reports.columns import Column

__all__ = ["print_list", "text_list"]

#: Players and groups shown on a terminal unless more are asked for.
TERMINAL_PLAYERS = 40
TERMINAL_GROUPS = 4
#: A name may take so much of a terminal before it is cut.
_NAME_WIDTH = 40
#: Stands above players who won or lost every game.
_APART = statements.BOUNDS


def text_list(report: RatingList, *, top: int | None = None) -> str:
    """The list as aligned text without colours; `top` limits players of each group.

    Ends with a newline.
    """
    from rich.cells import cell_len

    lines = [statements.headline(report)]
    for group in report.groups:
        rows = group.rows if top is None else group.rows[:top]
        shown = columns(report)
        cells = [[column.cell(row) for column in shown] for row in rows]
        widths = [
            max([cell_len(column.heading), *(cell_len(line[k]) for line in cells)])
            for k, column in enumerate(shown)
        ]
        if len(report.groups) > 1:
            lines += ["", _group_title(report, group)]
        else:
            lines.append("")
        for place, line in enumerate(([column.heading for column in shown], *cells)):
            if place == group.ranked + 1:
                lines.append(_APART)
            text = "  ".join(
                _padded(cell, width, cell_len(cell), left=column.left)
                for cell, width, column in zip(line, widths, shown, strict=True)
            )
            lines.append(text.rstrip())
        if len(rows) < len(group.rows):
            lines.append(_hidden(len(group.rows) - len(rows)))
    for title, block in _blocks(report):
        lines += ["", *([title] if title else []), *block]
    return "\n".join(lines) + "\n"


def _padded(cell: str, width: int, length: int, *, left: bool) -> str:
    blanks = " " * (width - length)
    return cell + blanks if left else blanks + cell


def _group_title(report: RatingList, group: Group) -> str:
    if group.number < 1:
        return "Players without a group"
    return (
        f"Group {group.number}: {statements.plural(len(group.rows), 'player')}, "
        f"{statements.plural(group.games, 'game')}"
    )


def _hidden(number: int) -> str:
    return f"… and {statements.plural(number, 'more player')} (--top 0 shows all)"


def _blocks(report: RatingList) -> Iterable[tuple[str, Sequence[str]]]:
    """Titles and lines of what follows the list."""
    yield "", statements.basis(report)
    if caveats := statements.caveats(report):
        yield "Mind:", [f"  • {line}" for line in caveats]
    if remedies := statements.remedies(report):
        yield "Options:", [f"  • {line}" for line in remedies]
    if advice := statements.advice(report):
        yield "Games that would tell most:", [f"  • {line}" for line in advice]
    if skipped := statements.skipped(report):
        yield "", skipped


def print_list(report: RatingList, console: Console, *, top: int | None = TERMINAL_PLAYERS) -> None:
    """Print the list as a table as wide as the terminal allows.

    `top` limits the players of each group, None shows all; of many groups only
    the largest are shown in full.
    """
    from rich.text import Text

    console.print(Text(statements.headline(report), style="bold"))
    groups = report.groups if top is None else report.groups[:TERMINAL_GROUPS]
    for group in groups:
        rows = group.rows if top is None else group.rows[:top]
        if len(report.groups) > 1:
            console.print()
            console.print(Text(_group_title(report, group), style="bold"))
        if group.ranked:
            _print_group(report, rows[: group.ranked], console)
        if apart := rows[group.ranked :]:
            console.print(Text(_APART, style="bold"))
            _print_group(report, apart, console)
        if len(rows) < len(group.rows):
            console.print(Text(_hidden(len(group.rows) - len(rows)), style="dim"))
    if len(groups) < len(report.groups):
        rest = len(report.groups) - len(groups)
        hidden = f"… and {statements.plural(rest, 'smaller group')} (--top 0 shows all)"
        console.print(Text(hidden, style="dim"))
    for title, block in _blocks(report):
        console.print()
        if title:
            console.print(Text(title, style="bold yellow" if title == "Mind:" else "bold"))
        for line in block:
            text = line.lstrip()
            indent = len(line) - len(text) + 2 * text.startswith("•")
            lead, body = line[:indent], line[indent:]
            for part in Text(body).wrap(console, max(console.width - indent, 20)):
                console.print(Text(lead).append_text(part))
                lead = " " * indent


def _print_group(report: RatingList, rows: Sequence[int], console: Console) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    shown, name_width = _fitting(columns(report), rows, console.width)
    table = Table(
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
        header_style="bold",
        show_edge=False,
    )
    for column in shown:
        table.add_column(
            Text(column.heading),
            justify="left" if column.left else "right",
            no_wrap=True,
            overflow="ellipsis",
            max_width=name_width if column.left else None,
        )
    for row in rows:
        table.add_row(
            *(
                Text(column.cell(row), style="bold" if column.heading == "Rating" else "")
                for column in shown
            )
        )
    console.print(table)


def _fitting(shown: list[Column], rows: Sequence[int], width: int) -> tuple[list[Column], int]:
    """Drop columns, those that give way first, until the list fits; and the room for names."""
    from rich.cells import cell_len

    def longest(column: Column) -> int:
        return max([cell_len(column.heading), *(cell_len(column.cell(row)) for row in rows)])

    def room() -> int:
        """What the other columns leave for names; two blanks part columns."""
        return width - sum(2 + longest(column) for column in shown if not column.left)

    names = max(longest(column) for column in shown if column.left)
    while room() < min(names, _NAME_WIDTH):
        droppable = [column for column in shown if column.gives_way]
        if not droppable:
            break
        shown.remove(min(droppable, key=lambda column: column.gives_way))
    return shown, max(room(), 4)
