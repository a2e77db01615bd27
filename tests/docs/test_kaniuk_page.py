"""Figures of the page about Kaniuk's model, computed again."""

from __future__ import annotations

import re

import pytest
from scipy.special import erfc

from tests.docs.blocks import ROOT
from yardstone.grades import parse_grade
from yardstone.winprob.kaniuk import PUBLISHED
from yardstone_lab.kaniuk import erf_approximation

PAGE = (ROOT / "docs" / "explanation" / "papers" / "kaniuk.md").read_text("utf-8")


def row(first: str) -> list[str]:
    """The cells of the row of a table that begins with this one."""
    result = re.search(rf"^\| {re.escape(first)} \|(.*)\|$", PAGE, re.MULTILINE)
    assert result is not None
    return [cell.strip() for cell in result[1].split("|")]


def test_the_model_beside_what_was_counted() -> None:
    grades, model = row("stronger player's win"), row("published model")
    assert len(grades) == len(model)
    for grade, per_cent in zip(grades, model, strict=True):
        weaker = parse_grade(grade)
        won = float(PUBLISHED.probability(weaker + 1, weaker))
        assert 100 * won == pytest.approx(float(per_cent), abs=0.05001), grade


def test_what_the_approximation_does_in_the_tails() -> None:
    rows = re.findall(r"^\| [^|]+ \| ([\d.]+) \| (\d\.\d{3}) \|$", PAGE, re.MULTILINE)
    assert len(rows) == 6
    for argument, ratio in rows:
        approximate = 1.0 - float(erf_approximation(float(argument), tails=True))
        assert approximate / erfc(float(argument)) == pytest.approx(float(ratio), abs=5.1e-4)
