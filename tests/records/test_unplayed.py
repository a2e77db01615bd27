"""Records that are no games, and games with a handicap."""

from __future__ import annotations

import tracemalloc
import warnings
from pathlib import Path

import numpy as np
import pytest

import yardstone
from yardstone import SkippedWarning
from yardstone.evaluation.history import rating_history
from yardstone.ratings.rating_list import rate_list
from yardstone.records import unplayed
from yardstone.records.unplayed import not_played

GO = """black,white,result,date,round,handicap
Ann,Bob,B+R,2024-01-01,1,0
Bob,Ann,W+3.5,2024-01-02,2,4
Ann,Cid,W+R,2024-01-03,3,
Cid,Bob,B+2.5,2024-01-04,4,0
Bob,Ann,B+2.5,2024-01-05,5,0
"""
GAME = '[Site "{site}"]\n[Date "{date}"]\n[Round "{round}"]\n[White "{white}"]\n[Black "Bob"]\n'
GAME += '[Result "1-0"]\n[Termination "{end}"]\n\n{moves} 1-0\n\n'
CHESS = {"site": "?", "date": "????.??.??", "round": "?", "white": "Ann", "end": "normal"}


def _pgn(path: Path, *games: dict[str, str]) -> Path:
    path.write_text("".join(GAME.format(**{**CHESS, "moves": "1. e4", **game}) for game in games))
    return path


def test_games_with_a_handicap_are_left_out_unless_they_can_be_used(tmp_path: Path) -> None:
    path = tmp_path / "go.csv"
    path.write_text(GO)
    with pytest.warns(SkippedWarning, match="1 handicap game"):
        assert len(yardstone.read(path)) == 4
    pool = yardstone.read(path, levels=True)
    assert (len(pool), len(pool.skipped)) == (5, 0)
    assert rate_list(pool).skipped.reasons == {"handicap game": 1}
    history = rating_history(pool, system="elo", intervals=False)
    assert history.rated.number == 4
    assert any("1 game with a handicap was left out: elo cannot" in note for note in history.notes)
    for system, given in (("elo", {"handicap": "handicap"}), ("egf", {})):
        used = rating_history(path, system=system, parameters=given, intervals=False)
        assert used.rated.number == 5


def test_what_a_status_says() -> None:
    forfeit, postponed = "decided by forfeit", "not played (postponed)"
    for status, reason, of_a_remark in (
        ("+--", None, None), ("1-0F", forfeit, forfeit), ("no_show", forfeit, forfeit),
        ("White wins by default", forfeit, forfeit), ("time forfeit", None, None),
        ("abandoned", "not played (abandoned)", None), ("B+R", None, None),
        ("POSTPONED", postponed, postponed),
    ):  # fmt: skip
        assert (not_played(status), not_played(status, remark=True)) == (reason, of_a_remark)


def test_byes_and_games_not_played_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "swiss.csv"
    rows = "Ann,Bob,1-0,played\nAnn,BYE,1-0,\nspielfrei,Bob,+,\n-,Ann,,\nBob,Ann,0-1,Postponed\n"
    path.write_text(f'white,black,result,status\n{rows}Bob,"Bye, Eva",0-1,time forfeit\n')
    with pytest.warns(SkippedWarning, match="4 records"):
        pool = yardstone.read(path)
    assert (pool.players, len(pool)) == (("Ann", "Bob", "Bye, Eva"), 2)
    assert pool.skipped.reasons["bye: an opponent called BYE"] == 1
    assert pool.skipped.reasons["not played (postponed)"] == 1
    ends = [{"end": end} for end in ("abandoned", "adjudication", "time forfeit", "unterminated")]
    # Programs say "abandoned" of a game that an engine lost by leaving it.
    with pytest.warns(SkippedWarning, match="2 records"):
        chess = yardstone.read(_pgn(tmp_path / "a.pgn", *ends, {"white": "BYE"}))
    assert (chess.players, len(chess)) == (("Ann", "Bob"), 3)


def test_the_same_game_counts_once_where_the_record_names_it(tmp_path: Path) -> None:
    named = [{"date": "2024.01.01", "round": str(k), "moves": f"1. e4 e{k}"} for k in range(1, 9)]
    path = _pgn(tmp_path / "a.pgn", *named)
    other = _pgn(tmp_path / "b.pgn", *named[4:], {"date": "2024.01.02", "round": "1"})
    with pytest.warns(SkippedWarning, match="4 repeats another record"):
        assert len(yardstone.read(path, other)) == 9
    linked = [{"site": f"https://lichess.org/abcdefg{k}"} for k in (1, 2, 1)]
    with pytest.warns(SkippedWarning, match="1 repeats"):
        assert len(yardstone.read(_pgn(path, *linked))) == 2
    records = tmp_path / "linked.sgf"
    record = "(;GM[1]PB[Ann]PW[Bob]RE[B+R]PC[https://online-go.com/game/{}])"
    records.write_text("".join(record.format(number) for number in (101, 102, 101)))
    with pytest.warns(SkippedWarning, match="1 repeats"):
        assert len(yardstone.read(records)) == 2
    table = tmp_path / "games.csv"
    for number, games in (("{}", 12), ("0", 24)):  # an id that all games have tells nothing
        rows = "".join(f"{number.format(k)},A,B,{k % 2}\n" for k in range(12))
        table.write_text("id,white,black,result\n" + rows)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            assert len(yardstone.read(table, table)) == games
        assert any("12 repeats another" in str(each.message) for each in said) == (games == 12)


def test_games_of_engines_that_are_alike_all_count(tmp_path: Path) -> None:
    same = {"date": "2024.01.01", "round": "1"}  # of all games, so it names none
    for tags in ({}, same):
        pool = yardstone.read(_pgn(tmp_path / "a.pgn", tags, tags, {**tags, "moves": "1. d4"}))
        assert len(pool) == 3
        assert "1 record repeats another exactly; all count" in pool.skipped.remarks[0]
    table = tmp_path / "bare.csv"
    rows = [f"{a},{b},1\n" for a in "ABCD" for b in "ABCD" if a != b]
    table.write_text("white,black,result\n" + "".join(rows))
    assert not yardstone.read(table).skipped.remarks
    assert "come 2 times" in yardstone.read(table, table).skipped.remarks[0]


def test_no_game_is_drawn_at_a_komi_of_half_a_point(tmp_path: Path) -> None:
    path = tmp_path / "games.sgf"
    ends = [("B+R", "6.5"), ("0", "6.5"), ("Draw", "7"), ("Jigo", "0.5")]
    path.write_text("".join(f"(;GM[1]PB[Ann]PW[Bob]KM[{komi}]RE[{end}])" for end, komi in ends))
    with pytest.warns(SkippedWarning, match="2 a draw at a komi of half a point"):
        assert yardstone.read(path).score.tolist() == [1.0, 0.5]


def test_looking_for_repeats_takes_little_more_than_the_records() -> None:
    content = np.random.default_rng(1).integers(0, 1 << 63, 1_000_000, dtype=np.uint64)
    content[-3:] = content[:3]
    tracemalloc.start()
    try:
        found = unplayed._repeats(content)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert np.flatnonzero(found).tolist() == [999_997, 999_998, 999_999]
    assert peak < 4 * content.nbytes
