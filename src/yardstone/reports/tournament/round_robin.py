"""A round of a round robin, as text, CSV, JSON and a page to print."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from yardstone.reports.aligned import aligned
from yardstone.reports.statements import plural
from yardstone.reports.tournament.pairing import csv_rows
from yardstone.reports.tournament.words import player_name, round_title, side_names

if TYPE_CHECKING:
    from yardstone.tournament.round_robin import RoundRobin

__all__ = ["csv_round_robin", "html_round_robin", "plain_round_robin", "text_round_robin"]


def _robin_table(found: RoundRobin) -> list[list[str]]:
    number = {player: place for place, player in enumerate(found.numbers, 1)}
    one, two = side_names(found.tournament)
    rows = [["Table", one, "No.", two, "No."]]
    for game in found.games:
        sides = [
            cell
            for player in (game.first, game.second)
            for cell in (player_name(found.tournament, player), str(number[player]))
        ]
        rows.append([str(game.table), *sides])
    return rows


def _robin_lead(found: RoundRobin) -> list[str]:
    origin = {"lot": "drawn by lot", "list": "those of the list"}.get(
        found.numbering, f"by {found.numbering}"
    )
    lead = [
        f"Round {found.round} of {found.rounds} of the Berger table of "
        f"{plural(len(found.numbers), 'player')}; numbers are {origin}."
    ]
    lead += [f"No opponent: {player_name(found.tournament, bye.player)}" for bye in found.byes]
    return lead


def text_round_robin(found: RoundRobin) -> str:
    """The boards of a round robin's round."""
    title = round_title(found.tournament, found.round)
    boards = aligned(_robin_table(found), left={1, 3})
    return "\n".join([f"{title}: {plural(len(found.games), 'board')}", *_robin_lead(found), "",
                      *boards]) + "\n"  # fmt: skip


def plain_round_robin(found: RoundRobin) -> dict[str, Any]:
    """The same as plain values."""
    players = found.tournament.players
    return {
        "tournament": found.tournament.name,
        "round": found.round,
        "rounds": found.rounds,
        "numbering": found.numbering,
        "numbers": [players[row].full_name for row in found.numbers],
        "boards": [
            {
                "round": game.round,
                "table": game.table,
                "first": players[game.first].full_name,
                "second": players[game.second].full_name,
            }
            for game in found.games
        ],
        "byes": [players[bye.player].full_name for bye in found.byes],
    }


def csv_round_robin(found: RoundRobin) -> str:
    """A row a board."""
    return csv_rows(plain_round_robin(found)["boards"])


def html_round_robin(found: RoundRobin, *, version: str) -> str:
    """A page to print."""
    from yardstone.reports.evaluation.html import Section, html_page

    table = [Section(table=_robin_table(found), left=1)]
    title = round_title(found.tournament, found.round)
    return html_page(title, _robin_lead(found), table, version=version)
