"""What an evaluation says, in sentences: the verdict, and how it was come by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite
from typing import TYPE_CHECKING

from yardstone.evaluation.comparison import LEAST_GAMES, REPRESENTATIVE
from yardstone.evaluation.metrics import LARGER_IS_BETTER
from yardstone.ratings.systems import SYSTEMS
from yardstone.reports.words import per_cent, plural

if TYPE_CHECKING:
    from yardstone.evaluation.comparison import Evaluation, Ranking

__all__ = ["METRIC_NAMES", "basis", "headline", "number", "verdict"]

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
        lines += _given(evaluation)
    return [*lines, *_below_baselines(evaluation)]


def _given(evaluation: Evaluation) -> Iterator[str]:
    """What some of the systems were told that others were not."""
    told: dict[str, list[str]] = {}
    for scored in evaluation.ranked:
        for what in scored.prediction.given:
            told.setdefault(what, []).append(scored.name)
    if told:
        parts = "; ".join(f"{what} to {_listed(names)}" for what, names in told.items())
        yield f"Not all were given the same. Beside results and dates: {parts}."


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
    """Which of the others cannot be told from their neighbours, if not all of them can."""
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
    """What people call a system, with its name."""
    entry = SYSTEMS.get(name)
    if entry is None or not entry.title:
        return name
    title = entry.title[0].upper() + entry.title[1:]
    return f"{title} ({name})"


def _below_baselines(evaluation: Evaluation) -> Iterator[str]:
    """A warning for systems that lose to knowing nothing."""
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


def _listed(names: Sequence[str]) -> str:
    """All the names: none may be left out of a claim."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def headline(evaluation: Evaluation) -> str:
    """What was compared on what."""
    text = f"{plural(len(evaluation.ranked), 'system')} on {plural(evaluation.games, 'game')}"
    if evaluation.players:
        text += f" of {plural(evaluation.players, 'player')}"
    if evaluation.period is not None:
        first, last = (str(moment)[:10] for moment in evaluation.period)
        text += f", {first}" if first == last else f", {first} to {last}"
    return text


def basis(evaluation: Evaluation) -> list[str]:
    """How it was done."""
    return [*_learned(evaluation), *_first_move(evaluation), *_intervals(evaluation)]


def _learned(evaluation: Evaluation) -> Iterator[str]:
    if evaluation.earlier:
        yield (
            "Each game was predicted from the games before it; the first "
            f"{evaluation.earlier:,} games were used for training only."
        )
        if evaluation.tuned:
            trials = plural(evaluation.tuned, "trial")
            yield (
                f"Parameters were tuned on those alone, {trials} per system, the untuned one "
                "among them."
            )


def _first_move(evaluation: Evaluation) -> Iterator[str]:
    """Which systems reckon with an advantage of moving first."""
    using = {name: points for name, points in evaluation.advantages.items() if points}
    others = [name for name in evaluation.advantages if name not in using]
    if using:
        listed = ", ".join(
            f"{name} ({f'{points:+.0f}'.replace('-', '−')})"
            for name, points in sorted(using.items())
        )
        yield (
            "With a first-move advantage, in points, because it helped on the earlier "
            f"games: {listed}."
        )
    if using and others:
        yield f"Without it, because it did not help: {', '.join(sorted(others))}."
    elif others:
        yield "No system uses a first-move advantage: it helped none on those games."


def _intervals(evaluation: Evaluation) -> Iterator[str]:
    """What intervals are over."""
    if evaluation.bootstraps:
        unit = next(iter(evaluation.bootstraps.values()))[1].unit
        level = per_cent(evaluation.confidence)
        yield (
            f"Intervals in tables are at {level} each, over {unit}s (games that share a player "
            "count as one cluster)."
            if unit == "player"
            else f"Intervals in tables are at {level} each, over games: the players are not "
            "known, so games of one player are taken as independent."
        )


def number(value: float | None, digits: int = 4) -> str:
    """A measure as people read it."""
    known = value is not None and isfinite(value)
    return f"{value:.{digits}f}".replace("-", "−") if known else "–"
