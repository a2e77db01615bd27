"""Groups against an independent implementation."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from yardstone.pool import Pool
from yardstone.ratings.connectivity import label_by_size, strong_components

GAMES = st.lists(
    st.tuples(st.integers(0, 11), st.integers(0, 11), st.sampled_from([0.0, 0.5, 1.0])),
    min_size=1,
    max_size=40,
)


def partition(label: np.ndarray) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(label == k).tolist()) for k in np.unique(label) if k >= 0}


@given(GAMES)
def test_components_agree_with_scipy(games: list[tuple[int, int, float]]) -> None:
    first, second, score = (np.array(column) for column in zip(*games, strict=True))
    counts = Pool(tuple("abcdefghijkl"), first, second, score).pair_counts()
    rows = np.concatenate([second[score > 0], first[score < 1]])
    columns = np.concatenate([first[score > 0], second[score < 1]])
    graph = coo_array((np.ones(len(rows)), (rows, columns)), shape=(12, 12))
    for kind in ("strong", "weak"):
        label = strong_components(counts, np.ones(12, np.bool_), weak=kind == "weak")
        _, theirs = connected_components(graph, connection=kind)
        assert partition(label) == partition(theirs)
        assert (np.diff(np.bincount(label)) <= 0).all()


def test_inactive_players_join_nobody_and_ties_join_both_ways() -> None:
    counts = Pool.from_names("ABBC", "BACB", [1, 1, 1, 1]).pair_counts()
    active = np.array([True, False, True])
    assert strong_components(counts, active).tolist() == [0, -1, 1]
    counts = Pool.from_names("AC", "BD", [1, 1]).pair_counts()
    ties = np.array([[0, 1], [1, 2], [2, 3]], np.int32)
    assert strong_components(counts, np.ones(4, np.bool_), ties=ties).tolist() == [0, 0, 0, 0]


def test_groups_of_one_size_go_by_name() -> None:
    label = np.array([0, 0, 1, 1, 2], np.int32)
    assert label_by_size(label, ["z", "y", "b", "x", "a"]).tolist() == [1, 1, 0, 0, 2]
    assert label_by_size(label).tolist() == [0, 0, 1, 1, 2]
