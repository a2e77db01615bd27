from __future__ import annotations

import codecs
import gzip
import os
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import yardstone
from tests.records.pools import Game, games, skipped
from tests.skipping import read_skipping
from yardstone.errors import InputError, NoGamesError, StrictError
from yardstone.pool import Pool
from yardstone.records.options import Options
from yardstone.records.pgn import BLOCK, read_pgn
from yardstone.records.sources import Source

GAME = '[White "{0}"]\n[Black "{1}"]\n[Result "{2}"]\n\n1. e4 {2}\n\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pgn")


def read_bytes(folder: Path, data: bytes, block: int = BLOCK, **options: Any) -> Pool:
    file = folder / "games.pgn"
    file.write_bytes(data)
    return read_pgn([Source("games.pgn", file)], Options(**options), block=block, once=False)


AB = [("A", "B", 1.0)]
HEAD = '[White "A"]\n[Black "B"]\n'
WON = '[Result "1-0"]\n'
GOOD: dict[str, list[Game]] = {
    HEAD + '[Result "1-0"]': AB, '[white "A"]\n[BLACK "B"]\n[rEsult "1-0"]': AB,
    '  [ White   "A"  ]\t[Black"B"] [Result "1-0"]\n': AB,
    '1-0 [White "A"][Black "B"][Result "1-0"]\n': AB,
    '[White "  A "]\n[Black "\tB"]\n[Result " 1-0 "]\n': AB,
    '{[White "X"]}\n' + HEAD + WON: AB, '; [White "X"]\n% [White "Y"]\n' + HEAD + WON: AB,
    '[White "A"]\n;[White "X"]\n[Black "B"]\n' + WON: AB, '[White "X"]\n' + HEAD + WON: AB,
    '[White "A"]\n\n[Black "B"]\n\n[Result "1-0"]\n\n[WhiteElo "1"]\n\n1. e4\n\n': AB,
    '[White "A"]\r\r\n[Black "B"]\r\r\n[Result "1-0"]\r\r\n\r\r\n1. e4\r\r\n': AB,
    '[White "The "Rock" x"]\n[Black "B"]\n[Result "0-1"]\n': [('The "Rock" x', "B", 0.0)],
    '[White "a\\"]\n[Black "B\\\\"]\n[Result "=-="]\n': [("a\\", "B\\", 0.5)],
    '[White "a\\"] b"]\n[Black "B"]\n' + WON: [('a"] b', "B", 1.0)],
    '[White "A\x1b[31m\x07"]\n[Black "B"]\n' + WON: [("A [31m", "B", 1.0)],
    '[White "A  x"]\n[Black "A  x"]\n' + WON: [("A  x", "A  x", 1.0)],
    '[White "A"]\n[Annotator "never closed\n[Black "B"]\n' + WON: AB,
    f'[White "{"x" * 4096}"]\n[Black "B"]\n' + WON: [("x" * 4096, "B", 1.0)],
    '[White "A"]\n[Site none]\n[Black "B"]\n' + WON: AB,
}  # fmt: skip


def test_one_game(folder: Path) -> None:
    for text, expected in GOOD.items():
        pool = read_bytes(folder, text.encode())
        assert (games(pool), len(pool.skipped)) == (expected, 0), text


BAD = {
    '[Black "B"]\n' + WON: "no White tag", '[White "A"]\n' + WON: "no Black tag",
    HEAD: "no Result tag", '[White "A]\n[Black "B"]\n' + WON: "malformed White tag",
    '[Event "e"]\n[White A]\n[Black "B"]\n' + WON: "malformed White tag",
    '[Event "e"]\n[White""A"]\n[Black "B"]\n' + WON: "malformed White tag",
    '[White " "]\n[Black "B"]\n' + WON: "White has no name",
    HEAD + '[Result "*"]\n': "unfinished (result *)",
    HEAD + '[Result "½-½"]\n': "result '½-½' is not 1-0, 0-1, 1/2-1/2 or *",
    f'[White "{"x" * 4097}"]\n[Black "B"]\n' + WON:
        "White's name is too long: 4097 bytes, at most 4096 are read",
}  # fmt: skip


