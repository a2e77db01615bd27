"""Judged games as rows, text, CSV and plain values."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.go.points import BLACK, WHITE
from yardstone.records.go_game import DRAWN, UNKNOWN
from yardstone.reports.aligned import aligned
from yardstone.reports.statements import plural

if TYPE_CHECKING:
    from yardstone.go.judgement import Agreement, Judgement
    from yardstone.pool import SkipReport

__all__ = [
    "JUDGE_COLUMNS",
    "JudgeReport",
    "judge_csv",
    "judge_table",
    "judged_row",
    "plain_judgements",
    "summary",
    "text_judgements",
]

#: Columns of the games, with their types in SQL.
JUDGE_COLUMNS = {
    "file": "VARCHAR",
    "game": "INTEGER",
    "black": "VARCHAR",
    "white": "VARCHAR",
    "date": "VARCHAR",
    "result": "VARCHAR",
    "recorded": "VARCHAR",
    "judged": "VARCHAR",
    "agrees": "BOOLEAN",
    "white_winrate": "DOUBLE",
    "white_lead": "DOUBLE",
    "moves": "INTEGER",
    "komi": "DOUBLE",
    "rules": "VARCHAR",
}
_WINNERS = {BLACK: "black", WHITE: "white", DRAWN: "draw", UNKNOWN: ""}
_PLACES = 100


@dataclass(frozen=True, slots=True)
class JudgeReport:
    """Judged games.

    Attributes
    ----------
    rows : sequence of mappings
        From `judged_row`.
    agreement : Agreement
        Their counts.
    network : str
        Name of the network.
    sure : float
        How sure it must be.
    skipped : SkipReport
    """

    rows: Sequence[Mapping[str, Any]]
    agreement: Agreement
    network: str
    sure: float
    skipped: SkipReport


def judged_row(found: Judgement) -> dict[str, Any]:
    """What is said of a game, under the names of the columns."""
    game = found.game
    return {
        "file": game.file,
        "game": game.number,
        "black": game.black,
        "white": game.white,
        "date": "" if np.isnat(game.date) else str(game.date)[:10],
        "result": game.result,
        "recorded": _WINNERS[game.winner],
        "judged": _WINNERS[found.winner] or "undecided",
        "agrees": found.agrees,
        "white_winrate": round(found.white_winrate, 6),
        "white_lead": round(found.white_lead, 3),
        "moves": found.moves,
        "komi": found.conditions.komi,
        "rules": found.conditions.rules.name,
    }


def judge_csv(report: JudgeReport) -> str:
    """A row a game; `agrees` is empty where one of the two names no winner."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(JUDGE_COLUMNS), lineterminator="\n")
    writer.writeheader()
    for row in report.rows:
        agrees = "" if row["agrees"] is None else str(row["agrees"]).lower()
        writer.writerow({**row, "agrees": agrees})
    return out.getvalue()


def plain_judgements(report: JudgeReport) -> dict[str, Any]:
    """All of it as dictionaries, lists, numbers, strings and None."""
    return {
        "format": 1,
        "network": report.network,
        "sure": report.sure,
        "counts": asdict(report.agreement),
        "games": [dict(row) for row in report.rows],
        "skipped": {
            "total": len(report.skipped),
            "reasons": dict(report.skipped.reasons.most_common()),
            "first": [asdict(record) for record in report.skipped.details[:_PLACES]],
        },
    }


def summary(report: JudgeReport) -> list[str]:
    """How many games, and how far records and network agree."""
    counts = report.agreement
    decided = counts.games - counts.undecided
    lines = [
        f"{plural(counts.games, 'game')} judged by {report.network}",
        f"Decided (at least {100 * report.sure:g} % sure): {decided:,}; "
        f"undecided: {counts.undecided:,}",
    ]
    compared = counts.agreeing + counts.contrary
    if compared:
        share = 100.0 * counts.agreeing / compared
        lines.append(
            f"The record names the same winner in {counts.agreeing:,} of {compared:,} "
            f"decided games ({share:.1f} %)"
        )
    if counts.unrecorded:
        lines.append(f"Decided without a recorded winner: {counts.unrecorded:,}")
    return lines


def judge_table(report: JudgeReport, top: int) -> list[list[str]]:
    """Headings and cells of the games that say other than their records, surest first."""
    contrary = [row for row in report.rows if row["agrees"] is False]
    contrary.sort(key=lambda row: -abs(row["white_winrate"] - 0.5))
    rows = [["Game", "Black", "White", "Result", "Judged", "White wins %", "White leads", "Moves"]]
    for row in contrary[:top]:
        several = f" #{row['game']}" if row["game"] > 1 else ""
        rows.append(
            [
                f"{row['file']}{several}",
                row["black"],
                row["white"],
                row["result"],
                row["judged"],
                f"{100 * row['white_winrate']:.1f}",
                f"{row['white_lead'] + 0.0:.1f}",
                str(row["moves"]),
            ]
        )
    return rows


def text_judgements(report: JudgeReport, *, top: int) -> str:
    """The summary, and the games that contradict their records; ends with a newline."""
    lines = summary(report)
    if report.agreement.contrary and top:
        title = "The other winner"
        if report.agreement.contrary > top:
            title += f", the surest {top} of {report.agreement.contrary:,}"
        lines += ["", f"{title}:", *aligned(judge_table(report, top), left={0, 1, 2, 3, 4})]
    return "\n".join(lines) + "\n"
