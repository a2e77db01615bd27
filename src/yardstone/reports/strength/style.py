"""Ranks from style features as a document: how well they are told, and whose they are."""

from __future__ import annotations

from operator import itemgetter
from typing import Any

import numpy as np

from yardstone.reports.document import Column, Document, Section, Table
from yardstone.reports.words import known as known_or_none
from yardstone.reports.words import plural
from yardstone.strength.style.rating import StyleRatings

__all__ = ["style_document"]


def style_document(ratings: StyleRatings) -> Document:
    """For people the errors by rank, or, where no rank is known, the players."""
    rows = _rows(ratings)
    columns = [
        Column("player", itemgetter("player"), "player", show=_name),
        Column("rank", itemgetter("rank"), kind="number"),
        Column("predicted", itemgetter("predicted"), "rank", "number"),
        Column("deviation", itemgetter("deviation"), "deviation", "number"),
        Column("fold", itemgetter("fold"), kind="integer"),
    ]
    table = _by_rank(ratings)
    if not len(table.rows):
        table = Table(columns, sorted(rows, key=itemgetter("predicted")), noun="player")
    return Document(
        "Ranks from style",
        _summary(ratings),
        [Section("", [table])],
        Table(columns, rows),
        lambda: _plain(ratings, rows),
    )


def _rows(ratings: StyleRatings) -> list[dict[str, Any]]:
    folds = None if ratings.validation is None else ratings.validation.fold
    return [
        {
            "number": row,
            "player": player,
            "rank": known_or_none(ratings.strength[row]),
            "predicted": round(float(ratings.predicted[row]), 4),
            "deviation": round(float(ratings.deviation[row]), 4),
            "fold": None if folds is None else int(folds[row]) + 1,
        }
        for row, player in enumerate(ratings.players)
    ]


def _name(row: dict[str, Any]) -> str:
    return row["player"] or f"line {row['number'] + 4}"


def _summary(ratings: StyleRatings) -> list[str]:
    """What was done, and how large the errors are."""
    validation, number = ratings.validation, plural(len(ratings.players), "player")
    if validation is None:
        lines = [f"{number} rated from the style of {ratings.learned_from or 0:,} others"]
        error = ratings.error
        if error is not None:
            lines.append(f"Error (standard deviation) where the rank is known: {error:.2f} ranks")
        return lines
    low, high = validation.interval()
    return [
        f"{number}, each rated from the other parts of {int(validation.fold.max()) + 1}",
        f"Error (standard deviation): {validation.error:.2f} ranks "
        f"(95 % interval {low:.2f} to {high:.2f})",
        f"Mean distance: {validation.absolute_error:.2f} ranks",
        f"Always the mean rank instead: {validation.baseline_error:.2f} ranks",
        f"Within the 90 % interval of their own prediction: {100 * validation.coverage():.1f} %",
    ]


def _by_rank(ratings: StyleRatings) -> Table:
    """For each true rank the players, the mean prediction and the error."""

    def members(rank: float) -> Any:
        return ratings.predicted[ratings.strength == rank]

    columns = [
        Column("", lambda rank: rank + 0.0, "rank", "number", "g"),
        Column("", lambda rank: len(members(rank)), "players", "integer"),
        Column("", lambda rank: members(rank).mean(), "mean prediction", "number", ".2f"),
        Column(
            "",
            lambda rank: float(np.sqrt(np.mean(np.square(members(rank) - rank)))),
            "error",
            "number",
            ".2f",
        ),
    ]
    return Table(columns, np.unique(ratings.strength[ratings.known]).tolist(), noun="rank")


def _plain(ratings: StyleRatings, rows: list[dict[str, Any]]) -> dict[str, Any]:
    validation = None
    if (measured := ratings.validation) is not None:
        low, high = (float(end) for end in measured.interval())
        validation = {
            "folds": int(measured.fold.max()) + 1,
            "error": measured.error,
            "error_low": low,
            "error_high": high,
            "mean_distance": measured.absolute_error,
            "baseline_error": measured.baseline_error,
            "coverage_90": measured.coverage(),
        }
    return {
        "format": 1,
        "learned_from": ratings.learned_from,
        "error": ratings.error,
        "validation": validation,
        "players": [
            {name: value for name, value in row.items() if name != "number"} for row in rows
        ],
    }
