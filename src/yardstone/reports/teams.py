"""Standings of teams, their matches board by board, and a round of matches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from yardstone.reports.document import Column, Document, Lines, Section, Table
from yardstone.reports.pairing import side_names
from yardstone.reports.words import plural

if TYPE_CHECKING:
    from yardstone.tournament.model import Game, Tournament
    from yardstone.tournament.teams import MemberScore, TeamMatch, TeamStandings


__all__ = ["team_round_document", "team_standings_document"]


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
    after = f"after round {table.round} of {tournament.rounds}" if table.round else "before round 1"
    teams = Table(_columns(table), range(len(table)), noun="team")
    members = table.members()
    sections = [Section("", [teams])]
    if members:
        sections.append(Section("Players", [Table(_member_columns(table), members)]))
    if results:
        sections += [
            Section(f"Round {number}", [Lines(_boards(tournament, number, table.matches))])
            for number in range(1, table.round + 1)
            if any(match.round == number for match in table.matches)
        ]
    about = [f"{_heading(name)}: {_words(name)}" for name in table.criteria]
    sections.append(Section("How it is ordered", [Lines(about, aside=True)]))
    name = tournament.name or "Tournament"
    return Document(
        f"{name}, teams",
        [f"{name}: {plural(len(table), 'team')}, {after}"],
        sections,
        records=teams,
        plain=lambda: _plain(table),
    )


def _heading(name: str) -> str:
    return _ABOUT[name][0] if name in _ABOUT else f"B{name[3]}U"


def _words(name: str) -> str:
    if name in _ABOUT:
        return _ABOUT[name][1]
    boards = "board" if name[3] == "1" else f"{name[3]} boards"
    return f"board points of the upper {boards}"


def _columns(table: TeamStandings) -> list[Column]:
    tournament = table.tournament
    at_place = {team: at + 1 for at, team in enumerate(table.order.tolist())}

    def place(at: int) -> str:
        shared = at > 0 and table.place[at] == table.place[at - 1]
        return "" if shared else str(table.place[at])

    def of_round(number: int) -> Column:
        return Column(
            f"round_{number}",
            lambda at: _half_match(table, int(table.order[at]), number, at_place),
            f"R{number}",
            left=False,
            gives_way=1 + number,
        )

    def criterion(which: int, name: str) -> Column:
        return Column(
            name.lower(), lambda at: float(table.values[at, which]), _heading(name), "number", "g"
        )

    return [
        Column("place", lambda at: int(table.place[at]), "Pl", "integer", show=place),
        Column("number", lambda at: tournament.teams[int(table.order[at])].number, kind="integer"),
        Column("name", lambda at: tournament.teams[int(table.order[at])].name, "Team"),
        *(criterion(which, name) for which, name in enumerate(table.criteria)),
        *(of_round(number) for number in range(1, table.round + 1)),
    ]


def _half_match(table: TeamStandings, team: int, number: int, places: dict[int, int]) -> str:
    """Place of the opponents, the result and the board points: ``3+2.5``."""
    for match in table.matches:
        if match.round == number and team in match.teams:
            side = match.side(team)
            sign = "?" if not match.done else "-=+"[match.match_points[side]]
            return f"{places[match.teams[1 - side]]}{sign}{match.board_points[side]:g}"
    return "-"


def _member_columns(table: TeamStandings) -> list[Column]:
    tournament = table.tournament

    def team(score: MemberScore) -> str:
        return tournament.teams[score.team].name

    return [
        Column("team", team, "Team"),
        Column("name", lambda score: tournament.players[score.player].full_name, "Name"),
        Column("points", lambda score: score.points, "Points", "number", "g"),
        Column("games", lambda score: score.games, "Games", "integer"),
    ]


def _boards(tournament: Tournament, number: int, matches: Sequence[TeamMatch]) -> list[str]:
    lines = []
    for match in matches:
        if match.round != number:
            continue
        one, two = (tournament.teams[team].name for team in match.teams)
        score = " : ".join(f"{points:g}" for points in match.board_points)
        lines.append(f"{one} - {two}  {score}")
        for board in match.boards:
            names = " - ".join(tournament.players[player].full_name for player in board.players)
            points = " : ".join(f"{each:g}" for each in board.points) if board.done else "open"
            lines.append(f"  {board.board}  {names}  {points}")
    return lines


def _plain(table: TeamStandings) -> dict[str, Any]:
    tournament = table.tournament
    columns = _columns(table)
    return {
        "name": tournament.name,
        "round": table.round,
        "rounds": tournament.rounds,
        "criteria": [{"name": name, "about": _words(name)} for name in table.criteria],
        "teams": [
            {column.name: column.value(at) for column in columns} for at in range(len(table))
        ],
        "players": [
            {column.name: column.value(score) for column in _member_columns(table)}
            for score in table.members()
        ],
        "matches": [
            {
                "round": match.round,
                "teams": [tournament.teams[team].name for team in match.teams],
                "match_points": list(match.match_points) if match.done else None,
                "board_points": list(match.board_points),
                "boards": [
                    {
                        "board": board.board,
                        "players": [tournament.players[p].full_name for p in board.players],
                        "points": list(board.points) if board.done else None,
                    }
                    for board in match.boards
                ],
            }
            for match in table.matches
        ],
    }


def team_round_document(
    document: Document, tournament: Tournament, games: Sequence[Game]
) -> Document:
    """A round of matches, and who sits at which table."""
    one, two = side_names(tournament)

    def name(player: int) -> str:
        return tournament.players[player].full_name

    boards = Table(
        [
            Column("table", lambda game: game.table, "Table", "integer"),
            Column("first", lambda game: name(game.first), one),
            Column("second", lambda game: name(game.second), two),
        ],
        list(games),
        noun="board",
    )
    return replace(document, sections=[*document.sections, Section("Boards", [boards])])
