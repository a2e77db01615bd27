from __future__ import annotations

import dataclasses
from math import isnan

import pytest

from yardstone.errors import InputError
from yardstone.pool import Pool
from yardstone.ratings.match import pentanomial


def test_pairs_are_counted_from_the_first_players_side() -> None:
    pool = Pool.from_names("ABABABAB", "BABABABA", [1, 0, 0, 1, 1, 0.5, 0.5, 1])
    result = pentanomial(pool, "A", "B")
    assert result.pairs.counts == (1.0, 1.0, 0.0, 1.0, 1.0)
    assert result.games.counts == (3.0, 2.0, 3.0)
    assert result.unpaired == 0
    assert pentanomial(pool, "B", "A").pairs.counts == result.pairs.counts[::-1]


def test_other_games_are_left_alone() -> None:
    pool = Pool.from_names(["A", "C", "B", "A"], ["B", "A", "A", "C"], [1, 1, 0.5, 0])
    result = pentanomial(pool, "A", "B")
    assert result.pairs.counts == (0.0, 0.0, 0.0, 1.0, 0.0)
    assert result.games.size == 2


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


def paired(moves: str, **columns: list[str]) -> tuple[str, tuple[str, ...], float]:
    """How the games of A and B are paired in which these moved first, and how many pairs."""
    others = "".join("B" if player == "A" else "A" for player in moves)
    result = pentanomial(
        Pool.from_names(moves, others, [1] * len(moves), columns=columns), "A", "B"
    )
    return result.manner, result.by, result.pairs.size


def test_rounds_that_have_two_games_with_sides_swapped() -> None:
    assert paired("ABAB", Round=["1", "1", "2", "2"]) == ("round", ("Round",), 2)
    # In the order in which they ended, and one that has no counterpart yet.
    assert paired("AABBA", round=["1", "2", "2", "1", "3"]) == ("round", ("round",), 2)
    # The same round of another event is another round.
    both = {"event": ["x", "y", "x", "y"], "round": ["1"] * 4}
    assert paired("AABB", **both) == ("round", ("event", "round"), 2)


def test_rounds_that_say_nothing() -> None:
    assert paired("AABB", round=["1", "1", "2", "2"])[0] == "none"  # sides are not swapped
    assert paired("ABAB", round=["?"] * 4) == ("order", (), 2)
    assert paired("ABAB", round=["1"] * 4) == ("order", (), 2)
    assert paired("ABAB", round=["1.1", "1.2", "1.3", "1.4"]) == ("order", (), 2)
    assert paired("ABBBA", round=["1", "2", "3", "4", "5"])[0] == "none"


def test_starting_positions_pair_or_forbid() -> None:
    same = {"round": ["1", "2", "3", "4"], "fen": ["x", "y", "x", "y"]}
    assert paired("ABBA", **same) == ("position", ("fen",), 2)
    # Rounds whose two games begin from different positions are no pairs.
    assert paired("ABAB", round=["1", "1", "2", "2"], fen=["x", "y", "z", "u"])[0] == "none"


def test_without_a_pair_there_is_nothing_to_gain() -> None:
    result = pentanomial(Pool.from_names("AA", "BB", [1, 0]), "A", "B")
    assert result.pairs.size == 0
    assert result.unpaired == 2
    assert isnan(result.gain)


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
