"""How well pairing systems measure, and the search for weights that measure best."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.evaluation.multiple import holm, two_sided
from yardstone.reports.charts.tournament import quality_chart, search_chart
from yardstone.reports.document import Column, Document, Lines, Picture, Section, Table
from yardstone.reports.tournament.intervals import signed_within, within
from yardstone.reports.tournament.tiebreaks import DOUBT
from yardstone.winprob.grades import format_grade

if TYPE_CHECKING:
    from yardstone.lab.tournaments.pairing_quality import Circuit, Quality
    from yardstone.lab.tournaments.weight_search import Trial, WeightSearch

__all__ = ["quality_document", "search_document"]

#: Trials that people see, the best ones.
_TRIALS = 10


def quality_document(qualities: Sequence[Quality], circuit: Circuit, *, win: str) -> Document:
    """Table and conclusion of the comparison of pairing systems, played by a win probability."""
    base = qualities[0]
    columns: list[Column] = [
        Column("name", lambda q: q.name, "Pairing"),
        Column("rms", lambda q: q.rms, "RMS error", "number", show=_rms),
        Column("error", lambda q: q.error, kind="number"),
        Column(
            "",
            lambda q: q.ahead,
            f"Less {base.name}",
            "number",
            show=lambda q: "" if q is base else _gain(q),
        ),
        Column("drift", lambda q: q.drift, "Drift", "number", "+.1f", gives_way=1),
        Column("scatter", lambda q: q.scatter, "Scatter", "number", gives_way=2),
        Column("ahead", lambda q: q.ahead, kind="number"),
        Column("ahead_error", lambda q: q.ahead_error, kind="number"),
    ]
    table = Table(columns, qualities, noun="pairing")
    meaning = [
        "RMS error: of the measured ratings against the true ones, in points (100 a grade).",
        "Drift: mean of measured less true ratings.",
        "Scatter: the RMS error about each grade's own mean.",
        "± is a 95 % interval over populations.",
    ]
    caption = "RMS error over successive tournaments."
    return Document(
        "Pairing systems",
        [_played(circuit, base.replicates, win)],
        [
            Section("", [table]),
            Section("", [Lines(meaning)]),
            Section("", [Lines(_conclusion(qualities))]),
            Section("", [Picture(lambda: quality_chart(qualities), caption)]),
        ],
        records=table,
        plain=lambda: {"format": 1, "baseline": base.name, "pairings": _plain_qualities(qualities)},
        drawing=lambda: quality_chart(qualities),
    )


def _played(circuit: Circuit, replicates: int, win: str) -> str:
    return (
        f"{replicates} populations of {circuit.population} players, {circuit.tournaments} "
        f"tournaments of {circuit.players} players and {circuit.rounds} rounds each; win "
        f"probability: {win}."
    )


def _rms(quality: Quality) -> str:
    return within(quality.rms, quality.error, 1, reach=quality.reach)


def _gain(quality: Quality) -> str:
    return signed_within(quality.ahead, quality.ahead_error, reach=quality.reach)


def _verdicts(qualities: Sequence[Quality]) -> list[int]:
    """For each variant but the first: -1 if its RMS error is surely lower, 1 if higher, else 0.

    Surely for all comparisons with the first one together (Holm).
    """
    rest = qualities[1:]
    if not rest:
        return []
    chance = two_sided(
        [each.ahead for each in rest],
        [each.ahead_error for each in rest],
        qualities[0].replicates - 1,
    )
    return [
        int(np.sign(each.ahead)) if p < DOUBT else 0
        for each, p in zip(rest, holm(chance), strict=True)
    ]


def _conclusion(qualities: Sequence[Quality]) -> list[str]:
    base = qualities[0].name
    verdicts = list(zip(qualities[1:], _verdicts(qualities), strict=True))
    lines = []
    for text, sign in (
        (f"Significantly better than {base}", -1),
        (f"Significantly worse than {base}", 1),
        (f"Not distinguishable from {base}", 0),
    ):
        if names := [each.name for each, verdict in verdicts if verdict == sign]:
            lines.append(f"{text}: {', '.join(names)}.")
    if lines:
        lines.append("Significant: at 95 % confidence for all these comparisons together (Holm).")
    return lines


def _plain_qualities(qualities: Sequence[Quality]) -> list[dict[str, Any]]:
    return [{**asdict(each), "course": each.course.tolist()} for each in qualities]


def search_document(search: WeightSearch, *, win: str) -> Document:
    """The best rules, how sure it is, and the best trials."""
    usual, best = search.confirmed

    def change(name: str, form: str, heading: str, gives_way: int) -> Column:
        return Column("", lambda t: t.changes[name], heading, "number", form, gives_way=gives_way)

    def rule(name: str) -> Callable[[Trial], str]:
        return lambda trial: str(trial.changes[name])

    def both(heading: str, one: str, two: str) -> Column:
        return Column("", lambda t: f"{t.changes[one]}, {t.changes[two]}", heading)

    best_trials = Table(
        [
            Column("", lambda t: t.number, "Trial", "integer"),
            Column("", lambda t: format_grade(t.bar), "Bar", left=False),
            Column("", lambda t: t.rms, "RMS error", "number"),
            change("minimise_score_difference", ".1e", "Score weight", 2),
            change("maximise_seeding", ".1e", "Seeding weight", 3),
            change("nx1_factor", ".2f", "nx1", 1),
            both("Seeding", "seed_system_1", "seed_system_2"),
            both("Floaters", "float_upper", "float_lower"),
        ],
        sorted(search.trials, key=lambda t: t.rms)[:_TRIALS],
        noun="trial",
    )
    records = Table(
        [
            Column("trial", lambda t: t.number, kind="integer"),
            Column("bar", lambda t: t.bar, kind="integer"),
            Column("rms", lambda t: t.rms, kind="number"),
            *(Column(name, rule(name)) for name in search.trials[0].changes),
        ],
        search.trials,
        noun="trial",
    )
    bar = format_grade(search.best.bar)
    verdict = (
        f"The best rules (bar {bar}) measure better: the RMS error changes by "
        if _verdicts(search.confirmed)[0] < 0
        else f"No significant gain: with the best rules (bar {bar}) the RMS error changes by "
    )
    conclusion = [
        f"On fresh populations: usual rules {_rms(usual)}, best found {_rms(best)}.",
        f"{verdict}{_gain(best)} points.",
        "± is a 95 % interval over populations.",
    ]
    played = _played(search.circuit, search.replicates, win)
    caption = "RMS error of every trial, and the lowest so far."
    return Document(
        "Weights of pairing",
        [f"{len(search.trials)} sets of rules; each: {played}"],
        [
            Section("", [best_trials]),
            Section("", [Lines(conclusion)]),
            Section("", [Picture(lambda: search_chart(search), caption)]),
        ],
        records=records,
        plain=lambda: {
            "format": 1,
            "best": {"bar": search.best.bar, "changes": dict(search.best.changes)},
            "confirmed": _plain_qualities(search.confirmed),
            "trials": [{**asdict(t), "changes": dict(t.changes)} for t in search.trials],
        },
        drawing=lambda: search_chart(search),
    )
