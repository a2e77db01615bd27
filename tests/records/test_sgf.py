from __future__ import annotations

import gzip
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import yardstone
from tests.skipping import read_skipping
from yardstone.errors import InputError, NoGamesError, StrictError, UsageError
from yardstone.parallel import context
from yardstone.pool import Pool
from yardstone.records.go_game import GoGame
from yardstone.records.sgf import MoveListReader, SgfReader, read_games
from yardstone.records.sgf_records import SgfLimits

GAME = (
    "(;GM[1]FF[4]CA[UTF-8]SZ[19]PB[Ann]BR[3d]PW[Bob]WR[2k]KM[6.5]RE[B+3.5]DT[2021-11-07]"
    ";B[pd];W[dp]C[a \\] b];B[];W[tt])"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sgf")


def reader_of(folder: Path, data: bytes | str, **options: object) -> SgfReader:
    file = folder / "game.sgf"
    file.write_bytes(data.encode() if isinstance(data, str) else data)
    return SgfReader(file, **options)  # type: ignore[arg-type]


def read(folder: Path, data: bytes | str, **options: object) -> list[GoGame]:
    return list(reader_of(folder, data, **options))


def one(folder: Path, data: bytes | str) -> GoGame:
    (game,) = read(folder, data)
    return game


def test_a_plain_game(folder: Path) -> None:
    game = one(folder, GAME)
    assert (game.black, game.black_rank, game.white, game.white_rank) == ("Ann", "3d", "Bob", "2k")
    assert (game.size, game.komi, game.handicap, game.result, game.winner, str(game.date)) == (
        19, 6.5, 0, "B+3.5", 1, "2021-11-07T00:00:00",
    )  # fmt: skip
    assert (game.moves.tolist(), game.colours.tolist()) == ([72, 288, -1, -1], [1, 2, 1, 2])
    assert (game.to_play, game.time_left, game.line, game.number) == (1, None, 1, 1)
    assert (game.moves.dtype.name, game.colours.dtype.name) == ("int16", "int8")
    assert game.properties["FF"] == ("4",)


WILD = {
    "(;SZ[19];Black[pd];White[dp])": [72, 288],  # FF[1] to FF[3]
    "(;GaMe[1]SiZe[9]KoMi[5.5];b[ee];w[GC])": [40, 24],
    "(;SZ[19];B[Q16];W[d4];B[pass])": [72, 288, -1],
    "(;SZ[9];B[e\n e];W[ff\\\n])": [40, 50], "(GM[1]SZ[9];B[ee])": [40],
    ";GM[1]SZ[9];B[ee](;W[ff];B[gg])(;W[aa])": [40, 50, 60],  # no first parenthesis
    "(;SZ[9](;B[ee](;W[ff])(;W[gg]))(;B[aa]))": [40, 50], "(;SZ[9];B[ee]W[ff])": [40, 50],
    "(;SZ[9];B[ee];W[resign])": [40], "(;SZ[9];B[ee][ff];W[gg])": [40, 60],
    "(;SZ[9];B[ee];W[zz];B[ff])": [40], "(;SZ[9];B[ee];AW[aa];B[ff])": [40],
    "mail header\n\n(;SZ[9];B[ee];W[ff])) trailer": [40, 50],
    "(;SZ[9]C[no [3d\\]: :) (; ];B[ee])": [40],
    "(;SZ[9]C[kibitz [3d]: hello ;)];B[ee];W[ff])": [40, 50],  # not escaped
    "(;SZ[9]C[see [1]] and [2]];B[ee];W[ff])": [40, 50],
    "(;SZ[9] junk ;B[ee] ; junk W[ff]": [40, 50], "(;SZ[9];B[ee];W[f": [40],
    "(;SZ[9](;B[ee];W[ff]);B[gg])": [40, 50],
}  # fmt: skip


def test_what_files_in_the_wild_do(folder: Path) -> None:
    assert {text: one(folder, text).moves.tolist() for text in WILD} == WILD


def test_what_was_put_right_is_counted(folder: Path) -> None:
    reader = reader_of(folder, "(;SZ[9]KM[375];B[ee];W[ff](;GM[1]KM[650]SZ[9]PB[Ann 3d];B[aa]")
    games = list(reader)
    assert [game.moves.tolist() for game in games] == [[40, 50], [0]]
    assert (games[1].black, games[1].black_rank) == ("Ann", "3d")
    assert reader.skipped.repaired == {
        "komi written without its decimal point": 2,
        "the record is not closed": 1,
        "the record is cut short": 1,
        "rank removed from a name": 1,
    }


def test_numbers_lines_and_clocks(folder: Path) -> None:
    games = read(folder, f"x\n{GAME}\n\n{GAME}{GAME}")
    assert [(game.number, game.line) for game in games] == [(1, 2), (2, 4), (3, 4)]
    game = one(folder, "(;SZ[9];B[ee]BL[59.5];WL[30]W[ff];B[gg];W[hh]WL[x])")
    assert game.time_left is not None
    np.testing.assert_array_equal(game.time_left, np.array([59.5, 30, np.nan, np.nan], np.float32))
    for encoding in ("utf-16", "utf-8-sig", "utf-16-le"):
        assert one(folder, GAME.replace("Ann", "古力").encode(encoding)).black == "古力"


HANDICAPS = [
    ("HA[2]AB[pd][dp];W[dd]", 2, [72, 288], [60], 2),
    ("AB[pd][dp];W[dd]", 2, [72, 288], [60], 2),  # not said
    ("HA[2];B[pd];B[dp];W[dd]", 2, [72, 288], [60], 2),  # as moves
    (";B[pd];B[dp];W[dd]", 2, [72, 288], [60], 2),
    ("HA[3];B[pd];W[];B[dp];W[tt];B[dd];W[pp]", 3, [60, 72, 288], [300], 2),
    ("HA[2];W[dd];B[pp]", 2, [72, 288], [60, 300], 2),  # not given
    ("HA[3];W[pp]", 3, [60, 72, 288], [300], 2),
    ("HA[3];W[dd]", 3, [72, 288, 300], [60], 2),  # the other custom
    ("HA[2];W[pd]", 2, [], [72], 2),  # stands elsewhere
    ("HA[0];B[pd];W[dp]", 0, [], [72, 288], 1), ("HA[2]AB[pd][dp]", 2, [72, 288], [], 2),
    ("AB[aa:bb]AE[ba]AW[cc]PL[W]", 0, [0, 19, 20], [], 2),
    (";B[pd];B[pd];W[dd]", 0, [], [72, 72, 60], 1),
    (";B[a" + "];B[a".join("abcdefghi") + "];W[dd]", 9, [*range(0, 171, 19)], [60], 2),
    (";B[a" + "];B[a".join("abcdefghij") + "];W[dd]", 0, [], [*range(0, 190, 19), 60], 1),
]  # fmt: skip


def test_handicap_stones(folder: Path) -> None:
    for text, *wanted in HANDICAPS:
        game = one(folder, f"(;SZ[19]{text})")
        stones, moves = game.setup_black.tolist(), game.moves.tolist()
        assert [game.handicap, stones, moves, game.to_play] == wanted, text


def test_komi_of_servers(folder: Path) -> None:
    for head, komi in (
        ("KM[0]HA[0]RU[Japanese]RE[B+R]AP[foxwq]", 6.5),
        ("KM[0]HA[0]RU[Japanese]RE[B+R]AP[GNU Go:3.8]TC[3]TT[30]", 6.5),
        ("KM[0]HA[0]RU[Chinese]RE[B+R]AP[foxwq]", 7.5),
        ("KM[0]HA[0]RU[Japanese]RE[B+4.0]AP[foxwq]", 0.0),  # a whole margin
        ("KM[0]HA[1]RU[Japanese]RE[B+R]AP[foxwq]", 0.0),
        ("KM[0]HA[0]RE[B+R]", 0.0), ("KM[]", None), ("", None),
    ):  # fmt: skip
        assert one(folder, f"(;{head};B[aa])").komi == komi, head


def test_unusable_records_are_reported(folder: Path) -> None:
    for data, reason in (
        ("(;GM[2]PB[a])", "GM[2] is not Go"),
        ("(;SZ[9:13])", "a board of 9 x 13 is not supported"),
        ("(;SZ[25])", "a board of 25 x 25 is not supported"), ("(;SZ[1])", "a board of 1 x 1"),
        ("(;SZ[99999999999])", "is not understood"),
        ("(;SZ[big])", "board size 'big' is not understood"),
        ("", "no SGF records in this file"), ("\0\xff" * 5000, "no SGF records in this file"),
    ):  # fmt: skip
        reader = reader_of(folder, data.encode("latin-1"))
        assert list(reader) == []
        (skipped,) = reader.skipped.details
        assert reason in skipped.reason
        assert skipped.file.endswith("game.sgf")
        with pytest.raises(StrictError, match=r"game\.sgf"):
            read(folder, data.encode("latin-1"), strict=True)
    reader = reader_of(folder, f"{GAME}\n(;SZ[99])\n{GAME}")  # the others are not spoilt
    assert [game.number for game in reader] == [1, 3]
    assert [str(s).rpartition("/")[2] for s in reader.skipped.details] == [
        "game.sgf:2: a board of 99 x 99 is not supported, only square ones of 2 to 19 lines"
    ]


def test_variations_nested_without_end(folder: Path) -> None:
    depth = 20_000
    text = "(;B[aa]" * depth + ")" * depth
    assert len(one(folder, "(;SZ[9]" + text + ")").moves) == depth
    (tree,) = SgfReader(folder / "game.sgf").trees()
    assert len(tree) == len(tree.main_line()) == depth + 1
    (game,) = read(folder, "(;SZ[9];B[ee](;W[aa])" + "(;B[aa]" * depth)
    assert game.moves.tolist() == [40, 0]
    assert read(folder, "(" * depth + ";" * depth)[0].moves.tolist() == []
    # Many bad bytes take time in proportion.
    for text in ("(;C[" + "a]: " * 200_000, "(;" + "[a]b " * 200_000, "(;B" + "[" * 500_000):
        assert len(read(folder, text)) == 1
    assert len(read(folder, "(;B[aa]" + "BL[1]" * 100_000 + ")")) == 1


def test_what_is_too_long_takes_no_memory(folder: Path) -> None:
    file = folder / "line.sgf"
    with file.open("wb") as out:
        out.truncate(32 << 20)
    tracemalloc.start()
    reader, told = SgfReader(file), set()
    with context(progress=lambda _, done, total: told.add((done >> 20, total >> 20))):
        assert list(reader) == []
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    file.unlink()
    assert peak < 16 << 20
    assert told >= {(done, 32) for done in range(4, 33)}
    assert reader.skipped.reasons == {"no SGF records in this file": 1}
    # A record too long is skipped, and the next one read.
    long = "(;SZ[9]C[" + "x" * 600_000 + "];B[aa])"
    reader = reader_of(folder, long + GAME, limits=SgfLimits(game=100_000))
    assert [(game.black, game.number) for game in reader] == [("Ann", 2)]
    assert reader.skipped.reasons == {"a record longer than 100000 bytes": 1}


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="();[]\\BWCABSZGMa9: \n]é", max_size=80).map("(;GM[1]".__add__))
def test_no_text_is_a_crash(folder: Path, text: str) -> None:
    list(reader_of(folder, text))
    list(reader_of(folder, text, variations=True))
    for tree in SgfReader(folder / "game.sgf").trees():
        assert len(tree) == len(list(map(tree.properties, range(len(tree)))))


