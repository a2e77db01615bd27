"""Judged games as a document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.go.points import BLACK, WHITE
from yardstone.records.go_game import DRAWN, UNKNOWN
from yardstone.reports.document import Column, Document, Section, Table
from yardstone.reports.skipped import plain_skipped
from yardstone.reports.words import plural

if TYPE_CHECKING:
    from yardstone.go.analysis import JudgedGames, Judgement

__all__ = ["judgement_document"]

_WINNERS = {BLACK: "black", WHITE: "white", DRAWN: "draw", UNKNOWN: ""}


def _place(judgement: Judgement) -> str:
    game = judgement.game
    return f"{game.file} #{game.number}" if game.number > 1 else game.file


def _date(judgement: Judgement) -> str:
    date = judgement.game.date
    return "" if np.isnat(date) else str(date)[:10]


_COLUMNS = (
    Column("file", lambda j: j.game.file, "Game", show=_place),
    Column("game", lambda j: j.game.number, kind="integer"),
    Column("black", lambda j: j.game.black, "Black"),
    Column("white", lambda j: j.game.white, "White"),
    Column("date", _date),
    Column("result", lambda j: j.game.result, "Result", gives_way=3),
    Column("recorded", lambda j: _WINNERS[j.game.winner]),
    Column("judged", lambda j: _WINNERS[j.winner] or "undecided", "Judged"),
    Column("agrees", lambda j: j.agrees, kind="boolean"),
    Column(
        "white_winrate",
        lambda j: round(j.white_winrate, 6),
        "White wins %",
        "number",
        show=lambda j: f"{100 * round(j.white_winrate, 6):.1f}",
    ),
    Column(
        "white_lead",
        lambda j: round(j.white_lead, 3),
        "White leads",
        "number",
        show=lambda j: f"{round(j.white_lead, 3) + 0.0:.1f}",
        gives_way=2,
    ),
    Column("moves", lambda j: j.moves, "Moves", "integer", form="d", gives_way=1),
    Column("komi", lambda j: j.conditions.komi, kind="number"),
    Column("rules", lambda j: j.conditions.rules.name),
)


def judgement_document(result: JudgedGames, *, top: int = 20) -> Document:
    """How far records and network agree; `top` limits the games that contradict their records."""
    contrary = [each for each in result.games if each.agrees is False]
    contrary.sort(key=lambda each: -abs(round(each.white_winrate, 6) - 0.5))
    title = "The other winner"
    if len(contrary) > top:
        title += f", the surest {top} of {len(contrary):,}"
    listed = contrary[:top]
    return Document(
        "Judged games",
        lead=list(_summary(result)),
        sections=[Section(title, [Table(_COLUMNS, listed, noun="game")])] if listed else [],
        records=Table(_COLUMNS, result.games),
        plain=lambda: _plain(result),
    )


def _summary(result: JudgedGames) -> Iterator[str]:
    """How many games, and how far records and network agree."""
    counts = result.agreement
    yield f"{plural(counts.games, 'game')} judged by {result.network}"
    yield (
        f"Decided (at least {100 * result.sure:g} % sure): {counts.games - counts.undecided:,}; "
        f"undecided: {counts.undecided:,}"
    )
    conditions = (each.conditions for each in result.games)
    other = Counter(each.in_words for each in conditions if each.remark)
    for words, number in other.most_common():
        yield f"{plural(number, 'game')} judged by {words}"
    compared = counts.agreeing + counts.contrary
    if compared:
        yield (
            f"The record names the same winner in {counts.agreeing:,} of {compared:,} "
            f"decided games ({100.0 * counts.agreeing / compared:.1f} %)"
        )
    if counts.unrecorded:
        yield f"Decided without a recorded winner: {counts.unrecorded:,}"


def _plain(result: JudgedGames) -> dict[str, Any]:
    return {
        "format": 1,
        "network": result.network,
        "sure": result.sure,
        "counts": asdict(result.agreement),
        "games": [{c.name: c.value(each) for c in _COLUMNS} for each in result.games],
        "skipped": plain_skipped(result.skipped),
    }
