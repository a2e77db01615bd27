"""The three studies of tournaments: tie-breaks, pairing and its weights, as text and values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.evaluation.clusters import t_quantile
from yardstone.evaluation.multiple import holm, two_sided
from yardstone.reports.aligned import aligned
from yardstone.reports.tournament.simulation import NORMAL_95, csv_text, percent, within
from yardstone.winprob.grades import format_grade

if TYPE_CHECKING:
    from yardstone.lab.tournaments.pairing_quality import Quality
    from yardstone.lab.tournaments.tiebreaks import TiebreakComparison
    from yardstone.lab.tournaments.weight_search import WeightSearch

__all__ = [
    "csv_qualities",
    "csv_search",
    "csv_ties",
    "plain_qualities",
    "plain_search",
    "plain_ties",
    "text_qualities",
    "text_search",
    "text_ties",
]

#: What is believed is wrong in at most this share of cases.
_DOUBT = 0.05
_AMONG = {
    "all": "all players with equal scores",
    "same-start": "players with equal scores who began with equal scores",
    "top": "players tied for the first place",
}


def text_ties(found: TiebreakComparison) -> str:
    """Table and conclusion of Hiddema's test."""
    setting = found.setting
    rows = [["Tie-break", "Right %", f"Less {found.baseline}", "Decided %", "Right of decided %"]]
    for score in found.scores:
        ahead = (
            "" if score.name == found.baseline else _signed(score.ahead, score.ahead_error, 100.0)
        )
        rows.append(
            [
                score.name,
                within(score.value, score.error, 1, 100.0),
                ahead,
                percent(score.decided),
                percent(score.right_of_decided),
            ]
        )
    system = "McMahon" if setting.system == "mcmahon" else setting.system
    lines = [
        f"{found.tournaments:,} tournaments of {setting.players} players, {setting.rounds} "
        f"rounds, {system}: {found.scores[0].pairs:,} pairs of {_AMONG[found.among]}.",
        "",
        *aligned(rows, left={0}),
        "",
        "Right: the truly stronger player comes ahead; pairs left tied count half, as by lot.",
        "RATING is that of the entry list, which is not a result of the tournament.",
        "± is a 95 % interval over tournaments, for one figure alone.",
        "",
        *_tie_conclusion(found),
    ]
    return "\n".join(lines) + "\n"


def _signed(value: float, error: float, scale: float = 1.0, reach: float = NORMAL_95) -> str:
    return f"{scale * value:+.1f} ± {scale * reach * error:.1f}"


def _rms(each: Quality) -> str:
    return within(each.rms, each.error, 1, reach=each.reach)


def _gain(each: Quality) -> str:
    return _signed(each.ahead, each.ahead_error, reach=each.reach)


def _verdicts(found: Sequence[Quality]) -> list[int]:
    """For each variant but the first: -1 if its rms error is surely lower, 1 if higher, else 0.

    Surely for all comparisons with the first one together (Holm).
    """
    rest = found[1:]
    if not rest:
        return []
    chance = two_sided(
        [each.ahead for each in rest],
        [each.ahead_error for each in rest],
        found[0].replicates - 1,
    )
    return [
        int(np.sign(each.ahead)) if p < _DOUBT else 0
        for each, p in zip(rest, holm(chance), strict=True)
    ]


