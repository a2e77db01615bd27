"""The prize list."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from yardstone.reports.document import Column, Document, Section, Table
from yardstone.reports.tournament.words import player_name
from yardstone.reports.words import plural
from yardstone.tournament.notation import score_text

if TYPE_CHECKING:
    from yardstone.tournament.event.prizes import Prize, PrizeList

__all__ = ["prizes_document"]


def prizes_document(prizes: PrizeList) -> Document:
    """A table for each group of prizes."""
    tournament = prizes.table.tournament
    name = tournament.name or "Tournament"
    lead = [f"{name}: prizes after round {prizes.table.round} of {tournament.rounds}"]
    if not prizes.final:
        to_come = [
            plural(number, noun)
            for number, noun in ((prizes.open_results, "result"), (prizes.rounds_to_come, "round"))
            if number
        ]
        lead.append(f"Not final: {' and '.join(to_come)} to come.")
    columns = _columns(prizes)
    sections = [
        Section(group, [Table(columns, list(rows), noun="prize", group=True)])
        for group, rows in groupby(prizes.prizes, key=lambda prize: prize.group)
    ]
    return Document(
        f"Prizes of {name}", lead, sections, records=Table(columns, prizes.prizes, noun="prize")
    )


def _columns(prizes: PrizeList) -> list[Column]:
    table = prizes.table
    players = table.tournament.players
    money = any(prize.money is not None for prize in prizes.prizes)
    clubs = any(player.club for player in players)

    def place(prize: Prize) -> str:
        return "" if not prize.place else f"{prize.place}{'=' if prize.shared else ''}"

    def amount(prize: Prize) -> str:
        return "" if not prize.money else f"{prize.money:.2f}".removesuffix(".00")

    main = table.criteria[0]
    return [
        Column("group", lambda prize: prize.group),
        Column("place", lambda prize: prize.place or None, "Pl", "integer", show=place, left=False),
        Column("shared", lambda prize: prize.shared, kind="boolean"),
        Column(
            "name",
            lambda prize: players[prize.player].full_name,
            "Name",
            show=lambda prize: player_name(table.tournament, prize.player),
        ),
        Column(
            "club", lambda prize: players[prize.player].club, "Club" if clubs else "", left=False
        ),
        Column("country", lambda prize: players[prize.player].country),
        Column(
            main.name.lower(),
            lambda prize: float(table.values[prize.line, 0]),
            main.heading or main.name,
            "number",
            show=lambda prize: score_text(main, float(table.values[prize.line, 0])),
        ),
        Column("wins", lambda prize: prize.wins, "Wins", "integer"),
        Column(
            "money",
            lambda prize: prize.money,
            "Prize" if money else "",
            "number",
            show=amount,
        ),
    ]
