"""A calibration to a site's ratings as a document."""

from __future__ import annotations

from dataclasses import asdict
from math import exp
from operator import itemgetter
from typing import Any

from yardstone.reports.document import Column, Document, Lines, Section, Table
from yardstone.reports.words import plural
from yardstone.strength.estimate.calibrate import Calibration, ScoreCost
from yardstone.strength.estimate.site_calibration import SiteCalibration
from yardstone.strength.estimate.site_scales import fox_rank

__all__ = ["calibration_document"]

#: Players in a text, those furthest from the line; the others are counted.
_PLAYERS = 20
#: Players without a game who are named.
_MISSING = 8


def calibration_document(result: SiteCalibration) -> Document:
    """The document; its CSV is a table that `strength calibrate` reads again without the games."""
    line = result.calibration
    rows = _rows(result)
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
        lambda: _plain(result, rows),
    )


def _rows(result: SiteCalibration) -> list[dict[str, Any]]:
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


def _plain(result: SiteCalibration, rows: list[dict[str, Any]]) -> dict[str, Any]:
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
