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
from yardstone.reports.pairing import player_name, side_names, stones_column
from yardstone.reports.standings import standings_document, summary_lines
from yardstone.reports.words import plural
from yardstone.tournament.event.rounds import score_of
from yardstone.tournament.model import Result
from yardstone.tournament.standings_table import standings

if TYPE_CHECKING:
    from yardstone.tournament.model import Game, Player, Tournament


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
    contents = (
        _boards(tournament),
        _standings(tournament),
        _results(tournament),
        [_players(tournament)],
    )
    name = tournament.name or "Tournament"
    pages = {}
    for (file, title), sections in zip(_PAGES.items(), contents, strict=True):
        links = [
            Alternative(text, address=other, chosen=other == file) for other, text in _PAGES.items()
        ]
        pages[file] = Document(
            f"{name}: {title.lower()}",
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
    return [*summary_lines(tournament)[1:2], _state(tournament)]


def _state(tournament: Tournament) -> str:
    """How far it is."""
    number = tournament.last_round
    if not number:
        return f"{plural(len(tournament.players), 'player')} entered; round 1 is not paired yet."
    missing = sum(game.result is Result.unknown for game in tournament.round_games(number))
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
    return [
        Section(f"Round {number}", _round(tournament, number), name=f"round-{number}"),
        Section("Where do I play?", [_by_name(tournament, number)], name="names"),
    ]


def _round(tournament: Tournament, number: int) -> list[Block]:
    games = tournament.round_games(number)
    first, second = side_names(tournament)

    def result(game: Game) -> str:
        known = game.result is not Result.unknown
        return score_of(game.result, forfeit=game.forfeit) if known else ""

    columns = [
        Column("table", heading="Table", kind="integer"),
        Column("first", lambda game: player_name(tournament, game.first), first),
        Column("result", result, "Result" if any(map(result, games)) else "", left=False),
        Column("second", lambda game: player_name(tournament, game.second), second),
        stones_column("handicap", any(game.handicap for game in games)),
    ]
    blocks: list[Block] = [Table(columns, games, noun="board")]
    byes = [bye.player for bye in tournament.byes if bye.round == number]
    if byes:
        blocks.append(Lines([f"Bye: {', '.join(player_name(tournament, row) for row in byes)}"]))
    return blocks


def _by_name(tournament: Tournament, number: int) -> Table:
    """A line for everybody who has a game or the bye."""
    colours = side_names(tournament)

    games = {row: tournament.game_of.get((number, row)) for row in range(len(tournament.players))}

    def cell(value: Callable[[int, Game], str], bye: str = "") -> Callable[[int], str]:
        return lambda row: bye if (game := games[row]) is None else value(row, game)

    def colour(row: int, game: Game) -> str:
        return colours[row != game.first] if game.known_colour else "?"

    def opponent(row: int, game: Game) -> str:
        return player_name(tournament, game.opponent(row))

    rows = [row for row, game in games.items() if game or (number, row) in tournament.bye_of]
    return Table(
        [
            Column("name", lambda row: player_name(tournament, row), "Name", order="ascending"),
            Column("table", cell(lambda _, game: str(game.table), "bye"), "Table", left=False),
            Column("colour", cell(colour), "Colour", left=False),
            Column("opponent", cell(opponent), "Opponent"),
        ],
        sorted(rows, key=lambda row: tournament.players[row].full_name.casefold()),
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
    players = sorted(tournament.players, key=lambda player: player.full_name.casefold())

    def grade(player: Player) -> str:
        return "" if player.rank is None else format_grade(player.rank)

    def away(player: Player) -> str:
        return ", ".join(str(n) for n in range(1, tournament.rounds + 1) if n in player.absent)

    def column(name: str, value: Callable[[Player], str], heading: str) -> Column:
        """One that people see where anything stands in it."""
        return Column(name, value, heading if any(map(value, players)) else "", left=False)

    table = Table(
        [
            Column("name", "full_name", "Name", order="ascending"),
            Column("grade", grade, "Grade", left=False),
            column("country", lambda each: each.country.upper(), "Co"),
            column("club", lambda each: each.club, "Club"),
            column("absent", away, "Absent in"),
        ],
        players,
        noun="player",
        caption=plural(len(players), "player"),
        search=True,
    )
    return Section("Players", [table], name="players")
