"""The planes of one position, and all positions of a game in one call.

See `yardstone.go.inputs` for what they mean.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yardstone.arrays import Floats32, Ints, Longs
from yardstone.go._board import (
    AREA_SCORING,
    BONUS,
    BUTTON,
    COLOUR,
    FRIENDLY_PASS,
    HANDICAP,
    HEAD,
    KO,
    KO_POSITIONAL,
    KO_RULE,
    KO_SIMPLE,
    LIBS,
    META,
    OVER,
    SCORING,
    SUICIDE,
    TAX,
    TAX_ALL,
    TAX_NONE,
    TURNS,
    Past,
    area_without_seki,
    can_be_played,
    change_keys,
    find_area,
    is_banned,
    is_suicide,
    may_play,
    pass_ends_game,
    play,
    record_move,
)
from yardstone.go._ladders import find_ladders
from yardstone.go.board import Lattice
from yardstone.go.points import BLACK, EMPTY, PASS, WHITE
from yardstone.kernels import bare_kernel

Small = NDArray[np.uint8]
Keys = NDArray[np.uint64]

# The planes.
_ON_BOARD, _OWN, _ENEMY, _ONE_LIBERTY, _BANNED = 0, 1, 2, 3, 6
_LAST_MOVES, _LADDERS, _CATCHING, _AREA = 9, 14, 17, 18
# The global inputs.
_PASSES, _KOMI, _SUPERKO, _SUPERKO_KIND, _MAY_SUICIDE, _TERRITORY = 0, 5, 6, 7, 8, 9
_TAX, _GROUP_TAX, _PASS_ENDS, _BUTTON_LEFT, _PARITY = 10, 11, 14, 17, 18
#: Moves shown, and points by which a komi may exceed the board.
_SHOWN = 5
_KOMI_MARGIN = 20.0

#: Rows of the memory for ladders: chains caught on the last three boards (by the number of
#: the move, modulo three), and the moves that catch chains of Black and of White.
LADDER_ROWS = 5
_CAUGHT_BLACK = 3


class MovesPlayed(NamedTuple):
    """A game, and which of its positions are wanted.

    `to_play` is who is to move after the last move; `rows`, [moves + 1], has the row of the outputs
    for the position before each move and after the last, or -1.
    """

    moves: Ints
    colours: Ints
    to_play: int
    komi: np.float32
    rows: Ints


class InputArrays(NamedTuple):
    """What is written, zero before.

    `planes` [n, 22, points], `inputs` [n, 19], `legal` [n, points + 1], and `breaches` [moves]:
    whether the rules forbid a move although it can be played.
    """

    planes: Small
    inputs: Floats32
    legal: Small
    breaches: Small


class Memory(NamedTuple):
    """Memory for ladders (`log` and `tree`), for areas, and for chains that are caught."""

    log: Ints
    tree: Ints
    work: Ints
    ladders: Ints


@bare_kernel
def _put_stones(planes: Small, board: Ints, to_play: int) -> None:
    for point in range(planes.shape[1]):
        planes[_ON_BOARD, point] = 1
        colour = board[COLOUR, point]
        if colour != EMPTY:
            planes[_OWN if colour == to_play else _ENEMY, point] = 1
            liberties = board[LIBS, board[HEAD, point]]
            if liberties <= 3:
                planes[_ONE_LIBERTY + liberties - 1, point] = 1


@bare_kernel
def _put_legal(
    planes: Small,
    legal: Small,
    board: Ints,
    lattice: Lattice,
    key: np.uint64,
    to_play: int,
    known: bool,
    past: Past,
) -> None:
    """Moves that are possible, and those that a ko forbids; `known`: the past counts."""
    area = planes.shape[1]
    legal[area] = 1
    if board[META, KO] >= 0:
        planes[_BANNED, board[META, KO]] = 1
    near = lattice.near
    superko = known and past.rules[KO_RULE] != KO_SIMPLE
    for point in range(area):
        if board[COLOUR, point] == EMPTY and may_play(
            board, near, point, to_play, past.rules[SUICIDE] != 0
        ):
            if superko and is_banned(board, near, lattice.stones[0], key, point, to_play, past):
                planes[_BANNED, point] = 1
            else:
                legal[point] = 1


@bare_kernel
def _put_last_moves(
    planes: Small,
    inputs: Floats32,
    moves: Ints,
    colours: Ints,
    played: int,
    to_play: int,
    most: int,
) -> int:
    """Show the last moves as long as the players alternate; returns how many."""
    shown = 0
    colour = to_play
    while shown < most:
        colour = BLACK + WHITE - colour
        if colours[played - 1 - shown] != colour:
            break
        point = moves[played - 1 - shown]
        if point == PASS:
            inputs[_PASSES + shown] = 1.0
        else:
            planes[_LAST_MOVES + shown, point] = 1
        shown += 1
    return shown


@bare_kernel
def _put_ladders(planes: Small, ladders: Ints, played: int, to_play: int, shown: int) -> None:
    for point in range(planes.shape[1]):
        for ago in range(3):
            planes[_LADDERS + ago, point] = ladders[(played - min(ago, shown)) % 3, point]
        planes[_CATCHING, point] = ladders[_CAUGHT_BLACK + WHITE - to_play, point]


@bare_kernel
def _put_area(
    planes: Small, board: Ints, near: Ints, to_play: int, rules: Ints, work: Ints
) -> None:
    """Show who owns what. The last two rows of `work` are for the owners."""
    if rules[SCORING] != AREA_SCORING:
        return
    owner = work[len(work) - 1]
    find_area(board, near, rules[SUICIDE] != 0, True, owner, work)
    if rules[TAX] != TAX_NONE:
        untaxed = work[len(work) - 2]
        area_without_seki(board, near, owner, True, False, untaxed, work)
        owner = untaxed
    for point in range(planes.shape[1]):
        if owner[point] != EMPTY:
            planes[_AREA if owner[point] == to_play else _AREA + 1, point] = 1


@bare_kernel
def _put_rules(
    inputs: Floats32, komi: np.float32, area: int, to_play: int, state: Longs, rules: Ints
) -> None:
    """Komi from the view of the player to move, the rules, and the parity of the komi."""
    white = np.float32(state[BONUS]) * np.float32(0.5) + np.float32(state[HANDICAP]) + komi
    own = white if to_play == WHITE else -white
    most = np.float32(area) + np.float32(_KOMI_MARGIN)
    own = min(max(own, -most), most)
    inputs[_KOMI] = own / np.float32(20.0)
    if rules[KO_RULE] != KO_SIMPLE:
        inputs[_SUPERKO] = 1.0
        inputs[_SUPERKO_KIND] = 0.5 if rules[KO_RULE] == KO_POSITIONAL else -0.5
    inputs[_MAY_SUICIDE] = rules[SUICIDE]
    if rules[TAX] != TAX_NONE:
        inputs[_TAX] = 1.0
    if rules[TAX] == TAX_ALL:
        inputs[_GROUP_TAX] = 1.0
    inputs[_BUTTON_LEFT] = state[BUTTON]
    if rules[SCORING] != AREA_SCORING:
        inputs[_TERRITORY] = 1.0
        return
    # Komis that allow a draw have the parity of the board. The wave rises by a point
    # around each of them and falls by a point around those that allow none.
    odd = np.float32(area % 2)
    above = own - (np.floor((own - odd) / np.float32(2.0)) * np.float32(2.0) + odd)
    above = min(max(above, np.float32(0.0)), np.float32(2.0))
    if above < 0.5:
        inputs[_PARITY] = above
    elif above < 1.5:
        inputs[_PARITY] = np.float32(1.0) - above
    else:
        inputs[_PARITY] = above - np.float32(2.0)


@bare_kernel
def encode_moves(
    board: Ints,
    position: Keys,
    lattice: Lattice,
    game: MovesPlayed,
    past: Past,
    memory: Memory,
    outputs: InputArrays,
) -> int:
    """Play a game and write the inputs of its positions.

    `board` and `position` are the position set up and its keys under the eight symmetries,
    `past` as `start_history` left it. Returns the first move that cannot be played, or -1.
    """
    near = lattice.near
    state = past.state
    rules = past.rules
    ladders = memory.ladders
    area = len(near) - 1
    total = len(game.moves)
    for played in range(total + 1):
        colour = game.colours[played] if played < total else game.to_play
        # Whoever moves twice in a row is shown a position without a past.
        known = played == 0 or game.colours[played - 1] != colour
        ko = board[META, KO]
        if not known:
            board[META, KO] = -1
        needed = game.rows[played] >= 0
        for later in range(played + 1, min(played + 3, total + 1)):
            needed |= game.rows[later] >= 0
        if needed:
            find_ladders(
                board,
                near,
                lattice.turns,
                position,
                memory.log,
                memory.tree,
                ladders[played % 3],
                ladders[_CAUGHT_BLACK:],
            )
        row = game.rows[played]
        if row >= 0:
            ends, by_second = pass_ends_game(position[0], colour, past)
            hidden = ends and by_second and rules[FRIENDLY_PASS] and rules[SCORING] == AREA_SCORING
            most = 0
            if known and not hidden:
                most = min(1 if state[OVER] else _SHOWN, state[TURNS])
            planes = outputs.planes[row]
            inputs = outputs.inputs[row]
            _put_stones(planes, board, colour)
            _put_legal(planes, outputs.legal[row], board, lattice, position[0], colour, known, past)
            shown = _put_last_moves(planes, inputs, game.moves, game.colours, played, colour, most)
            _put_ladders(planes, ladders, played, colour, shown)
            _put_area(planes, board, near, colour, rules, memory.work)
            _put_rules(inputs, game.komi, area, colour, state, rules)
            if known and ends and not hidden:
                inputs[_PASS_ENDS] = 1.0
        board[META, KO] = ko
        if played == total:
            break
        point = game.moves[played]
        before = position[0]
        if point == PASS:
            board[META, KO] = -1
        else:
            if not can_be_played(board, near, point, colour):
                return played
            if not rules[SUICIDE] and is_suicide(board, near, point, colour):
                outputs.breaches[played] = 1
            if known and (
                ko == point
                or is_banned(board, near, lattice.stones[0], before, point, colour, past)
            ):
                outputs.breaches[played] = 1
            top = play(board, near, point, colour, memory.log, 0)
            change_keys(board, lattice.stones, position, memory.log, top)
        record_move(point, colour, before, position[0], past)
    return -1


@bare_kernel
def replay_moves(
    board: Ints,
    lattice: Lattice,
    position: Keys,
    moves: Ints,
    colours: Ints,
    log: Ints,
    boards: NDArray[np.int8],
    keys: Keys,
) -> int:
    """Write each position and its keys; returns the first move that cannot be played, or -1."""
    near = lattice.near
    area = len(near) - 1
    for played in range(len(moves) + 1):
        for point in range(area):
            boards[played, point] = board[COLOUR, point]
        for turn in range(len(position)):
            keys[played, turn] = position[turn]
        if played == len(moves):
            return -1
        if not can_be_played(board, near, moves[played], colours[played]):
            return played
        if moves[played] != PASS:
            top = play(board, near, moves[played], colours[played], log, 0)
            change_keys(board, lattice.stones, position, log, top)
        else:
            board[META, KO] = -1
    return -1
