"""The advantage of moving first is taken where it helps, and only earlier games say so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.evaluation.games import played
from yardstone import display
from yardstone.errors import InputError, UsageError
from yardstone.evaluation.backtest import evaluate, helpful_advantage, takes_advantage
from yardstone.pool import Pool
from yardstone.ratings.systems import SEQUENTIAL, SYSTEMS

WITH_ADVANTAGE = [name for name in SEQUENTIAL if takes_advantage(SYSTEMS[name])]


def leaning(points: float, games: int = 1500, seed: int = 3) -> Pool:
    """Games in which moving first is worth so many points on Elo's scale."""
    pool = played(games, 20, seed, spread=0.0)
    generator = np.random.default_rng(seed)
    strength = generator.normal(0.0, 120.0, len(pool.players))
    gap = strength[pool.first] - strength[pool.second] + points
    chance = 1.0 / (1.0 + 10.0 ** (-gap / 400.0))
    return replace(pool, score=(generator.random(games) < chance).astype(float))


@pytest.mark.parametrize("name", WITH_ADVANTAGE)
def test_an_advantage_is_found_where_there_is_one(name: str) -> None:
    assert 60.0 < helpful_advantage(SYSTEMS[name], leaning(100.0)) < 150.0


def test_without_an_advantage_none_is_taken_but_by_chance() -> None:
    """One in twenty of the pools may mislead; of forty, more than six hardly ever do."""
    taken = [helpful_advantage(SYSTEMS["elo"], leaning(0.0, 400, seed)) for seed in range(40)]
    assert sum(points != 0.0 for points in taken) <= 6


def test_an_advantage_that_helps_predicts_better_and_is_told() -> None:
    pool = leaning(100.0)
    plain = evaluate(pool, ["elo"], first_advantage="none", replicates=0, gap_edges=())
    better = evaluate(pool, ["elo"], replicates=0, gap_edges=())
    chosen = better.advantages["elo"]
    assert 60.0 < chosen < 150.0
    assert better["elo"].prediction.parameters["first_advantage"] == chosen
    assert (better["elo"].value("log_likelihood") or 0.0) > (
        plain["elo"].value("log_likelihood") or 0.0
    ) + 0.01
    assert plain.advantages == {}
    assert "With a first-move advantage, in points, because it helped" in str(better)


def test_later_games_have_no_say() -> None:
    pool = leaning(100.0)
    later = np.arange(len(pool)) >= round(0.7 * len(pool))
    turned = replace(pool, score=np.where(later, 1.0 - pool.score, pool.score))
    one = evaluate(pool, ["glicko2"], replicates=0, gap_edges=())
    other = evaluate(turned, ["glicko2"], replicates=0, gap_edges=())
    assert one.advantages == other.advantages


def test_by_default_all_that_can_take_the_games_and_the_others_by_name() -> None:
    evaluation = evaluate(leaning(50.0, 300), replicates=50)
    assert {each.name for each in evaluation} | set(evaluation.unable) == set(SEQUENTIAL)
    errors = dict.fromkeys(
        ("vandendoel", "vandendoel-people", "vandendoel-refit"),
        "the games have no column 'first_epm'",
    )
    unable = {"fibs": "the games have no column 'length'", **errors}
    assert unable.items() <= evaluation.unable.items()
    together = "vandendoel, vandendoel-people and vandendoel-refit: the games have no column"
    assert together in evaluation.to_html()
    assert "fibs: the games have no column" in evaluation.to_html()
    assert evaluate(leaning(50.0, 300), ["fibs"], replicates=0)["fibs"].prediction.name == "fibs"


def test_games_without_an_order_and_without_a_system() -> None:
    pool = replace(leaning(100.0, 300), ordered=False)
    evaluation = evaluate(pool, replicates=0)
    assert evaluation.advantages == {}
    assert len(evaluation) >= 5
    with pytest.raises(UsageError, match="no parameter of elo"):
        evaluate(pool, ["elo"], parameters={"elo": {"kk": 3}})
    with pytest.raises(UsageError, match="among those compared"):
        evaluate(pool, ["elo"], parameters={"glicko": {"drift": 3}})
    undated = np.full(300, np.datetime64("NaT"), "datetime64[s]")
    undated[0] = np.datetime64("2020-01-01")
    with pytest.raises((InputError, UsageError)):
        evaluate(replace(pool, time=undated))


def test_an_evaluation_is_asked_and_shown() -> None:
    pool = leaning(100.0, 600)
    evaluation = evaluate(pool, ["elo", "glicko"], replicates=50)
    assert [each.name for each in evaluation] == [each.name for each in evaluation.ranked]
    assert evaluation[0].name == evaluation[:1][0].name
    assert evaluation == evaluate(pool, ["elo", "glicko"], replicates=50)
    assert evaluation != evaluate(pool, ["elo", "glicko"], replicates=60)
    frame = evaluation.to_frame("pandas")
    assert set(frame[frame.subset == "representative"].system) >= {"elo", "glicko"}
    assert isinstance(evaluation.plot(), display.Plot)
    assert "<svg" in evaluation.plot().svg()
    first = str(evaluation).splitlines()[0]
    assert "predicts best" in first or "not significantly better" in first
