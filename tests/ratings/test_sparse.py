"""The advantage of moving first where many players have few games each."""

from __future__ import annotations

import numpy as np
import pytest

from yardstone.pool import Pool
from yardstone.ratings.bradley_terry import BradleyTerry, fit_widely


@pytest.mark.parametrize(("games", "warned"), [(900, True), (3000, False)])
def test_it_is_said_that_the_advantage_comes_out_too_large(games: int, warned: bool) -> None:
    rng = np.random.default_rng(1)
    players = 150
    strength = rng.normal(0.0, 100.0, players)
    pairs = np.array([rng.permutation(players)[:2] for _ in range(games)], np.int32)
    gap = strength[pairs[:, 0]] + 30.0 - strength[pairs[:, 1]]
    score = (rng.random(games) < 1.0 / (1.0 + 10.0 ** (-gap / 400.0))).astype(float)
    pool = Pool(tuple(f"P{k}" for k in range(players)), pairs[:, 0], pairs[:, 1], score)
    system = BradleyTerry(first_advantage="auto", draw_rate=0.0, method="likelihood", join=200.0)
    _, _, remarks = fit_widely(system, pool)
    assert any("overestimated by about a tenth" in remark for remark in remarks) == warned
