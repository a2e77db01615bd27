"""`yardstone convert rating`: grades and ratings on other scales."""

from __future__ import annotations

from typing import Annotated

import typer

from yardstone.cli.output import TableOutput
from yardstone.cli.reading import report_skipped
from yardstone.errors import UsageError

__all__ = ["rating"]


def rating(
    ratings: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="RATINGS",
            help="Grades such as 2d or 12k, professional ranks such as 3p, or with --from ratings; "
            "with --column a CSV table, or - for standard input. Ratings below 0 stand last, "
            "after --.",
            show_default=False,
        ),
    ] = None,
    *,
    source: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="SCALE", help="Scale of numbers: egf, ogs, goldis, elo ... (--list)."
        ),
    ] = None,
    targets: Annotated[
        list[str] | None,
        typer.Option(
            "--to", metavar="SCALE", help="Scale to convert to. Repeatable. [default: all]"
        ),
    ] = None,
    column: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Convert this column of the table, and keep all its others."
        ),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Stop at a cell of the table that cannot be converted.")
    ] = False,
    list_: Annotated[
        bool, typer.Option("--list", help="List the scales, and how far each reaches.")
    ] = False,
    output: TableOutput,
) -> None:
    """Convert grades and ratings of Go to other scales.

    A grade stands for the middle of its stretch: 2d is 2150 to 2250 on the EGF's scale.
    How players of one site compare with those of another is a measurement, not a
    conversion: see `yardstone strength`.

    Examples
    --------
    yardstone convert rating 2d --to egf
    yardstone convert rating 1850 1700 --from egf --to ogs
    yardstone convert rating 4k 3p
    yardstone convert rating --list
    """
    from yardstone.reports import scales as reports
    from yardstone.scales import convert_column, convert_rating

    output.check()
    words, to = ratings or [], [name for each in targets or [] for name in each.split(",")]
    if list_:
        if words or source or to or column:
            raise UsageError("--list stands alone")
        output.emit(reports.scales_document())
        return
    if column is not None:
        if len(words) != 1:
            raise UsageError("--column takes one table")
        table = convert_column(words[0], column, source=source, targets=to, strict=strict)
        report_skipped(table.skipped)
        output.emit(reports.converted_column_document(table))
        return
    if not words:
        raise UsageError("give a grade such as 2d, or a rating and its scale: 1850 --from egf")
    output.emit(
        reports.converted_document(
            [convert_rating(word, source=source, targets=to) for word in words]
        )
    )