def test_records_do_not_depend_on_how_a_file_is_cut(folder: Path) -> None:
    games = [
        f"(;GM[1]SZ[{(9, 13, 19)[k % 3]}]PB[P{k}];B[a{'fghi'[k % 4]}]C[{'x' * (k * 97 % 300)}])\n"
        for k in range(3000)
    ]
    whole = read(folder, "".join(games))  # several reads of 256 KiB
    assert [game.line for game in whole] == list(range(1, 3001))
    for text, game in [*zip(games, whole, strict=True)][::30]:
        alone = one(folder, text)
        assert (alone.moves.tolist(), alone.properties) == (game.moves.tolist(), game.properties)


def test_each_line_of_play_is_a_game_where_asked(folder: Path) -> None:
    text = "(;SZ[9]AB[aa](;B[bb];W[cc](;B[dd])(;B[ee]))(;B[ff];W[gg]))"
    games = read(folder, text, variations=True)
    assert [game.moves.tolist() for game in games] == [[10, 20, 30], [10, 20, 40], [50, 60]]
    assert [game.setup_black.tolist() for game in games] == [[0]] * 3
    assert [len(game.moves) for game in read_games(folder / "game.sgf")] == [3]
    limits = [SgfLimits(lines=3), SgfLimits(lines=2), *(SgfLimits(nodes=n) for n in (11, 10, 8, 7))]
    for limit, number in zip(limits, (3, 2, 3, 2, 2, 1), strict=True):
        limited = reader_of(folder, text, variations=True, limits=limit)
        assert len(list(limited)) == number
        assert limited.skipped.reasons == ({"too many lines of play": 1} if number < 3 else {})