def test_a_bad_game_is_skipped_alone(folder: Path) -> None:
    good = GAME.format("A", "B", "1-0")
    for text, reason in BAD.items():
        for newline in ("\n", "\r\n", "\r"):
            whole = ("\n\n" + text + "\n" + good + good).replace("\n", newline)
            pool = read_bytes(folder, whole.encode())
            assert games(pool) == AB * 2
            assert skipped(pool) == [(3, reason)]


def test_where_a_game_ends(folder: Path) -> None:
    text = '[White "A"]\n[Black "B"]\n\n[White "C"]\n[Result "1-0"]\n\n' + GAME.format(*"DE", "0-1")
    pool = read_bytes(folder, text.encode())
    assert games(pool) == [("D", "E", 0.0)]
    assert skipped(pool) == [(1, "no Result tag"), (4, "no Black tag")]
    text = '[Event "x"]\n[White "A"]\n[Black "B"]\n[Result "1-0"]\n[ECO "B00"]\n\n' * 3
    for headers in (text, text.replace("\n\n", "\n").replace("\n", "\n\n")):
        assert games(read_bytes(folder, headers.encode())) == AB * 3
    text = GAME.format("C", "D", "*") + GAME.format("A", "B", "1-0") + GAME.format("E", "F", "?")
    assert read_bytes(folder, text.encode()).players == ("C", "D", "A", "B")
    game = GAME.format("A", "B", "1-0")  # an open comment swallows no game
    text = game + "{never closed\n" + game + "{closed} 1-0\n" + game + '{ [White "X"]\n[x "y"]}\n'
    pool = read_bytes(folder, text.encode())
    assert (games(pool), skipped(pool)) == (AB * 3, [(7, "comment never closed")])
    assert games(read_bytes(folder, (game + "{never closed").encode())) == AB


