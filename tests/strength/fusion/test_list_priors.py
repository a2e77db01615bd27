from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.strength.fusion.made_moves import made_pool
from yardstone.pool import Pool
from yardstone.ratings.bradley_terry import BradleyTerry
from yardstone.strength.fusion import MOVE_COLUMNS, Fusion
from yardstone.strength.fusion_priors import moves_priors

SYSTEM = Fusion(strength=0.0, slope=60.0, noise=100.0, half_moves=80.0)


def test_many_moves_are_the_measurement() -> None:
    """What a newcomer's prior adds is taken out again."""
    pool = Pool.from_names(["A", "C"], ["B", "A"], [1, 0])
    values = [1e9, 1e9], [4.0, -1.0], [0.0, 1e9], [np.nan, 4.0]
    pool = replace(pool, columns=dict(zip(MOVE_COLUMNS, map(np.array, values), strict=True)))
    result = moves_priors(pool, SYSTEM, average=2000.0)
    assert result.keys() == {"A", "C"}
    assert result["A"].mean == pytest.approx(2240.0, abs=0.01)
    assert result["A"].deviation == pytest.approx(100.0, abs=0.01)
    assert result["C"].mean == pytest.approx(1940.0, abs=0.01)
    wide = moves_priors(pool, SYSTEM, average=2000.0, points_per_logit=2 * 400 / np.log(10))
    assert wide["A"].mean == pytest.approx(2480.0, abs=0.01)
    assert wide["A"].deviation == pytest.approx(200.0, abs=0.01)


def test_few_moves_say_little() -> None:
    pool = Pool.from_names(["A"], ["B"], [1])
    columns = dict(zip(MOVE_COLUMNS, ([20.0], [4.0], [0.0], [np.nan]), strict=True))
    pool = replace(pool, columns={name: np.array(value) for name, value in columns.items()})
    (prior,) = moves_priors(pool, SYSTEM).values()
    assert prior.deviation > 400.0


def test_a_list_with_few_results_is_nearer_to_the_truth() -> None:
    games = made_pool(players=80, games=120, seed=11)
    truth = made_pool(players=80, games=4000, seed=11)  # the same players
    strong = BradleyTerry(average=1500.0, join=250.0).fit(truth)
    plain = BradleyTerry(average=1500.0, join=250.0)
    priors = moves_priors(games, SYSTEM, average=1500.0, join=250.0)
    both = replace(plain, loose_anchors=priors)
    known = [name for name in games.players if name in priors and name in strong.players]
    errors = []
    for system in (plain, both):
        result = system.fit(games)
        off = np.array([result[name].value - strong[name].value for name in known])
        errors.append(float(np.std(off)))
    assert errors[1] < 0.9 * errors[0]
