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
from yardstone.go.patterns import GameIndex, build_index, find_patterns, read_diagram
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
    games = [crowded_game(seed, size=5 if seed % 10 else 9, moves=40) for seed in range(76)]
    file = write_games(tmp_path / "games.sgf", games)
    index, skipped = build_index([file], tmp_path / "games.idx")
    expected = sorted(read_games(file), key=lambda game: -game.size)
    assert len(index) == len(expected) == 76
    assert not len(skipped)
    assert index.sizes == (9, 5)
    assert index.positions == sum(len(game.moves) + 1 for game in expected)
    for number, game in enumerate(expected):
        same(index.game(number), game)
        assert index.place(number)[:2] == (str(file), game.line)
    assert GameIndex(tmp_path / "games.idx").facts == index.facts
    assert not (tmp_path / "games.idx.parts").exists()


def test_one_game_of_each_and_up_to_an_illegal_move(tmp_path: Path) -> None:
    setup = "(;SZ[9]HA[2]AB[cc][gg]AW[ee]PL[W]KM[0.5]PB[A]PW[B];W[gc];B[cg];W[])"
    text = "(;SZ[9];B[cc];W[gg];B[cg])"
    other = "(;SZ[9];B[cc];W[gg];B[gc])"
    index = made(tmp_path, setup, text, other, text.replace("SZ[9]", "SZ[9]PB[Ann]"))
    assert (len(index), index.facts["duplicates"]) == (3, 1)
    assert index.game(1).black == ""
    (game,) = read_games(tmp_path / "0.sgf")
    same(index.game(0), game)
    with pytest.raises(UsageError, match="there is no game 3, only 0 to 2"):
        index.game(3)
    (tmp_path / "a.sgf").write_text("(;SZ[9];B[cc];W[cc];B[gg])(;SZ[9];B[dd])(;GM[2])")
    index, skipped = build_index([tmp_path / "a.sgf"], tmp_path / "g.idx")
    assert [index.game(k).moves.tolist() for k in range(len(index))] == [[20], [30]]
    assert dict(skipped.reasons)["an illegal move: used up to there"] == 1


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
        write_games(tmp_path / f"{k}.sgf", [random_game(3 * k + j, moves=20) for j in range(3)])
        for k in range(3)
    ]
    monkeypatch.setattr("yardstone.go.patterns.index._SHARE_BYTES", 1)
    made = []
    for workers in (1, 2):
        with parallel.context(workers=workers):
            made.append(build_index(files, tmp_path / f"{workers}.idx")[0].path.read_bytes())
    assert made[0] == made[1]


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
    file, target = tmp_path / "a.sgf", tmp_path / "g.idx"
    file.write_text("no game")
    for files, output, error, message in (
        ([file], target, NoGamesError, "no "),
        ([tmp_path / "b.sgf"], target, InputError, "no such file"),
        (["-"], target, UsageError, "standard input"),
        ([], target, UsageError, "no file of games"),
        ([file], tmp_path / "none" / "g.idx", InputError, "no such folder"),
        ([file], tmp_path, InputError, "this is a folder"),
    ):
        with pytest.raises(error, match=message):
            build_index(files, output)
    assert not target.exists()


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> GameIndex:
    """One game, with a stone in the corner."""
    return made(tmp_path_factory.mktemp("small"), "(;SZ[9];B[aa];W[gg])")


@pytest.mark.parametrize(
    "change",
    [
        {"format": 99},
        {"sizes": [[19, 1], [99, 1]]},
        {"sizes": [[9, 2]]},
        {"sizes": [[9, 0]]},
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
def test_a_hostile_description_is_refused(
    small: GameIndex, tmp_path: Path, change: dict[str, object]
) -> None:
    data = small.path.read_bytes()
    (length,) = struct.unpack_from("<Q", data, 16)
    facts, end = json.loads(data[24 : 24 + length]), 24 + length
    text = json.dumps({**facts, **change}).encode()
    head = MARK + struct.pack("<Q", len(text)) + text
    path = tmp_path / "changed.idx"
    path.write_bytes(head + bytes(-len(head) % 64) + data[-(-end // 64) * 64 :])
    with pytest.raises(InputError, match=r"damaged|another version"):
        GameIndex(path)


def test_what_is_no_index_or_breaks_off_is_refused(small: GameIndex, tmp_path: Path) -> None:
    data, path = small.path.read_bytes(), tmp_path / "x.idx"
    pieces = [data[:length] for length in (20, 200, len(data) // 2, len(data) - 64)]
    huge = MARK + struct.pack("<Q", 1 << 60) + b"{}"
    for piece in (b"", b"(;GM[1])", MARK, huge, *pieces):
        path.write_bytes(piece)
        with pytest.raises(InputError, match=r"not an index of games|damaged"):
            GameIndex(path)
    with pytest.raises(InputError, match="cannot be read"):
        GameIndex(tmp_path / "none.idx")


def test_numbers_that_are_no_events_are_found_out(small: GameIndex, tmp_path: Path) -> None:
    data = bytearray(small.path.read_bytes())
    group = small.group(9)
    assert group is not None
    place = data.find(np.asarray(group.indexed.events).tobytes())
    data[place + 2 : place + 4] = struct.pack("<H", 0xFFFF)
    (tmp_path / "bad.idx").write_bytes(data)
    with pytest.raises(InputError, match="damaged"):
        find_patterns(GameIndex(tmp_path / "bad.idx"), [read_diagram("--\n|X", size=9).pattern])
    with pytest.raises(InputError, match="damaged"):
        GameIndex(tmp_path / "bad.idx").game(0)
