"""The inputs of networks: KataGo's own, what they mean, and that they turn with the board."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.go.slow_board import random_moves
from yardstone.go.inputs import Encoded, encode_game
from yardstone.go.points import BLACK, PASS, WHITE, point_number, symmetry_points
from yardstone.go.rules import NAMED_RULES, TROMP_TAYLOR, Rules, parse_rules
from yardstone.kernels import Loops, work

JAPANESE = NAMED_RULES["japanese"]


@cache
def katago_positions() -> list[dict[str, Any]]:
    """What KataGo 1.17.2 makes of positions; see `benchmarks.ask_inputs`."""
    data = Path(__file__).with_name("katago_inputs.json.gz").read_bytes()
    return [json.loads(line) for line in gzip.decompress(data).splitlines()]


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
        packed = np.frombuffer(bytes.fromhex(position["planes"]), np.uint8)
        planes = np.unpackbits(packed)[: 22 * area].reshape(22, area)
        mine = encoded.spatial.reshape(22, area)
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
    for position in [p for p in katago_positions() if p["size"] <= 3]:
        whole = encode(position)
        with work(Loops.BOARD, 0):
            plain = encode(position)
        for name in ("spatial", "globals", "legal"):
            assert np.array_equal(getattr(plain, name), getattr(whole, name)), "as plain Python"


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
