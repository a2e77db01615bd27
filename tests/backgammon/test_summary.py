from __future__ import annotations

from dataclasses import replace
from datetime import date
from math import isnan

import numpy as np
import pytest
from scipy import stats

from tests.backgammon.gnubg_stats import outcome_of, statistics
from yardstone.backgammon.error_rates import Errors
from yardstone.backgammon.formulas import PUBLISHED
from yardstone.backgammon.matches import (
    AnalysedMatch,
    match_rating,
    matches_of,
    summarise,
    worst_blunders,
)
from yardstone.backgammon.rating import (
    loss_interval,
    luck_adjusted_difference,
    mean_interval,
    ratio_interval,
)
from yardstone.winprob import fibs


def test_a_mean_with_students_interval() -> None:
    values = np.array([1790.0, 1850.0, 1822.0, 1900.0, np.nan])
    result = mean_interval(values, 0.9)
    low, high = stats.t.interval(0.9, 3, values[:4].mean(), values[:4].std(ddof=1) / 2)
    assert (result.low, result.high) == pytest.approx((low, high))
    assert result.number == 4
    lone = mean_interval([1800.0])
    assert lone.value == 1800.0
    assert isnan(lone.low)
    assert isnan(mean_interval([]).value)


def test_intervals_hold_as_often_as_they_say() -> None:
    generator = np.random.default_rng(1)
    held = [
        result.low <= 10.0 <= result.high
        for result in (mean_interval(generator.normal(10, 3, 5)) for _ in range(4000))
    ]
    assert np.mean(held) == pytest.approx(0.9, abs=0.015)


@pytest.mark.parametrize("number", [2, 3, 5, 10, 30])
def test_intervals_of_losses_hold(number: int) -> None:
    """Student's t held a skew loss in 82 to 88 of 100, and erred to the player's advantage."""
    generator = np.random.default_rng(number)
    made = generator.gamma(0.6**-2, 150 * 0.6**2, (1500, number))
    result = [loss_interval(losses, 0.9) for losses in made]
    held = np.mean([each.low <= 150 <= each.high for each in result])
    assert 0.875 <= held <= 0.965
    better = np.mean([each.high < 150 for each in result])
    assert better <= 0.075
    plain = [mean_interval(losses, 0.9) for losses in made]
    if number <= 10:
        assert np.mean([each.high < 150 for each in plain]) > 0.085


def test_what_has_no_interval() -> None:
    assert isnan(loss_interval([120.0]).low)
    assert isnan(loss_interval([0.0, 0.0]).high)
    assert isnan(loss_interval([np.nan]).value)
    known = loss_interval([120.0, np.nan, 180.0])
    assert (known.number, known.value) == (2, 150.0)
    assert known.low < 100.0
    assert known.high > 250.0


def test_ratios() -> None:
    generator = np.random.default_rng(2)
    held = []
    for _ in range(2000):
        below = generator.integers(20, 80, 40).astype(float)
        above = generator.gamma(2.0, 0.5, 40) * below
        result = ratio_interval([(above, below), (np.zeros(40), np.zeros(40))])
        assert result.value == pytest.approx(above.sum() / below.sum())
        held.append(result.low <= 1.0 <= result.high)
    assert np.mean(held) == pytest.approx(0.9, abs=0.03)
    assert isnan(ratio_interval([(np.zeros(3), np.zeros(3))]).value)


def test_luck_adjusted_results_are_averaged_before_the_logarithm() -> None:
    p = [1.05, 0.3, 0.8, 0.55]
    result = luck_adjusted_difference(p, 5, 0.9)
    assert result.value == pytest.approx(float(fibs.difference(np.mean(p), 5)))
    reach = stats.t.ppf(0.95, 3) * np.std(p, ddof=1) / 2
    assert result.low == pytest.approx(float(fibs.difference(np.mean(p) - reach, 5)))
    assert result.high == np.inf  # the mean's interval reaches beyond 1
    mixed = luck_adjusted_difference([0.7, 0.6], [3, 11])
    assert float(fibs.probability(mixed.value, 0, [3, 11]).mean()) == pytest.approx(0.65)
    assert luck_adjusted_difference([1.2, 1.1], 5).value == np.inf


def test_intervals_hold_the_doubt_about_the_formula() -> None:
    estimate = loss_interval([250.0, 200.0, 210.0], 0.9)
    wider = estimate.widened(30.0, 0.9)
    reach = 30.0 * stats.norm.ppf(0.95)
    assert wider.high - wider.value == pytest.approx(
        np.hypot(estimate.high - estimate.value, reach)
    )
    assert wider.value - wider.low == pytest.approx(np.hypot(estimate.value - estimate.low, reach))
    assert wider.error == pytest.approx(np.hypot(estimate.error, 30.0))
    assert estimate.widened(None, 0.9) is estimate
    matches = matches_of([outcome_of(), outcome_of()])
    known = replace(PUBLISHED, covariance=PUBLISHED.times(1.0, "x", 0.5).covariance)
    for plain, doubtful in zip(summarise(matches), summarise(matches, formula=known), strict=True):
        assert doubtful.rating.value == plain.rating.value
        lost = 0.5 * -plain.relative.value
        assert doubtful.rating.error == pytest.approx(np.hypot(plain.rating.error, lost))
        assert doubtful.pooled.low < plain.pooled.low


