"""A tournament for walls and phones: boards, standings, results, players."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from operator import itemgetter

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
from yardstone.reports.pairing import name_column, player_name, side_names, stones_column
from yardstone.reports.standings import standings_document, summary_lines
from yardstone.reports.words import plural
from yardstone.tournament.event.rounds import score_of
from yardstone.tournament.model import Game, Player, Result, Tournament
from yardstone.tournament.standings_table import standings

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
        sections = [Section("", [Choices("Pages", links)]), *sections]
        pages[file] = Document(f"{name}: {title.lower()}", _lead(tournament), sections)
    return pages


def publication_page(tournament: Tournament) -> Document:
    """All of it on one page."""
    results = [replace(each, folded=True) for each in _results(tournament)]
    sections = [*_boards(tournament), *_standings(tournament), *results, _players(tournament)]
    return Document(tournament.name or "Tournament", _lead(tournament), sections)


def _lead(tournament: Tournament) -> list[str]:
    return [*summary_lines(tournament)[1:2], _state(tournament)]


def _state(tournament: Tournament) -> str:
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
        name_column(tournament, "first", "first", first),
        Column("result", result, "Result" if any(map(result, games)) else "", left=False),
        name_column(tournament, "second", "second", second),
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
    rows = []
    for row, player in enumerate(tournament.players):
        line = {"name": player_name(tournament, row), "key": player.full_name.casefold()}
        if (game := tournament.game_of.get((number, row))) is not None:
            line |= {
                "table": str(game.table),
                "opponent": player_name(tournament, game.opponent(row)),
            }
            line["colour"] = colours[row != game.first] if game.known_colour else "?"
        elif (number, row) in tournament.bye_of:
            line |= {"table": "bye", "colour": "", "opponent": ""}
        if "table" in line:
            rows.append(line)
    columns = [
        Column("name", heading="Name", order="ascending"),
        Column("table", heading="Table", left=False),
        Column("colour", heading="Colour", left=False),
        Column("opponent", heading="Opponent"),
    ]
    rows.sort(key=itemgetter("key"))
    return Table(columns, rows, noun="player", search=True)


def _standings(tournament: Tournament) -> list[Section]:
    if not tournament.complete_rounds:
        return []
    document = standings_document(standings(tournament))
    title = f"Standings after round {tournament.complete_rounds}"
    table, *others = document.sections
    shown = [block for block in table.blocks if isinstance(block, Table)]
    folded = [replace(section, folded=True) for section in others]
    return [Section(title, shown, name="standings"), *folded]


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

    columns = [
        Column("name", "full_name", "Name", order="ascending"),
        Column("grade", grade, "Grade", left=False),
        column("country", lambda each: each.country.upper(), "Co"),
        column("club", lambda each: each.club, "Club"),
        column("absent", away, "Absent in"),
    ]
    count = plural(len(players), "player")
    table = Table(columns, players, noun="player", caption=count, search=True)
    return Section("Players", [table], name="players")
