"""A handicap in words, as a row and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from yardstone.reports.document import Document, Lines, Section, Table
from yardstone.winprob.handicap_rules import SCORES

if TYPE_CHECKING:
    from yardstone.winprob.handicap_advice import HandicapAdvice

__all__ = ["handicap_document"]


def handicap_document(advice: HandicapAdvice) -> Document:
    """Goldis' handicap, with what other rules give."""
    record = _record(advice)
    grades = advice.difference / 100.0
    others = {
        rule.name: {
            "stones": rule.stones(grades),
            "exact_stones": rule.exact(grades),
            "grades_a_stone": rule.stone,
            "low": rule.low,
            "high": rule.high,
        }
        for rule in advice.others
    }
    row = record | {f"{name}_stones": other["exact_stones"] for name, other in others.items()}
    ratings = dict(zip(("first_rating", "second_rating"), advice.ratings, strict=True))
    return Document(
        "Handicap",
        _lines(advice),
        [Section(blocks=[Lines(_comparison(grades, others))])],
        records=Table.of_record(row | ratings),
        plain=lambda: record | {"ratings": list(advice.ratings), "others": others},
    )


def _record(advice: HandicapAdvice) -> dict[str, Any]:
    return {
        **asdict(advice.handicap),
        "white": advice.white,
        "black": advice.black,
        "difference": advice.difference,
        "even_komi": advice.even_komi,
        "rule": "goldis",
    }


def _lines(advice: HandicapAdvice) -> list[str]:
    handicap = advice.handicap
    place = "no handicap stones: Black moves first"
    if handicap.stones > 1:
        place = f"{handicap.stones} handicap stones"
    giver = "Black" if handicap.komi >= 0 else "White"
    same = f"{abs(handicap.half_point_komi):g}"
    whose = "Black" if handicap.half_point_komi > 0 else "White"
    return [
        f"Black {advice.black}, White {advice.white}: {place}.",
        f"{giver} gives {abs(handicap.komi)} points of komi; {handicap.tie.capitalize()} wins a "
        f"tie (the same as {same} points from {whose}).",
        f"Exactly {handicap.exact_stones:.3f} stones. In an even game White should win by "
        f"{handicap.even_game_margin} points ({handicap.exact_margin:.2f}).",
    ]


def _comparison(grades: float, others: dict[str, dict[str, Any]]) -> list[str]:
    """The other rules in words, with what each is worth on real games."""
    usual, fitted = others["EGF"], others["fitted"]
    goldis, stone = ("{:.3f}, 95 %: {:.3f} to {:.3f}".format(*SCORES[n]) for n in ("goldis", "EGF"))
    return [
        f"That is Goldis' rule. For {grades:g} grades a stone a grade (EGF) gives "
        f"{usual['exact_stones']:.1f} stones without komi; fitted to real handicap games, where a "
        f"stone is worth {fitted['grades_a_stone']:.2f} grades (95 %: {fitted['low']:.2f} to "
        f"{fitted['high']:.2f}), it is {fitted['exact_stones']:.1f}.",
        f"Goldis' forecasts of those games are worse than a coin's (log loss {goldis}; a coin "
        f"0.693), those of a stone a grade are not ({stone}).",
    ]
