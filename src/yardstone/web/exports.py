"""Results by themselves, as JSON and as tables that spreadsheets open without harm."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from yardstone.web.names import spreadsheet_safe
from yardstone.web.problems import Problem

__all__ = ["csv_of", "result_of"]

_GO = (
    "file", "line", "date", "opponent", "colour", "result", "moves", "rank", "rating", "low",
    "high", "running_rank", "running_rating", "running_low", "running_high",
)  # fmt: skip


def result_of(job: Mapping[str, Any]) -> dict[str, Any]:
    """The result of a job as ``GET /api/jobs/ID`` gives it.

    Raises
    ------
    Problem
        There is none (409).
    """
    result: dict[str, Any] | None = job["result"]
    if result is None:
        raise Problem(
            409, "no_result", f"There is no result: its status is {job['status']}.",
            "Wait until it is done.",
        )  # fmt: skip
    return result


def csv_of(kind: str, result: Mapping[str, Any]) -> str:
    """The table of a result: of Go a row a game, else a row a player."""
    if kind == "go":
        return _table(_GO, map(_game, result["by_game"]))
    if kind == "results":
        from yardstone.reports.rating_list.report import FILE_COLUMNS

        return _table(FILE_COLUMNS, result["ratings"])
    from yardstone.reports.backgammon.analysis import backgammon_document
    from yardstone.reports.faces.files import records_of

    columns = [column.name for column in records_of(backgammon_document(result)).kept]
    return _table(columns, map(_player, result["players"]))


def _game(game: Mapping[str, Any]) -> dict[str, Any]:
    running = {f"running_{name}": value for name, value in game["running"].items()}
    return {**game, **running}


def _player(player: Mapping[str, Any]) -> dict[str, Any]:
    """A player's row: intervals are laid out in columns of their own."""
    row: dict[str, Any] = {}
    for name, value in player.items():
        if isinstance(value, Mapping):
            row[name] = value["value"]
            row |= {f"{name}_{end}": value[end] for end in ("low", "high", "error")}
        else:
            row[name] = value
    return row


def _table(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: spreadsheet_safe(row.get(name)) for name in columns})
    return out.getvalue()
