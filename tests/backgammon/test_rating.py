"""Error rates, ratings that follow from them, and what matches say of their players."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from math import isfinite, isnan, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import yardstone
from yardstone.backgammon.error_rates import Errors, Unit, in_equity
from yardstone.backgammon.error_system import ErrorRates
from yardstone.backgammon.file_analysis import FileAnalysis
from yardstone.backgammon.formulas import PEOPLE, PUBLISHED, PUBLISHED_TEXT, REFIT, Formula
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
    RatingQuestion,
    loss_interval,
    luck_adjusted_difference,
    mean_interval,
    rating_answer,
    ratio_interval,
)
from yardstone.errors import InputError, SkippedWarning, UsageError
from yardstone.evaluation import evaluate
from yardstone.pool import Pool
from yardstone.winprob import fibs

CUBE = {
    "missed-double-below-cp": 0.1, "missed-double-above-cp": 0.2, "wrong-double-below-dp": 0.05,
    "wrong-double-above-tg": 0.0, "wrong-take": 0.3, "wrong-drop": 0.0,
}  # fmt: skip


def statistics(
    *, moves: int = 50, close: int = 8, chequer: float = 0.4, adjusted: float = 0.1
) -> dict[str, Any]:
    """The entry of one player, as GNU Backgammon's own Python gives it."""
    marks = {"very bad": 1, "bad": 2, "doubtful": 3, "unmarked": moves - 6}
    counts = {name: int(error > 0) for name, error in CUBE.items()}
    skill = {f"err-{name}-skill": error for name, error in CUBE.items()}
    plays = {"unforced-moves": 40, "total-moves": moves, "error-skill": chequer, "marked": marks}
    dice = {"luck": 0.5, "luck-adjusted-result": adjusted}
    return {"moves": plays, "cube": {"close-cube": close, **counts, **skill}, "dice": dice}


def outcome_of(
    file: str = "match.mat",
    names: Sequence[str] = ("Ann", "Bob"),
    *,
    first: dict[str, Any] | None = None,
    errors: Sequence[dict[str, Any]] = (),
    decisions: Sequence[Sequence[Any]] = (),
    **facts: Any,
) -> FileAnalysis:
    """The analysis of one file, of a match won by 6 to 1."""
    games = [
        {"score-X": mine, "score-O": other, "winner": who, "points-won": points}
        for mine, other, who, points in ((0, 0, "X", 2), (2, 0, "O", 1), (2, 1, "X", 4))
    ]
    match = {"names": list(names), "length": 5, "date": [24, 5, 2022], "event": "", "place": "",
             "variation": "Standard", "games": games, "more_games": 0, **facts}  # fmt: skip
    sides = {"X": first or statistics(), "O": statistics(adjusted=-0.1, chequer=0.8)}
    close = {who: {"close-2003": 13, "close-2006": 8} for who in "XO"}
    found = {"match": match, "analysis": {"stats": sides, "close": close}}
    rows = {"errors": list(errors), "decisions": [list(row) for row in decisions]}
    return FileAnalysis(file, "analysed", "", found | rows)


def test_from_gnu_backgammon() -> None:
    result = Errors.from_statistics({"X": statistics(), "O": statistics(moves=48, close=4)}, 0)
    assert (result.moves, result.opponent_moves, result.unforced, result.close) == (50, 48, 40, 8)
    losses = (result.missed_double, result.wrong_double, result.wrong_take, result.wrong_pass)
    assert losses == pytest.approx((0.3, 0.05, 0.3, 0.0))
    assert (result.missed_doubles, result.wrong_doubles) == (2, 1)
    assert (result.wrong_takes, result.wrong_passes, result.chequer_errors) == (1, 0, 6)
    assert (result.decisions, result.luck) == (48, 0.5)
    rates = (result.epm, result.epc, result.epd, result.pr, result.snowie)
    expected = (0.01, 0.65 / 8, 1.05 / 48, 500 * 1.05 / 48, 1000 * 1.05 / 98)
    assert rates == pytest.approx(expected)
    assert all(isnan(getattr(Errors(), name)) for name in ("epm", "epc", "epd", "pr", "snowie"))
    both = Errors.total([result, Errors(unforced=10, chequer=0.6, moves=12)])
    assert (both.unforced, both.moves, both.luck, both.chequer) == (50, 62, 0.5, 1.0)
    # Error total -2.381 over 74 + 11 decisions and 101 + 101 moves: mEMG -28.0, Snowie -11.8.
    whole = Errors(
        moves=101, opponent_moves=101, unforced=74, close=11, chequer=2.2825, missed_double=0.0986
    )
    assert 1000 * whole.epd == pytest.approx(28.0, abs=0.05)
    assert whole.snowie == pytest.approx(11.8, abs=0.05)
    assert Errors.total([]) == Errors()


