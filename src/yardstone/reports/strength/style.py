"""Ranks from style features: how well they are told, and whose they are."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.reports.aligned import aligned_text
from yardstone.reports.statements import plural

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.strength.style.model import Validation

    Array = NDArray[np.float64]

__all__ = [
    "STYLE_COLUMNS",
    "StyleReport",
    "plain_style",
    "style_csv",
    "style_summary",
    "style_table",
    "text_style",
]

#: Columns of the players, with their types in SQL.
STYLE_COLUMNS = {
    "player": "VARCHAR",
    "rank": "DOUBLE",
    "predicted": "DOUBLE",
    "deviation": "DOUBLE",
    "fold": "INTEGER",
}


@dataclass(frozen=True, slots=True)
class StyleReport:
    """Players with the ranks that their style tells.

    Attributes
    ----------
    players : tuple of str
    strength : float64 array
        Their true ranks; NaN where unknown.
    predicted, deviation : float64 arrays
    learned_from : int or None
        Number of players of the other table that the model was fitted to; None after a
        cross-validation.
    validation : Validation or None
        Of a cross-validation.
    """

    players: tuple[str, ...]
    strength: Array
    predicted: Array
    deviation: Array
    learned_from: int | None
    validation: Validation | None = None

    @property
    def known(self) -> NDArray[np.bool_]:
        """Players whose true rank is known."""
        return np.isfinite(self.strength)


def _error(report: StyleReport) -> float | None:
    known = report.known
    if not known.any():
        return None
    apart = report.predicted[known] - report.strength[known]
    return float(np.sqrt(np.mean(np.square(apart))))


def style_summary(report: StyleReport) -> list[str]:
    """What was done, and how large the errors are."""
    found, number = report.validation, plural(len(report.players), "player")
    if found is None:
        lines = [f"{number} rated from the style of {report.learned_from or 0:,} others"]
        error = _error(report)
        if error is not None:
            lines.append(f"Error (standard deviation) where the rank is known: {error:.2f} ranks")
        return lines
    low, high = found.interval()
    folds = int(found.fold.max()) + 1
    return [
        f"{number}, each rated from the other parts of {folds}",
        f"Error (standard deviation): {found.error:.2f} ranks "
        f"(95 % interval {low:.2f} to {high:.2f})",
        f"Mean distance: {found.absolute_error:.2f} ranks",
        f"Always the mean rank instead: {found.baseline_error:.2f} ranks",
        f"Within the 90 % interval of their own prediction: {100 * found.coverage():.1f} %",
    ]


def style_table(report: StyleReport) -> list[list[str]]:
    """Headings and, for each rank, players, mean prediction and error."""
    rows = [["rank", "players", "mean prediction", "error"]]
    for rank in np.unique(report.strength[report.known]):
        here = report.strength == rank
        apart = report.predicted[here] - rank
        rows.append(
            [
                f"{rank + 0.0:g}",
                f"{int(here.sum()):,}",
                f"{report.predicted[here].mean():.2f}",
                f"{np.sqrt(np.mean(np.square(apart))):.2f}",
            ]
        )
    return rows


def text_style(report: StyleReport) -> str:
    """For people: the errors by rank, or, where no rank is known, the players."""
    lines = "\n".join(style_summary(report)) + "\n"
    if report.known.any():
        return f"{lines}\n{aligned_text(style_table(report), left=set())}"
    rows = [["player", "rank", "deviation"]]
    rows += [
        [
            report.players[row] or f"line {row + 4}",
            f"{report.predicted[row]:.1f}",
            f"{report.deviation[row]:.1f}",
        ]
        for row in np.argsort(report.predicted, kind="stable")
    ]
    return f"{lines}\n{aligned_text(rows, left={0})}"


def _rows(report: StyleReport) -> list[dict[str, Any]]:
    folds = None if report.validation is None else report.validation.fold
    return [
        {
            "player": report.players[row],
            "rank": float(report.strength[row]) if known else None,
            "predicted": round(float(report.predicted[row]), 4),
            "deviation": round(float(report.deviation[row]), 4),
            "fold": None if folds is None else int(folds[row]) + 1,
        }
        for row, known in enumerate(report.known)
    ]


def style_csv(report: StyleReport) -> str:
    """A row a player."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(STYLE_COLUMNS), lineterminator="\n")
    writer.writeheader()
    writer.writerows(_rows(report))
    return out.getvalue()


def plain_style(report: StyleReport) -> dict[str, Any]:
    """All of it as dictionaries, lists, numbers, strings and None."""
    found = report.validation
    validation = None
    if found is not None:
        low, high = (float(end) for end in found.interval())
        validation = {
            "folds": int(found.fold.max()) + 1,
            "error": found.error,
            "error_low": low,
            "error_high": high,
            "mean_distance": found.absolute_error,
            "baseline_error": found.baseline_error,
            "coverage_90": found.coverage(),
        }
    return {
        "format": 1,
        "learned_from": report.learned_from,
        "error": _error(report),
        "validation": validation,
        "players": _rows(report),
    }
