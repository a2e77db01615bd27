"""`yardstone tournament check`: recorded rounds beside FIDE's rules."""

from __future__ import annotations

from typing import Annotated

import typer

from yardstone.cli.output import TableOutput
from yardstone.cli.tournament.file import TournamentFile

__all__ = ["check"]


def check(
    file: TournamentFile,
    *,
    round_number: Annotated[
        int | None,
        typer.Option("--round", min=1, metavar="NUMBER", help="This round only."),
    ] = None,
    output: TableOutput,
) -> None:
    """Check recorded rounds against FIDE's Dutch system.

    Each round is paired again from the state before it. Where the recorded boards differ,
    the first criterion that they meet worse is named.

    Examples
    --------
    yardstone tournament check swiss.trf
    yardstone tournament check swiss.trf --round 3 --format json
    """
    from yardstone.reports.tournament.dutch import check_document
    from yardstone.tournament.dutch import check_rounds

    output.check()
    checks = check_rounds(file.read(), round_number, progress=output.progress("rounds"))
    output.emit(check_document(checks))