def test_the_unit_follows_from_the_number() -> None:
    """8.5 was taken for equity: a rating of -120,294.9."""
    for rates, expected in (
        ({"epm": 0.1, "epc": 0.3}, {"epm": 0.1, "epc": 0.3}),
        ({"epm": 100.0, "epc": 300.0}, {"epm": 0.1, "epc": 0.3}), ({"epm": 1.0}, {"epm": 0.001}),
        ({"epm": 0.0, "epc": 21.0}, {"epm": 0.0, "epc": 0.021}),
        ({"depd": -7.5}, {"depd": -0.0075}), ({"epm": None, "memg": 10.4}, {"memg": 10.4}),
        ({"memg": 100.0}, {"memg": 100.0}), ({"pr": 0.01}, {"pr": 0.01}),
    ):  # fmt: skip
        assert in_equity(rates) == pytest.approx(expected)
    assert in_equity({"epm": 0.5}, Unit.thousandths) == {"epm": 0.0005}
    assert in_equity({"epm": 6.0}, Unit.equity) == {"epm": 6.0}
    assert in_equity({"memg": 200.0}, Unit.thousandths) == {"memg": 200.0}
    for wrong, unit, message in (
        ({"epm": 0.11}, None, "fits neither"), ({"epm": 0.99}, None, "fits neither"),
        ({"epm": 100.1}, None, "fits neither"), ({"epc": 0.31}, None, "fits neither"),
        ({"epm": 0.05, "epc": 21.0}, None, "name one unit"),
        ({"epm": 6.1}, Unit.equity, "no decision costs more"),
        ({"epm": 6001.0}, Unit.thousandths, "no decision costs more"),
        ({"memg": 0.1}, None, "more than anyone loses"),
        ({"memg": 100.1}, None, "more than anyone loses"),
        ({"pr": 50.1}, None, "more than anyone loses"),
        ({"snowie": -1.0}, Unit.equity, "more than anyone loses"),
        ({"pr": 3001.0}, Unit.thousandths, "no decision costs more"),
    ):  # fmt: skip
        with pytest.raises(UsageError, match=message):
            in_equity(wrong, unit)


rates = st.floats(0, 0.2)


def test_the_published_numbers() -> None:
    assert PUBLISHED.move([1, 5]).tolist() == pytest.approx([34324, 13903.2])
    assert PUBLISHED.cube([1, 3, 5]).tolist() == pytest.approx([344, 690, 759.2])
    assert PUBLISHED.decision([1, 3, 5, 7]).round().tolist() == [35652, 19865, 16707, 15354]
    # The text has one weight for one point.
    assert PUBLISHED_TEXT.move([1, 5]).tolist() == pytest.approx([37916, 13903.2])
    assert PUBLISHED_TEXT.decision([1, 5]).tolist() == pytest.approx([37916, 16707.2])
    assert PUBLISHED_TEXT.cube(1) == PUBLISHED.cube(1)
    # GNU Backgammon 1.07.001 at EPM 2.283 / 74 and EPC 0.099 / 11 in a match to 5 points.
    epm, epc = 2.283 / 74, 0.099 / 11
    assert float(PUBLISHED.move(5) * epm) == pytest.approx(428.8, abs=0.2)
    assert float(PUBLISHED.cube(5) * epc) == pytest.approx(6.8, abs=0.1)
    assert float(PUBLISHED.rating(epm, epc, 5)) == pytest.approx(1614.3, abs=0.3)
    # People's is 0.845 (0.067) times that, which is all its doubt.
    loss = float(PUBLISHED.loss(0.01, 0.02, 5))
    assert float(PEOPLE.loss(0.01, 0.02, 5)) == pytest.approx(0.845 * loss)
    assert PEOPLE.loss_error(0.01, 0.02, 5) == pytest.approx(0.067 * loss)


