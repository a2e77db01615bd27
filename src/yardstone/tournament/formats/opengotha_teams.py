"""The teams of OpenGotha's files: who plays on which board of which round."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from yardstone.errors import InputError
from yardstone.tournament.formats.xml_files import Element
from yardstone.tournament.rules import Team, TeamRules

if TYPE_CHECKING:
    from yardstone.tournament.model import Tournament

__all__ = ["read_team_rules", "read_teams", "team_elements"]

_MOST_BOARDS = 100


def read_teams(
    root: Element,
    player: Callable[[Element, str], int],
    number: Callable[[Element, str, str, int], int],
    rounds: int,
    skip: Callable[[InputError], None],
) -> tuple[Team, ...]:
    """The teams of a file.

    Parameters
    ----------
    root : Element
    player, number : callable
        Read an attribute that names a player, or is a number.
    rounds : int
    skip : callable
        Takes boards that cannot be read.
    """
    teams = []
    for place, element in enumerate(root.all("Team"), 1):
        lines: list[dict[int, int]] = [{} for _ in range(rounds)]
        for board in element.all("Board"):
            try:
                at = number(board, "boardNumber", "1", _MOST_BOARDS)
                who = player(board, "player")
                when = number(board, "roundNumber", "0", 10**6)
            except InputError as error:
                skip(error)
                continue
            for line in lines if when == 0 else lines[when - 1 : when]:
                line[max(at, 1)] = who
        lineups = [
            tuple(line.get(at, -1) for at in range(1, max(line, default=0) + 1)) for line in lines
        ]
        while len(lineups) > 1 and lineups[-1] == lineups[-2]:
            del lineups[-1]  # the last one holds for all later rounds
        teams.append(
            Team(
                name=element.attributes.get("teamName", "") or f"Team {place}",
                number=number(element, "teamNumber", str(place), 10**6),
                lineups=tuple(lineups),
            )
        )
    return tuple(teams)


def read_team_rules(root: Element, number: Callable[[Element, str, str, int], int]) -> TeamRules:
    """Boards of a match, and the criteria of the standings of teams."""
    size = 4
    for element in root.all("TeamGeneralParameterSet"):
        size = number(element, "teamSize", "4", _MOST_BOARDS)
    criteria = []
    for section in root.all("TeamPlacementParameterSet"):
        for place, element in enumerate(section.all("PlacementCriterion"), 1):
            name = element.attributes.get("name", "NULL").strip().upper()
            if name != "NULL":
                criteria.append((number(element, "number", str(place), 10**6), name))
    return TeamRules(size=max(size, 1), criteria=tuple(name for _, name in sorted(criteria)))


def team_elements(tournament: Tournament, key: Callable[[int], str]) -> list[Element]:
    """The elements of the teams; `key` gives the text that names a player."""
    made = []
    for place, team in enumerate(tournament.teams, 1):
        attributes = {"teamName": team.name, "teamNumber": str(team.number or place)}
        element = Element("Team", attributes)
        for when in range(1, max(tournament.rounds, 1) + 1):
            for at, who in enumerate(team.lineup(when), 1):
                if who >= 0:
                    texts = {"boardNumber": str(at), "player": key(who), "roundNumber": str(when)}
                    element.children.append(Element("Board", texts))
        made.append(element)
    return made
