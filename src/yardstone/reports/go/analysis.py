"""Analysed games as rows, plain values and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.go.analysis import PHASES
from yardstone.go.points import BLACK, WHITE, colour_name, point_name
from yardstone.go.totals import Total, game_totals, player_totals

if TYPE_CHECKING:
    from yardstone.go.analysis import GameAnalysis, Phases
    from yardstone.pool import SkipReport

__all__ = ["MOVE_COLUMNS", "AnalysisReport", "analysis_csv", "game_title", "plain_analysis"]

#: Columns of the moves, with their types in SQL.
MOVE_COLUMNS = {
    "file": "VARCHAR",
    "game": "INTEGER",
    "black": "VARCHAR",
    "white": "VARCHAR",
    "number": "INTEGER",
    "colour": "VARCHAR",
    "move": "VARCHAR",
    "white_winrate": "DOUBLE",
    "white_lead": "DOUBLE",
    "win_loss": "DOUBLE",
    "point_loss": "DOUBLE",
    "point_error": "DOUBLE",
    "decided": "BOOLEAN",
    "policy": "DOUBLE",
    "rank": "INTEGER",
    "best": "VARCHAR",
    "best_policy": "DOUBLE",
    "better": "VARCHAR",
    "phase": "VARCHAR",
    "counted": "BOOLEAN",
}
_PLACES = 100


@dataclass(frozen=True, slots=True)
class AnalysisReport:
    """Analysed games, and all that a report says of them.

    Attributes
    ----------
    games : sequence of GameAnalysis
    network : str
        Name of the network.
    phases : Phases
    mistake : float
        Points that a move must cost to be a mistake.
    skipped : SkipReport
    """

    games: Sequence[GameAnalysis]
    network: str
    phases: Phases
    mistake: float
    skipped: SkipReport

    def totals(self, found: GameAnalysis) -> list[Total]:
        """Of both sides of a game."""
        return game_totals(found, mistake=self.mistake)

    def players(self) -> list[Total]:
        """Of each player over all games."""
        return player_totals(self.games, mistake=self.mistake)


def game_title(found: GameAnalysis) -> str:
    """Who played whom, Black first."""
    game = found.game

    def player(name: str, rank: str, colour: int) -> str:
        known = f" {rank}" if rank.strip(" ?-") else ""
        return f"{name or colour_name(colour)}{known}"

    black = player(game.black, game.black_rank, BLACK)
    return f"{black} (Black) – {player(game.white, game.white_rank, WHITE)} (White)"


def _number(value: float, digits: int) -> float | None:
    return round(float(value), digits) if isfinite(value) else None


def _moves(found: GameAnalysis) -> Iterator[dict[str, Any]]:
    """What is said of each move, under the names of the columns."""
    size, losses = found.game.size, found.losses
    for k in range(len(found)):
        better = losses.points[k] > 0.0
        yield {
            "number": int(found.number[k]),
            "colour": colour_name(int(found.colour[k])).lower(),
            "move": point_name(int(found.point[k]), size),
            "white_winrate": _number(found.white_winrate[k + 1], 6),
            "white_lead": _number(found.white_lead[k + 1], 3),
            "win_loss": _number(losses.win[k], 6),
            "point_loss": _number(losses.points[k], 2),
            "point_error": _number(losses.error[k], 2),
            "decided": bool(losses.decided[k]),
            "policy": _number(found.policy[k], 6),
            "rank": int(found.rank[k]) or None,
            "best": point_name(int(found.best[k]), size),
            "best_policy": _number(found.best_policy[k], 6),
            "better": point_name(int(losses.best[k]), size) if better else None,
            "phase": PHASES[found.phase[k]],
            "counted": bool(found.counted[k]),
        }


def analysis_csv(report: AnalysisReport) -> str:
    """A row a move; what is not known stays empty."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(MOVE_COLUMNS), lineterminator="\n")
    writer.writeheader()
    for found in report.games:
        game = found.game
        place = {
            "file": game.file,
            "game": game.number,
            "black": game.black,
            "white": game.white,
        }
        for row in _moves(found):
            flags = {name: str(row[name]).lower() for name in ("decided", "counted")}
            writer.writerow({**place, **row, **flags})
    return out.getvalue()


def _totals(totals: Sequence[Total]) -> list[dict[str, Any]]:
    return [
        {
            **asdict(total),
            "point_loss": _number(total.point_loss, 4),
            "win_loss": _number(total.win_loss, 6),
            "colour": colour_name(total.colour).lower() if total.colour else None,
        }
        for total in totals
    ]


def _game(report: AnalysisReport, found: GameAnalysis) -> dict[str, Any]:
    game = found.game
    return {
        "file": game.file,
        "game": game.number,
        "black": game.black,
        "white": game.white,
        "black_rank": game.black_rank,
        "white_rank": game.white_rank,
        "date": None if np.isnat(game.date) else str(game.date)[:10],
        "result": game.result,
        "size": game.size,
        "handicap": game.handicap,
        "komi": found.conditions.komi,
        "rules": found.conditions.rules.name,
        "remark": found.remark or None,
        "start": {
            "white_winrate": _number(found.white_winrate[0], 6),
            "white_lead": _number(found.white_lead[0], 3),
        },
        "moves": list(_moves(found)),
        "totals": _totals(report.totals(found)),
    }


def plain_analysis(report: AnalysisReport) -> dict[str, Any]:
    """All of it as dictionaries, lists, numbers, strings and None."""
    return {
        "format": 2,
        "network": report.network,
        "mistake_points": report.mistake,
        "phases": {"opening": report.phases.opening, "middle game": report.phases.middle},
        "games": [_game(report, found) for found in report.games],
        "players": _totals(report.players()),
        "skipped": {
            "total": len(report.skipped),
            "reasons": dict(report.skipped.reasons.most_common()),
            "first": [asdict(record) for record in report.skipped.details[:_PLACES]],
        },
    }
