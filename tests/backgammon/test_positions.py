"""IDs of positions: GNU Backgammon's and XGID, against each other and against the program."""

from __future__ import annotations

import base64
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.backgammon.gnubg_here import real_gnubg
from tests.backgammon.kept import program_and_ledger
from yardstone.backgammon import file_analysis
from yardstone.backgammon.gnubg import Completed, run_script
from yardstone.backgammon.matches import class_errors, play_class
from yardstone.backgammon.positions import CHEQUERS, Position, move_steps, read_position, rearmost
from yardstone.errors import InputError, UsageError, WorkerError
from yardstone.examples import example

START = "4HPwATDgc/ABMA"
XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:52:4:3:0:9:10"
#: Positions put to the program in one process.
MANY = 200


@given(st.integers(0, 2**32))
def test_ids_lead_back_to_the_position(seed: int) -> None:
    position = random_position(np.random.default_rng(seed))
    assert read_position(position.gnu_id) == read_position(position.xgid) == position


def test_what_an_id_says() -> None:
    position = read_position(f"{START}:cIkqATAAIAAA")
    assert (position.dice, position.pips) == ((5, 2), (167, 167))
    assert (position.length, position.score, position.on_roll) == (9, (3, 4), 1)
    assert position.xgid == XGID
    held = Position(cube=2, owner=0, length=9, score=(2, 4), dice=(5, 2))
    assert held.match_id == "QYkqASAAIAAA"  # the example of GNU Backgammon's manual
    doubled = Position(doubled=True, length=5)
    assert (doubled.to_decide, read_position(doubled.xgid)) == (0, doubled)
    for text in (  # as programs write them
        XGID.removeprefix("XGID="),
        f"  xgid = {XGID.removeprefix('XGID=')}",
        f"GNUBGID {START}:cIkqATAAIAAA",
        f"GNU Backgammon  Position ID: {START}\n                 Match ID   : cIkqATAAIAAA",
    ):
        assert read_position(text) == position


def test_ids_that_are_none() -> None:
    changes: tuple[tuple[str, str, str], ...] = (
        ("dice are '72'", "52", "72"), ("beavers", "52", "B"), ("9 parts", ":9:10", ":9"),
        ("chequers are A to O", "-b--", "-Z--"), ("chequers are A to O", "-b--", "-P--"),
        ("more than 15", "-b--", "bb--"), ("25 letters", "E-C", "E-"),
        ("is over at 3 to 9", ":4:3:0:9", ":9:3:0:9"), ("cube is 16", ":0:0:1:", ":16:1:1:"),
        ("Crawford", ":4:3:0:9", ":4:3:1:9"), ("rules are 2", ":4:3:0:9", ":4:3:2:9"),
        ("has an owner", ":0:0:1:", ":0:1:1:"), ("owner is 2", ":0:0:1:", ":1:2:1:"),
        ("largest cube is 16", ":9:10", ":9:16"), ("turn is 0", ":0:0:1:", ":0:0:0:"),
        ("first letter is the bar of the top", "-b--", "Ab--"),
        ("last letter is the bar of the bottom", "B-:", "Bb:"),
        ("not a number", ":9:10", ":1234567:10"), ("not a number", ":0:0:1:", ":x:0:1:"),
    )  # fmt: skip
    for text, reason in (
        ("hello", "not an ID of a position"), ("4HPwATDgc/ABM", "not an ID of a position"),
        ("4HPwATDgc/ABMB", "not a position ID"),
        ("/////////////w", "not a position ID|more than|chequers"), ("AAAAAAAAAAAAAA", "borne off"),
        (f"{START}:cIkqATAAIA", "10 letters in place of 12"),
        (f"{START}:cIkqATAAIAA/", "bits are set"), (f"{START}:cAggATAAIAAA", "no game is on"),
        (f"{START}:cCkgATAAIAAA", "wrong player|resignation"),
        *((XGID.replace(old, new), reason) for reason, old, new in changes),
    ):  # fmt: skip
        with pytest.raises(InputError, match=reason):
            read_position(text)
    assert move_steps("24/18*/16 6/5(2)") == [(24, 18), (18, 16), (6, 5), (6, 5)]
    assert move_steps("bar/off") == [(25, 0)]
    for bad in ("no double", "5/6", "5/5", "13", "26/20", "8/5(5)", "8/5(0)"):
        with pytest.raises(InputError):
            move_steps(bad)


