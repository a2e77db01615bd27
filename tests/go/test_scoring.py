"""What a position shows: its owners, its ladders, and KataGo's inputs."""

from __future__ import annotations

import gzip
import json
import pickle
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.go.slow_board import Point, SlowBoard, random_moves
from yardstone.errors import InputError
from yardstone.go._ladders import CAUGHT, GIVEN_UP, LadderReader
from yardstone.go.board import Board, handicap_bonus
from yardstone.go.inputs import Encoded, encode_game
from yardstone.go.points import (
    BLACK,
    EMPTY,
    PASS,
    WHITE,
    opponent,
    point_number,
    symmetry_points,
)
from yardstone.go.rules import NAMED_RULES, TROMP_TAYLOR, Rules, parse_rules

JAPANESE = NAMED_RULES["japanese"]
#: Trying everything takes a while where the enemy has much room, so such boards are left out.
ROOM, STATES = 9, 200


def drawn(rows: str, rules: Rules) -> Board:
    signs = "".join(rows.split())
    black, white = (np.flatnonzero([s == c for s in signs]) for c in "XO")
    return Board(round(len(signs) ** 0.5), rules, setup_black=black, setup_white=white)


def lost_stones(slow: SlowBoard, owner: int) -> set[Point] | None:
    """By trying everything: what is lost in some order of moves while the owner passes."""
    mine = {point for point, colour in slow.stones.items() if colour == owner}
    start = frozenset(slow.stones.items())
    seen, todo = {start}, [start]
    lost: set[Point] = set()
    while todo:
        if len(seen) > STATES:
            return None
        slow.stones = dict(todo.pop())
        for point in np.ndindex(slow.size, slow.size):
            if point in slow.stones:
                continue
            after = slow.after((point[0], point[1]), opponent(owner))
            if point not in after and (not slow.rules.suicide or len(slow.stones) == len(after)):
                continue
            state = frozenset(after.items())
            if state not in seen:
                seen.add(state)
                todo.append(state)
                lost |= mine - {*after}
    return lost


def test_stones_live_that_nobody_can_take() -> None:
    """Of boards of mostly black stones."""
    compared = living = 0
    for seed in range(60):
        size, rules = 2 + seed % 4, replace(TROMP_TAYLOR, suicide=bool(seed % 2))
        gaps = min(0.35, (ROOM - 3) / size**2)
        random = np.random.default_rng(seed)
        colours = random.choice(3, size * size, p=[gaps, 0.9 - gaps, 0.1])
        slow = SlowBoard(size, rules)
        slow.stones = stones = {divmod(p, size): int(c) for p, c in enumerate(colours) if c}
        if np.count_nonzero(colours != BLACK) > ROOM or any(not slow.group(p)[1] for p in stones):
            continue
        lost = lost_stones(slow, BLACK)
        if lost is None:
            continue
        board = drawn("".join(".XO"[colour] for colour in colours), rules)
        alive = {p for p in stones if board.pass_alive()[p[0] * size + p[1]] == BLACK == stones[p]}
        assert alive == {p for p, colour in stones.items() if colour == BLACK} - lost, board
        compared += 1
        living += bool(alive)
    assert compared > 15
    assert 4 < living < compared - 4


def test_katago_counts_the_same_and_sees_the_same_ladders() -> None:
    compared = 0
    for position in katago_positions():
        rules = parse_rules(position["rules"])
        setup = {name: position[name] for name in ("setup_black", "setup_white")}
        board = Board(position["size"], rules, **setup)
        for move, colour in zip(position["moves"], position["colours"], strict=True):
            board.play(move, colour, tolerant=True)
        before, planes = pickle.dumps(board), planes_of(position)
        ladders = board.ladders()
        assert pickle.dumps(board) == before, "every move is taken back"
        assert ladders.caught.tolist() == planes[14].tolist()
        assert ladders.catching[opponent(position["to_play"])].tolist() == planes[17].tolist()
        if rules.white_handicap_bonus == "0" and not rules.button:
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
    # The two groups share liberties; Black's upper one is in atari, the lower has one eye.
    seki = ".XO.. XXO.. OOXXX ..X.X XXXXX"
    taxes: dict[Any, tuple[float, float]] = {
        "none": (0 - 2, 4 - 13 - 2), "seki": (0, 4 - 13), "all": (0, 4 - 13)
    }  # fmt: skip
    for tax, (territory, area) in taxes.items():
        assert drawn(seki, replace(JAPANESE, tax=tax)).score(0).lead == territory, tax
        assert drawn(seki, replace(JAPANESE, tax=tax, scoring="area")).score(0).lead == area, tax
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


