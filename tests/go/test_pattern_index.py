"""The index of games: what goes in comes out, and nothing else is believed."""

from __future__ import annotations

import json
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest

from tests.go.games import random_game
from tests.go.slow_patterns import crowded_game
from yardstone import parallel
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.go.patterns import GameIndex, build_index
from yardstone.go.patterns.index import MARK
from yardstone.records.go_game import GoGame
from yardstone.records.sgf import read_games, write_sgf


def write_games(path: Path, games: list[GoGame]) -> Path:
    path.write_text(write_sgf(games))
    return path


def made(folder: Path, *texts: str) -> GameIndex:
    for number, text in enumerate(texts):
        (folder / f"{number}.sgf").write_text(text)
    return build_index([folder / f"{k}.sgf" for k in range(len(texts))], folder / "g.idx")[0]


def same(game: GoGame, expected: GoGame) -> None:
    for name in ("moves", "colours", "setup_black", "setup_white"):
        assert getattr(game, name).tolist() == getattr(expected, name).tolist(), name
    for name in (
        "size", "line", "black", "white", "black_rank", "rules", "komi", "handicap",
        "to_play", "winner", "result",
    ):  # fmt: skip
        assert getattr(game, name) == getattr(expected, name), name
    assert str(game.date) == str(expected.date)


def test_games_come_back_as_they_were(tmp_path: Path) -> None:
    games = [crowded_game(seed, size=9 if seed % 3 else 5, moves=80) for seed in range(70)]
    file = write_games(tmp_path / "games.sgf", games)
    index, skipped = build_index([file], tmp_path / "games.idx")
    expected = sorted(read_games(file), key=lambda game: -game.size)
    assert len(index) == len(expected) == 70
    assert not len(skipped)
    assert index.sizes == (9, 5)
    assert index.positions == sum(len(game.moves) + 1 for game in expected)
    for number, game in enumerate(expected):
        same(index.game(number), game)
        assert index.place(number)[:2] == (str(file), game.line)
    assert GameIndex(tmp_path / "games.idx").facts == index.facts
    assert not (tmp_path / "games.idx.parts").exists()


def test_stones_set_up_and_handicap_are_kept(tmp_path: Path) -> None:
    text = "(;SZ[9]HA[2]AB[cc][gg]AW[ee]PL[W]KM[0.5]PB[A]PW[B];W[gc];B[cg];W[])"
    index = made(tmp_path, text)
    (game,) = read_games(tmp_path / "0.sgf")
    same(index.game(0), game)


def test_a_game_that_occurs_twice_is_taken_once(tmp_path: Path) -> None:
    text = "(;SZ[9];B[cc];W[gg];B[cg])"
    other = "(;SZ[9];B[cc];W[gg];B[gc])"
    index = made(tmp_path, text, other, text.replace("SZ[9]", "SZ[9]PB[Ann]"))
    assert (len(index), index.facts["duplicates"]) == (2, 1)
    assert index.game(0).black == ""


def test_an_illegal_move_ends_a_game_and_is_reported(tmp_path: Path) -> None:
    (tmp_path / "a.sgf").write_text("(;SZ[9];B[cc];W[cc];B[gg])(;SZ[9];B[dd])(;GM[2])")
    index, skipped = build_index([tmp_path / "a.sgf"], tmp_path / "g.idx")
    assert index.game(0).moves.tolist() == [20]
    assert dict(skipped.reasons)["an illegal move: used up to there"] == 1
    assert len(index) == 2


def test_lists_of_moves_and_archives_are_read(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "games.zip", "w") as archive:
        archive.writestr("2005-11", "id\tmoves\n17\t;B[pd];W[dd];B[pq]\n18\t;B[qd];W[dd]\n")
        archive.writestr("one.sgf", "(;SZ[9];B[cc];W[gg])")
        archive.writestr("README", "no game")
    index, _ = build_index([tmp_path / "games.zip"], tmp_path / "g.idx")
    assert index.sizes == (19, 9)
    assert [index.game(k).moves.tolist() for k in range(3)] == [
        [72, 60, 72 + 13 * 19],
        [73, 60],
        [20, 60],
    ]


def test_any_number_of_workers_gives_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [
        write_games(tmp_path / f"{k}.sgf", [random_game(9 * k + j) for j in range(9)])
        for k in range(4)
    ]
    monkeypatch.setattr("yardstone.go.patterns.index._SHARE_BYTES", 1)
    with parallel.context(workers=1):
        one, _ = build_index(files, tmp_path / "one.idx")
    with parallel.context(workers=2):
        two, _ = build_index(files, tmp_path / "two.idx")
    assert one.path.read_bytes() == two.path.read_bytes()


