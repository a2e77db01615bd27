"""Simulated tournaments, as text and plain values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.reports.aligned import aligned
from yardstone.tournament.outcome import MEASURES
from yardstone.winprob.grades import format_grade

if TYPE_CHECKING:
    from yardstone.tournament.outcome import Outcome

__all__ = [
    "NORMAL_95",
    "csv_outcome",
    "csv_text",
    "csv_variants",
    "percent",
    "plain_outcome",
    "plain_variants",
    "text_outcome",
    "text_variants",
    "within",
]

#: Standard errors on each side of an interval of 95 %.
NORMAL_95 = 1.959963984540054
_PLACE_LEVEL = 0.9


def percent(value: float, digits: int = 1) -> str:
    """A share in per cent."""
    return f"{100.0 * value:.{digits}f}"


def within(
    value: float, error: float, digits: int, scale: float = 1.0, *, reach: float = NORMAL_95
) -> str:
    """A value with its interval, `reach` standard errors on each side (95 %)."""
    return f"{scale * value:.{digits}f} ± {scale * reach * error:.{digits}f}"


def _strength(value: float, *, grades: bool) -> str:
    return format_grade(round(float(value), 1)) if grades else f"{value:.0f}"


def text_outcome(found: Outcome, *, about: str, grades: bool, top: int = 0) -> str:
    """Chances and places of the players, those most likely to win first."""
    order = np.lexsort([found.mean_place, -found.first])
    shown = order[: top or None]
    reach = found.place_range(_PLACE_LEVEL)
    mean, third = found.mean_place, found.at_least(3)
    rows = [["Player", "Strength", "First %", "Top 3 %", "Mean place", "90 % of places", "Wins"]]
    rows += [
        [
            found.names[row],
            _strength(found.strength[row], grades=grades),
            percent(found.first[row]),
            percent(third[row]),
            f"{mean[row]:.1f}",
            f"{reach[row, 0]}–{reach[row, 1]}",
            f"{found.wins[row]:.2f}",
        ]
        for row in shown
    ]
    lines = [about, "", *aligned(rows, left={0})]
    if len(shown) < len(order):
        lines.append(f"… and {len(order) - len(shown)} more players")
    lines += ["", *_measure_lines(found, grades=grades)]
    half = NORMAL_95 * 0.5 / np.sqrt(found.tournaments)
    lines.append(
        f"± is a 95 % interval; a share in per cent is known to within {100 * half:.1f} at worst."
    )
    return "\n".join(lines) + "\n"


def _measure_lines(found: Outcome, *, grades: bool) -> list[str]:
    unit = "grades" if grades else "points"
    digits = 2 if grades else 0
    gap = within(*found.measure("game gap"), digits)
    behind = within(*found.measure("winner behind"), digits)
    return [
        f"The strongest player wins {within(*found.measure('strongest wins'), 1, 100.0)} % "
        f"of the tournaments; the winner is {behind} {unit} weaker than the strongest.",
        f"Order by true strength against the places: {within(*found.measure('order'), 3)} "
        "(Kendall's rank correlation: 1 is perfect).",
        f"Opponents are {gap} {unit} apart; "
        f"{within(*found.measure('even games'), 1, 100.0)} % of the games are between equal "
        "scores.",
        f"On average {within(*found.measure('tied for first'), 2)} players share the first "
        f"place by {', '.join(found.criteria)}.",
    ]


def plain_outcome(found: Outcome) -> dict[str, Any]:
    """All figures, for JSON."""
    reach = found.place_range(_PLACE_LEVEL)
    return {
        "format": 1,
        "tournaments": found.tournaments,
        "criteria": list(found.criteria),
        "measures": {name: _plain_measure(found, name) for name in MEASURES},
        "players": [
            {
                "player": found.names[row],
                "strength": float(found.strength[row]),
                "deviation": float(found.deviation[row]),
                "first": float(found.first[row]),
                "mean_place": float(found.mean_place[row]),
                "place_low": int(reach[row, 0]),
                "place_high": int(reach[row, 1]),
                "wins": float(found.wins[row]),
                "places": found.places[row].tolist(),
            }
            for row in range(len(found.names))
        ],
    }


def _plain_measure(found: Outcome, name: str) -> dict[str, float | None]:
    mean, error = found.measure(name)
    return {"mean": mean, "error": error if error == error else None}


def csv_outcome(found: Outcome) -> str:
    """A row a player."""
    reach = found.place_range(_PLACE_LEVEL)
    rows: list[list[object]] = [
        ["player", "strength", "first", "top3", "mean_place", "place_low", "place_high", "wins"]
    ]
    third = found.at_least(3)
    for row, name in enumerate(found.names):
        rows.append(
            [
                name,
                repr(float(found.strength[row])),
                repr(float(found.first[row])),
                repr(float(third[row])),
                repr(float(found.mean_place[row])),
                int(reach[row, 0]),
                int(reach[row, 1]),
                repr(float(found.wins[row])),
            ]
        )
    return csv_text(rows)


def csv_text(rows: Sequence[Sequence[object]]) -> str:
    """Rows as CSV."""
    import csv
    import io

    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def text_variants(
    outcomes: Sequence[tuple[str, Outcome]], *, about: str, name: str, grades: bool
) -> str:
    """One line a variant of the tournament."""
    unit = "grades" if grades else "points"
    digits = 2 if grades else 0
    rows = [
        [name, "Strongest wins %", f"Winner behind, {unit}", "Order", f"Game gap, {unit}",
         "Even games %", "Tied first"]
    ]  # fmt: skip
    for label, found in outcomes:
        rows.append(
            [
                label,
                within(*found.measure("strongest wins"), 1, 100.0),
                within(*found.measure("winner behind"), digits),
                within(*found.measure("order"), 3),
                within(*found.measure("game gap"), digits),
                within(*found.measure("even games"), 1, 100.0),
                within(*found.measure("tied for first"), 2),
            ]
        )
    lines = [about, "", *aligned(rows, left={0}), ""]
    lines += [f"{key.capitalize()}: {meaning}." for key, meaning in MEASURES.items()]
    lines.append("± is a 95 % interval.")
    return "\n".join(lines) + "\n"


def plain_variants(outcomes: Sequence[tuple[str, Outcome]]) -> dict[str, Any]:
    """All figures of all variants, for JSON."""
    return {
        "format": 1,
        "variants": [{"variant": label, **plain_outcome(found)} for label, found in outcomes],
    }


def csv_variants(outcomes: Sequence[tuple[str, Outcome]]) -> str:
    """A row a variant and measure."""
    rows: list[list[object]] = [["variant", "tournaments", "measure", "mean", "error"]]
    for label, found in outcomes:
        for name in MEASURES:
            mean, error = found.measure(name)
            rows.append([label, found.tournaments, name, repr(mean), repr(error)])
    return csv_text(rows)