def test_dead_stones() -> None:
    corner = drawn(".XX.O XXXXX ..... ..... .....", TROMP_TAYLOR)  # White's stone is dead in it
    assert corner.pass_alive().tolist() == [BLACK] * 10 + [EMPTY] * 15, "the rest is too big"
    assert corner.score(0).owner.tolist() == [BLACK] * 25
    # Black has the left side, White the right one; a dead stone of each in the other's area.
    split = ".X.OX .X.O. .X.O. OX.O. .X.O."
    area = drawn(split, TROMP_TAYLOR)
    counted = area.score(0, dead=[4, 15, 0])  # nobody's stone is at 0
    assert (str(counted), counted.winner, counted.black) == ("0", EMPTY, 10)
    alive = area.score(0, pass_dead=False)
    assert (alive.black, alive.white) == (6, 6)
    territory = drawn(split, replace(JAPANESE, tax="none"))
    counted = territory.score(0, dead=[4, 15])
    assert (counted.black, counted.white) == (6, 6)
    assert counted.owner.reshape(5, 5)[0].tolist() == [BLACK, EMPTY, EMPTY, EMPTY, WHITE]
    one = territory.score(6.5, dead=[15])
    assert (one.black, one.white) == (6, 6.5), "with a stone in it the right side is nobody's"
    assert (str(one), one.winner) == ("W+0.5", WHITE)
    assert str(territory) == str(drawn(split, JAPANESE)), "nothing is taken off by counting"
    assert territory.captures == (0, 0)
    taxed = drawn(split, JAPANESE).score(0, dead=[4, 15])
    assert (taxed.black, taxed.white) == (1, 1), "it looks like seki while the middle is open"
    for point in (25, -1):
        with pytest.raises(InputError, match="outside the board"):
            area.score(dead=[point])


def test_a_search_that_is_given_up() -> None:
    """It is no catch; where the board looks alike another way, it is read that way too."""
    black = [point_number(name, 9) for name in ("C5", "D5", "C4", "D3", "E3")]
    board = Board(9, setup_black=black, setup_white=[point_number("D4", 9)])
    before = pickle.dumps(board)
    for limit, answer in ((100, CAUGHT), (3, GIVEN_UP)):
        reader = LadderReader(board._position, limit)
        assert reader.answer(point_number("D4", 9)) == (answer, -1, -1)
        assert pickle.dumps(board) == before

    # The chain at D1 is caught in an order of moves that only one of two turns gives.
    answers_of_one = set()
    for further in ([], *([point] for point in range(36, 64))):
        board = Board(9, setup_black=[1, 9, 35, 75], setup_white=[10, 34, 66, *further])
        reader = LadderReader(board._position, 6)
        best = np.flatnonzero(board.keys == board.keys.min()).tolist()
        answers = [reader.answer(75, turn)[0] for turn in best]
        assert reader.marks()[0][75] == (CAUGHT in answers)
        if not further:
            assert answers == [GIVEN_UP, CAUGHT]
        elif len(best) == 1:
            answers_of_one.add(answers[0])
    assert answers_of_one == {CAUGHT, GIVEN_UP}


@cache
def katago_positions() -> list[dict[str, Any]]:
    """What KataGo 1.17.2 makes of positions; see `benchmarks.ask_inputs`."""
    data = Path(__file__).with_name("katago_inputs.json.gz").read_bytes()
    return [json.loads(line) for line in gzip.decompress(data).splitlines()]


def planes_of(position: dict[str, Any]) -> NDArray[np.uint8]:
    """KataGo's planes [22, points]."""
    packed = np.frombuffer(bytes.fromhex(position["planes"]), np.uint8)
    return np.unpackbits(packed)[: 22 * position["size"] ** 2].reshape(22, -1)


