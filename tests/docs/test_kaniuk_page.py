"""Figures of the page about Kaniuk's model, computed again."""

from __future__ import annotations

import re

import pytest

from tests.docs.blocks import ROOT


def test_the_figures_of_the_page() -> None:
    from scipy.special import erfc

    from yardstone.grades import parse_grade
    from yardstone.winprob.kaniuk import PUBLISHED
    from yardstone_lab.kaniuk import erf_approximation

    page = (ROOT / "docs" / "explanation" / "papers" / "kaniuk.md").read_text("utf-8")
    cells = dict(re.findall(r"^\| ([^|]+) \|(.*)\|$", page, re.MULTILINE))
    grades, model = (
        [cell.strip() for cell in cells[name].split("|")]
        for name in ("stronger player's win", "published model")
    )
    for grade, per_cent in zip(grades, model, strict=True):
        weaker = parse_grade(grade)
        won = float(PUBLISHED.probability(weaker + 1, weaker))
        assert 100 * won == pytest.approx(float(per_cent), abs=0.05001), grade
    # What the approximation does in the tails.
    rows = re.findall(r"^\| [^|]+ \| ([\d.]+) \| (\d\.\d{3}) \|$", page, re.MULTILINE)
    assert len(rows) == 6
    for argument, ratio in rows:
        tail = 1.0 - float(erf_approximation(float(argument), tails=True))
        assert tail / erfc(float(argument)) == pytest.approx(float(ratio), abs=5.1e-4)
