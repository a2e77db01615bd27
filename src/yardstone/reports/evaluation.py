"""Rating systems compared by their predictions: tables, a verdict in words, a calibration chart."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.evaluation.comparison import LEAST_GAMES, REPRESENTATIVE, Evaluation, Ranking, Scored
from yardstone.evaluation.metrics import LARGER_IS_BETTER
from yardstone.evaluation.splits import Subset
from yardstone.ratings.systems import SYSTEMS
from yardstone.reports.document import (
    Column,
    Document,
    Facts,
    Lines,
    Picture,
    Section,
    Table,
    reader,
)
from yardstone.reports.words import join_names, per_cent, picked, plural

if TYPE_CHECKING:
    from yardstone.reports.chart import Chart, Mark, Panel

Row = Mapping[str, Any]

#: Version of the shape of `plain_evaluation`; keys are only ever added to one.
FORMAT = 1


def evaluation_document(evaluation: Evaluation, *, title: str = "Predictions") -> Document:
    """The report of an evaluation."""
    rows = list(_rows(evaluation))
    columns = _columns(evaluation)
    everything = [row for row in rows if row["subset"] == REPRESENTATIVE]
    chart = partial(calibration_chart, evaluation)
    sections = [
        Section(blocks=[Table(columns, everything, noun="system")]),
        Section(blocks=[Lines(list(basis(evaluation)))]),
    ]
    alike: dict[str, list[str]] = {}
    for name, why in evaluation.unable.items():
        alike.setdefault(why, []).append(name)
    unable = [f"{join_names(names)}: {why}" for why, names in alike.items()]
    if unable:
        sections.append(Section("Not compared", [Lines(unable, bullets=True)]))
    picture = Picture(chart, "Mean scores against predictions, by group.")
    sections.append(Section("Calibration", [picture]))
    if len(evaluation.subsets) > 1:
        metric = METRIC_NAMES[evaluation.metric].capitalize()

        def system(scored: Scored) -> Column:
            def value(part: Subset) -> float | None:
                return scored.value(evaluation.metric, part.name)

            return Column("", value, scored.name, "number", show=lambda part: number(value(part)))

        by_part = [Column("", "name", "Part"), Column("", "number", "Games", "integer")]
        by_part += map(system, evaluation.systems)
        table = Table(by_part, evaluation.subsets[1:], noun="part")
        sections.append(Section(f"{metric} on parts of these games", [table]))
    if evaluation.notes:
        sections.append(Section("Notes", [Lines(evaluation.notes, bullets=True)]))

    def short(value: object) -> str:
        return f"{value:.4g}" if isinstance(value, float) else str(value)

    parameters = [
        (scored.name, ", ".join(f"{name} {short(value)}" for name, value in own.items()))
        for scored in evaluation.ranked
        if (own := scored.prediction.parameters)
    ]
    if parameters:
        sections.append(Section("Parameters", [Facts(parameters)]))
    lead, records = [*verdict(evaluation), headline(evaluation)], Table(columns, rows, noun="row")
    return Document(title, lead, sections, records, partial(plain_evaluation, evaluation), chart)


def number(value: float | None, digits: int = 4) -> str:
    """A measure as people read it."""
    if value is None or not isfinite(value):
        return Column.unknown
    return f"{value:.{digits}f}".replace("-", "−")


def _share(value: float) -> str:
    """A share in per cent; 0 and 100 stand only for certainty."""
    if 0.9995 <= value < 1.0:
        return "> 99.9 %"
    return "< 0.1 %" if 0.0 < value < 0.0005 else f"{100.0 * value:.1f} %"


def _rows(evaluation: Evaluation) -> Iterator[Row]:
    """The systems on each part of the games, and how far they lie behind the best there."""
    for part in evaluation.subsets:
        lag = {}
        if (part.name, evaluation.metric) in evaluation.bootstraps and evaluation.ranked:
            order = evaluation.ranking_by(evaluation.metric, part.name)
            lag = dict(zip(order.names, zip(order.behind, order.best, strict=True), strict=True))
        for place, scored in enumerate(evaluation.systems, 1):
            row = {"scored": scored, "metrics": scored.metrics[part.name], "subset": part.name}
            row["rank"] = None if scored.prediction.baseline else place
            row["behind"], row["best"] = lag.get(scored.name, (None, None))
            yield row


def _columns(evaluation: Evaluation) -> list[Column]:
    draws = any(scored.prediction.draw is not None for scored in evaluation.systems)

    def figure(
        name: str, path: str, heading: str = "", way: int = 0, show: Callable[[Any], str] = number
    ) -> Column:
        """One that is empty for people where a system is not compared with the best."""
        read = reader(path)

        def text(row: Row) -> str:
            value = read(row)
            return "" if path in ("behind.estimate", "best") and value is None else show(value)

        return Column(name, path, heading, "number", show=text, gives_way=way)

    def log_likelihood(row: Row) -> str:
        metrics = row["metrics"]
        return "−∞" if metrics.impossible else number(metrics.log_likelihood)

    def interval(row: Row) -> str:
        behind = row["behind"]
        return "" if behind is None else f"{number(behind.low)} to {number(behind.high)}"

    level, likelihood = f"{per_cent(evaluation.confidence)} interval", "metrics.log_likelihood"
    return [
        Column("", "rank", "Rank", "integer", "d", unknown="", ascending=True),
        Column("system", "scored.name", "System"),
        Column("subset"),
        Column("games", "metrics.games", kind="integer"),
        Column("rank", kind="integer"),
        Column("baseline", "scored.prediction.baseline", kind="boolean"),
        Column("log_likelihood", likelihood, "Log-likelihood", "number", show=log_likelihood),
        figure("behind", "behind.estimate", "Behind"),
        *Column.files("behind_low=behind.low", "behind_high=behind.high"),
        Column("", "behind.low", level, "number", show=interval, gives_way=6),
        figure("best", "best", "Best", 5, _share),
        figure("accuracy", "metrics.accuracy", "Accuracy", 4, _share),
        *Column.files("metrics.constant_side"),
        figure("brier", "metrics.brier", "Brier", 3),
        figure("three_way", "metrics.three_way", "Win/draw/loss" if draws else "", 2),
        Column("impossible", "metrics.impossible", kind="integer"),
        figure("", "scored.calibration.slope", "Slope", 1, lambda slope: number(slope, 2)),
    ]


def plain_evaluation(evaluation: Evaluation) -> dict[str, Any]:
    """The whole evaluation as dictionaries, lists, numbers, strings and None."""
    ranks = {scored.name: place for place, scored in enumerate(evaluation.ranked, 1)}
    period = evaluation.period
    return {
        "format": FORMAT,
        **picked(evaluation, "metric", "confidence", "games", "players", "earlier", "tuned"),
        "period": None if period is None else {"from": str(period[0]), "to": str(period[1])},
        "conclusion": verdict(evaluation),
        "systems": [
            {
                "name": scored.name,
                "rank": ranks.get(scored.name),
                "baseline": scored.prediction.baseline,
                "parameters": dict(scored.prediction.parameters),
                **picked(scored.prediction, "own_draws", "given", "seconds"),
                "metrics": {name: metrics.as_dict() for name, metrics in scored.metrics.items()},
                "calibration": scored.calibration.as_dict(),
            }
            for scored in evaluation.systems
        ],
        "rankings": [
            _plain_ranking(evaluation.ranking_by(metric, subset))
            for (subset, metric), (names, *_) in evaluation.bootstraps.items()
            if not ranks.keys().isdisjoint(names)
        ],
        "subsets": [picked(part, "name", "games=number", "about") for part in evaluation.subsets],
        "notes": list(evaluation.notes),
        "advantages": dict(evaluation.advantages),
        "unable": dict(evaluation.unable),
    }


def _plain_ranking(order: Ranking) -> dict[str, Any]:
    ends = ("behind=1.estimate", "1.low", "1.high")
    return {
        **picked(order, "metric", "subset", "unit"),
        "systems": [
            picked(row, "name=0", *ends, "best=2") | {"tied": row[0] in order.tied}
            for row in zip(order.names, order.behind, order.best, strict=True)
        ],
    }


#: What people call the metrics.
METRIC_NAMES = {
    "log_likelihood": "log-likelihood",
    "three_way": "win/draw/loss log-likelihood",
    "brier": "Brier score",
    "accuracy": "accuracy",
}


def verdict(evaluation: Evaluation) -> list[str]:
    """Which system predicts best, and how sure that is, in sentences."""
    if not evaluation.ranked:
        return []
    if (REPRESENTATIVE, evaluation.metric) not in evaluation.bootstraps:
        if evaluation.players and evaluation.games >= LEAST_GAMES:
            return [
                "Too few players to say which system is best: intervals are over players, and "
                "almost all games here are between two or three of them.",
            ]
        return ["Too few games to say which system is best."]
    order = evaluation.ranking
    top, others = order.names[0], order.names[1:]
    if not others:
        lines = [f"{_title(top)} is the only system."]
    elif not order.tied:
        lines = [f"{_title(top)} predicts best: better than {_leads(evaluation, others)}."]
    else:
        lines = [
            f"{_title(top)} did best, but not significantly better than {_listed(order.tied)}."
        ]
        if behind := [name for name in others if name not in order.tied]:
            lines.append(f"It is better than {_leads(evaluation, behind)}.")
    if others:
        lines += _undecided(order, others)
        lines.append(
            f"This holds at {per_cent(order.confidence)}"
            + (" for all comparisons of two systems together." if len(others) > 1 else ".")
        )
        told: dict[str, list[str]] = {}  # what some of the systems were told
        for scored in evaluation.ranked:
            for what in scored.prediction.given:
                told.setdefault(what, []).append(scored.name)
        if told:
            parts = "; ".join(f"{what} to {_listed(names)}" for what, names in told.items())
            lines.append(f"Not all were given the same. Beside results and dates: {parts}.")
    return [*lines, *_below_baselines(evaluation)]


def _leads(evaluation: Evaluation, names: Sequence[str]) -> str:
    """Other systems, and by how much the best one is better than each."""
    order = evaluation.ranking
    parts = []
    for name in names:
        place = order.names.index(name)
        behind, ends = order.behind[place], order.together[place]
        if behind is None or ends is None:
            parts.append(f"{name}, which gave a result probability 0")
        else:
            low, high = (number(end) for end in ends)
            parts.append(f"{name} by {number(behind.estimate)} [{low}, {high}]")
    return f"{_listed(parts)} in {METRIC_NAMES[evaluation.metric]}"


def _undecided(order: Ranking, others: Sequence[str]) -> Iterator[str]:
    """Name the groups of systems between which there is no significant difference."""
    if order.tied:
        return
    known = [name for name, ends in zip(order.names, order.together, strict=True) if ends]
    groups: list[list[str]] = []
    for name in known:
        if groups and all((one, name) not in order.apart for one in groups[-1]):
            groups[-1].append(name)
        else:
            groups.append([name])
    for group in groups:
        if len(group) > 1:
            yield f"No significant difference between {_listed(group)}."


def _title(name: str) -> str:
    entry = SYSTEMS.get(name)
    if entry is None or not entry.title:
        return name
    return f"{entry.title[0].upper()}{entry.title[1:]} ({name})"


def _below_baselines(evaluation: Evaluation) -> Iterator[str]:
    """Warn of systems that predict worse than a baseline."""
    sign = 1.0 if LARGER_IS_BETTER[evaluation.metric] else -1.0
    for floor in (scored for scored in evaluation.systems if scored.prediction.baseline):
        bar = floor.value(evaluation.metric)
        worse = [
            scored.name
            for scored in evaluation.ranked
            if bar is not None
            and (value := scored.value(evaluation.metric)) is not None
            and sign * value < sign * bar
        ]
        if worse:
            verb = "does" if len(worse) == 1 else "do"
            yield f"{_listed(worse)} {verb} worse than the baseline “{floor.name}”."


#: None may be left out of a claim.
_listed = partial(join_names, most=None)


def headline(evaluation: Evaluation) -> str:
    """What was compared on what."""
    text = f"{plural(len(evaluation.ranked), 'system')} on {plural(evaluation.games, 'game')}"
    if evaluation.players:
        text += f" of {plural(evaluation.players, 'player')}"
    if evaluation.period is not None:
        first, last = (str(moment)[:10] for moment in evaluation.period)
        text += f", {first}" if first == last else f", {first} to {last}"
    return text


def basis(evaluation: Evaluation) -> Iterator[str]:
    """How it was done."""
    if evaluation.earlier:
        yield (
            "Each game was predicted from the games before it; the first "
            f"{evaluation.earlier:,} games were used for training only."
        )
        if evaluation.tuned:
            trials = f"{plural(evaluation.tuned, 'trial')} per system, the untuned one among them"
            yield f"Parameters were tuned on those alone, {trials}."
    using = {name: points for name, points in evaluation.advantages.items() if points}
    others = sorted(name for name in evaluation.advantages if name not in using)
    if using:
        listed = ", ".join(
            f"{name} ({f'{points:+.0f}'.replace('-', '−')})"
            for name, points in sorted(using.items())
        )
        helped = "because it helped on the earlier games"
        yield f"With a first-move advantage, in points, {helped}: {listed}."
        if others:
            yield f"Without it, because it did not help: {', '.join(others)}."
    elif others:
        yield "No system uses a first-move advantage: it helped none on those games."
    for _, bootstrap in list(evaluation.bootstraps.values())[:1]:
        over = "games: the players are not known, so games of one player are taken as independent"
        if bootstrap.unit == "player":
            over = "players (games that share a player count as one cluster)"
        yield f"Intervals in tables are at {per_cent(evaluation.confidence)} each, over {over}."


#: Systems in one picture: more panels than these cannot be read.
_MOST_PANELS = 9


def calibration_chart(evaluation: Evaluation) -> Chart:
    """Draw, for each system, mean scores against mean predictions in groups of games.

    On the diagonal predictions are right. Lines are intervals; the grey shape
    below shows where predictions lie.
    """
    from yardstone.reports.chart import Chart

    systems = evaluation.ranked[:_MOST_PANELS]
    title = f"Calibration on {evaluation.games:,} games"
    if len(systems) < len(evaluation.ranked):
        title += f": the best {len(systems)} of {len(evaluation.ranked)} systems"
    words, panels = f"{title}: mean scores against predictions", list(map(_panel, systems))
    note = "Across: the predicted score of the player who moves first; up: the mean score. "
    note += "Grey: where the predictions lie."
    widths = (80.0 + 227.0 * min(max(len(systems), 1), 3), 360.0)
    return Chart(panels, title, words, note, columns=3, widths=widths)


def _panel(scored: Scored) -> Panel:
    from yardstone.reports.chart import Axis, Bars, Label, Panel, Points, Stroke

    groups = scored.calibration
    width = np.maximum(groups.high - groups.low, 0.004)
    density = groups.games / width
    slope = "" if groups.slope != groups.slope else f"slope {groups.slope:.2f}, "
    words = f"{slope}error {groups.error:.3f}"
    interval = groups.observed_low, groups.observed_high
    marks: list[Mark] = [
        Bars(groups.low, groups.low + width, 0.0, 0.18 * density / density.max(), "grid"),
        Stroke([0.0, 1.0], [0.0, 1.0], "soft", width=1.0, dash=(4.0, 3.0)),
        Points(groups.predicted, groups.observed, along=interval),
        Label(0.98, 0.22, words, "end", "soft"),
    ]
    ends = Axis(low=0.0, high=1.0, ticks=[(k / 4, f"{k / 4:g}") for k in range(5)])
    return Panel(ends, ends, marks, scored.name, square=True)
