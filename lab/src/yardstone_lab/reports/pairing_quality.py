"""How well ways to pair measure players."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.evaluation.uncertainty import holm, two_sided
from yardstone.reports.document import Column, Document, Lines, Picture, Section, Table
from yardstone.reports.words import share_text, signed_within, within
from yardstone_lab.reports.charts.tournament import circuit_chart, event_chart
from yardstone_lab.reports.tiebreaks import DOUBT
from yardstone_lab.tournaments.circuits import Circuit, CircuitQuality
from yardstone_lab.tournaments.single_events import EventQuality, SingleEvents

if TYPE_CHECKING:
    from yardstone_lab.tournaments.pairing_quality import Quality

__all__ = [
    "CAUTION",
    "circuit_document",
    "event_document",
    "gain_text",
    "played_text",
    "plain_quality",
    "quality_document",
    "rms_text",
    "verdicts",
]

#: What Kaniuk's quality cannot tell.
CAUTION = (
    "The bonus of the EGF's rules lifts a closed population, most where grades are low: this "
    "measures rules of rating and pairing at once. No conclusion on pairing is drawn from it."
)


def quality_document(
    qualities: Sequence[Quality], measure: SingleEvents | Circuit, *, win: str
) -> Document:
    """The comparison of pairing systems by either measure, played by a win probability."""
    if isinstance(measure, Circuit):
        chosen = [each for each in qualities if isinstance(each, CircuitQuality)]
        return circuit_document(chosen, measure, win=win)
    return event_document(
        [each for each in qualities if isinstance(each, EventQuality)], measure, win=win
    )


def event_document(
    qualities: Sequence[EventQuality], measure: SingleEvents, *, win: str
) -> Document:
    """Table and conclusion: what the games of one event tell, by the way they were paired."""
    base = qualities[0]

    def order(quality: EventQuality) -> str:
        return within(quality.order, quality.order_error, 1, 100.0, reach=quality.reach)

    def order_ahead(quality: EventQuality) -> str:
        value, error = quality.order_ahead, quality.order_ahead_error
        return "" if quality is base else signed_within(value, error, 100.0, reach=quality.reach)

    less = f"Less {base.name}"
    columns: list[Column] = [
        Column("name", lambda q: q.name, "Pairing"),
        Column("rms", lambda q: q.rms, "RMS error", "number", show=rms_text),
        Column("error", lambda q: q.error, kind="number"),
        Column("", lambda q: q.ahead, less, "number", show=_gain_over(base)),
        Column(
            "explained",
            lambda q: q.explained,
            "Explained %",
            "number",
            show=lambda q: share_text(q.explained),
            gives_way=1,
        ),
        Column("order", lambda q: q.order, "Order %", "number", show=order),
        Column("order_error", lambda q: q.order_error, kind="number"),
        Column("", lambda q: q.order_ahead, less, "number", show=order_ahead, gives_way=2),
        Column("ahead", lambda q: q.ahead, kind="number"),
        Column("ahead_error", lambda q: q.ahead_error, kind="number"),
        Column("order_ahead", lambda q: q.order_ahead, kind="number"),
        Column("order_ahead_error", lambda q: q.order_ahead_error, kind="number"),
    ]
    table = Table(columns, qualities, noun="pairing")
    meaning = [
        f"RMS error: in grades, of the strengths estimated after the event; {base.entry:.3f} at "
        "entry.",
        "Explained: share of the variance at entry that the games explain.",
        f"Order: {base.pairs:,} pairs of players of one grade whom the standings put in the true "
        "order; those who share a place count half.",
        "± is a 95 % interval over events.",
    ]
    lines = _conclusion(qualities, base.name)
    caption = "What the games tell of strengths, and what the standings show of it (95 %)."
    return Document(
        "Pairing systems",
        [played_text(measure, base.replicates, win)],
        [
            Section("", [table]),
            Section("", [Lines(meaning)]),
            Section("", [Lines(lines)]),
            Section("", [Picture(lambda: event_chart(qualities), caption)]),
        ],
        records=table,
        plain=lambda: {
            "format": 1,
            "objective": "strength",
            "baseline": base.name,
            "pairings": [plain_quality(each) for each in qualities],
            "conclusion": lines,
        },
        drawing=lambda: event_chart(qualities),
    )


def circuit_document(
    qualities: Sequence[CircuitQuality], measure: Circuit, *, win: str
) -> Document:
    """Table and conclusion of Kaniuk's quality."""
    base = qualities[0]
    columns: list[Column] = [
        Column("name", lambda q: q.name, "Pairing"),
        Column("rms", lambda q: q.rms, "RMS error", "number", show=rms_text),
        Column("error", lambda q: q.error, kind="number"),
        Column("", lambda q: q.ahead, f"Less {base.name}", "number", show=_gain_over(base)),
        Column("drift", lambda q: q.drift, "Drift", "number", "+.1f", gives_way=1),
        Column("centred", lambda q: q.centred, "Without drift", "number", gives_way=3),
        Column("scatter", lambda q: q.scatter, "Scatter", "number", gives_way=2),
        Column("ahead", lambda q: q.ahead, kind="number"),
        Column("ahead_error", lambda q: q.ahead_error, kind="number"),
    ]
    table = Table(columns, qualities, noun="pairing")
    meaning = [
        "RMS error: of the measured ratings against the true ones, in points (100 a grade).",
        "Drift: mean of measured less true ratings; without it, the RMS error about this mean.",
        "Scatter: the RMS error about each grade's own mean.",
        "± is a 95 % interval over populations.",
    ]
    caption = "RMS error over successive tournaments."
    return Document(
        "Pairing systems",
        [played_text(measure, base.replicates, win)],
        [
            Section("", [table]),
            Section("", [Lines(meaning)]),
            Section("", [Lines([CAUTION])]),
            Section("", [Picture(lambda: circuit_chart(qualities), caption)]),
        ],
        records=table,
        plain=lambda: {
            "format": 1,
            "objective": "kaniuk",
            "baseline": base.name,
            "pairings": [plain_quality(each) for each in qualities],
        },
        drawing=lambda: circuit_chart(qualities),
    )