def match_id(**fields: int) -> str:
    """A match ID by the manual of GNU Backgammon: numbers and their bits, the lowest first."""
    names = (
        "cube owner on_roll crawford state to_decide doubled resigned die_1 die_2 length score_0"
    )
    widths = (4, 2, 1, 1, 3, 1, 1, 2, 3, 3, 15, 15, 15, 1)
    value = shift = 0
    for name, width in zip([*names.split(), "score_1", "no_jacoby"], widths, strict=True):
        value |= fields.get(name, 0) << shift
        shift += width
    return base64.b64encode(value.to_bytes(9, "little")).decode()


def test_match_ids() -> None:
    usual = {"owner": 3, "on_roll": 1, "state": 1, "to_decide": 1}
    facts = {"length": 7, "score_0": 6, "score_1": 2, "crawford": 1, "die_1": 3, "die_2": 1}
    held = {"owner": 0, "cube": 15, "on_roll": 0, "doubled": 1, "no_jacoby": 1}
    for fields, position in (
        (facts, Position(length=7, score=(6, 2), crawford=True, dice=(3, 1))),
        ({}, Position(jacoby=True)),
        ({"no_jacoby": 1}, Position()),
        (held, Position(cube=1 << 15, owner=0, on_roll=0, doubled=True)),
    ):
        text = match_id(**{**usual, **fields})
        assert read_position(f"{START}:{text}") == position
        assert position.match_id == text
    for change, message in (
        ({"state": 0}, "no game is on"), ({"state": 2}, "the game is over"),
        ({"state": 3}, "a side has resigned"), ({"state": 4}, "ended with a pass"),
        ({"resigned": 1}, "a resignation is offered"), ({"owner": 2}, "an owner that there is not"),
        ({"to_decide": 0}, "the wrong player"), ({"doubled": 1}, "the wrong player"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=message):
            read_position(f"{START}:{match_id(**{**usual, **change})}")


def test_positions_that_cannot_be() -> None:
    side = Position().own
    last = {"length": 3, "score": (2, 0), "crawford": True}
    wrong: list[dict[str, Any]] = [
        *({"own": own} for own in (side[:-1], (-1, *side[1:]), (*side[:-1], 1), (0,) * 25)),
        {"other": (*[0] * 11, 2, *side[12:])},
        *({"cube": 3}, {"cube": 1 << 16}, {"owner": 1, "cube": 1}, {"owner": 2}, {"on_roll": 2}),
        *({"dice": (7, 1)}, {"dice": (1,)}, {"dice": (0, 1)}, {"doubled": True, "dice": (1, 2)}),
        *({"doubled": True, "owner": 0, "cube": 2}, {"length": 1 << 15}),
        *({"length": 3, "jacoby": True}, {"length": 3, "beavers": True}),
        *({"length": 3, "score": (3, 0)}, {"length": 3, "score": (-1, 0)}),
        *({"length": 3, "crawford": True}, {**last, "cube": 2, "owner": 0}),
        {**last, "doubled": True},
    ]
    for change in wrong:
        with pytest.raises(UsageError):
            Position(**change)
    most: dict[str, Any] = {"cube": 1 << 15, "owner": 0, "length": (1 << 15) - 1}
    assert read_position(Position(**most).gnu_id) == Position(**most)


def test_gnu_backgammon_understands_the_same() -> None:
    """Its own position and match IDs, and what it makes of the XGID, of many positions."""
    program = real_gnubg()
    generator = np.random.default_rng(20)
    made = [random_position(generator) for _ in range(MANY)]
    plain = [replace(position, doubled=False) for position in made]  # it drops an offered cube
    jobs = [[p.own, p.other, p.gnu_id, p.xgid] for p in plain]
    script = """
import gnubg, json
for line in ("set display off", "set confirm new off", "set player 0 human",
             "set player 1 human", "set automatic game off", "set automatic roll off"):
    gnubg.command(line)
answers = []
for own, other, gnu, xgid in json.load(open("data.json")):
    name = gnubg.positionid((tuple(other), tuple(own)))
    back = gnubg.positionfromid(name)
    gnubg.command("set gnubgid " + gnu)
    first = [gnubg.positionid(), gnubg.matchid()]
    gnubg.command("set xgid " + xgid)
    answers.append([name, back, first, [gnubg.positionid(), gnubg.matchid()]])
json.dump(answers, open("result.json", "w"))
"""
    done = run_script(script, data=jobs, program=program)
    assert done.result is not None, done.errors
    for position, (name, back, first, by_xgid) in zip(plain, done.result, strict=True):
        assert name == position.position_id
        assert [tuple(side) for side in back] == [position.other, position.own]
        if not position.dice or position.dice[0] >= position.dice[1]:  # it sorts the dice
            assert (first[0], first[1][:11]) == (position.position_id, position.match_id[:11])
        known, wanted = Position.from_gnu_id(*by_xgid), position
        if position.on_roll == 0:  # after an XGID the player on roll is always player 1 to it
            owner = None if position.owner is None else 1 - position.owner
            wanted = replace(position, on_roll=1, owner=owner, score=position.score[::-1])
        assert replace(known, dice=()) == replace(wanted, dice=())
        assert sorted(known.dice) == sorted(wanted.dice)


def side(*points: int) -> tuple[int, ...]:
    """Chequers on these points; 25 is the bar."""
    return tuple(points.count(point) for point in range(1, 26))


def test_classes_of_play() -> None:
    prime = [4, 4, 5, 5, 6, 6, 7, 7, 8, 8]
    for name, positions in {
        "bear-off": [([6, 1], [18])],
        "race": [([7, 1], [5]), ([10], [14])],
        "contact bear-in": [([10], [16]), ([12], [25]), ([7], [25])],
        "contact bear-off": [([6], [25])],
        # Two anchors of whoever is behind.
        "back game": [([20, 20, 24, 24], [13]), ([13], [20, 20, 24, 24])],
        # Five points in a row, with a chequer behind.
        "priming game": [([*prime, 13], [22]), ([22], [*prime, 13])],
        # One point on the other's side, whose chequers have all left, of whoever is behind.
        "holding game": [([20, 20], [18]), ([18, 18], [18]), ([18], [21, 21]),
                         ([18, 18], [17, 10, 8])],
        "middle game": [
            ([13], [25]), ([20, 20, 24, 24], [23, 23, 23, 22]), ([19, 19, 24, 24], [13]),
            ([20, 24, 24], [13]), ([13], [22, *prime]), ([*prime[2:], 13], [22]),
            ([*prime[:-1], 13], [22]), ([*prime, 13], [16]), ([19, 19], [18]), ([20, 20], [19]),
            ([20], [18]), ([18, 18], [17, 10, 9]),
        ],
    }.items():  # fmt: skip
        for own, other in positions:
            assert play_class(side(*own), side(*other)) == name, (own, other)
    start = Position()
    facts: dict[str, int]
    for facts, name in (
        ({"turn": 3}, "opening"), ({"turn": 4}, "middle game"), ({}, "middle game"),
        ({"gnubg_class": 9}, "crashed"), ({"gnubg_class": 10}, "middle game"),
    ):  # fmt: skip
        assert play_class(start.own, start.other, **facts) == name


def test_the_classes_of_a_match_add_up(tmp_path: Path) -> None:
    program, ledger = program_and_ledger(tmp_path)
    match = file_analysis.MatchFile("example.mat", example("backgammon.mat"))
    kept = file_analysis.AnalysisFile(ledger)
    (outcome,) = file_analysis.analyse_files([match], ledger=kept, program=program)
    assert outcome.content is not None
    rows = outcome.content["decisions"]
    stats = outcome.content["analysis"]["stats"]
    by_player = class_errors(rows)
    for player, who in enumerate("XO"):
        moves, cube = stats[who]["moves"], stats[who]["cube"]
        own = by_player[player]
        cubes = sum(own[name].decisions for name in own if name in _CUBE)
        assert cubes == cube["close-cube"]
        assert sum(each.decisions for each in own.values()) - cubes == moves["unforced-moves"]
        chequers = [each for name, each in own.items() if name not in _CUBE]
        assert sum(each.loss for each in chequers) == pytest.approx(moves["error-skill"], abs=1e-4)
        marks = moves["marked"]
        assert sum(each.doubtful for each in chequers) == marks["doubtful"]
        assert sum(each.errors for each in chequers) == marks["bad"]
        assert sum(each.blunders for each in chequers) == marks["very bad"]
        assert min(row[3] for row in rows if row[:2] == [player, "move"]) == 1
    for row in rows:
        if row[1] == "move":
            position = Position.from_gnu_id(row[5])
            contact = file_analysis.GNUBG_CLASSES[row[4]] in ("contact", "crashed")
            assert (rearmost(position.own) + rearmost(position.other) > 25) == contact


_CUBE = ("no double", "double", "take", "pass")


def test_what_an_evaluation_takes_from_the_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cube = {"no_double": 0.2, "take": 0.1, "verdict": "No double", "chances": [0.5] * 5}
    answer: dict[str, Any] = {"position": START, "class": 10, **cube}
    asked: dict[str, Any] = {}

    def run(_: str, **arguments: Any) -> Completed:
        asked.update(arguments)
        return Completed(0, "GNU Backgammon 1.07", "", answer or None)

    for module in ("file_analysis", "gnubg"):
        monkeypatch.setattr(f"yardstone.backgammon.{module}.run_script", run)
    program = tmp_path / "gnubg"
    program.touch(0o755)
    cases: list[tuple[dict[str, Any], float | None]] = [
        ({}, 0.1), ({"owner": 1, "cube": 2}, 0.1), ({"owner": 0, "cube": 2}, None),
        ({"length": 2, "score": (0, 1), "crawford": True}, None),
    ]  # fmt: skip
    for facts, take in cases:
        result = file_analysis.evaluate_position(Position(**facts), program=program)
        assert (result.no_double, result.take, result.position_class) == (0.2, take, "contact")
        assert result.verdict == ("" if take is None else "No double")
    assert [asked["data"][name] for name in ("plies", "cube_plies", "moves")] == [2, 2, 5]
    for depth, seconds in enumerate((60.0, 60.0, 120.0, 600.0, 3600.0)):
        file_analysis.evaluate_position(Position(), plies=0, cube_plies=depth, program=program)
        assert asked["timeout"] == seconds
    wrong: dict[str, Any]
    for wrong in ({"plies": 5}, {"plies": -1}, {"cube_plies": 5}, {"moves": 0}):
        with pytest.raises(UsageError):
            file_analysis.evaluate_position(Position(), program=program, **wrong)
    answer["class"] = 7
    assert file_analysis.evaluate_position(Position(), program=program).position_class == "bear-off"
    for changes, message in (
        ({"position": "x"}, f"understood x in place of {START}"),
        (None, "gave no result"),
    ):
        answer.update(changes) if changes else answer.clear()
        with pytest.raises(WorkerError, match=message):
            file_analysis.evaluate_position(Position(), program=program)


def test_an_evaluation() -> None:
    program = real_gnubg()
    position = read_position("27aAEQiyPYMxAA:MAGgARAAEAAA")
    cube = file_analysis.evaluate_position(position, plies=0, program=program)
    assert cube.verdict == "No double, take"
    # As in the analysis of the match from which the position is.
    assert (cube.no_double, cube.take) == pytest.approx((0.372268, 0.268286), abs=0.005)
    danced = read_position("XGID=-----------------bbbbbb--A:0:0:1:65:0:0:0:0:10")
    assert file_analysis.evaluate_position(danced, plies=0, program=program).moves == ()


#: The longest match that GNU Backgammon takes.
LONGEST = 64


def random_side(generator: np.random.Generator, free: np.ndarray) -> tuple[int, ...]:
    """Chequers of one side on points that are free, some borne off."""
    number = CHEQUERS if generator.random() < 0.6 else int(generator.integers(1, CHEQUERS + 1))
    most = int(generator.integers(2, 12))
    places = generator.choice(free, size=min(most, len(free)), replace=False)
    side = np.bincount(generator.choice(places, size=number), minlength=25)
    return tuple(side.tolist())


def random_position(generator: np.random.Generator) -> Position:
    """Any position that can be played on, in a match or for money."""
    own = random_side(generator, np.arange(25))
    taken = {23 - place for place, count in enumerate(own[:24]) if count}
    other = random_side(generator, np.array([k for k in range(25) if k not in taken]))
    length = int(generator.choice([0, 1, 3, 7, 25, LONGEST]))
    score = (0, 0)
    if length:
        one, two = generator.integers(0, length, 2).tolist()
        score = (one, two)
    crawford = bool(length > 1 and length - 1 in score and generator.random() < 0.5)
    on_roll = int(generator.integers(2))
    owner = [None, 0, 1][int(generator.integers(3))]
    cube = 1 if owner is None or crawford else 1 << int(generator.integers(1, 7))
    owner = None if crawford else owner
    doubled = bool(not crawford and owner != 1 - on_roll and generator.random() < 0.15)
    rolled = not doubled and generator.random() < 0.6
    one, two = generator.integers(1, 7, 2).tolist()
    return Position(
        own=own, other=other, on_roll=on_roll, cube=cube, owner=owner, doubled=doubled,
        dice=(one, two) if rolled else (), length=length, score=score, crawford=crawford,
        jacoby=bool(not length and generator.random() < 0.5),
    )  # fmt: skip
