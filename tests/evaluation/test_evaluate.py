"""`evaluate`: only earlier games decide, an advantage where it helps, and draws as they came."""

from __future__ import annotations

from dataclasses import replace
from math import log
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize_scalar
from scipy.special import expit, logit

from tests.evaluation.games import davidson, played
from yardstone.errors import InputError, UsageError, WrongTypeError
from yardstone.evaluation.backtest import (
    earlier_part,
    evaluate,
    fit_draw_rate,
    helpful_advantage,
    outcome_table,
    shown_advantage,
    takes_advantage,
    with_draws,
)
from yardstone.evaluation.comparison import Prediction
from yardstone.evaluation.metrics import measure, total_log_likelihood
from yardstone.pool import Pool
from yardstone.ratings.elo import Elo
from yardstone.ratings.systems import SEQUENTIAL, SYSTEMS

POINTS = 400.0 / log(10.0)
WITH_ADVANTAGE = [name for name in SEQUENTIAL if takes_advantage(SYSTEMS[name])]
BRIEF: dict[str, Any] = {"replicates": 0, "gap_edges": ()}


def leaning(points: float, games: int = 1500, seed: int = 3) -> Pool:
    """Games in which moving first is worth so many points on Elo's scale."""
    pool = played(games, 20, seed, spread=0.0)
    generator = np.random.default_rng(seed)
    strength = generator.normal(0.0, 120.0, len(pool.players))
    gap = strength[pool.first] - strength[pool.second] + points
    chance = 1.0 / (1.0 + 10.0 ** (-gap / 400.0))
    return replace(pool, score=(generator.random(games) < chance).astype(float))


def test_it_is_the_replay_of_the_later_games_measured() -> None:
    pool = played(1500, 30, 2, draws=0.2)
    result = evaluate(pool, {"mine": Elo(k=25.0)}, train_share=0.6, replicates=50, tune=3)
    expected = Elo(k=25.0).replay(pool).expected
    rate = fit_draw_rate(pool.score[450:900], expected[450:900])  # the later half of the earlier
    measured = measure(pool.score[900:], expected[900:], davidson(expected[900:], rate)).as_dict()
    assert result["mine"].metrics["representative"].as_dict() == pytest.approx(measured)
    assert result["mine"].prediction.parameters == {"k": 25.0}
    assert [part.name for part in result.subsets][:3] == [
        "representative", "gap 0-50", "gap 50-100",
    ]  # fmt: skip
    assert result.period == (pool.time[900], pool.time[-1])  # type: ignore[index]
    assert (result.games, result.earlier, result.tuned) == (600, 900, 3)
    names = {each.name: each.prediction for each in result.systems if each.prediction.baseline}
    assert names["first move only"].parameters == {"expected": pool.score[:900].mean()}
    assert names["50:50"].expected.tolist() == [0.5] * 600
    assert "Distances of ratings are those of mine." in result.notes
    assert len(earlier_part(pool, share=0.6)) == 900
    assert len(earlier_part(pool)) == 1050  # seven in ten where nothing is said
    until = pool.time[700]  # type: ignore[index]
    assert evaluate(pool, ["elo"], train_until=until, **BRIEF).earlier == 700


def test_later_results_have_no_say() -> None:
    """Neither in parameters that are tuned nor in the advantage of moving first."""
    pool = leaning(100.0)
    later = np.arange(len(pool)) >= 1050
    turned = replace(pool, score=np.where(later, 1.0 - pool.score, pool.score))
    for options in ({"tune": 3}, {"first_advantage": "auto"}):
        one, other = (evaluate(each, ["elo"], **options, **BRIEF) for each in (pool, turned))
        assert one["elo"].prediction.parameters == other["elo"].prediction.parameters
        assert one.advantages == other.advantages
        first = one["elo"].prediction.expected[0], other["elo"].prediction.expected[0]
        assert first[0] == first[1]


def test_the_untuned_run_is_among_the_trials() -> None:
    """With its advantage of moving first, where that helps on the earlier games."""
    pool = leaning(80.0, 600)
    untuned, tuned = (evaluate(pool, ["elo"], tune=number, **BRIEF) for number in (0, 1))
    chosen = untuned.advantages["elo"]
    assert chosen > 20.0
    assert tuned.advantages == {}
    for result in (untuned, tuned):
        assert result["elo"].prediction.parameters == {"first_advantage": pytest.approx(chosen)}
        value = result["elo"].value("log_likelihood")
        assert value == pytest.approx(untuned["elo"].value("log_likelihood"))
    assert evaluate(pool, ["elo"], first_advantage="none", **BRIEF).advantages == {}


