"""The board and its rules, against a slow board, KataGo's names, and by example."""

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

from tests.go.slow_board import SlowBoard
from yardstone.errors import IllegalMove, InputError
from yardstone.go import points
from yardstone.go._ladders import CAUGHT, GIVEN_UP, LadderReader
from yardstone.go.board import Board, handicap_bonus
from yardstone.go.inputs import Encoded, encode_game, game_positions, move_colours
from yardstone.go.points import (
    BLACK,
    EMPTY,
    PASS,
    WHITE,
    point_number,
)
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
    # The compiled replay gives the same positions.
    game = GoGame(size=size, moves=np.array(moves, np.int16), colours=np.array(colours, np.int8))
    positions = game_positions(game)
    assert (positions.illegal_at, len(positions)) == (-1, len(boards))
    assert positions.stones.tolist() == [each.stones.tolist() for each in boards]
    assert positions.keys.tolist() == [each.keys.tolist() for each in boards]
    assert len(np.unique(positions.keys[:, 0])) == len(np.unique(positions.stones, axis=0))


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
    # Suicide in a corner of White, with two stones and with one.
    board = Board(5, SIMPLE, setup_white=[2, 5, 6, 7], setup_black=[1])
    alone = Board(5, TROMP_TAYLOR, setup_white=[1, 5])
    for each, point, tolerant, message in (
        (board, 0, False, "Black A5: suicide is not allowed"),
        (board, 1, True, "Black B5: the point is taken"),
        (alone, 0, True, "the stone would have no liberties"),
    ):
        with pytest.raises(IllegalMove, match=message):
            each.play(point, points.BLACK, tolerant=tolerant)
    assert (board.play(0, points.BLACK, tolerant=True).tolist(), board.captures) == ([0, 1], (2, 0))
    assert str(board).splitlines()[0] == "5 . . O . ."
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
            assert points.point_number(f" {name.lower()} ", size) == point
    assert (points.point_number("Q16", 19), points.point_name(8, 9)) == (3 * 19 + 15, "J9")
    for name in ("", "A", "I5", "K1", "A0", "A10", "5", "A-1", "A1.5", "AA1", "A\u0661", "Q16"):
        with pytest.raises(InputError, match=r"A1 to J9 without the letter I, or pass"):
            points.point_number(name, 9)
    for size in (-1, 0, 1, 20, 10**9):
        with pytest.raises(InputError, match="2 to 19, and boards are square"):
            points.check_size(size)
    assert [points.parse_colour(text) for text in ("b", "W", " Black ", "white")] == [1, 2, 1, 2]
    with pytest.raises(InputError, match="write b or w"):
        points.parse_colour("red")


def test_points_from_outside() -> None:
    for table in (points.neighbours, points.symmetry_points, points.stone_keys):
        assert not table(5).flags.writeable
    assert points.point_array([]).dtype == np.int32
    most = [3, 2**15, 2**15 - 1, -(2**15), -(2**15) - 1]  # what int16 does not hold is no point
    assert points.point_array(most).tolist() == [3, -(2**15), 2**15 - 1, -(2**15), -(2**15)]
    for wrong in ([1.5], [[1, 2]], ["A1"], 3):
        with pytest.raises(InputError, match="whole numbers in one dimension"):
            points.point_array(wrong)
    # Keys may be stored.
    board = np.zeros(361, np.int8)
    assert points.position_keys(board).tolist() == [0] * 8
    board[72] = 1
    assert points.position_keys(board).tolist() == points.stone_keys(19)[:, 1, 72].tolist()
    assert int(points.position_keys(board)[0]) == 5440105325875551529  # of a black stone at Q16
    with pytest.raises(ValueError, match="do not make a square board"):
        points.position_keys(np.zeros(10))


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
        "chinese": ("Chinese rule", "中国规则", f'{" ":2000}chinese rules'), "ing": ("GOE",),
        "japanese": ("JP", "日本ルール", "korean"), "new-zealand": ("NZ", "New_Zealand"),
        "tromp-taylor": ("{}",),
    }.items():  # fmt: skip
        for text in texts:
            assert parse_rules(text) == NAMED_RULES[name], text
    # What is left out is as with Tromp and Taylor; the komi may be in the text.
    assert parse_rules("scoreTERRITORY").tax == "seki"
    assert parse_rules("taxNONE scoring TERRITORY").tax == "none"
    territory = Rules(scoring="territory", tax="seki", button=True)
    for text, rules, komi in (
        ("koSIMPLE", Rules(ko="simple"), None),
        ('{"scoring": "TERRITORY", "hasButton": true}', territory, None),
        ("koSIMPLEkomi-5.5sui0", Rules(ko="simple", suicide=False), -5.5),
        ('{"ko": "SIMPLE", "komi": 0}', Rules(ko="simple"), 0),
        ("komi150", TROMP_TAYLOR, 150), ('{"komi": 150}', TROMP_TAYLOR, 150),
    ):  # fmt: skip
        assert parse_rules_and_komi(text) == (rules, komi)
    usual = [NAMED_RULES[name].default_komi for name in ("chinese", "japanese", "aga-button")]
    assert usual == [7.5, 6.5, 7.0]
    assert Rules(suicide=False, button=True).name == "koPOSITIONALscoreAREAtaxNONEsui0button1"


