"""An evaluation in words and as plain values; tables and pages are made from these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from yardstone.evaluation.compare import LEAST_GAMES
from yardstone.evaluation.metrics import LARGER_IS_BETTER
from yardstone.evaluation.result import REPRESENTATIVE

if TYPE_CHECKING:
    from yardstone.evaluation.result import Evaluation, Ranking, Scored

__all__ = [
    "CSV_COLUMNS",
    "METRIC_NAMES",
    "basis",
    "conclusion",
    "csv_evaluation",
    "headline",
    "number",
    "plain_evaluation",
]

#: Version of the shape of `plain_evaluation`; keys are only ever added to one.
FORMAT = 1
#: What people call the metrics.
METRIC_NAMES = {
    "log_likelihood": "log-likelihood",
    "three_way": "win/draw/loss log-likelihood",
    "brier": "Brier score",
    "accuracy": "accuracy",
}
#: Columns of the table as CSV and Parquet, with their types in SQL.
CSV_COLUMNS = {
    "system": "VARCHAR",
    "subset": "VARCHAR",
    "games": "BIGINT",
    "rank": "INTEGER",
    "baseline": "BOOLEAN",
    "log_likelihood": "DOUBLE",
    "behind": "DOUBLE",
    "behind_low": "DOUBLE",
    "behind_high": "DOUBLE",
    "best": "DOUBLE",
    "accuracy": "DOUBLE",
    "constant_side": "DOUBLE",
    "brier": "DOUBLE",
    "three_way": "DOUBLE",
    "impossible": "BIGINT",
}


def plural(count: int, noun: str) -> str:
    """A number with its noun."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def number(value: float | None, digits: int = 4) -> str:
    """A measure as people read it."""
    return "–" if value is None else f"{value:.{digits}f}".replace("-", "−")


def percent(value: float) -> str:
    """A share in per cent; certainty is only written where it is."""
    if 0.9995 <= value < 1.0:
        return "> 99.9 %"
    if 0.0 < value < 0.0005:
        return "< 0.1 %"
    return f"{100.0 * value:.1f} %"


def headline(found: Evaluation) -> str:
    """What was compared on what."""
    text = f"{plural(len(found.ranked), 'system')} on {plural(found.games, 'game')}"
    if found.players:
        text += f" of {plural(found.players, 'player')}"
    if found.period is not None:
        first, last = (str(moment)[:10] for moment in found.period)
        text += f", {first}" if first == last else f", {first} to {last}"
    return text


def basis(found: Evaluation) -> list[str]:
    """How it was done."""
    lines = []
    if found.earlier:
        learned = f"Each game was predicted from the games before it; the first {found.earlier:,} "
        lines.append(learned + "games only served to learn from.")
        if found.tuned:
            lines.append(
                f"Parameters were tuned on those alone, {plural(found.tuned, 'trial')} a system."
            )
    if found.bootstraps:
        unit = next(iter(found.bootstraps.values()))[1].unit
        lines.append(
            f"Intervals are at {100 * found.confidence:g} %, over {unit}s (games that share a "
            "player count as one cluster)."
            if unit == "player"
            else f"Intervals are at {100 * found.confidence:g} %, over games: the players are "
            "not known, so games of one player are taken as independent."
        )
    return lines


def conclusion(found: Evaluation) -> list[str]:
    """Which system is best, and how sure that is."""
    if not found.ranked:
        return []
    if (REPRESENTATIVE, found.metric) not in found.bootstraps:
        if found.players and found.games >= LEAST_GAMES:
            return [
                "There are too few players to say which system is best: intervals are over "
                "players, and here almost all games are between two or three of them.",
            ]
        return ["There are too few games to say which system is best."]
    order = found.ranking
    top = order.names[0]
    level = f"{100 * order.confidence:g} %"
    lines = []
    if len(order.names) == 1:
        lines.append(f"{top} is the only system.")
    elif order.tied:
        ties = _listed(order.tied)
        lines.append(
            f"{top} did best, but it cannot be told from {ties} "
            f"({level}, all comparisons together)."
        )
    else:
        lines.append(
            f"{top} predicts best: better than every other system here "
            f"(sure at {level}, all comparisons together)."
        )
    if len(order.names) > 1 and (behind := order.behind[1]) is not None:
        lines.append(
            f"Next comes {order.names[1]}, behind by {number(behind.estimate)} "
            f"({number(behind.low)} to {number(behind.high)}) in {METRIC_NAMES[found.metric]}; "
            f"{top} is ahead of all others in {percent(order.best[0])} of the bootstrap."
        )
    lines += _below_baselines(found)
    return lines