@given(st.sampled_from([PUBLISHED, PUBLISHED_TEXT]), rates, rates, rates, rates, st.integers(1, 64))
def test_all_ways_round(
    formula: Formula, epm: float, epc: float, other_epm: float, other_epc: float, length: int
) -> None:
    rating = formula.rating(epm, epc, length, 2100)
    assert float(formula.epm(rating, epc, length, 2100)) == pytest.approx(epm, abs=1e-9)
    assert float(formula.epc(rating, epm, length, 2100)) == pytest.approx(epc, abs=1e-7)
    of_all = formula.rating_of_decisions(epm, length, 2100)
    assert float(formula.epd(of_all, length, 2100)) == pytest.approx(epm, abs=1e-9)
    one, other = (epm, epc), (other_epm, other_epc)
    ahead = float(rating - formula.rating(*other, length, 2100))
    assert float(formula.difference(one, other, length)) == pytest.approx(ahead, abs=1e-6)
    chance = float(formula.probability(one, other, length))
    assert chance == pytest.approx(float(fibs.probability(ahead, 0.0, length)))


def changed(formula: Formula, number: int, by: float) -> Formula:
    """Return the formula with one of its six numbers changed."""
    name, part = ("move", "cube", "decision")[number // 2], ("constant", "inverse")[number % 2]
    weight = getattr(formula, name)
    return replace(formula, **{name: replace(weight, **{part: getattr(weight, part) + by})})


def test_errors_of_the_refit_are_those_of_its_numbers() -> None:
    covariance = np.array(REFIT.covariance)
    assert covariance.shape == (6, 6)
    # Its weight of one point follows from others.
    plain = replace(REFIT, move=replace(REFIT.move, one_point=None))

    def error(loss: Any) -> float:
        """By how much the loss changes with each number."""
        slope = np.array([loss(changed(plain, k, 1.0)) - loss(plain) for k in range(6)])
        return float(np.sqrt(slope @ covariance @ slope))

    for length in (3, 7, 23):
        # EPM and EPC may be differences of either sign.
        expected = error(lambda f, n=length: f.move(n) * 0.009 - f.cube(n) * 0.02)
        assert REFIT.loss_error(0.009, -0.02, length) == pytest.approx(expected)
        expected = error(lambda f, n=length: f.decision(n) * 0.01)
        assert REFIT.decision_error(-0.01, length) == pytest.approx(expected)
    mean = error(lambda f: (f.loss(0.01, 0.0, 3) + f.loss(0.02, 0.03, 5)) / 2)
    assert REFIT.mean_loss_error([0.01, 0.02], [0.0, 0.03], [3, 5]) == pytest.approx(mean)
    for name in ("loss_error", "mean_loss_error"):
        assert getattr(PUBLISHED, name)(0.01, 0.02, 5) is None
        assert getattr(REFIT, name)(0.0, 0.0, 5) == 0.0
    assert PUBLISHED.decision_error(0.01, 5) is None
    # At one point, where there is no cube, moves weigh what all decisions do.
    assert float(REFIT.loss(0.01, 0.0, 1)) == pytest.approx(float(REFIT.loss_of_decisions(0.01, 1)))
    assert REFIT.loss_error(0.01, 0.0, 1) == pytest.approx(REFIT.decision_error(0.01, 1))
    with pytest.raises(UsageError, match="no cube"):  # they would be a gain
        REFIT.loss(0.01, 0.02, [1, 5])
    record = json.loads(json.dumps(REFIT.as_record()))
    again = Formula.from_record(record).with_one_point()
    assert (again.move, again.cube, again.covariance) == (REFIT.move, REFIT.cube, REFIT.covariance)
    assert Formula.from_record(PUBLISHED.as_record()) == PUBLISHED


def test_answers() -> None:
    ahead, even = 16707.2 * 0.0075, float(fibs.difference(0.6, 5))
    chequer, cube = (8798 + 25526 / 7) * 0.0085, (863 - 519 / 7) * 0.021
    chance = float(fibs.probability(ahead, 0, 5))
    met = 2050 - 139.032
    rows: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({"depd": 0.0075}, {"difference": ahead, "probability": chance, "rating": None}),
        ({"depd": -0.0075}, {"difference": -ahead, "probability": 1 - chance}),
        ({"depd": 7.5, "against": 1800}, {"rating": 1800 + ahead, "probability": chance}),
        ({"win": 0.6, "against": 1800}, {"rating": 1800 + even, "difference": even}),
        ({"epm": 0.01, "against": 1700}, {"probability": float(fibs.probability(met, 1700, 5))}),
        ({"from_rating": 2050}, {"epd": 0.0, "epm": None}),
        ({"length": 7, "epm": 0.0085, "epc": 0.021},
         {"chequer_loss": chequer, "cube_loss": cube, "rating": 2050 - chequer - cube,
          "relative": -chequer - cube, "interval": None, "probability": None, "about": None}),
        ({"length": 7, "epm": 8.5, "epc": 21}, {"rating": 2050 - chequer - cube}),
        ({"epm": 0.5, "epc": 0.4, "unit": Unit.thousandths}, {"epm": 0.0005, "epc": 0.0004}),
        # A match to one point has no cube.
        ({"length": 1, "epm": 0.01, "epc": 0.05}, {"cube_loss": 0.0, "rating": 2050 - 343.24}),
        ({"length": 2, "epm": 0.01, "epc": 0.05}, {"cube_loss": 603.5 * 0.05}),
        ({"length": 1, "epm": 0.01, "formula": PUBLISHED_TEXT}, {"rating": 2050 - 379.16}),
    ]  # fmt: skip
    for known, wanted in rows:
        result = answer(**{"length": 5} | known)
        for name, value in wanted.items():
            close = value if value is None else pytest.approx(value)
            assert getattr(result, name) == close, (known, name)
    ways: list[dict[str, Any]] = [{"epc": 0.03}, {"epm": 0.01}]
    for known in ways:
        result = answer(length=5, from_rating=1800, **known)
        assert float(PUBLISHED.rating(result.epm, result.epc, 5)) == pytest.approx(1800)
        assert known.items() <= vars(result).items()
    result = answer(length=5, from_rating=1800)
    assert float(PUBLISHED.rating_of_decisions(result.epd, 5)) == pytest.approx(1800)


