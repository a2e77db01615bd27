"""Patterns, the index of games, and the search, which finds what a look at every position finds."""

from __future__ import annotations

import json
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.go.games import random_game
from tests.go.slow_patterns import crowded_game, slow_search
from yardstone import parallel
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.go.patterns import (
    GameIndex,
    Matches,
    Pattern,
    build_index,
    find_patterns,
    read_diagram,
)
from yardstone.go.patterns.index import MARK
from yardstone.go.patterns.pattern import ANY, allowed, back_to_front, swapped_colours
from yardstone.go.points import BLACK, EMPTY, WHITE, point_number, symmetry_points
from yardstone.records.go_game import GoGame
from yardstone.records.sgf import read_games, write_sgf

CORNER = """
. . . . |
. X b . |
. ? O . |
. w . . |
--------+
"""


def test_a_diagram_stands_where_its_edges_say() -> None:
    diagram = read_diagram(CORNER)
    pattern = diagram.pattern
    assert (pattern.size, diagram.top, diagram.left, pattern.loose) == (19, 15, 15, (False, False))
    values = {
        name: int(pattern.points[point_number(name, 19)])
        for name in ("R3", "S3", "S2", "R2", "R1", "T4", "A1", "P4")
    }
    assert values == {
        "R3": allowed(BLACK),
        "S3": allowed(BLACK, EMPTY),
        "S2": allowed(WHITE),
        "R2": ANY,
        "R1": allowed(WHITE, EMPTY),
        "T4": allowed(EMPTY),
        "A1": ANY,
        "P4": ANY,
    }
    # Signs of Sensei's Library and of the thesis.
    plain = read_diagram(". X|\n. O|\n---+", size=9).pattern.points
    assert (read_diagram("$$ , x |\n$$ . o |\n$$ ----", size=9).pattern.points == plain).all()
    # A whole board gives its own size.
    whole = read_diagram("-----\n|. X .|\n|. . .|\n|. . .|\n-----").pattern
    assert (whole.size, whole.loose) == (3, (False, False))
    assert len(whole.placements()) == 8  # four sides, two colours


@pytest.mark.parametrize(
    ("text", "loose", "ways"),
    [
        ("X O", (True, True), 9 * 8 * 2 * 2),  # any row or column, either end first
        ("| X O", (True, False), 9 * 4 * 2),
        ("---\nX O", (False, True), 8 * 4 * 2),
        ("---\n|X O", (False, False), 8 * 2),
        ("X", (True, True), 81 * 2),
        ("X|", (True, False), 32 * 2),  # anywhere at the edge
    ],
)
def test_where_no_edge_is_drawn_it_may_stand_anywhere(
    text: str, loose: tuple[bool, bool], ways: int
) -> None:
    pattern = read_diagram(text, size=9).pattern
    assert pattern.loose == loose
    assert len(pattern.placements()) == ways


@pytest.mark.parametrize(
    ("text", "size", "line", "reason"),
    [
        ("X . .\n. .", 19, 2, "this row has other points than the first one"),
        ("X . |\n. .", 19, 2, "this row has other edges than the first one"),
        ("X ! .", 19, 1, "'!' is not a sign of a diagram"),
        (". . .", 19, 1, "has no stone"),
        ("? ? b", 19, 1, "has no stone"),
        ("X . . .", 3, 1, "the diagram has 4 columns, the board 3"),
        ("|X . .|", 19, 1, "both edges are drawn, but there are 3 columns of 19"),
        ("X\n-\nO", 19, 1, "an edge runs through the diagram"),
        ("X", 20, 1, "boards of size 20 are not supported"),
        ("X", 0, 1, "boards of size 0 are not supported"),
        ("", 19, 1, "the diagram has no row"),
        ("\n".join(["X"] * 20), 19, 1, "the diagram has 20 rows, the board 19"),
    ],
)
def test_what_is_no_diagram_is_refused_with_its_line(
    text: str, size: int, line: int, reason: str
) -> None:
    with pytest.raises(InputError, match=reason.replace("(", r"\(")) as error:
        read_diagram(text, size=size, file="joseki.txt")
    assert (error.value.file, error.value.line) == ("joseki.txt", line)


