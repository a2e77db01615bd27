"""The table of an experiment with models from moves, as text, CSV and plain values."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from yardstone.reports.aligned import aligned, aligned_text
from yardstone.reports.statements import plural

if TYPE_CHECKING:
    from yardstone.lab.neubauer.experiment.performance import Cell, Performance, RatingErrors

__all__ = [
    "ahead_text",
    "calibration_text",
    "filters_text",
    "hidden_text",
    "judged_text",
    "performance_csv",
    "performance_text",
    "ratings_text",
]

#: Further columns of the CSV.
_FURTHER = ("brier", "calibration_error", "calibration_slope")
_SETS = {"T": "Training", "V": "Validation", "E": "Test", "X": "Exhibition"}


def performance_text(found: Performance) -> str:
    """Table 5.2: accuracy and log-likelihood by system and set."""
    parts = [(letter, last) for letter, last in found.parts if last < 0]
    head = [["", *(cell for letter, _ in parts for cell in (_SETS[letter], ""))]]
    games = ["games"]
    for letter, last in parts:
        games += ["", f"{found.cell(found.systems[0], letter, last).metrics.games:,}"]
    rows = [*head, games, ["", *["accuracy", "log-lik."] * len(parts)]]
    for system in found.systems:
        row = [system]
        for letter, last in parts:
            cell = found.cell(system, letter, last)
            row += [_percent(cell.metrics.accuracy), _log(cell.metrics.log_likelihood)]
        rows.append(row)
    return aligned_text(rows, left={0})


def ahead_text(found: Performance) -> str:
    """Log-likelihood less that of the system that all are compared with, with intervals."""
    parts = [(letter, last) for letter, last in found.parts if last < 0]
    level = f"{100 * found.confidence:g} %"
    title = f"Log-likelihood less that of {found.base} ({level})"
    rows = [[title, *(_SETS[letter] for letter, _ in parts)]]
    for system in found.systems:
        if system != found.base:
            cells = [found.cell(system, letter, last) for letter, last in parts]
            rows.append([system, *map(_interval, cells)])
    return (
        aligned_text(rows, left={0})
        + "Intervals: players drawn with replacement, each by itself. * surely better, - surely\n"
        f"worse, allowing for {found.comparisons} comparisons.\n"
    )


def hidden_text(found: Performance) -> str:
    """The same where all but the last k games of both players are hidden; '' if none are."""
    lasts = sorted({last for _, last in found.parts if last >= 0})
    lines: list[str] = []
    for letter in ("E", "X"):
        shown = [last for last in lasts if (letter, last) in found.parts]
        if not shown:
            continue
        games = found.cell(found.systems[0], letter, shown[0]).metrics.games
        lines.append(
            f"{_SETS[letter]} set, {games:,} games, all but the last k games of both hidden: "
            "log-likelihood (accuracy)"
        )
        rows = [["", *(f"k = {last}" for last in shown)]]
        for system in found.systems:
            cells = [found.cell(system, letter, last) for last in shown]
            rows.append([system, *map(_both, cells)])
        lines += [*aligned(rows, left={0}), ""]
    if lines:
        lines.insert(
            -1,
            f"* surely above {found.base} in log-likelihood, - surely below, allowing for "
            f"{found.comparisons} comparisons.",
        )
    return "\n".join(lines)


def calibration_text(found: Performance) -> str:
    """How well probabilities are calibrated on test and exhibition games."""
    parts = [(letter, -1) for letter in ("E", "X") if (letter, -1) in found.parts]
    if not parts:
        return ""
    rows = [["Calibration", *(cell for letter, _ in parts for cell in (_SETS[letter], ""))]]
    rows.append(["", *["error", "slope"] * len(parts)])
    for system in found.systems:
        row = [system]
        for letter, last in parts:
            groups = found.cell(system, letter, last).calibration
            row += [f"{groups.error:.3f}", _slope(groups.slope)]
        rows.append(row)
    return (
        aligned_text(rows, left={0})
        + "Error: mean distance of tenths of the games from their prediction. Slope: 1 is right,\n"
        "below it predictions lie too far from 50 %, above it too near.\n"
    )


def ratings_text(errors: Sequence[RatingErrors]) -> str:
    """Ratings before the games less their labels, by range of the label."""
    if not errors:
        return ""
    rows = [["Label from", "to", "ratings", *(_name(each) for each in errors)]]
    for k in range(len(errors[0].players)):
        if not errors[0].players[k]:
            continue
        row = [f"{errors[0].edges[k]:.0f}", f"{errors[0].edges[k + 1]:.0f}"]
        row.append(f"{errors[0].players[k]:,}")
        rows.append(row + [f"{e.bias[k]:+.0f} ± {e.deviation[k]:.0f}" for e in errors])
    return (
        aligned_text(rows, left=set())
        + "Mean of rating less label ± root mean square; behind the name the correlation.\n"
    )


def _name(errors: RatingErrors) -> str:
    return f"{errors.system} ({errors.correlation:.2f})"


def filters_text(report: Mapping[str, Any]) -> str:
    """Games lost to each filter."""
    rows = [["Filter", "lost", "broken", ""]]
    rows += [
        [rule["rule"], f"{rule['lost']:,}", f"{rule['broken']:,}", rule["about"]]
        for rule in report["rules"]
    ]
    rows.append(["kept", f"{report['kept']:,}", "", f"of {report['games']:,} games"])
    return aligned_text(rows, left={0, 3})


def judged_text(report: Mapping[str, Any]) -> str:
    """What judging did to the results; '' if nothing was judged."""
    if not report:
        return ""
    lines = [
        f"{plural(report['games'], 'game')} judged by the network: {report['kept']:,} kept, "
        f"{report['contrary']:,} of them with the other winner;",
        f"{report['unsure']:,} left out because it was not sure, {report['unseen']:,} because "
        "they could not be shown to it.",
    ]
    return "\n".join(lines) + "\n"


def performance_csv(found: Performance) -> str:
    """A row a system and set."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    metrics = ("accuracy", "log_likelihood")
    ends = [f"{m}_{end}" for m in metrics for end in ("low", "high")]
    ahead = [f"{m}_ahead{end}" for m in metrics for end in ("", "_low", "_high")]
    writer.writerow(["system", "set", "games_seen", "games", *metrics, *ends, *ahead, *_FURTHER])
    for cell in found.cells:
        row: list[object] = [cell.system, cell.letter, "all" if cell.last < 0 else cell.last]
        row += [cell.metrics.games, *(_number(getattr(cell.metrics, m)) for m in metrics)]
        row += [_number(v) for m in metrics for v in (cell.interval[m].low, cell.interval[m].high)]
        for m in metrics:
            each = cell.ahead[m]
            row += [_number(each.estimate), _number(each.low), _number(each.high)]
        row += [_number(cell.metrics.brier), _number(cell.calibration.error)]
        writer.writerow([*row, _number(cell.calibration.slope)])
    return out.getvalue()


def _number(value: float) -> str:
    return "" if value != value else f"{value:.6g}"


def _slope(value: float) -> str:
    return "" if value != value else f"{value:.2f}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _log(value: float) -> str:
    return f"{value:.3f}"


def _interval(cell: Cell) -> str:
    found = cell.ahead["log_likelihood"]
    return f"{found.estimate:+.3f} ({found.low:+.3f} to {found.high:+.3f}){_mark(cell)}"


def _both(cell: Cell) -> str:
    found = cell.metrics
    return f"{_log(found.log_likelihood)} ({_percent(found.accuracy)}){_mark(cell)}"


def _mark(cell: Cell) -> str:
    """A blank keeps columns of marked and unmarked cells in line."""
    return {1: "*", -1: "-", 0: " "}[cell.sure["log_likelihood"]]
