from __future__ import annotations

import re
from math import floor

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lab.studies.winning.goldis_table import (
    antilog,
    log_rating,
    pro_rating,
    rank_name,
    rule_rating,
)
from tests.shared import shared_path
from yardstone.errors import InputError, UsageError
from yardstone.winprob.goldis import (
    STONE,
    TABLE,
    even_game_margin,
    expected_margin,
    handicap,
    handicap_stones,
    rank_rating,
    uniform_rank_rating,
    uniform_rating,
)

rating = st.integers(0, 3300)


def test_the_worked_example() -> None:
    result = handicap(2673, 2235)
    assert (result.stones, result.komi, result.tie) == (2, 3, "black")
    assert result.even_game_margin == 13  # by truncation of 13.93
    assert result.exact_stones == pytest.approx(2.741574, abs=1e-6)
    assert result.exact_points == pytest.approx(5.932593, abs=1e-6)
    # The article rounds the antilog to 2.742 before it multiplies.
    assert result.exact_points < round(0.742 * 8, 3) == 5.936
    assert result.half_point_komi == 2.5
    assert handicap(2235, 2673) == result
    equal = handicap(1500, 1500)
    assert (equal.stones, equal.komi, equal.tie, equal.sub_rank) == (1, 8, "white", 0)
    assert equal.exact_margin == equal.even_game_margin == 0


@given(rating, rating, st.sampled_from([5.5, 6.5, 7.0, 7.5, 8.0]), st.integers(1, 9))
def test_the_rule_favours_white_by_up_to_a_point(
    one: int, two: int, komi: float, stones: int
) -> None:
    assume(abs(one - two) < 1550)  # some 36 stones
    result = handicap(one, two, komi=komi)
    exact = komi - result.exact_points
    assert -1e-9 <= result.half_point_komi - exact <= 1.0 + 1e-9
    assert result.komi - 1 < exact <= result.komi
    assert result.tie == ("black" if result.komi - exact >= 0.5 - 1e-12 else "white")
    assert 1 <= result.stones <= result.exact_stones
    assert 0 <= result.sub_rank < 2 * komi
    assume(abs(one - two) < 900)
    fixed = handicap(one, two, stones=stones)  # the rest is left to komi
    points = 8 * (result.exact_stones - stones)
    assert fixed.stones == stones
    assert fixed.exact_points == pytest.approx(points, abs=1e-9)
    assert -1e-9 <= fixed.half_point_komi - (8 - points) <= 1.0 + 1e-9


def test_sixteen_sub_ranks_a_stone_and_none_lost_to_rounding() -> None:
    difference = log_rating(np.arange(1, 2, 1 / 256))
    seen = [handicap(float(d), 0.0).sub_rank for d in difference]
    assert np.bincount(seen).tolist() == [16] * 16
    result = handicap(2000, 1000)
    assert (result.stones, result.exact_stones, result.komi) == (10, 10.0, 8)


def test_wrong_wishes() -> None:
    for changes, message in (
        ({"komi": 0.0}, "komi"), ({"komi": 6.3}, "komi"),
        ({"stones": 0}, "stones must be a whole number from 1 to 36"), ({"base": 1.0}, "ratio"),
        ({"first": float("nan")}, "numbers"), ({"first": 1e6}, "too far"),
    ):  # fmt: skip
        with pytest.raises(UsageError, match=message):
            handicap(**{"first": 2000, "second": 1500, **changes})  # type: ignore[arg-type]


def test_table_1_of_the_paper_both_ways() -> None:
    page = (shared_path("papers") / "pratesi-goldis-sktlr.md").read_text("utf-8")
    cells = re.findall(
        r"(\d+(?:p|aml|step))\t([0-9.]+)\t([0-9.,]+)", page.partition("**Table 1")[2]
    )
    printed = {rank: (float(log), float(points.replace(",", ""))) for rank, log, points in cells}
    assert printed == TABLE
    for rank, (log, points) in TABLE.items():
        exact = rule_rating(rank)
        assert rank_rating(rank) == pytest.approx(1000 * log, abs=1e-9)
        assert rank_name(exact) == rank_name(1000 * log) == rank
        assert exact == pytest.approx(1000 * log, abs=0.0 if rank[-1] != "p" else 3.2)
        assert rank_name(float(log_rating(points))) == rank
        assert float(antilog(1000 * log)) == pytest.approx(points, rel=0.06)
    # Professional ranks are steps of 125 in the antilog.
    assert antilog(pro_rating(np.arange(1, 10))) == pytest.approx(np.arange(1000, 2001, 125))


def test_ranks_on_both_scales_and_what_is_none() -> None:
    words = {"19step": 100, "10k": 1000, "1d": 2000, "6 dan": 2500, "1p": 3000, "27step": 20}
    assert {rank: rank_rating(rank) for rank in words} == pytest.approx(words)
    for rank in ("", "0d", "11aml", "28step", "10p", "x", "2q", "d2"):
        with pytest.raises(InputError, match="not a rank"):
            rank_rating(rank)
    words = {"20k": 0, "19k": 100, "10aml": 2900, "1p": 3000, "3p": 3100, "9p": 3200}
    assert {rank: uniform_rank_rating(rank) for rank in words} == words
    for rating_, value in ((1500, 1500), (3050, 3050), (3200, 3150), (3310, 3210)):
        assert float(uniform_rating(rating_)) == pytest.approx(value)
    with pytest.raises(InputError, match="below 20 kyu"):
        uniform_rank_rating("21step")
    with pytest.raises(UsageError, match="begins with 0"):
        uniform_rating(-1)


def test_the_expected_margin_counts_stones_and_komi() -> None:
    """A stone is worth the fair komi, 8 points, and the first is the move alone."""
    for stones, komi, points in ((0, 8.0, 0.0), (0, 5.5, 2.5), (1, 5.5, 8.0), (3, 0.0, 24.0)):
        margin = expected_margin(100.0, handicap=stones, given_komi=komi)
        assert float(margin) == pytest.approx(8.0 * (10**0.1 - 1.0) + points)


@given(st.floats(-500, 500))
def test_the_margin_is_odd_and_elos_base_is_larger(difference: float) -> None:
    margin = float(even_game_margin(difference))
    assert margin == -float(even_game_margin(-difference))
    elo = float(handicap_stones(difference, base=10**0.5))
    assert elo >= float(handicap_stones(difference))
    assert floor(abs(margin)) == handicap(1000 + difference, 1000).even_game_margin
    assert float(handicap_stones(100)) == pytest.approx(STONE)
