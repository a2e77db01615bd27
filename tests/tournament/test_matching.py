from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from yardstone.errors import InputError
from yardstone.tournament.matching import Matching, certify, maximum_matching


def matchings(left: list[int], allowed: NDArray[np.bool_]) -> Iterator[list[tuple[int, int]]]:
    """Every matching, those with vertices alone as well."""
    if not left:
        yield []
        return
    v, rest = left[0], left[1:]
    yield from matchings(rest, allowed)
    for w in rest:
        if allowed[v, w]:
            for others in matchings([x for x in rest if x != w], allowed):
                yield [(v, w), *others]


def best(weights: NDArray[np.int64], allowed: NDArray[np.bool_]) -> tuple[int, int]:
    """Pairs and weight of the best matching, by trying them all."""
    every = matchings(list(range(len(weights))), allowed)
    return max((len(m), sum(int(weights[pair]) for pair in m)) for m in every)


def symmetric(values: NDArray[np.int64]) -> NDArray[np.int64]:
    upper = np.triu(values, 1)
    return upper + upper.T


@st.composite
def graphs(draw: st.DrawFn) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    n = draw(st.integers(0, 9))
    size = draw(st.sampled_from([1, 3, 30, 10**15]))
    values = draw(st.lists(st.integers(-size, size), min_size=n * n, max_size=n * n))
    share = draw(st.sampled_from([0, 2, 5, 9]))
    open_pairs = draw(st.lists(st.integers(0, 9), min_size=n * n, max_size=n * n))
    weights = symmetric(np.array(values, np.int64).reshape(n, n))
    allowed = symmetric((np.array(open_pairs, np.int64).reshape(n, n) >= share).astype(np.int64))
    return weights, allowed.astype(np.bool_)


@settings(max_examples=120, deadline=None)
@given(graphs())
def test_as_good_as_trying_all(graph: tuple[NDArray[np.int64], NDArray[np.bool_]]) -> None:
    weights, allowed = graph
    result = maximum_matching(weights, allowed)
    assert (len(result.pairs()), result.weight) == best(weights, allowed)
    assert certify(weights, result, allowed)


@pytest.mark.parametrize("kind", ["uniform", "few values", "points in the plane", "half barred"])
@pytest.mark.parametrize("n", [30, 61, 150])
def test_proved_and_equal_to_another_implementation(kind: str, n: int) -> None:
    rustworkx = pytest.importorskip("rustworkx")
    rng = np.random.default_rng(n)
    allowed = np.ones((n, n), np.bool_)
    weights = rng.integers(0, 4 if kind == "few values" else 10**13, (n, n))
    if kind == "points in the plane":
        points = rng.integers(0, 1000, (n, 2))
        weights = -np.abs(points[:, None] - points[None]).sum(-1)
    if kind == "half barred":
        allowed = symmetric(rng.integers(0, 2, (n, n))).astype(np.bool_)
    weights = symmetric(weights)
    result = maximum_matching(weights, allowed)
    graph = rustworkx.PyGraph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(
        [(i, j, int(weights[i, j])) for i in range(n) for j in range(i) if allowed[i, j]]
    )
    other = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    assert len(other) == len(result.pairs()) == n // 2
    assert result.weight == sum(int(weights[i, j]) for i, j in other)
    assert certify(weights, result, allowed)


def test_nested_blossoms_are_opened_and_turned() -> None:
    """Points in clusters of odd size, in clusters of odd size, and so on."""
    rng = np.random.default_rng(5)
    deep = 0
    for _ in range(60):
        points = np.zeros((1, 2))
        for spread in (1000.0, 100.0, 10.0):
            points = (points[:, None] + rng.normal(0.0, spread, (1, 3, 2))).reshape(-1, 2)
        points = np.concatenate([points, rng.normal(0.0, 3000.0, (27, 2))])
        apart = np.abs(points[:, None] - points[None]).sum(-1)
        weights = symmetric(-(10 * apart).astype(np.int64))
        result = maximum_matching(weights)
        assert certify(weights, result)
        deep += any(a < b for a, _ in result.blossoms for b, _ in result.blossoms)
    assert deep > 10


def test_a_wrong_answer_is_not_certified() -> None:
    rng = np.random.default_rng(1)
    weights = symmetric(rng.integers(0, 1000, (10, 10)))
    result = maximum_matching(weights)
    assert certify(weights, result)
    (a, b), (c, d) = result.pairs()[:2]
    mate = result.mate.copy()
    mate[[a, c, b, d]] = [c, a, d, b]
    changed = result.weight - weights[a, b] - weights[c, d] + weights[a, c] + weights[b, d]
    assert not certify(weights, Matching(mate, int(changed), result.dual, result.blossoms))
    lower = result.dual - 1
    assert not certify(weights, Matching(result.mate, result.weight, lower, result.blossoms))
    assert not certify(weights[::-1, ::-1], result)


def test_why_somebody_stays_alone() -> None:
    """Three players who may only meet one other."""
    allowed = np.zeros((6, 6), np.bool_)
    for a, b in ((0, 3), (1, 3), (2, 3), (4, 5), (3, 4)):
        allowed[a, b] = allowed[b, a] = True
    result = maximum_matching(np.ones((6, 6), np.int64), allowed)
    assert result.alone == 2
    assert result.bottleneck == (3,)
    assert all(len(group) % 2 for group in result.crowd)
    assert len(result.crowd) == 2


@pytest.mark.parametrize(
    ("weights", "allowed", "message"),
    [
        ([[1, 2, 3]], None, "shape"),
        ([[0, 1], [2, 0]], None, "symmetric"),
        ([[0.0, 1.5], [1.5, 0.0]], None, "whole numbers"),
        ([[0, 2**60], [2**60, 0]], None, "within"),
        ([[0, 1], [1, 0]], np.array([[True, False], [True, True]]), "symmetric matrix"),
    ],
)
def test_what_cannot_be_matched(
    weights: list[list[float]], allowed: NDArray[np.bool_] | None, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        maximum_matching(weights, allowed)


def test_none_and_one_alone() -> None:
    assert maximum_matching(np.zeros((0, 0), np.int64)).pairs() == []
    assert maximum_matching([[0]]).alone == 1