def test_a_factor_with_an_error() -> None:
    formula = PUBLISHED.times(0.8, "x", 0.1)
    loss = float(PUBLISHED.loss(0.01, 0.02, 5))
    assert float(formula.loss(0.01, 0.02, 5)) == pytest.approx(0.8 * loss)
    assert formula.loss_error(0.01, 0.02, 5) == pytest.approx(0.1 * loss)
    assert PUBLISHED.times(0.8, "x").covariance is None
    # Two doubts add up as squares; the formula's own grows with the factor.
    own: Any = REFIT.decision_error(0.01, 5)
    for error in (0.0, 0.1):
        both = np.hypot(error * REFIT.loss_of_decisions(0.01, 5), 2.0 * own)
        doubled = REFIT.times(2.0, "x", *([error] if error else []))
        assert doubled.decision_error(0.01, 5) == pytest.approx(float(both))


#: With a standard error of a tenth of each loss.
DOUBTFUL = PUBLISHED.times(1.0, "x", 0.1)


def answer(*, formula: Formula = PUBLISHED, offset: float = 2050, **known: Any) -> Any:
    return rating_answer(RatingQuestion(**known), formula, offset)


def test_the_doubt_about_a_formula() -> None:
    def chances(ends: tuple[float, float], against: float = 0.0) -> list[float]:
        return [float(fibs.probability(end, against, 5)) for end in ends]

    result = answer(length=5, epm=0.01, epc=0.02, against=1700, formula=DOUBTFUL)
    reach = 1.959964 * 0.1 * (139.032 + 15.184)
    assert result.interval == pytest.approx((result.rating - reach, result.rating + reach))
    assert result.probability_interval == pytest.approx(chances(result.interval, 1700))
    reach = 1.959964 * 0.1 * 167.072
    low, high = answer(length=5, epd=0.01, formula=DOUBTFUL).interval
    assert (low, high) == pytest.approx((2050 - 167.072 - reach, 2050 - 167.072 + reach))
    result = answer(length=5, depd=0.01, against=1800, formula=DOUBTFUL)
    ends = (167.072 - reach, 167.072 + reach)
    assert result.difference_interval == pytest.approx(ends)
    assert result.interval == pytest.approx((ends[0] + 1800, ends[1] + 1800))
    assert result.probability_interval == pytest.approx(chances(ends))