def _below_baselines(found: Evaluation) -> list[str]:
    """A warning for systems that lose to knowing nothing."""
    sign = 1.0 if LARGER_IS_BETTER[found.metric] else -1.0
    floors = [s for s in found.systems if s.prediction.baseline]
    lines = []
    for floor in floors:
        bar = floor.value(found.metric)
        worse = [
            scored.name
            for scored in found.ranked
            if bar is not None
            and (v := scored.value(found.metric)) is not None
            and sign * v < sign * bar
        ]
        if worse:
            verb = "does" if len(worse) == 1 else "do"
            lines.append(f"{_listed(worse)} {verb} worse than the baseline “{floor.name}”.")
    return lines


def _listed(names: tuple[str, ...] | list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def plain_evaluation(found: Evaluation) -> dict[str, Any]:
    """The whole evaluation as dictionaries, lists, numbers, strings and None."""
    ranks = {scored.name: place for place, scored in enumerate(found.ranked, 1)}
    return {
        "format": FORMAT,
        "metric": found.metric,
        "confidence": found.confidence,
        "games": found.games,
        "players": found.players,
        "earlier": found.earlier,
        "tuned": found.tuned,
        "period": None
        if found.period is None
        else {"from": str(found.period[0]), "to": str(found.period[1])},
        "conclusion": conclusion(found),
        "systems": [_plain_system(scored, ranks.get(scored.name)) for scored in found.systems],
        "rankings": [
            _plain_ranking(found.ranking_by(metric, subset))
            for subset, metric in found.bootstraps
            if found.ranked and _rankable(found, metric, subset)
        ],
        "subsets": [
            {"name": part.name, "games": int(part.games.sum()), "about": part.about}
            for part in found.subsets
        ],
        "notes": list(found.notes),
    }


def _rankable(found: Evaluation, metric: str, subset: str) -> bool:
    names = found.bootstraps[subset, metric][0]
    return any(scored.name in names for scored in found.ranked)


def _plain_system(scored: Scored, rank: int | None) -> dict[str, Any]:
    prediction = scored.prediction
    return {
        "name": scored.name,
        "rank": rank,
        "baseline": prediction.baseline,
        "parameters": dict(prediction.parameters),
        "own_draws": prediction.own_draws,
        "seconds": prediction.seconds,
        "metrics": {name: metrics.as_dict() for name, metrics in scored.metrics.items()},
        "calibration": scored.calibration.as_dict(),
    }


def _plain_ranking(order: Ranking) -> dict[str, Any]:
    systems = []
    for name, behind, best in zip(order.names, order.behind, order.best, strict=True):
        systems.append(
            {
                "name": name,
                "behind": None if behind is None else behind.estimate,
                "low": None if behind is None else behind.low,
                "high": None if behind is None else behind.high,
                "best": best,
                "tied": name in order.tied,
            }
        )
    return {
        "metric": order.metric,
        "subset": order.subset,
        "unit": order.unit,
        "systems": systems,
    }


def csv_evaluation(found: Evaluation) -> str:
    """One row for each system and subset; unknown values are left empty."""
    import csv
    import io

    out = io.StringIO()
    writer = csv.DictWriter(out, list(CSV_COLUMNS), lineterminator="\n")
    writer.writeheader()
    ranks = {scored.name: place for place, scored in enumerate(found.ranked, 1)}
    for part in found.subsets:
        lag = {}
        if (part.name, found.metric) in found.bootstraps and found.ranked:
            order = found.ranking_by(found.metric, part.name)
            lag = dict(zip(order.names, zip(order.behind, order.best, strict=True), strict=True))
        for scored in found.systems:
            behind, best = lag.get(scored.name, (None, None))
            row: dict[str, Any] = {
                "system": scored.name,
                "subset": part.name,
                "rank": ranks.get(scored.name),
                "baseline": str(scored.prediction.baseline).lower(),
                "best": best,
                **scored.metrics[part.name].as_dict(),
            }
            if behind is not None:
                row |= {
                    "behind": behind.estimate,
                    "behind_low": behind.low,
                    "behind_high": behind.high,
                }
            writer.writerow(row)
    return out.getvalue()
