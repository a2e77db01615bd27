"""Converted grades and ratings, and the scales there are, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from yardstone.grades import format_grade
from yardstone.reports.document import UNKNOWN, Column, Document, Section, Table, reader
from yardstone.reports.words import picked
from yardstone.winprob.scales import SCALES, ConvertedColumn, ConvertedRating, Scale


def converted_document(ratings: Sequence[ConvertedRating]) -> Document:
    """Ratings on other scales, a row a rating."""
    targets = tuple(ratings[0].values)
    columns = [
        Column("rating", "text", "Rating"),
        Column("from", "source", "From"),
        Column("grade", "rank", "Grade"),
        *_columns(targets),
    ]
    table = Table(columns, ratings, noun="rating")

    def plain(rating: ConvertedRating) -> dict[str, Any]:
        own = picked(rating, "rating=text", "from=source", "grade=rank", "strength")
        return own | {"values": dict(rating.values), "ranges": dict(rating.stretches)}

    return replace(_document(table), plain=lambda: list(map(plain, ratings)))


def _document(table: Table, title: str = "Ratings on other scales") -> Document:
    return Document(title, (), [Section(blocks=[table])], table)


def converted_column_document(table: ConvertedColumn) -> Document:
    """A table with further columns: the converted values of one of its own."""
    names = enumerate(table.names)
    own = [Column(name, f"0.{place}", name or " ", left=True) for place, name in names]
    grade = Column(f"{table.column}_grade", "1.rank", "Grade")
    columns = [*own, grade, *_columns(table.targets, "1.", f"{table.column}_")]
    return _document(Table(columns, list(zip(table.rows, table.converted, strict=True))))


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


def _columns(targets: Sequence[str], path: str = "", prefix: str = "") -> list[Column]:
    """A column for each scale of the rating at `path`, for files with the stretch of the grade."""
    stretch = reader(f"{path}stretches.{targets[0]}")

    def reach(row: Any) -> str:
        both = stretch(row)
        return UNKNOWN if both is None else f"{both[0]:.0f} to {both[1]:.0f}"

    columns = []
    for name in targets:
        form = ".2f" if name == "grade" else ".0f"
        columns.append(Column(f"{prefix}{name}", f"{path}values.{name}", name, "number", form))
        if name == "grade":
            continue
        if len(targets) == 1:
            columns.append(Column("", reach, "The grade's range"))
        ends = enumerate(("low", "high"))
        paths = (f"{prefix}{name}_{end}={path}stretches.{name}.{side}" for side, end in ends)
        columns += Column.files(*paths)
    return columns
