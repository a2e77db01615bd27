from __future__ import annotations

from pathlib import Path

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
from yardstone.records.sgf import read_games

PEOPLE = {
    "gb18030": [("古力", "常昊"), ("柯洁", "聂卫平"), ("胡耀宇", "陈耀烨"),
        ("马晓春", "刘小光"), ("时越", "芈昱廷")],
    "big5": [("周俊勳", "王立誠"), ("張栩", "林海峰"),
        ("許功蓋", "陳永安"), ("紅面棋王", "黑嘉嘉")],
    "cp932": [("武宮正樹", "小林光一"), ("井山裕太", "高尾紳路"), ("依田紀基", "山下敬吾"),
        ("能登のひと", "ソビト")],
    "euc_jp": [("武宮正樹", "小林光一"), ("井山裕太", "山下敬吾"), ("羽根直樹", "結城聡")],
    "cp949": [("이세돌", "박정환"), ("조훈현", "이창호"), ("서봉수", "유창혁"), ("최정", "김지석")],
    "cp1252": [("Müller", "Björn Öst"), ("José García", "François"), ("Gérard", "Ana Peña")],
    "utf-8": [("Müller", "이세돌"), ("古力", "武宮正樹")],
}  # fmt: skip
CASES = [(encoding, *pair) for encoding, pairs in PEOPLE.items() for pair in pairs]


@pytest.mark.parametrize(("encoding", "black", "white"), CASES)
@pytest.mark.parametrize("claim", ["", "CA[ISO-8859-1]", "CA[UTF-8]", "right"])
def test_names_survive(tmp_path: Path, encoding: str, black: str, white: str, claim: str) -> None:
    said = f"CA[{encoding}]" if claim == "right" else claim
    file = tmp_path / "game.sgf"
    text = f"(;GM[1]{said}SZ[19]PB[{black}]PW[{white}]RE[B+R];B[pd]C[{white}];W[dd])"
    file.write_bytes(text.encode(encoding))
    (game,) = read_games(file)
    assert (game.black, game.white) == (black, white)
    assert game.moves.tolist() == [72, 60]


def test_a_bracket_within_a_character(tmp_path: Path) -> None:
    # In Big5 and Shift-JIS the second byte of these is a backslash or a bracket.
    for text, encoding in (("許功蓋", "big5"), ("能表ソ", "cp932"), ("哳", "gbk")):
        file = tmp_path / "game.sgf"
        file.write_bytes(f"(;CA[{encoding}]PB[{text}]PW[白{text}];B[pd])".encode(encoding))
        (game,) = read_games(file)
        assert (game.black, game.white, game.moves.tolist()) == (text, f"白{text}", [72])


def test_damaged_utf8_stays_utf8() -> None:
    data = "(;PB[古力]PW[李世石]C[円錐曲線の名前]".encode() + b"\xe5\x8f])"
    assert find_charset(data) == "utf-8"


def test_iso_2022(tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    file.write_bytes("(;PB[武宮正樹]PW[小林光一];B[pd])".encode("iso2022_jp"))
    (game,) = read_games(file)
    assert (game.black, game.white) == ("武宮正樹", "小林光一")


def test_names_of_sets() -> None:
    assert known_charset("x-sjis") == "cp932"
    assert known_charset("KOI8-R") == "koi8-r"
    assert known_charset("utf-16") is None
    assert known_charset("rot13") is None
    assert known_charset("no such set") is None


def test_a_set_that_only_the_claim_tells() -> None:
    data = "(;CA[KOI8-R]PB[Иванов Иван]PW[Петров])".encode("koi8-r")
    assert find_charset(data) == "koi8-r"


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
