from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yardstone.pool import Pool
from yardstone.ratings.bradley_terry import BradleyTerry
from yardstone.ratings.connectivity import BRIDGE_SIZE, Bridge, find_traps


def rated(pairs: list[tuple[int, int]], players: int) -> tuple[tuple[Bridge, ...], Pool]:
    """Bridges of a graph in which each two neighbours drew twice."""
    first = np.array([i for i, _ in pairs] * 2, np.int32)
    second = np.array([j for _, j in pairs] * 2, np.int32)
    names = tuple(f"P{number}" for number in range(players))
    pool = Pool(names, first, second, np.full(len(first), 0.5))
    return find_traps(BradleyTerry(covariance=False).fit(pool), pool.pair_counts()).bridges, pool


def slow_bridges(pairs: list[tuple[int, int]], players: int) -> dict[int, int]:
    """By taking each player away and looking for what is left."""

    def parts(without: int | None) -> list[set[int]]:
        near: dict[int, set[int]] = {i: set() for pair in pairs for i in pair if i != without}
        for i, j in pairs:
            if without not in (i, j):
                near[i].add(j)
                near[j].add(i)
        left, answer = set(near), []
        while left:
            todo, part = [left.pop()], set[int]()
            while todo:
                node = todo.pop()
                part.add(node)
                todo += [other for other in near[node] if other in left]
                left -= near[node]
            answer.append(part)
        return answer

    result = {}
    for whole in parts(None):
        for node in whole:
            rest = [part for part in parts(node) if part <= whole]
            cut_off = len(whole) - 1 - max((len(part) for part in rest), default=0)
            if cut_off >= BRIDGE_SIZE:
                result[node] = cut_off
    return result


pairs = st.lists(
    st.tuples(st.integers(0, 13), st.integers(0, 13)).filter(lambda pair: pair[0] < pair[1]),
    min_size=1,
    max_size=22,
    unique=True,
)


@given(pairs)
@settings(max_examples=150)
def test_bridges_are_those_found_by_taking_players_away(edges: list[tuple[int, int]]) -> None:
    result, _ = rated(edges, 14)
    assert {bridge.player: bridge.cut_off for bridge in result} == slow_bridges(edges, 14)
    assert list(result) == sorted(result, key=lambda bridge: -bridge.cut_off)


def test_few_games_and_one_opponent() -> None:
    pool = Pool.from_names(
        ["A"] * 12 + ["B"] * 12 + ["C"] * 2,
        ["B"] * 12 + ["C"] * 10 + ["D"] * 2 + ["A"] * 2,
        [1, 0.5, 0] * 8 + [0.5, 0.5],
    )
    traps = find_traps(BradleyTerry().fit(pool), pool.pair_counts())
    names = pool.players
    assert [names[row] for row in traps.few_games] == ["D"]
    assert [names[row] for row in traps.one_opponent] == ["D"]


def test_two_players_are_no_trap_of_one_opponent() -> None:
    pool = Pool.from_names("AB" * 10, "BA" * 10, [1, 0.5] * 10)
    assert find_traps(BradleyTerry().fit(pool), pool.pair_counts()).one_opponent == ()


def test_names_that_differ_in_capitals_or_blanks() -> None:
    pool = Pool.from_names(
        ["Ann Lee", "ann lee", "AnnLee", "Bob"], ["Bob", "Bob", "Bob", "Ann Lee"], [0.5] * 4
    )
    traps = find_traps(BradleyTerry().fit(pool), pool.pair_counts())
    assert [tuple(pool.players[row] for row in rows) for rows in traps.similar] == [
        ("Ann Lee", "ann lee", "AnnLee")
    ]


def test_anchors_against_the_results() -> None:
    pool = Pool.from_names(["A"] * 50 + ["B"] * 50, ["B"] * 50 + ["A"] * 50, [1, 0.5] * 50)
    anchors = {"A": 2000.0, "B": 2400.0}
    ratings = BradleyTerry(anchors=anchors).fit(pool)
    conflicts = find_traps(ratings, pool.pair_counts(), anchors=anchors).anchors
    assert [pool.players[result.player] for result in conflicts] == ["A", "B"]
    assert conflicts[0].points + conflicts[1].points == 100
    assert conflicts[0].expected + conflicts[1].expected == pytest.approx(100)
    assert conflicts[0].deviations == pytest.approx(-conflicts[1].deviations)
    assert find_traps(ratings, pool.pair_counts()).anchors == ()
