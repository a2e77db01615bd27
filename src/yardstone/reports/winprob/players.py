"""The probability between two players, and between all grades."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.reports.charts.winprob import model_chart
from yardstone.reports.document import Column, Document, Picture, Section, Table
from yardstone.winprob.grades import format_grade

if TYPE_CHECKING:
    from yardstone.winprob.kaniuk import Kaniuk
    from yardstone.winprob.players import PairProbability

__all__ = ["figure_document", "grades_document", "pair_document"]

#: Grades of the table, and the largest difference in it.
LOWEST, HIGHEST, MOST = -20, 6, 9


def figure_document(model: Kaniuk, figure: str) -> Document:
    """A figure of the model, for a page and for ``--plot``."""

    def draw() -> Any:
        return model_chart(figure, model)

    return Document("Win probability", [], [Section(blocks=[Picture(draw)])], drawing=draw)


def pair_document(pair: PairProbability, model: Kaniuk, figure: str = "curves") -> Document:
    """How often one player beats another."""
    order = ("first", "second", "probability", "log_probability", "strength_gap")
    values = asdict(pair)
    names = dict.fromkeys([*order, *values])
    record = {name: values[name] for name in names if values[name] is not None}
    share = 100.0 * pair.probability
    per_cent = f"{share:.2f}" if 0.01 <= share <= 99.99 else f"{share:.6g}"
    picture = figure_document(model, figure)
    return Document(
        f"{pair.first} and {pair.second}",
        [f"{pair.first} beats {pair.second} in {per_cent} % of even games."],
        picture.sections,
        records=Table.of_record(record),
        plain=lambda: record,
        drawing=picture.drawing,
    )


def grades_document(model: Kaniuk, figure: str = "curves") -> Document:
    """Per cent that each grade wins against opponents 1, 2, ... grades stronger."""
    grades = np.arange(LOWEST, HIGHEST + 1)
    differences = np.arange(1, MOST + 1)
    chances = model.probability(grades[:, None] * 1.0, grades[:, None] + 1.0 * differences)

    def column(place: int) -> Column:
        show = lambda row: _per_cent(chances[row, place])  # noqa: E731
        heading = f"+{place + 1}"
        return Column("", lambda row: float(chances[row, place]), heading, "number", show=show)

    names = Column("", lambda row: format_grade(grades[row]), "grade")
    table = Table([names, *map(column, range(MOST))], range(len(grades)), noun="grade")
    cells = [(row, place) for row in range(len(grades)) for place in range(MOST)]
    records = Table(
        [
            Column("first", lambda cell: format_grade(grades[cell[0]])),
            Column("second", lambda cell: format_grade(grades[cell[0]] + cell[1] + 1)),
            Column("difference", lambda cell: cell[1] + 1, kind="integer"),
            Column("probability", lambda cell: float(chances[cell]), kind="number"),
        ],
        cells,
    )
    picture = figure_document(model, figure)
    return Document(
        "Win probability",
        ["Per cent of games won, by grades that the opponent is stronger"],
        [Section(blocks=[table]), *picture.sections],
        records=records,
        drawing=picture.drawing,
    )


def _per_cent(share: float) -> str:
    value = 100.0 * float(share)
    return f"{value:.1f}" if value >= 0.1 else f"{value:.0e}"
