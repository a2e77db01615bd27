from __future__ import annotations

from math import erf, inf, isnan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from yardstone.errors import UsageError
from yardstone.ratings.match import (
    LEAST_RESULTS,
    Match,
    elo,
    find_pairing,
    games_for_half_width,
    normalized_elo,
    score_interval,
    superiority,
)

counts = st.integers(0, 10_000)
matches = st.one_of(
    st.tuples(counts, counts, counts).map(Match),
    st.tuples(counts, counts, counts, counts, counts).map(Match),
)


@pytest.mark.parametrize(
    ("counts", "difference", "error", "digits"),
    [
        # Losses, draws and wins, Elo and its 95 % error as fastchess (tests/elo_test.cpp) has them;
        # where it has 95 for the last, their symmetric error means little.
        ((772, 1329, 859), 10.21, 9.28, 0.002),
        ((1267, 3049, 1164), -6.53, 6.12, 0.002),
        ((36, 14, 0), -315.34, None, 0.0),
        # By pairs: OpenBench tests of the engine PlentyChess.
        ((214, 8992, 19871, 9102, 235), 0.69, 1.25, 0.005),
        ((5, 942, 2469, 1050, 5), 4.20, 3.43, 0.005),
        ((44, 241, 590, 413, 71), 28.96, 8.30, 0.005),
        ((59, 1365, 2872, 1515, 89), 6.18, 3.40, 0.005),
    ],
)
def test_elo_as_published(
    counts: tuple[float, ...], difference: float, error: float | None, digits: float
) -> None:
    result = elo(Match(counts))
    assert result.value == pytest.approx(difference, abs=0.01)
    half = (result.high - result.low) / 2
    assert error is None or half == pytest.approx(error, rel=digits)


def test_normalized_elo_as_published() -> None:
    # Raw statistics page of a test of the engine Monty; fastchess's final report.
    monty = Match((13, 37, 50, 25, 3))
    assert monty.games == 256
    assert monty.score == 0.4375
    assert monty.variance == pytest.approx(0.05762, abs=5e-6)
    assert monty.shared == pytest.approx(0.39062, abs=5e-6)
    assert normalized_elo(monty).value == pytest.approx(-63.97, abs=0.005)
    assert elo(monty).value == pytest.approx(-43.6578, abs=5e-5)
    assert normalized_elo(Match((0, 0, 2, 0, 37))).value == pytest.approx(1056.68, abs=0.005)
    assert elo(Match((0, 0, 2, 0, 37))).value == pytest.approx(631.91, abs=0.005)


def test_superiority_is_the_usual_formula_but_for_one_result_more() -> None:
    """Cutechess: (1 + erf((W - L) / sqrt(2 (W + L)))) / 2, whatever the draws."""
    for wins, losses in ((2000, 1900), (20, 10), (1, 0), (3, 0)):
        usual = 0.5 * (1.0 + erf((wins - losses) / sqrt(2 * (wins + losses + 1))))
        for draws in (0, 7, 1000):
            result = superiority(Match.from_results(wins, draws, losses))
            assert result == pytest.approx(usual, abs=1e-9)
        # Near the exact one where the share of wins could be anything: 3-0 was 0.96.
        assert usual == pytest.approx(float(beta.sf(0.5, wins + 1, losses + 1)), abs=0.012)


@pytest.mark.parametrize(
    ("match", "value", "low", "high"),
    [
        (Match((0, 0, 10)), inf, 100.0, inf),
        (Match((10, 0, 0)), -inf, -inf, -100.0),
        (Match((0, 0, 0, 0, 3)), inf, -100.0, inf),
    ],
)
def test_perfect_matches_have_one_finite_end(
    match: Match, value: float, low: float, high: float
) -> None:
    result = elo(match)
    assert result.value == normalized_elo(match).value == value
    assert low <= result.low
    assert result.high <= high
    assert 0.0 < superiority(match) < 1.0
    assert isnan(games_for_half_width(match, 10.0))
    wilson = score_interval(Match((0, 0, 10)))
    assert wilson.low == pytest.approx(10 / (10 + 1.959964**2))
    assert wilson.high == 1.0


