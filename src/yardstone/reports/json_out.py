"""A rating list as JSON, in a shape that programs may rely on.

The shape is described in the guide (``docs/rate.md``); keys are only ever added.
"""

from __future__ import annotations

import json
from math import isfinite
from typing import TYPE_CHECKING, Any

from yardstone.reports import statements

if TYPE_CHECKING:
    from yardstone.ratings.rating_list import RatingList
    from yardstone.ratings.result import Estimate

__all__ = ["as_json", "json_list", "plain_list"]

#: Skipped records written with their place.
PLACES = 100


def plain_list(report: RatingList) -> dict[str, Any]:
    """The whole list as dictionaries, lists, numbers, strings and None."""
    ratings = report.ratings

    def estimate(value: Estimate, ends: tuple[float, float]) -> dict[str, float | None]:
        low, high = (end if isfinite(end) else None for end in ends)
        deviation = value.deviation if isfinite(value.deviation) else None
        return {"value": value.value, "deviation": deviation, "low": low, "high": high}

    return {
        "games": report.games,
        "players": sum(len(group.rows) for group in report.groups),
        "confidence": report.confidence,
        "relative_to": report.relative_to,
        "scale": ratings.scale,
        "points_per_logit": ratings.points_per_logit,
        "simulations": report.simulations,
        "first_advantage": estimate(ratings.first_advantage, report.advantage_interval),
        "draw_rate": estimate(report.draw_rate, report.draw_rate_interval),
        "components": [
            {
                "number": group.number,
                "players": len(group.rows),
                "ranked": group.ranked,
                "games": group.games,
            }
            for group in report.groups
        ],
        "ratings": report.records(),
        "caveats": statements.caveats(report),
        "suggestions": [
            {"player": match.player, "other": match.other, "gain": match.gain}
            for match in report.suggestions
        ],
        "joining": [{"player": player, "other": other} for player, other in report.joining],
        "skipped": {
            "total": len(report.skipped),
            "reasons": dict(report.skipped.reasons.most_common()),
            "first": [
                {"file": record.file, "line": record.line, "reason": record.reason}
                for record in report.skipped.details[:PLACES]
            ],
        },
    }


def as_json(value: Any) -> str:
    """A plain value as indented JSON; numbers that JSON lacks are an error."""
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def json_list(report: RatingList) -> str:
    """The list as indented JSON text."""
    return as_json(plain_list(report))
