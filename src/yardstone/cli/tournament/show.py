"""`yardstone tournament show`: what a file holds."""

from __future__ import annotations

from yardstone.cli.output import TableOutput
from yardstone.cli.tournament.file import TournamentFile

__all__ = ["show"]


def show(file: TournamentFile, output: TableOutput) -> None:
    """Summarise a tournament file: rounds, players, games and rules.

    Examples
    --------
    yardstone tournament show open.xml
    """
    from yardstone.reports.tournament.standings import tournament_document

    output.check()
    output.emit(tournament_document(file.read()))