def encode(position: dict[str, Any], positions: list[int] | None = None) -> Encoded:
    game = {
        name: position[name]
        for name in ("size", "setup_black", "setup_white", "moves", "colours", "komi", "to_play")
    }
    rules = parse_rules(position["rules"])
    return encode_game(**game, rules=rules, positions=positions, packed=True)


def points_of(encoded: Encoded, row: int, plane: int) -> list[int]:
    return np.flatnonzero(encoded.spatial[row, plane]).tolist()


def at(*names: str, size: int = 9) -> list[int]:
    return [point_number(name, size) for name in names]


def test_katago_sees_the_same() -> None:
    shown = np.zeros(22, dtype=int)
    values: list[set[float]] = [set() for _ in range(19)]
    for number, position in enumerate(katago_positions()):
        area = position["size"] ** 2
        encoded = encode(position, [len(position["moves"])])
        planes, mine = planes_of(position), encoded.spatial.reshape(22, area)
        assert np.flatnonzero((planes != mine).any(axis=1)).tolist() == [], number
        assert encoded.globals[0].tolist() == position["globals"], number
        assert encoded.legal[0].tolist() == [*position["legal"], 1], number
        assert encoded.illegal_at == -1
        shown += planes.any(axis=1)
        for seen, value in zip(values, position["globals"], strict=True):
            seen.add(value)
    # Together they show everything that records can have.
    assert np.flatnonzero(shown == 0).tolist() == [7, 8, 20, 21]
    assert [k for k, seen in enumerate(values) if len(seen) == 1] == [12, 13, 15, 16]


def test_all_positions_of_a_game_are_those_asked_for_one_by_one() -> None:
    position = max(katago_positions(), key=lambda p: len(p["moves"]))
    whole = encode(position)
    number = len(position["moves"])
    assert len(whole) == number + 1
    assert whole.to_play.tolist() == [*position["colours"], position["to_play"]]
    for rows in (*([row] for row in range(0, number + 1, 7)), [5, 0, 5, number]):
        some = encode(position, rows)
        assert some.positions.tolist() == rows
        for name in ("spatial", "globals", "legal", "to_play"):
            assert np.array_equal(getattr(some, name), getattr(whole, name)[rows])


