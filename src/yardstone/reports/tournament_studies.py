"""The three studies of tournaments: tie-breaks, pairing and its weights, as text and values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from yardstone.reports.aligned import aligned
from yardstone.reports.tournament_simulation import NORMAL_95, csv_text, percent, within
from yardstone.winprob.grades import format_grade

if TYPE_CHECKING:
    from yardstone.tournament.pairing_quality import Quality
    from yardstone.tournament.tiebreak_study import TiebreakComparison
    from yardstone.tournament.weight_search import WeightSearch

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
        "± is a 95 % interval over tournaments.",
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


def _surely(each: Quality) -> int:
    """-1 if the rms error is surely lower than that of the first variant, 1 if higher, else 0."""
    reach = each.reach * each.ahead_error
    return -1 if each.ahead + reach < 0.0 else 1 if each.ahead - reach > 0.0 else 0


def _tie_conclusion(found: TiebreakComparison) -> list[str]:
    played = [score for score in found.scores if score.name != "RATING"]
    if not played:
        return []
    best = played[0]
    lines = [f"Of what the games tell, {best.name} ranks tied players best."]
    if best.name != found.baseline:
        sure = best.ahead > NORMAL_95 * best.ahead_error
        lines.append(f"It is {'surely' if sure else 'not surely'} better than {found.baseline}.")
    poor = [s.name for s in played if s.value + NORMAL_95 * s.error < 0.5]
    if poor:
        lines.append(f"Worse than drawing lots: {', '.join(poor)}.")
    rating = next((s for s in found.scores if s.name == "RATING"), None)
    if rating is not None and rating.value > best.value:
        lines.append(
            f"The rating at entry, right {percent(rating.value)} % of the time, knows more than "
            "any of them."
        )
    return lines


def plain_ties(found: TiebreakComparison) -> dict[str, Any]:
    """All figures, for JSON."""
    return {
        "format": 1,
        "tournaments": found.tournaments,
        "among": found.among,
        "baseline": found.baseline,
        "setting": asdict(found.setting),
        "tiebreaks": [asdict(score) for score in found.scores],
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
    better = [q for q in found[1:] if _surely(q) < 0]
    worse = [q for q in found[1:] if _surely(q) > 0]
    lines = []
    if better:
        best = min(better, key=lambda q: q.rms)
        names = ", ".join(q.name for q in better)
        lines.append(f"Surely better than {base.name}: {names}; {best.name} is the best.")
    if worse:
        lines.append(f"Surely worse than {base.name}: {', '.join(q.name for q in worse)}.")
    rest = [q.name for q in found[1:] if _surely(q) == 0]
    if rest:
        lines.append(f"Not told apart from {base.name}: {', '.join(rest)}.")
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
    sure = _surely(best) < 0
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
