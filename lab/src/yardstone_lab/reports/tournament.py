"""The reports and charts of the studies of tie-breaks and pairing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.clusters import t_quantile
from yardstone.grades import format_grade
from yardstone.reports.chart import Axis, Chart, Guide, Panel, Points, Stroke
from yardstone.reports.document import Column, Document, Lines, Picture, Section, Table
from yardstone.reports.drawing import series_style
from yardstone.reports.words import NORMAL_95, within
from yardstone_lab.tournaments.pairing import Circuit, CircuitQuality, EventQuality, SingleEvents

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from yardstone_lab.tournaments.pairing import Quality, Trial, WeightSearch
    from yardstone_lab.tournaments.tiebreaks import FairPairs, TiebreakComparison, TiebreakScore

__all__ = [
    "circuit_chart",
    "event_chart",
    "search_chart",
    "ties_chart",
    "ties_document",
    "CAUTION",
    "circuit_document",
    "event_document",
    "gain_text",
    "played_text",
    "plain_quality",
    "quality_document",
    "rms_text",
    "verdicts",
    "search_document",
]

#: Standard errors to either side of an interval of 95 %.


def ties_chart(comparison: TiebreakComparison) -> Chart:
    """Share of right answers of each tie-break, with intervals of 95 %."""
    scores = comparison.scores
    share = 100.0 * np.array([score.value for score in scores])
    reach = 100.0 * NORMAL_95 * np.array([score.error for score in scores])
    points = Points(share, np.arange(len(scores)), across=(share - reach, share + reach))
    panel = Panel(
        Axis("tied pairs in the true order, per cent (95 %)", grid=True),
        Axis(scale="category", names=[score.name for score in scores]),
        [Guide(x=50.0, text="by lot"), points],
    )
    words = "Share of right answers of each tie-break"
    return Chart([panel], words=words, height=22.0 * max(len(scores), 3))


def event_chart(qualities: Sequence[EventQuality]) -> Chart:
    """What each way to pair adds to what the first one tells, with intervals of 95 %."""
    names = [each.name for each in qualities]
    reach = qualities[0].reach
    panels = []
    for label, pairs, scale in (
        ("RMS error, grades", [(q.ahead, q.ahead_error) for q in qualities], 1.0),
        ("true order, per cent", [(q.order_ahead, q.order_ahead_error) for q in qualities], 100.0),
    ):
        value, error = scale * np.array(pairs).T
        interval = value - reach * error, value + reach * error
        points = Points(value, np.arange(len(names)), across=interval)
        x = Axis(f"{label}, less {names[0]}", grid=True)
        panels.append(Panel(x, Axis(scale="category", names=names), [Guide(x=0.0), points]))
    words = "Error of strengths after the event, and true order in the standings"
    return Chart(panels, words=words, columns=1, height=22.0 * max(len(names), 3))


def circuit_chart(qualities: Sequence[CircuitQuality]) -> Chart:
    """The RMS error of ratings over successive tournaments."""
    lines = []
    for place, each in enumerate(qualities):
        colour, dash = series_style(place)
        name = f"{each.name} ({each.rms:.1f} ± {each.reach * each.error:.1f})"
        number = np.arange(1, len(each.course) + 1)
        lines.append(Stroke(number, each.course, colour, name, 1.5, dash))
    panel = Panel(
        Axis("tournaments", whole=True),
        Axis("RMS error of the ratings, points", low=0.0, grid=True),
        lines,
    )
    note = "In brackets: the RMS error of the second half (95 %)."
    words = "The RMS error of ratings over successive tournaments"
    return Chart([panel], words=words, note=note, height=300.0)


def search_chart(search: WeightSearch[Quality], *, unit: str) -> Chart:
    """The RMS error of every trial, and the lowest so far."""
    number = [trial.number for trial in search.trials]
    rms = np.array([trial.rms for trial in search.trials])
    lowest = Stroke(number, np.minimum.accumulate(rms), "c2", "lowest so far", step=True)
    panel = Panel(
        Axis("trial (0: the usual rules)", whole=True),
        Axis(f"RMS error, {unit}", grid=True),
        [lowest, Points(number, rms, "c1", "trial")],
    )
    return Chart([panel], words="The RMS error of every trial", height=260.0)


#: What is believed is wrong in at most this share of cases.
DOUBT = 0.05
_AMONG = {
    "all": "all players with equal scores",
    "same-start": "players with equal scores who began with equal scores",
    "top": "players tied for the first place",
}


def ties_document(comparison: TiebreakComparison, *, win: str = "") -> Document:
    """Table and conclusion of Hiddema's test."""
    setting, baseline = comparison.setting, comparison.baseline

    def right(score: TiebreakScore) -> str:
        return within(score.value, score.error, 1, 100.0)

    def ahead(score: TiebreakScore) -> str:
        if score.name == baseline:
            return ""
        return f"{100.0 * score.ahead:+.1f} ± {100.0 * NORMAL_95 * score.ahead_error:.1f}"

    columns: list[Column] = [
        Column("name", lambda s: s.name, "Tie-break"),
        Column("right", lambda s: s.right, kind="integer"),
        Column("wrong", lambda s: s.wrong, kind="integer"),
        Column("tied", lambda s: s.tied, kind="integer"),
        Column("value", lambda s: s.value, "Right %", "number", show=right),
        Column("error", lambda s: s.error, kind="number"),
        Column("ahead", lambda s: s.ahead, f"Less {baseline}", "number", show=ahead),
        Column("ahead_error", lambda s: s.ahead_error, kind="number"),
        Column("", lambda s: s.decided, "Decided %", "number", scale=100.0, gives_way=1),
        Column("", "right_of_decided", "Right of decided %", "number", scale=100.0, gives_way=2),
    ]
    table = Table(columns, comparison.scores, noun="tie-break")
    system = "McMahon" if setting.system == "mcmahon" else setting.system
    headline = (
        f"{comparison.tournaments:,} tournaments of {setting.players} players, {setting.rounds} "
        f"rounds, {system}: {comparison.scores[0].pairs:,} pairs of {_AMONG[comparison.among]}."
    )
    if win:
        headline = f"{headline[:-1]}; win probability: {win}."
    meaning = [
        "Right: the truly stronger player comes ahead; pairs left tied count half, as by lot.",
        "RATING is that of the entry list, about which strengths were drawn: it knows them before "
        "the first game, and no conclusion is drawn from it.",
        "± is a 95 % interval over tournaments, for one figure alone.",
    ]
    caption = "Tied pairs in the true order, with intervals of 95 %."
    return Document(
        "Tie-breaks",
        [headline],
        [
            Section("", [table]),
            Section("", [Lines(meaning)]),
            Section("", [Lines(_conclusion_of_ties(comparison))]),
            Section("", [Picture(lambda: ties_chart(comparison), caption)]),
        ],
        records=table,
        plain=lambda: _plain(comparison),
        drawing=lambda: ties_chart(comparison),
    )