PEOPLE_TABLE = Path(__file__).parents[2] / "lab" / "studies" / "backgammon_people.csv.gz"


def made(epm: list[list[float]], **columns: list[list[float]]) -> Pool:
    """Matches of Ann and Bob, and one of Bob and Eve."""
    facts: dict[str, list[float]] = {"length": [5, 5, 7]}
    for name, rows in {"epm": epm, **columns}.items():
        facts[f"first_{name}"], facts[f"second_{name}"] = map(list, zip(*rows, strict=True))
    names = ["Ann", "Ann", "Bob"], ["Bob", "Bob", "Eve"]
    return Pool.from_names(*names, [1, 0, 1], columns=facts)


def test_a_match_is_predicted_from_those_before_it() -> None:
    pool = made([[0.008, 0.020], [0.009, 0.018], [0.02, 0.02]])
    changed = made([[0.008, 0.020], [0.009, 0.018], [0.5, 0.0]])
    system = ErrorRates()
    first, other = system.replay(pool), system.replay(changed)
    assert first.expected.tolist() == other.expected.tolist()
    assert first.expected[0] == 0.5 < first.expected[1]
    assert first.ratings["Eve"].value != other.ratings["Eve"].value
    # It goes on from a state.
    state, _ = system.advance(system.start(), pool.select(np.array([True, True, False])))
    _, later = system.advance(state, pool.select(np.array([False, False, True])))
    assert later.expected[-1] == pytest.approx(first.expected[-1])
    with pytest.raises(UsageError, match="begin with no ratings"):
        system.start(("Ann",), known=first.ratings)
    # Two players of 0.004 beside one of 0.0155: that is what Eve is taken for.
    pool = made([[0.004, 0.004], [0.004, 0.004], [0.02, 0.02]])
    low, mean = ErrorRates(usual_players=1.0).replay(pool), (0.0155 + 2 * 0.004) / 3
    assert low.second_rating[2] == pytest.approx(float(PUBLISHED.rating(mean, 0.036, 7)))


