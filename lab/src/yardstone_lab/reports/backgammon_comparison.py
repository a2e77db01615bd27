"""Scores of old and refitted formulas on matches left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from yardstone.reports.document import Column, Document, Lines, Section, Table
from yardstone.reports.words import known_values
from yardstone_lab.reports.backgammon_study import RULES
from yardstone_lab.vandendoel.choices import LeftOut

if TYPE_CHECKING:
    from yardstone_lab.vandendoel.comparison import Comparison

__all__ = ["comparison_document"]


def comparison_document(comparison: Comparison) -> Document:
    """Scores of the formulas on matches left out."""
    part = {
        LeftOut.matches: f"one in {comparison.parts} left out at a time",
        LeftOut.lengths: "one match length left out at a time",
    }[comparison.left_out]

    def number(name: str, heading: str, form: str = ".5f") -> Column:
        return Column(name, lambda score: getattr(score, name), heading, "number", form)

    columns = [
        Column("formula", lambda score: score.name, "formula"),
        number("log_score", "log score"),
        number("outcome_score", "of outcomes"),
        number("difference", "against the first", "+.5f"),
        number("difference_error", "±"),
    ]
    table = Table(columns, comparison.scores, noun="formula")
    notes = [
        "The log score is taken of luck-adjusted results; less is better. ± is one standard "
        "error of the difference."
    ]

    def plain() -> dict[str, Any]:
        return {
            "matches": comparison.matches,
            "close_rule": comparison.rule.value,
            "left_out": comparison.left_out.value,
            "parts": comparison.parts,
            "scores": [
                {"formula": values.pop("name"), **values}
                for values in map(known_values, comparison.scores)
            ],
        }

    return Document(
        "Formulas compared",
        [f"{comparison.matches:,} matches, {part}", RULES[comparison.rule]],
        [Section(blocks=[table]), Section(blocks=[Lines(notes)])],
        records=table,
        plain=plain,
    )
