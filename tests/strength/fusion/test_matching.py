"""Records of moves, and the games of a pool to which they belong."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from yardstone.errors import InputError
from yardstone.pool import Pool, SkipReport
from yardstone.strength.fusion import MOVE_COLUMNS
from yardstone.strength.fusion_moves import GameMoves, match_moves, with_moves

#: (Black, White, day of January or None, winner)
Record = tuple[str, str, int | None, int]


def records(*games: Record, labels: Any = None) -> GameMoves:
    """Records whose Black has 10, 11, … moves of strength 1, 2, … and White 1,000 more."""
    number = len(games)
    moves = np.array([[10.0 + row, 1010.0 + row] for row in range(number)])
    days = ["NaT" if day is None else f"2024-01-{day:02d}" for _, _, day, _ in games]
    return GameMoves(
        [black for black, *_ in games],
        [white for _, white, *_ in games],
        np.array(days, "datetime64[s]"),
        np.array([winner for *_, winner in games], np.int8),
        [()] * number if labels is None else labels,
        moves,
        moves - 9.0,
        "model",
        "fox",
        SkipReport(),
    )


def pool(*games: tuple[str, str, int, float]) -> Pool:
    days = np.array([f"2024-01-{day:02d}T12:00" for _, _, day, _ in games], "datetime64[s]")
    return Pool.from_names(
        [first for first, *_ in games],
        [second for _, second, *_ in games],
        [score for *_, score in games],
        time=days,
    )


GAMES = pool(("Ann", "Bob", 1, 1), ("Bob", "Ann", 1, 0), ("Ann", "Cem", 2, 0), ("Cem", "Bob", 5, 1))


ONE = pool(("Ann", "Bob", 1, 1))
TWO = pool(("Ann", "Bob", 1, 1), ("Ann", "Bob", 3, 1))
THREE = pool(("Ann", "Bob", 1, 1), ("Ann", "Bob", 1, 0), ("Ann", "Bob", 1, 1))
WINNER, SEVERAL = "with another winner than the result", "of one of several games of that day"


@pytest.mark.parametrize(
    ("games", "given", "record", "unmatched"),
    [
        # Players, day and colours tell the game; names are compared as people write them.
        (
            GAMES,
            [
                ("Cem", "Bob", 5, 1), ("ＡＮＮ ", "bob", 1, 1), ("Bob", "Ann", 1, 2),
                ("Dan", "Bob", 1, 1), ("Ann", "Cem", 20, 2), ("", "Bob", 1, 1),
            ],
            [1, 2, -1, 0],
            {"of no such game": 2, "without a name": 1},
        ),
        # A record of the day beside, if it is the only one.
        (GAMES, [("Ann", "Cem", 3, 2)], [-1, -1, 0, -1], {}),
        (ONE, [("Ann", "Bob", 2, 1)], [0], {}),
        (pool(("Ann", "Bob", 3, 1)), [("Ann", "Bob", 2, 1)], [0], {}),
        (ONE, [("Ann", "Bob", 3, 1)], [-1], {"of no such game": 1}),
        (TWO, [("Ann", "Bob", 2, 1)], [-1, -1], {"of no such game": 1}),
        (TWO, [("Ann", "Bob", 2, 1), ("Ann", "Bob", 1, 1)], [1, 0], {}),  # the day goes before
        # Another winner is another game; a record need not tell.
        (GAMES, [("Cem", "Bob", 5, 2), ("Ann", "Bob", 1, 0)], [1, -1, -1, -1], {WINNER: 1}),
        (pool(("Ann", "Bob", 1, 0.5)), [("Ann", "Bob", 1, -1)], [0], {}),
        (ONE, [("Ann", "Bob", 1, -1)], [-1], {WINNER: 1}),
        # Several games of a day are told apart by their order, or by a result.
        (THREE, [("Ann", "Bob", 1, 1), ("Ann", "Bob", 1, 2), ("Ann", "Bob", 1, 1)], [0, 1, 2], {}),
        (THREE, [("Ann", "Bob", 1, 2), ("Ann", "Bob", 1, 1)], [-1, 0, -1], {SEVERAL: 1}),
        (THREE, [("Ann", "Bob", 1, 2), ("Ann", "Bob", 1, 2)], [-1, -1, -1], {SEVERAL: 2}),
        # Without dates a pair must have met once.
        (replace(GAMES, time=None), [("Ann", "Bob", 7, 1), ("Cem", "Bob", None, 1)],
         [0, -1, -1, 1], {}),
        (GAMES, [("Ann", "Bob", 7, 1), ("Cem", "Bob", None, 1)], [-1, -1, -1, 1],
         {"of no such game": 1}),
        (TWO, [("Ann", "Bob", None, 1)], [-1, -1], {SEVERAL: 1}),
        # Players with like names are told apart by what is written.
        (pool(("ann", "Bob", 1, 1), ("Ann", "Bob", 1, 1)),
         [("Ann", "BOB", 1, 1), ("ANN", "Bob", 1, 1)], [-1, 0], {"of no such game": 1}),
    ],
)  # fmt: skip
def test_which_record_belongs_to_a_game(
    games: Pool, given: list[Record], record: list[int], unmatched: dict[str, int]
) -> None:
    result = match_moves(games, records(*given))
    assert (result.record.tolist(), result.unmatched) == (record, unmatched)
    assert not result.swapped.any()


def test_colours_do_not_matter_where_nobody_knows_who_moved_first() -> None:
    given = records(("Cem", "Ann", 2, 1))
    assert match_moves(GAMES, given).record.tolist() == [-1, -1, -1, -1]
    result = match_moves(replace(GAMES, ordered=False), given)
    assert result.record.tolist() == [-1, -1, 0, -1]
    joined, _ = with_moves(replace(GAMES, ordered=False), given)
    assert joined.columns["first_moves"].tolist() == [0, 0, 1010, 0]
    assert joined.columns["second_moves_strength"][2] == 1.0


def test_a_column_may_name_the_games() -> None:
    def named(*ids: float) -> Pool:
        return replace(GAMES, columns={"id": np.array(ids)})

    given = records(
        ("Cem", "Bob", None, 1), ("Bob", "Ann", 30, 2), ("Ann", "Dan", 1, 1), ("Ann", "Cem", 2, 1),
        labels=[("x", "10"), ("8",), ("7",), ("9",)],
    )  # fmt: skip
    texts = np.array(["7", "8", "9", "10"], np.dtypes.StringDType())
    for pool in (named(7.0, 8.0, 9.0, 10.0), replace(GAMES, columns={"id": texts})):
        result = match_moves(pool, given, column="id")
        assert result.record.tolist() == [-1, 1, -1, 0]
        assert result.unmatched == {"of other players than the result": 1, WINNER: 1}
    one = records(("Ann", "Bob", 1, 1), labels=[("7",)])
    result = match_moves(named(7.0, 7.0, 9.0, 10.0), one, column="id")
    assert result.unmatched == {"of several games": 1}
    with pytest.raises(InputError, match="no column 'ID'"):
        match_moves(pool, given, column="ID")


def test_the_columns_are_of_both_players() -> None:
    joined, result = with_moves(GAMES, records(("Cem", "Bob", 5, 1), ("Ann", "Bob", 1, 1)))
    assert result.unmatched == {}
    assert result.sentence == "Records of moves: 2 of 2 belong to a game."
    values = np.column_stack([joined.columns[name] for name in MOVE_COLUMNS])
    assert values[[0, 3]].tolist() == [[11.0, 2.0, 1011.0, 1002.0], [10.0, 1.0, 1010.0, 1001.0]]
    np.testing.assert_array_equal(values[1], [0.0, np.nan, 0.0, np.nan])
    with pytest.raises(InputError, match=r"no record of moves.*: 0 of 1 belong to a game \("):
        with_moves(GAMES, records(("Dan", "Eve", 1, 1)))


def test_records_are_results_too() -> None:
    games: list[Record] = [
        ("Ann", "Bob", 1, 1), ("Bob", "Ann", 2, -1), ("Ann", "", 3, 1), ("A", "B", 4, 0)
    ]  # fmt: skip
    given = records(*games)
    result = given.results()
    assert (result.score.tolist(), result.skipped.total) == ([1.0, 0.5], 2)
    joined, matched = with_moves(result, given)
    assert matched.record.tolist() == [0, 1]
    assert joined.columns["first_moves"].tolist() == [10.0, 11.0]
