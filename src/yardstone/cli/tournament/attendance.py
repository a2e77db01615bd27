"""`yardstone tournament withdraw` and `bye`: who takes part in which round."""

from __future__ import annotations

from typing import Annotated

import typer

from yardstone.cli.tournament.steps import EventFile, RoundOption, step
from yardstone.errors import UsageError

__all__ = ["bye", "withdraw"]

PlayerArgument = Annotated[
    str,
    typer.Argument(
        metavar="PLAYER", help="Player's name, its beginning, or number.", show_default=False
    ),
]


def withdraw(
    file: EventFile,
    *,
    player: PlayerArgument,
    round_number: RoundOption = None,
    only: Annotated[
        bool, typer.Option("--only", help="Absent in this round alone, back after it.")
    ] = False,
    back: Annotated[
        bool, typer.Option("--back", help="Take part again from this round on.")
    ] = False,
    delete: Annotated[
        bool, typer.Option("--delete", help="Take out an entry that was never paired.")
    ] = False,
) -> None:
    """Withdraw a player from a round on, or for one round.

    Rounds of absence score what the tournament gives for them. A player who has a game in
    the round loses it by a forfeit: enter that with `result`.

    Examples
    --------
    yardstone tournament withdraw open.xml Moreau --round 5 --back
    """
    from yardstone.tournament.event.attendance import rejoin
    from yardstone.tournament.event.attendance import withdraw as withdrawn
    from yardstone.tournament.event.entries import remove_player

    if only + back + delete > 1 or (delete and round_number is not None):
        raise UsageError("--only, --back and --delete exclude each other; --delete has no round")
    if delete:
        step(file, lambda t: remove_player(t, t.find(player)))
    elif back:
        step(file, lambda t: rejoin(t, t.find(player), round_number))
    else:
        step(file, lambda t: withdrawn(t, t.find(player), round_number, only=only))


def bye(
    file: EventFile,
    *,
    player: PlayerArgument,
    round_number: RoundOption = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Take the bye from another player.")
    ] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Take this player's bye back.")] = False,
) -> None:
    """Give a player the bye of a round, before the others are paired.

    A round has one bye in OpenGotha's files; it scores what the tournament gives for it,
    usually a point. For a round off see `withdraw --only`.

    Examples
    --------
    yardstone tournament bye open.xml Jensen --round 5
    """
    from yardstone.tournament.event.attendance import give_bye, take_bye_back

    if remove and replace:
        raise UsageError("--remove and --replace exclude each other")
    if remove:
        step(file, lambda t: take_bye_back(t, t.find(player), round_number))
    else:
        step(file, lambda t: give_bye(t, t.find(player), round_number, replace_other=replace))
