"""`yardstone tournament standings`."""

from __future__ import annotations

from typing import Annotated

import typer

from yardstone.cli.output import Format, TableOutput
from yardstone.cli.tournament.file import Criteria, TournamentFile, Unplayed
from yardstone.errors import UsageError

__all__ = ["standings"]


def standings(
    file: TournamentFile,
    output: TableOutput,
    *,
    round_number: Annotated[
        int | None,
        typer.Option(
            "--round",
            min=0,
            metavar="NUMBER",
            help="Show the standings after this round. [default: the last complete one]",
        ),
    ] = None,
    criteria: Criteria = None,
    unplayed: Unplayed = None,
    results: Annotated[
        bool, typer.Option(help="Show the results of each round (text and pages only).")
    ] = True,
    everybody: Annotated[
        bool, typer.Option("--everybody", help="Also list players without a game.")
    ] = False,
    teams: Annotated[
        bool, typer.Option("--teams", help="Rank the teams, with the boards of their matches.")
    ] = False,
    top: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="NUMBER", help="Show only this many players (text and pages only)."
        ),
    ] = None,
) -> None:
    """Show the standings after any round, by any criteria.

    Examples
    --------
    yardstone tournament standings open.xml --round 3
    yardstone tournament standings swiss.trf --criteria pts,bh-c1,sb -o standings.html
    yardstone tournament standings teams.xml --teams
    """
    from yardstone.reports.tournament.standings import standings_document
    from yardstone.tournament.standings_table import standings as standings_of

    output.check()
    if output.format not in (Format.text, Format.html) and (top is not None or not results):
        raise UsageError("--top and --no-results are for text and pages")
    tournament = file.read()
    if teams:
        from yardstone.reports.tournament.teams import team_standings_document
        from yardstone.tournament.teams import team_standings

        if everybody or unplayed is not None or top is not None:
            raise UsageError("--everybody, --unplayed and --top are for standings of players")
        ranked = team_standings(tournament, round_number=round_number, criteria=criteria)
        output.emit(team_standings_document(ranked, results=results))
        return
    table = standings_of(
        tournament,
        round_number=round_number,
        criteria=criteria,
        unplayed=unplayed,
        everybody=everybody,
    )
    output.emit(standings_document(table, results=results, top=top))
