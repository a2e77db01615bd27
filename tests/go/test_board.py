"""Captures, ko, superko and suicide, against a slow board and by example."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.go.slow_board import SlowBoard
from yardstone.errors import IllegalMove, InputError
from yardstone.go import _board
from yardstone.go.board import Board
from yardstone.go.inputs import game_positions, move_colours
from yardstone.go.points import (
    BLACK,
    PASS,
    WHITE,
    neighbours,
    opponent,
    point_number,
    position_keys,
    symmetry_points,
)
from yardstone.go.rules import TROMP_TAYLOR, Rules
from yardstone.records.go_game import GoGame

SIMPLE = Rules(ko="simple", suicide=False)


def assert_same(board: Board, slow: SlowBoard, colour: int) -> None:
    """Stones, prisoners, chains, keys and all legal moves agree."""
    stones = board.stones.reshape(board.size, board.size)
    assert {p: int(stones[p]) for p in np.ndindex(stones.shape) if stones[p]} == slow.stones
    assert board.captures == (slow.lost[1], slow.lost[2])
    legal = [slow.is_legal(point, colour) for point in range(board.size**2)]
    assert board.legal_moves(colour).tolist() == [*legal, True]
    for point in np.flatnonzero(board.stones).tolist():
        group, edge = slow.group(divmod(point, board.size))
        assert board.chain(point).tolist() == sorted(r * board.size + c for r, c in group)
        assert board.liberties(point).tolist() == sorted(r * board.size + c for r, c in edge)
    assert board.keys.tolist() == position_keys(board.stones).tolist()


@settings(max_examples=25)
@given(
    st.integers(2, 6),
    st.sampled_from(["simple", "positional", "situational"]),
    st.booleans(),
    st.integers(0, 10**6),
)
def test_random_games(size: int, ko: Any, suicide: bool, seed: int) -> None:
    rules = replace(TROMP_TAYLOR, ko=ko, suicide=suicide)
    board, slow = Board(size, rules), SlowBoard(size, rules)
    random = np.random.default_rng(seed)
    colour = BLACK
    moves, colours, boards = [], [], [board.copy()]
    for _ in range(8 * size):
        legal = np.flatnonzero(board.legal_moves(colour)[:-1])
        quiet = random.random() < 0.1 or len(legal) == 0
        moves.append(PASS if quiet else int(random.choice(legal)))
        colours.append(colour)
        board.play(moves[-1], colour)
        slow.play(moves[-1], colour)
        boards.append(board.copy())
        assert_same(board, slow, opponent(colour))
        if random.random() > 0.05:  # sometimes the same player moves again
            colour = opponent(colour)
    # The compiled replay gives the same positions, and of a turned game the turned ones.
    game = GoGame(size=size, moves=np.array(moves, np.int16), colours=np.array(colours, np.int8))
    positions = game_positions(game)
    assert (positions.illegal_at, len(positions)) == (-1, len(boards))
    assert positions.stones.tolist() == [each.stones.tolist() for each in boards]
    assert positions.keys.tolist() == [each.keys.tolist() for each in boards]
    assert len(np.unique(positions.keys[:, 0])) == len(np.unique(positions.stones, axis=0))
    image = symmetry_points(size)[seed % 8]
    turned = game_positions(replace(game, moves=np.where(game.moves < 0, PASS, image[game.moves])))
    assert np.array_equal(turned.stones[:, image], positions.stones)
    assert np.array_equal(np.sort(turned.keys), np.sort(positions.keys))


def test_every_move_can_be_taken_back() -> None:
    near = neighbours(6)
    board = _board.new_board(6)
    log = np.zeros(400 * _board.LONGEST_ENTRY, dtype=np.int32)
    random = np.random.default_rng(4)
    states, tops = [], [0]
    for number in range(300):
        colour = 1 + number % 2
        points = [p for p in range(36) if _board.can_be_played(board, near, p, colour)]
        if points:
            states.append(board.copy())
            tops.append(_board.play(board, near, int(random.choice(points)), colour, log, tops[-1]))
    assert any(log[top - 1] >= 0 for top in tops[1:]), "the game has suicides"
    assert int(board[_board.META, 1:3].sum()) > 50
    while states:
        top = _board.undo(board, near, log, tops.pop())
        assert top == tops[-1]
        assert np.array_equal(board, states.pop())


#: Moves that end with White taking a ko at C3.
KO = ("B3", "E3", "C4", "D4", "C2", "D2", "D3", "C3")


def test_a_ko_must_wait() -> None:
    for ko in ("simple", "positional", "situational"):
        board = Board(5, replace(SIMPLE, ko=ko))
        for name in KO:
            board.play_name(name)
        assert (board.captures, board.ko) == ((1, 0), point_number("D3", 5))
        with pytest.raises(IllegalMove, match="Black D3: a ko may not be taken back at once"):
            board.play_name("D3")
        assert board.legal(board.ko, WHITE), "White may fill it"
        assert board.copy().play(board.ko, tolerant=True).tolist() == [point_number("C3", 5)]
        stones, keys, other = board.stones, board.keys, board.copy()
        other.play_name("A1")
        assert (board.to_play, other.to_play) == (BLACK, WHITE)
        other.play_name("E5")
        board.stones[0] = board.keys[0] = 1
        assert not board.legal(board.ko), "copies, and the arrays that it gives, are apart"
        assert np.array_equal(board.stones, stones)
        assert np.array_equal(board.keys, keys)
        assert other.play_name("D3").tolist() == [point_number("C3", 5)]
        for _ in range(2):
            board.play_name("pass")
        assert board.ko == PASS
        assert board.legal(point_number("D3", 5), BLACK) is (ko == "simple"), "superko sees passes"
        if ko == "positional":
            with pytest.raises(IllegalMove, match=r"repeats a position \(positional superko\)"):
                board.play_name("D3")


def test_suicide() -> None:
    """In a corner of White, with one stone or two missing, and on a full board."""
    two: dict[str, Any] = {"setup_white": [2, 5, 6, 7], "setup_black": [1]}
    for rules, tolerant in ((SIMPLE, True), (TROMP_TAYLOR, False)):
        board = Board(5, rules, **two)
        if tolerant:
            with pytest.raises(IllegalMove, match="Black A5: suicide is not allowed"):
                board.play(0, BLACK)
            with pytest.raises(IllegalMove, match="Black B5: the point is taken"):
                board.play(1, BLACK, tolerant=True)
        assert board.play(0, BLACK, tolerant=tolerant).tolist() == [0, 1]
        assert board.captures == (2, 0)
        alone = Board(5, TROMP_TAYLOR, setup_white=[1, 5])
        with pytest.raises(IllegalMove, match="the stone would have no liberties"):
            alone.play(0, BLACK, tolerant=tolerant)
    board = Board(2, TROMP_TAYLOR)
    for name in ("A1", "B2", "A2"):
        board.play_name(name)
    assert (board.play_name("B1").tolist(), board.captures) == ([0, 2], (2, 0))
    assert str(board) == "2 . O\n1 . O\n  A B"
    assert str(Board(10)).splitlines()[1] == " 9 . . . . . . . . . ."


def test_what_cannot_be_set_up_or_played() -> None:
    for black, white, message in (
        ([25], [], "outside the 5x5 board"),
        ([-1], [], "outside the 5x5 board"),
        ([3], [3], "two stones are set up at D5"),
        ([1, 5], [0], "the stone set up at A5 leaves stones without liberties"),
        ([0], [1, 5], "the stone set up at A4 leaves stones without liberties"),
    ):
        with pytest.raises(InputError, match=message):
            Board(5, setup_black=black, setup_white=white)
    board = Board(5)
    for point in (-2, 25, 10**9):
        assert not board.legal(point)
        with pytest.raises(IllegalMove, match=f"Black {point}: the 5x5 board has no such point"):
            board.play(point)
        with pytest.raises(IndexError, match="has no point"):
            board.chain(point)
    assert board.chain(0).tolist() == []
    game = GoGame(size=9, moves=np.array([40, 41, 40, 3]), colours=np.array([1, 2, 1, 2], np.int8))
    positions = game_positions(game)
    assert (positions.illegal_at, len(positions), len(positions.keys)) == (2, 3, 3)
    setup: dict[str, Any] = {"setup_black": np.array([0, 1]), "setup_white": np.array([80])}
    (stones,) = game_positions(GoGame(size=9, **setup)).stones
    assert (np.flatnonzero(stones).tolist(), stones[80]) == ([0, 1, 80], WHITE)
    assert move_colours(None, 3).tolist() == [1, 2, 1]
    assert move_colours(None, 2, 2).tolist() == [2, 1]
    with pytest.raises(InputError, match="3 moves have 2 colours"):
        move_colours([1, 2], 3)