@settings(max_examples=20)
@given(st.integers(2, 9), st.integers(0, 10**6), st.sampled_from(sorted(NAMED_RULES)))
def test_turning_the_board_turns_the_inputs(size: int, seed: int, name: str) -> None:
    moves = np.array(random_moves(seed, size, 2 * size * size // 3 + 5))
    rules = NAMED_RULES[name]
    plain = encode_game(size, moves=moves, komi=5.5, rules=rules, packed=True)
    for image in symmetry_points(size)[1:]:
        points = np.where(moves == PASS, PASS, image[moves])
        turned = encode_game(size, moves=points, komi=5.5, rules=rules, packed=True)
        planes = turned.spatial.reshape(len(turned), 22, -1)[:, :, image]
        assert np.array_equal(planes, plain.spatial.reshape(planes.shape))
        assert np.array_equal(turned.globals, plain.globals)
        assert np.array_equal(turned.legal[:, image], plain.legal[:, :-1])
    if rules.white_handicap_bonus == "0":  # handicap is Black's alone
        colours = 2 - np.arange(len(moves)) % 2
        other = encode_game(size, moves=moves, colours=colours, komi=-5.5, rules=rules, packed=True)
        for each in ("spatial", "globals"):
            assert np.array_equal(getattr(other, each), getattr(plain, each))
        assert np.array_equal(other.to_play, 3 - plain.to_play)


def test_nothing_before_two_moves_of_one_player_is_shown() -> None:
    twice = encode_game(9, moves=at("E5", "C3"), colours=[BLACK, BLACK])
    assert twice.to_play.tolist() == [BLACK, BLACK, WHITE]
    assert not twice.spatial[1, 9:14].any()
    assert points_of(twice, 2, 9) == at("C3")
    assert not twice.spatial[2, 10:14].any()


def test_handicap_and_komi() -> None:
    stones = at("C3", "G7", "C7")
    for name, bonus in (("chinese", 3), ("aga", 2), ("new-zealand", 0), ("tromp-taylor", 0)):
        rules = NAMED_RULES[name]
        set_up = encode_game(9, stones, moves=at("E5"), komi=0.5, rules=rules)
        assert set_up.to_play.tolist() == [WHITE, BLACK]
        assert set_up.globals[0, 5] == np.float32((0.5 + bonus) / 20)
        placed = encode_game(
            9, moves=[*stones, *at("E5")], colours=[1, 1, 1, 2], komi=0.5, rules=rules
        )
        assert placed.globals[3:, 5].tolist() == set_up.globals[:, 5].tolist()
    assert encode_game(9, komi=7.25, to_play=WHITE).globals[0, 18] == 0.25
    for komi, to_play in ((1e4, WHITE), (-1e4, BLACK)):
        assert encode_game(9, komi=komi, to_play=to_play).globals[0, 5] == np.float32(101 / 20)


def test_breaches_of_the_rules_are_noted_and_played() -> None:
    ko = at("B3", "E3", "C4", "D4", "C2", "D2", "D3", "C3", "D3", size=5)
    for rules in (TROMP_TAYLOR, JAPANESE):
        encoded = encode_game(5, moves=ko, rules=rules)
        assert encoded.illegal_at == -1
        assert encoded.breaches.tolist() == [8]
        assert encoded.legal[8, ko[8]] == 0
        assert points_of(encoded, 8, 6) == [ko[8]]
        assert encoded.spatial[9, 2].reshape(-1)[ko[8]] == 1
    suicide: dict[str, Any] = {"size": 5, "setup_white": [2, 5, 6, 7], "setup_black": [1]}
    for allowed in (True, False):
        rules = Rules(suicide=allowed)
        encoded = encode_game(**suicide, moves=[0], colours=[BLACK], rules=rules, komi=0)
        assert encoded.breaches.tolist() == ([] if allowed else [0])
        assert not encoded.spatial[1, 2].any(), "the black stones are gone"
    # What cannot be played at all ends the positions.
    for wrong in (*at("E5"), -2, 81, 30_000, -(10**9), 10**12):
        moves = [*at("E5", "C3"), wrong, *at("A1")]
        encoded = encode_game(9, moves=moves)
        assert encoded.illegal_at == 2
        assert len(encoded) == len(encoded.spatial) == len(encoded.legal) == 3
        assert encode_game(9, moves=moves, positions=[4, 1, 3]).positions.tolist() == [1]
    assert encode_game(3, setup_white=[1, 3], moves=[0], colours=[BLACK]).illegal_at == 0


#: Two corners in which a stone can be thrown in, two taken, and one taken back for ever.
CIRCLE: dict[str, Any] = {
    "size": 5, "setup_black": [5, 6, 17, 21, 23], "setup_white": [1, 3, 7, 18, 19]
}  # fmt: skip
ROUND = [0, 2, 1, 24, 22, 23]


def test_no_result_after_a_position_came_three_times() -> None:
    colours = [WHITE, BLACK] * 9
    simple = encode_game(**CIRCLE, moves=ROUND * 3, colours=colours, rules=JAPANESE)
    assert simple.breaches.tolist() == []
    shown = simple.spatial[:, 9:14].any(axis=(2, 3)).sum(axis=1).tolist()
    assert shown[:12] == [0, 1, 2, 3, 4, 5, 5, 5, 5, 5, 5, 5]
    assert shown[12:] == [1] * 7, "each position comes for the third time, and ends the game"
    superko = encode_game(**CIRCLE, moves=ROUND * 3, colours=colours, rules=TROMP_TAYLOR)
    assert superko.breaches.tolist() == [2, *range(5, 18)]

    # With the square of 48,000 moves this would take minutes.
    colours = [WHITE, BLACK] * 24_000
    encoded = encode_game(**CIRCLE, moves=ROUND * 8_000, colours=colours, positions=[48_000])
    assert len(encoded.breaches) == 48_000 - 4
    passes = encode_game(9, moves=[PASS] * 50_000, positions=[50_000], rules=JAPANESE)
    assert passes.globals[0, 14] == 1
