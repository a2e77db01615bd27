"""What KataGo's networks see of a position: version 7 of its inputs.

All is seen by the player to move: *own* stones are those of the player, and so on.

======  =====================================================================
plane   1 where
======  =====================================================================
0       there is a point of the board
1, 2    there is an own stone, a stone of the opponent
3-5     there is a stone of a chain with 1, 2, 3 liberties
6       a ko or superko forbids a move
7, 8    (empty: they belong to phases of play that records do not have)
9-13    the last move was, the one before it, ..., the fifth last
14      there is a stone of a chain that is caught in a ladder
15, 16  the same one move ago, two moves ago
17      a move catches a chain of the opponent that has two liberties
18, 19  the point counts for the player, the opponent, if the game ended now
20, 21  (empty, as 7 and 8)
======  =====================================================================

======  =====================================================================
global  value
======  =====================================================================
0-4     1 if the last move was a pass, the one before it, ..., the fifth last
5       komi as the player gets it, with what else is known of the score, / 20
6, 7    superko (1), and its kind: positional 0.5, situational -0.5
8       suicide of several stones is allowed
9       territory scoring
10, 11  a tax on eyes in seki; on the two eyes of every group as well
12, 13  (0, as the planes 7 and 8)
14      a pass would end the game
15, 16  (0: handicap by unequal search)
17      the button has not been taken
18      how far the komi is from one that allows a draw, as a wave
======  =====================================================================

The planes 18 and 19 are empty with territory scoring. With a friendly pass
(`yardstone.go.rules.Rules`) a position in which a pass would end the game is shown
without its past. After the end of a game only the last move is shown, and in a
position in which somebody moves twice in a row no move is.

Sources: Wu 2020, *Accelerating Self-Play Learning in Go*, appendix A.1; KataGo,
the comments on the inputs of version 7 in its source; Neubauer 2024, tables 4.1
and 4.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from yardstone.arrays import Floats32, Ints
from yardstone.errors import InputError
from yardstone.go import _inputs
from yardstone.go.board import set_up
from yardstone.go.points import (
    BLACK,
    SYMMETRIES,
    WHITE,
    check_size,
    opponent,
    point_array,
)
from yardstone.go.rules import TROMP_TAYLOR, Rules
from yardstone.records.go_game import GoGame

SPATIAL = 22
GLOBAL = 19
_HIGHEST_KOMI = 10_000.0


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """The inputs of positions of one game."""

    #: [n, 22, size, size]: the planes, float32; uint8 if they were asked for packed.
    spatial: Floats32 | NDArray[np.uint8]
    globals: Floats32  #: [n, 19]: the global inputs.
    to_play: NDArray[np.int8]  #: [n]: who is to move.
    legal: NDArray[np.uint8]  #: Whether a move on each point, and at last a pass, is legal.
    #: [n]: the position of each row: 0 before the first move, 1 after it, and so on.
    positions: Ints
    #: The first move that cannot be played (a point that is taken or outside the board, a single
    #: stone without liberties), or -1. Positions after it are left out.
    illegal_at: int
    #: Moves that were played although ko, superko or the ban on suicide of the rules forbids them.
    breaches: Ints

    def __len__(self) -> int:
        return len(self.to_play)


def encode_game(
    size: int,
    setup_black: ArrayLike = (),
    setup_white: ArrayLike = (),
    moves: ArrayLike = (),
    colours: ArrayLike | None = None,
    komi: float | None = None,
    rules: Rules = TROMP_TAYLOR,
    *,
    positions: ArrayLike | None = None,
    to_play: int | None = None,
    packed: bool = False,
) -> Encoded:
    """Inputs of the positions of a game.

    Args:
        size: Size of the board, 2 to 19.
        setup_black, setup_white (array_like of int): Points of the stones set up before the first
            move.
        moves (array_like of int, shape [moves]): Points, -1 for a pass. Moves are taken as they
            were played: one that the rules forbid is noted and played if it can be.
        colours (array_like of int, shape [moves]): Who played them, 1 Black and 2 White; the
            default is Black and White in turn, White first if only black stones were set up.
        komi: What White gets; the default is the usual komi of the rules.
        rules: The rules that the network shall assume. Black's moves before White's first and black
            stones set up are handicap stones, where White gets points for them.
        positions (array_like of int): Which positions are wanted, in any order: ``i`` is the one
            before move ``i`` (from 0), ``len(moves)`` the one after the last. The default is all.
        to_play: Who is to move *after the last move*; the default is the opponent of whoever made
            it.
        packed: Give the planes as uint8, a quarter of the memory.

    Raises:
        InputError: If there is no such board, a stone stands outside it or twice or without
            liberties, a colour is neither 1 nor 2, or the komi is no number.
        IndexError: If a position is asked for that the game does not have.

    Examples:
        >>> encoded = encode_game(19, moves=[72, 300], komi=6.5)
        >>> encoded.spatial.shape, encoded.globals.shape
        ((3, 22, 19, 19), (3, 19))
        >>> int(encoded.spatial[1, 2].argmax())  # White sees the stone of the opponent
        72
    """
    area = check_size(size) ** 2
    points = point_array(moves)
    number = len(points)
    black, white = point_array(setup_black), point_array(setup_white)
    beginner = WHITE if len(black) and not len(white) else BLACK
    players = move_colours(colours, number, beginner)
    first = int(players[0]) if number else to_play or beginner
    last = to_play or (opponent(int(players[-1])) if number else first)
    if not {first, last} <= {BLACK, WHITE}:
        raise InputError(f"{to_play} is not a colour", hint="1 is Black, 2 is White")
    white_komi = rules.default_komi if komi is None else float(komi)
    if not abs(white_komi) <= _HIGHEST_KOMI:
        raise InputError(f"{komi} is not a komi", hint="give a number of points such as 6.5")
    places = _chosen(positions, number)

    position = set_up(size, black, white)
    past = _inputs.Past(rules, number, len(black), len(white), position, first)
    rows = np.full(number + 1, -1, dtype=np.int32)
    order = np.flatnonzero(np.bincount(places, minlength=number + 1))
    rows[order] = np.arange(len(order), dtype=np.int32)
    outputs = _InputArrays(
        planes=np.zeros((len(order), SPATIAL, area), dtype=np.uint8),
        inputs=np.zeros((len(order), GLOBAL), dtype=np.float32),
        legal=np.zeros((len(order), area + 1), dtype=np.uint8),
        breaches=np.zeros(number, dtype=np.uint8),
    )
    game = _MovesPlayed(points, players, last, white_komi, rows)
    illegal_at = _inputs.Encoder(position, past, game).encode(outputs)
    planes, inputs, legal, breaches = outputs
    if illegal_at >= 0:
        places = places[places <= illegal_at]
    chosen = rows[places]
    if not np.array_equal(chosen, np.arange(len(order))):
        planes, inputs, legal = planes[chosen], inputs[chosen], legal[chosen]
    spatial = planes.reshape(-1, SPATIAL, size, size)
    return Encoded(
        spatial if packed else spatial.astype(np.float32),
        inputs,
        np.append(players, last)[places].astype(np.int8),
        legal,
        places,
        illegal_at,
        np.flatnonzero(breaches).astype(np.int32),
    )


class _MovesPlayed(NamedTuple):
    """A game, and which of its positions are wanted.

    `to_play` is who is to move after the last move; `rows`, [moves + 1], has the row of the outputs
    for the position before each move and after the last, or -1.
    """

    moves: Ints
    colours: Ints
    to_play: int
    komi: float
    rows: Ints


class _InputArrays(NamedTuple):
    """What is written, zero before.

    `planes` [n, 22, points], `inputs` [n, 19], `legal` [n, points + 1], and `breaches` [moves]:
    whether the rules forbid a move although it can be played.
    """

    planes: NDArray[np.uint8]
    inputs: Floats32
    legal: NDArray[np.uint8]
    breaches: NDArray[np.uint8]


def _chosen(positions: ArrayLike | None, number: int) -> Ints:
    if positions is None:
        return np.arange(number + 1, dtype=np.int32)
    places = np.asarray(positions, dtype=np.int32).reshape(-1)
    if len(places) and not 0 <= places.min() <= places.max() <= number:
        raise IndexError(f"a game of {number} moves has the positions 0 to {number}")
    return places


@dataclass(frozen=True, slots=True, eq=False)
class Positions:
    """The positions of a game, before its first move, after it, and so on."""

    stones: NDArray[np.int8]  #: Colours of the points.
    #: [n, 8]: keys under the eight symmetries (`yardstone.go.points.position_keys`);
    #: ``keys.min(axis=1)`` is the same whichever way the board lies.
    keys: NDArray[np.uint64]
    #: The first move that cannot be played, or -1; there are no positions after it.
    illegal_at: int

    def __len__(self) -> int:
        return len(self.stones)


def game_positions(game: GoGame) -> Positions:
    """All positions of a game, compiled.

    Moves that a ko or the ban on suicide would forbid are played.

    Raises:
        InputError: If the board, the stones set up or the colours are impossible.
    """
    area = check_size(game.size) ** 2
    points = point_array(game.moves)
    position = set_up(game.size, point_array(game.setup_black), point_array(game.setup_white))
    boards = np.zeros((len(points) + 1, area), dtype=np.int8)
    keys = np.zeros((len(points) + 1, SYMMETRIES), dtype=np.uint64)
    colours = move_colours(game.colours, len(points))
    illegal_at = _inputs.replay_moves(position, points, colours, boards, keys)
    end = len(boards) if illegal_at < 0 else illegal_at + 1
    return Positions(boards[:end], keys[:end], illegal_at)


def move_colours(colours: ArrayLike | None, number: int, beginner: int = BLACK) -> Ints:
    """Colours of so many moves as int32; None stands for both in turn.

    Raises InputError if there are not as many as moves, or one is neither 1 nor 2.
    """
    if colours is None:
        turn = np.arange(number) % 2
        return np.where(turn == 0, beginner, opponent(beginner)).astype(np.int32)
    players = np.ascontiguousarray(colours, dtype=np.int32)
    if players.shape != (number,):
        raise InputError(f"{number} moves have {players.size} colours", hint="give one a move")
    if not ((players == BLACK) | (players == WHITE)).all():
        raise InputError("a move has no colour", hint="1 is Black, 2 is White")
    return players
