"""Who owns what: by trying everything, by a slow count, by KataGo's, and by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.go.slow_board import SlowBoard, random_moves
from tests.go.test_inputs import katago_positions
from yardstone.errors import InputError
from yardstone.go.board import Board, handicap_bonus
from yardstone.go.points import BLACK, EMPTY, WHITE, opponent
from yardstone.go.rules import NAMED_RULES, TROMP_TAYLOR, Rules, parse_rules

JAPANESE = NAMED_RULES["japanese"]
#: Trying everything takes a while where the enemy has much room, so such boards are left out.
ROOM, STATES = 9, 200


def drawn(rows: str, rules: Rules) -> Board:
    signs = "".join(rows.split())
    black, white = (np.flatnonzero([s == c for s in signs]) for c in "XO")
    return Board(round(len(signs) ** 0.5), rules, setup_black=black, setup_white=white)


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
    return drawn("".join(".XO"[colour] for colour in colours), rules)


def stones_that_can_be_taken(board: Board, owner: int) -> set[int] | None:
    """By trying everything: what is lost in some order of moves while the owner passes."""
    size = board.size
    slow = SlowBoard(size, board.rules)
    mine = {p for p, c in enumerate(board.stones) if c == owner}
    start = frozenset((divmod(p, size), int(c)) for p, c in enumerate(board.stones) if c)
    seen, todo = {start}, [start]
    lost: set[int] = set()
    while todo:
        if len(seen) > STATES:
            return None
        slow.stones = dict(todo.pop())
        for point in np.ndindex(size, size):
            if point in slow.stones:
                continue
            after = slow.after((point[0], point[1]), opponent(owner))
            if point not in after and (not board.rules.suicide or len(slow.stones) == len(after)):
                continue
            state = frozenset(after.items())
            if state not in seen:
                seen.add(state)
                todo.append(state)
                lost |= {p for p in mine if divmod(p, size) not in after}
    return lost


def test_stones_live_that_nobody_can_take() -> None:
    compared = living = 0
    for seed in range(90):
        rules = replace(TROMP_TAYLOR, suicide=bool(seed % 2))
        board = random_board(seed, 2 + seed % 4, rules)
        lost = None if board is None else stones_that_can_be_taken(board, BLACK)
        if board is None or lost is None:
            continue
        stones = {*np.flatnonzero(board.stones == BLACK).tolist()}
        alive = {*np.flatnonzero(board.pass_alive() == BLACK).tolist()} & stones
        assert alive == stones - lost, board
        compared += 1
        living += bool(alive)
    assert compared > 20
    assert 5 < living < compared - 5


def test_katago_counts_the_same() -> None:
    compared = 0
    for position in katago_positions():
        rules = parse_rules(position["rules"])
        if rules.white_handicap_bonus != "0" or rules.button:
            continue
        setup = {name: position[name] for name in ("setup_black", "setup_white")}
        board = Board(position["size"], rules, **setup)
        for move, colour in zip(position["moves"], position["colours"], strict=True):
            board.play(move, colour, tolerant=True)
        assert board.score(position["komi"]).lead == position["white_lead"]
        compared += 1
    assert compared > 30


@settings(max_examples=25)
@given(st.integers(2, 9), st.integers(0, 10**6))
def test_area_as_tromp_and_taylor_count_it(size: int, seed: int) -> None:
    board, slow = Board(size, TROMP_TAYLOR), SlowBoard(size, TROMP_TAYLOR)
    territory = Board(size, Rules(ko="simple", scoring="territory"))
    placed = {1: 0, 2: 0}
    for number, move in enumerate(random_moves(seed, size, size * size)):
        colour = number % 2 + 1
        for each in (board, territory):
            each.play(move, colour, tolerant=True)
        slow.play(move, colour)
        placed[colour] += move >= 0
    points = {colour: [*slow.stones.values()].count(colour) for colour in (1, 2)}
    for region, colours in slow.regions():
        if len(colours) == 1:
            points[colours.pop()] += len(region)
    score = board.score(2.5, pass_dead=False)
    assert (score.black, score.white) == (points[1], points[2] + 2.5)
    assert score.lead == points[2] + 2.5 - points[1]
    difference = territory.score(0).lead - board.score(0).lead
    assert difference == placed[1] - placed[2], "a stone played is a point less"


def test_eyes_in_seki_groups_handicap_and_button() -> None:
    seki: list[tuple[Any, Any, float]] = [
        ("territory", "none", 0 - 2),
        ("territory", "seki", 0),
        ("territory", "all", 0),
        ("area", "none", 4 - 13 - 2),
        ("area", "seki", 4 - 13),
        ("area", "all", 4 - 13),
    ]
    for scoring, tax, lead in seki:
        rules = replace(JAPANESE, scoring=scoring, tax=tax)
        assert drawn(SEKI, rules).score(0).lead == lead, (scoring, tax)
    living = Board(5, Rules(tax="all"), setup_black=[1, 3, 5, 6, 7, 8, 9])
    assert living.score(0).black == 25 - 2
    aga, chinese = NAMED_RULES["aga-button"], NAMED_RULES["chinese"]
    for rules, bonus in ((chinese, [0, 0, 2, 9]), (aga, [0, 0, 1, 8]), (TROMP_TAYLOR, [0] * 4)):
        assert [handicap_bonus(rules, n) for n in (0, 1, 2, 9)] == bonus
    board = Board(5, aga, setup_black=[12])
    score = board.score(handicap=3, button=WHITE)
    assert (score.black, score.white) == (25, 7 + 2 + 0.5)
    assert (str(score), score.winner) == ("B+15.5", BLACK)
    assert board.score(0, button=BLACK).black == 25.5


#: Black has the left side, White the right one; a dead stone of each in the other's area.
SPLIT = ".X.OX .X.O. .X.O. OX.O. .X.O."


def test_dead_stones() -> None:
    corner = drawn(".XX.O XXXXX ..... ..... .....", TROMP_TAYLOR)  # White's stone is dead in it
    assert corner.pass_alive().tolist() == [BLACK] * 10 + [EMPTY] * 15, "the rest is too big"
    assert corner.area().tolist() == [BLACK] * 25
    area = drawn(SPLIT, TROMP_TAYLOR)
    counted = area.score(0, dead=[4, 15, 0])  # nobody's stone is at 0
    assert (str(counted), counted.winner, counted.black) == ("0", EMPTY, 10)
    alive = area.score(0, pass_dead=False)
    assert (alive.black, alive.white) == (6, 6)
    territory = drawn(SPLIT, replace(JAPANESE, tax="none"))
    stones = territory.stones
    counted = territory.score(0, dead=[4, 15])
    assert (counted.black, counted.white) == (6, 6)
    assert counted.owner.reshape(5, 5)[0].tolist() == [BLACK, EMPTY, EMPTY, EMPTY, WHITE]
    one = territory.score(6.5, dead=[15])
    assert (one.black, one.white) == (6, 6.5), "with a stone in it the right side is nobody's"
    assert (str(one), one.winner) == ("W+0.5", WHITE)
    assert (territory.stones.tolist(), territory.captures) == (stones.tolist(), (0, 0))
    taxed = drawn(SPLIT, JAPANESE).score(0, dead=[4, 15])
    assert (taxed.black, taxed.white) == (1, 1), "it looks like seki while the middle is open"
    for point in (25, -1):
        with pytest.raises(InputError, match="outside the board"):
            area.score(dead=[point])


#: The two groups share liberties; Black's upper one is in atari, the lower has one eye.
SEKI = ".XO.. XXO.. OOXXX ..X.X XXXXX"