def played_text(measure: SingleEvents | Circuit, replicates: int, win: str) -> str:
    """What was played, for people."""
    if isinstance(measure, Circuit):
        return (
            f"{replicates} populations of {measure.population} players, {measure.tournaments} "
            f"tournaments of {measure.players} players and {measure.rounds} rounds each; win "
            f"probability: {win}."
        )
    return (
        f"{replicates:,} events of {measure.players} players and {measure.rounds} rounds each; "
        f"win probability: {win}."
    )


def rms_text(quality: Quality) -> str:
    """An RMS error with its interval."""
    return within(quality.rms, quality.error, _digits(quality), reach=quality.reach)


def gain_text(quality: Quality) -> str:
    """The RMS error less that of the first variant, with its interval."""
    digits = _digits(quality)
    reach = quality.reach * quality.ahead_error
    return f"{quality.ahead:+.{digits}f} ± {reach:.{digits}f}"


def _gain_over(base: Quality) -> Callable[[Quality], str]:
    return lambda quality: "" if quality is base else gain_text(quality)


def _digits(quality: Quality) -> int:
    """Decimals of an error: grades have more of them than points."""
    return 1 if isinstance(quality, CircuitQuality) else 4


def verdicts(differences: Iterable[tuple[float, float]], replicates: int) -> list[int]:
    """-1 for a difference that is surely below 0, 1 above, else 0; for all together (Holm)."""
    pairs = list(differences)
    if not pairs:
        return []
    values, errors = zip(*pairs, strict=True)
    chance = holm(two_sided(values, errors, replicates - 1))
    return [int(np.sign(v)) if p < DOUBT else 0 for v, p in zip(values, chance, strict=True)]


def _conclusion(qualities: Sequence[EventQuality], base: str) -> list[str]:
    rest = qualities[1:]
    if not rest:
        return []
    signs = verdicts(
        [
            *((each.ahead, each.ahead_error) for each in rest),
            *((-each.order_ahead, each.order_ahead_error) for each in rest),
        ],
        qualities[0].replicates,
    )
    lines = []
    for part, text in (
        (signs[: len(rest)], ("The games tell significantly {} of strengths", "more", "less")),
        (signs[len(rest) :], ("The standings order players significantly {}", "better", "worse")),
    ):
        claim, better, worse = text
        for sign, word in ((-1, better), (1, worse)):
            if names := [q.name for q, each in zip(rest, part, strict=True) if each == sign]:
                lines.append(f"{claim.format(word)} than with {base}: {'; '.join(names)}.")
    if names := [q.name for k, q in enumerate(rest) if signs[k] == signs[k + len(rest)] == 0]:
        lines.append(f"Not distinguishable from {base} in either: {'; '.join(names)}.")
    lines.append("Significant: at 95 % confidence for all these comparisons together (Holm).")
    return lines


def plain_quality(quality: Quality) -> dict[str, Any]:
    """All figures, as JSON has them."""
    figures = asdict(quality)
    if isinstance(quality, CircuitQuality):
        figures["course"] = quality.course.tolist()
    if isinstance(quality, EventQuality):
        figures["explained"] = quality.explained
    return figures
