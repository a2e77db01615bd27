"""Chains and trees: elimination against the dense answer."""

from __future__ import annotations

import numpy as np
import pytest

from yardstone.pool import Pool
from yardstone.ratings import uncertainty
from yardstone.ratings._joint import SYSTEMS, conjugate_gradients
from yardstone.ratings.bradley_terry import BradleyTerry
from yardstone.ratings.graph import Graph, Relations
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


@pytest.mark.parametrize("size", [1, 255, 256, 257, 600])
def test_sweeps_of_blocks_invert_a_matrix(size: int) -> None:
    root = np.random.default_rng(size).standard_normal((size, size + 20))
    matrix = root @ root.T
    inverse = uncertainty.inverse_of(matrix.copy())
    np.testing.assert_allclose(inverse, np.linalg.inv(matrix), rtol=1e-8, atol=1e-12)
    above = np.triu_indices(size, uncertainty._BLOCK)
    assert (inverse[above] == inverse.T[above]).all()


def test_the_order_of_players_changes_no_solution() -> None:
    n = 60
    generator = np.random.default_rng(3)
    first, second = (each.astype(np.int32) for each in np.nonzero(generator.random((n, n)) < 0.3))
    player, other = np.full(1, 4, np.int32), np.full(1, 9, np.int32)
    relations = Relations(player, other, np.zeros(1), np.full(1, 2.0))
    free = np.ones(n + 1, np.bool_)
    free[7] = False
    vectors = (np.full(n + 1, 0.1), np.zeros(n + 1), np.zeros(n + 1), free)
    graph = Graph(first, second, generator.random(len(first)), relations, *vectors)
    uncertainty._fill_diagonal(graph)
    ordered, order = uncertainty._leaves_first(graph)
    assert len(ordered.first) < len(first)
    right = generator.standard_normal((1, n + 1))
    plain, moved = np.zeros_like(right), np.zeros_like(right)
    conjugate_gradients(graph, right, 1e-13, plain)
    conjugate_gradients(ordered, right[:, order].copy(), 1e-13, moved)
    assert moved[0] == pytest.approx(plain[0][order], abs=1e-11)
    matrix = np.diag(graph.diagonal)
    for i, j, weight in zip(first, second, graph.weight, strict=True):
        if i != j:
            matrix[i, j] -= weight
            matrix[j, i] -= weight
    matrix[4, 9] -= 2.0
    matrix[9, 4] -= 2.0
    matrix[:n, n] = matrix[n, :n] = graph.border[:n]
    exact = np.zeros(n + 1)
    exact[free] = np.linalg.solve(matrix[np.ix_(free, free)], right[0][free])
    assert plain[0] == pytest.approx(exact, abs=1e-10)
