from __future__ import annotations

from dataclasses import replace
from datetime import date
from math import isfinite, isnan, sqrt
from typing import Any

import numpy as np
import pytest

from tests.backgammon.gnubg_stats import outcome_of, statistics
from yardstone.backgammon.error_rates import Errors
from yardstone.backgammon.formulas import PUBLISHED
from yardstone.backgammon.matches import (
    AnalysedMatch,
    ClassErrors,
    class_errors,
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


def scale_interval(value: float, parts: Any, level: float) -> tuple[float, float, float]:
    """Wilson and Hilferty's, the usual spread of 0.6 counted as four matches; and the error."""
    from scipy import stats

    number = len(parts)
    freedom = number + 3
    share = (4 * 0.6**2 + (number - 1) * np.var(parts, ddof=1) / value**2) / freedom / number
    reach = stats.t.ppf((1 + level) / 2, freedom) * sqrt(share / 9)
    low, high = value / (1 - share / 9 + reach) ** 3, value / (1 - share / 9 - reach) ** 3
    return low, high, value * sqrt(share)


def test_intervals_of_losses() -> None:
    from scipy import stats

    losses = np.array([120.0, 180.0, 90.0])
    result = loss_interval([120.0, np.nan, 180.0, 90.0], 0.9)
    assert (result.number, result.value) == (3, 130.0)
    ends = (result.low, result.high, result.error)
    assert ends == pytest.approx(scale_interval(130.0, losses, 0.9))
    for single in ([120.0], [0.0, 0.0], [np.nan]):
        assert isnan(loss_interval(single).low)
    assert loss_interval([1e-3, 900.0], 0.9999).high == np.inf
    # Of sums of ratios: chequers and cube, each over all matches.
    above, below = np.array([0.4, 0.9, 0.2]), np.array([40.0, 50.0, 30.0])
    cube, close = np.array([0.3, 0.1, 0.0]), np.array([5.0, 3.0, 0.0])
    rates = (1.5 / 120, 0.4 / 8)
    ratio = ratio_interval([(above, below), (cube, close), (np.zeros(3), np.zeros(3))], 0.8)
    assert ratio.value == pytest.approx(sum(rates))
    parts = 3 * ((above - rates[0] * below) / 120 + (cube - rates[1] * close) / 8)
    expected = scale_interval(sum(rates), parts, 0.8)
    assert (ratio.low, ratio.high, ratio.error) == pytest.approx(expected)
    assert isnan(ratio_interval([(np.zeros(3), np.zeros(3))]).value)
    # A mean has Student's.
    values = np.array([1790.0, 1850.0, 1822.0, 1900.0, np.nan])
    mean = mean_interval(values, 0.9)
    ends = stats.t.interval(0.9, 3, values[:4].mean(), values[:4].std(ddof=1) / 2)
    assert (mean.low, mean.high, mean.number) == pytest.approx((*ends, 4))
    lone = mean_interval([1800.0])
    assert (lone.value, lone.number, isnan(lone.low)) == (1800.0, 1, True)
    assert isnan(mean_interval([]).value)


def test_luck_adjusted_results_are_averaged_before_the_logarithm() -> None:
    from scipy import stats

    p = [1.05, 0.3, 0.8, 0.55]
    result = luck_adjusted_difference(p, 5, 0.9)
    assert result.value == pytest.approx(float(fibs.difference(np.mean(p), 5)))
    reach = stats.t.ppf(0.95, 3) * np.std(p, ddof=1) / 2
    assert result.low == pytest.approx(float(fibs.difference(np.mean(p) - reach, 5)))
    assert result.high == np.inf  # the mean's interval reaches beyond 1
    mixed = luck_adjusted_difference([0.7, 0.6], [3, 11])
    assert float(fibs.probability(mixed.value, 0, [3, 11]).mean()) == pytest.approx(0.65)
    for share, value in (([1.2, 1.1], np.inf), ([1.0, 1.0], np.inf), ([0.0, 0.0], -np.inf)):
        assert luck_adjusted_difference(share, 5).value == value
    assert isnan(luck_adjusted_difference([np.nan], 5).value)
    step = 1e-3
    slope = (fibs.probability(step, 0, 5) - fibs.probability(-step, 0, 5)) / (2 * step)
    even = luck_adjusted_difference([0.4, 0.6], 5)
    assert even.error == pytest.approx(0.1 / float(slope))


def test_intervals_hold_the_doubt_about_the_formula() -> None:
    from scipy import stats

    estimate = loss_interval([250.0, 200.0, 210.0], 0.9)
    wider = estimate.widened(30.0, 0.9)
    reach = 30.0 * stats.norm.ppf(0.95)
    for end in ("low", "high"):
        before = getattr(estimate, end) - estimate.value
        assert abs(getattr(wider, end) - wider.value) == pytest.approx(np.hypot(before, reach))
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
    assert (match.players, match.date) == (("Ann", "Bob"), date(2022, 5, 24))
    assert (match.score, match.winner, match.close_2003) == ((6, 1), 0, (13, 13))
    assert (match.luck_adjusted, match.luck_adjusted_of(1)) == pytest.approx((0.6, 0.4))
    assert (match.games, match.length) == (3, 5)
    unfinished = AnalysedMatch.from_file(outcome_of(length=7))
    assert unfinished.winner is None
    assert isnan(unfinished.luck_adjusted)
    days = {(1, 1, 1975): date(1975, 1, 1), (31, 12, 1974): None, (0, 0, 0): None, (): None}
    for parts, day in days.items():
        assert AnalysedMatch.from_file(outcome_of(date=parts)).date == day
    named = AnalysedMatch.from_file(outcome_of(names=("", "\x07Bob")), {"Bob": "Robert"})
    assert named.players == ("player 1", "Robert")
    # What it rates.
    errors = Errors(unforced=40, chequer=0.4, close=10, wrong_take=0.2)
    loss = (8798 + 25526 / 5) * 0.01 + (863 - 519 / 5) * 0.02
    for made, length, rating in (
        (errors, 5, 2050 - loss),
        (Errors(unforced=40, chequer=0.4), 1, 2050 - 343.24),  # without a cube
        (Errors(close=3), 5, np.nan),
        (errors, 0, np.nan),
    ):
        result = match_rating(made, length, PUBLISHED, 2050)
        assert result == pytest.approx(rating, nan_ok=True)


def test_players() -> None:
    made = []
    for k in range(6):
        names = ("Ann", "Bob") if k % 2 else ("Bob", "Annie")
        first = statistics(chequer=0.3 + 0.05 * k, adjusted=0.1)
        made.append(outcome_of(f"{k}.mat", names, date=(k + 1, 3, 2024), first=first))
    matches = matches_of(made, {"Annie": "Ann"})
    players = {player.name: player for player in summarise(matches[::-1], offset=2100)}
    ratings = [player.rating.value for player in players.values()]
    assert ratings == sorted(ratings, reverse=True)
    ann = players["Ann"]
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
    # A player of few decisions heads no list.
    match = AnalysedMatch.from_file(outcome_of())
    for unforced, order in ((49, ["Many", "Lucky"]), (50, ["Lucky", "Many"])):
        lucky = Errors(unforced=unforced, moves=1, opponent_moves=1)
        many = Errors(unforced=60, chequer=1.0)
        matches = [replace(match, players=("Lucky", "Many"), errors=(lucky, many))]
        if unforced < 50:
            matches += [replace(match, players=("Many", "Other"), errors=(many, Errors()))]
        assert [player.name for player in summarise(matches)][:2] == order


def test_blunders() -> None:
    """With remarks on doubles: whether it was too early, and whether it would be taken."""
    kinds: list[tuple[str, float, float, str]] = [
        ("chequer play", 0.2, 0.0, ""), ("wrong double", 1.0, 0.0, "too early"),
        ("wrong double", 1.01, 0.0, "too good to double"), ("missed double", 0.0, 1.0, "take"),
        ("missed double", 0.0, 1.01, "pass"),
    ]  # fmt: skip
    usual = {"game": 1, "position": "4HPwATDgc/ABMA", "match": "cAkAAAAAAAAA",
             "played": "24/18 6/5", "best": "13/7 8/7"}  # fmt: skip
    errors = [
        {**usual, "record": k, "player": k % 2, "kind": kind, "error": 0.1 * k,
         "played_equity": best - 0.1 * k, "best_equity": best, "take_equity": take}
        for k, (kind, best, take, _) in enumerate(kinds, 1)
    ]  # fmt: skip
    matches = matches_of([outcome_of(errors=tuple(errors))])
    worst = worst_blunders(matches, 9)
    assert [blunder.remark for blunder in worst] == [remark for *_, remark in kinds[::-1]]
    assert [round(blunder.error, 1) for blunder in worst_blunders(matches, 3)] == [0.5, 0.4, 0.3]
    assert [blunder.player for blunder in worst_blunders(matches, 9, ["Ann"])] == ["Ann", "Ann"]
    assert (worst[0].opponent, worst[0].dice) == ("Ann", ())


def test_classes_of_a_player() -> None:
    losses = [0.0, 0.029, 0.03, 0.059, 0.06, 0.119, 0.12, 0.5]
    total = sum((ClassErrors.of(loss) for loss in losses), ClassErrors())
    assert (total.decisions, total.doubtful, total.errors, total.blunders) == (8, 2, 2, 2)
    assert total.loss == pytest.approx(sum(losses))
    made = ((0, 0.05, 3), (0, 0.0, 4), (1, 0.2, 2))
    moves = ((who, "move", loss, turn, 10, "4HPwATDgc/ABMA") for who, loss, turn in made)
    rows = (*moves, (0, "take", 0.1))
    ann, bob = class_errors(rows)
    assert list(ann) == ["opening", "middle game", "take"]
    assert bob == {"opening": ClassErrors(1, 0.2, 0, 0, 1)}
    # An interval needs 160 matches.
    matches = matches_of([outcome_of(f"{k}.mat", decisions=rows) for k in range(160)])
    for some, intervals in ((matches, True), (matches[1:], False)):
        players = {player.name: player.classes for player in summarise(some)}
        classes = {each.name: each for each in players["Ann"]}
        assert classes["opening"].errors.decisions == len(some)
        assert classes["take"].rate.value == pytest.approx(0.1)
        assert isfinite(classes["take"].rate.low) == intervals
        assert intervals or all(isnan(each.rate.low) for each in classes.values())
