from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from yardstone.records.decoding import (
    clean,
    csv_lines,
    decode,
    escape_cell,
    find_charset,
    finite_number,
    known_charset,
    plain_cell,
    whole_number,
)
from yardstone.records.go_game import parse_go_date, parse_komi, split_rank, standard_stones
from yardstone.records.sgf import read_games

KOMI = {
    "6.5": 6.5, "6,5": 6.5, "7.500000": 7.5, "-5.5": -5.5, "0": 0.0, "5.5目": 5.5, "650": 6.5,
    "750": 7.5, "550": 5.5, "375": 7.5, "325": 6.5, "275": 5.5, "3.75": 7.5, "2.75子": 5.5,
    "3.75子": 7.5, "3又3/4子": 7.5, "六目半": 6.5, "7½": 7.5, "65": 6.5, "": None, "abc": None,
    "6.3": None, "1" * 300: None, "361": 361.0,
}  # fmt: skip
DATES = {
    "1996-05-06,07,08": "1996-05-06", "1996-5-6": "1996-05-06", "1996/05/06": "1996-05-06",
    "19960506": "1996-05-06", "1996年5月6日": "1996-05-06", "6 May 1996": "1996-05-06",
    "May 6th, 1996": "1996-05-06", "1710-12-01 (Hoei 7.xi.1)": "1710-12-01",
    "1846-09-11~1846-09-15": "1846-09-11", "Published 2005-11-02": "2005-11-02",
    "2005-11-02T10:48:00Z": "2005-11-02T10:48", "1996": "NaT", "1996-05": "NaT",
    "0000-00-00": "NaT", "2001-02-30": "NaT", "today": "NaT", "6-May-1996": "1996-05-06",
}  # fmt: skip
RANKS = {
    ("Lee Sedol 9p", ""): ("Lee Sedol", "9p"), ("古力九段", ""): ("古力", "九段"),
    ("이세돌 9단", "9단"): ("이세돌", "9단"), ("Ann [3d]", "3 dan"): ("Ann", "3 dan"),
    ("Ann, 3 dan", ""): ("Ann", "3 dan"), ("Ann3d", ""): ("Ann3d", ""),
    ("我是九段", "九段"): ("我是九段", "九段"), ("Ann 3d", "4d"): ("Ann 3d", "4d"),
    ("3d", ""): ("3d", ""), ("Ann", "3d"): ("Ann", "3d"),
}  # fmt: skip


def test_komi_dates_and_ranks_in_names() -> None:
    assert {text: parse_komi(text)[0] for text in KOMI} == KOMI
    for text, day in DATES.items():
        np.testing.assert_equal(parse_go_date(text), np.datetime64(day, "s"), text)
    assert {each: split_rank(*each) for each in RANKS} == RANKS


