"""Evaluation of many games: on disk as in memory, and by sums as by resampling."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.evaluation.games import START, InPieces, played
from yardstone import disk
from yardstone.errors import InputError
from yardstone.evaluation import comparison, uncertainty
from yardstone.evaluation.backtest import evaluate
from yardstone.evaluation.comparison import Evaluation
from yardstone.pool import Pool, StoredPool, stored_games
from yardstone.ratings import sequential
from yardstone.reports.evaluation import plain_evaluation

OPTIONS: dict[str, Any] = {
    "systems": ["elo", "glicko2"],
    "since_dates": [START + 86_400 * 300],
    "replicates": 200,
}


def games() -> Pool:
    return played(4000, 80, seed=2, draws=0.3)


def on_disk(pool: Pool) -> StoredPool:
    return stored_games(InPieces(pool, 700))


def plain(evaluation: Evaluation) -> dict[str, Any]:
    """All that is reported, without the time it took."""
    values = plain_evaluation(evaluation)
    for system in values["systems"]:
        del system["seconds"]
    return values


@pytest.fixture
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is done for many games, done for few, in parts of a few hundred."""
    monkeypatch.setattr(comparison, "MANY_GAMES", 500)
    monkeypatch.setattr(uncertainty, "PIECE", 300)
    monkeypatch.setattr(sequential, "BATCH", 300)


@pytest.mark.parametrize("advantage", ["auto", "none"])
def test_games_on_disk_are_evaluated_as_in_memory(advantage: str) -> None:
    options = {**OPTIONS, "first_advantage": advantage, "group_by": "round"}
    pool = games()
    rounds = np.arange(len(pool)) % 3
    pool = Pool(pool.players, pool.first, pool.second, pool.score, pool.time, {"round": rounds})
    result, wanted = evaluate(on_disk(pool), **options), evaluate(pool, **options)
    assert plain(result) == plain(wanted)


@pytest.mark.usefixtures("many")
def test_many_games_on_disk_are_evaluated_as_in_memory() -> None:
    pool = games()
    assert plain(evaluate(on_disk(pool), **OPTIONS)) == plain(evaluate(pool, **OPTIONS))


def test_sums_say_what_resampling_says(request: pytest.FixtureRequest) -> None:
    pool = games()
    wanted = evaluate(pool, **OPTIONS)
    request.getfixturevalue("many")
    result = evaluate(pool, **OPTIONS)
    for one, other in zip(result.systems, wanted.systems, strict=True):
        assert one.name == other.name
        assert one.metrics == other.metrics
        assert one.calibration.games.sum() == other.calibration.games.sum()
        assert str(one.calibration.slope) == str(other.calibration.slope)
    for key, (names, bootstrap) in wanted.bootstraps.items():
        others, by_sums = result.bootstraps[key]
        assert others == names
        contrast = np.zeros(len(names))
        contrast[:2] = 1.0, -1.0
        exact = bootstrap.standard_error(contrast)
        assert by_sums.standard_error(contrast) == pytest.approx(exact, rel=1e-9)
        assert by_sums.spread(contrast).std() == pytest.approx(exact, rel=0.2)
        narrow, wide = by_sums.interval(contrast), bootstrap.interval(contrast)
        ends = pytest.approx((wide.low, wide.high), rel=1e-6, abs=1e-9)
        assert (narrow.low, narrow.high) == ends


def test_intervals_of_a_calibration_by_sums(request: pytest.FixtureRequest) -> None:
    pool = games()
    wanted = evaluate(pool, **OPTIONS)["elo"].calibration
    request.getfixturevalue("many")
    result = evaluate(pool, **OPTIONS)["elo"].calibration
    # Groups are cut on a fine grid, so that some games stand in the next group.
    assert np.abs(result.games - wanted.games).max() <= 2
    for name in ("observed", "observed_low", "observed_high"):
        assert getattr(result, name) == pytest.approx(getattr(wanted, name), abs=0.01)


def test_systems_that_need_all_games_are_named() -> None:
    result = evaluate(on_disk(played(600, 30, seed=1)), replicates=0)
    assert "elo" in {scored.name for scored in result}
    assert set(result.unable) >= {"whr", "decaying-bradley-terry"}
    assert "do not fit in memory" in result.unable["whr"]
    with pytest.raises(InputError, match="do not fit in memory"):
        evaluate(on_disk(played(600, 30, seed=1)), ["whr"])


def test_too_many_groups_are_refused() -> None:
    with pytest.raises(InputError, match="more than 50 values"):
        evaluate(on_disk(games()), ["elo"], group_by="event")


def test_tuning_sees_the_same_games() -> None:
    pytest.importorskip("optuna")
    pool = games()
    options: dict[str, Any] = {"systems": ["elo"], "tune": 3, "replicates": 0}
    assert plain(evaluate(on_disk(pool), **options)) == plain(evaluate(pool, **options))


def test_pieces_of_a_column() -> None:
    column = disk.column_on_disk(1000, np.float64)
    column[:] = np.arange(1000)
    parts = [disk.taken(column, at) for at in disk.pieces(1000, 300)]
    assert [len(part) for part in parts] == [300, 300, 300, 100]
    assert all(type(part) is np.ndarray for part in parts)
    assert np.concatenate(parts).tolist() == list(range(1000))