def test_encodings(folder: Path) -> None:
    text = GAME.format("Müller, Jörg", "Ødegård", "1-0") * 5
    for data in (
        *(text.encode(name) for name in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be")),
        codecs.BOM_UTF16_BE + text.encode("utf-16-be"), text.encode("cp1252"),
    ):  # fmt: skip
        assert games(read_bytes(folder, data)) == [("Müller, Jörg", "Ødegård", 1.0)] * 5


def test_columns_times_and_lines(folder: Path) -> None:
    dated = '[Event "One"]\n[UTCDate "2020.02.03"]\n[UTCTime "10:11:12"]\n'
    text = dated + GAME.format(*"AB", "1-0") + '[Event "A \\"x\\""]\n[Date "2021.??.??"]\n'
    text += GAME.format(*"BA", "*") + GAME.format(*"BA", "0-1")
    text += '[event "Two"]\n[Date "2021.12.31"]\n' + GAME.format(*"BA", "0-1")
    pool = read_bytes(folder, text.encode(), columns={"event": "Event", "line": "line"}, times=True)
    assert pool.columns["event"].tolist() == ["One", "", "Two"]
    assert pool.columns["line"].tolist() == [1, 18, 24]
    assert pool.time is not None
    assert pool.time.astype(str).tolist() == ["2020-02-03T10:11:12", "NaT", "2021-12-31T00:00:00"]
    assert pool.players == ("A", "B")
    with pytest.raises(StrictError, match=r"games.pgn:10: unfinished \(result \*\)"):
        read_bytes(folder, text.encode(), strict=True)


def test_files_without_games(folder: Path) -> None:
    for data in (b"", b"\n\n", b"hello world", os.urandom(10_000).replace(b"[", b"")):
        with pytest.raises(NoGamesError, match=r"games\.pgn: it contains no games"):
            read_bytes(folder, data)
    (folder / "none.pgn").write_text("nothing")
    (folder / "one.pgn").write_text(GAME.format("A", "B", "1-0"))
    pool = read_skipping(folder / "none.pgn", folder / "one.pgn")
    assert games(pool) == AB
    assert "no PGN tag" in pool.skipped.details[0].reason
    with pytest.raises(InputError, match="no such file"):
        yardstone.read(folder / "missing.pgn")


def test_a_file_cut_anywhere_gives_no_wrong_game(folder: Path) -> None:
    data = (
        b'[Event "e"]\n[White "Ann \\"x\\""]\n[Black "Bob"]\n[Result "1-0"]\n\n{c [a "b"]} 1-0\n\n'
        b'[White "Eve"]\r\n[Black "Ann \\"x\\""]\r\n[Result "1/2-1/2"]\r\n\r\n1. e4 ; x\r\n'
    )
    expected = [('Ann "x"', "Bob", 1.0), ("Eve", 'Ann "x"', 0.5)]
    for end in range(3, len(data)):
        try:
            result = games(read_bytes(folder, data[:end], block=64))
        except NoGamesError:
            continue
        assert result == expected[: len(result)]


HOSTILE = (
    b'[White "A"]', b'[Black "B"]', b'[Result "1-0"]', b'[Result "*"]', b'[Event "x"]', b"[White",
    b'"', b"]", b"[", b"\\", b"{", b"}", b";", b"%", b"\n", b"\n", b"\r", b"\r\n", b" ", b"1. e4",
    b"\xff", b"\0", b"[x y]", b'\\"]', b'[White "',
)  # fmt: skip


@given(st.lists(st.sampled_from(HOSTILE), max_size=60).map(b"".join), st.integers(20, 70))
def test_blocks_do_not_matter_however_damaged_the_file(
    folder: Path, data: bytes, block: int
) -> None:
    data = b'[Event "x"]\n' + data
    whole = read_bytes(folder, data, columns={"event": "Event", "line": "line"})
    cut = read_bytes(folder, data, columns={"event": "Event", "line": "line"}, block=block)
    assert (games(cut), cut.players, skipped(cut)) == (games(whole), whole.players, skipped(whole))
    for name in whole.columns:
        assert cut.columns[name].tolist() == whole.columns[name].tolist()
    assert games(read_bytes(folder, data)) == games(whole)


def test_a_tag_across_two_blocks_behind_long_text(folder: Path) -> None:
    won = GAME.format("A", "B", "1-0")
    for before, after in (("", ""), ("{", "} 1-0\n\n"), ("{", "")):
        for at in range(-40, 2, 3):
            long = won + before + "1. e4 " * (BLOCK // 6)
            text = long[: BLOCK + at] + "\n" + won + after + won
            assert games(read_bytes(folder, text.encode())) == AB * (2 if after else 3), (
                before,
                at,
            )


def test_many_names_and_many_bad_records(folder: Path) -> None:
    text = "".join(GAME.format(f"P{k}", f"P{k + 1}", "0-1") for k in range(20_000))
    pool = read_bytes(folder, text.encode())
    assert pool.players == tuple(f"P{k}" for k in range(20_001))
    assert np.array_equal(pool.second, np.arange(1, 20_001))
    report = read_bytes(folder, ('[White "A"]\n[Black "B"]\n\n' * 1500).encode()).skipped
    assert (report.total, len(report.details)) == (1500, 1000)
    assert report.reasons == {"no Result tag": 1500}


def test_a_huge_line_needs_no_memory(folder: Path) -> None:
    good = GAME.format("A", "B", "1-0").encode()
    file = folder / "line.pgn"
    with file.open("wb") as out:
        out.write(good + b'[White "')
        for _ in range(48):
            out.write(b"x" * (1 << 20))
        out.write(b'"]\n[Black "B"]\n[Result "1-0"]\n\n' + good)
    tracemalloc.start()
    pool = read_pgn([Source("line.pgn", file)], Options(), once=False)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    file.unlink()
    assert games(pool) == AB * 2
    assert skipped(pool) == [(7, "malformed White tag")]
    assert peak < 32 << 20


def test_a_compressed_file_that_breaks_off(folder: Path) -> None:
    noise = "".join(GAME.format(f"A{k * 7919 % 9973}", "B", "1-0") for k in range(1_000))
    data = gzip.compress(noise.encode())
    pool = read_bytes(folder, data[: len(data) // 2])
    assert 0 < len(pool) < 1_000
    assert "break off" in pool.skipped.details[-1].reason
