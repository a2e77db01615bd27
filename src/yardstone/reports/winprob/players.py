"""The probability between two players, and between all grades."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.grades import format_grade, parse_grades
from yardstone.reports.charts.winprob import model_chart
from yardstone.reports.document import Column, Document, Picture, Section, Table
from yardstone.reports.words import per_cent
from yardstone.winprob.scales import SCALES

if TYPE_CHECKING:
    from yardstone.winprob.model import WinningModel
    from yardstone.winprob.players import PairProbability

__all__ = ["figure_document", "grades_document", "pair_document"]

#: The largest difference in the table.
MOST = 9
#: From this difference on, a pairing in a tournament says that the weaker has won before.
_EARNED = 2.0


def figure_document(model: WinningModel, figure: str, level: float = 0.95) -> Document:
    """A figure of the model, for a page and for ``--plot``."""

    def draw() -> Any:
        return model_chart(figure, model, level)

    return Document("Win probability", [], [Section(blocks=[Picture(draw)])], drawing=draw)


def pair_document(pair: PairProbability, figure: str = "curves") -> Document:
    """How often one player beats another."""
    interval = ""
    if pair.low is not None and pair.high is not None:
        of_event = "" if pair.average is None else " for one event"
        interval = f"{per_cent(pair.level)}{of_event}: {_share(pair.low)} to {_share(pair.high)}"
        if pair.average is not None:
            low, high = pair.average
            interval += f"; average over events: {_share(low)} to {_share(high)}"
        interval = f" ({interval})"
    digits = 2 if pair.low is None else 1
    lines = [
        f"{pair.first} beats {pair.second} in {_share(pair.probability, digits)} % of "
        f"{_games(pair.model, pair.handicap, pair.komi)}{interval}."
    ]
    if pair.handicap or pair.komi is not None:
        lines.append(f"{pair.first if pair.first_is_black else pair.second} is Black.")
    if pair.average is not None and not pair.handicap:
        lines += _tournament_lines(pair)
    lines += _model_lines(pair.model, interval=pair.low is not None)
    if pair.extrapolated:
        lines.append(f"Beyond what that was made for: {_reach(pair.model)}.")
    record = {
        "first": pair.first,
        "second": pair.second,
        "probability": pair.probability,
        "low": pair.low,
        "high": pair.high,
        "average_low": None if pair.average is None else pair.average[0],
        "average_high": None if pair.average is None else pair.average[1],
        "level": None if pair.low is None else pair.level,
        "first_grade": pair.first_grade,
        "second_grade": pair.second_grade,
        "handicap": pair.handicap,
        "komi": pair.komi,
        "black": "first" if pair.first_is_black else "second",
        "model": pair.model.name,
        "about": pair.model.about,
        "extrapolated": pair.extrapolated,
    }
    if pair.model.scale == "points":
        record["first_rating"] = record.pop("first_grade")
        record["second_rating"] = record.pop("second_grade")
        return Document(
            f"{pair.first} and {pair.second}",
            lines,
            records=Table.of_record(record),
            plain=lambda: record,
        )
    picture = figure_document(pair.model, figure, pair.level)
    return Document(
        f"{pair.first} and {pair.second}",
        lines,
        picture.sections,
        records=Table.of_record(record),
        plain=lambda: record,
        drawing=picture.drawing,
    )


def _tournament_lines(pair: PairProbability) -> list[str]:
    """Return what a pairing in a tournament says beyond the grades."""
    lines = []
    if abs(pair.first_grade - pair.second_grade) >= _EARNED:
        lines.append(
            "A player who meets a much stronger one in a tournament has usually earned it by "
            "winning: such games are won more often than those of any two players of these grades."
        )
    if not np.isnan(parse_grades([pair.first, pair.second])).any():
        lines.append("Where you know the ratings of both, give them: they say more (--scale egf).")
    return lines


def _model_lines(model: WinningModel, *, interval: bool) -> list[str]:
    """What model it is, and why it has no interval if it has none."""
    lines = [f"By the model {model.name}: {model.about}."]
    if not interval:
        lines.append(f"No interval: {model.no_interval}.")
    return lines


def _games(model: WinningModel, handicap: float, komi: float | None) -> str:
    """What games, in words."""
    if model.scale == "points":
        return "games that are not drawn"
    points = "" if komi is None else f"komi {komi:g}"
    if not handicap:
        return f"even games at {points}" if points else "even games"
    if handicap == 1:
        return f"games at {points}" if points else "games without komi"
    stones = f"games with {handicap:g} stones"
    return f"{stones} and {points}" if points else stones


def _reach(model: WinningModel) -> str:
    """The grades and differences that a model was made for, in words."""
    words = f"{format_grade(model.lowest)} to {format_grade(model.highest)}"
    if np.isfinite(model.apart):
        words += f", up to {model.apart:g} grades apart"
    return words


def grades_document(
    model: WinningModel,
    figure: str = "curves",
    *,
    handicap: float = 0.0,
    komi: float | None = None,
    level: float = 0.95,
) -> Document:
    """Per cent that each grade wins against opponents 1, 2, ... grades stronger.

    With stones the weaker, whose row it is, has them.
    """
    lowest, highest = SCALES["grade"].lowest, SCALES["grade"].highest
    grades = np.arange(lowest, highest)
    differences = np.arange(1.0, MOST + 1)
    one, two = np.broadcast_arrays(grades[:, None], grades[:, None] + differences)
    inside = two <= highest
    p = model.probability(one, two, handicap=handicap, komi=komi)
    ends = model.interval(one, two, handicap=handicap, komi=komi, level=level)

    def column(place: int) -> Column:
        def show(row: tuple[int, bool]) -> str:
            at = row[0], place
            if not inside[at]:
                return ""
            if not row[1]:
                return _share(p[at])
            assert ends is not None
            return f"{_whole(ends[0][at])}-{_whole(ends[1][at])}"

        return Column("", lambda row: float(p[row[0], place]), f"+{place + 1}", "number", show=show)

    rows = [
        (row, second)
        for row in range(len(grades))
        for second in ((False,) if ends is None else (False, True))
    ]
    names = Column("", lambda row: "" if row[1] else format_grade(grades[row[0]]), "grade")
    table = Table([names, *map(column, range(MOST))], rows, noun="grade")
    cells = [
        (row, place) for row in range(len(grades)) for place in range(MOST) if inside[row, place]
    ]
    columns = [
        Column("first", lambda cell: format_grade(one[cell])),
        Column("second", lambda cell: format_grade(two[cell])),
        Column("difference", lambda cell: cell[1] + 1, kind="integer"),
        Column("probability", lambda cell: float(p[cell]), kind="number"),
    ]
    if ends is not None:
        columns += [
            Column("low", lambda cell: float(ends[0][cell]), kind="number"),
            Column("high", lambda cell: float(ends[1][cell]), kind="number"),
        ]
    picture = figure_document(model, figure, level)
    of_event = " for one event" if model.of_events else ""
    below = "" if ends is None else f"; below it the {per_cent(level)} interval{of_event}"
    return Document(
        "Win probability",
        [
            f"Per cent of {_games(model, handicap, komi)} won by Black, by grades that White is "
            f"stronger{below}",
            *_model_lines(model, interval=ends is not None),
            f"That was made for {_reach(model)}.",
        ],
        [Section(blocks=[table]), *picture.sections],
        records=Table(columns, cells),
        drawing=picture.drawing,
    )


def _share(share: float, digits: int = 1) -> str:
    """Per cent with a digit or two, or as many as tell it from 0 and 100."""
    value = 100.0 * float(share)
    least = 0.5 * 10.0**-digits
    if least <= value <= 100.0 - least:
        return f"{value:.{digits}f}"
    return f"{value:.2g}" if value < 50.0 else f"{value:.10g}" if value == 100.0 else "over 99.9"


def _whole(share: float) -> str:
    return f"{100.0 * float(share):.0f}"
