"""Ranks on axes, limits, moments and progress in words."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from yardstone.strength.estimate.site_scales import SITE_SCALES, fox_rank
from yardstone.web.pages.axes import RANK_AXES
from yardstone.web.pages.wording import (
    days_words,
    error_lines,
    moment_words,
    progress,
    sentence,
    size_words,
)


@given(st.sampled_from(sorted(RANK_AXES)), st.floats(-15.0, 9.99))
def test_axes_call_a_rating_as_its_scale_does(name: str, place: float) -> None:
    scale = SITE_SCALES[name]
    assert scale.number is not None
    number = scale.number(place)
    assume(min(number % 1.0, 1.0 - number % 1.0) > 0.02)  # ratings are rounded
    assert RANK_AXES[name].rank(scale.value(place)) == fox_rank(number)


def test_axes_by_their_definitions() -> None:
    fox, ogs, egf = (RANK_AXES[name] for name in ("fox", "ogs", "egf"))
    assert [fox.rank(value) for value in (-3.5, 0.2, 1.0, 9.7)] == ["5k", "1k", "1d", "9d"]
    # 23.15 ln(1918.5 / 525) = 30: the first dan of OGS.
    assert (ogs.rank(1919.0), ogs.rank(1918.0)) == ("1d", "1k")
    assert (egf.rank(2100.0), egf.rank(2149.0), egf.rank(2151.0)) == ("1d", "1d", "2d")


@given(st.sampled_from(sorted(RANK_AXES)), st.floats(-15.0, 9.0), st.floats(0.0, 5.0))
def test_an_axis_shows_whole_ranks_around_the_interval(
    name: str, rank: float, width: float
) -> None:
    scale, axis = SITE_SCALES[name], RANK_AXES[name]
    value, other = scale.value(rank), scale.value(min(rank + width, 9.9))
    low, high = axis.ends(value, other)
    assert low <= value <= other <= high
    ticks = axis.ticks(low, high)
    assert len(ticks) >= 2
    assert ticks[0].value <= value
    assert all(a.value < b.value for a, b in itertools.pairwise(ticks))


def test_signs_and_digits() -> None:
    assert RANK_AXES["fox"].text(-3.46) == "−3.5"
    assert RANK_AXES["ogs"].text(1918.6) == "1919"
    assert RANK_AXES["egf"].text(None) == "–"


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (1, "1 byte"),
        (900, "900 bytes"),
        (100_000, "97 kB"),
        (16 << 20, "16 MB"),
        (3 << 19, "1.5 MB"),
    ],
)
def test_sizes(number: int, words: str) -> None:
    assert size_words(number) == words


@pytest.mark.parametrize(
    ("days", "words"), [(30.0, "30 days"), (1.0, "1 day"), (0.5, "12 hours"), (0.001, "1 hour")]
)
def test_days(days: float, words: str) -> None:
    assert days_words(days) == words


def test_moments() -> None:
    assert moment_words("2026-01-31T12:05:00Z") == "31 January 2026, 12:05 UTC"
    assert moment_words(None) == "an unknown day"


def test_sentences() -> None:
    assert sentence("send even games") == "Send even games."
    assert sentence("Why?") == "Why?"
    error = {"message": "it ends early", "file": "a.sgf", "line": 3, "mend": None}
    assert error_lines(error) == ["a.sgf, line 3: it ends early."]
    assert error_lines({"message": "no", "mend": "wait"}) == ["No.", "Wait."]


def job(status: str, stage: str = "waiting", done: int = 0, total: int = 0) -> dict[str, Any]:
    fraction = done / total if total else 0.0
    found = {"stage": stage, "done": done, "total": total, "fraction": fraction}
    return {"status": status, "kind": "backgammon", "ahead": None, "progress": found}


def test_progress() -> None:
    waiting = {**job("queued"), "ahead": 2}
    assert progress(waiting)["words"] == "Waiting: 2 jobs before yours."
    assert progress({**waiting, "ahead": 0})["words"] == "You are next."
    reading = progress(job("running", "reading"))
    assert (reading["share"], reading["words"]) == (None, "Reading the files …")
    assert progress(job("running", "reading", 1, 3))["words"] == "Reading the files: 33 %."
    half = progress(job("running", "analysing", 1, 2))
    assert (half["share"], half["words"]) == (0.5, "Analysing: 1 of 2 matches.")
    assert half["going"]
    assert not progress(job("needs_player"))["going"]
    assert progress(job("running", "packing"))["words"] == "Packing …"
