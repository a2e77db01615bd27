from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yardstone.pool import Pool
from yardstone.ratings.bradley_terry import BradleyTerry
from yardstone.ratings.connectivity import BRIDGE_SIZE, Traps, find_traps


def traps_of(pool: Pool, **options: Any) -> Traps:
    return find_traps(BradleyTerry(covariance=False).fit(pool), pool.pair_counts(), **options)


def slow_bridges(pairs: list[tuple[int, int]]) -> dict[int, int]:
    """By taking each player away and looking for what is left."""

    def parts(without: int | None) -> list[set[int]]:
        found: list[set[int]] = []
        for pair in pairs:
            joined = set(pair) - {without}  # all parts that a pair touches become one
            found = [*(part for part in found if not part & joined),
                     joined.union(*(part for part in found if part & joined))]  # fmt: skip
        return [part for part in found if part]

    result = {}
    for whole in parts(None):
        for node in whole:
            rest = [len(part) for part in parts(node) if part <= whole]
            cut_off = len(whole) - 1 - max(rest, default=0)
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
@settings(max_examples=100)
def test_bridges_are_those_found_by_taking_players_away(edges: list[tuple[int, int]]) -> None:
    first, second = np.array(edges * 2).T  # each two neighbours drew twice
    bridges = traps_of(
        Pool(tuple("abcdefghijklmn"), first, second, np.full(len(first), 0.5))
    ).bridges
    assert {bridge.player: bridge.cut_off for bridge in bridges} == slow_bridges(edges)
    assert list(bridges) == sorted(bridges, key=lambda bridge: -bridge.cut_off)


def test_few_games_and_one_opponent() -> None:
    pool = Pool.from_names(
        ["A"] * 13 + ["B"] * 12 + ["C"] * 2,
        ["A"] + ["B"] * 12 + ["C"] * 10 + ["D"] * 2 + ["A"] * 2,  # A against A meets nobody
        [0.5] + [1, 0.5, 0] * 8 + [0.5, 0.5],
    )
    traps = traps_of(pool)
    assert [pool.players[row] for row in traps.few_games] == ["D"]
    assert [pool.players[row] for row in traps.one_opponent] == ["D"]
    # Of two players nobody can have another opponent.
    assert traps_of(Pool.from_names("AB" * 10, "BA" * 10, [1, 0.5] * 10)).one_opponent == ()


def test_names_that_differ_in_capitals_or_blanks() -> None:
    names = ["Ann Lee", "ann lee", "AnnLee", "Bob"]
    pool = Pool.from_names(names, ["Bob", "Bob", "Bob", "Ann Lee"], [0.5] * 4)
    similar = [tuple(pool.players[row] for row in rows) for rows in traps_of(pool).similar]
    assert similar == [tuple(names[:3])]


def test_anchors_against_the_results() -> None:
    pool = Pool.from_names(["A"] * 50 + ["B"] * 50, ["B"] * 50 + ["A"] * 50, [1, 0.5] * 50)
    anchors = {"A": 2000.0, "B": 2400.0}
    ratings = BradleyTerry(anchors=anchors).fit(pool)
    one, other = find_traps(ratings, pool.pair_counts(), anchors=anchors).anchors
    assert [pool.players[each.player] for each in (one, other)] == ["A", "B"]
    assert one.points + other.points == 100
    assert one.expected + other.expected == pytest.approx(100)
    assert one.deviations == pytest.approx(-other.deviations)
    assert find_traps(ratings, pool.pair_counts()).anchors == ()
