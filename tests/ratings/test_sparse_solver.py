"""Chains and trees: elimination against the dense answer."""

from __future__ import annotations

import numpy as np
import pytest

from yardstone.pool import Pool
from yardstone.ratings import uncertainty
from yardstone.ratings._joint import SYSTEMS
from yardstone.ratings.bradley_terry import BradleyTerry
from yardstone.ratings.result import JointRatings


def chain(players: int) -> Pool:
    """Each player met the next, twice with each side, and neither won all."""
    low = np.tile(np.arange(players - 1), 4)
    turned = np.arange(len(low)) // (players - 1) % 2 == 1
    score = np.random.default_rng(5).choice([0.0, 0.5, 1.0], len(low))
    score[: players - 1], score[players - 1 : 2 * (players - 1)] = 1.0, 1.0
    first, second = np.where(turned, low + 1, low), np.where(turned, low, low + 1)
    return Pool(tuple(f"P{k:04d}" for k in range(players)), first, second, score)


def fits(monkeypatch: pytest.MonkeyPatch, players: int, **system: object) -> list[JointRatings]:
    """A fit with the whole covariance, and one with sampled deviations."""
    pool = chain(players)
    model = BradleyTerry(method="likelihood", draw_rate="auto", **system)  # type: ignore[arg-type]
    dense = model.fit(pool)
    monkeypatch.setattr(uncertainty, "FULL_MATRIX_LIMIT", 0)
    return [dense, model.fit(pool)]


@pytest.mark.parametrize("system", [{}, {"first_advantage": "auto"}, {"join": 400.0}])
def test_a_chain_has_the_deviations_of_the_dense_matrix(
    system: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    dense, sampled = fits(monkeypatch, 300, **system)
    error = sampled.deviation / dense.deviation - 1.0
    said = sampled.extras[uncertainty.DEVIATION_ERROR]
    assert 0.0 < said < 0.08
    assert np.abs(error).max() < 4.0 * said
    assert sampled.first_advantage.deviation == pytest.approx(
        dense.first_advantage.deviation, rel=0.3
    )


def test_elimination_solves_what_conjugate_gradients_solve(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from yardstone.ratings import uncertainty

    systems: list[uncertainty._System] = []
    monkeypatch.setattr(uncertainty, "FULL_MATRIX_LIMIT", 0)
    made = uncertainty._System

    def kept(*arguments: object) -> uncertainty._System:
        systems.append(made(*arguments))  # type: ignore[arg-type]
        return systems[-1]

    monkeypatch.setattr(uncertainty, "_System", kept)
    BradleyTerry(first_advantage="auto").fit(chain(80))
    system = systems[0]
    right = np.random.default_rng(2).standard_normal((SYSTEMS, 81))
    assert system.direct is not None
    direct = system.solve(right, 1e-12)
    system.direct = None
    together = system.solve(right, 1e-12)
    assert direct == pytest.approx(together, abs=1e-6)
    for row, answer in zip(right, together, strict=True):  # nor does it matter what is beside it
        assert (system.solve(row[None], 1e-12)[0] == answer).all()
