"""A tournament for walls and phones: boards, standings, results, players."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from yardstone.grades import format_grade
from yardstone.reports.document import (
    Alternative,
    Block,
    Choices,
    Column,
    Document,
    Lines,
    Section,
    Table,
)
from yardstone.reports.pairing import player_name, side_names
from yardstone.reports.standings import standings_document, summary_lines
from yardstone.reports.words import plural
from yardstone.tournament.event.rounds import score_of
from yardstone.tournament.model import Result
from yardstone.tournament.standings_table import standings

if TYPE_CHECKING:
    from yardstone.tournament.model import Game, Tournament


__all__ = ["publication", "publication_page"]


#: The pages of a folder, and what leads to them.
_PAGES = {
    "index.html": "Boards",
    "standings.html": "Standings",
    "results.html": "Results",
    "players.html": "Players",
}


def publication(tournament: Tournament) -> Mapping[str, Document]:
    """Pages by the names of their files; each leads to the others."""
    contents: dict[str, list[Section]] = {
        "index.html": _boards(tournament),
        "standings.html": _standings(tournament),
        "results.html": _results(tournament),
        "players.html": [_players(tournament)],
    }
    name = tournament.name or "Tournament"
    pages = {}
    for file, sections in contents.items():
        links = [
            Alternative(text, address=other, chosen=other == file) for other, text in _PAGES.items()
        ]
        pages[file] = Document(
            f"{name}: {_PAGES[file].lower()}",
            _lead(tournament),
            [Section("", [Choices("Pages", links)]), *sections],
        )
    return pages


def publication_page(tournament: Tournament) -> Document:
    """All of it on one page."""
    return Document(
        tournament.name or "Tournament",
        _lead(tournament),
        [
            *_boards(tournament),
            *_standings(tournament),
            *(replace(each, folded=True) for each in _results(tournament)),
            _players(tournament),
        ],
    )


def _lead(tournament: Tournament) -> list[str]:
    lines = summary_lines(tournament)
    return [*lines[1:2], _state(tournament)]


def _state(tournament: Tournament) -> str:
    """How far it is."""
    number = tournament.last_round
    if not number:
        return f"{plural(len(tournament.players), 'player')} entered; round 1 is not paired yet."
    games = tournament.round_games(number)
    missing = sum(game.result is Result.unknown for game in games)
    if missing:
        return f"Round {number} of {tournament.rounds}: {plural(missing, 'result')} to come."
    if number < tournament.rounds:
        return f"Round {number} of {tournament.rounds} is over."
    return "All rounds are over."


def _boards(tournament: Tournament) -> list[Section]:
    """The boards of the last round that is paired: by tables, and by names."""
    number = tournament.last_round
    if not number:
        return []
    title = f"Round {number}"
    return [
        Section(title, _round(tournament, number), name=f"round-{number}"),
        Section("Where do I play?", [_by_name(tournament, number)], name="names"),
    ]


def _round(tournament: Tournament, number: int) -> list[Block]:
    games = tournament.round_games(number)
    blocks: list[Block] = [Table(_board_columns(tournament, games), games, noun="board")]
    byes = [bye.player for bye in tournament.byes if bye.round == number]
    if byes:
        blocks.append(Lines([f"Bye: {', '.join(player_name(tournament, row) for row in byes)}"]))
    return blocks


def _board_columns(tournament: Tournament, games: tuple[Game, ...]) -> list[Column]:
    first, second = side_names(tournament)
    stones = "Stones" if any(game.handicap for game in games) else ""
    decided = "Result" if any(game.result is not Result.unknown for game in games) else ""

    def result(game: Game) -> str:
        if game.result is Result.unknown:
            return ""
        return score_of(game.result, forfeit=game.forfeit)

    return [
        Column("table", lambda game: game.table, "Table", "integer"),
        Column("first", lambda game: player_name(tournament, game.first), first),
        Column("result", result, decided, left=False),
        Column("second", lambda game: player_name(tournament, game.second), second),
        Column(
            "stones",
            lambda game: game.handicap,
            stones,
            "integer",
            show=lambda game: str(game.handicap or ""),
        ),
    ]


def _by_name(tournament: Tournament, number: int) -> Table:
    """A line for everybody who has a game or the bye."""
    colours = side_names(tournament)

    def game_of(row: int) -> Game | None:
        return tournament.game_of.get((number, row))

    def cell(value: Callable[[int, Game], str], bye: str = "") -> Callable[[int], str]:
        def text(row: int) -> str:
            game = game_of(row)
            return bye if game is None else value(row, game)

        return text

    rows = [
        row
        for row in range(len(tournament.players))
        if game_of(row) is not None or (number, row) in tournament.bye_of
    ]
    rows.sort(key=lambda row: tournament.players[row].full_name.casefold())
    return Table(
        [
            Column("name", lambda row: player_name(tournament, row), "Name", order="ascending"),
            Column("table", cell(lambda _, game: str(game.table), "bye"), "Table", left=False),
            Column(
                "colour",
                cell(lambda row, game: colours[row != game.first] if game.known_colour else "?"),
                "Colour",
                left=False,
            ),
            Column(
                "opponent",
                cell(lambda row, game: player_name(tournament, game.opponent(row))),
                "Opponent",
            ),
        ],
        rows,
        noun="player",
        search=True,
    )


def _standings(tournament: Tournament) -> list[Section]:
    """After the last complete round, or the entry order before the first."""
    if not tournament.complete_rounds:
        return []
    document = standings_document(standings(tournament))
    title = f"Standings after round {tournament.complete_rounds}"
    table, *others = document.sections
    shown = [block for block in table.blocks if isinstance(block, Table)]
    return [
        Section(title, shown, name="standings"),
        *(replace(section, folded=True) for section in others),
    ]


def _results(tournament: Tournament) -> list[Section]:
    return [
        Section(f"Results of round {number}", _round(tournament, number))
        for number in range(tournament.last_round, 0, -1)
        if any(game.result is not Result.unknown for game in tournament.round_games(number))
    ]


def _players(tournament: Tournament) -> Section:
    """Who is entered, by names."""
    players = tournament.players

    def grade(row: int) -> str:
        rank = players[row].rank
        return "" if rank is None else format_grade(rank)

    def away(row: int) -> str:
        rounds = [n for n in range(1, tournament.rounds + 1) if n in players[row].absent]
        return ", ".join(map(str, rounds))

    clubs = "Club" if any(player.club for player in players) else ""
    countries = "Co" if any(player.country for player in players) else ""
    absences = "Absent in" if any(away(row) for row in range(len(players))) else ""
    table = Table(
        [
            Column("name", lambda row: players[row].full_name, "Name", order="ascending"),
            Column("grade", grade, "Grade", left=False),
            Column("country", lambda row: players[row].country.upper(), countries, left=False),
            Column("club", lambda row: players[row].club, clubs, left=False),
            Column("absent", away, absences, left=False),
        ],
        sorted(range(len(players)), key=lambda row: players[row].full_name.casefold()),
        noun="player",
        caption=plural(len(players), "player"),
        search=True,
    )
    return Section("Players", [table], name="players")
