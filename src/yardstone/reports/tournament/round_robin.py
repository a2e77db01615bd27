"""A round of a round robin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from yardstone.reports.document import Column, Document, Section, Table
from yardstone.reports.tournament.words import player_name, round_title, side_names
from yardstone.reports.words import plural

if TYPE_CHECKING:
    from yardstone.tournament.round_robin import RoundRobin

__all__ = ["round_robin_document"]

_ORIGINS = {"lot": "drawn by lot", "list": "those of the list"}


def round_robin_document(made: RoundRobin) -> Document:
    """The boards, with the numbers of the players in the table."""
    tournament = made.tournament
    number = {player: place for place, player in enumerate(made.numbers, 1)}
    one, two = side_names(tournament)
    columns: list[Column] = [
        Column("round", lambda game: game.round, kind="integer"),
        Column("table", lambda game: game.table, "Table", "integer"),
        Column(
            "first",
            lambda game: tournament.players[game.first].full_name,
            one,
            show=lambda game: player_name(tournament, game.first),
        ),
        Column("", lambda game: number[game.first], "No.", "integer"),
        Column(
            "second",
            lambda game: tournament.players[game.second].full_name,
            two,
            show=lambda game: player_name(tournament, game.second),
        ),
        Column("", lambda game: number[game.second], "No.", "integer"),
    ]
    table = Table(columns, made.games, noun="board")
    title = round_title(tournament, made.round)
    lead = [
        f"{title}: {plural(len(made.games), 'board')}",
        f"Round {made.round} of {made.rounds} of the Berger table of "
        f"{plural(len(made.numbers), 'player')}; numbers are "
        f"{_ORIGINS.get(made.numbering, f'by {made.numbering}')}.",
        *(f"No opponent: {player_name(tournament, bye.player)}" for bye in made.byes),
    ]
    return Document(
        title, lead, [Section("", [table])], records=table, plain=lambda: _plain(made, table)
    )


def _plain(made: RoundRobin, table: Table) -> dict[str, Any]:
    players = made.tournament.players
    return {
        "tournament": made.tournament.name,
        "round": made.round,
        "rounds": made.rounds,
        "numbering": made.numbering,
        "numbers": [players[row].full_name for row in made.numbers],
        "boards": [{c.name: c.value(game) for c in table.kept} for game in made.games],
        "byes": [players[bye.player].full_name for bye in made.byes],
    }
