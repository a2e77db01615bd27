"""`yardstone tournament ratings`: rating changes before they are published."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from yardstone.cli.output import TableOutput
from yardstone.cli.tournament.file import TournamentFile
from yardstone.errors import UsageError

__all__ = ["ratings"]


def ratings(
    file: TournamentFile,
    output: TableOutput,
    *,
    system: Annotated[
        Literal["egf", "egf-old", "fide"] | None,
        typer.Option(
            help="Rating system. [default: the EGF's for Go, FIDE's for chess]",
        ),
    ] = None,
    weight: Annotated[
        str | None,
        typer.Option(
            "--class",
            metavar="CLASS",
            help="Class A to D of the tournament, or a weight. [default: by the time limits]",
        ),
    ] = None,
    k: Annotated[
        float | None,
        typer.Option("-k", min=0.0, metavar="K", help="K of all players, for FIDE's system."),
    ] = None,
) -> None:
    """Compute the rating changes before they are published.

    Examples
    --------
    yardstone tournament ratings open.xml
    yardstone tournament ratings open.xml --class B --format csv -o changes.csv
    """
    from yardstone.reports.tournament.rating_changes import changes_document
    from yardstone.tournament.rating_change import rating_changes

    output.check()
    tournament = file.read()
    chess = system == "fide" or (system is None and tournament.discipline == "chess")
    if (k is not None and not chess) or (weight is not None and chess):
        raise UsageError("-k is for FIDE's system, --class for the EGF's")
    changes = rating_changes(tournament, system=system, weight=weight, k=k)
    output.emit(changes_document(tournament, changes))