def _tie_conclusion(found: TiebreakComparison) -> list[str]:
    """What may be concluded: from pairs who began equal, for all comparisons together."""
    fair, asked = found.fair, found.scores[0].pairs
    names = [score.name for score in found.scores]
    played = [place for place, name in enumerate(names) if name != "RATING"]
    if not played:
        return []
    lines = []
    if fair is None or fair.pairs < asked:
        apart = asked - (0 if fair is None else fair.pairs)
        lines.append(
            f"{percent(apart / asked)} % of these pairs began with different scores: who began "
            "lower has won more games,"
        )
        lines.append(
            "and a tie-break made of wins counts them twice. Nothing is concluded from such pairs."
        )
    if fair is None:
        return lines
    if fair.pairs < asked:
        lines.append(f"The {fair.pairs:,} pairs who began with equal scores say:")
    freedom = fair.tournaments - 1
    pairs = list(combinations(range(len(names)), 2))
    differences = [fair.against(*pair) for pair in pairs]
    value, error = np.array(differences).T if pairs else (np.zeros(0), np.zeros(0))
    sure = dict(zip(pairs, holm(two_sided(value, error, freedom)) < _DOUBT, strict=True))
    best = max(played, key=lambda place: float(fair.value[place]))
    level = [
        place for place in played if place != best and not sure[min(best, place), max(best, place)]
    ]
    reach = t_quantile(0.975, freedom)
    share = within(float(fair.value[best]), fair.error(best), 1, 100.0, reach=reach)
    lines.append(
        f"Of what the games tell, {names[best]} does best: {share} % right. "
        + (
            f"It cannot be told from {', '.join(names[place] for place in level)}."
            if level
            else "It is surely better than each of the others."
            if len(played) > 1
            else ""
        )
    )
    lots = [(float(fair.value[place]) - 0.5, fair.error(place)) for place in played]
    off, errors = np.array(lots).T
    believed = holm(two_sided(off, errors, freedom)) < _DOUBT
    for text, chosen in (
        ("Surely worse than drawing lots", believed & (off < 0.0)),
        ("Not told from drawing lots", ~believed),
    ):
        if chosen.any():
            listed = ", ".join(
                names[place] for place, is_so in zip(played, chosen, strict=True) if is_so
            )
            lines.append(f"{text}: {listed}.")
    if "RATING" in names:
        rating = names.index("RATING")
        if fair.value[rating] > fair.value[best] and sure[min(best, rating), max(best, rating)]:
            share = within(float(fair.value[rating]), fair.error(rating), 1, 100.0, reach=reach)
            lines.append(
                f"The rating at entry, {share} % right, surely knows more than any of them."
            )
    lines.append("Surely: with 95 % confidence for all comparisons together (Holm).")
    return [line.rstrip() for line in lines]


def plain_ties(found: TiebreakComparison) -> dict[str, Any]:
    """All figures, for JSON."""
    names = [score.name for score in found.scores]
    return {
        "format": 1,
        "tournaments": found.tournaments,
        "among": found.among,
        "baseline": found.baseline,
        "setting": asdict(found.setting),
        "tiebreaks": [asdict(score) for score in found.scores],
        "began_equal": None
        if found.fair is None
        else {
            "pairs": found.fair.pairs,
            "tournaments": found.fair.tournaments,
            "value": dict(zip(names, found.fair.value.tolist(), strict=True)),
            "error": {name: found.fair.error(place) for place, name in enumerate(names)},
        },
        "conclusion": _tie_conclusion(found),
    }


def csv_ties(found: TiebreakComparison) -> str:
    """A row a tie-break."""
    names = ["name", "right", "wrong", "tied", "value", "error", "ahead", "ahead_error"]
    rows: list[list[object]] = [list(names)]
    rows += [[getattr(score, name) for name in names] for score in found.scores]
    return csv_text(rows)


def text_qualities(found: Sequence[Quality], *, about: str) -> str:
    """Table and conclusion of the comparison of pairing systems."""
    base = found[0].name
    rows = [["Pairing", "Rms error", f"Less {base}", "Drift", "Scatter"]]
    for each in found:
        ahead = "" if each is found[0] else _gain(each)
        rows.append(
            [
                each.name,
                _rms(each),
                ahead,
                f"{each.drift:+.1f}",
                f"{each.scatter:.1f}",
            ]
        )
    lines = [
        about,
        "",
        *aligned(rows, left={0}),
        "",
        "Rms error: of the measured ratings against the true ones, in points (100 a grade).",
        "Drift: mean of measured less true ratings. Scatter: what is left of the rms error when",
        "each grade's own mean is taken off. ± is a 95 % interval over populations.",
        "",
        *_quality_conclusion(found),
    ]
    return "\n".join(lines) + "\n"


