"""The reports and charts of experiments, training and searches."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from math import isfinite
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.reports.chart import (
    Axis,
    Band,
    Bars,
    Chart,
    Guide,
    Label,
    Mark,
    Panel,
    Points,
    Stroke,
)
from yardstone.reports.document import Column, Document, Lines, Section, Table
from yardstone.reports.drawing import SERIES
from yardstone.reports.words import per_cent, plural
from yardstone_lab.neubauer.network.strength_network import Hyperparameters

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from yardstone.strength.model_scale import ModelScale
    from yardstone_lab.neubauer.description import (
        DataDescription,
        DeviationsByGames,
        RatingsByGames,
    )
    from yardstone_lab.neubauer.experiment.measurement import (
        Cell,
        Measurement,
        Performance,
        RatingErrors,
    )
    from yardstone_lab.neubauer.network.search import SearchRun
    from yardstone_lab.neubauer.network.strength_network import StrengthNetwork
    from yardstone_lab.neubauer.network.training import History
    from yardstone_lab.neubauer.rank.intervals import Unseen
    from yardstone_lab.neubauer.scored_model import RankedModel

    Array = NDArray[np.float64]

__all__ = [
    "deviations_chart",
    "ratings_by_games_chart",
    "label_chart",
    "length_chart",
    "loss_chart",
    "rating_chart",
    "score_chart",
    "search_chart",
    "training_chart",
    "experiment_document",
    "data_charts",
    "search_document",
    "training_document",
    "ranked_model_document",
]

#: Colours of classes of players.
_CLASSES = ("c2", "c7", "c1", "c3", "c5")
#: Cells across of a map of many ratings.
_CELLS = 45


def label_chart(classes: Mapping[str, Array], *, title: str = "Rating labels") -> Chart:
    """Figure 4.1: how rating labels are spread, a colour a class of players.

    Args:
        classes (mapping of str to float64 arrays): The labels of each class, in rating points.
    """
    everything = np.concatenate(list(classes.values()))
    edges = np.histogram_bin_edges(everything, bins=60)
    base = np.zeros(len(edges) - 1)
    marks: list[Mark] = []
    for place, (name, values) in enumerate(classes.items()):
        density = np.histogram(values, edges)[0] / (len(everything) * (edges[1] - edges[0]))
        entry = f"{name} ({len(values):,})" if len(classes) > 1 else ""
        colour = _CLASSES[place % len(_CLASSES)]
        marks.append(Bars(edges[:-1], edges[1:], base, base + density, colour, entry, gap=0.5))
        base = base + density
    panel = Panel(Axis("rating label, points"), Axis("density", low=0.0, grid=True), marks)
    return Chart([panel], f"{title}: {len(everything):,}", height=240.0)


def loss_chart(
    classes: Mapping[str, Array], *, low: float, high: float, label: str, bins: int = 85
) -> Chart:
    """Figures 4.2 and 4.3: how much moves lose, by class of players.

    Args:
        classes (mapping of str to float64 arrays): What each move of the players of each class
            lost.
        low, high: What is drawn in full; the bars beside it hold the shares beyond.
        label: Of the axis.
        bins: Steps between `low` and `high`.
    """
    edges = np.linspace(low, high, bins + 1)
    middle = 0.5 * (edges[1:] + edges[:-1])
    inside = {
        name: np.histogram(values, edges)[0] / (len(values) * (edges[1] - edges[0]))
        for name, values in classes.items()
        if len(values)
    }
    top = max((float(density.max()) for density in inside.values()), default=0.0) or 1.0
    reach = high - low
    slot = 0.07 * reach / max(len(classes), 1)
    marks: list[Mark] = []
    notes = []
    for place, (name, density) in enumerate(inside.items()):
        values, colour = classes[name], _CLASSES[place % len(_CLASSES)]
        entry = f"{name} ({len(values):,} moves)"
        marks.append(Stroke(middle, density, colour, entry, 1.5))
        # Shares beyond the ends, on a scale of their own: the whole height is all moves.
        below, above = float(np.mean(values < low)), float(np.mean(values > high))
        for share, left in (
            (below, low - 0.1 * reach + place * slot),
            (above, high + 0.03 * reach + place * slot),
        ):
            marks.append(Bars(left, left + slot, 0.0, share * top, colour, gap=1.0))
        notes.append(f"{name}: {100 * below:.1f} % below, {100 * above:.1f} % above")
    x = Axis(f"{label} (bars: share of moves beyond)", low - 0.13 * reach, high + 0.13 * reach)
    panel = Panel(x, Axis("density", low=0.0, high=1.05 * top, grid=True), marks)
    note = f"Beyond {low:g} and {high:g}: {'; '.join(notes)}." if notes else ""
    return Chart([panel], words=f"Density of the {label} in moves", note=note)


def length_chart(moves: NDArray[Any], *, what: str = "counted games") -> Chart:
    """Figure 4.6: how many moves games have, with the mean."""
    last = max(int(moves.max()), 1)
    step = max(1, last // 120)
    edges = np.arange(0, last + 2 * step, step)
    games = np.histogram(moves, edges)[0]
    mean = float(moves.mean())
    bars = Bars(edges[:-1], edges[1:], 0.0, games, gap=0.5)
    panel = Panel(
        Axis("moves", low=0.0),
        Axis("games", low=0.0, whole=True, grid=True),
        [bars, Guide(x=mean, text=f"mean {mean:.0f}", colour="ink")],
    )
    return Chart([panel], f"{len(moves):,} {what}", height=220.0)


def rating_chart(rating: Array, label: Array, *, name: str) -> Chart:
    """Figures 5.6 and 5.8: ratings before the games against the labels.

    Args:
        rating, label (float64 arrays): In points, both players of every game.
        name: Of the system.
    """
    low = float(min(rating.min(), label.min()))
    high = float(max(rating.max(), label.max()))
    edges = np.linspace(low, high if high > low else low + 1.0, _CELLS + 1)
    counts = np.histogram2d(label, rating, [edges, edges])[0]
    column, row = np.nonzero(counts)
    here = counts[column, row]
    shade = np.log1p(here) / np.log1p(here.max())
    cells = Bars(
        edges[column], edges[column + 1], edges[row], edges[row + 1], opacity=0.08 + 0.92 * shade
    )
    borders = np.quantile(label, np.linspace(0.0, 1.0, 13))
    twelfth = np.clip(np.searchsorted(borders, label, side="right") - 1, 0, 11)
    number = np.bincount(twelfth, minlength=12)
    with np.errstate(invalid="ignore"):
        x = np.bincount(twelfth, label, 12) / number
        y = np.bincount(twelfth, rating, 12) / number
    entry = "mean rating of a twelfth of the labels"
    ends = float(edges[0]), float(edges[-1])
    panel = Panel(
        Axis("rating label", *ends),
        Axis(f"rating by {name}", *ends),
        [
            cells,
            Stroke([low, high], [low, high], "soft", width=1.0, dash=(4.0, 3.0)),
            Stroke(x, y, "c2", entry, 1.4),
            Points(x, y, "c2", entry),
        ],
        square=True,
    )
    words = f"Ratings by {name} against the labels"
    shading = ("c1", "ratings in a cell: 1", f"{int(here.max()):,} (logarithmic)")
    return Chart([panel], words=words, widths=(560.0, 360.0), shading=shading)


def score_chart(score: Array, expected: Array, *, name: str) -> Chart:
    """Figures 5.7 and 5.9: expected scores of games that White won, and that Black won.

    Orange is where the system was surest and wrong: an expected score of the winner
    below one quarter.
    """
    edges = np.linspace(0.0, 1.0, 41)
    panels = []
    for won, who in ((0.0, "White"), (1.0, "Black")):
        values = expected[score == won]
        counts = np.histogram(values, edges)[0]
        middle = 0.5 * (edges[1:] + edges[:-1])
        wrong, lost = (
            places > 0.75 if won == 0.0 else places < 0.25 for places in (middle, values)
        )
        share = 100.0 * float(lost.mean()) if len(values) else 0.0
        marks = [
            Bars(edges[:-1][here], edges[1:][here], 0.0, counts[here], colour, gap=0.5)
            for here, colour in ((~wrong, "c1"), (wrong, "c2"))
        ]
        title = f"{who} won: {len(values):,} games, {share:.1f} % orange"
        x = Axis(f"Black's expected score by {name}", low=0.0, high=1.0)
        panels.append(Panel(x, Axis("games", low=0.0, whole=True, grid=True), marks, title))
    words = f"Expected scores by {name} of games that White won, and that Black won"
    return Chart(panels, words=words, columns=2, height=200.0)


#: Shades of the losses of training, the lowest first.
_STACKED = (
    ("training: score", 0.25),
    ("training: ratings", 0.5),
    ("training: regularisation", 0.9),
)
#: A shape for each iteration, in the thesis' order.
_SHAPES = ("circle", "square", "diamond", "down", "cross", "up", "plus", "right")
#: Settings in the order of the thesis' figures: name, label, whether on a log scale.
_SEARCHED = (
    ("learning_rate", "initial learning rate η₀", True),
    ("decay", "learning rate decay β", False),
    ("rating_loss", "rating loss scaling factor τ_r", True),
    ("regularisation", "regularisation factor τ_θ", True),
    ("depth", "depth l", False),
    ("width", "hidden dimensions d", False),
    ("query_width", "query dimensions d_q", False),
    ("inducing_points", "inducing points m", False),
    ("window", "window N", False),
)


def training_chart(history: History, *, title: str = "Training") -> Chart:
    """How a training went, after figures 5.1 and 5.5.

    The three losses of every step are stacked in blue; lines are the losses of the
    validation games after each epoch, and a mark the epoch that was kept.
    """
    epochs = np.array([epoch.epoch for epoch in history.epochs])
    steps = np.array(history.steps).reshape(-1, 3)
    marks: list[Mark] = []
    top = 0.0
    if len(steps):
        # A step stands at its share of its epoch; many steps are averaged to what is seen.
        width = max(1, len(steps) // 700)
        whole = len(steps) // width * width
        means = steps[:whole].reshape(-1, width, 3).mean(1)
        place = (np.arange(len(means)) + 0.5) * width * max(epochs[-1], 1) / len(steps)
        levels = np.column_stack([np.zeros(len(means)), np.cumsum(means, axis=1)])
        for k, (name, shade) in enumerate(_STACKED):
            marks.append(Band(place, levels[:, k], levels[:, k + 1], "c1", name, shade))
        top = float(np.quantile(means.sum(1), 0.995))
    score = np.array([epoch.validation_loss for epoch in history.epochs])
    ratings = np.array([epoch.validation_rating_loss for epoch in history.epochs])
    best = history.best
    marks += [
        Stroke(epochs, ratings, "c5", "validation: ratings"),
        Stroke(epochs, score, "c2", "validation: score", 2.0),
        Points([best.epoch], [best.validation_loss], "c2", size=5.0),
    ]
    last = max(int(epochs[-1]), 1)
    words = f"epoch {best.epoch}: {best.validation_loss:.4f}"
    late = best.epoch > 0.7 * last
    anchor, right = ("end", -7.0) if late else ("start", 7.0)
    marks.append(
        Label(best.epoch, best.validation_loss, words, anchor, bold=True, right=right, up=7.0)
    )
    later = np.concatenate([score[1:], ratings[1:], [top]])
    highest = 1.15 * float(np.nanmax(later[np.isfinite(later)], initial=0.1))
    x = Axis("Epoch", low=0.0, high=float(last), whole=True)
    panel = Panel(x, Axis("Loss", low=0.0, high=highest, grid=True), marks)
    return Chart([panel], title, height=300.0)


def search_chart(
    runs: Sequence[SearchRun],
    *,
    limits: tuple[float, float] | None = None,
    title: str = "Search for hyperparameters",
) -> Chart:
    """The lowest validation loss of each training against each setting (figures 5.2 to 5.4).

    Args:
        runs: Those that failed or were given up are left out.
        limits (float, float): Only losses between these, as figure 5.4 has it.
    """
    done = [run for run in runs if math.isfinite(run.loss)]
    drawn = [run for run in done if limits is None or limits[0] <= run.loss <= limits[1]]
    varied = [
        item for item in _SEARCHED if len({getattr(run.settings, item[0]) for run in done}) > 1
    ] or [_SEARCHED[0]]
    iterations = sorted({run.iteration for run in done})
    lowest = min(done, key=lambda run: run.loss, default=None)
    low, high = limits or (None, None)
    panels = []
    for name, label, log in varied:
        marks: list[Mark] = []
        if lowest is not None:
            marks.append(Guide(x=getattr(lowest.settings, name), colour="line", dash=()))
        for place, iteration in enumerate(iterations):
            here = [run for run in drawn if run.iteration == iteration]
            marks.append(
                Points(
                    [getattr(run.settings, name) for run in here],
                    [run.loss for run in here],
                    SERIES[place % len(SERIES)],
                    f"iteration {iteration}" if len(iterations) > 1 else "",
                    _SHAPES[place % len(_SHAPES)],
                    hollow=True,
                )
            )
        x = Axis(label, scale="log" if log else "linear", whole=name == "depth")
        panels.append(Panel(x, Axis("validation loss", low, high), marks))
    left_out = len(runs) - len(drawn)
    if left_out:
        title += f": {len(drawn)} of {len(runs)} trainings"
    return Chart(panels, title, columns=2, height=170.0)


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


#: What figures 4.2 and 4.3 draw in full: points, and winrate.
_POINTS, _WINRATE = (-2.0, 15.0), (-0.1, 0.3)


def data_charts(data: DataDescription) -> dict[str, Chart]:
    """The charts of what there is to draw, by name."""
    charts: dict[str, Chart] = {}
    if data.labels:
        games = "the training games" if data.training else "all games"
        charts["labels"] = label_chart(data.labels, title=f"Rating labels of {games}")
    if data.deviations is not None:
        charts["deviations"] = deviations_chart(data.deviations)
    if data.settling is not None:
        charts["settling"] = ratings_by_games_chart(data.settling)
    if data.lengths is not None:
        charts["lengths"] = length_chart(
            data.lengths, what="counted games" if data.counted else "games"
        )
    for name, losses, (low, high), label in (
        ("points", data.points, _POINTS, "points lost"),
        ("winrates", data.winrates, _WINRATE, "winrate lost"),
    ):
        if losses:
            charts[name] = loss_chart(losses, low=low, high=high, label=label)
    return charts


#: Settings as the thesis writes them: name, symbol, format.
_SYMBOLS = (
    ("learning_rate", "η₀", ".2e"),
    ("decay", "β", ".4f"),
    ("rating_loss", "τ_r", ".3g"),
    ("regularisation", "τ_θ", ".3g"),
    ("depth", "l", "d"),
    ("width", "d", "d"),
    ("query_width", "d_q", "d"),
    ("inducing_points", "m", "d"),
    ("window", "N", "d"),
)


def training_document(
    network: StrengthNetwork, history: History, file: Path, *, title: str
) -> Document:
    """What came out of a training."""
    card = network.card
    lines = [
        f"{card['parameters']:,} parameters, {network.channels} features a move",
        f"trained on {card['training_games']:,} games, best after epoch {card['epoch']} "
        f"of {card['epochs']}",
        f"validation on {card['validation_games']:,} games: log-likelihood "
        f"{-card['validation_loss']:.4f}, accuracy {100 * card['accuracy']:.1f} %",
        f"network in {file}",
    ]
    return Document(
        title,
        lines,
        plain=lambda: {**card, "network": str(file)},
        drawing=lambda: training_chart(history, title=title),
    )


def search_document(
    runs: Sequence[SearchRun], *, title: str, limits: tuple[float, float] | None = None
) -> Document:
    """All trainings of a search, the best first."""

    def setting(name: str, run: SearchRun) -> Any:
        return getattr(run.settings, name)

    symbols = {name: (symbol, form) for name, symbol, form in _SYMBOLS}
    columns = [
        Column("iteration", lambda run: run.iteration, kind="integer"),
        Column("number", lambda run: run.number, kind="integer"),
        Column("", lambda run: f"{run.iteration}.{run.number:02d}", "run"),
        Column("loss", lambda run: run.loss, "loss", "number", ".4f"),
        Column("accuracy", lambda run: run.accuracy, "accuracy", "number", show=_accuracy),
        Column("best_epoch", lambda run: run.best_epoch, kind="integer"),
        Column("epochs_done", lambda run: run.epochs_done, kind="integer"),
        Column("", lambda run: f"{run.best_epoch}/{run.epochs_done}", "epochs", left=False),
        Column("seconds", lambda run: run.seconds, kind="number"),
        *(
            Column(name, partial(setting, name), *_heading(symbols.get(name)))
            for name in (field.name for field in fields(Hyperparameters))
        ),
        Column("failure", lambda run: run.failure),
        Column("folder", lambda run: run.folder),
    ]
    rows = sorted(runs, key=lambda run: run.loss)
    return Document(
        title,
        sections=[Section("", [Table(columns, rows, noun="training")])],
        records=Table(columns, runs),
        plain=lambda: [_plain(run) for run in rows],
        drawing=lambda: search_chart(runs, limits=limits, title=title),
    )


def _heading(symbol: tuple[str, str] | None) -> tuple[str, Any, str]:
    """Heading, kind and format of a setting."""
    if symbol is None:
        return "", "number", ""
    return symbol[0], "integer" if symbol[1] == "d" else "number", symbol[1]


def _accuracy(run: SearchRun) -> str:
    return f"{100 * run.accuracy:.1f} %" if math.isfinite(run.loss) else "–"


def _plain(run: SearchRun) -> dict[str, Any]:
    failed = not math.isfinite(run.loss)
    return {
        "iteration": run.iteration,
        "number": run.number,
        "loss": None if failed else run.loss,
        "accuracy": None if failed else run.accuracy,
        "best_epoch": run.best_epoch,
        "epochs_done": run.epochs_done,
        "seconds": run.seconds,
        "failure": run.failure or None,
        "folder": run.folder,
        "settings": run.settings.as_dict(),
    }


@dataclass(frozen=True, slots=True)
class _Line:
    """What is said of players who were not seen, from so many games of each."""

    scale: str
    games: int
    players: int
    median_error: float
    correlation: float


def ranked_model_document(trained: RankedModel, file: Path) -> Document:
    """How well the model tells players whom it has not seen."""
    model = trained.model
    lines = [
        line for name, each in trained.unseen.items() for line in _lines(model.scale(name), each)
    ]
    table = Table(
        [
            Column("scale", attrgetter("scale"), "Scale", left=True),
            Column("games", attrgetter("games"), "Games", "integer"),
            Column("players", attrgetter("players"), "Players", "integer"),
            Column("median_error", attrgetter("median_error"), "Median error", "number", ".2f"),
            Column("correlation", attrgetter("correlation"), "Correlation", "number", ".2f"),
        ],
        lines,
        caption="Players of each fold, by what was learnt from the others; errors in ranks.",
        noun="line",
    )
    words = [
        f"Scales: {', '.join(model.scales)}; network {model.card['network']}",
        f"Model in {file}",
    ]
    return Document(
        f"The model {model.card['name']}",
        words,
        [Section("", [table])],
        table,
        lambda: {
            "name": model.card["name"],
            "network": model.card["network"],
            "scales": list(model.scales),
            "model": str(file),
            "unseen": [
                {
                    "scale": line.scale,
                    "games": line.games,
                    "players": line.players,
                    "median_error": line.median_error,
                    "correlation": line.correlation,
                }
                for line in lines
            ],
        },
    )


def _lines(scale: ModelScale, unseen: Unseen) -> list[_Line]:
    mean = scale.moments(unseen.density)[0]
    true = unseen.strengths.mean(axis=1)
    lines = []
    for games in np.unique(unseen.games):
        rows = unseen.games == games
        both = np.corrcoef(mean[rows], true[rows])[0, 1] if rows.sum() > 2 else np.nan
        lines.append(
            _Line(
                scale.name,
                int(games),
                len(np.unique(unseen.player[rows])),
                float(np.median(np.abs(mean[rows] - true[rows]))),
                float(both),
            )
        )
    return lines


def deviations_chart(deviations: DeviationsByGames) -> Chart:
    """Rating deviations by games played: a sample and the mean (Neubauer 2024, figure 4.4)."""
    games, players = np.arange(len(deviations.mean)), deviations.sample.shape[1]
    marks: list[Mark] = [
        Points(
            np.repeat(games, players),
            deviations.sample.ravel(),
            "soft",
            f"up to {players} players",
            size=1.6,
            opacity=0.35,
        ),
        Stroke(games, deviations.mean, "c1", "mean of all players", 2.2),
    ]
    panel = Panel(
        Axis("Games played", whole=True), Axis("Rating deviation", low=0.0, grid=True), marks
    )
    return Chart([panel], words="Rating deviations by games played")


def ratings_by_games_chart(by_games: RatingsByGames, labels: Sequence[str] | None = None) -> Chart:
    """Distribution of ratings or ranks by games played (Neubauer 2024, figure 4.5).

    Args:
        labels: Names of the classes; by default the edges are numbers on the axis.
    """
    edges = np.arange(len(by_games.edges)) if labels is not None else np.asarray(by_games.edges)
    share = np.nan_to_num(by_games.share)
    highest = max(float(share.max(initial=0.0)), 1e-12)
    games, classes = np.indices(share.shape)
    cells = Bars(
        games.ravel() + 0.5,
        games.ravel() + 1.5,
        edges[classes.ravel()],
        edges[classes.ravel() + 1],
        opacity=(share / highest).ravel(),
    )
    ends = float(edges[0]), float(edges[-1])
    if labels is None:
        y = Axis("Rating", *ends)
    else:
        step = max(len(labels) // 15, 1)
        middles = [(place + 0.5, label) for place, label in enumerate(labels)][::step]
        y = Axis("Rank", *ends, ticks=middles)
    x = Axis("Games played", low=0.5, high=len(share) + 0.5, whole=True)
    return Chart(
        [Panel(x, y, [cells])],
        words="Distribution of ratings by games played",
        height=360.0,
        shading=("c1", "Players: 0", f"{100 * highest:{'.0f' if highest > 0.1 else '.2g'}} %"),
    )
