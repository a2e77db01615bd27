"""Winning statistics: how often the weaker player wins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.grades import format_grade
from yardstone.reports.charts.winprob import curves_chart
from yardstone.reports.document import Column, Document, Lines, Picture, Section, Table
from yardstone.winprob.statistics import as_published

if TYPE_CHECKING:
    from yardstone.reports.document import Drawing
    from yardstone.winprob.statistics import WinningStatistics

__all__ = ["statistics_document"]


def statistics_document(statistics: WinningStatistics) -> Document:
    """The layout of the European Go Database for people, a row a cell for programs."""

    def draw() -> Drawing:
        return curves_chart(statistics, None, title="Measured win probability")

    return Document(
        "Winning statistics",
        sections=[
            Section(blocks=[Lines(as_published(statistics).splitlines(), exact=True)]),
            Section(blocks=[Picture(draw)]),
        ],
        records=_cells(statistics),
        drawing=draw,
    )


def _cells(statistics: WinningStatistics) -> Table:
    """A row a cell, those without games left out."""

    def count(value: float) -> float:
        return int(value) if value == int(value) else float(value)

    ratio = statistics.ratio()
    columns = [
        Column("grade", lambda cell: format_grade(statistics.grades[cell[0]])),
        Column("difference", lambda cell: int(statistics.differences[cell[1]]), kind="integer"),
        Column("wins", lambda cell: count(statistics.wins[cell]), kind="number"),
        Column("games", lambda cell: count(statistics.games[cell]), kind="number"),
        Column("ratio", lambda cell: float(ratio[cell]), kind="number"),
    ]
    return Table(columns, list(zip(*np.nonzero(statistics.games), strict=True)))
