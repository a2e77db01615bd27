from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.go.slow_board import SlowBoard
from yardstone.go.board import Board
from yardstone.go.points import BLACK, WHITE, opponent
from yardstone.go.rules import TROMP_TAYLOR, Rules

#: Trying everything takes a while where the enemy has much room, so such boards are left out.
ROOM, STATES = 9, 500


def random_board(seed: int, size: int, rules: Rules) -> Board | None:
    """Mostly black stones; None if some have no liberties, or if there is too much room."""
    random = np.random.default_rng(seed)
    gaps = min(0.35, (ROOM - 3) / size**2)
    colours = random.choice(3, size * size, p=[gaps, 0.9 - gaps, 0.1])
    if np.count_nonzero(colours != BLACK) > ROOM:
        return None
    slow = SlowBoard(size, rules)
    slow.stones = {divmod(p, size): int(c) for p, c in enumerate(colours) if c}
    if any(not slow.group(point)[1] for point in slow.stones):
        return None
    return Board(
        size,
        rules,
        setup_black=np.flatnonzero(colours == BLACK),
        setup_white=np.flatnonzero(colours == WHITE),
    )


def stones_that_can_be_taken(board: Board, owner: int) -> set[int] | None:
    """By trying everything: what is lost in some order of moves while the owner passes."""
    enemy = opponent(owner)
    size = board.size
    slow = SlowBoard(size, board.rules)
    mine = {p for p, c in enumerate(board.stones) if c == owner}
    start = frozenset((divmod(p, size), int(c)) for p, c in enumerate(board.stones) if c)
    seen = {start}
    todo = [start]
    lost: set[int] = set()
    while todo:
        if len(seen) > STATES:
            return None
        slow.stones = dict(todo.pop())
        for point in np.ndindex(size, size):
            if point in slow.stones:
                continue
            after = slow.after((point[0], point[1]), enemy)
            if point not in after and (not board.rules.suicide or len(slow.stones) == len(after)):
                continue
            state = frozenset(after.items())
            if state not in seen:
                seen.add(state)
                todo.append(state)
                lost |= {p for p in mine if divmod(p, size) not in after}
    return lost


@settings(max_examples=40, suppress_health_check=[HealthCheck.filter_too_much])
@given(st.integers(0, 10**6), st.integers(2, 4), st.booleans())
def test_stones_live_that_nobody_can_take(seed: int, size: int, suicide: bool) -> None:
    board = random_board(seed, size, replace(TROMP_TAYLOR, suicide=suicide))
    assume(board is not None)
    assert board is not None
    alive = board.pass_alive()
    stones = {*np.flatnonzero(board.stones == BLACK).tolist()}
    lost = stones_that_can_be_taken(board, BLACK)
    assume(lost is not None)
    safe = stones - (lost or set())
    assert {*np.flatnonzero(alive == BLACK).tolist()} & stones == safe


def test_some_of_those_boards_have_living_stones_and_some_have_not() -> None:
    rules = TROMP_TAYLOR
    boards = [b for seed in range(300) if (b := random_board(seed, 5, rules)) is not None]
    living = [bool((b.pass_alive()[b.stones == BLACK] == BLACK).any()) for b in boards]
    assert len(boards) > 50
    assert 10 < sum(living) < len(boards) - 10


def test_territory_of_living_stones() -> None:
    board = Board(5, TROMP_TAYLOR, setup_black=[1, 5, 6, 7, 2, 8, 9], setup_white=[4])
    alive = board.pass_alive().reshape(5, 5)
    assert (alive[:2] == BLACK).all(), "the white stone is dead where it stands"
    assert not alive[2:].any(), "the lower side is too big to be safe"
    area = board.area().reshape(5, 5)
    assert (area == BLACK).all()
    with_white = Board(5, TROMP_TAYLOR, setup_black=[1, 5, 6, 7, 2, 8, 9], setup_white=[4, 22])
    assert with_white.area()[22] == WHITE
    assert with_white.area()[20] == 0


def test_an_empty_board_is_nobodys() -> None:
    for size in (2, 19):
        assert not Board(size).pass_alive().any()
        assert not Board(size).area().any()


def test_a_single_stone_owns_the_board_but_does_not_live() -> None:
    board = Board(9, setup_black=[40])
    assert not board.pass_alive().any()
    assert (board.area() == BLACK).all()