@given(st.lists(st.integers(1, 7), min_size=25, max_size=25))
@settings(deadline=None, max_examples=60)
def test_every_placement_is_the_pattern_turned(values: list[int]) -> None:
    values[7] = allowed(BLACK)
    pattern = Pattern(5, np.array(values, np.uint8))
    table, back = symmetry_points(5), back_to_front(5)
    ways = pattern.placements()
    assert 1 <= len(ways) <= 16
    assert len({board.tobytes() for _, board in ways}) == len(ways)
    for placement, board in ways:
        expected = [0] * 25
        for point, value in enumerate(values):
            colours = [c for c in (EMPTY, BLACK, WHITE) if value >> c & 1]
            if placement.swapped:
                colours = [c if c == EMPTY else 3 - c for c in colours]
            expected[table[placement.symmetry, point]] = allowed(*colours)
        assert board.tolist() == expected
        restored = swapped_colours(board) if placement.swapped else board
        home = np.empty_like(restored)
        home[back[placement.symmetry]] = restored
        assert (home == pattern.points).all()


def test_patterns_that_are_refused() -> None:
    points = np.full(81, ANY, np.uint8)
    points[3], points[4] = allowed(BLACK), 0
    with pytest.raises(InputError, match="nothing at all"):
        Pattern(9, points)
    with pytest.raises(InputError, match="80 points, not 81"):
        Pattern(9, points[:80])
    points[4] = 8
    with pytest.raises(InputError, match="nothing at all"):
        Pattern(9, points)
    stones = np.zeros(81, np.int8)
    stones[point_number("C3", 9)] = BLACK
    inside = np.zeros(81, np.bool_)
    with pytest.raises(InputError, match="the stone at C3 is outside the bounds"):
        Pattern.of_stones(9, stones, inside)
    inside[stones > 0] = inside[0] = True
    pattern = Pattern.of_stones(9, stones, inside, name="a corner")
    assert pattern.known.tolist() == [0, point_number("C3", 9)]
    assert pattern.stones.tolist() == [point_number("C3", 9)]
    changed = pattern.changed([(0, allowed(WHITE)), (1, allowed(BLACK, WHITE))])
    assert [changed.colour(point) for point in (0, 1, 2, point_number("C3", 9))] == [2, -1, -1, 1]
    assert [pattern.colour(0), changed.name] == [0, "a corner"]


def test_moving_stops_where_a_further_point_would_leave_the_board() -> None:
    pattern = read_diagram("X", size=9).pattern
    downs, rights = pattern.room()
    assert (len(downs), len(rights)) == (9, 9)
    downs, rights = pattern.room([point_number("C4", 9)])  # beside A1: 2 right, 3 up
    assert (len(downs), len(rights)) == (6, 7)


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
    games = "(;SZ[9])(;SZ[9];B[cc];W[cc];B[gg])(;SZ[9];B[dd])(;GM[2])"
    (tmp_path / "a.sgf").write_text(games)
    index, skipped = build_index([tmp_path / "a.sgf"], tmp_path / "g.idx")
    assert [index.game(k).moves.tolist() for k in range(len(index))] == [[20], [30]]
    assert dict(skipped.reasons)["an illegal move: used up to there"] == 1
    assert "no stones" in dict(skipped.reasons)


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
    with parallel.context(workers=1):
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
    with parallel.context(workers=1):
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


def runs(matches: list[Matches]) -> set[tuple[int, int, int, int, int]]:
    """Pattern, way to lie, game, first and last position."""
    return {
        (pattern, *row)
        for pattern, match in enumerate(matches)
        for row in np.column_stack([match.way, match.game, match.first, match.last]).tolist()
    }


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> GameIndex:
    """Long random games on small boards: full of captures, kos and repeated positions.

    There are more than 64 of size 4: bits for more do not fit into a word.
    """
    folder = tmp_path_factory.mktemp("crowded")
    sizes = [4] * 70 + [5] * 15 + [6] * 15
    games = [crowded_game(seed, size=size, moves=80) for seed, size in enumerate(sizes)]
    (folder / "games.sgf").write_text(write_sgf(games))
    return build_index([folder / "games.sgf"], folder / "games.idx")[0]


def random_patterns(size: int, number: int, seed: int) -> list[Pattern]:
    random = np.random.default_rng(seed)
    result = []
    for k in range(number):
        points = np.full(size * size, ANY, np.uint8)
        known = random.choice(size * size, size=int(random.integers(2, 7)), replace=False)
        values = [allowed(EMPTY), allowed(BLACK), allowed(WHITE), allowed(BLACK, EMPTY),
                  allowed(WHITE, EMPTY), allowed(BLACK, WHITE)]  # fmt: skip
        points[known] = random.choice(values, size=len(known))
        points[known[0]] = allowed(BLACK)
        loose = (bool(k % 2), bool(k % 3 == 0))
        result.append(Pattern(size, points, loose, f"pattern {k}"))
    return result