def _conclusion_of_ties(comparison: TiebreakComparison) -> list[str]:
    """What may be concluded: from pairs who began equal, for all comparisons together."""
    fair, pairs = comparison.fair, comparison.scores[0].pairs
    names = [score.name for score in comparison.scores]
    if all(name == "RATING" for name in names):
        return []
    lines = []
    if fair is None or fair.pairs < pairs:
        apart = 100.0 * ((pairs - (0 if fair is None else fair.pairs)) / pairs)
        lines += [
            f"{apart:.1f} % of these pairs began with different scores: who began "
            "lower has won more games, and a tie-break made of wins counts them twice.",
            "No conclusion is drawn from such pairs.",
        ]
    if fair is None:
        return lines
    if fair.pairs < pairs:
        lines.append(f"The {fair.pairs:,} pairs who began with equal scores say:")
    return [*lines, *_verdicts(names, fair)]


def _verdicts(names: list[str], fair: FairPairs) -> list[str]:
    """The best tie-break, those as good as far as can be said, and what is worse than a lot."""
    played = [place for place, name in enumerate(names) if name != "RATING"]
    freedom = fair.tournaments - 1
    pairs = list(combinations(played, 2))
    differences = [fair.against(*pair) for pair in pairs]
    value, error = np.array(differences).T if pairs else (np.zeros(0), np.zeros(0))
    sure = dict(zip(pairs, holm(two_sided(value, error, freedom)) < DOUBT, strict=True))
    best = max(played, key=lambda place: float(fair.value[place]))

    def apart(place: int) -> bool:
        return bool(sure[min(best, place), max(best, place)])

    def share(place: int) -> str:
        reach = t_quantile(0.975, freedom)
        return within(float(fair.value[place]), fair.error(place), 1, 100.0, reach=reach)

    level = [names[place] for place in played if place != best and not apart(place)]
    verdict = ""
    if level:
        verdict = f" It cannot be distinguished from {', '.join(level)}."
    elif len(played) > 1:
        verdict = " It is significantly better than each of the others."
    lines = [
        f"Of the tie-breaks by results, {names[best]} does best: {share(best)} % right.{verdict}"
    ]
    lots = [(float(fair.value[place]) - 0.5, fair.error(place)) for place in played]
    off, errors = np.array(lots).T
    believed = holm(two_sided(off, errors, freedom)) < DOUBT
    for text, chosen in (
        ("Significantly worse than drawing lots", believed & (off < 0.0)),
        ("Not distinguishable from drawing lots", ~believed),
    ):
        if chosen.any():
            listed = [names[place] for place, is_so in zip(played, chosen, strict=True) if is_so]
            lines.append(f"{text}: {', '.join(listed)}.")
    return [*lines, "Significant: at 95 % confidence for all comparisons together (Holm)."]