def test_what_names_no_rules() -> None:
    for text in (
        *("", "no rules of mine", "koFOO", "koSPIGHT", "suiNONE", "koSIMPLEx", "x" * 100_000),
        *("komi1e9", "komi999", "komi151", "{", "[1]", '{"ko": 1}', '{"suicide": "yes"}'),
        *('{"ko": "NEVER"}', '{"komi": NaN}', '{"komi": true}', '{"x": 1}', "[" * 900),
    ):
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
    assert asked.in_words == "tromp-taylor rules, komi 5.5 (small does not know chinese rules)"
    for komi, size, words in ((5.4, 19, "komi 5.4"), (7.6, 19, "komi 7.6"), (6.5, 13, "boards of")):
        with pytest.raises(InputError, match=f"does not know {words}"):
            known.asked(Conditions(TROMP_TAYLOR, komi), size)


JAPANESE = NAMED_RULES["japanese"]


def drawn(rows: str, rules: Rules) -> Board:
    signs = "".join(rows.split())
    black, white = (np.flatnonzero([s == c for s in signs]) for c in "XO")
    return Board(round(len(signs) ** 0.5), rules, setup_black=black, setup_white=white)


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
    one = territory.score(6.5, dead=[15])  # with a stone in it the right side is nobody's
    assert (one.black, one.white, str(one), one.winner) == (6, 6.5, "W+0.5", WHITE)
    assert str(territory) == str(drawn(split, JAPANESE)), "nothing is taken off by counting"
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
    compared = 0
    for number, position in enumerate(katago_positions()):
        encoded, planes = encode(position, [len(position["moves"])]), planes_of(position)
        mine = encoded.spatial.reshape(planes.shape)
        assert np.flatnonzero((planes != mine).any(axis=1)).tolist() == [], number
        assert encoded.globals[0].tolist() == position["globals"], number
        assert encoded.legal[0].tolist() == [*position["legal"], 1], number
        assert encoded.illegal_at == -1
        shown += planes.any(axis=1)
        for seen, value in zip(values, position["globals"], strict=True):
            seen.add(value)
        # The board counts the same, and sees the same ladders.
        rules = parse_rules(position["rules"])
        setup = {name: position[name] for name in ("setup_black", "setup_white")}
        board = Board(position["size"], rules, **setup)
        for move, colour in zip(position["moves"], position["colours"], strict=True):
            board.play(move, colour, tolerant=True)
        before = pickle.dumps(board)
        ladders = board.ladders()
        assert pickle.dumps(board) == before, "every move is taken back"
        assert ladders.caught.tolist() == planes[14].tolist()
        catching = ladders.catching[points.opponent(position["to_play"])]
        assert catching.tolist() == planes[17].tolist()
        if rules.white_handicap_bonus == "0" and not rules.button:
            assert board.score(position["komi"]).lead == position["white_lead"]
            compared += 1
    # Together they show everything that records can have.
    assert np.flatnonzero(shown == 0).tolist() == [7, 8, 20, 21]
    assert [k for k, seen in enumerate(values) if len(seen) == 1] == [12, 13, 15, 16]
    assert compared > 30


def test_all_positions_of_a_game_are_those_asked_for_one_by_one() -> None:
    position = max(katago_positions(), key=lambda p: len(p["moves"]))
    whole = encode(position)
    number = len(position["moves"])
    assert whole.to_play.tolist() == [*position["colours"], position["to_play"]]
    for rows in (*([row] for row in range(0, number + 1, 7)), [5, 0, 5, number]):
        some = encode(position, rows)
        assert some.positions.tolist() == rows
        for name in ("spatial", "globals", "legal", "to_play"):
            assert np.array_equal(getattr(some, name), getattr(whole, name)[rows])


def test_komi_has_limits() -> None:
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
