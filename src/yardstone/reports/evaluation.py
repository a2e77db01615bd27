"""Rating systems compared by their predictions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from yardstone.evaluation.comparison import REPRESENTATIVE
from yardstone.reports.document import Column, Document, Facts, Lines, Picture, Section, Table
from yardstone.reports.evaluation_sentences import METRIC_NAMES, basis, headline, number, verdict
from yardstone.reports.words import join_names, per_cent

if TYPE_CHECKING:
    from yardstone.evaluation.comparison import Evaluation, Ranking, Scored
    from yardstone.evaluation.metrics import Measures
    from yardstone.evaluation.splits import Subset
    from yardstone.evaluation.uncertainty import MeanInterval
    from yardstone.reports.charts.chart import Chart

__all__ = ["evaluation_document", "plain_evaluation"]

#: Version of the shape of `plain_evaluation`; keys are only ever added to one.
FORMAT = 1


def evaluation_document(evaluation: Evaluation, *, title: str = "Predictions") -> Document:
    """The report of an evaluation."""
    rows = list(_rows(evaluation))
    columns = _columns(evaluation)
    everything = [row for row in rows if row.subset == REPRESENTATIVE]
    chart = partial(_chart, evaluation)
    sections = [
        Section(blocks=[Table(columns, everything, noun="system")]),
        Section(blocks=[Lines(basis(evaluation))]),
    ]
    if evaluation.unable:
        alike: dict[str, list[str]] = {}
        for name, why in evaluation.unable.items():
            alike.setdefault(why, []).append(name)
        unable = [f"{join_names(names)}: {why}" for why, names in alike.items()]
        sections.append(Section("Not compared", [Lines(unable, bullets=True)]))
    sections.append(
        Section("Calibration", [Picture(chart, "Mean scores against predictions, by group.")])
    )
    if len(evaluation.subsets) > 1:
        metric = METRIC_NAMES[evaluation.metric].capitalize()
        parts = evaluation.subsets[1:]
        table = Table(_part_columns(evaluation), parts, noun="part")
        sections.append(Section(f"{metric} on parts of these games", [table]))
    if evaluation.notes:
        sections.append(Section("Notes", [Lines(evaluation.notes, bullets=True)]))
    if parameters := list(_parameters(evaluation)):
        sections.append(Section("Parameters", [Facts(parameters)]))
    return Document(
        title=title,
        lead=[*verdict(evaluation), headline(evaluation)],
        sections=sections,
        records=Table(columns, rows, noun="row"),
        plain=partial(plain_evaluation, evaluation),
        drawing=chart,
    )


def _chart(evaluation: Evaluation) -> Chart:
    from yardstone.reports.charts.calibration import calibration_chart

    return calibration_chart(evaluation)


def _share(value: float) -> str:
    """A share in per cent; certainty is only written where it is."""
    if 0.9995 <= value < 1.0:
        return "> 99.9 %"
    if 0.0 < value < 0.0005:
        return "< 0.1 %"
    return f"{100.0 * value:.1f} %"


@dataclass(frozen=True)
class _SystemRow:
    """A system on a part of the games, and how far it lies behind the best there."""

    scored: Scored
    subset: str
    place: int
    behind: MeanInterval | None
    best: float | None

    @property
    def metrics(self) -> Measures:
        return self.scored.metrics[self.subset]


def _rows(evaluation: Evaluation) -> Iterator[_SystemRow]:
    for part in evaluation.subsets:
        lag = {}
        if (part.name, evaluation.metric) in evaluation.bootstraps and evaluation.ranked:
            order = evaluation.ranking_by(evaluation.metric, part.name)
            behind = zip(order.behind, order.best, strict=True)
            lag = dict(zip(order.names, behind, strict=True))
        for place, scored in enumerate(evaluation.systems, 1):
            yield _SystemRow(scored, part.name, place, *lag.get(scored.name, (None, None)))


def _columns(evaluation: Evaluation) -> list[Column]:
    """What a row says, in files and to people."""
    draws = any(scored.prediction.draw is not None for scored in evaluation.systems)

    def metric(name: str, heading: str = "", gives_way: int = 0) -> Column:
        def value(row: _SystemRow) -> Any:
            return getattr(row.metrics, name)

        def show(row: _SystemRow) -> str:
            return number(value(row))

        return Column(name, value, heading, "number", show=show, gives_way=gives_way)

    def behind(name: str, end: str, heading: str = "") -> Column:
        def value(row: _SystemRow) -> float | None:
            return None if row.behind is None else getattr(row.behind, end)

        def show(row: _SystemRow) -> str:
            return "" if row.behind is None else number(row.behind.estimate)

        return Column(name, value, heading, "number", show=show)

    def log_likelihood(row: _SystemRow) -> str:
        return "−∞" if row.metrics.impossible else number(row.metrics.log_likelihood)

    def interval(row: _SystemRow) -> str:
        return (
            "" if row.behind is None else f"{number(row.behind.low)} to {number(row.behind.high)}"
        )

    def rank(row: _SystemRow) -> int | None:
        return None if row.scored.prediction.baseline else row.place

    return [
        Column("", rank, "Rank", "integer", show=lambda row: str(rank(row) or ""), ascending=True),
        Column("system", lambda row: row.scored.name, "System"),
        Column("subset", lambda row: row.subset),
        Column("games", lambda row: row.metrics.games, kind="integer"),
        Column("rank", rank, kind="integer"),
        Column("baseline", lambda row: row.scored.prediction.baseline, kind="boolean"),
        Column(
            "log_likelihood",
            lambda row: row.metrics.log_likelihood,
            "Log-likelihood",
            "number",
            show=log_likelihood,
        ),
        behind("behind", "estimate", "Behind"),
        behind("behind_low", "low"),
        behind("behind_high", "high"),
        Column(
            "",
            lambda row: row.behind and row.behind.low,
            f"{per_cent(evaluation.confidence)} interval",
            "number",
            show=interval,
            gives_way=6,
        ),
        Column(
            "best",
            lambda row: row.best,
            "Best",
            "number",
            show=lambda row: "" if row.best is None else _share(row.best),
            gives_way=5,
        ),
        Column(
            "accuracy",
            lambda row: row.metrics.accuracy,
            "Accuracy",
            "number",
            show=lambda row: _share(row.metrics.accuracy),
            gives_way=4,
        ),
        metric("constant_side"),
        metric("brier", "Brier", 3),
        metric("three_way", "Win/draw/loss" if draws else "", 2),
        Column("impossible", lambda row: row.metrics.impossible, kind="integer"),
        Column(
            "",
            lambda row: row.scored.calibration.slope,
            "Slope",
            "number",
            show=lambda row: number(row.scored.calibration.slope, 2),
            gives_way=1,
        ),
    ]


def _part_columns(evaluation: Evaluation) -> list[Column]:
    """A row a part of the games, a column a system."""

    def system(scored: Scored) -> Column:
        def value(part: Subset) -> float | None:
            return scored.value(evaluation.metric, part.name)

        return Column("", value, scored.name, "number", show=lambda part: number(value(part)))

    return [
        Column("", lambda part: part.name, "Part"),
        Column("", lambda part: part.number, "Games", "integer"),
        *map(system, evaluation.systems),
    ]


def _parameters(evaluation: Evaluation) -> Iterator[tuple[str, str]]:
    """Each system whose parameters are not its own, with them."""
    for scored in evaluation.ranked:
        if parameters := scored.prediction.parameters:
            yield scored.name, ", ".join(f"{name} {_short(v)}" for name, v in parameters.items())


def _short(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def plain_evaluation(evaluation: Evaluation) -> dict[str, Any]:
    """The whole evaluation as dictionaries, lists, numbers, strings and None."""
    ranks = {scored.name: place for place, scored in enumerate(evaluation.ranked, 1)}
    period = evaluation.period
    return {
        "format": FORMAT,
        "metric": evaluation.metric,
        "confidence": evaluation.confidence,
        "games": evaluation.games,
        "players": evaluation.players,
        "earlier": evaluation.earlier,
        "tuned": evaluation.tuned,
        "period": None if period is None else {"from": str(period[0]), "to": str(period[1])},
        "conclusion": verdict(evaluation),
        "systems": [_plain_system(scored, ranks.get(scored.name)) for scored in evaluation.systems],
        "rankings": [
            _plain_ranking(evaluation.ranking_by(metric, subset))
            for subset, metric in evaluation.bootstraps
            if _rankable(evaluation, metric, subset)
        ],
        "subsets": [
            {"name": part.name, "games": part.number, "about": part.about}
            for part in evaluation.subsets
        ],
        "notes": list(evaluation.notes),
        "advantages": dict(evaluation.advantages),
        "unable": dict(evaluation.unable),
    }


def _rankable(evaluation: Evaluation, metric: str, subset: str) -> bool:
    names = evaluation.bootstraps[subset, metric][0]
    return any(scored.name in names for scored in evaluation.ranked)


def _plain_system(scored: Scored, rank: int | None) -> dict[str, Any]:
    prediction = scored.prediction
    return {
        "name": scored.name,
        "rank": rank,
        "baseline": prediction.baseline,
        "parameters": dict(prediction.parameters),
        "own_draws": prediction.own_draws,
        "given": list(prediction.given),
        "seconds": prediction.seconds,
        "metrics": {name: metrics.as_dict() for name, metrics in scored.metrics.items()},
        "calibration": scored.calibration.as_dict(),
    }


def _plain_ranking(order: Ranking) -> dict[str, Any]:
    return {
        "metric": order.metric,
        "subset": order.subset,
        "unit": order.unit,
        "systems": [
            {
                "name": name,
                "behind": None if behind is None else behind.estimate,
                "low": None if behind is None else behind.low,
                "high": None if behind is None else behind.high,
                "best": best,
                "tied": name in order.tied,
            }
            for name, behind, best in zip(order.names, order.behind, order.best, strict=True)
        ],
    }
