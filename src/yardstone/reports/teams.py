"""Standings of teams, their matches board by board, and a round of matches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from yardstone.reports.document import Column, Document, Lines, Section, Table
from yardstone.reports.pairing import board_name, name_column, names_of, side_names
from yardstone.reports.standings import after_round, place_column
from yardstone.reports.words import picked, plural

if TYPE_CHECKING:
    from yardstone.tournament.model import Game, Tournament
    from yardstone.tournament.rules import Team
    from yardstone.tournament.teams import TeamMatch, TeamStandings


_ABOUT = {
    "TEAMP": ("MP", "match points: 2 for a match that is won, 1 for a drawn one"),
    "BDW": ("BP", "board points of all matches"),
    "SOST": ("SOST", "sum of the opponents' match points"),
    "SB": ("SB", "the opponents' match points, each times the board points made in the match"),
    "MNR": ("MNR", "mean rating of the first line-up"),
}


def team_standings_document(table: TeamStandings, *, results: bool = True) -> Document:
    """The teams in order, everybody's points and, with `results`, all boards."""
    tournament = table.tournament
    at_place = {team: at + 1 for at, team in enumerate(table.order.tolist())}

    def team(at: int) -> Team:
        return tournament.teams[int(table.order[at])]

    def of_round(number: int) -> Column:
        def result(at: int) -> str:
            return _half_match(table, int(table.order[at]), number, at_place)

        return Column(f"round_{number}", result, f"R{number}", left=False, gives_way=1 + number)

    def criterion(which: int, name: str) -> Column:
        return Column(
            name.lower(), lambda at: float(table.values[at, which]), _about(name)[0], "number", "g"
        )

    columns = [
        place_column(table, lambda at: at),
        Column("number", lambda at: team(at).number, kind="integer"),
        Column("name", lambda at: team(at).name, "Team"),
        *(criterion(which, name) for which, name in enumerate(table.criteria)),
        *map(of_round, range(1, table.round + 1)),
    ]
    teams = Table(columns, range(len(table)), noun="team")
    columns = [
        Column("team", lambda score: tournament.teams[score.team].name, "Team"),
        name_column(tournament, "name", "player", "Name", ranks=False),
        Column("points", heading="Points", kind="number", form="g"),
        Column("games", heading="Games", kind="integer"),
    ]
    members = Table(columns, table.members())
    sections = [Section("", [teams])]
    if members.rows:
        sections.append(Section("Players", [members]))
    if results:
        rounds = range(1, table.round + 1)
        boards = {number: _boards(tournament, number, table.matches) for number in rounds}
        sections += [Section(f"Round {n}", [Lines(lines)]) for n, lines in boards.items() if lines]
    about = [": ".join(_about(name)) for name in table.criteria]
    sections.append(Section("How it is ordered", [Lines(about, aside=True)]))

    def plain() -> dict[str, Any]:
        return {
            **picked(table, "tournament.name", "round", "tournament.rounds"),
            "criteria": [{"name": name, "about": _about(name)[1]} for name in table.criteria],
            "teams": teams.records(),
            "players": members.records(),
            "matches": [_plain_match(tournament, match) for match in table.matches],
        }

    name = tournament.name or "Tournament"
    lead = [f"{name}: {plural(len(table), 'team')}, {after_round(table)}"]
    return Document(f"{name}, teams", lead, sections, teams, plain)


def _about(name: str) -> tuple[str, str]:
    """Heading and meaning of a criterion; those not listed count the upper boards."""
    if name in _ABOUT:
        return _ABOUT[name]
    boards = "board" if name[3] == "1" else f"{name[3]} boards"
    return f"B{name[3]}U", f"board points of the upper {boards}"


def _half_match(table: TeamStandings, team: int, number: int, places: dict[int, int]) -> str:
    """Place of the opponents, the result and the board points: ``3+2.5``."""
    for match in table.matches:
        if match.round == number and team in match.teams:
            side = match.side(team)
            sign = "?" if not match.done else "-=+"[match.match_points[side]]
            return f"{places[match.teams[1 - side]]}{sign}{match.board_points[side]:g}"
    return "-"


def _boards(tournament: Tournament, number: int, matches: Sequence[TeamMatch]) -> list[str]:
    lines = []
    for match in matches:
        if match.round != number:
            continue
        one, two = (tournament.teams[team].name for team in match.teams)
        score = " : ".join(f"{points:g}" for points in match.board_points)
        lines.append(f"{one} - {two}  {score}")
        for board in match.boards:
            names = board_name(tournament, board.players)
            points = " : ".join(f"{each:g}" for each in board.points) if board.done else "open"
            lines.append(f"  {board.board}  {names}  {points}")
    return lines


def _plain_match(tournament: Tournament, match: TeamMatch) -> dict[str, Any]:
    return {
        "round": match.round,
        "teams": [tournament.teams[team].name for team in match.teams],
        "match_points": list(match.match_points) if match.done else None,
        "board_points": list(match.board_points),
        "boards": [
            {"board": each.board, "players": names_of(tournament, each.players, None)}
            | {"points": list(each.points) if each.done else None}
            for each in match.boards
        ],
    }


def team_round_document(
    document: Document, tournament: Tournament, games: Sequence[Game]
) -> Document:
    """A round of matches, and who sits at which table."""
    one, two = side_names(tournament)
    columns = [
        Column("table", heading="Table", kind="integer"),
        name_column(tournament, "first", "first", one, ranks=False),
        name_column(tournament, "second", "second", two, ranks=False),
    ]
    boards = Table(columns, games, noun="board")
    return replace(document, sections=[*document.sections, Section("Boards", [boards])])
