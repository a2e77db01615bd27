"""An evaluation as aligned text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yardstone.evaluation.result import REPRESENTATIVE
from yardstone.reports.aligned import aligned
from yardstone.reports.evaluation.report import (
    METRIC_NAMES,
    basis,
    conclusion,
    headline,
    number,
    percent,
)

if TYPE_CHECKING:
    from yardstone.evaluation.result import Evaluation

__all__ = ["main_table", "parameters", "subset_table", "text_evaluation"]


def text_evaluation(found: Evaluation) -> str:
    """The evaluation as text without colours; ends with a newline."""
    blocks = [[headline(found), *basis(found)], aligned(main_table(found), left={1})]
    if conclusion(found):
        blocks.append(conclusion(found))
    if len(found.subsets) > 1:
        title = f"{METRIC_NAMES[found.metric].capitalize()} on parts of these games"
        blocks.append([title, *aligned(subset_table(found), left={0})])
    if found.notes:
        blocks.append([f"  • {note}" for note in found.notes])
    if given := parameters(found):
        blocks.append(["Parameters", *(f"  {line}" for line in given)])
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def main_table(found: Evaluation) -> list[list[str]]:
    """Headings and cells: a row a system, all games."""
    metric = found.metric
    digits = 4
    rows = [
        [
            "Rank",
            "System",
            "Log-likelihood",
            "Behind",
            f"{100 * found.confidence:g} % interval",
            "Best",
            "Accuracy",
            "Brier",
            *(["Win/draw/loss"] if _has_draws(found) else []),
            "Slope",
        ]
    ]
    lag = {}
    if (REPRESENTATIVE, metric) in found.bootstraps and found.ranked:
        order = found.ranking
        lag = dict(zip(order.names, zip(order.behind, order.best, strict=True), strict=True))
    for place, scored in enumerate(found.systems, 1):
        measured = scored.metrics[REPRESENTATIVE]
        behind, best = lag.get(scored.name, (None, None))
        finite = None if measured.impossible else measured.log_likelihood
        reach = "" if behind is None else f"{number(behind.low)} to {number(behind.high)}"
        rows.append(
            [
                "" if scored.prediction.baseline else str(place),
                scored.name,
                "−∞" if finite is None else number(finite, digits),
                "" if behind is None else number(behind.estimate, digits),
                reach,
                "" if best is None else percent(best),
                percent(measured.accuracy),
                number(measured.brier, digits),
                *([number(measured.three_way, digits)] if _has_draws(found) else []),
                number(_finite(scored.calibration.slope), 2),
            ]
        )
    return rows


def subset_table(found: Evaluation) -> list[list[str]]:
    """Headings and cells: a row a subset, a column a system."""
    parts = [part for part in found.subsets if part.name != REPRESENTATIVE]
    rows = [["", "Games", *(scored.name for scored in found.systems)]]
    for part in parts:
        values = [number(scored.value(found.metric, part.name)) for scored in found.systems]
        rows.append([part.name, f"{int(part.games.sum()):,}", *values])
    return rows


def _has_draws(found: Evaluation) -> bool:
    return any(scored.prediction.draw is not None for scored in found.systems)


def _finite(value: float) -> float | None:
    return value if value == value else None


def parameters(found: Evaluation) -> list[str]:
    """A line for each system whose parameters are not its own."""
    lines = []
    for scored in found.ranked:
        if given := scored.prediction.parameters:
            parts = [f"{name} {_short(value)}" for name, value in given.items()]
            lines.append(f"{scored.name}: {', '.join(parts)}")
    return lines


def _short(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