def test_a_pool(folder: Path) -> None:
    file = folder / "pool.sgf"
    even = GAME.replace("B+3.5", "0").replace("KM[6.5]", "KM[7]")
    odd = [("B+3.5", "Void"), ("RE[B+3.5]", ""), ("PB[Ann]", ""), ("PW[Bob]", "")]
    file.write_text(GAME + even + "".join(GAME.replace(*change) for change in odd))
    kept = {"komi": "komi", "rank": "BR", "n": "moves"}
    pool = read_skipping(file, columns=kept, skip_unread=True)
    assert (pool.players, pool.score.tolist()) == (("Ann", "Bob"), [1, 0.5])
    assert pool.time is not None
    columns = {name: column.tolist() for name, column in pool.columns.items()}
    assert columns == {"komi": [6.5, 7.0], "rank": ["3d", "3d"], "n": [4, 4]}
    assert pool.skipped.reasons == {
        "result without a winner": 1, "no result": 1, "Black has no name": 1,
        "White has no name": 1,
    }  # fmt: skip
    everything = read_skipping(file, columns="all", skip_unread=True)
    assert "written_result" in everything.columns
    assert "event" not in everything.columns


def test_damaged_beginnings_and_files_without_games_are_told(folder: Path) -> None:
    reader = reader_of(folder, f"{GAME}\n{GAME[:1] + 'x' + GAME[2:]}\n{GAME}")
    assert len(list(reader)) == 2
    assert reader.skipped.reasons == {"the beginning of a record is damaged": 1}
    file = folder / "none.sgf"
    file.write_text("nothing")
    with pytest.raises(NoGamesError, match="no SGF record"):
        yardstone.read(file)
    with pytest.raises(InputError, match="no such file"):
        list(read_games(folder / "missing.sgf"))


