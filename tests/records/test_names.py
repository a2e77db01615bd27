from __future__ import annotations

import time
import unicodedata
from pathlib import Path

import pytest

import yardstone
from yardstone.errors import IgnoredWarning, InputError
from yardstone.pool import Pool
from yardstone.records.names import apply_names, parse_fields, read_name_list, read_synonyms
from yardstone.winprob.games import read_games_csv


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        ("", []), ("  \t\n", []), ("a", ["a"]), (" a b , c ", ["a b", "c"]),
        ('"a, b","c"', ["a, b", "c"]), ('"a" , c,', ["a", "c"]), (",a", ["", "a"]),
        ("a,,b", ["a", "", "b"]), ('"never closed, b', ["never closed, b"]),
        ('"a"b,c', ["a", "b", "c"]),
    ],
)  # fmt: skip
def test_fields(line: str, fields: list[str]) -> None:
    assert parse_fields(line) == fields


@pytest.fixture
def pool() -> Pool:
    return Pool.from_names(["Ann", "Bob", "Eve"], ["Bob", "A2", "A1"], [1, 0.5, 0])


def test_synonyms_follow_chains_and_come_first(pool: Pool, tmp_path: Path) -> None:
    file = tmp_path / "names.csv"
    file.write_text('"Anna","A1","Ann"\n\nA2,A3\nA1,A2\n')
    with pytest.warns(IgnoredWarning, match=r"names\.csv:3: no game of 'A3'"):
        joined = apply_names(pool, read_synonyms(file))
    assert joined.players == ("Anna", "A1", "Ann", "A2", "A3", "Bob", "Eve")
    assert joined.first.tolist() == [0, 5, 6]
    assert joined.second.tolist() == [5, 0, 0]


def test_one_name_is_not_two_players(tmp_path: Path) -> None:
    file = tmp_path / "names.csv"
    file.write_text("A,B\nC,B\nA,B\n")
    with pytest.warns(IgnoredWarning, match=r"names\.csv:2: 'B' is already a synonym of 'A'"):
        assert read_synonyms(file).main == {"B": "A"}
    file.write_text("A,B\nB,C\nC,A\n")
    with pytest.raises(InputError, match=r"names\.csv:3: 'A' is a synonym of itself"):
        read_synonyms(file)
    with pytest.raises(InputError, match=r"none\.csv: no such file"):
        read_name_list(tmp_path / "none.csv")


def test_include_exclude_and_threshold(pool: Pool, tmp_path: Path) -> None:
    include, exclude = tmp_path / "include.csv", tmp_path / "exclude.csv"
    include.write_text("Ann\nBob\nA2\nNobody\n")
    exclude.write_text("A2, and what follows\n")
    with pytest.warns(IgnoredWarning, match=r"include\.csv:4: no game of 'Nobody'"):
        kept = apply_names(pool, include=read_name_list(include), exclude=read_name_list(exclude))
    assert (kept.first.tolist(), kept.second.tolist()) == ([0], [1])
    games = tmp_path / "games.csv"
    games.write_text("white,black,result\nA,B,1\nB,A,1\nA,C,1\n")
    assert len(yardstone.read(games, threshold=2)) == 2


@pytest.mark.parametrize("piece", ['"",', '\\" '])
def test_a_long_line_is_read_in_one_pass(tmp_path: Path, piece: str) -> None:
    path = tmp_path / "names.csv"
    path.write_text("A, " + piece * (300_000 // len(piece)))
    begin = time.process_time()
    read_synonyms(path)
    assert time.process_time() - begin < 4.0


def test_a_long_chain_of_synonyms_is_followed_once(tmp_path: Path) -> None:
    path = tmp_path / "names.csv"
    path.write_text("".join(f"{k}, {k + 1}\n" for k in range(10_000)))
    begin = time.process_time()
    assert set(read_synonyms(path).main.values()) == {"0"}
    assert time.process_time() - begin < 4.0
    path.write_text(path.read_text() + "10000, 0\n")
    with pytest.raises(InputError, match="synonym of itself"):
        read_synonyms(path)


MAT = " 1 point match\n\n Game 1\n {} : 0                 Bob : 0\n"
MAT += "  1) 31: 8/5 6/5\n      Wins 1 point and the match\n\n"
ACCENTS = {
    "pgn": ("", '[White "{}"]\n[Black "Bob"]\n[Result "1-0"]\n\n1-0\n\n'), "mat": ("", MAT),
    "sgf": ("", "(;GM[1]CA[UTF-8]PB[{}]PW[Bob]RE[B+R];B[dd])\n"),
    "csv": ("white,black,result\n", "{},Bob,1-0\n"),
    "tsv": ("white\tblack\tresult\n", "{}\tBob\t1-0\n"),
    "jsonl": ("", '{{"white": "{}", "black": "Bob", "result": "1-0"}}\n'),
}  # fmt: skip


def test_names_are_one_however_accents_are_encoded(tmp_path: Path) -> None:
    spellings = [unicodedata.normalize(form, "José Müller") for form in ("NFC", "NFD")]
    only = tmp_path / "only.txt"
    only.write_text(spellings[1] + "\nBob\n", "utf-8")
    for ending, (head, text) in ACCENTS.items():
        file = tmp_path / f"a.{ending}"
        file.write_text(head + "".join(text.format(each) for each in spellings), "utf-8")
        pool = yardstone.read(file)
        assert (pool.players, pool.first.tolist()) == (("José Müller", "Bob"), [0, 0]), ending
        assert len(apply_names(pool, include=read_name_list(only))) == 2
    assert Pool.from_names(spellings, ["Bob", "Bob"], [1, 0]).players == ("José Müller", "Bob")


def test_names_in_tournaments_and_tables_of_grades(tmp_path: Path) -> None:
    spellings = [unicodedata.normalize(form, "Müller") for form in ("NFC", "NFD")]
    for number, name in enumerate(spellings):
        (tmp_path / f"{number}.h9").write_text(
            f"; EV[Open]\n1 {name} Jo 3d DE Ulm 1 1 2+\n2 Bob Al 2d DE Ulm 0 0 1-\n",
            "utf-8",
        )
    assert yardstone.read(tmp_path).players == ("Müller Jo", "Bob Al")
    table = tmp_path / "games.csv"
    rows = "".join(f"{name},Bob,1d,2d,B+R\n" for name in spellings)
    table.write_text("black,white,b_rank,w_rank,result\n" + rows, "utf-8")
    assert read_games_csv(table).players == ("Müller", "Bob")