def test_it_agrees_with_a_look_at_every_position(crowded: GameIndex) -> None:
    captured = 0
    for size in crowded.sizes:
        patterns = random_patterns(size, 12, size)
        group = crowded.group(size)
        assert group is not None
        games = range(group.first, group.first + len(group))
        expected = slow_search(patterns, crowded, games)
        result = find_patterns(crowded, patterns)
        assert runs(result) == expected
        assert sum(match.total for match in result) == len(expected) > 500
        repeated = {(p, w, g) for p, w, g, _, _ in expected}
        captured += len(expected) - len(repeated)
    assert captured > 500  # runs that came back in the same game, after captures


def test_threads_and_room_for_matches_change_nothing(
    crowded: GameIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    patterns = random_patterns(4, 6, 3)
    with parallel.context(workers=1):
        one = find_patterns(crowded, patterns)
    monkeypatch.setattr("yardstone.go.patterns.search._WORDS", 1)
    monkeypatch.setattr("yardstone.go.patterns.search.FIRST_ROOM", 1)
    with parallel.context(workers=2):
        two = find_patterns(crowded, patterns)
    for left, right in zip(one, two, strict=True):
        for name in ("game", "first", "last", "way"):
            assert getattr(left, name).tolist() == getattr(right, name).tolist()
    # Of many the first are kept, and all are counted: over several shares as well.
    for most in (0, 7, one[0].total - 1):
        some = find_patterns(crowded, patterns, most=most)[0]
        assert (len(some), some.total) == (most, one[0].total)
        assert some.first.tolist() == one[0].first[:most].tolist()
        assert some.game.tolist() == one[0].game[:most].tolist()


def test_a_captured_stone_is_gone(tmp_path: Path) -> None:
    # White is caught at A9, then the point is empty, and later Black's.
    (tmp_path / "g.sgf").write_text("(;SZ[9];B[ba];W[aa];B[ab];W[ee];B[ge];W[eg];B[aa])")
    index, _ = build_index([tmp_path / "g.sgf"], tmp_path / "g.idx")
    for corner, expected in ((".", (3, 6)), ("X", (7, 7)), ("b", (3, 7))):
        (match,) = find_patterns(index, [read_diagram(f"--\n|{corner} X\n|X .", size=9).pattern])
        placed = [match.placements[way] for way in match.way]
        result = {
            (first, last)
            for first, last, place in zip(match.first, match.last, placed, strict=True)
            if not place.swapped
        }
        assert result == {expected}, corner
    (match,) = find_patterns(index, [read_diagram("--\n|O X\n|X .", size=9).pattern])
    assert match.total == 0


def test_a_ko_that_goes_to_and_fro_is_a_new_run_each_time(tmp_path: Path) -> None:
    ko = (
        ";B[cb];W[db];B[bc];W[ec];B[cd];W[dd];B[gg];W[cc];B[dc];W[hh];B[ga];W[cc];B[ha];W[ia];B[dc]"
    )
    (tmp_path / "g.sgf").write_text(f"(;SZ[9]{ko})")
    index, _ = build_index([tmp_path / "g.sgf"], tmp_path / "g.idx")
    points = np.full(81, ANY, np.uint8)
    points[2 * 9 + 2], points[2 * 9 + 3] = allowed(EMPTY), allowed(BLACK)
    points[1 * 9 + 2] = allowed(BLACK)
    (match,) = find_patterns(index, [Pattern(9, points)])
    own = [k for k, way in enumerate(match.way) if match.placements[way].symmetry == 0
           and not match.placements[way].swapped]  # fmt: skip
    assert [(int(match.first[k]), int(match.last[k])) for k in own] == [(9, 11), (15, 15)]


def test_how_a_pattern_is_drawn_does_not_matter(crowded: GameIndex) -> None:
    drawn = ["|X .\n|O ?\n---", ". X|\n? O|\n---"]
    edges = [read_diagram(text, size=5).pattern for text in drawn]
    totals = [match.total for match in find_patterns(crowded, edges)]
    assert totals[0] == totals[1] > 0
    # Boards of another size are left alone.
    (match,) = find_patterns(crowded, [read_diagram("--\n|X", size=13).pattern])
    assert (len(match), match.total) == (0, 0)


def test_too_many_ways_to_lie_are_refused(
    crowded: GameIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    pattern = read_diagram("X O", size=5).pattern
    ways = len(pattern.placements())
    monkeypatch.setattr("yardstone.go.patterns.search._MOST_PLACEMENTS", 4 * ways)
    find_patterns(crowded, [pattern] * 4)
    with pytest.raises(UsageError, match="too many loose patterns"):
        find_patterns(crowded, [pattern] * 5)
