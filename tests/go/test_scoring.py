from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.go.slow_board import SlowBoard, random_moves
from tests.go.test_inputs import POSITIONS
from yardstone.errors import InputError
from yardstone.go.board import Board, handicap_bonus
from yardstone.go.points import BLACK, EMPTY, WHITE
from yardstone.go.rules import NAMED_RULES, TROMP_TAYLOR, Rules, parse_rules

JAPANESE = NAMED_RULES["japanese"]


def board_after(position: dict[str, Any]) -> Board:
    board = Board(
        position["size"],
        parse_rules(position["rules"]),
        setup_black=position["setup_black"],
        setup_white=position["setup_white"],
    )
    for move, colour in zip(position["moves"], position["colours"], strict=True):
        board.play(move, colour, tolerant=True)
    return board


def test_katago_counts_the_same() -> None:
    plain = [
        p
        for p in POSITIONS
        if (rules := parse_rules(p["rules"])).white_handicap_bonus == "0" and not rules.button
    ]
    assert len(plain) > 30
    for position in plain:
        assert board_after(position).score(position["komi"]).lead == position["white_lead"]


@settings(max_examples=40)
@given(st.integers(2, 9), st.integers(0, 10**6))
def test_area_as_tromp_and_taylor_count_it(size: int, seed: int) -> None:
    board, slow = Board(size, TROMP_TAYLOR), SlowBoard(size, TROMP_TAYLOR)
    for number, move in enumerate(random_moves(seed, size, size * size)):
        board.play(move, number % 2 + 1, tolerant=True)
        slow.play(move, number % 2 + 1)
    points = {1: 0, 2: 0}
    for colour in slow.stones.values():
        points[colour] += 1
    for region, colours in slow.regions():
        if len(colours) == 1:
            points[colours.pop()] += len(region)
    score = board.score(2.5, pass_dead=False)
    assert (score.black, score.white) == (points[1], points[2] + 2.5)
    assert score.lead == points[2] + 2.5 - points[1]


@settings(max_examples=40)
@given(st.integers(4, 9), st.integers(0, 10**6))
def test_area_and_territory_differ_by_the_moves(size: int, seed: int) -> None:
    moves = random_moves(seed, size, size * size)
    area = Board(size, Rules(ko="simple"))
    territory = Board(size, Rules(ko="simple", scoring="territory"))
    placed = {1: 0, 2: 0}
    for number, move in enumerate(moves):
        for board in (area, territory):
            board.play(move, number % 2 + 1, tolerant=True)
        placed[number % 2 + 1] += move >= 0
    difference = territory.score(0).lead - area.score(0).lead
    assert difference == placed[1] - placed[2], "a stone played is a point less"


#: Black has the left side, White the right one; a dead stone of each in the other's area.
SPLIT = """
.X.OX
.X.O.
.X.O.
OX.O.
.X.O.
"""


def split(rules: Rules) -> Board:
    signs = "".join(SPLIT.split())
    black, white = (np.flatnonzero([s == c for s in signs]) for c in "XO")
    return Board(5, rules, setup_black=black, setup_white=white)


def test_dead_stones() -> None:
    area = split(TROMP_TAYLOR)
    assert str(area.score(0, dead=[4, 15])) == "0"
    assert area.score(0, dead=[4, 15]).black == 10
    alive = area.score(0, pass_dead=False)
    assert (alive.black, alive.white) == (6, 6)
    territory = split(replace(JAPANESE, tax="none"))
    counted = territory.score(0, dead=[4, 15])
    assert (counted.black, counted.white) == (6, 6)
    assert counted.owner.reshape(5, 5)[0].tolist() == [BLACK, EMPTY, EMPTY, EMPTY, WHITE]
    one = territory.score(6.5, dead=[15])
    assert (one.black, one.white) == (6, 6.5), "with a stone in it the right side is nobody's"
    assert str(one) == "W+0.5"
    assert one.winner == WHITE
    taxed = split(JAPANESE).score(0, dead=[4, 15])
    assert (taxed.black, taxed.white) == (1, 1), "it looks like seki while the middle is open"
    with pytest.raises(InputError, match="outside the board"):
        area.score(dead=[25])


def test_the_board_is_left_as_it_was() -> None:
    board = split(JAPANESE)
    stones = board.stones
    board.score(dead=[4, 15])
    assert np.array_equal(board.stones, stones)
    assert board.captures == (0, 0)


def test_seki_and_group_tax() -> None:
    # The two groups share two liberties; each has one eye besides.
    rows = ".XO.. XXO.. OOXXX ..X.X XXXXX".split()
    signs = "".join(rows)
    black, white = (np.flatnonzero([s == c for s in signs]) for c in "XO")
    leads = {}
    for tax in ("none", "seki", "all"):
        board = Board(5, replace(JAPANESE, tax=tax), setup_black=black, setup_white=white)
        leads[tax] = board.score(0).lead
    assert leads["none"] <= leads["seki"]
    two_eyes = Board(5, Rules(tax="all"), setup_black=[1, 3, 5, 6, 7, 8, 9])
    assert two_eyes.score(0).black == 25 - 2


def test_what_handicap_and_button_give() -> None:
    aga, chinese = NAMED_RULES["aga-button"], NAMED_RULES["chinese"]
    assert [handicap_bonus(chinese, n) for n in (0, 1, 2, 9)] == [0, 0, 2, 9]
    assert [handicap_bonus(aga, n) for n in (0, 1, 2, 9)] == [0, 0, 1, 8]
    assert handicap_bonus(TROMP_TAYLOR, 9) == 0
    board = Board(5, aga, setup_black=[12])
    score = board.score(handicap=3, button=WHITE)
    assert (score.black, score.white) == (25, 7 + 2 + 0.5)
    assert str(score) == "B+15.5"
    assert str(Board(5).score(0)) == "0"
