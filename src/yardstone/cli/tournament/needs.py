"""`yardstone tournament needs`: which results of the last round lead to which place."""

from __future__ import annotations

from typing import Annotated

import typer

from yardstone.cli.output import TableOutput
from yardstone.cli.tournament.file import Criteria, TournamentFile, Unplayed, Win
from yardstone.errors import InputError

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
    win: Win = None,
    draw_rate: Annotated[
        float,
        typer.Option(
            metavar="RATE", help="With --win elo: draw rate of equal players, for chances."
        ),
    ] = 0.0,
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

    Combinations of results are counted; beside them stand the chances by a model of winning,
    from the entry list and the rounds so far.

    Examples
    --------
    yardstone tournament needs open.xml 'Claes Wim' --place 3
    """
    from yardstone.reports.tournament.last_round import last_round_document
    from yardstone.tournament.last_round import last_round_needs, place_chances

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
    chances, reason = None, ""
    if result.exact:
        try:
            chances = place_chances(tournament, result, win=win, draw_rate=draw_rate)
        except InputError as error:
            reason = str(error)
    else:
        reason = "too many combinations; `yardstone tournament simulate` has them"
    output.emit(last_round_document(tournament, result, chances, no_chances=reason))
