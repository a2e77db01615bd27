"""`yardstone tournament needs`: which results of the last round lead to which place."""

from __future__ import annotations

from typing import Annotated

import typer

from yardstone.cli.output import TableOutput
from yardstone.cli.tournament.file import Criteria, TournamentFile, Unplayed

__all__ = ["needs"]


def needs(
    file: TournamentFile,
    output: TableOutput,
    *,
    player: Annotated[
        str,
        typer.Argument(
            metavar="PLAYER", help="Player's name, its beginning, or number.", show_default=False
        ),
    ],
    place: Annotated[int, typer.Option(min=1, metavar="NUMBER", help="Place to reach.")] = 1,
    criteria: Criteria = None,
    draws: Annotated[
        bool | None,
        typer.Option(
            "--draws/--no-draws",
            help="Allow draws. [default: in chess, or with a whole komi]",
        ),
    ] = None,
    limit: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="NUMBER",
            help="Try at most this many combinations of results; beyond, give bounds.",
        ),
    ] = 4096,
    unplayed: Unplayed = None,
) -> None:
    """Show what a player needs in the last round to reach a place.

    Examples
    --------
    yardstone tournament needs open.xml 'Claes Wim' --place 3
    """
    from yardstone.reports.tournament.last_round import last_round_document
    from yardstone.tournament.last_round import last_round_needs

    output.check()
    tournament = file.read()
    result = last_round_needs(
        tournament,
        tournament.find(player),
        place=place,
        criteria=criteria,
        draws=draws,
        limit=limit,
        unplayed=unplayed,
        progress=output.progress("Combinations"),
    )
    output.emit(last_round_document(tournament, result))