def test_a_build_goes_on_where_it_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [write_games(tmp_path / f"{k}.sgf", [random_game(k)]) for k in range(3)]
    monkeypatch.setattr("yardstone.go.patterns.index._SHARE_BYTES", 1)
    whole, _ = build_index(files, tmp_path / "whole.idx")

    class Stopped(Exception):
        pass

    def stop(_: str, done: int, total: int) -> None:
        if done == 2:
            raise Stopped

    with pytest.raises(Stopped), parallel.context(workers=1, progress=stop):
        build_index(files, tmp_path / "g.idx")
    assert not (tmp_path / "g.idx").exists()
    parts = sorted((tmp_path / "g.idx.parts").iterdir())
    assert len(parts) == 2
    kept = parts[0].stat().st_mtime_ns
    parts[1].write_bytes(parts[1].read_bytes()[:100])  # broken off by the kill
    files[2].write_text("(;SZ[9];B[aa])")
    monkeypatch.setattr("yardstone.go.patterns.index.shutil.rmtree", lambda *_, **__: None)
    again, _ = build_index(files, tmp_path / "g.idx")
    assert parts[0].stat().st_mtime_ns == kept
    assert again.game(0).moves.tolist() == whole.game(0).moves.tolist()
    assert again.game(2).moves.tolist() == [0]


def test_nothing_to_index_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.sgf").write_text("no game")
    with pytest.raises(NoGamesError, match="no "):
        build_index([tmp_path / "a.sgf"], tmp_path / "g.idx")
    with pytest.raises(InputError, match="no such file"):
        build_index([tmp_path / "b.sgf"], tmp_path / "g.idx")
    with pytest.raises(UsageError, match="standard input"):
        build_index(["-"], tmp_path / "g.idx")
    with pytest.raises(InputError, match="no such folder"):
        build_index([tmp_path / "a.sgf"], tmp_path / "none" / "g.idx")
    with pytest.raises(InputError, match="this is a folder"):
        build_index([tmp_path / "a.sgf"], tmp_path)
    assert not (tmp_path / "g.idx").exists()


def test_what_is_no_index_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.idx"
    for data in (b"", b"(;GM[1])", MARK, MARK + struct.pack("<Q", 1 << 60) + b"{}"):
        path.write_bytes(data)
        with pytest.raises(InputError, match=r"not an index of games|damaged"):
            GameIndex(path)
    with pytest.raises(InputError, match="cannot be read"):
        GameIndex(tmp_path / "none.idx")


def described(path: Path) -> tuple[dict[str, object], int]:
    data = path.read_bytes()
    (length,) = struct.unpack_from("<Q", data, len(MARK))
    start = len(MARK) + 8
    return json.loads(data[start : start + length]), start + length


@pytest.mark.parametrize(
    "change",
    [
        {"format": 99},
        {"sizes": [[19, 1], [99, 1]]},
        {"sizes": [[9, 2]]},
        {"sizes": "x"},
        {"sizes": [[9, 1], [9, 1]]},
        {"moves": None},
        {"duplicates": -1},
        {"arrays": {}},
        {"arrays": []},
        {"arrays": {"9/events": {"type": "uint16", "shape": [1 << 60], "offset": 0}}},
        {"arrays": {"9/events": {"type": "object", "shape": [1], "offset": 0}}},
        {"arrays": {"9/events": {"type": "uint16", "shape": [-1], "offset": 0}}},
        {"arrays": {"9/events": {"type": "uint16", "shape": [1], "offset": 1 << 61}}},
    ],
)
def test_a_hostile_description_is_refused(tmp_path: Path, change: dict[str, object]) -> None:
    index = made(tmp_path, "(;SZ[9];B[cc];W[gg])")
    facts, end = described(index.path)
    rest = index.path.read_bytes()[-(-end // 64) * 64 :]
    text = json.dumps({**facts, **change}).encode()
    head = MARK + struct.pack("<Q", len(text)) + text
    index.path.write_bytes(head + bytes(-len(head) % 64) + rest)
    with pytest.raises(InputError, match=r"damaged|another version"):
        GameIndex(index.path)


def test_a_file_that_breaks_off_is_refused(tmp_path: Path) -> None:
    index = made(tmp_path, "(;SZ[9];B[cc];W[gg])")
    data = index.path.read_bytes()
    for length in (20, 200, len(data) // 2, len(data) - 64):
        (tmp_path / "cut.idx").write_bytes(data[:length])
        with pytest.raises(InputError, match=r"damaged|not an index"):
            GameIndex(tmp_path / "cut.idx")


def test_numbers_that_are_no_events_are_found_out(tmp_path: Path) -> None:
    from yardstone.go.patterns import find_patterns, read_diagram

    index = made(tmp_path, "(;SZ[9];B[aa];W[gg])")
    data = bytearray(index.path.read_bytes())
    group = index.group(9)
    assert group is not None
    place = data.find(np.asarray(group.indexed.events).tobytes())
    data[place + 2 : place + 4] = struct.pack("<H", 0xFFFF)
    (tmp_path / "bad.idx").write_bytes(data)
    with pytest.raises(InputError, match="damaged"):
        find_patterns(GameIndex(tmp_path / "bad.idx"), [read_diagram("--\n|X", size=9).pattern])
    with pytest.raises(InputError, match="damaged"):
        GameIndex(tmp_path / "bad.idx").game(0)
