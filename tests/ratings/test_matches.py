from __future__ import annotations

from math import erf, inf, isnan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from yardstone.errors import UsageError
from yardstone.ratings.match import (
    Match,
    elo,
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
    ("wins", "losses", "draws", "difference", "error"),
    [
        # Elo and its 95 % error as fastchess (tests/elo_test.cpp) has them.
        (859, 772, 1329, 10.21, 9.28),
        (1164, 1267, 3049, -6.53, 6.12),
        (0, 36, 14, -315.34, None),  # their symmetric error, 95, means little here
    ],
)
def test_elo_as_published_game_by_game(
    wins: int, losses: int, draws: int, difference: float, error: float | None
) -> None:
    result = elo(Match.from_results(wins, draws, losses))
    assert result.value == pytest.approx(difference, abs=0.01)
    if error is not None:
        assert (result.high - result.low) / 2 == pytest.approx(error, rel=0.002)


@pytest.mark.parametrize(
    ("pairs", "difference", "error"),
    [
        # As published for OpenBench tests of the engine PlentyChess.
        ((214, 8992, 19871, 9102, 235), 0.69, 1.25),
        ((5, 942, 2469, 1050, 5), 4.20, 3.43),
        ((44, 241, 590, 413, 71), 28.96, 8.30),
        ((59, 1365, 2872, 1515, 89), 6.18, 3.40),
    ],
)
def test_elo_as_published_by_pairs(
    pairs: tuple[float, ...], difference: float, error: float
) -> None:
    result = elo(Match(pairs))
    assert result.value == pytest.approx(difference, abs=0.01)
    assert (result.high - result.low) / 2 == pytest.approx(error, rel=0.005)


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
    # cutechess: (1 + erf((W - L) / sqrt(2 (W + L)))) / 2, whatever the draws; with W + L + 1
    # here, which tells only while there are few games.
    for draws in (0, 7, 1000):
        assert superiority(Match.from_results(2000, draws, 1900)) == pytest.approx(
            0.5 * (1.0 + erf(100 / sqrt(2 * 3900))), abs=5e-5
        )
    assert superiority(Match.from_results(20, 0, 10)) == pytest.approx(0.96376, abs=1e-5)


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
    assert result.value == value
    assert low <= result.low
    assert result.high <= high
    assert normalized_elo(match).value == value
    assert 0.0 < superiority(match) < 1.0
    assert isnan(games_for_half_width(match, 10.0))


def test_wins_only_give_wilsons_bound() -> None:
    assert score_interval(Match((0, 0, 10))).low == pytest.approx(10 / (10 + 1.959964**2))
    assert score_interval(Match((0, 0, 10))).high == 1.0


@pytest.mark.parametrize("match", [Match((0, 10, 0)), Match((0, 0, 10, 0, 0))])
def test_draws_only_do_not_prove_equality(match: Match) -> None:
    result = elo(match)
    assert result.value == 0.0
    assert result.low == pytest.approx(-result.high)
    assert 50.0 < result.high < 150.0
    assert superiority(match) == 0.5
    assert isnan(normalized_elo(match).value)


def test_no_games_say_nothing() -> None:
    for match in (Match((0, 0, 0)), Match((0, 0, 0, 0, 0))):
        result = elo(match)
        assert isnan(result.value)
        assert (result.low, result.high) == (-inf, inf)
        assert superiority(match) == 0.5
        assert isnan(normalized_elo(match).value)
        assert isnan(match.score)
        assert isnan(match.shared)
        assert isnan(match.standard_error)
        assert isnan(games_for_half_width(match, 10.0))


@pytest.mark.parametrize("bad", [(1.0, 2.0), (1.0, -1.0, 0.0), (inf, 1.0, 1.0), (1.0,) * 4])
def test_impossible_counts_are_refused(bad: tuple[float, ...]) -> None:
    with pytest.raises(UsageError):
        Match(bad)


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0, -0.5])
def test_confidence_must_be_a_probability(confidence: float) -> None:
    with pytest.raises(UsageError, match="confidence"):
        elo(Match((1, 1, 1)), confidence)


def test_half_width_must_be_positive() -> None:
    with pytest.raises(UsageError, match="half-width"):
        games_for_half_width(Match((1, 1, 1)), 0.0)


@given(matches)
def test_seen_from_the_other_side_everything_turns(match: Match) -> None:
    other = Match(match.counts[::-1])
    for measure in (elo, normalized_elo):
        here, there = measure(match), measure(other)
        np.testing.assert_allclose(
            (here.value, here.low, here.high),
            (-there.value, -there.high, -there.low),
            atol=1e-6,
            rtol=1e-6,
        )
    assert superiority(match) == pytest.approx(1.0 - superiority(other), abs=1e-9)


@given(matches, st.floats(0.5, 0.98))
def test_intervals_hold_their_value_and_nest(match: Match, confidence: float) -> None:
    narrow, wide = score_interval(match, confidence), score_interval(match, confidence + 0.01)
    assert 0.0 <= wide.low <= narrow.low + 1e-12
    assert narrow.high - 1e-12 <= wide.high <= 1.0
    if match.size:
        assert narrow.low - 1e-12 <= narrow.value <= narrow.high + 1e-12


def test_a_match_ten_times_as_long_needs_no_more_games() -> None:
    match = Match((300, 500, 400))
    result = elo(match)
    needed = games_for_half_width(match, (result.high - result.low) / 2)
    assert needed == pytest.approx(match.games, rel=0.01)
    assert games_for_half_width(match, 5.0) == pytest.approx(
        4 * games_for_half_width(match, 10.0), rel=1e-9
    )


@pytest.mark.parametrize(
    ("probabilities", "size"),
    [
        ((0.2, 0.5, 0.3), 20),
        ((0.2, 0.5, 0.3), 500),
        ((0.01, 0.9, 0.09), 100),
        ((0.02, 0.08, 0.9), 50),
        ((0.05, 0.2, 0.5, 0.2, 0.05), 30),
        ((0.005, 0.1, 0.75, 0.13, 0.015), 400),
        ((0.0, 0.02, 0.1, 0.28, 0.6), 60),
    ],
)
def test_intervals_cover_the_truth(probabilities: tuple[float, ...], size: int) -> None:
    draws = np.random.default_rng(1).multinomial(size, probabilities, 2000)
    values = np.linspace(0.0, 1.0, len(probabilities))
    truth = float(values @ np.array(probabilities))
    t = (truth - 0.5) / sqrt(float((values - truth) ** 2 @ np.array(probabilities)))
    target = t * 800 / np.log(10) / sqrt(2 if len(values) == 5 else 1)
    covered = by_deviation = 0
    for row in draws:
        match = Match(tuple(float(count) for count in row))
        result = score_interval(match)
        covered += result.low <= truth <= result.high
        measured = normalized_elo(match)
        by_deviation += measured.low <= target <= measured.high
    assert 0.93 <= covered / len(draws) <= 0.99
    if size >= 100:
        assert by_deviation / len(draws) >= 0.93
