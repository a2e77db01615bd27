"""Rated trick plays as rows, CSV and plain values: the form of the thesis' table 7.1."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from yardstone.go.points import colour_name, point_name

if TYPE_CHECKING:
    from yardstone.pool import SkipReport
    from yardstone.strength.estimate.site_scales import SiteScale
    from yardstone.strength.trickplay.completion import Completion
    from yardstone.strength.trickplay.rating import Moves, RatedProblem, RatedVariation
    from yardstone.strength.trickplay.settling import Settled

__all__ = [
    "COLUMNS",
    "FOUND_COLUMNS",
    "TrickplayReport",
    "found_row",
    "plain_found",
    "plain_trickplay",
    "rows_csv",
    "shown_difference",
    "trickplay_rows",
]

#: Columns of the problems found, with their types in SQL.
FOUND_COLUMNS = {
    "problem": "VARCHAR",
    "file": "VARCHAR",
    "line": "INTEGER",
    "bounds": "VARCHAR",
    "bounds_from": "VARCHAR",
    "to_answer": "VARCHAR",
    "found": "INTEGER",
    "put_back": "VARCHAR",
    "found_without": "INTEGER",
    "boards": "INTEGER",
    "changes": "VARCHAR",
    "game": "VARCHAR",
    "game_line": "INTEGER",
    "moves": "INTEGER",
}
#: Columns of the problems rated.
COLUMNS = {
    **FOUND_COLUMNS,
    **{
        f"{kind}_{name}": type_
        for kind in ("failure", "refutation")
        for name, type_ in (
            ("rating", "DOUBLE"),
            ("rank", "VARCHAR"),
            ("low", "DOUBLE"),
            ("high", "DOUBLE"),
            ("spread", "DOUBLE"),
            ("moves", "INTEGER"),
        )
    },
    "difference": "DOUBLE",
    "surprising": "BOOLEAN",
}
_PLACES = 100


@dataclass(frozen=True, slots=True, eq=False)
class TrickplayReport:
    """Rated problems, and what they were rated with.

    Attributes
    ----------
    problems : sequence of RatedProblem
    scale : SiteScale
        On which ratings are shown.
    level : float
        Of the intervals, 0 to 1.
    moves : int or str
        Which moves were rated, as `yardstone.strength.trickplay.rate_problems` has it.
    network, model : str
    games, positions : int
        Of the index.
    skipped : SkipReport
        Problems that could not be used.
    """

    problems: Sequence[RatedProblem]
    scale: SiteScale
    level: float
    moves: Moves
    network: str
    model: str
    games: int
    positions: int
    skipped: SkipReport

    @property
    def compared(self) -> list[RatedProblem]:
        """Problems with a refutation and a failure."""
        return [problem for problem in self.problems if problem.difference is not None]


def found_row(completion: Completion) -> dict[str, Any]:
    """Where a problem was found, under the names of the columns; the game is the first taken."""
    problem, size = completion.problem, completion.problem.size
    board = completion.boards[0] if completion.boards else None
    return {
        "problem": problem.name,
        "file": problem.file,
        "line": problem.line,
        "bounds": problem.bounds,
        "bounds_from": problem.bounds_from,
        "to_answer": colour_name(problem.to_answer).lower(),
        "found": completion.found,
        "put_back": " ".join(
            f"{colour_name(colour)} {point_name(point, size)}"
            for point, colour in completion.put_back
        ),
        "found_without": completion.found_without,
        "boards": len(completion.boards),
        "changes": "" if board is None else _changes(board),
        "game": "" if board is None else board.game.file,
        "game_line": None if board is None else board.game.line,
        "moves": None if board is None else board.moves,
    }


def _changes(board: Settled) -> str:
    return "; ".join(change.text(board.game.size) for change in board.changes)


def trickplay_rows(report: TrickplayReport) -> list[dict[str, Any]]:
    """A row a problem, under the names of the columns."""
    return [_row(report, problem) for problem in report.problems]


def _row(report: TrickplayReport, problem: RatedProblem) -> dict[str, Any]:
    row = found_row(problem.completion)
    for kind, rated in (("failure", problem.failure), ("refutation", problem.refutation)):
        shown = _shown(report, rated) if rated is not None else {}
        for name in ("rating", "rank", "low", "high", "spread", "moves"):
            row[f"{kind}_{name}"] = shown.get(name)
    row["difference"] = shown_difference(report, problem)
    row["surprising"] = problem.surprising if problem.difference is not None else None
    return row


def shown_difference(report: TrickplayReport, problem: RatedProblem) -> float | None:
    """Refutation less failure on the scale shown."""
    if problem.refutation is None or problem.failure is None:
        return None
    rate = report.scale.rating
    difference = rate(problem.refutation.rating) - rate(problem.failure.rating)
    return round(float(difference), report.scale.digits) + 0.0


def _shown(report: TrickplayReport, rated: RatedVariation) -> dict[str, Any]:
    low, high = report.scale.widened(rated.rating, *rated.interval, report.level)
    return {
        "rating": report.scale.value(rated.rating),
        "rank": report.scale.rank(rated.rating),
        "low": None if low is None else report.scale.value(low),
        "high": None if high is None else report.scale.value(high),
        "spread": round(rated.spread, 3),
        "moves": rated.moves,
    }


def rows_csv(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str]) -> str:
    """Rows as CSV; what is unknown is empty."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(columns), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _cell(row[name]) for name in columns})
    return out.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else value


def plain_trickplay(report: TrickplayReport) -> dict[str, Any]:
    """All of it as dictionaries, lists, finite numbers, strings and None."""
    compared = report.compared
    return {
        "format": 2,
        "scale": report.scale.name,
        "level": report.level,
        "moves": report.moves,
        "network": report.network,
        "model": report.model,
        "games": report.games,
        "positions": report.positions,
        "compared": len(compared),
        "refutation_above": sum(not problem.surprising for problem in compared),
        "problems": [
            {**_row(report, problem), "variations": _variations(report, problem),
             "completed": [_board(board) for board in problem.completion.boards]}
            for problem in report.problems
        ],
        "skipped": _plain_skipped(report.skipped),
    }  # fmt: skip


def _variations(report: TrickplayReport, problem: RatedProblem) -> list[dict[str, Any]]:
    size = problem.problem.size
    return [
        {
            "name": rated.variation.name,
            "kind": rated.variation.kind,
            "line": [point_name(point, size) for point in rated.variation.points.tolist()],
            **_shown(report, rated),
            "by_board": [report.scale.value(board.rating) for board in rated.boards],
        }
        for rated in problem.variations
    ]


def _board(board: Settled) -> dict[str, Any]:
    return {
        "file": board.game.file,
        "line": board.game.line or None,
        "moves": board.moves,
        "symmetry": board.placement.symmetry,
        "colours_exchanged": board.placement.swapped,
        "changes": [change.text(board.game.size) for change in board.changes],
    }


def _plain_skipped(skipped: SkipReport) -> dict[str, Any]:
    return {
        "total": len(skipped),
        "reasons": dict(skipped.reasons.most_common()),
        "first": [asdict(record) for record in skipped.details[:_PLACES]],
    }


def plain_found(completions: Sequence[Completion], skipped: SkipReport) -> dict[str, Any]:
    """Where problems were found, as plain values."""
    return {
        "format": 1,
        "problems": [
            {**found_row(each),
             "completed": [_board(board) for board in each.boards]}
            for each in completions
        ],
        "skipped": _plain_skipped(skipped),
    }  # fmt: skip
