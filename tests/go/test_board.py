"""The board and its rules, against a slow board, KataGo's names, and by example."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.go.slow_board import SlowBoard
from yardstone.errors import IllegalMove, InputError
from yardstone.go import points
from yardstone.go.board import Board
from yardstone.go.inputs import game_positions, move_colours
from yardstone.go.rules import (
    NAMED_RULES,
    TROMP_TAYLOR,
    Conditions,
    Knowledge,
    Rules,
    parse_rules,
    parse_rules_and_komi,
)
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
    assert board.keys.tolist() == points.position_keys(board.stones).tolist()


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
    colour = points.BLACK
    moves, colours, boards = [], [], [board.copy()]
    for _ in range(8 * size):
        legal = np.flatnonzero(board.legal_moves(colour)[:-1])
        quiet = random.random() < 0.1 or len(legal) == 0
        moves.append(points.PASS if quiet else int(random.choice(legal)))
        colours.append(colour)
        board.play(moves[-1], colour)
        slow.play(moves[-1], colour)
        boards.append(board.copy())
        assert_same(board, slow, points.opponent(colour))
        if random.random() > 0.05:  # sometimes the same player moves again
            colour = points.opponent(colour)
    # The compiled replay gives the same positions, and of a turned game the turned ones.
    game = GoGame(size=size, moves=np.array(moves, np.int16), colours=np.array(colours, np.int8))
    positions = game_positions(game)
    assert (positions.illegal_at, len(positions)) == (-1, len(boards))
    assert positions.stones.tolist() == [each.stones.tolist() for each in boards]
    assert positions.keys.tolist() == [each.keys.tolist() for each in boards]
    assert len(np.unique(positions.keys[:, 0])) == len(np.unique(positions.stones, axis=0))
    image = points.symmetry_points(size)[seed % 8]
    turned = game_positions(
        replace(game, moves=np.where(game.moves < 0, points.PASS, image[game.moves]))
    )
    assert np.array_equal(turned.stones[:, image], positions.stones)
    assert np.array_equal(np.sort(turned.keys), np.sort(positions.keys))


def test_a_ko_must_wait() -> None:
    d3, c3 = (points.point_number(name, 5) for name in ("D3", "C3"))
    for ko in ("simple", "positional", "situational"):
        board = Board(5, replace(SIMPLE, ko=ko))
        for name in ("B3", "E3", "C4", "D4", "C2", "D2", "D3", "C3"):
            board.play_name(name)
        assert (board.captures, board.ko) == ((1, 0), d3)
        with pytest.raises(IllegalMove, match="Black D3: a ko may not be taken back at once"):
            board.play_name("D3")
        assert board.legal(d3, points.WHITE), "White may fill it"
        assert board.copy().play(d3, tolerant=True).tolist() == [c3]
        stones, keys, other = board.stones, board.keys, pickle.loads(pickle.dumps(board))
        for name in ("A1", "E5"):
            other.play_name(name)
        board.stones[0] = board.keys[0] = 1
        assert not board.legal(d3), "copies, and the arrays that it gives, are apart"
        assert np.array_equal(board.stones, stones)
        assert np.array_equal(board.keys, keys)
        assert other.play_name("D3").tolist() == [c3]
        for _ in range(2):
            board.play_name("pass")
        assert board.ko == points.PASS
        assert board.legal(d3, points.BLACK) is (ko == "simple"), "superko sees passes"
        if ko == "positional":
            with pytest.raises(IllegalMove, match=r"repeats a position \(positional superko\)"):
                board.play_name("D3")


def test_suicide() -> None:
    """In a corner of White, with one stone or two missing, and on a full board."""
    for rules, tolerant in ((SIMPLE, True), (TROMP_TAYLOR, False)):
        board = Board(5, rules, setup_white=[2, 5, 6, 7], setup_black=[1])
        if tolerant:
            with pytest.raises(IllegalMove, match="Black A5: suicide is not allowed"):
                board.play(0, points.BLACK)
            with pytest.raises(IllegalMove, match="Black B5: the point is taken"):
                board.play(1, points.BLACK, tolerant=True)
        assert board.play(0, points.BLACK, tolerant=tolerant).tolist() == [0, 1]
        assert board.captures == (2, 0)
        alone = Board(5, TROMP_TAYLOR, setup_white=[1, 5])
        with pytest.raises(IllegalMove, match="the stone would have no liberties"):
            alone.play(0, points.BLACK, tolerant=tolerant)
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
    for colour in (points.EMPTY, 3):
        with pytest.raises(InputError, match=f"{colour} is not a colour"):
            board.play(0, colour)
    game = GoGame(size=9, moves=np.array([40, 41, 40, 3]), colours=np.array([1, 2, 1, 2], np.int8))
    positions = game_positions(game)
    assert (positions.illegal_at, len(positions), len(positions.keys)) == (2, 3, 3)
    game = GoGame(size=9, setup_black=np.array([0, 1]), setup_white=np.array([80]))
    (stones,) = game_positions(game).stones
    assert (np.flatnonzero(stones).tolist(), stones[80]) == ([0, 1, 80], points.WHITE)
    assert move_colours(None, 3).tolist() == [1, 2, 1]
    assert move_colours(None, 2, 2).tolist() == [2, 1]
    with pytest.raises(InputError, match="3 moves have 2 colours"):
        move_colours([1, 2], 3)


def test_names_numbers_and_colours() -> None:
    for size in (2, 9, 19):
        for point in range(-1, size * size):
            name = points.point_name(point, size)
            assert points.point_number(name, size) == point
            assert points.point_number(f" {name.lower()} ", size) == point
    assert points.point_number("Q16", 19) == 3 * 19 + 15
    assert points.point_name(8, 9) == "J9"
    for name in ("", "A", "I5", "K1", "A0", "A10", "5", "A-1", "A1.5", "AA1", "A\u0661", "Q16"):
        with pytest.raises(InputError, match=r"A1 to J9 without the letter I, or pass"):
            points.point_number(name, 9)
    for size in (-1, 0, 1, 20, 10**9):
        with pytest.raises(InputError, match="2 to 19, and boards are square"):
            points.check_size(size)
    assert [points.parse_colour(text) for text in ("b", "W", " Black ", "white")] == [1, 2, 1, 2]
    with pytest.raises(InputError, match="write b or w"):
        points.parse_colour("red")


@pytest.mark.parametrize("size", [2, 5, 19])
def test_neighbours_and_symmetries(size: int) -> None:
    plain = np.arange(size * size).reshape(size, size)
    table, seen = points.neighbours(size), set()
    for point in range(size * size):
        row, column = divmod(point, size)
        near = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
        inside = {r * size + c for r, c in near if 0 <= r < size and 0 <= c < size}
        assert inside == {*table[point].tolist()} - {size * size}
    assert table[-1].tolist() == [size * size] * 4
    for symmetry, image in enumerate(points.symmetry_points(size)):
        expected = plain.T if symmetry & 4 else plain
        expected = expected[:: -1 if symmetry & 1 else 1, :: -1 if symmetry & 2 else 1]
        turned = np.empty(size * size, dtype=plain.dtype)
        turned[image] = plain.reshape(-1)
        assert turned.tolist() == expected.reshape(-1).tolist()
        seen.add(turned.tobytes())
    assert len(seen) == 8


def test_keys_may_be_stored() -> None:
    board = np.zeros(361, np.int8)
    assert points.position_keys(board).tolist() == [0] * 8
    board[72] = 1
    assert points.position_keys(board).tolist() == points.stone_keys(19)[:, 1, 72].tolist()
    assert int(points.position_keys(board)[0]) == 5440105325875551529  # of a black stone at Q16
    with pytest.raises(ValueError, match="do not make a square board"):
        points.position_keys(np.zeros(10))


def test_points_from_outside() -> None:
    for table in (points.neighbours, points.symmetry_points, points.stone_keys):
        assert not table(5).flags.writeable
    assert points.point_array([]).dtype == np.int32
    assert points.point_array(np.array([3, -1], np.int8)).tolist() == [3, -1]
    most = [2**15, 2**15 - 1, -(2**15), -(2**15) - 1]  # what int16 does not hold is no point
    assert points.point_array(most).tolist() == [-(2**15), 2**15 - 1, -(2**15), -(2**15)]
    for wrong in ([1.5], [[1, 2]], ["A1"], 3):
        with pytest.raises(InputError, match="whole numbers in one dimension"):
            points.point_array(wrong)


#: What KataGo 1.17.2 makes of the names (`kata-get-rules` after `kata-set-rules`).
KATAGO = {
    "tromp-taylor": "koPOSITIONALscoreAREAtaxNONEsui1",
    "chinese": "koSIMPLEscoreAREAtaxNONEsui0whbNfpok1",
    **dict.fromkeys(("japanese", "korean"), "koSIMPLEscoreTERRITORYtaxSEKIsui0"),
    "aga": "koSITUATIONALscoreAREAtaxNONEsui0whbN-1fpok1",
    "aga-button": "koSITUATIONALscoreAREAtaxNONEsui0button1whbN-1fpok1",
    "new-zealand": "koSITUATIONALscoreAREAtaxNONEsui1fpok1",
    "ing": "koPOSITIONALscoreAREAtaxNONEsui1fpok1",
    "chinese-ogs": "koPOSITIONALscoreAREAtaxNONEsui0whbNfpok1",
    "stone-scoring": "koSIMPLEscoreAREAtaxALLsui0fpok1",
    "ancient-territory": "koSIMPLEscoreTERRITORYtaxALLsui0",
}


def test_texts_and_rules_are_inverse() -> None:
    assert {name: str(rules) for name, rules in NAMED_RULES.items()} == KATAGO
    for name, rules in NAMED_RULES.items():
        for text in (str(rules), name.upper().replace("-", " "), rules.name):
            assert parse_rules(text) == rules
    for name, texts in {
        "chinese": (" chinese rules ", "Chinese rule", "中国规则", f'{" ":2000}chinese'),
        "japanese": ("JP", "日本ルール", "korean"),
        "ing": ("GOE",), "new-zealand": ("NZ", "New_Zealand"), "tromp-taylor": ("{}",),
    }.items():  # fmt: skip
        for text in texts:
            assert parse_rules(text) == NAMED_RULES[name], text
    # What is left out is as with Tromp and Taylor; the komi may be in the text.
    assert parse_rules("scoreTERRITORY").tax == "seki"
    assert parse_rules("taxNONE scoring TERRITORY").tax == "none"
    for text, rules, komi in (
        ("koSIMPLE", Rules(ko="simple"), None),
        ('{"scoring": "TERRITORY", "hasButton": true}',
         Rules(scoring="territory", tax="seki", button=True), None),
        ("koSIMPLEkomi-5.5sui0", Rules(ko="simple", suicide=False), -5.5),
        ('{"ko": "SIMPLE", "komi": 0}', Rules(ko="simple"), 0),
        ("komi150", TROMP_TAYLOR, 150),
        ('{"komi": 150}', TROMP_TAYLOR, 150),
    ):  # fmt: skip
        assert parse_rules_and_komi(text) == (rules, komi)
    usual = [NAMED_RULES[name].default_komi for name in ("chinese", "japanese", "aga-button")]
    assert usual == [7.5, 6.5, 7.0]
    assert Rules(suicide=False, button=True).name == "koPOSITIONALscoreAREAtaxNONEsui0button1"


def test_what_names_no_rules() -> None:
    for text in [
        *("", "no rules of mine", "koFOO", "koSPIGHT", "suiNONE", "koSIMPLEx"),
        *("komi1e9", "komi999", "komi151", "{", "[1]", '{"ko": 1}', '{"suicide": "yes"}'),
        *('{"ko": "NEVER"}', '{"komi": NaN}', '{"komi": true}', '{"x": 1}', "[" * 900),
        *("x" * 100_000, '{"komi": -151}'),
    ]:
        with pytest.raises(InputError) as caught:
            parse_rules(text)
        assert len(str(caught.value)) < 1500
    with pytest.raises(InputError, match="the choices are none, seki, all"):
        Rules(tax="half")  # type: ignore[arg-type]


def test_what_a_network_knows() -> None:
    known = Knowledge("small", TROMP_TAYLOR, (5.5, 7.5), 19)
    assert str(known) == "tromp-taylor rules, komi 5.5 to 7.5 and boards of 19x19"
    chinese, ing = NAMED_RULES["chinese"], NAMED_RULES["ing"]
    assert [known.knows(rules) for rules in (TROMP_TAYLOR, ing, chinese)] == [True, True, False]
    for komi in (5.5, 7.5):
        assert known.asked(Conditions(ing, komi), 19) == Conditions(ing, komi)
    asked = known.asked(Conditions(chinese, 5.5), 19)
    remark = "small does not know chinese rules"
    assert asked == Conditions(TROMP_TAYLOR, 5.5, remark)
    assert asked.in_words == f"tromp-taylor rules, komi 5.5 ({remark})"
    for komi, size, message in (
        (5.4, 19, "does not know komi 5.4"),
        (7.6, 19, "does not know komi 7.6"),
        (6.5, 13, "does not know boards of 13x13"),
    ):
        with pytest.raises(InputError, match=message):
            known.asked(Conditions(TROMP_TAYLOR, komi), size)
