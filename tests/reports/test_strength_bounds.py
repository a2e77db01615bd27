"""An estimate with a bound in place of an interval, as text, page and picture."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

import pytest

from tests.web.made_results import go_result
from yardstone.reports.strength.estimate_html import estimate_html, estimate_plot
from yardstone.reports.strength.text import estimate_csv, estimate_text

#: What is missing, the headline, and the word of the tables with the end that is known.
BOUNDS = [
    (("low",), "90 % bound below 4.5: 4d or weaker; from", "below", "high"),
    (("high",), "90 % bound above 2.1: 2d or stronger; from", "above", "low"),
]
NONE = "No interval of 90 % can be given; from"


def bounded(*missing: str) -> dict[str, Any]:
    """An estimate without these ends: the whole, each phase and each game."""
    found: dict[str, Any] = json.loads(json.dumps(go_result(3)))
    games = found["by_game"]
    for part in [found, *found["phases"], *games, *(game["running"] for game in games)]:
        for end in missing:
            part[end] = None
    for end in missing:
        found[f"{end}_rank"] = None
    return found


def floored(value: float) -> str:
    return f"{int(10 * value) / 10:.1f}"


@pytest.mark.parametrize(("missing", "head", "word", "known"), BOUNDS)
def test_a_bound_is_told_everywhere(
    missing: tuple[str, ...], head: str, word: str, known: str
) -> None:
    found = bounded(*missing)
    text, page = estimate_text(found), estimate_html(found, version="1")
    cells = re.sub(r"<[^>]*>", " ", page)
    for shown in (text, cells):
        assert head in shown
        assert "None" not in shown
        assert " interval " not in shown.splitlines()[1]
    parts = [*found["phases"], *found["by_game"], *(g["running"] for g in found["by_game"])]
    for part in parts:
        assert f"{word} {floored(part[known])}" in text
        assert f"{word} {floored(part[known])}" in cells
    first = next(csv.DictReader(io.StringIO(estimate_csv(found))))
    assert (first[missing[0]], float(first[known])) == ("", found[known])


def test_no_interval_at_all_is_told() -> None:
    found = bounded("low", "high")
    assert NONE in estimate_text(found)
    assert NONE in estimate_html(found, version="1")
    assert [line.split()[-1] for line in estimate_text(found).splitlines()[7:10]] == ["none"] * 3


@pytest.mark.parametrize("missing", [("low",), ("high",), ("low", "high")])
def test_an_interval_without_an_end_goes_to_the_edge_of_the_picture(
    missing: tuple[str, ...],
) -> None:
    found = bounded(*missing)
    (axes,) = estimate_plot(found).axes
    edges = dict(zip(("low", "high"), axes.get_ylim(), strict=True))
    shaded, bars = axes.collections
    (path,) = shaded.get_paths()
    reached = [path.vertices[:, 1], *(line[:, 1] for line in bars.get_segments())]  # type: ignore[attr-defined,index]
    for values in reached:
        for end, extreme in (("low", values.min()), ("high", values.max())):
            assert (extreme == pytest.approx(edges[end])) == (end in missing)
