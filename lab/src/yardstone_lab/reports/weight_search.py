"""The search for weights of pairing that measure best."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING

from yardstone.grades import format_grade
from yardstone.reports.document import Column, Document, Lines, Picture, Section, Table
from yardstone_lab.reports.charts.tournament import search_chart
from yardstone_lab.reports.pairing_quality import (
    CAUTION,
    gain_text,
    plain_quality,
    played_text,
    rms_text,
    verdicts,
)
from yardstone_lab.tournaments.circuits import Circuit

if TYPE_CHECKING:
    from yardstone_lab.tournaments.pairing_quality import Quality
    from yardstone_lab.tournaments.single_events import SingleEvents
    from yardstone_lab.tournaments.weight_search import Trial, WeightSearch

__all__ = ["search_document"]

#: Trials that people see, the best ones.
_TRIALS = 10


def search_document(
    search: WeightSearch[Quality], measure: SingleEvents | Circuit, *, win: str
) -> Document:
    """The best rules, how sure it is, and the best trials."""
    usual, best = search.confirmed
    unit, digits = ("points", 1) if isinstance(measure, Circuit) else ("grades", 4)

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
            Column("", lambda t: t.rms, "RMS error", "number", f".{digits}f"),
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
    played = played_text(measure, search.replicates, win)
    caption = "RMS error of every trial, and the lowest so far."
    return Document(
        "Weights of pairing",
        [f"{len(search.trials)} sets of rules; each: {played}"],
        [
            Section("", [best_trials]),
            Section("", [Lines(_conclusion(search, unit))]),
            Section("", [Picture(lambda: search_chart(search, unit=unit), caption)]),
        ],
        records=records,
        plain=lambda: {
            "format": 1,
            "objective": "kaniuk" if isinstance(measure, Circuit) else "strength",
            "best": {"bar": search.best.bar, "changes": dict(search.best.changes)},
            "confirmed": [plain_quality(usual), plain_quality(best)],
            "trials": [{**asdict(t), "changes": dict(t.changes)} for t in search.trials],
        },
        drawing=lambda: search_chart(search, unit=unit),
    )


def _conclusion(search: WeightSearch[Quality], unit: str) -> list[str]:
    """The gain on fresh players, and whether it is one."""
    usual, best = search.confirmed
    bar = format_grade(search.best.bar)
    (sign,) = verdicts([(best.ahead, best.ahead_error)], best.replicates)
    verdict = (
        f"The best rules (bar {bar}) measure better: the RMS error changes by "
        if sign < 0
        else f"No significant gain: with the best rules (bar {bar}) the RMS error changes by "
    )
    lines = [
        f"On fresh players: usual rules {rms_text(usual)}, best found {rms_text(best)}.",
        f"{verdict}{gain_text(best)} {unit}.",
        f"± is a 95 % interval over {'events' if unit == 'grades' else 'populations'}.",
    ]
    return lines if unit == "grades" else [*lines, CAUTION]