def test_a_match() -> None:
    match = AnalysedMatch.from_file(outcome_of())
    assert match.players == ("Ann", "Bob")
    assert match.date == date(2022, 5, 24)
    assert match.score == (6, 1)
    assert match.winner == 0
    assert match.luck_adjusted == pytest.approx(0.6)
    assert match.luck_adjusted_of(1) == pytest.approx(0.4)
    assert match.close_2003 == (13, 13)
    unfinished = AnalysedMatch.from_file(outcome_of(length=7))
    assert unfinished.winner is None
    assert isnan(unfinished.luck_adjusted)
    assert AnalysedMatch.from_file(outcome_of(date=(1, 1, 1970))).date is None
    assert AnalysedMatch.from_file(outcome_of(date=(0, 0, 0))).date is None


def test_the_rating_of_a_match() -> None:
    errors = Errors(unforced=40, chequer=0.4, close=10, wrong_take=0.2)
    assert match_rating(errors, 5, PUBLISHED, 2050) == pytest.approx(
        2050 - (8798 + 25526 / 5) * 0.01 - (863 - 519 / 5) * 0.02
    )
    no_cube = Errors(unforced=40, chequer=0.4)
    assert match_rating(no_cube, 1, PUBLISHED, 2050) == pytest.approx(2050 - 343.24)
    assert isnan(match_rating(Errors(close=3), 5, PUBLISHED, 2050))
    assert isnan(match_rating(errors, 0, PUBLISHED, 2050))


def outcomes() -> list[AnalysedMatch]:
    made = [
        outcome_of(
            f"{k}.mat",
            ("Ann", "Bob") if k % 2 else ("Bob", "Annie"),
            date=(k + 1, 3, 2024),
            first=statistics(chequer=0.3 + 0.05 * k, adjusted=0.1),
        )
        for k in range(6)
    ]
    return matches_of(made, {"Annie": "Ann"})


def test_players() -> None:
    matches = outcomes()
    players = {player.name: player for player in summarise(matches[::-1], offset=2100)}
    assert set(players) == {"Ann", "Bob"}
    ann = players["Ann"]
    assert len(ann.matches) == 6
    assert [match.file for match, _ in ann.matches] == [f"{k}.mat" for k in range(6)]
    assert (ann.won, ann.lost) == (3, 3)
    assert ann.rating.value == pytest.approx(ann.match_ratings.mean())
    loss = loss_interval(2100 - ann.match_ratings, 0.9)
    assert (ann.rating.low, ann.rating.high) == pytest.approx((2100 - loss.high, 2100 - loss.low))
    assert ann.relative.value == pytest.approx(ann.rating.value - 2100)
    epm, epc = ann.errors.epm, ann.errors.epc
    assert ann.pooled.value == pytest.approx(float(PUBLISHED.rating(epm, epc, 5, 2100)))
    assert ann.luck_adjusted.value == pytest.approx(-players["Bob"].luck_adjusted.value)
    trend = ann.trend(window=3)
    assert trend[-1].value == pytest.approx(ann.match_ratings[-3:].mean())
    assert trend[0].value == ann.match_ratings[0]


def test_blunders() -> None:
    errors = [
        {
            "game": 1,
            "record": k,
            "player": k % 2,
            "kind": "chequer play",
            "error": 0.1 * k,
            "position": "4HPwATDgc/ABMA",
            "match": "cAkAAAAAAAAA",
            "dice": [6, 1],
            "played": "24/18 6/5",
            "best": "13/7 8/7",
            "played_equity": 0.1 - 0.1 * k,
            "best_equity": 0.1,
        }
        for k in range(1, 6)
    ]
    matches = matches_of([outcome_of(errors=tuple(errors))])
    assert [round(b.error, 1) for b in worst_blunders(matches, 3)] == [0.5, 0.4, 0.3]
    assert [b.player for b in worst_blunders(matches, 9, ["Ann"])] == ["Ann", "Ann"]


def test_a_player_of_few_decisions_heads_no_list() -> None:
    match = AnalysedMatch.from_file(outcome_of())
    lucky = Errors(unforced=1, moves=1, opponent_moves=1)
    met = replace(
        match, players=("Lucky", "Many"), errors=(lucky, Errors(unforced=60, chequer=1.0))
    )
    players = summarise([met, replace(match, players=("Lucky", "Other"), errors=(lucky, lucky))])
    assert [player.name for player in players] == ["Many", "Lucky", "Other"]
    assert players[1].rating.value > players[0].rating.value
