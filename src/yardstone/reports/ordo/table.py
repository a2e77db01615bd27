"""Ordo's list of ratings, as text and as comma separated values."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from yardstone.ratings.result import Status
from yardstone.reports.ordo.columns import COLUMNS, DEFAULT_COLUMNS, ERROR_COLUMN
from yardstone.reports.ordo.list import SYMBOLS, OpponentSummary, OrdoList, Row
from yardstone.reports.ordo.text import display_width, fixed, name_width, pad, rounded

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["TableFormat", "ratings_csv", "ratings_text"]

#: A deviation at most this large is shown as unknown.
_NO_DEVIATION = 1e-8
#: How that looks; in a narrow column it sticks out.
_UNKNOWN_ERROR = "  ----"


@dataclass(frozen=True, kw_only=True)
class TableFormat:
    """What the list shows.

    Attributes
    ----------
    columns : tuple of int
        Numbers of the columns, in order.
    decimals, score_decimals : int
        Of ratings and errors; of percentages.
    headers : dict of int to (header, width)
        Columns that differ from `COLUMNS`.
    simulated : bool
        Whether there are simulated errors to show.
    """

    columns: tuple[int, ...] = DEFAULT_COLUMNS
    decimals: int = 1
    score_decimals: int = 0
    headers: dict[int, tuple[str, int]] = field(default_factory=dict)
    simulated: bool = False

    def header(self, column: int) -> tuple[str, int]:
        """Header and least width of a column."""
        return self.headers.get(column, COLUMNS[column])


def _error(
    deviation: NDArray[np.float64] | None, player: int, factor: float, decimals: int
) -> str | None:
    if deviation is None or not deviation[player] > _NO_DEVIATION:
        return None
    return fixed(rounded(float(deviation[player]) * factor, decimals), decimals)


class _Cells:
    """The entries of both forms of the list."""

    def __init__(self, listed: OrdoList, shape: TableFormat) -> None:
        self.listed = listed
        self.shape = shape

    @cached_property
    def opponents(self) -> OpponentSummary:
        """Only some columns ask for it, and it takes longer than the fit."""
        return OpponentSummary.of(self.listed)

    def common(self, row: Row, column: int) -> str | None:
        """An entry that both forms write alike; None if unknown."""
        listed, player = self.listed, row.player
        factor, decimals = listed.confidence_factor, self.shape.decimals
        match column:
            case 2:
                return _error(listed.deviation, player, factor, decimals)
            case 4:
                return f"{listed.games[player]:.0f}"
            case 7 | 8 | 9:
                return f"{listed.totals[player, column - 7]:.0f}"
            case 11:
                return fixed(float(self.opponents.rating[player]), decimals)
            case 12:
                known = self.opponents.deviation if listed.deviation is not None else None
                return _error(known, player, factor, decimals)
            case 13:
                return f"{self.opponents.number[player]}"
            case 14:
                return fixed(float(self.opponents.diversity[player]), 1)
        raise AssertionError(column)

    def draw_percent(self, player: int) -> float:
        games = float(self.listed.games[player])
        return 100.0 * float(self.listed.totals[player, 1]) / games if games else 0.0

    def text(self, row: Row, column: int) -> str:
        """An entry of the text form."""
        listed, shape, player = self.listed, self.shape, row.player
        match column:
            case 1:
                return fixed(rounded(float(listed.rating[player]), shape.decimals), shape.decimals)
            case 3:
                return fixed(float(listed.points[player]), 1)
            case 5:
                return fixed(listed.score_percent(player), shape.score_decimals)
            case 6:
                return "---" if row.superiority is None else fixed(row.superiority, 0)
            case 10:
                return fixed(self.draw_percent(player), shape.score_decimals)
        known = self.common(row, column)
        return _UNKNOWN_ERROR if known is None else known

    def csv(self, row: Row, column: int) -> str:
        """An entry of the comma separated form."""
        listed, shape, player = self.listed, self.shape, row.player
        match column:
            case 0:
                return f'{row.rank},"{listed.names[player]}"'
            case 1:
                return fixed(float(listed.rating[player]), shape.decimals)
            case 3:
                return fixed(float(listed.points[player]), 2)
            case 5:
                return fixed(listed.score_percent(player), 2)
            case 6:
                return '"-"' if row.superiority is None else fixed(row.superiority, 0)
            case 10:
                return fixed(self.draw_percent(player), 1)
        known = self.common(row, column)
        return '"-"' if known is None else known


def ratings_text(listed: OrdoList, rows: Sequence[Row], shape: TableFormat) -> str:
    """The list as text, with the first-move advantage and the draw rate below it."""
    columns = list(shape.columns)
    if not shape.simulated and ERROR_COLUMN in columns:
        columns.remove(ERROR_COLUMN)
    cells = _Cells(listed, shape)
    names = name_width(listed.names[row.player] for row in rows)
    names = max(names, display_width(shape.header(0)[0]))
    header = ""
    body = [""] * len(rows)
    for column in columns:
        title, width = shape.header(column)
        if column == 0:
            header += f"\n{'#':>4} {pad(title, names)}    :"
            for line, row in enumerate(rows):
                rank = str(row.rank) if row.ranked else ""
                symbol = SYMBOLS[Status(listed.status[row.player])]
                body[line] += f"{rank:>4} {pad(listed.names[row.player], names + 1)} {symbol} :"
            continue
        entries = [cells.text(row, column) for row in rows]
        widest = max([display_width(title.strip()), *(len(entry.strip()) for entry in entries)])
        width = max(width, widest + 1)
        header += " " + pad(title, width, right=True)
        for line, entry in enumerate(entries):
            body[line] += f" {entry:>{width}}"
    return "\n".join([header, *body, "", *_parameter_lines(listed, shape), "\n"])


def _parameter_lines(listed: OrdoList, shape: TableFormat) -> list[str]:
    """The first-move advantage and the draw rate."""
    advantage, rate = listed.first_advantage, listed.draw_rate
    first = f"White advantage = {fixed(advantage.value, 2)}"
    second = f"Draw rate (equal opponents) = {fixed(100.0 * rate.value, 2)} %"
    if shape.simulated:
        factor = listed.confidence_factor
        first += f" +/- {fixed(advantage.deviation * factor, 2)}"
        second += f" +/- {fixed(100.0 * rate.deviation * factor, 2)}"
    return [first, second]


def ratings_csv(listed: OrdoList, rows: Sequence[Row], shape: TableFormat) -> str:
    """The list as comma separated values."""
    cells = _Cells(listed, shape)

    def joined(entries: list[str]) -> str:
        # Every entry but that of column 0 brings its comma along.
        return "".join(
            entry if column == 0 else f",{entry}"
            for column, entry in zip(shape.columns, entries, strict=True)
        )

    titles = [f'"{shape.header(column)[0]}"' for column in shape.columns]
    titles = [
        f'"#",{title}' if column == 0 else title
        for column, title in zip(shape.columns, titles, strict=True)
    ]
    lines = [joined(titles)]
    lines.extend(joined([cells.csv(row, column) for column in shape.columns]) for row in rows)
    return "\n".join(lines) + "\n"
