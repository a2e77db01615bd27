"""Which games an experiment takes, and how their results and clocks are understood."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.go.games import random_game
from yardstone.errors import NoGamesError, UsageError
from yardstone.pool import Pool
from yardstone.records.go_game import BLACK, DRAWN, UNKNOWN, WHITE
from yardstone_lab.neubauer.experiment.games import (
    MOVES_A_PLAYER,
    RULES,
    Candidate,
    Decision,
    FilterReport,
    Filters,
    ListedGames,
    RecordedGames,
    collect_pool,
    decision_of,
    filtered,
    load_pool,
    save_pool,
    seconds_a_move,
)

GOOD = Candidate("1", random_game(3, moves=60), Decision.resigned, 30.0, True)
NINE = Filters(size=9)


def altered(key: str = "2", **changes: Any) -> Candidate:
    facts = {
        name: changes.pop(name) for name in ("decision", "seconds", "ranked") if name in changes
    }
    return replace(GOOD, key=key, game=replace(GOOD.game, **changes), **facts)


def passing_at(move: int) -> np.ndarray:
    moves = GOOD.game.moves.copy()
    moves[move - 1] = -1
    return moves


#: One game for each rule, which breaks that rule alone.
BROKEN = {
    "incomplete": altered(winner=UNKNOWN),
    "same player": altered(white=GOOD.game.black),
    "board": replace(altered(), game=replace(random_game(5, size=13, moves=60))),
    "handicap": altered(handicap=2),
    "unranked": altered(ranked=False),
    "decision": altered(decision=Decision.forfeited),
    "draw": altered(winner=DRAWN, decision=Decision.counted),
    "clock": altered(seconds=5.0),
    "short": altered(moves=GOOD.game.moves[:19], colours=GOOD.game.colours[:19]),
    "early pass": altered(moves=passing_at(49)),
    "illegal": altered(moves=np.repeat(GOOD.game.moves[:1], 60)),
    "repeated": replace(GOOD, key="3"),
}


@pytest.mark.parametrize("rule", list(RULES))
def test_each_rule_leaves_out_its_game_and_says_so(rule: str) -> None:
    report = FilterReport()
    kept = list(filtered([GOOD, BROKEN[rule]], NINE, report))
    assert ([each.key for each in kept], report.games, report.kept) == (["1"], 2, 1)
    assert report.first == report.broken == {rule: 1}


def test_a_game_that_breaks_several_rules_is_lost_to_the_first() -> None:
    report = FilterReport()
    bad = altered(handicap=3, seconds=1.0, ranked=False)
    assert not list(filtered([bad], NINE, report))
    assert report.first == {"handicap": 1}
    assert report.broken == {"handicap": 1, "unranked": 1, "clock": 1}
    counts = report.as_dict()
    assert sum(rule["lost"] for rule in counts["rules"]) == 1
    assert [rule["rule"] for rule in counts["rules"]] == list(RULES)


def test_rules_can_be_eased() -> None:
    easy = Filters(
        size=None, even=False, dated=False, seconds=0.0, least_moves=0, ranked=False,
        decisions=tuple(each.value for each in Decision), draws=True, first_pass=0,
    )  # fmt: skip
    report = FilterReport()
    games = [replace(game, key=rule) for rule, game in BROKEN.items()]
    kept = [each.key for each in filtered(games, easy, report)]
    assert not {"incomplete", "same player", "illegal"} & set(kept)
    assert report.first.keys() == {"incomplete", "same player", "illegal", "repeated"}
    assert len(kept) == len(BROKEN) - sum(report.first.values())


def test_unknown_clocks_and_early_passes() -> None:
    silent = altered(seconds=None)
    assert NINE.failing(silent) == []
    assert replace(NINE, unknown_clock=False).failing(silent) == ["clock"]
    assert NINE.failing(altered(moves=passing_at(50))) == []


def test_how_games_were_decided() -> None:
    for decision, results in {
        "counted": ("B+3.5", "w+12", "B+0,5", "0", "Jigo"),
        "unstated": ("B+",),
        "resigned": ("W+R", "Black + Resign"),
        "timed out": ("W+Time", "B+T"),
        "forfeited": ("B+Offline", "W+F"),
        "cancelled": ("Void",),
        "unknown": ("?", "", "B+nan", "B+foo"),
    }.items():
        assert {decision_of(each).value for each in results} == {decision}, results


@pytest.mark.parametrize(
    ("main", "overtime", "clock", "seconds"),
    [
        ("", "", "30/3 5m", 30.0 + 300.0 / MOVES_A_PLAYER),
        ("", "", "10/3 0m", 10.0), ("1270", "", "", 10.0), ("10m", "", "", 600 / MOVES_A_PLAYER),
        ("0", "5x30 byo-yomi", "", 30.0), ("0", "3 x 1m Japanese", "", 60.0),
        ("127", "25/600 Canadian", "", 1.0 + 24.0), ("", "15 stones in 300 s", "", 20.0),
        ("60", "10 fischer", "", 60.0 / MOVES_A_PLAYER + 10.0), ("", "+8s", "", 8.0),
        ("600", "none", "", 600.0 / MOVES_A_PLAYER), ("", "", "", None), ("", "", "soon", None),
        ("ages", "", "", None), ("600", "as agreed", "", None),
    ],
)  # fmt: skip
def test_seconds_for_a_move(main: str, overtime: str, clock: str, seconds: float | None) -> None:
    assert seconds_a_move(main, overtime, clock) == pytest.approx(seconds)


def test_a_pool_from_sgf_files(tmp_path: Path) -> None:
    rows = (
        ("Ann", "B+R", 2, "ranked game"), ("Cem", "W+2.5", 1, ""), ("Eve", "B+R", 3, "unranked"),
        ("Dan", "B+R", 3, "Free game"),
    )  # fmt: skip
    games = [
        f"(;SZ[9]PB[{black}]PW[Bob]RE[{result}]DT[2021-05-0{day}]TM[600]OT[3x30 byo-yomi]"
        f"EV[{event}];B[aa];W[bb];B[cc];W[dd])"
        for black, result, day, event in rows
    ]
    (tmp_path / "a.sgf").write_text("\n".join([*games, "(;SZ[99]PB[Bad]PW[Bob]RE[B+R];B[aa])"]))
    source = RecordedGames([str(tmp_path)])
    pool, report = collect_pool(source, Filters(size=9, least_moves=2, first_pass=0))
    assert [pool.players[k] for k in pool.first] == ["Cem", "Ann"]
    assert pool.score.tolist() == [0.0, 1.0]
    assert pool.columns["key"].tolist() == [f"{tmp_path}/a.sgf#2", f"{tmp_path}/a.sgf"]
    assert pool.columns["decision"].tolist() == ["counted", "resigned"]
    assert pool.columns["moves"].tolist() == [4, 4]
    assert (report.first, report.unread) == ({"unranked": 2}, 1)
    save_pool(pool, tmp_path / "pool.npz")
    back = load_pool(tmp_path / "pool.npz")
    assert back.players == pool.players
    for name in ("first", "second", "score", "time"):
        assert np.array_equal(getattr(back, name), getattr(pool, name))
    assert all(np.array_equal(back.columns[n], pool.columns[n]) for n in pool.columns)
    with pytest.raises(NoGamesError, match="4 fell to the rule 'board'"):
        collect_pool(source, Filters(size=19))


def test_lists_of_moves_with_a_table(tmp_path: Path) -> None:
    (tmp_path / "moves").write_text("7\t;B[pd];W[dd]\n8\t;B[qd];W[aa]\n9\t;B[qq]\n")
    columns: dict[str, Any] = {"id": ["7", "8"], "result": ["B+R", "W+Time"]}
    columns |= {"clock": ["30/3 5m", "?"], "ranked": [1, 0]}
    pool = Pool.from_names(["Ann", "Bob"], ["Bob", "Ann"], [1, 0], columns=columns)
    source = ListedGames([str(tmp_path / "moves")], pool, "id", "result", "clock", "ranked")
    result = [(c.key, c.decision.value, c.ranked, c.seconds, c.game.winner) for c in source]
    assert result == [
        ("7", "resigned", True, pytest.approx(30.0 + 300.0 / MOVES_A_PLAYER), BLACK),
        ("8", "timed out", False, None, WHITE),
    ]
    assert len(source.skipped) == 1
    with pytest.raises(UsageError, match="no column 'klock'"):
        ListedGames([], pool, "id", clock="klock")