def test_draws_alone_or_no_games_do_not_prove_equality() -> None:
    for match in (Match((0, 10, 0)), Match((0, 0, 10, 0, 0))):
        result = elo(match)
        assert (result.value, superiority(match)) == (0.0, 0.5)
        assert 50.0 < result.high < 150.0
        assert result.low == pytest.approx(-result.high)
        assert isnan(normalized_elo(match).value)
    for match in (Match((0, 0, 0)), Match((0, 0, 0, 0, 0))):
        result = elo(match)
        assert (result.low, result.high) == (-inf, inf)
        assert superiority(match) == 0.5
        for value in (result.value, normalized_elo(match).value, match.score, match.shared,
                      match.standard_error, games_for_half_width(match, 10.0)):  # fmt: skip
            assert isnan(value)


def test_too_few_games_have_no_end_of_normalized_elo() -> None:
    for counts, low, high in [
        ((2, 3, LEAST_RESULTS - 6), False, False),
        ((3, 4, 4), True, True),
        ((3, 5, 14, 5, 3), False, False),
        ((10, 20, 50, 15, 5), True, True),
    ]:
        result = normalized_elo(Match(counts))
        assert (result.low > -inf, result.high < inf) == (low, high), counts


def test_what_is_refused() -> None:
    for bad in ((1.0, 2.0), (1.0, -1.0, 0.0), (inf, 1.0, 1.0), (1.0,) * 4):
        with pytest.raises(UsageError):
            Match(bad)
    for confidence in (0.0, 1.0, 95.0, -0.5):
        with pytest.raises(UsageError, match="confidence"):
            elo(Match((1, 1, 1)), confidence)
    with pytest.raises(UsageError, match="half-width"):
        games_for_half_width(Match((1, 1, 1)), 0.0)


@given(matches, st.floats(0.5, 0.98))
def test_intervals_turn_with_the_sides_and_nest(match: Match, confidence: float) -> None:
    other = Match(match.counts[::-1])
    for measure in (elo, normalized_elo):
        here, there = measure(match), measure(other)
        turned = (-there.value, -there.high, -there.low)
        np.testing.assert_allclose((here.value, here.low, here.high), turned, 1e-6, 1e-6)
    assert superiority(match) == pytest.approx(1.0 - superiority(other), abs=1e-9)
    narrow, wide = score_interval(match, confidence), score_interval(match, confidence + 0.01)
    assert 0.0 <= wide.low <= narrow.low + 1e-12
    assert narrow.high - 1e-12 <= wide.high <= 1.0
    if match.size:
        assert narrow.low - 1e-12 <= narrow.value <= narrow.high + 1e-12


def test_games_needed_for_the_width_there_is_are_those_there_are() -> None:
    match = Match((300, 500, 400))
    result = elo(match)
    needed = games_for_half_width(match, (result.high - result.low) / 2)
    assert needed == pytest.approx(match.games, rel=0.01)
    five, ten = (games_for_half_width(match, width) for width in (5.0, 10.0))
    assert five == pytest.approx(4 * ten, rel=1e-9)


@pytest.mark.parametrize(
    ("probabilities", "size"),
    [
        ((0.2, 0.5, 0.3), 20),
        ((0.01, 0.9, 0.09), 100),
        ((0.02, 0.08, 0.9), 50),
        ((0.05, 0.2, 0.5, 0.2, 0.05), 30),
        ((0.005, 0.1, 0.75, 0.13, 0.015), 400),
    ],
)
def test_intervals_cover_the_truth(probabilities: tuple[float, ...], size: int) -> None:
    p, values = np.array(probabilities), np.linspace(0.0, 1.0, len(probabilities))
    truth = float(values @ p)
    t = (truth - 0.5) / sqrt(float((values - truth) ** 2 @ p))
    target = t * 800 / np.log(10) / sqrt(2 if len(values) == 5 else 1)
    rows = np.random.default_rng(1).multinomial(size, p, 500)
    all_matches = [Match(tuple(float(count) for count in row)) for row in rows]
    ends = [score_interval(match) for match in all_matches]
    assert 0.93 <= np.mean([each.low <= truth <= each.high for each in ends]) <= 0.99
    normalized = [normalized_elo(match) for match in all_matches]
    covered = np.mean([each.low <= target <= each.high for each in normalized])
    assert size < 100 or covered >= 0.93


def test_rounds_that_are_numbers_pair_games_where_all_are_known() -> None:
    moved = np.array([True, False, True, False])
    rounds = np.array([1.0, 1.0, 2.0, 2.0])
    assert find_pairing({"round": rounds}, moved)[0] == "round"
    rounds[3] = np.nan
    assert find_pairing({"round": rounds}, moved)[0] == "order"
