"""Rating changes of a tournament."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from yardstone.reports.document import Column, Document, Section, Table
from yardstone.reports.words import known, plural

if TYPE_CHECKING:
    from yardstone.tournament.model import Tournament
    from yardstone.tournament.rating_change import RatingChange

__all__ = ["changes_document"]


def changes_document(tournament: Tournament, changes: Sequence[RatingChange]) -> Document:
    """All players who played a game that counts, the best rating first."""
    chess = tournament.discipline == "chess"
    factors = {change.factor for change in changes}
    headline = f"{tournament.name}: ratings of {plural(len(changes), 'player')}"
    if not chess and len(factors) == 1:
        headline += f", games weighted {factors.pop():g}"
    columns: list[Column] = [
        Column("number", lambda c: c.player + 1, kind="integer"),
        Column("player", lambda c: tournament.players[c.player].full_name, "Player"),
        Column("before", lambda c: c.before, "Before", "number"),
        Column("after", lambda c: c.after, "After", "number"),
        Column(
            "change",
            lambda c: None if c.before is None else c.change,
            "Change",
            "number",
            form="+.1f",
        ),
        Column("games", lambda c: c.games, "Games", "integer", gives_way=3),
        Column("score", lambda c: c.score, "Score", "number", form="g", gives_way=2),
        Column("expected", lambda c: known(c.expected), "Expected", "number", ".2f", gives_way=1),
        Column("factor", lambda c: c.factor, "K" if chess else "", "number", form="g", gives_way=4),
    ]
    rows = sorted(changes, key=lambda c: (c.after is None, -(c.after or 0.0), c.player))
    table = Table(columns, rows, noun="player")
    return Document(
        f"Rating changes of {tournament.name}" if tournament.name else "Rating changes",
        [headline],
        [Section("", [table])],
        records=table,
    )
