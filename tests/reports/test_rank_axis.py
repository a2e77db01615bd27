"""Ranks on the scales of an estimate."""

from __future__ import annotations

import itertools

from hypothesis import assume, given
from hypothesis import strategies as st

from yardstone.reports.strength import RANK_AXES, rating_words
from yardstone.strength.site_scales import SITE_SCALES, fox_rank


@given(st.sampled_from(sorted(RANK_AXES)), st.floats(-15.0, 9.99))
def test_axes_call_a_rating_as_its_scale_does(name: str, place: float) -> None:
    scale = SITE_SCALES[name]
    assert scale.number is not None
    number = scale.number(place)
    assume(min(number % 1.0, 1.0 - number % 1.0) > 0.02)  # ratings are rounded
    assert RANK_AXES[name].ticks(-1e4, scale.value(place))[-1][1] == fox_rank(number)


def test_axes_by_their_definitions() -> None:
    # 23.15 ln(1918.5 / 525) = 30: the first dan of OGS.
    values = {"fox": (-3.5, 0.2, 1, 9.7), "ogs": (1919, 1918), "egf": (2100, 2149, 2151)}
    last = [[RANK_AXES[name].ticks(-1e4, at)[-1][1] for at in values[name]] for name in values]
    assert last == [["5k", "1k", "1d", "9d"], ["1d", "1k"], ["1d", "1d", "2d"]]


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
    assert ticks[0][0] <= value
    assert all(a[0] < b[0] for a, b in itertools.pairwise(ticks))


def test_digits() -> None:
    assert rating_words("fox", 8.97) == "8.9"
    assert rating_words("ogs", 1918.6) == "1919"
    assert rating_words("egf", None) == "–"
