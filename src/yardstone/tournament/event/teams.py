"""The teams of an event: who plays for which, on which board."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from yardstone.tournament.event.changes import (
    EventChange,
    check_planned,
    next_round,
    refused,
    unchanged,
)
from yardstone.tournament.model import Tournament
from yardstone.tournament.rules import Team

__all__ = ["find_team", "remove_team", "set_team"]


def find_team(tournament: Tournament, name: str) -> Team:
    """The team of a name, whatever its capitals.

    Raises
    ------
    InputError
        There is none.
    """
    team = _team(tournament, name)
    if team is None:
        names = ", ".join(each.name for each in tournament.teams)
        raise refused(
            tournament,
            f"there is no team {name!r}",
            hint=f"teams are {names}" if names else "no team is entered",
        )
    return team


def set_team(
    tournament: Tournament,
    name: str,
    players: Sequence[int],
    round_number: int | None = None,
    *,
    boards: int | None = None,
) -> EventChange:
    """Enter a team, or another line-up of it from a round on.

    Parameters
    ----------
    tournament : Tournament
    name : str
    players : sequence of int
        Players by number from 0, the first board first; more than boards are reserves.
    round_number : int, optional
        From which the line-up holds; by default from the first round without boards.
    boards : int, optional
        Boards of a match; by default as many as the first team has players.

    Raises
    ------
    InputError
        The round has been paired, a player is named twice or plays for another team, or a
        match would have no boards.
    """
    name = " ".join(name.split())
    first = next_round(tournament) if round_number is None else round_number
    check_planned(tournament, first)
    for number in range(first, tournament.rounds + 1):
        if tournament.round_games(number):
            raise refused(
                tournament,
                f"round {number} has been paired",
                hint="a line-up can hold from a later round on",
            )
    if not name or not players:
        raise refused(tournament, "a team has a name and players")
    if len(set(players)) < len(players):
        raise refused(tournament, f"{name} names a player twice")
    old = _team(tournament, name)
    for other in tournament.teams:
        if other is not old and (both := set(players) & set(other.everybody())):
            who = tournament.players[min(both)].full_name
            raise refused(tournament, f"{who} plays for {other.name}")
    if boards is not None and boards < 1:
        raise refused(tournament, "a match has one board at least")
    size = boards or (tournament.team_rules.size if tournament.teams else len(players))
    before = [() if old is None else old.lineup(number) for number in range(1, first)]
    lineups = _shortened([*before, tuple(players)])
    team = (
        Team(name=name, number=1 + max((t.number for t in tournament.teams), default=0),
             lineups=lineups)
        if old is None
        else replace(old, lineups=lineups)
    )  # fmt: skip
    if team == old and size == tournament.team_rules.size:
        return unchanged(tournament, f"{old.name} is entered so already.")
    teams = tuple(team if each is old else each for each in tournament.teams)
    made = replace(
        tournament,
        teams=teams if old is not None else (*teams, team),
        team_rules=replace(tournament.team_rules, size=size),
    )
    names = ", ".join(tournament.players[row].full_name for row in players)
    since = f" from round {first} on" if first > 1 else ""
    return EventChange(
        tournament=made,
        lines=(
            f"{team.name}{since}: {names}.",
            f"{len(made.teams)} {'team is' if len(made.teams) == 1 else 'teams are'} entered; "
            f"a match has {size} {'board' if size == 1 else 'boards'}.",
        ),
    )


def remove_team(tournament: Tournament, name: str) -> EventChange:
    """Take out a team that has not played; its players stay.

    Raises
    ------
    InputError
        There is no such team, or it has played.
    """
    team = find_team(tournament, name)
    members = set(team.everybody())
    played = [g.round for g in tournament.games if g.first in members or g.second in members]
    if played:
        raise refused(tournament, f"{team.name} has played in round {min(played)}")
    teams = tuple(each for each in tournament.teams if each is not team)
    return EventChange(
        tournament=replace(tournament, teams=teams),
        lines=(f"{team.name} is taken out; its players stay.",),
    )


def _team(tournament: Tournament, name: str) -> Team | None:
    plain = " ".join(name.split()).casefold()
    return next((team for team in tournament.teams if team.name.casefold() == plain), None)


def _shortened(lineups: list[tuple[int, ...]]) -> tuple[tuple[int, ...], ...]:
    """Line-ups by rounds, of which the last holds for all later ones."""
    while len(lineups) > 1 and lineups[-1] == lineups[-2]:
        del lineups[-1]
    return tuple(lineups)
