"""Converted grades and ratings, and the scales there are, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from yardstone.grades import format_grade
from yardstone.reports.document import UNKNOWN, Column, Document, Section, Table
from yardstone.reports.words import picked
from yardstone.winprob.scales import SCALES, ConvertedColumn, ConvertedRating, Scale


def converted_document(ratings: Sequence[ConvertedRating]) -> Document:
    """Ratings on other scales, a row a rating."""
    targets = tuple(ratings[0].values)
    columns = [
        Column("rating", "text", "Rating"),
        Column("from", "source", "From"),
        Column("grade", "rank", "Grade"),
        *_columns(targets, lambda each: each),
    ]
    table = Table(columns, ratings, noun="rating")
    return replace(_document(table), plain=lambda: list(map(_plain, ratings)))


def _document(table: Table, title: str = "Ratings on other scales") -> Document:
    return Document(title, (), [Section(blocks=[table])], table)


def converted_column_document(table: ConvertedColumn) -> Document:
    """A table with further columns: the converted values of one of its own."""

    def cell(place: int) -> Any:
        return lambda row: table.rows[row][place]

    own = [Column(name, cell(at), name or " ", left=True) for at, name in enumerate(table.names)]
    added = [
        Column(
            f"{table.column}_grade",
            lambda row: None if (each := table.converted[row]) is None else each.rank,
            "Grade",
        ),
        *_columns(table.targets, lambda row: table.converted[row], prefix=f"{table.column}_"),
    ]
    return _document(Table([*own, *added], range(len(table))))


def scales_document() -> Document:
    """The scales there are: from where to where they reach, and where they are from."""

    def end(name: str) -> Any:
        return lambda scale: float(scale.from_grade(getattr(scale, name)))

    def span(scale: Scale) -> str:
        grades = f"{format_grade(scale.lowest)} to {format_grade(scale.highest)}"
        if scale.name == "grade":
            return grades
        return f"{grades} ({end('lowest')(scale):.0f} to {end('highest')(scale):.0f})"

    columns = [
        Column("scale", "name", "Scale", strong=True),
        Column("", span, "From, to"),
        Column("formula", heading="g: grade, 1d is 0"),
        Column("source", heading="Source", gives_way=1),
        Column("lowest_grade", lambda scale: format_grade(scale.lowest)),
        Column("highest_grade", lambda scale: format_grade(scale.highest)),
        Column("lowest", end("lowest"), kind="number"),
        Column("highest", end("highest"), kind="number"),
    ]
    return _document(Table(columns, list(SCALES.values()), noun="scale"), "Scales")


def _columns(targets: Sequence[str], of: Any, *, prefix: str = "") -> list[Column]:
    """A column for each scale, and for files the stretch of the grade on it.

    `of` gives the `ConvertedRating` of a row, or None. With one scale people read the
    stretch as well.
    """

    def value(name: str) -> Any:
        return lambda row: None if (each := of(row)) is None else each.values[name]

    def ends(row: Any, name: str) -> tuple[float, float] | None:
        each = of(row)
        return None if each is None else each.stretches[name]

    def stretch(name: str, side: int) -> Any:
        return lambda row: None if (both := ends(row, name)) is None else both[side]

    def reach(row: Any) -> str:
        both = ends(row, targets[0])
        return UNKNOWN if both is None else f"{both[0]:.0f} to {both[1]:.0f}"

    columns = []
    for name in targets:
        if name == "grade":
            columns.append(Column(f"{prefix}{name}", value(name), name, "number", ".2f"))
            continue
        columns.append(Column(f"{prefix}{name}", value(name), name, "number", ".0f"))
        if len(targets) == 1:
            columns.append(Column("", reach, "The grade's range"))
        for side, end in enumerate(("low", "high")):
            columns.append(Column(f"{prefix}{name}_{end}", stretch(name, side), kind="number"))
    return columns


def _plain(rating: ConvertedRating) -> dict[str, Any]:
    plain = picked(rating, "rating=text", "from=source", "grade=rank", "strength")
    return plain | {"values": dict(rating.values), "ranges": dict(rating.stretches)}
