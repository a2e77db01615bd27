from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.evaluation.games import START, played
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.evaluation.findings import examine, swap_share
from yardstone.evaluation.history import rating_curves
from yardstone.evaluation.interval_scale import forecast
from yardstone.evaluation.ledger import Ledger
from yardstone.pool import Pool
from yardstone.ratings.elo import Elo
from yardstone.ratings.glicko import Glicko2


def with_exchanged_names(pool: Pool, games: np.ndarray) -> Pool:
    """The pool as it looks when the names of some games were exchanged."""
    first, second = pool.first.copy(), pool.second.copy()
    first[games], second[games] = pool.second[games], pool.first[games]
    return Pool(pool.players, first, second, pool.score, pool.time)


def test_the_share_of_exchanged_names_is_found() -> None:
    generator = np.random.default_rng(1)
    truth = generator.uniform(0.05, 0.95, 40_000)
    won = generator.random(40_000) < truth
    chance = np.where(won, truth, 1 - truth)
    swapped = generator.random(40_000) < 0.04
    mixed = np.where(swapped, 1 - chance, chance)
    assert swap_share(lambda: np.split(mixed, 2)) == pytest.approx(0.04, abs=0.008)
    assert swap_share(lambda: [chance]) < 0.008
    assert swap_share(list) == 0.0
    assert swap_share(lambda: [np.ones(5)]) == 0.0


def test_exchanged_names_come_to_the_top() -> None:
    pool = played(20_000, 40, 2, spread=400.0)
    system = Glicko2()
    sure = np.flatnonzero(np.abs(system.replay(pool).expected - 0.5) > 0.48)
    wrong = sure[(pool.score[sure] == 1.0) == (system.replay(pool).expected[sure] > 0.5)][::40]
    spoiled = with_exchanged_names(pool, wrong)
    result = examine(spoiled, system.replay(spoiled), improbable=0.05)
    named = [item.game for item in result.improbable[: len(wrong)]]
    assert len(set(named) & set(wrong.tolist())) > 0.6 * len(wrong)
    assert 0.0 < result.swap_share < 0.02
    assert result.improbable[0].swapped > 0.3
    assert [i.chance for i in result.improbable] == sorted(i.chance for i in result.improbable)


def test_twins_are_records_of_one_day_with_names_the_other_way_round() -> None:
    base = played(3000, 12, 3, spread=500.0)
    assert base.time is not None
    replay = Elo().replay(base)
    upset = int(np.argmin(np.where(base.score == 1.0, replay.expected, 1 - replay.expected)))
    first = np.insert(base.first, upset + 1, base.second[upset])
    second = np.insert(base.second, upset + 1, base.first[upset])
    score = np.insert(base.score, upset + 1, base.score[upset])
    time = np.insert(base.time, upset + 1, base.time[upset])
    pool = Pool(base.players, first, second, score, time)
    result = examine(pool, Elo().replay(pool), improbable=0.2)
    item = next(item for item in result.improbable if item.game == upset)
    assert item.twin == upset + 1


def test_provisional_and_idle_players() -> None:
    time = START + np.array([0, 400, 401, 402]) * 86_400
    pool = Pool.from_names(["A", "C", "C", "C"], ["B", "D", "D", "D"], [1, 1, 0, 0.5], time=time)
    result = examine(pool, Glicko2().replay(pool), settled_games=2, idle_days=365.0)
    assert [pool.players[row] for row in result.provisional] == ["A", "B"]
    assert [pool.players[row] for row in result.idle] == ["A", "B"]
    assert result.played.tolist() == [1, 1, 3, 3]
    assert result.last_game is not None
    assert result.last_game[0] == START
    with pytest.raises(UsageError, match="0 to 1/2"):
        examine(pool, Glicko2().replay(pool), improbable=0.7)


def test_a_pool_of_draws_without_times() -> None:
    pool = Pool.from_names(["A", "B"], ["B", "A"], [0.5, 0.5])
    result = examine(pool, Elo().replay(pool))
    assert result.decided == 0
    assert not result.improbable
    assert result.last_game is None
    assert len(result.idle) == 0


def test_curves_follow_a_player_through_both_sides() -> None:
    pool = played(300, 6, 4, draws=0.2)
    replay = Glicko2().replay(pool)
    (curve,) = rating_curves(pool, replay, ["0.3"])
    row = pool.players.index("0.3")
    games = np.flatnonzero((pool.first == row) | (pool.second == row))
    assert curve.game.tolist() == games.tolist()
    assert_allclose(curve.after[:-1], curve.rating[1:], rtol=1e-15)
    assert curve.after[-1] == replay.ratings["0.3"].value
    assert curve.final_deviation == replay.ratings["0.3"].deviation
    assert (curve.deviation > 0.0).all()
    for place, game in enumerate(games):
        mine = pool.score[game] if pool.first[game] == row else 1 - pool.score[game]
        assert curve.score[place] == mine
        other = pool.second[game] if pool.first[game] == row else pool.first[game]
        assert curve.opponents[place] == pool.players[other]
    (plain,) = rating_curves(pool, Elo().replay(pool), ["0.3"])
    assert np.isnan(plain.deviation).all()


def test_names_that_nobody_has() -> None:
    pool = Pool(("Kasparov, Garry", "Karpov, A", "Nobody"), [0], [1], [1.0])  # type: ignore[arg-type]
    replay = Elo().replay(pool)
    with pytest.raises(InputError, match="did you mean 'Kasparov, Garry'"):
        rating_curves(pool, replay, ["kasparov"])
    with pytest.raises(InputError, match=r"'zzz'$"):
        rating_curves(pool, replay, ["zzz"])
    with pytest.raises(NoGamesError, match="'Nobody' has no game"):
        rating_curves(pool, replay, ["Nobody"])


def test_a_forecast_adds_up() -> None:
    ledger = Ledger.begin("elo", played(2000, 8, 5, draws=0.3), first_advantage=40.0)
    result = forecast(ledger, "0.1", "0.2")
    assert_allclose(result.win + result.draw + result.loss, 1.0)
    assert_allclose(result.win + 0.5 * result.draw, result.expected)
    assert result.expected > result.reversed_expected
    level = forecast(ledger, "0.1", "0.2", advantage=0.0)
    assert_allclose(level.expected, level.reversed_expected)
    turned = forecast(ledger, "0.2", "0.1")
    assert_allclose(turned.reversed_expected, 1.0 - result.expected)
    assert forecast(Ledger.begin("elo", played(200, 8, 5)), "0.1", "0.2").draw == 0.0
    with pytest.raises(UsageError, match="name two players"):
        forecast(ledger, "0.1", "0.1")
    with pytest.raises(InputError, match="no player"):
        forecast(ledger, "0.1", "nobody")
