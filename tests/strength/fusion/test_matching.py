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


def test_players_day_and_colours_tell_the_game() -> None:
    result = match_moves(
        GAMES,
        records(
            ("Cem", "Bob", 5, 1),
            ("ＡＮＮ ", "bob", 1, 1),
            ("Bob", "Ann", 1, 2),
            ("Dan", "Bob", 1, 1),
            ("Ann", "Cem", 20, 2),
            ("", "Bob", 1, 1),
        ),
    )
    assert result.record.tolist() == [1, 2, -1, 0]
    assert result.unmatched == {"of no such game": 2, "without a name": 1}
    assert "3 of 6 belong to a game (" in result.sentence
    assert not result.swapped.any()


def test_a_record_of_the_day_beside_is_taken_where_it_is_the_only_one() -> None:
    assert match_moves(GAMES, records(("Ann", "Cem", 3, 2))).record.tolist() == [-1, -1, 0, -1]
    both = pool(("Ann", "Bob", 1, 1), ("Ann", "Bob", 3, 1))
    assert match_moves(both, records(("Ann", "Bob", 2, 1))).record.tolist() == [-1, -1]
    # The day of the record goes before.
    result = match_moves(both, records(("Ann", "Bob", 2, 1), ("Ann", "Bob", 1, 1)))
    assert result.record.tolist() == [1, 0]


def test_another_winner_is_another_game() -> None:
    result = match_moves(GAMES, records(("Cem", "Bob", 5, 2), ("Ann", "Bob", 1, 0)))
    assert result.record.tolist() == [1, -1, -1, -1]
    assert result.unmatched == {"with another winner than the result": 1}


def test_several_games_of_a_day() -> None:
    three = pool(("Ann", "Bob", 1, 1), ("Ann", "Bob", 1, 0), ("Ann", "Bob", 1, 1))
    whole = records(("Ann", "Bob", 1, 1), ("Ann", "Bob", 1, 2), ("Ann", "Bob", 1, 1))
    assert match_moves(three, whole).record.tolist() == [0, 1, 2]
    # The only loss is one, the wins cannot be told apart.
    some = records(("Ann", "Bob", 1, 2), ("Ann", "Bob", 1, 1))
    result = match_moves(three, some)
    assert result.record.tolist() == [-1, 0, -1]
    assert result.unmatched == {"of one of several games of that day": 1}
    # Two records of one game: nobody knows which.
    twice = records(("Ann", "Bob", 1, 2), ("Ann", "Bob", 1, 2))
    assert match_moves(three, twice).record.tolist() == [-1, -1, -1]


def test_without_dates_a_pair_must_have_met_once() -> None:
    undated = replace(GAMES, time=None)
    given = records(("Ann", "Bob", 7, 1), ("Cem", "Bob", None, 1))
    assert match_moves(undated, given).record.tolist() == [0, -1, -1, 1]
    assert match_moves(GAMES, given).record.tolist() == [-1, -1, -1, 1]
    twice = pool(("Ann", "Bob", 1, 1), ("Ann", "Bob", 9, 1))
    assert match_moves(twice, records(("Ann", "Bob", None, 1))).record.tolist() == [-1, -1]


def test_colours_do_not_matter_where_nobody_knows_who_moved_first() -> None:
    given = records(("Cem", "Ann", 2, 1))
    assert match_moves(GAMES, given).record.tolist() == [-1, -1, -1, -1]
    result = match_moves(replace(GAMES, ordered=False), given)
    assert result.record.tolist() == [-1, -1, 0, -1]
    joined, _ = with_moves(replace(GAMES, ordered=False), given)
    assert joined.columns["first_moves"].tolist() == [0, 0, 1010, 0]
    assert joined.columns["second_moves_strength"][2] == 1.0


def test_players_with_like_names_are_told_apart_by_what_is_written() -> None:
    like = pool(("ann", "Bob", 1, 1), ("Ann", "Bob", 1, 1))
    result = match_moves(like, records(("Ann", "BOB", 1, 1), ("ANN", "Bob", 1, 1)))
    assert result.record.tolist() == [-1, 0]


def test_a_column_may_name_the_games() -> None:
    columns = {"id": np.array(["7", "8", "9", "10"], np.dtypes.StringDType())}
    named = replace(GAMES, columns=columns)
    given = records(
        ("Cem", "Bob", None, 1),
        ("Bob", "Ann", 30, 2),
        ("Ann", "Dan", 1, 1),
        ("Ann", "Cem", 2, 1),
        labels=[("x", "10"), ("8",), ("7",), ("9",)],
    )
    result = match_moves(named, given, column="id")
    assert result.record.tolist() == [-1, 1, -1, 0]
    assert result.unmatched == {
        "of other players than the result": 1,
        "with another winner than the result": 1,
    }
    numbers = replace(GAMES, columns={"id": np.array([7.0, 8.0, 9.0, 10.0])})
    assert match_moves(numbers, given, column="id").record.tolist() == [-1, 1, -1, 0]
    with pytest.raises(InputError, match="no column 'ID'"):
        match_moves(named, given, column="ID")


def test_the_columns_are_of_both_players() -> None:
    joined, result = with_moves(GAMES, records(("Cem", "Bob", 5, 1), ("Ann", "Bob", 1, 1)))
    assert result.unmatched == {}
    assert result.sentence == "Records of moves: 2 of 2 belong to a game."
    values = np.column_stack([joined.columns[name] for name in MOVE_COLUMNS])
    assert values[0].tolist() == [11.0, 2.0, 1011.0, 1002.0]
    assert values[3].tolist() == [10.0, 1.0, 1010.0, 1001.0]
    assert values[1, 0] == 0.0
    assert np.isnan(values[1, 1])


def test_nothing_that_belongs_is_an_error() -> None:
    with pytest.raises(InputError, match="no record of moves belongs"):
        with_moves(GAMES, records(("Dan", "Eve", 1, 1)))


def test_records_are_results_too() -> None:
    given = records(
        ("Ann", "Bob", 1, 1), ("Bob", "Ann", 2, -1), ("Ann", "", 3, 1), ("A", "B", 4, 0)
    )
    result = given.results()
    assert result.score.tolist() == [1.0, 0.5]
    assert result.skipped.total == 2
    joined, matched = with_moves(result, given)
    assert matched.record.tolist() == [0, 1]
    assert joined.columns["first_moves"].tolist() == [10.0, 11.0]
