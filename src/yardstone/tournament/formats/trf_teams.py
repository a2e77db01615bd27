"""Teams in report files: lines 013, a name and the starting numbers of the players."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from yardstone.records.decoding import clean, whole_number
from yardstone.tournament.rules import Team

if TYPE_CHECKING:
    from yardstone.errors import InputError
    from yardstone.tournament.formats.trf_head import TrfHead
    from yardstone.tournament.model import Tournament

__all__ = ["read_teams", "team_lines"]

#: The name ends, and the numbers begin, at this column (from 0).
_NAME, _NUMBERS, _WIDTH = 4, 36, 5


def read_teams(
    head: TrfHead, place: Mapping[int, int], skip: Callable[[InputError], None]
) -> tuple[Team, ...]:
    """The teams of a file; `place` has the place of each player by the starting number."""
    teams: list[Team] = []
    for line, text in head.lines("013"):
        whole = " " * _NAME + text
        name, words = clean(whole[_NAME:_NUMBERS]), whole[_NUMBERS:].split()
        unknown = [word for word in words if whole_number(word) not in place]
        if not name or unknown:
            problem = f"no player has the number {unknown[0]!r}" if unknown else "no name"
            skip(head.error(f"013: {problem}", line))
            continue
        members = tuple(place[int(word)] for word in words)
        teams.append(Team(name=name, number=len(teams) + 1, lineups=(members,)))
    return tuple(teams)


def team_lines(tournament: Tournament, numbers: Mapping[int, int]) -> list[str]:
    """The lines of the teams, with everybody who is in a line-up."""
    width = _NUMBERS - _NAME
    lines = []
    for team in tournament.teams:
        who = " ".join(f"{numbers[player]:4d}" for player in team.everybody())
        lines.append(f"013 {team.name[:width]:{width}}{who}".rstrip())
    return lines
