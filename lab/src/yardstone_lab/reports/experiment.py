"""An experiment with models from moves as a document: the table of chapter 5 and more."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

from yardstone.reports.document import Column, Document, Lines, Section, Table
from yardstone.reports.words import per_cent, plural

if TYPE_CHECKING:
    from yardstone_lab.neubauer.experiment.measurement import Measurement
    from yardstone_lab.neubauer.experiment.performance import Cell, Performance, RatingErrors

__all__ = ["experiment_document"]

_SETS = {"T": "Training", "V": "Validation", "E": "Test", "X": "Exhibition"}
_METRICS = ("accuracy", "log_likelihood")


def experiment_document(measured: Measurement) -> Document:
    """The document of an experiment: CSV compares with Glicko-2, texts with all."""
    first = measured.compared[0]
    sections = [
        _filters(measured.outcome.facts["filters"]),
        _judgements(measured.outcome.facts["judged"]),
        _performance(first),
        *map(_ahead, measured.compared),
        *_newcomers(first),
        _calibration(first),
        _ratings(measured.errors),
    ]
    return Document(
        f"Experiment: {measured.outcome.experiment.name}",
        sections=[section for section in sections if section.blocks],
        records=_records(first),
        plain=measured.as_dict,
    )


def _whole(performance: Performance) -> list[tuple[str, int]]:
    return [(letter, last) for letter, last in performance.parts if last < 0]


def _table(
    performance: Performance,
    corner: str,
    parts: Sequence[tuple[str, tuple[str, int], Callable[[Cell], str]]],
    systems: Sequence[str] | None = None,
) -> Table:
    """A row a system, and a column for each heading, set and text of a cell."""

    def column(heading: str, part: tuple[str, int], words: Callable[[Cell], str]) -> Column:
        return Column(
            "", lambda system: words(performance.cell(system, *part)), heading, left=False
        )

    columns = [Column("", str, corner), *(column(*part) for part in parts)]
    return Table(columns, performance.systems if systems is None else systems, noun="system")


def _performance(performance: Performance) -> Section:
    """Table 5.2: accuracy and log-likelihood by system and set."""
    parts = []
    for letter, last in _whole(performance):
        games = performance.cell(performance.systems[0], letter, last).metrics.games
        heading = f"{_SETS[letter]} ({games:,})"
        parts.append((heading, (letter, last), lambda c: _share(c.metrics.accuracy)))
        parts.append(("log-lik.", (letter, last), lambda c: f"{c.metrics.log_likelihood:.3f}"))
    return Section(
        "Accuracy and log-likelihood by set (games)", [_table(performance, "System", parts)]
    )


def _ahead(performance: Performance) -> Section:
    """Log-likelihood less that of the system that all are compared with, with intervals."""
    parts = [(_SETS[letter], (letter, last), _interval) for letter, last in _whole(performance)]
    others = [system for system in performance.systems if system != performance.base]
    title = f"Log-likelihood less that of {performance.base} ({per_cent(performance.confidence)})"
    words = (
        "Intervals: players drawn with replacement, each by itself. * surely better, - surely "
        f"worse, allowing for {performance.comparisons} comparisons."
    )
    return Section(title, [_table(performance, "System", parts, others), Lines([words])])


def _newcomers(performance: Performance) -> list[Section]:
    """The same where all but the last k games of both players are hidden."""
    lasts = sorted({last for _, last in performance.parts if last >= 0})
    sections = []
    for letter in ("E", "X"):
        known = [last for last in lasts if (letter, last) in performance.parts]
        if not known:
            continue
        games = performance.cell(performance.systems[0], letter, known[0]).metrics.games
        parts = [(f"k = {last}", (letter, last), _both) for last in known]
        title = (
            f"{_SETS[letter]} set, {games:,} games, all but the last k games of both hidden: "
            "log-likelihood (accuracy)"
        )
        words = (
            f"* surely above {performance.base} in log-likelihood, - surely below, allowing for "
            f"{performance.comparisons} comparisons."
        )
        sections.append(Section(title, [_table(performance, "System", parts), Lines([words])]))
    return sections


def _calibration(performance: Performance) -> Section:
    """How well probabilities are calibrated on test and exhibition games."""
    parts = []
    for letter in ("E", "X"):
        if (letter, -1) in performance.parts:
            error = f"{_SETS[letter]}: error"
            parts.append((error, (letter, -1), lambda c: f"{c.calibration.error:.3f}"))
            parts.append(("slope", (letter, -1), lambda c: _slope(c.calibration.slope)))
    if not parts:
        return Section()
    words = (
        "Error: mean distance of tenths of the games from their prediction. Slope: 1 is right, "
        "below it predictions lie too far from 50 %, above it too near."
    )
    return Section("Calibration", [_table(performance, "System", parts), Lines([words])])


def _ratings(errors: Sequence[RatingErrors]) -> Section:
    """Ratings before the games less their labels, by range of the label."""
    if not errors:
        return Section()
    first = errors[0]

    def column(each: RatingErrors) -> Column:
        return Column(
            "",
            lambda k: f"{each.bias[k]:+.0f} ± {each.deviation[k]:.0f}",
            f"{each.system} ({each.correlation:.2f})",
            left=False,
        )

    columns = [
        Column("", lambda k: float(first.edges[k]), "Label from", "number", ".0f"),
        Column("", lambda k: float(first.edges[k + 1]), "to", "number", ".0f"),
        Column("", lambda k: int(first.players[k]), "ratings", "integer"),
        *map(column, errors),
    ]
    rows = [k for k in range(len(first.players)) if first.players[k]]
    words = "Mean of rating less label ± root mean square; behind the name the correlation."
    return Section("Ratings against labels", [Table(columns, rows), Lines([words])])


def _filters(report: Mapping[str, Any]) -> Section:
    """Games lost to each filter."""
    cells = [
        [rule["rule"], f"{rule['lost']:,}", f"{rule['broken']:,}", rule["about"]]
        for rule in report["rules"]
    ]
    cells.append(["kept", f"{report['kept']:,}", "", f"of {report['games']:,} games"])
    columns = [
        Column("", lambda row: row[0], "Filter"),
        Column("", lambda row: row[1], "lost", left=False),
        Column("", lambda row: row[2], "broken", left=False),
        Column("", lambda row: row[3], " "),
    ]
    return Section("Games", [Table(columns, cells)])


def _judgements(report: Mapping[str, Any]) -> Section:
    """What judging did to the results; empty if nothing was judged."""
    if not report:
        return Section()
    words = (
        f"{plural(report['games'], 'game')} judged by the network: {report['kept']:,} kept, "
        f"{report['contrary']:,} of them with the other winner; {report['unsure']:,} left out "
        f"because it was not sure, {report['unseen']:,} because they could not be shown to it."
    )
    return Section("", [Lines([words])])


def _records(performance: Performance) -> Table:
    """A row a system and set."""

    def number(name: str, value: Callable[[Cell], float]) -> Column:
        return Column(name, lambda cell: _rounded(value(cell)), kind="number")

    def metric(name: str) -> Callable[[Cell], float]:
        return lambda cell: float(getattr(cell.metrics, name))

    def interval(name: str, end: str) -> Callable[[Cell], float]:
        return lambda cell: float(getattr(cell.interval[name], end))

    def ahead(name: str, end: str) -> Callable[[Cell], float]:
        return lambda cell: float(getattr(cell.ahead[name], end))

    columns = [
        Column("system", lambda cell: cell.system),
        Column("set", lambda cell: cell.letter),
        Column("games_seen", lambda cell: "all" if cell.last < 0 else cell.last),
        Column("games", lambda cell: cell.metrics.games, kind="integer"),
        *(number(m, metric(m)) for m in _METRICS),
    ]
    for m in _METRICS:
        columns += [number(f"{m}_{end}", interval(m, end)) for end in ("low", "high")]
    for m in _METRICS:
        columns.append(number(f"{m}_ahead", ahead(m, "estimate")))
        columns += [number(f"{m}_ahead_{end}", ahead(m, end)) for end in ("low", "high")]
    columns += [
        number("brier", lambda cell: cell.metrics.brier),
        number("calibration_error", lambda cell: cell.calibration.error),
        number("calibration_slope", lambda cell: cell.calibration.slope),
    ]
    return Table(columns, performance.cells)


def _rounded(value: float) -> float | None:
    return float(f"{value:.6g}") if isfinite(value) else None


def _slope(value: float) -> str:
    return "" if value != value else f"{value:.2f}"


def _share(share: float) -> str:
    """A share with one digit."""
    return f"{100 * share:.1f} %"


def _interval(cell: Cell) -> str:
    ahead = cell.ahead["log_likelihood"]
    return f"{ahead.estimate:+.3f} ({ahead.low:+.3f} to {ahead.high:+.3f}){_mark(cell)}"


def _both(cell: Cell) -> str:
    metrics = cell.metrics
    accuracy = _share(metrics.accuracy)
    return f"{metrics.log_likelihood:.3f} ({accuracy}){_mark(cell)}"


def _mark(cell: Cell) -> str:
    """A blank keeps columns of marked and unmarked cells in line."""
    return {1: "*", -1: "-", 0: " "}[cell.sure["log_likelihood"]]