def test_rates_are_drawn_towards_the_mean() -> None:
    pool = made(
        [[0.008, 0.020], [0.009, 0.018], [0.02, 0.02]],
        epc=[[0.01, 0.05], [np.nan, 0.02], [0.03, 0.03]],
        unforced=[[40, 50], [60, 55], [30, 30]],
        close=[[5, 8], [0, 4], [6, 6]],
    )
    system = ErrorRates(usual_players=1e12)
    replay = system.replay(pool)
    ann = (40 * 0.008 + 50 * 0.0155) / (40 + 50), (5 * 0.01 + 40 * 0.036) / (5 + 40)
    bob = (50 * 0.020 + 50 * 0.0155) / (50 + 50), (8 * 0.05 + 40 * 0.036) / (8 + 40)
    wanted = [float(PUBLISHED.rating(*rates, 5)) for rates in (ann, bob)]
    assert [replay.first_rating[1], replay.second_rating[1]] == pytest.approx(wanted)
    assert replay.expected[1] == pytest.approx(float(fibs.probability(wanted[0], wanted[1], 5)))
    # The final ratings are those of matches to `length` points.
    epm = (40 * 0.008 + 60 * 0.009 + 50 * 0.0155) / (100 + 50)
    assert replay.ratings["Ann"].value == pytest.approx(float(PUBLISHED.rating(epm, ann[1], 5)))
    # Of another formula, twice its weights below another rating of perfect play.
    doubled = ErrorRates(usual_players=1e12, formula="people", factor=2.0, perfect=1000.0, length=3)
    loss = 0.845 * float(PUBLISHED.loss(epm, ann[1], 3))
    assert doubled.replay(pool).ratings["Ann"].value == pytest.approx(1000.0 - 2.0 * loss)


def test_what_is_refused() -> None:
    with pytest.raises(InputError, match="first_epm"):
        ErrorRates().replay(Pool.from_names(["Ann"], ["Bob"], [1]))
    ErrorRates().replay(made([[0.15, 0.15], [0.15, 0.15], [0.15, 6.0]]))
    for first, last, message in (
        (8.0, 9.0, "thousandths"), (0.16, 0.16, "are not in equity"),
        (0.15, 6.1, "are not in equity"), (-0.01, 0.01, "negative"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=message):
            ErrorRates().replay(made([[first, first], [first, first], [first, last]]))
    for bad in ({"formula": "none"}, {"epm_weight": 0.0}, {"length": 0.0}):
        with pytest.raises(UsageError):
            ErrorRates(**bad)


def test_matches_between_people_are_predicted() -> None:
    """The points of a match that was not finished make nobody its winner."""
    with pytest.warns(SkippedWarning):
        pool = yardstone.read(PEOPLE_TABLE, times=True)
    assert len(pool) == 995
    assert pool.time is not None
    people = pool.select(~np.isnat(pool.time))
    assert (len(people), people.ordered) == (832, False)
    # Shrinkage is what makes the errors of few matches worth anything.
    bare = ErrorRates(epm_weight=0.01, epc_weight=0.01, usual_players=0.01)
    result = evaluate(people, {"bare": bare, "vandendoel": ErrorRates()}, replicates=0)
    score = {each.name: each.value("log_likelihood") or 0.0 for each in result.systems}
    assert score["vandendoel"] > max(score["50:50"], score["bare"])


def scale_interval(value: float, parts: Any, level: float) -> tuple[float, float, float]:
    """Wilson and Hilferty's, the usual spread of 0.6 counted as four matches; and the error."""
    number = len(parts)
    freedom = number + 3
    share = (4 * 0.6**2 + (number - 1) * np.var(parts, ddof=1) / value**2) / freedom / number
    reach = stats.t.ppf((1 + level) / 2, freedom) * sqrt(share / 9)
    low, high = value / (1 - share / 9 + reach) ** 3, value / (1 - share / 9 - reach) ** 3
    return low, high, value * sqrt(share)


def test_intervals_of_losses() -> None:
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
    slope = (fibs.probability(1e-3, 0, 5) - fibs.probability(-1e-3, 0, 5)) / 2e-3
    even = luck_adjusted_difference([0.4, 0.6], 5)
    assert even.error == pytest.approx(0.1 / float(slope))


def test_intervals_hold_the_doubt_about_the_formula() -> None:
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
    with pytest.raises(ValueError, match="was not analysed"):
        AnalysedMatch.from_file(FileAnalysis("a.mat", "refused"))
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
    assert worst_blunders(matches, 3) == worst[:3]
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
