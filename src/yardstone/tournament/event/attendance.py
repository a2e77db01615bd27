"""Who takes part in which round: withdrawals, absences, byes."""

from __future__ import annotations

from dataclasses import replace

from yardstone.tournament.event.changes import (
    EventChange,
    check_planned,
    next_round,
    refused,
    unchanged,
)
from yardstone.tournament.formats.opengotha_fields import LAST_ROUND
from yardstone.tournament.model import Bye, ByeKind, System, Tournament
from yardstone.tournament.notation import number_text

__all__ = ["give_bye", "rejoin", "take_bye_back", "withdraw"]


def withdraw(
    tournament: Tournament, player: int, round_number: int | None = None, *, only: bool = False
) -> EventChange:
    """A player (by number from 0) does not take part from a round on, or in it `only`.

    Parameters
    ----------
    tournament : Tournament
    player : int
    round_number : int, optional
        By default the first round without boards.
    only : bool
        Whether the player is back in the round after it.

    Raises
    ------
    InputError
        There is no such round, or the player has a game or a bye in it or later.
    """
    number = _round(tournament, round_number)
    who = tournament.players[player].full_name
    last = number if only else max(tournament.rounds, LAST_ROUND)
    for at in range(number, last + 1):
        bye = tournament.bye_of.get((at, player))
        if (at, player) in tournament.game_of or (bye and bye.kind is not ByeKind.zero):
            thing = "a game" if (at, player) in tournament.game_of else "the bye"
            raise refused(
                tournament,
                f"{who} has {thing} in round {at}",
                hint="enter the result as a forfeit, or take the boards of the round back",
            )
    absent = _absences(tournament, player) | frozenset(range(number, last + 1))
    when = f"in round {number}" if only else f"from round {number} on"
    return _attending(
        tournament,
        player,
        absent,
        done=f"{who} does not take part {when}: {_worth(tournament)}.",
        already=f"{who} is absent {when} already.",
    )


def rejoin(
    tournament: Tournament, player: int, round_number: int | None = None, *, only: bool = False
) -> EventChange:
    """A player takes part from a round on, by default from the first without boards.

    With `only` it is about that round, and later absences stay.
    """
    number = _round(tournament, round_number)
    who = tournament.players[player].full_name
    absent = _absences(tournament, player)
    kept = absent - {number} if only else frozenset(at for at in absent if at < number)
    when = f"in round {number}" if only else f"from round {number} on"
    return _attending(
        tournament,
        player,
        kept,
        done=f"{who} takes part {when}.",
        already=f"{who} takes part {when} already.",
    )


def give_bye(
    tournament: Tournament,
    player: int,
    round_number: int | None = None,
    *,
    replace_other: bool = False,
) -> EventChange:
    """Give a player (by number from 0) the bye of a round, before the round is paired or after.

    A file of OpenGotha has one bye a round.

    Parameters
    ----------
    tournament : Tournament
    player : int
    round_number : int, optional
        By default the first round without boards.
    replace_other : bool
        Whether the bye may be taken from another player.

    Raises
    ------
    InputError
        The player has a game or is absent, or another one has the bye.
    """
    number = _round(tournament, round_number)
    entry = tournament.players[player]
    if (number, player) in tournament.bye_of:
        return unchanged(tournament, f"{entry.full_name} has the bye of round {number} already.")
    if (number, player) in tournament.game_of:
        raise refused(tournament, f"{entry.full_name} has a game in round {number}")
    if not entry.takes_part(number):
        raise refused(tournament, f"{entry.full_name} does not take part in round {number}")
    others = [bye for bye in tournament.byes if bye.round == number]
    if others and not replace_other:
        holder = tournament.players[others[0].player].full_name
        raise refused(
            tournament,
            f"{holder} has the bye of round {number}, and a round has one",
            hint="replace it, or let the player be absent",
        )
    byes = tuple(bye for bye in tournament.byes if bye.round != number)
    made = replace(tournament, byes=(*byes, Bye(number, player, ByeKind.paired)))
    lines = [f"{entry.full_name} has the bye of round {number}."]
    lines += [
        f"{tournament.players[bye.player].full_name} has it no longer, and is to be paired."
        for bye in others
    ]
    return EventChange(tournament=made, lines=tuple(lines))


def take_bye_back(
    tournament: Tournament, player: int, round_number: int | None = None
) -> EventChange:
    """The player has no bye in the round, and is to be paired."""
    number = _round(tournament, round_number)
    who = tournament.players[player].full_name
    bye = tournament.bye_of.get((number, player))
    if bye is None:
        return unchanged(tournament, f"{who} has no bye in round {number}.")
    made = replace(tournament, byes=tuple(each for each in tournament.byes if each != bye))
    return EventChange(tournament=made, lines=(f"{who} has no bye in round {number} any more.",))


def _round(tournament: Tournament, round_number: int | None) -> int:
    number = next_round(tournament) if round_number is None else round_number
    if round_number is None and number > tournament.rounds:
        raise refused(tournament, "all rounds are paired", hint="name the round")
    check_planned(tournament, number)
    return number


def _attending(
    tournament: Tournament, player: int, absent: frozenset[int], *, done: str, already: str
) -> EventChange:
    entry = tournament.players[player]
    chess = tournament.discipline == "chess"
    if chess:
        absent = frozenset(at for at in absent if at <= tournament.rounds)
    if _absences(tournament, player) == absent:
        return unchanged(tournament, already)
    if chess:  # files of FIDE know byes alone
        byes = tuple(b for b in tournament.byes if b.player != player or b.kind is not ByeKind.zero)
        made = replace(tournament, byes=byes)
        for at in sorted(absent):
            made = made.with_absent({player}, at)
        return EventChange(tournament=made, lines=(done,))
    players = list(tournament.players)
    players[player] = replace(entry, absent=absent)
    return EventChange(tournament=replace(tournament, players=tuple(players)), lines=(done,))


def _absences(tournament: Tournament, player: int) -> frozenset[int]:
    """The rounds without the player: by the entry, or by byes of no points."""
    zero = {b.round for b in tournament.byes if b.player == player and b.kind is ByeKind.zero}
    return tournament.players[player].absent | zero


def _worth(tournament: Tournament) -> str:
    """What a round of absence brings."""
    rules = tournament.scoring
    mcmahon = tournament.system is System.mcmahon
    points = rules.score_absent if mcmahon else rules.wins_absent
    return f"{number_text(points)} {'point' if points in (0.5, 1) else 'points'} a round"
