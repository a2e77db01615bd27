from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.go.slow_board import random_moves
from yardstone.errors import IllegalMove, InputError
from yardstone.go.board import Board
from yardstone.go.inputs import game_positions, move_colours
from yardstone.go.points import position_keys, stone_keys, symmetry_points
from yardstone.records.go_game import GoGame


def game(size: int, moves: list[int], **others: object) -> GoGame:
    given = {
        "size": size,
        "moves": np.array(moves, np.int16),
        "colours": (np.arange(len(moves)) % 2 + 1).astype(np.int8),
        **others,
    }
    return GoGame(file="", line=0, number=1, komi=6.5, **given)  # type: ignore[arg-type]


def replay(record: GoGame) -> Iterator[Board]:
    """The board before each move, and after the last."""
    board = Board(record.size, setup_black=record.setup_black, setup_white=record.setup_white)
    yield board
    for point, colour in zip(record.moves.tolist(), record.colours.tolist(), strict=True):
        board.play(point, colour, tolerant=True)
        yield board


@settings(max_examples=25)
@given(st.integers(2, 9), st.integers(0, 10**6))
def test_boards_and_compiled_positions_agree(size: int, seed: int) -> None:
    record = game(size, random_moves(seed, size, size * size))
    positions = game_positions(record)
    assert positions.illegal_at == -1
    assert len(positions) == len(record.moves) + 1
    for board, stones, keys in zip(replay(record), positions.stones, positions.keys, strict=True):
        assert np.array_equal(board.stones, stones)
        assert np.array_equal(board.keys, keys)
    assert np.array_equal(position_keys(positions.stones), positions.keys)


@settings(max_examples=25)
@given(st.integers(2, 9), st.integers(0, 10**6), st.integers(0, 7))
def test_a_turned_game_has_the_same_smallest_keys(size: int, seed: int, turn: int) -> None:
    image = symmetry_points(size)[turn]
    moves = random_moves(seed, size, size * size)
    turned = [int(image[m]) if m >= 0 else m for m in moves]
    one, other = game_positions(game(size, moves)), game_positions(game(size, turned))
    assert np.array_equal(one.keys.min(axis=1), other.keys.min(axis=1))
    assert np.array_equal(np.sort(one.keys), np.sort(other.keys))
    distinct = len(np.unique(one.stones, axis=0))
    assert len(np.unique(one.keys[:, 0])) == distinct, "different boards, different keys"


def test_keys_may_be_stored() -> None:
    board = np.zeros(361, np.int8)
    assert position_keys(board).tolist() == [0] * 8
    board[72] = 1
    assert position_keys(board).tolist() == stone_keys(19)[:, 1, 72].tolist()
    assert int(position_keys(board)[0]) == STORED
    with pytest.raises(ValueError, match="do not make a square board"):
        position_keys(np.zeros(10))


#: The key of a black stone at Q16.
STORED = 5440105325875551529


def test_moves_that_cannot_be_played() -> None:
    record = game(9, [40, 41, 40, 3])
    positions = game_positions(record)
    assert positions.illegal_at == 2
    assert len(positions) == len(positions.keys) == 3
    boards = replay(record)
    for _ in range(3):
        next(boards)
    with pytest.raises(IllegalMove, match="Black E5: the point is taken"):
        next(boards)


def test_what_stands_there_at_the_start() -> None:
    black = np.array([0, 1], np.int16)
    record = game(9, [], setup_black=black, setup_white=np.array([80], np.int16))
    assert game_positions(record).stones[0, [0, 1, 80]].tolist() == [1, 1, 2]
    (board,) = replay(record)
    assert board.stones[[0, 1, 80]].tolist() == [1, 1, 2]
    with pytest.raises(InputError, match="two stones"):
        game_positions(game(9, [], setup_black=black, setup_white=black))


def test_colours_of_moves() -> None:
    assert move_colours(None, 3).tolist() == [1, 2, 1]
    assert move_colours(None, 2, 2).tolist() == [2, 1]
    with pytest.raises(InputError, match="3 moves have 2 colours"):
        move_colours([1, 2], 3)
