"""Ranks from style features, and a site's calibration, as documents."""

from __future__ import annotations

from dataclasses import asdict
from math import exp
from typing import Any

import numpy as np

from yardstone.reports.document import Column, Document, Lines, Section, Table
from yardstone.reports.words import picked, plural
from yardstone.strength.calibration import ScoreCost, SiteCalibration
from yardstone.strength.estimation import PlayerEstimate
from yardstone.strength.site_scales import fox_rank
from yardstone.strength.style import StyleRatings


def style_document(ratings: StyleRatings) -> Document:
    """For people the errors by rank, or, where no rank is known, the players."""
    folds = None if ratings.validation is None else ratings.validation.fold
    names, places = ratings.players, range(len(ratings.players))

    def rounded(values: Any) -> Any:
        return lambda row: round(float(values[row]), 4)

    columns = [
        Column(
            "player", names.__getitem__, "player", show=lambda row: names[row] or f"line {row + 4}"
        ),
        Column("rank", lambda row: float(ratings.strength[row]), kind="number"),
        Column("predicted", rounded(ratings.predicted), "rank", "number"),
        Column("deviation", rounded(ratings.deviation), "deviation", "number"),
        Column("fold", lambda row: None if folds is None else int(folds[row]) + 1, kind="integer"),
    ]
    records = Table(columns, places)
    table = _by_rank(ratings)
    if not len(table.rows):
        table = Table(columns, sorted(places, key=columns[2].value), noun="player")
    sections, lead = [Section("", [table])], _summary(ratings)
    return Document("Ranks from style", lead, sections, records, lambda: _plain(ratings, records))


def _summary(ratings: StyleRatings) -> list[str]:
    validation, number = ratings.validation, plural(len(ratings.players), "player")
    if validation is None:
        lines = [f"{number} rated from the style of {ratings.learned_from or 0:,} others"]
        if (error := ratings.error) is not None:
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

    def error(rank: float) -> float:
        return float(np.sqrt(np.mean(np.square(members(rank) - rank))))

    columns = [
        Column("", lambda rank: rank + 0.0, "rank", "number", "g"),
        Column("", lambda rank: len(members(rank)), "players", "integer"),
        Column("", lambda rank: members(rank).mean(), "mean prediction", "number", ".2f"),
        Column("", error, "error", "number", ".2f"),
    ]
    return Table(columns, np.unique(ratings.strength[ratings.known]).tolist(), noun="rank")


def _plain(ratings: StyleRatings, records: Table) -> dict[str, Any]:
    plain = {"format": 1, **picked(ratings, "learned_from", "error"), "validation": None}
    if (measured := ratings.validation) is not None:
        plain["validation"] = {
            "folds": int(measured.fold.max()) + 1,
            "error": measured.error,
            **picked(measured.interval(), "error_low=0", "error_high=1"),
            **picked(measured, "mean_distance=absolute_error", "baseline_error"),
            "coverage_90": measured.coverage(),
        }
    return plain | {"players": records.records()}


#: Players in a text, those furthest from the line; the others are counted.
_PLAYERS = 20
#: Players without a game who are named.
_MISSING = 8


def calibration_document(result: SiteCalibration) -> Document:
    """The document; its CSV is a table that `strength calibrate` reads again without the games."""
    line = result.calibration

    def fitted(row: tuple[PlayerEstimate, float]) -> float:
        return float(line.rating(row[0].rating))

    def off(row: tuple[PlayerEstimate, float]) -> float:
        return row[1] - fitted(row)

    columns = [
        Column("player", "0.player", "Player"),
        Column("games", "0.games", "Games", "integer", show=_count("games")),
        Column("moves", "0.moves", "Moves", "integer", show=_count("moves")),
        Column("estimate", lambda row: round(row[0].rating, 4), "Estimate", "number", ".2f"),
        Column("rating", "1", "Rating", "number", ".0f"),
        Column("fitted", lambda row: round(fitted(row), 2), "On the line", "number", ".0f"),
        Column("", lambda row: round(off(row)), "Off", "integer", "+d"),
    ]
    far = sorted(result.players, key=lambda row: -abs(off(row)))
    players = Table(columns, far, noun="player", limit=_PLAYERS)
    title = "Players, those furthest from the line first"
    sections = [_cost(result.cost), Section(title, [players])]
    if result.missing:
        rest = len(result.missing) - _MISSING
        others = f" and {rest:,} more" if rest > 0 else ""
        names = ", ".join(result.missing[:_MISSING])
        sections.append(Section("", [Lines([f"Without a game: {names}{others}"])]))
    records, title = Table(columns, result.players), f"{line.site}: ratings from estimates"
    own = ""
    if line.unexplained != line.deviation:
        own = f", {line.unexplained:.0f} of it beyond the estimates' own errors"
    lead = [
        f"{line.site} = {line.slope:.1f} (± {line.slope_error:.1f}) × rank of Fox "
        f"{'+' if line.intercept >= 0 else '-'} {abs(line.intercept):.0f} "
        f"(± {line.intercept_error:.0f}), one standard error",
        f"{plural(line.players, 'player')} from {line.lowest:.1f} ({fox_rank(line.lowest)}) to "
        f"{line.highest:.1f} ({fox_rank(line.highest)}); ratings lie {line.deviation:.0f} points "
        f"about the line{own}; R² {line.determined:.2f}",
    ]

    def plain() -> dict[str, Any]:
        values = {"calibration": asdict(line), "players": records.records()}
        cost = result.cost and asdict(result.cost)
        return values | {"cost": cost, "missing": list(result.missing)}

    return Document(title, lead, sections, records, plain)


def _count(name: str) -> Any:
    return lambda row: f"{getattr(row[0], name):,}" if getattr(row[0], name) else "–"


def _cost(cost: ScoreCost | None) -> Section:
    if cost is None:
        words = "No results between these players: what the line costs in prediction is unknown."
        return Section("", [Lines([words])])
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
    return Section(title, [Table.of_cells(["By", "Log-likelihood a game"], cells), Lines([words])])
