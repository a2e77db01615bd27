"""A rating list as plain values, in a shape that programs may rely on.

The shape is described in the guide (``docs/how-to/rate.md``); keys are only ever added.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

from yardstone.reports.rating_list import sentences

if TYPE_CHECKING:
    from yardstone.ratings.rating_list import RatingList
    from yardstone.ratings.result import Estimate

__all__ = ["Records", "plain_list"]

#: Skipped records written with their place.
PLACES = 100


class Records(Sequence[dict[str, Any]]):
    """The players of a list as plain values, each made when it is looked at."""

    def __init__(self, report: RatingList) -> None:
        self._report = report
        self._rows = report.rows

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self._report.record(row) for row in self._rows[place]]
        return self._report.record(self._rows[place])

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return map(self._report.record, self._rows)


def plain_list(report: RatingList) -> dict[str, Any]:
    """The whole list as dictionaries, numbers, strings, None, and lists or `Records`."""
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
        "ratings": Records(report),
        "headline": sentences.headline(report),
        "basis": sentences.basis(report),
        "caveats": sentences.caveats(report),
        "advice": sentences.advice(report),
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