# --------------------------------------------- the advantage of moving first


@pytest.mark.parametrize("name", WITH_ADVANTAGE)
def test_an_advantage_is_found_where_there_is_one(name: str) -> None:
    assert 60.0 < helpful_advantage(SYSTEMS[name], leaning(100.0, 800)) < 150.0


@pytest.mark.parametrize(
    ("points", "seed", "gain"),
    [(55.0, 21, 1.916), (55.0, 16, 1.947)],
)
def test_an_advantage_helps_by_more_than_chance_would(
    points: float, seed: int, gain: float
) -> None:
    """The likeliest on a grid, taken where it gains 1.92: half of chi squared's 95 %."""
    entry, pool = SYSTEMS["elo"], leaning(points, 300, seed)

    def value(advantage: float) -> float:
        expected = entry.make(first_advantage=advantage).replay(pool).expected
        return total_log_likelihood(pool.score[150:], expected[150:])

    found = helpful_advantage(entry, pool)
    best = 60.0 + minimize_scalar(lambda more: -value(60.0 + more), method="brent").x
    assert value(best) - value(0.0) == pytest.approx(gain, abs=2e-3)
    assert found == (pytest.approx(best, abs=3.0) if gain > 1.92 else 0.0)


def test_games_without_an_order_have_no_advantage() -> None:
    entry, pool = SYSTEMS["elo"], leaning(100.0, 400)
    assert helpful_advantage(entry, replace(pool, ordered=False)) == 0.0
    assert helpful_advantage(entry, pool.select(np.zeros(0, np.int64))) == 0.0


@pytest.mark.parametrize("draws", [0.0, 0.6])
def test_games_show_the_advantage_with_its_error(draws: float) -> None:
    """Most probable under a normal prior of 50 Elo, results scattering as they do here."""
    generator = np.random.default_rng(5)
    expected = (np.arange(200) % 9 + 1) / 10.0
    drawn = generator.random(200) < draws
    score = np.where(drawn, 0.5, generator.random(200) < expit(logit(expected) + 0.3))
    prior = (50.0 / POINTS) ** -2

    def terms(value: float) -> tuple[float, float, float]:
        p = expit(logit(expected) + value)
        spread = (p * (1 - p)).sum()
        # Ten even games without draws stand beside the games: 10 / 4.
        scatter = (((score - p) ** 2).sum() + 2.5) / (spread + 2.5)
        return (score - p).sum() / scatter, spread / scatter, scatter

    value = brentq(lambda v: terms(v)[0] - v * prior, -2.0, 2.0, xtol=1e-12)
    shown = shown_advantage(outcome_table(score, expected))
    assert shown.value == pytest.approx(value, abs=1e-6)
    assert shown.deviation == pytest.approx((terms(value)[1] + prior) ** -0.5, rel=1e-5)
    nothing = shown_advantage(outcome_table([], []))
    assert nothing.value == 0.0
    assert nothing.deviation == pytest.approx(50.0 / POINTS)


# --------------------------------------------------------------------- draws


def test_outcomes_are_counted_by_prediction() -> None:
    table = outcome_table([1, 0.5, 0, 0, 1], [0.25, 0.25, 0.25, 0.7502, 1.0])
    assert table.shape == (2000, 4)
    rows = np.flatnonzero(table[:, 1:].any(axis=1)).tolist()
    assert rows == [500, 1500, 1999]
    assert table[rows].tolist() == [[0.75, 1, 1, 1], [0.7502, 1, 0, 0], [1, 0, 0, 1]]


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_the_draw_rate_is_the_likeliest(seed: int) -> None:
    """Davidson's law for equal opponents, by scipy; one prediction a group, so nothing is lost."""
    generator = np.random.default_rng(seed)
    p = (np.arange(40) % 8 + 1) / 9.0
    score = generator.choice([0.0, 0.5, 1.0], 40, p=generator.dirichlet([4.0, 4.0, 4.0]))
    if not (score == 0.5).any() or (score == 0.5).all():
        return

    def loss(rate: float) -> float:
        draw = davidson(p, rate)
        chance = np.where(score == 0.5, draw, np.where(score == 1.0, p, 1 - p) - draw / 2)
        return -float(np.log(chance).sum())

    best = minimize_scalar(loss, bounds=(1e-4, 1 - 1e-4), method="bounded", options={"xatol": 1e-8})
    assert fit_draw_rate(score, p) == pytest.approx(best.x, abs=2e-5)


