"""Recorded rounds beside what the weights choose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from yardstone.reports.document import Block, Column, Document, Facts, Lines, Section, Table
from yardstone.reports.tournament.words import CRITERION_WORDS, round_title
from yardstone.reports.words import plural
from yardstone.tournament.model import CRITERIA

if TYPE_CHECKING:
    from yardstone.tournament.explanation import Difference, RoundComparison
    from yardstone.tournament.model import Tournament
    from yardstone.tournament.pairing import PairedBoard

__all__ = ["comparison_document"]

#: Lines of names are at most so wide.
_WIDTH = 96


def comparison_document(comparisons: Sequence[RoundComparison]) -> Document:
    """Every round paired again, and where the boards differ."""
    tournament = comparisons[0].recorded.entrants.tournament

    def boards(listed: Sequence[PairedBoard]) -> str:
        return "; ".join(" - ".join(_names(tournament, board, "bye")) for board in listed)

    def gain(name: str) -> Column:
        return Column(name, lambda row: row[1].gains.get(name, 0), kind="integer")

    columns: list[Column] = [
        Column("round", lambda row: row[0], kind="integer"),
        Column("recorded", lambda row: boards(row[1].recorded)),
        Column("ours", lambda row: boards(row[1].ours)),
        Column("gain", lambda row: row[1].gain, kind="integer"),
        *map(gain, CRITERIA),
    ]
    rows = [(each.recorded.round, exchange) for each in comparisons for exchange in each.exchanges]
    sections = []
    for each in comparisons:
        blocks: list[Block] = [Lines([_headline(each)])]
        for exchange in each.exchanges:
            texts = [boards(exchange.recorded), boards(exchange.ours), _gains(exchange)]
            labels = ["  recorded", "  here", ""]
            blocks += [Lines([""]), Facts(list(zip(labels, texts, strict=True)), width=_WIDTH)]
        sections.append(Section("", blocks))
    return Document(
        f"{tournament.name or 'Tournament'} paired again",
        sections=sections,
        records=Table(columns, rows, noun="exchange"),
        plain=lambda: [_plain(each) for each in comparisons],
    )


def _headline(comparison: RoundComparison) -> str:
    recorded = comparison.recorded
    gain = comparison.ours.weight - recorded.weight
    weighs = "as much as" if gain == 0 else f"{gain:,} more than"
    return (
        f"{round_title(recorded.entrants.tournament, recorded.round)} paired again: "
        f"{comparison.same} of {plural(len(recorded.boards), 'board')} the same, "
        f"and the whole weighs {weighs} the recorded one."
    )


def _gains(exchange: Difference) -> str:
    if not exchange.gains:
        return "the same weight: both are best"
    largest = sorted(exchange.gains.items(), key=lambda item: -abs(item[1]))
    parts = [f"{CRITERION_WORDS[name]} {gain:+,}" for name, gain in largest]
    return f"{exchange.gain:+,}: {', '.join(parts)}"


def _names(tournament: Tournament, board: PairedBoard, nobody: Any) -> list[Any]:
    return [
        nobody if player < 0 else tournament.players[player].full_name
        for player in (board.first, board.second)
    ]


def _plain(comparison: RoundComparison) -> dict[str, Any]:
    recorded, ours = comparison.recorded, comparison.ours
    tournament = recorded.entrants.tournament
    return {
        "round": recorded.round,
        "boards": len(recorded.boards),
        "same": comparison.same,
        "recorded_weight": recorded.weight,
        "weight": ours.weight,
        "differences": [
            {
                "recorded": [_names(tournament, board, None) for board in exchange.recorded],
                "ours": [_names(tournament, board, None) for board in exchange.ours],
                "gain": exchange.gain,
                "gains": exchange.gains,
            }
            for exchange in comparison.exchanges
        ],
    }