def _plain(comparison: TiebreakComparison) -> dict[str, Any]:
    names = [score.name for score in comparison.scores]
    fair = comparison.fair
    return {
        "format": 1,
        "tournaments": comparison.tournaments,
        "among": comparison.among,
        "baseline": comparison.baseline,
        "setting": asdict(comparison.setting),
        "tiebreaks": [asdict(score) for score in comparison.scores],
        "began_equal": fair
        and {
            "pairs": fair.pairs,
            "tournaments": fair.tournaments,
            "value": dict(zip(names, fair.value.tolist(), strict=True)),
            "error": {name: fair.error(place) for place, name in enumerate(names)},
        },
        "conclusion": _conclusion_of_ties(comparison),
    }


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
        value, error = quality.order_ahead, 100.0 * quality.reach * quality.order_ahead_error
        return "" if quality is base else f"{100.0 * value:+.1f} ± {error:.1f}"

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
            show=lambda q: f"{100.0 * q.explained:.1f}",
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
    lines = _conclusion_of_quality(qualities, base.name)
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


def _conclusion_of_quality(qualities: Sequence[EventQuality], base: str) -> list[str]:
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
            Section("", [Lines(_conclusion_of_weights(search, unit))]),
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


def _conclusion_of_weights(search: WeightSearch[Quality], unit: str) -> list[str]:
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


def holm(probabilities: ArrayLike) -> NDArray[np.float64]:
    """Probabilities adjusted for their number (Holm 1979).

    Those below a level are all rightly believed but in that share of cases, however the
    comparisons depend on each other. NaN stays NaN, and counts as a comparison.

    Examples:
        >>> holm([0.01, 0.04, 0.03]).tolist()
        [0.03, 0.06, 0.06]
    """
    p = np.asarray(probabilities, np.float64)
    order = np.argsort(p, kind="stable")
    left = len(p) - np.arange(len(p))
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.maximum.accumulate(left * p[order]), 1.0)
    return adjusted


def two_sided(value: ArrayLike, error: ArrayLike, freedom: float) -> NDArray[np.float64]:
    """Probability of a value so far from 0 by chance, by Student's t; 1 for 0 ± 0."""
    from scipy.special import stdtr

    v, e = np.abs(np.asarray(value, np.float64)), np.asarray(error, np.float64)
    t = np.divide(v, e, out=np.where(v > 0.0, np.inf, 0.0), where=e > 0.0)
    return np.asarray(2.0 * stdtr(freedom, -t), np.float64)
