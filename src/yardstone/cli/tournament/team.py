"""`yardstone tournament team`: teams entered, changed and listed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from yardstone.cli.tournament.steps import EventFile, step
from yardstone.errors import UsageError

if TYPE_CHECKING:
    from yardstone.tournament.model import Tournament

__all__ = ["team"]


def team(
    file: EventFile,
    *,
    name: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Name of the team.", show_default=False)
    ] = None,
    players: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,…", help="Its players, the first board first.", show_default=False
        ),
    ] = None,
    round_number: Annotated[
        int | None,
        typer.Option(
            "--round",
            min=1,
            metavar="NUMBER",
            help="Round from which they play. [default: the first without boards]",
            show_default=False,
        ),
    ] = None,
    boards: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=100,
            metavar="NUMBER",
            help="Boards of a match. [default: the players of the first team]",
            show_default=False,
        ),
    ] = None,
    remove: Annotated[
        bool, typer.Option("--remove", help="Take the team out; its players stay.")
    ] = False,
) -> None:
    """Enter a team, or another line-up of it; without options list them.

    Players are entered before, with `enter`. Line-ups hold until another one is given; more
    players than boards are reserves.

    Examples
    --------
    yardstone tournament team teams.xml --name Otters --players 'Berg Olav,Costa Ines,Kral Filip'
    yardstone tournament team teams.xml
    """
    from yardstone.tournament.event.teams import remove_team, set_team
    from yardstone.tournament.files import read_tournament

    if name is None:
        if players is not None or round_number is not None or boards is not None or remove:
            raise UsageError("say which team: --name")
        print("\n".join(_listed(read_tournament(file))))
    elif remove:
        if players is not None or round_number is not None or boards is not None:
            raise UsageError("--remove goes with --name alone")
        step(file, lambda t: remove_team(t, name))
    elif players is None:
        raise UsageError("say who plays: --players 'A,B,C', the first board first")
    else:
        words = [word.strip() for word in players.replace(";", ",").split(",") if word.strip()]
        step(
            file,
            lambda t: set_team(
                t, name, [t.find(word) for word in words], round_number, boards=boards
            ),
        )


def _listed(tournament: Tournament) -> list[str]:
    lines = []
    for each in tournament.teams:
        last = ""
        for number, lineup in enumerate(each.lineups, 1):
            names = [tournament.players[row].full_name if row >= 0 else "nobody" for row in lineup]
            since = f" from round {number} on" if number > 1 else ""
            if names and ", ".join(names) != last:
                last = ", ".join(names)
                lines.append(f"{each.name}{since}: {last}")
    return lines or ["No teams."]
