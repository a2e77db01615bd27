"""The test of tie-breaks: how often each finds the stronger player, and what follows."""

from __future__ import annotations

from dataclasses import asdict
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.clusters import t_quantile
from yardstone.evaluation.uncertainty import holm, two_sided
from yardstone.reports.document import Column, Document, Lines, Picture, Section, Table
from yardstone.reports.words import share_column, share_text, signed_within, within
from yardstone_lab.reports.charts.tournament import ties_chart

if TYPE_CHECKING:
    from yardstone_lab.tournaments.tiebreaks import FairPairs, TiebreakComparison, TiebreakScore

__all__ = ["ties_document"]

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
        return signed_within(score.ahead, score.ahead_error, 100.0)

    columns: list[Column] = [
        Column("name", lambda s: s.name, "Tie-break"),
        Column("right", lambda s: s.right, kind="integer"),
        Column("wrong", lambda s: s.wrong, kind="integer"),
        Column("tied", lambda s: s.tied, kind="integer"),
        Column("value", lambda s: s.value, "Right %", "number", show=right),
        Column("error", lambda s: s.error, kind="number"),
        Column("ahead", lambda s: s.ahead, f"Less {baseline}", "number", show=ahead),
        Column("ahead_error", lambda s: s.ahead_error, kind="number"),
        share_column("", lambda s: s.decided, "Decided %", gives_way=1),
        share_column("", lambda s: s.right_of_decided, "Right of decided %", gives_way=2),
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
            Section("", [Lines(_conclusion(comparison))]),
            Section("", [Picture(lambda: ties_chart(comparison), caption)]),
        ],
        records=table,
        plain=lambda: _plain(comparison),
        drawing=lambda: ties_chart(comparison),
    )


def _conclusion(comparison: TiebreakComparison) -> list[str]:
    """What may be concluded: from pairs who began equal, for all comparisons together."""
    fair, pairs = comparison.fair, comparison.scores[0].pairs
    names = [score.name for score in comparison.scores]
    if all(name == "RATING" for name in names):
        return []
    lines = []
    if fair is None or fair.pairs < pairs:
        apart = pairs - (0 if fair is None else fair.pairs)
        lines += [
            f"{share_text(apart / pairs)} % of these pairs began with different scores: who began "
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
        "conclusion": _conclusion(comparison),
    }