def test_a_value_that_was_never_closed_ends_where_a_game_begins(folder: Path) -> None:
    for torn in ("C[never closed", "PB[Eve", ";B[p", "C[a [3d]: b", "AB[dd][p"):
        text = f"(;GM[1]PW[Ann];B[dd]{torn}\n(;GM[1]FF[4]PB[Bob]PW[Eve]RE[B+R];B[pp])\n"
        reader = reader_of(folder, text)
        first, second = reader
        names = (first.white, second.black, second.white)
        assert (*names, len(second.moves)) == ("Ann", "Bob", "Eve", 1)
        assert reader.skipped.repaired  # said
    pasted = "(;GM[1]PB[Ann]C[he pasted:\n(;GM[1\\]FF[4\\] and more];B[dd];W[pp])\n"
    assert len(one(folder, pasted).moves) == 2  # in a comment it is text


RESULTS = Pool.from_names(
    ["Ann", "Eve"], ["Bob", "Ann"], [1, 0], columns={"id": [7, 8], "komi": [6.5, 0.5]}
)


def test_moves_and_results_are_joined(tmp_path: Path) -> None:
    file = tmp_path / "moves"
    file.write_text(
        "id\tmoves\n7\t;B[pd];W[dd]\n8,;B[qd]\n\n9\t;B[aa]\n10\tnothing\n8 (;W[cc])\r\n"
    )
    reader = MoveListReader(file, results=RESULTS, key="id")
    games = list(reader)
    assert [(g.black, g.white, g.winner, g.komi, g.line) for g in games] == [
        ("Ann", "Bob", 1, 6.5, 2), ("Eve", "Ann", 2, 0.5, 3), ("Eve", "Ann", 2, 0.5, 7),
    ]  # fmt: skip
    assert [g.moves.tolist() for g in games] == [[72, 60], [73], [40]]
    assert [str(s).rpartition("/")[2] for s in reader.skipped.details] == [
        "moves:5: game '9' is not in the table of results", "moves:6: no moves in this line",
    ]  # fmt: skip


def test_moves_alone_and_trouble(tmp_path: Path) -> None:
    path = tmp_path / "moves.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("2005-11", "x7\t;B[pd];W[dd]")
    (game,) = MoveListReader(path)
    assert game.properties["GN"] == ("x7",)
    assert (game.moves.tolist(), game.winner, game.file) == ([72, 60], 0, f"{path}/2005-11")
    file, packed = tmp_path / "moves", tmp_path / "moves.gz"
    file.write_text("1\t;B[" + "x" * 3_000_000 + "]\n2\t;B[aa]\n3\t;B[a")
    reader = MoveListReader(file)
    assert [game.moves.tolist() for game in reader] == [[0], []]
    assert reader.skipped.reasons == {"a line longer than 1048576 bytes": 1}
    packed.write_bytes(gzip.compress(b"1\t;B[aa]\n" * 9)[:-12])
    broken = MoveListReader(packed)
    assert {game.moves.tolist()[0] for game in broken} == {0}
    assert [each.line for each in broken.skipped.details] == [0]
    with pytest.raises(UsageError, match="no column 'game_id', only id, komi"):
        MoveListReader(file, results=RESULTS)
