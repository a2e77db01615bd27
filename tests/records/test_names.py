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

FIELDS = {
    "": [], "  \t\n": [], "a": ["a"], " a b , c ": ["a b", "c"], '"a, b","c"': ["a, b", "c"],
    '"a" , c,': ["a", "c"], ",a": ["", "a"], "a,,b": ["a", "", "b"],
    '"never closed, b': ["never closed, b"], '"a"b,c': ["a", "b", "c"],
}  # fmt: skip
POOL = Pool.from_names(["Ann", "Bob", "Eve"], ["Bob", "A2", "A1"], [1, 0.5, 0])


def test_fields() -> None:
    assert {line: parse_fields(line) for line in FIELDS} == FIELDS


def test_synonyms_follow_chains_come_first_and_are_of_one_player(tmp_path: Path) -> None:
    file = tmp_path / "names.csv"
    file.write_text('"Anna","A1","Ann"\n\nA2,A3\nA1,A2\n')
    with pytest.warns(IgnoredWarning, match=r"names\.csv:3: no game of 'A3'"):
        joined = apply_names(POOL, read_synonyms(file))
    assert joined.players == ("Anna", "A1", "Ann", "A2", "A3", "Bob", "Eve")
    assert (joined.first.tolist(), joined.second.tolist()) == ([0, 5, 6], [5, 0, 0])
    file.write_text("A,B\nC,B\nA,B\n")
    with pytest.warns(IgnoredWarning, match=r"names\.csv:2: 'B' is already a synonym of 'A'"):
        assert read_synonyms(file).main == {"B": "A"}
    file.write_text("A,A,B\n")
    assert read_synonyms(file).main == {"B": "A"}
    file.write_text("A,B\nB,C\nC,A\n")
    with pytest.raises(InputError, match=r"names\.csv:3: 'A' is a synonym of itself"):
        read_synonyms(file)


def test_include_exclude_and_threshold(tmp_path: Path) -> None:
    include, exclude = tmp_path / "include.csv", tmp_path / "exclude.csv"
    include.write_text("Ann\nBob\nA2\nNobody\n")
    exclude.write_text("A2, and what follows\n")
    with pytest.warns(IgnoredWarning, match=r"include\.csv:4: no game of 'Nobody'"):
        kept = apply_names(POOL, include=read_name_list(include), exclude=read_name_list(exclude))
    assert (kept.first.tolist(), kept.second.tolist()) == ([0], [1])
    with pytest.raises(InputError, match=r"none\.csv: no such file"):
        read_name_list(tmp_path / "none.csv")
    games = tmp_path / "games.csv"
    games.write_text("white,black,result\nA,B,1\nB,A,1\nA,C,1\n")
    assert len(yardstone.read(games, threshold=2)) == 2


def test_long_lines_and_chains_take_little_time(tmp_path: Path) -> None:
    path = tmp_path / "names.csv"
    chain = "".join(f"{k}, {k + 1}\n" for k in range(10_000))
    for text in ("A, " + '"",' * 100_000, "A, " + '\\" ' * 100_000, chain):
        path.write_text(text)
        begin = time.process_time()
        main = read_synonyms(path).main
        assert time.process_time() - begin < 4.0
    assert set(main.values()) == {"0"}
    path.write_text(chain + "10000, 0\n")
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
    only, table = tmp_path / "only.txt", tmp_path / "grades.csv"
    only.write_text(spellings[1] + "\nBob\n", "utf-8")
    for ending, (head, text) in ACCENTS.items():
        file = tmp_path / f"a.{ending}"
        file.write_text(head + "".join(text.format(each) for each in spellings), "utf-8")
        pool = yardstone.read(file)
        assert (pool.players, pool.first.tolist()) == (("José Müller", "Bob"), [0, 0]), ending
        assert len(apply_names(pool, include=read_name_list(only))) == 2
    assert Pool.from_names(spellings, ["Bob", "Bob"], [1, 0]).players == ("José Müller", "Bob")
    rows = "".join(f"{name},Bob,1d,2d,B+R\n" for name in spellings)
    table.write_text("black,white,b_rank,w_rank,result\n" + rows, "utf-8")
    assert read_games_csv(table).players == ("José Müller", "Bob")
    for name in spellings:
        (tmp_path / f"{len(name)}.h9").write_text(
            f"; EV[Open]\n1 {name} 3d DE Ulm 1 1 2+\n2 Bob Al 2d DE Ulm 0 0 1-\n", "utf-8"
        )
    assert yardstone.read(*tmp_path.glob("*.h9")).players == ("José Müller", "Bob Al")
