"""A round's boards, and why each is as it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from yardstone.reports.document import Block, Column, Document, Facts, Lines, Section, Table
from yardstone.reports.tournament.words import (
    change_lines,
    player_name,
    points_text,
    round_title,
    sentences,
    side_names,
)
from yardstone.reports.words import plural
from yardstone.tournament.model import CRITERIA

if TYPE_CHECKING:
    from yardstone.tournament.explanation import Explanation, PairingChange, PlayerState, Proposal
    from yardstone.tournament.pairing import Pairing

__all__ = ["pairing_document"]

#: Lines of reasons are at most so wide.
_WIDTH = 96


def pairing_document(proposal: Proposal, *, brief: bool = False) -> Document:
    """The board list and, unless `brief`, a paragraph for every board."""
    pairing, explanations = proposal.pairing, proposal.explanations
    tournament = pairing.entrants.tournament
    title = round_title(tournament, pairing.round)
    lead = [f"{title}: {plural(len(pairing.boards), 'board')}, total weight {pairing.weight:,}"]
    if pairing.kept:
        lead.append(f"{plural(len(pairing.kept), 'game')} paired before left as they are.")
    columns = _columns(pairing)
    boards = [why for why in explanations if why.board.second >= 0]
    blocks: list[list[Block]] = [[Table(columns, boards, noun="board")]]
    if pairing.bye is not None:
        blocks.append([Lines([f"Bye: {player_name(tournament, pairing.bye.first)}"])])
    sections = [Section("", each) for each in blocks]
    if not brief:
        heads = [str(why.board.table) if why.board.table else "Bye" for why in explanations]
        width = max([3, *map(len, heads)])
        reasons = [
            (f"{head:>{width}}", " ".join(sentences(pairing, why)))
            for head, why in zip(heads, explanations, strict=True)
        ]
        sections.append(Section("Why", [Facts(reasons, width=_WIDTH)]))
    sections += [
        Section("", [Lines(change_lines(pairing, players, change))])
        for players, change in proposal.questions
    ]
    return Document(
        title,
        lead,
        sections,
        records=Table(columns, explanations, noun="board"),
        plain=lambda: _plain(proposal, columns),
    )


def _columns(pairing: Pairing) -> list[Column]:
    """Of people's boards, and of the records, which have the bye as well, with table 0."""
    tournament = pairing.entrants.tournament
    one, two = side_names(tournament)
    stones = "Stones" if any(board.handicap for board in pairing.boards) else ""

    def second(why: Explanation) -> str:
        player = why.board.second
        return "" if player < 0 else tournament.players[player].full_name

    def score(side: int) -> Callable[[Explanation], float | None]:
        return lambda why: why.players[side].score if side < len(why.players) else None

    def value(name: str) -> Column:
        return Column(name, lambda why: why.board.values[name], kind="integer")

    def points(side: int) -> Callable[[Explanation], str]:
        return lambda why: points_text(why.players[side].score)

    return [
        Column("round", lambda why: pairing.round, kind="integer"),
        Column("table", lambda why: why.board.table, "Table", "integer"),
        Column(
            "first",
            lambda why: tournament.players[why.board.first].full_name,
            one,
            show=lambda why: player_name(tournament, why.board.first),
        ),
        Column("", score(0), "Score", "number", show=points(0)),
        Column("second", second, two, show=lambda why: player_name(tournament, why.board.second)),
        Column("", score(1), "Score", "number", show=points(1)),
        Column("first_score", score(0), kind="number"),
        Column("second_score", score(1), kind="number"),
        Column(
            "stones",
            lambda why: why.board.handicap,
            stones,
            "integer",
            show=lambda why: str(why.board.handicap or ""),
        ),
        Column("fixed", lambda why: why.board.fixed, kind="boolean"),
        Column("weight", lambda why: why.board.weight, kind="integer"),
        *map(value, CRITERIA),
        Column("cost_without", lambda why: why.change and why.change.cost, kind="integer"),
        Column("criterion", lambda why: why.change and why.change.criterion),
        Column("why", lambda why: " ".join(sentences(pairing, why))),
    ]


def _plain(proposal: Proposal, columns: list[Column]) -> dict[str, Any]:
    """All boards with their values, groups and alternatives, and the boards asked about."""
    pairing = proposal.pairing
    tournament = pairing.entrants.tournament

    def name(player: int) -> str | None:
        return None if player < 0 else tournament.players[player].full_name

    def state(player: PlayerState) -> dict[str, Any]:
        figures = {each.name: getattr(player, each.name) for each in fields(player)[1:]}
        return {"player": name(player.player), "number": player.player + 1, **figures}

    def alternative(change: PairingChange | None) -> dict[str, Any] | None:
        return (
            None
            if change is None
            else {
                "cost": change.cost,
                "criterion": change.criterion or None,
                "losses": change.losses,
                "boards": [[name(player) for player in board] for board in change.boards],
            }
        )

    boards = []
    for why in proposal.explanations:
        record = {column.name: column.value(why) for column in columns if column.name}
        record["values"] = {criterion: record.pop(criterion) for criterion in CRITERIA}
        record["players"] = [state(player) for player in why.players]
        record["avoided"] = [
            {
                "player": name(avoided.player),
                "opponent": name(avoided.opponent),
                "reason": avoided.reason,
                "round": avoided.round or None,
            }
            for avoided in why.avoided
        ]
        del record["criterion"], record["cost_without"]
        record["without"] = alternative(why.change)
        boards.append(record)
    return {
        "tournament": tournament.name,
        "round": pairing.round,
        "weight": pairing.weight,
        "values": pairing.values,
        "boards": [board for board in boards if board["table"]],
        "bye": next((board for board in boards if not board["table"]), None),
        "asked": [
            {"board": [name(player) for player in players], "change": alternative(change)}
            for players, change in proposal.questions
        ],
    }
