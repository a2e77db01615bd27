"""Matchings: against all of them, against another implementation, and their certificate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray

from yardstone.errors import InputError
from yardstone.tournament.matching import certify, maximum_matching


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


def symmetric(values: NDArray[np.int64]) -> NDArray[np.int64]:
    upper = np.triu(values, 1)
    return upper + upper.T


@st.composite
def graphs(draw: st.DrawFn) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    n = draw(st.integers(0, 8))
    size = draw(st.sampled_from([1, 3, 30, 10**15]))
    values = draw(st.lists(st.integers(-size, size), min_size=n * n, max_size=n * n))
    share = draw(st.sampled_from([0, 2, 5, 9]))
    open_pairs = draw(st.lists(st.integers(0, 9), min_size=n * n, max_size=n * n))
    weights = symmetric(np.array(values, np.int64).reshape(n, n))
    allowed = symmetric((np.array(open_pairs, np.int64).reshape(n, n) >= share).astype(np.int64))
    return weights, allowed.astype(np.bool_)


@settings(max_examples=100, deadline=None)
@given(graphs())
def test_as_good_as_trying_all(graph: tuple[NDArray[np.int64], NDArray[np.bool_]]) -> None:
    weights, allowed = graph
    result = maximum_matching(weights, allowed)
    every = matchings(list(range(len(weights))), allowed)
    best = max((len(m), sum(int(weights[pair]) for pair in m)) for m in every)
    assert (len(result.pairs()), result.weight) == best
    assert certify(weights, result, allowed)


@pytest.mark.parametrize("kind", ["uniform", "few values", "points in the plane", "half barred"])
@pytest.mark.parametrize("n", [30, 61])
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
    weights = symmetric(np.random.default_rng(1).integers(0, 1000, (10, 10)))
    result = maximum_matching(weights)
    assert certify(weights, result)
    (a, b), (c, d) = result.pairs()[:2]
    mate, barred = result.mate.copy(), np.ones((10, 10), np.bool_)
    mate[[a, c, b, d]] = [c, a, d, b]
    changed = result.weight - weights[a, b] - weights[c, d] + weights[a, c] + weights[b, d]
    one_way, itself = result.mate.copy(), result.mate.copy()
    one_way[a], itself[a] = c, a
    barred[a, b] = barred[b, a] = False
    raised = result.dual.copy()
    raised[0] += 2
    for wrong in (
        replace(result, mate=mate, weight=int(changed)),
        replace(result, mate=one_way),
        replace(result, mate=itself),
        replace(result, weight=result.weight + 1),
        replace(result, dual=result.dual - 1),
        replace(result, dual=raised),
        replace(result, dual=np.append(result.dual, 0)),
        replace(result, blossoms=(*result.blossoms, (frozenset({a, b}), 0))),
        replace(result, blossoms=(*result.blossoms, (frozenset({a, b, c}), -2)), dual=raised),
    ):
        assert not certify(weights, wrong)
    assert not certify(weights[::-1, ::-1], result)
    assert not certify(weights, result, barred)


def test_why_somebody_stays_alone() -> None:
    """Three players who may only meet one other."""
    allowed = np.zeros((6, 6), np.bool_)
    for a, b in ((0, 3), (1, 3), (2, 3), (4, 5), (3, 4)):
        allowed[a, b] = allowed[b, a] = True
    weights = np.ones((6, 6), np.int64)
    result = maximum_matching(weights, allowed)
    assert (result.alone, result.bottleneck, result.crowd) == (2, (3,), ((0,), (1,)))
    assert certify(weights, result, allowed)
    crowds = (((0,),), ((0,), (1,), (2,)), ((0,), (4, 5)), ((0,), (4,)))
    assert not any(certify(weights, replace(result, crowd=crowd), allowed) for crowd in crowds)
    assert not certify(weights, replace(result, bottleneck=()), allowed)
    assert maximum_matching(np.zeros((0, 0), np.int64)).pairs() == []
    assert maximum_matching([[0]]).alone == 1
    assert maximum_matching([[0, 2**56], [2**56, 0]]).weight == 2**56


@pytest.mark.parametrize(
    ("weights", "allowed", "message"),
    [([[1, 2, 3]], None, "shape"), ([[0, 1], [2, 0]], None, "symmetric"),
     ([[0.0, 1.5], [1.5, 0.0]], None, "whole numbers"),
     ([[0, 2**56 + 1], [2**56 + 1, 0]], None, "within"),
     ([[0, 1], [1, 0]], np.array([[True, False], [True, True]]), "symmetric matrix"),
     ([[0, 1], [1, 0]], np.ones((3, 3), np.bool_), "symmetric matrix"),
     (np.broadcast_to(0, (10_001, 10_001)), None, "at most 10,000")],
)  # fmt: skip
def test_what_cannot_be_matched(
    weights: ArrayLike, allowed: NDArray[np.bool_] | None, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        maximum_matching(weights, allowed)