def test_where_no_game_was_drawn_no_draw_is_predicted() -> None:
    assert fit_draw_rate([1, 0], [0.5, 0.5]) == 0.0
    assert fit_draw_rate([0.5, 0.5], [0.5, 0.4]) == pytest.approx(1.0 - 1e-4, abs=1e-6)
    own = Prediction("own", np.full(2, 0.5), np.full(2, 0.4), own_draws=True)
    decided, drawn = outcome_table([1, 0], [0.5, 0.5]), outcome_table([0.5, 1], [0.5, 0.5])
    assert with_draws(own, drawn) is own
    assert with_draws(own, decided).draw is None
    assert not with_draws(own, decided).own_draws


# ---------------------------------------------------------- what is compared


def test_by_default_all_that_can_take_the_games_and_the_others_by_name() -> None:
    evaluation = evaluate(leaning(50.0, 120), **BRIEF)
    assert {each.name for each in evaluation} | set(evaluation.unable) == set(SEQUENTIAL)
    errors = dict.fromkeys(
        ("vandendoel", "vandendoel-people", "vandendoel-refit"),
        "the games have no column 'first_epm'",
    )
    unable = {"fibs": "the games have no column 'length'", **errors}
    assert unable.items() <= evaluation.unable.items()
    assert evaluate(leaning(50.0, 300), ["fibs"], replicates=0)["fibs"].prediction.name == "fibs"


def test_games_without_an_order() -> None:
    evaluation = evaluate(replace(leaning(100.0, 150), ordered=False), **BRIEF)
    assert evaluation.advantages == {}
    assert len(evaluation) >= 5
    assert [each.name for each in evaluation.systems if each.prediction.baseline] == ["50:50"]


def test_systems_by_grade_start_there_only_if_told() -> None:
    pool = leaning(0.0, 200)
    grades = {f"{side}_grade": np.resize(["3k", "1d", "5d"], 200) for side in ("first", "second")}
    pool = replace(pool, columns={**pool.columns, **grades})
    untold, told = (evaluate(pool, ["egf"], start_levels=each, **BRIEF) for each in (False, True))
    assert any("with --start-levels these do: egf." in note for note in untold.notes)
    assert not any("--start-levels" in note for note in told.notes)
    bare = evaluate(replace(pool, columns={}), ["egf"], **BRIEF)
    same = untold["egf"].prediction.expected, bare["egf"].prediction.expected
    assert np.array_equal(*same)
    assert not np.array_equal(told["egf"].prediction.expected, same[0])


def test_equal_predictions_are_said() -> None:
    pool = played(100, 8, 1)
    result = evaluate(pool, {"one": Elo(), "two": Elo(), "three": Elo(k=99.0)}, **BRIEF)
    assert [note for note in result.notes if "the same" in note] == [
        "one and two predicted the same."
    ]


def test_wrong_use() -> None:
    pool = played(50, 5, 0)
    undated = np.full(50, np.datetime64("NaT"), "datetime64[s]")
    undated[0] = np.datetime64("2020-01-01")
    for systems, options, error, message in [
        ("elo", {}, WrongTypeError, "list of systems"),
        (["elk"], {}, UsageError, "there is no system 'elk': there are elo"),
        (["elo"], {"parameters": {"elo": {"kk": 3}}}, UsageError, "no parameter of elo"),
        (["elo"], {"parameters": {"glicko": {"drift": 3}}}, UsageError, "among those compared"),
        (["elo"], {"group_by": "place"}, InputError, "no column 'place'"),
        (["elo"], {"tune": -1}, UsageError, "tune"),
        (["elo"], {"replicates": -1}, UsageError, "replicates"),
        (["elo"], {"newcomer_games": -1}, UsageError, "newcomer_games"),
        (["elo"], {"confidence": 1.0}, UsageError, "confidence"),
        (["elo"], {"metric": "elo"}, UsageError, "metric"),
        (["elo"], {"first_advantage": "some"}, UsageError, "first_advantage"),
    ]:
        with pytest.raises(error, match=message):
            evaluate(pool, systems, **options)  # type: ignore[arg-type]
    with pytest.raises((InputError, UsageError)):
        evaluate(replace(pool, time=undated))


def test_an_evaluation_is_a_sequence_and_equal_to_its_like() -> None:
    pool = leaning(100.0, 300)
    evaluation, same, other = (
        evaluate(pool, ["elo", "glicko"], replicates=number) for number in (20, 20, 30)
    )
    assert [each.name for each in evaluation] == [each.name for each in evaluation.ranked]
    assert evaluation[0].name == evaluation[:1][0].name
    assert evaluation == same != other
    frame = evaluation.to_frame("pandas")
    assert set(frame[frame.subset == "representative"].system) >= {"elo", "glicko"}