def test_standard_handicap_points() -> None:
    fixed = {  # as GTP's fixed_handicap has them
        (19, 2): "D4 Q16", (19, 3): "D16 D4 Q16", (19, 4): "D16 D4 Q16 Q4",
        (19, 5): "D16 D4 K10 Q16 Q4", (19, 6): "D10 D16 D4 Q10 Q16 Q4",
        (19, 7): "D10 D16 D4 K10 Q10 Q16 Q4", (19, 8): "D10 D16 D4 K16 K4 Q10 Q16 Q4",
        (19, 9): "D10 D16 D4 K10 K16 K4 Q10 Q16 Q4",
        (13, 9): "D10 D4 D7 G10 G4 G7 K10 K4 K7", (9, 2): "C3 G7",
    }  # fmt: skip
    for (size, stones), names in fixed.items():
        points = standard_stones(size, stones)
        assert points is not None
        read = ["ABCDEFGHJKLMNOPQRST"[p % size] + str(size - p // size) for p in points.tolist()]
        assert " ".join(sorted(read)) == names
    assert [standard_stones(*each) for each in ((19, 10), (8, 5), (5, 2))] == [None] * 3


PEOPLE = {
    "gb18030": [("古力", "常昊"), ("柯洁", "聂卫平"), ("时越", "芈昱廷")],
    "big5": [("周俊勳", "王立誠"), ("許功蓋", "陳永安")],
    "cp932": [("武宮正樹", "小林光一"), ("依田紀基", "山下敬吾"), ("能登のひと", "ソビト")],
    "euc_jp": [("武宮正樹", "小林光一"), ("羽根直樹", "結城聡")],
    "cp949": [("이세돌", "박정환"), ("최정", "김지석")],
    "cp1252": [("Müller", "Björn Öst"), ("Gérard", "Ana Peña")],
    "utf-8": [("Müller", "이세돌"), ("古力", "武宮正樹")],
}  # fmt: skip


@pytest.mark.parametrize("encoding", PEOPLE)
def test_names_survive(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "game.sgf"
    for black, white in PEOPLE[encoding]:
        for claim in ("", "CA[ISO-8859-1]", "CA[UTF-8]", f"CA[{encoding}]"):
            text = f"(;GM[1]{claim}SZ[19]PB[{black}]PW[{white}]RE[B+R];B[pd]C[{white}];W[dd])"
            file.write_bytes(text.encode(encoding))
            (game,) = read_games(file)
            assert (game.black, game.white) == (black, white)
            assert game.moves.tolist() == [72, 60]


def test_sets_that_are_odd(tmp_path: Path) -> None:
    # In Big5 and Shift-JIS the second byte of the first three is a backslash or a bracket.
    file = tmp_path / "game.sgf"
    for text, encoding, claim in (
        ("許功蓋", "big5", "CA[big5]"), ("能表ソ", "cp932", "CA[cp932]"), ("哳", "gbk", "CA[gbk]"),
        ("武宮正樹", "iso2022_jp", ""), ("Иванов Иван", "koi8-r", "CA[KOI8-R]"),
    ):  # fmt: skip
        data = f"(;{claim}PB[{text}]PW[{text}];B[pd])"
        file.write_bytes(data.encode(encoding))
        (game,) = read_games(file)
        assert (game.black, game.white, game.moves.tolist()) == (text, text, [72])
    damaged = "(;PB[古力]PW[李世石]C[円錐曲線の名前]".encode() + b"\xe5\x8f])"
    assert find_charset(damaged) == "utf-8"
    names = ("x-sjis", "KOI8-R", "utf-16", "rot13", "no such set")
    assert [known_charset(name) for name in names] == ["cp932", "koi8-r", None, None, None]


def test_texts_spoil_no_terminal() -> None:
    for odd in "\0\x07\x1b\x7f\x9b\u2028\u2029\ud800\u202a\u202e\u2066\u2069":
        assert clean(f"a{odd}b{odd}") == "a b"
    assert clean("\xa0e\u0301\u200d段 ") == "é\u200d段"
    assert [decode(b) for b in ("é".encode(), b"\xe9\x80", b"\x81")] == ["é", "é€", "\x81"]


CELLS = {
    "=1+1": "'=1+1", "@x": "'@x", "+x": "'+x", "-x": "'-x", "\tx": "'\tx", "\rx": "'\rx",
    "'=x": "''=x", "=": "=", "-1e": "'-1e", "--1": "'--1", "+1.2.3": "'+1.2.3", "=-1": "'=-1",
    "@": "'@",
}  # fmt: skip
CELLS |= {text: text for text in ("", "-1.5", "+.5e-3%", "-5.", "1-0", "=-=", "-/+", "--+", "'t")}


def test_no_cell_of_a_table_is_a_formula() -> None:
    assert {text: escape_cell(text) for text in CELLS} == CELLS
    assert [escape_cell(value) for value in (-5, None)] == [-5, None]
    rows = [["=1", k] for k in range(9000)]
    written = "".join(csv_lines(["@a", "b"], rows)).splitlines()
    assert written == ["'@a,b", *(f"'=1,{k}" for k in range(9000))]


@given(st.text("'=-+@\t\r1.x%", max_size=6))
def test_escaped_cells_come_back(text: str) -> None:
    assert plain_cell(escape_cell(text)) == text


def test_numbers_in_texts() -> None:
    texts = (" 007 ", "999999999", "1000000000", "-1", "1.0", "", "²")
    assert [whole_number(text) for text in texts] == [7, 999_999_999, None, None, None, None, None]
    numbers = [finite_number(text, below=10) for text in ("-9.9", "10", "-10", "nan", "inf", "x")]
    assert numbers == [-9.9, None, None, None, None, None]
