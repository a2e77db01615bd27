"""The positions of a recorded game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from yardstone.errors import InputError
from yardstone.go.points import (
    BLACK,
    SYMMETRIES,
    WHITE,
    check_size,
    opponent,
    point_array,
)
from yardstone.go.rules import TROMP_TAYLOR, Rules
from yardstone.go.zobrist import position_keys

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

    from yardstone.go.board import Board

__all__ = ["Moves", "Positions", "game_positions", "move_colours", "replay"]


class Moves(Protocol):
    """What of a game is needed to replay it; `yardstone.records.go_game.GoGame` has it."""

    @property
    def size(self) -> int:
        """Lines of the board."""

    @property
    def setup_black(self) -> NDArray[np.int16]:
        """Points of black stones that stand there from the beginning."""

    @property
    def setup_white(self) -> NDArray[np.int16]:
        """Points of white stones that stand there from the beginning."""

    @property
    def moves(self) -> NDArray[np.int16]:
        """Points, -1 for a pass."""

    @property
    def colours(self) -> NDArray[np.int8]:
        """Who played them: 1 Black, 2 White."""


@dataclass(frozen=True, slots=True, eq=False)
class Positions:
    """The positions of a game, before its first move, after it, and so on.

    Attributes
    ----------
    stones : ndarray of int8, shape [n, size * size]
        Colours of the points.
    keys : ndarray of uint64, shape [n, 8]
        Keys under the eight symmetries (`yardstone.go.zobrist.position_keys`);
        ``keys.min(axis=1)`` is the same whichever way the board lies.
    illegal_at : int
        The first move that cannot be played, or -1; there are no positions after it.
    """

    stones: NDArray[np.int8]
    keys: NDArray[np.uint64]
    illegal_at: int

    def __len__(self) -> int:
        return len(self.stones)


def game_positions(game: Moves) -> Positions:
    """All positions of a game, compiled.

    Moves that a ko or the ban on suicide would forbid are played.

    Raises
    ------
    InputError
        If the board, the stones set up or the colours are impossible.
    """
    from yardstone.go import _board, _replay
    from yardstone.go._setup import lattice, set_up

    area = check_size(game.size) ** 2
    points = point_array(game.moves)
    board = set_up(game.size, point_array(game.setup_black), point_array(game.setup_white))
    boards = np.zeros((len(points) + 1, area), dtype=np.int8)
    keys = np.zeros((len(points) + 1, SYMMETRIES), dtype=np.uint64)
    illegal_at = _replay.replay_moves(
        board,
        lattice(game.size),
        position_keys(board[_board.COLOUR, :area]),
        points,
        move_colours(game.colours, len(points)),
        np.zeros(_board.LONGEST_ENTRY, dtype=np.int32),
        boards,
        keys,
    )
    end = len(boards) if illegal_at < 0 else illegal_at + 1
    return Positions(boards[:end], keys[:end], int(illegal_at))


def replay(game: Moves, rules: Rules = TROMP_TAYLOR) -> Iterator[Board]:
    """Give the board before each move of a game, and after the last.

    It is one board that moves on: take a `copy` of what is to be kept. What the
    rules forbid is played as long as it can be.

    Raises
    ------
    IllegalMove
        At a move that cannot be played.
    InputError
        If the board, the stones set up or the colours are impossible.
    """
    from yardstone.go.board import Board

    points = point_array(game.moves).tolist()
    colours = move_colours(game.colours, len(points)).tolist()
    board = Board(
        game.size,
        rules,
        setup_black=game.setup_black,
        setup_white=game.setup_white,
        to_play=colours[0] if colours else BLACK,
    )
    yield board
    for point, colour in zip(points, colours, strict=True):
        board.play(point, colour, tolerant=True)
        yield board


def move_colours(
    colours: ArrayLike | None, number: int, beginner: int = BLACK
) -> NDArray[np.int32]:
    """Colours of so many moves as int32; None stands for both in turn.

    Raises
    ------
    InputError
        If there are not as many as moves, or one is neither 1 nor 2.
    """
    if colours is None:
        turn = np.arange(number) % 2
        return np.where(turn == 0, beginner, opponent(beginner)).astype(np.int32)
    players = np.ascontiguousarray(colours, dtype=np.int32)
    if players.shape != (number,):
        raise InputError(f"{number} moves have {players.size} colours", hint="give one a move")
    if not np.isin(players, (BLACK, WHITE)).all():
        raise InputError("a move has no colour", hint="1 is Black, 2 is White")
    return players
