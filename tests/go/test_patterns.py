"""Patterns, the index of games, and the search, which finds what a look at every position finds."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.go.games import random_game
from tests.go.slow_board import crowded_game, slow_search
from yardstone import parallel
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.go.patterns import GameIndex, Pattern, build_index, find_patterns, read_diagram
from yardstone.go.patterns.index import MARK
from yardstone.go.patterns.pattern import ANY, allowed, back_to_front, swapped_colours
from yardstone.go.points import BLACK, EMPTY, WHITE, point_number, symmetry_points
from yardstone.records.go_game import GoGame
from yardstone.records.sgf import read_games, write_sgf


def test_a_diagram_stands_where_its_edges_say() -> None:
    diagram = read_diagram("\n. . . . |\n. X b . |\n. ? O . |\n. w . . |\n--------+\n")
    pattern = diagram.pattern
    assert (pattern.size, diagram.top, diagram.left, pattern.loose) == (19, 15, 15, (False, False))
    for name, colours in {
        "R3": [BLACK], "S3": [BLACK, EMPTY], "S2": [WHITE], "R1": [WHITE, EMPTY], "T4": [EMPTY],
        "R2": [EMPTY, BLACK, WHITE], "A1": [EMPTY, BLACK, WHITE],
    }.items():  # fmt: skip
        assert pattern.points[point_number(name, 19)] == allowed(*colours), name
    # Signs of Sensei's Library.
    plain = read_diagram(". X|\n. O|\n---+", size=9).pattern.points
    assert (read_diagram("$$ , x |\n$$ . o |\n$$ ----", size=9).pattern.points == plain).all()
    # A whole board gives its own size; where no edge is drawn a pattern may stand anywhere.
    for text, loose, ways in (
        ("-----\n|. X .|\n|. . .|\n|. . .|\n-----", (False, False), 8),  # four sides, two colours
        ("X O", (True, True), 9 * 8 * 2 * 2),  # any row or column, either end first
        ("| X O", (True, False), 9 * 4 * 2), ("---\nX O", (False, True), 8 * 4 * 2),
        ("---\n|X O", (False, False), 8 * 2), ("X", (True, True), 81 * 2),
        ("X|", (True, False), 32 * 2),  # anywhere at the edge
    ):  # fmt: skip
        pattern = read_diagram(text, size=None if ways == 8 else 9).pattern
        assert (pattern.loose, len(pattern.placements())) == (loose, ways), text
    pattern = read_diagram("X", size=9).pattern
    for further, room in (((), (9, 9)), ([point_number("C4", 9)], (6, 7))):  # 2 right, 3 up of A1
        assert tuple(map(len, pattern.room(further))) == room


def test_what_is_no_diagram_is_refused_with_its_line() -> None:
    for text, size, line, reason in (
        ("X . .\n. .", 19, 2, "this row has other points than the first one"),
        ("X . |\n. .", 19, 2, "this row has other edges than the first one"),
        ("X ! .", 19, 1, "'!' is not a sign of a diagram"), (". . .", 19, 1, "has no stone"),
        ("? ? b", 19, 1, "has no stone"),
        ("X . . .", 3, 1, "the diagram has 4 columns, the board 3"),
        ("|X . .|", 19, 1, "both edges are drawn, but there are 3 columns of 19"),
        ("X\n-\nO", 19, 1, "an edge runs through the diagram"),
        ("X", 20, 1, "boards of size 20 are not supported"),
        ("X", 0, 1, "boards of size 0 are not supported"), ("", 19, 1, "the diagram has no row"),
        ("\n".join(["X"] * 20), 19, 1, "the diagram has 20 rows, the board 19"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=reason) as error:
            read_diagram(text, size=size, file="joseki.txt")
        assert (error.value.file, error.value.line) == ("joseki.txt", line)


@given(st.lists(st.integers(1, 7), min_size=25, max_size=25))
@settings(deadline=None, max_examples=40)
def test_every_placement_is_the_pattern_turned(values: list[int]) -> None:
    values[7] = allowed(BLACK)
    pattern = Pattern(5, np.array(values, np.uint8))
    table, back = symmetry_points(5), back_to_front(5)
    ways = pattern.placements()
    assert len({board.tobytes() for _, board in ways}) == len(ways) <= 16
    for placement, board in ways:
        swap = [EMPTY, WHITE, BLACK] if placement.swapped else [EMPTY, BLACK, WHITE]
        expected = [0] * 25
        for point, value in enumerate(values):
            colours = [swap[c] for c in (EMPTY, BLACK, WHITE) if value >> c & 1]
            expected[table[placement.symmetry, point]] = allowed(*colours)
        assert board.tolist() == expected
        restored = swapped_colours(board) if placement.swapped else board
        assert (restored[np.argsort(back[placement.symmetry])] == pattern.points).all()


def test_patterns_that_are_refused() -> None:
    points = np.full(81, ANY, np.uint8)
    points[3] = allowed(BLACK)
    with pytest.raises(InputError, match="80 points, not 81"):
        Pattern(9, points[:80])
    for value in (0, 8):
        points[4] = value
        with pytest.raises(InputError, match="nothing at all"):
            Pattern(9, points)
    place = point_number("C3", 9)
    stones, inside = np.zeros(81, np.int8), np.zeros(81, np.bool_)
    stones[place] = BLACK
    with pytest.raises(InputError, match="the stone at C3 is outside the bounds"):
        Pattern.of_stones(9, stones, inside)
    inside[[0, place]] = True
    pattern = Pattern.of_stones(9, stones, inside, name="a corner")
    assert (pattern.known.tolist(), pattern.stones.tolist()) == ([0, place], [place])
    changed = pattern.changed([(0, allowed(WHITE)), (1, allowed(BLACK, WHITE))])
    assert [changed.colour(point) for point in (0, 1, 2, place)] == [2, -1, -1, 1]
    assert [pattern.colour(0), changed.name] == [0, "a corner"]


def write_games(path: Path, games: Sequence[GoGame] | str) -> Path:
    path.write_text(games if isinstance(games, str) else write_sgf(games))
    return path


def facts_of(game: GoGame) -> dict[str, str]:
    names = (
        "moves colours setup_black setup_white size line black white black_rank rules komi handicap"
        " to_play winner result date"
    )
    return {name: str(getattr(game, name)) for name in names.split()}


def test_games_come_back_as_they_were(tmp_path: Path) -> None:
    games = [crowded_game(seed, size=5 if seed % 10 else 9, moves=30) for seed in range(76)]
    file = write_games(tmp_path / "games.sgf", games)
    with file.open("a") as out:
        out.write("(;SZ[9]HA[2]AB[cc][gg]AW[ee]PL[W]KM[0.5]PB[A]PW[B];W[gc];B[cg];W[])")
    index, skipped = build_index([file], tmp_path / "games.idx")
    expected = sorted(read_games(file), key=lambda game: -game.size)
    assert (len(index), len(skipped), index.sizes) == (77, 0, (9, 5))
    assert index.positions == sum(len(game.moves) + 1 for game in expected)
    for number, game in enumerate(expected):
        assert facts_of(index.game(number)) == facts_of(game)
        assert index.place(number)[:2] == (str(file), game.line)
    assert GameIndex(tmp_path / "games.idx").facts == index.facts
    assert not (tmp_path / "games.idx.parts").exists()
    with pytest.raises(UsageError, match="there is no game 77, only 0 to 76"):
        index.game(77)
    # One game of each, and up to an illegal move.
    text = "(;SZ[9])(;SZ[9];B[cc];W[cc];B[gg])(;SZ[9];B[dd])(;SZ[9]PB[Ann];B[dd])(;GM[2])"
    index, skipped = build_index([write_games(tmp_path / "a.sgf", text)], tmp_path / "g.idx")
    assert [index.game(k).moves.tolist() for k in range(len(index))] == [[20], [30]]
    assert (index.facts["duplicates"], index.game(1).black) == (1, "")
    assert dict(skipped.reasons)["an illegal move: used up to there"] == 1
    assert "no stones" in dict(skipped.reasons)


def test_any_number_of_workers_gives_the_same_bytes_also_after_a_stop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [
        write_games(tmp_path / f"{k}.sgf", [random_game(3 * k + j, moves=20) for j in range(3)])
        for k in range(3)
    ]
    monkeypatch.setattr("yardstone.go.patterns.index._SHARE_BYTES", 1)
    with parallel.context(workers=2):
        whole = build_index(files, tmp_path / "whole.idx")[0].path.read_bytes()

    def stop(_: str, done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), parallel.context(workers=1, progress=stop):
        build_index(files, tmp_path / "g.idx")
    assert not (tmp_path / "g.idx").exists()
    parts = sorted((tmp_path / "g.idx.parts").iterdir())
    assert len(parts) == 2
    kept = parts[0].stat().st_mtime_ns
    parts[1].write_bytes(parts[1].read_bytes()[:100])  # broken off by the kill
    monkeypatch.setattr("yardstone.go.patterns.index.shutil.rmtree", lambda *_, **__: None)
    with parallel.context(workers=1):
        assert build_index(files, tmp_path / "g.idx")[0].path.read_bytes() == whole
        assert parts[0].stat().st_mtime_ns == kept
        write_games(files[2], "(;SZ[9];B[aa])")
        changed, _ = build_index(files, tmp_path / "g.idx")
    assert parts[0].stat().st_mtime_ns == kept
    assert changed.game(6).moves.tolist() == [0]


def test_nothing_to_index_is_said(tmp_path: Path) -> None:
    file, target = write_games(tmp_path / "a.sgf", "no game"), tmp_path / "g.idx"
    for files, output, error, message in (
        ([file], target, NoGamesError, "no "), (["-"], target, UsageError, "standard input"),
        ([tmp_path / "b.sgf"], target, InputError, "no such file"),
        ([], target, UsageError, "no file of games"),
        ([file], tmp_path / "none" / "g.idx", InputError, "no such folder"),
        ([file], tmp_path, InputError, "this is a folder"),
    ):  # fmt: skip
        with pytest.raises(error, match=message):
            build_index(files, output)
    assert not target.exists()


def test_what_is_no_index_is_refused(tmp_path: Path) -> None:
    file = write_games(tmp_path / "a.sgf", "(;SZ[9];B[aa];W[gg])")
    small, _ = build_index([file], tmp_path / "g.idx")
    data, path = small.path.read_bytes(), tmp_path / "x.idx"
    (length,) = struct.unpack_from("<Q", data, 16)
    facts, end = json.loads(data[24 : 24 + length]), 24 + length
    some: dict[str, Any] = {"type": "uint16", "shape": [1], "offset": 0}
    wrong = [("shape", [1 << 60]), ("shape", [-1]), ("offset", 1 << 61), ("type", "object")]
    events = [some | {name: value} for name, value in wrong]
    changes: list[dict[str, Any]] = [
        *({"sizes": value} for value in ([[19, 1], [99, 1]], [[9, 2]], [[9, 0]], "x")),
        *({"sizes": [[9, 1], [9, 1]]}, {"format": 99}, {"moves": None}, {"duplicates": -1}),
        *({"arrays": value} for value in ({}, [], *({"9/events": each} for each in events))),
    ]
    pieces = [data[:length] for length in (0, 20, 200, len(data) // 2, len(data) - 64)]
    for change in changes:
        text = json.dumps({**facts, **change}).encode()
        head = MARK + struct.pack("<Q", len(text)) + text
        pieces.append(head + bytes(-len(head) % 64) + data[-(-end // 64) * 64 :])
    for piece in (b"(;GM[1])", MARK, MARK + struct.pack("<Q", 1 << 60) + b"{}", *pieces):
        path.write_bytes(piece)
        with pytest.raises(InputError, match=r"not an index of games|damaged|another version"):
            GameIndex(path)
    with pytest.raises(InputError, match="cannot be read"):
        GameIndex(tmp_path / "none.idx")
    # Numbers that are no events.
    group = small.group(9)
    assert group is not None
    place = data.find(np.asarray(group.indexed.events).tobytes())
    path.write_bytes(data[: place + 2] + struct.pack("<H", 0xFFFF) + data[place + 4 :])
    with pytest.raises(InputError, match="damaged"):
        find_patterns(GameIndex(path), [read_diagram("--\n|X", size=9).pattern])
    with pytest.raises(InputError, match="damaged"):
        GameIndex(path).game(0)


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> GameIndex:
    """Long random games on small boards: full of captures, kos and repeated positions.

    There are more than 64 of size 4: bits for more do not fit into a word.
    """
    folder = tmp_path_factory.mktemp("crowded")
    sizes = [4] * 66 + [5] * 8 + [6] * 8
    games = [crowded_game(seed, size=size, moves=60) for seed, size in enumerate(sizes)]
    return build_index([write_games(folder / "games.sgf", games)], folder / "games.idx")[0]


def random_patterns(size: int, number: int, seed: int) -> list[Pattern]:
    random = np.random.default_rng(seed)
    values = [allowed(EMPTY), allowed(BLACK), allowed(WHITE), allowed(BLACK, EMPTY),
              allowed(WHITE, EMPTY), allowed(BLACK, WHITE)]  # fmt: skip
    result = []
    for k in range(number):
        points = np.full(size * size, ANY, np.uint8)
        known = random.choice(size * size, size=int(random.integers(2, 7)), replace=False)
        points[known] = random.choice(values, size=len(known))
        points[known[0]] = allowed(BLACK)
        result.append(Pattern(size, points, (bool(k % 2), k % 3 == 0)))
    return result


def test_it_agrees_with_a_look_at_every_position(crowded: GameIndex) -> None:
    captured = 0
    for size in crowded.sizes:
        patterns = random_patterns(size, 8, size)
        group = crowded.group(size)
        assert group is not None
        expected = slow_search(patterns, crowded, range(group.first, group.first + len(group)))
        result = find_patterns(crowded, patterns)
        assert {
            (pattern, *row)
            for pattern, match in enumerate(result)
            for row in np.column_stack([match.way, match.game, match.first, match.last]).tolist()
        } == expected
        assert sum(match.total for match in result) == len(expected) > 100
        captured += len(expected) - len({each[:3] for each in expected})
    assert captured > 100  # runs that came back in the same game, after captures
    # Of boards of another size there are none.
    (match,) = find_patterns(crowded, [read_diagram("--\n|X", size=13).pattern])
    assert (len(match), match.total) == (0, 0)


def test_threads_and_room_for_matches_change_nothing(
    crowded: GameIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    patterns = random_patterns(4, 6, 3)
    names = ("game", "first", "last", "way")
    with parallel.context(workers=1):
        one = find_patterns(crowded, patterns)
    monkeypatch.setattr("yardstone.go.patterns.search._WORDS", 1)
    monkeypatch.setattr("yardstone.go.patterns.search.FIRST_ROOM", 1)
    with parallel.context(workers=2):
        two = find_patterns(crowded, patterns)
    for left, right in zip(one, two, strict=True):
        assert all(np.array_equal(getattr(left, name), getattr(right, name)) for name in names)
    # Of many the first are kept, and all are counted: over several shares as well.
    for most in (0, 7, one[0].total - 1):
        some = find_patterns(crowded, patterns, most=most)[0]
        assert (len(some), some.total) == (most, one[0].total)
        assert all(np.array_equal(getattr(some, n), getattr(one[0], n)[:most]) for n in names)
    ways = len(patterns[1].placements())
    monkeypatch.setattr("yardstone.go.patterns.search._MOST_PLACEMENTS", 4 * ways)
    find_patterns(crowded, [patterns[1]] * 4)
    with pytest.raises(UsageError, match="too many loose patterns"):
        find_patterns(crowded, [patterns[1]] * 5)
