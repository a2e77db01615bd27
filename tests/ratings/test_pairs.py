from __future__ import annotations

import dataclasses
from math import isnan

import numpy as np
import pytest

from yardstone.errors import InputError
from yardstone.pool import Pool
from yardstone.ratings.match import pentanomial


def test_pairs_are_counted_from_the_first_players_side() -> None:
    pool = Pool.from_names("ABACABABAC", "BABACBABCA", [1, 0, 0, 1, 0, 1, 1, 0.5, 0, 1])
    ab = pool.select(np.isin(pool.first + pool.second, [1]))
    for games in (pool, ab):  # other games are left alone
        result = pentanomial(games, "A", "B")
        assert pentanomial(games, "B", "A").pairs.counts == result.pairs.counts[::-1]
    pool = Pool.from_names("ABABABABAC", "BABABABACA", [1, 0, 0, 1, 1, 0.5, 0.5, 1, 0, 1])
    result = pentanomial(pool, "A", "B")
    assert result.pairs.counts == (1.0, 1.0, 0.0, 1.0, 1.0)
    assert (result.games.counts, result.unpaired) == ((3.0, 2.0, 3.0), 0)
    assert pentanomial(pool, "B", "A").pairs.counts == result.pairs.counts[::-1]
    nothing = pentanomial(Pool.from_names("AA", "BB", [1, 0]), "A", "B")
    assert (nothing.pairs.size, nothing.unpaired) == (0, 2)
    assert isnan(nothing.gain)


def test_columns_keep_a_missing_game_from_shifting_the_rest() -> None:
    pool = Pool.from_names(
        "AABAB",
        "BBABA",
        [1, 1, 0, 0, 1],
        columns={"round": ["1", "2", "2", "3", "3"], "event": ["x"] * 5},
    )
    by_round = pentanomial(pool, "A", "B", by=("event", "round"))
    assert by_round.pairs.counts == (1.0, 0.0, 0.0, 0.0, 1.0)
    assert by_round.unpaired == 1
    assert by_round.by == ("event", "round")
    assert by_round.manner == "columns"
    assert pentanomial(pool, "A", "B") == dataclasses.replace(by_round, manner="round")
    by_event = pentanomial(pool, "A", "B", by=("event",))
    assert by_event.unpaired == 1
    assert by_event.pairs.counts == (0.0, 0.0, 1.0, 0.0, 1.0)


ROUNDS = ["1", "1", "2", "2"]


@pytest.mark.parametrize(
    ("moves", "columns", "manner"),
    [
        ("ABAB", {"Round": ROUNDS}, ("round", ("Round",), 2)),
        # In the order in which they ended, and one that has no counterpart yet.
        ("AABBA", {"round": ["1", "2", "2", "1", "3"]}, ("round", ("round",), 2)),
        # The same round of another event is another round.
        (
            "AABB",
            {"event": ["x", "y", "x", "y"], "round": ["1"] * 4},
            ("round", ("event", "round"), 2),
        ),
        # Rounds that say nothing.
        ("ABAB", {"round": ["?"] * 4}, ("order", (), 2)),
        ("ABAB", {"round": ["1"] * 4}, ("order", (), 2)),
        ("ABAB", {"round": ["1.1", "1.2", "1.3", "1.4"]}, ("order", (), 2)),
        ("ABBBA", {"round": ["1", "2", "3", "4", "5"]}, ("none", (), 0)),
        ("AABB", {"round": ROUNDS}, ("none", (), 0)),  # sides are not swapped
        # Starting positions pair, or forbid: both games of a pair begin from the same.
        ("ABBA", {"round": [*"1234"], "fen": ["x", "y", "x", "y"]}, ("position", ("fen",), 2)),
        ("ABAB", {"round": ROUNDS, "fen": ["x", "y", "z", "u"]}, ("none", (), 0)),
    ],
)
def test_how_games_are_paired(
    moves: str, columns: dict[str, list[str]], manner: tuple[str, tuple[str, ...], int]
) -> None:
    """The games of A and B in which these moved first."""
    others = ["B" if player == "A" else "A" for player in moves]
    pool = Pool.from_names(moves, others, [1] * len(moves), columns=columns)
    result = pentanomial(pool, "A", "B")
    assert (result.manner, result.by, result.pairs.size) == manner


@pytest.mark.parametrize(
    ("first", "second", "by", "message"),
    [
        ("A", "Z", None, "no player is called 'Z'"),
        ("A", "A", None, "twice"),
        ("A", "C", None, "did not meet"),
        ("A", "B", ("round",), "there is no column 'round'"),
    ],
)
def test_what_cannot_be_paired_is_said(
    first: str, second: str, by: tuple[str, ...] | None, message: str
) -> None:
    pool = Pool.from_names("AB", "BC", [1, 0])
    with pytest.raises(InputError, match=message):
        pentanomial(pool, first, second, by=by)
