"""Errors of earlier matches as a system of ratings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import yardstone
from yardstone.backgammon.error_system import ErrorRates
from yardstone.backgammon.formulas import PUBLISHED
from yardstone.errors import InputError, SkippedWarning, UsageError
from yardstone.evaluation import evaluate
from yardstone.pool import Pool
from yardstone.winprob import fibs

PEOPLE = Path(__file__).parents[2] / "lab" / "studies" / "backgammon_people.csv.gz"


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
        (8.0, 9.0, "thousandths"),
        (0.16, 0.16, "are not in equity"),
        (0.15, 6.1, "are not in equity"),
        (-0.01, 0.01, "negative"),
    ):
        with pytest.raises(InputError, match=message):
            ErrorRates().replay(made([[first, first], [first, first], [first, last]]))
    for bad in ({"formula": "none"}, {"epm_weight": 0.0}, {"length": 0.0}):
        with pytest.raises(UsageError):
            ErrorRates(**bad)


def test_matches_between_people_are_predicted() -> None:
    """The points of a match that was not finished make nobody its winner."""
    with pytest.warns(SkippedWarning):
        pool = yardstone.read(PEOPLE, times=True)
    with pytest.warns(SkippedWarning):
        other = yardstone.read(PEOPLE, columns={"first": "player_2", "second": "player_1"})
    assert len(pool) == 995
    assert (other.score == 1 - pool.score).all()
    assert pool.time is not None
    people = pool.select(~np.isnat(pool.time))
    assert (len(people), people.ordered) == (832, False)
    # Shrinkage is what makes the errors of few matches worth anything.
    bare = ErrorRates(epm_weight=0.01, epc_weight=0.01, usual_players=0.01)
    result = evaluate(people, {"bare": bare, "vandendoel": ErrorRates()}, replicates=0)
    score = {each.name: each.value("log_likelihood") or 0.0 for each in result.systems}
    assert score["vandendoel"] > max(score["50:50"], score["bare"])