def _quality_conclusion(found: Sequence[Quality]) -> list[str]:
    base = found[0]
    verdict = dict(zip((each.name for each in found[1:]), _verdicts(found), strict=True))
    lines = []
    for text, sign in (
        (f"Surely better than {base.name}", -1),
        (f"Surely worse than {base.name}", 1),
        (f"Not told apart from {base.name}", 0),
    ):
        if names := [name for name, found_so in verdict.items() if found_so == sign]:
            lines.append(f"{text}: {', '.join(names)}.")
    if lines:
        lines.append("Surely: with 95 % confidence for all these comparisons together (Holm).")
    return lines


def plain_qualities(found: Sequence[Quality]) -> dict[str, Any]:
    """All figures, for JSON."""
    rows = [{**asdict(each), "course": each.course.tolist()} for each in found]
    return {"format": 1, "baseline": found[0].name, "pairings": rows}


def csv_qualities(found: Sequence[Quality]) -> str:
    """A row a variant."""
    names = ["name", "rms", "error", "drift", "scatter", "ahead", "ahead_error"]
    rows: list[list[object]] = [list(names)]
    rows += [[getattr(each, name) for name in names] for each in found]
    return csv_text(rows)


def text_search(found: WeightSearch, *, about: str, grade_bars: bool = True) -> str:
    """The best rules, how sure it is, and the best trials."""
    usual, best = found.confirmed
    bar = format_grade(found.best.bar) if grade_bars else str(found.best.bar)
    rows = [["Trial", "Bar", "Rms error", "Score weight", "Seeding weight", "nx1", "Seeding",
             "Floaters"]]  # fmt: skip
    for trial in sorted(found.trials, key=lambda t: t.rms)[:10]:
        changes = trial.changes
        rows.append(
            [
                str(trial.number),
                format_grade(trial.bar) if grade_bars else str(trial.bar),
                f"{trial.rms:.1f}",
                f"{changes['minimise_score_difference']:.1e}",
                f"{changes['maximise_seeding']:.1e}",
                f"{changes['nx1_factor']:.2f}",
                f"{changes['seed_system_1']}, {changes['seed_system_2']}",
                f"{changes['float_upper']}, {changes['float_lower']}",
            ]
        )
    sure = _verdicts(found.confirmed)[0] < 0
    verdict = (
        f"The best rules (bar {bar}) measure better: the rms error changes by "
        if sure
        else f"No sure gain: with the best rules (bar {bar}) the rms error changes by "
    )
    lines = [
        about,
        "",
        *aligned(rows, left={6, 7}),
        "",
        f"On fresh populations: usual rules {_rms(usual)}, best found {_rms(best)}.",
        f"{verdict}{_gain(best)} points.",
        "± is a 95 % interval over populations.",
    ]
    return "\n".join(lines) + "\n"


def plain_search(found: WeightSearch) -> dict[str, Any]:
    """All figures, for JSON."""
    trials = [{**asdict(t), "changes": dict(t.changes)} for t in found.trials]
    return {
        "format": 1,
        "best": {"bar": found.best.bar, "changes": dict(found.best.changes)},
        "confirmed": plain_qualities(found.confirmed)["pairings"],
        "trials": trials,
    }


def csv_search(found: WeightSearch) -> str:
    """A row a trial."""
    names = list(found.trials[0].changes)
    rows: list[list[object]] = [["trial", "bar", "rms", *names]]
    rows += [
        [t.number, t.bar, repr(t.rms), *(str(t.changes[name]) for name in names)]
        for t in found.trials
    ]
    return csv_text(rows)
