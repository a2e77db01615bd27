"""Ranks from style features, and a site's calibration, as documents."""

from __future__ import annotations

from dataclasses import asdict
from math import exp
from operator import itemgetter
from typing import Any

import numpy as np

from yardstone.reports.document import Column, Document, Lines, Section, Table
from yardstone.reports.words import known as known_or_none
from yardstone.reports.words import plural
from yardstone.strength.calibration import Calibration, ScoreCost, SiteCalibration
from yardstone.strength.site_scales import fox_rank
from yardstone.strength.style import StyleRatings

__all__ = ["style_document", "calibration_document"]


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


#: Players in a text, those furthest from the line; the others are counted.
_PLAYERS = 20
#: Players without a game who are named.
_MISSING = 8


def calibration_document(result: SiteCalibration) -> Document:
    """The document; its CSV is a table that `strength calibrate` reads again without the games."""
    line = result.calibration
    rows = _calibration_rows(result)
    far = sorted(rows, key=lambda row: -abs(row["off"]))
    columns = [
        Column("player", itemgetter("player"), "Player"),
        Column("games", itemgetter("games"), "Games", "integer", show=_count("games")),
        Column("moves", itemgetter("moves"), "Moves", "integer", show=_count("moves")),
        Column("estimate", itemgetter("estimate"), "Estimate", "number", ".2f"),
        Column("rating", itemgetter("rating"), "Rating", "number", ".0f"),
        Column("fitted", itemgetter("fitted"), "On the line", "number", ".0f"),
        Column("", lambda row: round(row["off"]), "Off", "integer", "+d"),
    ]
    sections = [
        *_cost(result.cost),
        Section(
            "Players, those furthest from the line first",
            [Table(columns, far, noun="player", limit=_PLAYERS)],
        ),
    ]
    if result.missing:
        rest = len(result.missing) - _MISSING
        others = f" and {rest:,} more" if rest > 0 else ""
        names = ", ".join(result.missing[:_MISSING])
        sections.append(Section("", [Lines([f"Without a game: {names}{others}"])]))
    return Document(
        f"{line.site}: ratings from estimates",
        _headline(line),
        sections,
        Table(columns, rows),
        lambda: _plain_calibration(result, rows),
    )


def _calibration_rows(result: SiteCalibration) -> list[dict[str, Any]]:
    line = result.calibration
    return [
        {
            "player": each.player,
            "games": each.games,
            "moves": each.moves,
            "estimate": round(each.rating, 4),
            "rating": rating,
            "fitted": round(float(line.rating(each.rating)), 2),
            "off": rating - float(line.rating(each.rating)),
        }
        for each, rating in result.players
    ]


def _plain_calibration(result: SiteCalibration, rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "calibration": asdict(result.calibration),
        "players": [{name: value for name, value in row.items() if name != "off"} for row in rows],
        "cost": None if result.cost is None else asdict(result.cost),
        "missing": list(result.missing),
    }


def _count(name: str) -> Any:
    return lambda row: f"{row[name]:,}" if row[name] else "–"


def _headline(line: Calibration) -> list[str]:
    own = ""
    if line.unexplained != line.deviation:
        own = f", {line.unexplained:.0f} of it beyond the estimates' own errors"
    return [
        f"{line.site} = {line.slope:.1f} (± {line.slope_error:.1f}) × rank of Fox "
        f"{'+' if line.intercept >= 0 else '-'} {abs(line.intercept):.0f} "
        f"(± {line.intercept_error:.0f}), one standard error",
        f"{plural(line.players, 'player')} from {line.lowest:.1f} ({fox_rank(line.lowest)}) to "
        f"{line.highest:.1f} ({fox_rank(line.highest)}); ratings lie {line.deviation:.0f} points "
        f"about the line{own}; R² {line.determined:.2f}",
    ]


def _cost(cost: ScoreCost | None) -> list[Section]:
    if cost is None:
        words = "No results between these players: what the line costs in prediction is unknown."
        return [Section("", [Lines([words])])]
    loss = cost.best - cost.site
    side = "too sure" if cost.site_slope > cost.best_slope else "not sure enough"
    cells = [
        ["equal chances", f"{cost.even:.4f}"],
        ["ratings on this line", f"{cost.site:.4f}"],
        ["estimates, with the slope that fits best", f"{cost.best:.4f}"],
    ]
    words = (
        f"The line costs {loss:.4f} a game (it makes results {exp(loss):.3f} times less likely): "
        f"its ratings are {side}, {cost.site_slope:.3f} logits a rank against "
        f"{cost.best_slope:.3f} at best."
    )
    title = f"Predicting {plural(cost.games, 'game')} between them"
    table = Table.of_cells(["By", "Log-likelihood a game"], cells)
    return [Section(title, [table, Lines([words])])]
