"""A round's boards, and why each is as it is: as text, CSV, JSON and a page to print."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from yardstone.reports.aligned import aligned
from yardstone.reports.json_out import as_json
from yardstone.reports.statements import plural
from yardstone.reports.tournament.words import (
    change_text,
    player_name,
    points_text,
    round_title,
    sentences,
    side_names,
)
from yardstone.tournament.pairing_rules import CRITERIA

if TYPE_CHECKING:
    from yardstone.tournament.explain import Change, Explanation, Standing
    from yardstone.tournament.pairing import Pairing

__all__ = [
    "change_text",
    "csv_pairing",
    "csv_rows",
    "html_pairing",
    "plain_pairing",
    "text_pairing",
]


#: Lines of reasons are at most so wide.
_WIDTH = 96


def _board_table(pairing: Pairing, explained: Sequence[Explanation]) -> list[list[str]]:
    tournament = pairing.entrants.tournament
    one, two = side_names(tournament)
    stones = any(board.handicap for board in pairing.boards)
    rows = [["Table", one, "Score", two, "Score", *(["Stones"] if stones else [])]]
    for why in explained:
        board = why.board
        if board.second < 0:
            continue
        handicap = [str(board.handicap) if board.handicap else ""] if stones else []
        rows.append(
            [
                str(board.table),
                player_name(tournament, board.first),
                points_text(why.standings[0].score),
                player_name(tournament, board.second),
                points_text(why.standings[1].score),
                *handicap,
            ]
        )
    return rows


def _headline(pairing: Pairing) -> list[str]:
    tournament = pairing.entrants.tournament
    lines = [
        f"{round_title(tournament, pairing.round)}: {plural(len(pairing.boards), 'board')}, "
        f"total weight {pairing.weight:,}"
    ]
    if pairing.kept:
        lines.append(f"{plural(len(pairing.kept), 'game')} paired before left as they are.")
    return lines


def text_pairing(pairing: Pairing, explained: Sequence[Explanation], *, brief: bool = False) -> str:
    """The board list and, unless `brief`, a paragraph for every board."""
    blocks = [_headline(pairing)]
    if pairing.boards:
        blocks.append(aligned(_board_table(pairing, explained), left={1, 3}))
    if pairing.bye is not None:
        blocks.append([f"Bye: {player_name(pairing.entrants.tournament, pairing.bye.first)}"])
    if not brief:
        blocks.append(["Why:", *_wrapped(_reasons(pairing, explained))])
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _reasons(pairing: Pairing, explained: Sequence[Explanation]) -> list[tuple[str, str]]:
    """The table of every board, and what is to be said of it."""
    return [
        (str(why.board.table) if why.board.table else "Bye", " ".join(sentences(pairing, why)))
        for why in explained
    ]


def _wrapped(reasons: Sequence[tuple[str, str]]) -> list[str]:
    lines = []
    width = max([3, *(len(head) for head, _ in reasons)])
    for head, text in reasons:
        indent = " " * (width + 2)
        lines += wrap(
            text, _WIDTH, initial_indent=f"{head:>{width}}  ", subsequent_indent=indent,
            break_long_words=False, break_on_hyphens=False,
        )  # fmt: skip
    return lines


def _record(pairing: Pairing, why: Explanation) -> dict[str, Any]:
    tournament = pairing.entrants.tournament
    board = why.board
    record: dict[str, Any] = {
        "round": pairing.round,
        "table": board.table,
        "first": tournament.players[board.first].full_name,
        "second": "" if board.second < 0 else tournament.players[board.second].full_name,
        "first_score": why.standings[0].score,
        "second_score": None if board.second < 0 else why.standings[1].score,
        "stones": board.handicap,
        "fixed": board.fixed,
        "weight": board.weight,
        **{name: board.values[name] for name in CRITERIA},
        "cost_without": None if why.change is None else why.change.cost,
        "criterion": None if why.change is None else why.change.criterion,
        "why": " ".join(sentences(pairing, why)),
    }
    return record


def csv_pairing(pairing: Pairing, explained: Sequence[Explanation]) -> str:
    """A row a board, the bye last with table 0."""
    return csv_rows([_record(pairing, why) for why in explained])


def csv_rows(records: Sequence[dict[str, Any]]) -> str:
    """Records with the same keys, under a line of those."""
    out = io.StringIO()
    if records:
        writer = csv.DictWriter(out, list(records[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)
    return out.getvalue()


def plain_pairing(
    pairing: Pairing,
    explained: Sequence[Explanation],
    asked: Sequence[tuple[tuple[int, int], Change | None]] = (),
) -> str:
    """All boards with their values, groups and alternatives, as JSON text.

    `asked` are boards that are not in the pairing, with what they would cost.
    """
    tournament = pairing.entrants.tournament

    def standing(found: Standing) -> dict[str, Any]:
        return {
            "player": tournament.players[found.player].full_name,
            "number": found.player + 1,
            **{
                name: getattr(found, name)
                for name in found.__dataclass_fields__
                if name != "player"
            },
        }

    def name(player: int) -> str | None:
        return None if player < 0 else tournament.players[player].full_name

    def change(found: Change | None) -> dict[str, Any] | None:
        if found is None:
            return None
        return {
            "cost": found.cost,
            "criterion": found.criterion or None,
            "losses": found.losses,
            "boards": [[name(player) for player in board] for board in found.boards],
        }

    boards = []
    for why in explained:
        record = _record(pairing, why)
        values = {criterion: record.pop(criterion) for criterion in CRITERIA}
        record["values"] = values
        record["players"] = [standing(found) for found in why.standings]
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
        record["without"] = change(why.change)
        boards.append(record)
    return as_json(
        {
            "tournament": tournament.name,
            "round": pairing.round,
            "weight": pairing.weight,
            "values": pairing.values,
            "boards": [board for board in boards if board["table"]],
            "bye": next((board for board in boards if not board["table"]), None),
            "asked": [
                {"board": [name(player) for player in players], "change": change(found)}
                for players, found in asked
            ],
        }
    )


def html_pairing(pairing: Pairing, explained: Sequence[Explanation], *, version: str) -> str:
    """A page to print: the board list, the bye, and the reasons behind it."""
    from yardstone.reports.evaluation.html import Section, html_page

    tournament = pairing.entrants.tournament
    lead = [plural(len(pairing.boards), "board")]
    if pairing.bye is not None:
        lead.append(f"Bye: {player_name(tournament, pairing.bye.first)}")
    sections = [
        Section(table=_board_table(pairing, explained), left=1),
        Section("Why", [f"{head}: {text}" for head, text in _reasons(pairing, explained)]),
    ]
    return html_page(round_title(tournament, pairing.round), lead, sections, version=version)
