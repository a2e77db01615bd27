from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yardstone.errors import UsageError
from yardstone.records.decoding import clean
from yardstone.records.go_game import GoGame, parse_winner, split_rank
from yardstone.records.sgf import SgfReader, SgfTree, read_games, sgf_of_rows, write_sgf

#: Where a game stands is no part of what it says; properties are compared by themselves.
PLACE = ("file", "line", "number", "properties")

TEXTS = "rules black_rank white_rank black_team white_team event place".split()
DAYS = st.datetimes(datetime(1000, 1, 1), datetime(2100, 12, 31))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sgf")


def written_and_read(folder: Path, what: Any) -> Path:
    file = folder / "written.sgf"
    file.write_text(write_sgf(what), encoding="utf-8", newline="\n")
    return file


def same(one: GoGame, other: GoGame) -> None:
    for field in fields(GoGame):
        if field.name not in PLACE:
            np.testing.assert_equal(
                getattr(one, field.name), getattr(other, field.name), field.name
            )


LETTERS = st.characters(exclude_characters="\r\t\v\f", exclude_categories=["Cs"])
TEXT = st.text(st.characters(exclude_categories=["C", "Zl", "Zp", "Zs"]), max_size=12).map(clean)
NAME = TEXT.filter(lambda name: split_rank(name, "")[0] == name)


@st.composite
def games(draw: st.DrawFn) -> GoGame:
    size = draw(st.integers(2, 19))
    points = st.integers(-1, size * size - 1)
    moves = np.array(draw(st.lists(points, max_size=30)), np.int16)
    black, white = draw(st.integers(0, 3)), draw(st.integers(0, 3))
    stones = draw(st.permutations(range(size * size)))[: min(black + white, size * size)]
    setup = [np.sort(np.array(part, np.int16)) for part in (stones[:black], stones[black:])]
    first = draw(st.sampled_from([1, 2]))
    # One colour after the other: several moves of Black in a row are handicap stones.
    colours = np.array([first if k % 2 == 0 else 3 - first for k in range(len(moves))], np.int8)
    clock = st.one_of(st.floats(0, 9999, width=32), st.just(float("nan")))
    clocks = st.lists(clock, min_size=len(moves), max_size=len(moves))
    times = np.array(draw(clocks), np.float32)
    result = draw(st.one_of(st.sampled_from(["", "B+R", "W+2.5", "0", "Void"]), TEXT))
    handicap = 0 if len(moves) == 0 or first == 1 else draw(st.sampled_from([0, len(setup[0])]))
    if handicap == 0 and len(setup[0]) >= 2 and not len(setup[1]):
        handicap = len(setup[0]) if first == 2 else 0
    date = draw(DAYS).replace(microsecond=0) if draw(st.booleans()) else "NaT"
    texts: dict[str, Any] = {name: draw(TEXT) for name in TEXTS}
    return GoGame(
        size=size, komi=draw(st.sampled_from([None, -5.5, 0.0, 0.5, 6.5, 7.0, 7.5])),
        handicap=handicap, setup_black=setup[0], setup_white=setup[1], to_play=first, moves=moves,
        colours=colours, black=draw(NAME), white=draw(NAME), result=result,
        winner=parse_winner(result), date=np.datetime64(date, "s"),
        time_left=None if np.isnan(times).all() else times,
        properties={"GC": (draw(st.text(LETTERS, max_size=30)),)},
        **texts,
    )  # fmt: skip


@settings(max_examples=25, deadline=None)
@given(games())
def test_a_game_written_and_read_is_the_same(folder: Path, game: GoGame) -> None:
    (read,) = read_games(written_and_read(folder, game))
    same(game, read)
    assert read.properties["GC"] == game.properties["GC"]
    assert write_sgf(read) == write_sgf(game)


NODES = st.dictionaries(
    st.sampled_from(["B", "W", "C", "LB", "TR", "N", "XX"]),
    st.lists(st.text(LETTERS, max_size=9), min_size=1, max_size=3), max_size=3,
)  # fmt: skip


@settings(max_examples=25, deadline=None)
@given(NODES, st.lists(st.tuples(st.integers(0, 10**6), NODES), max_size=20))
def test_a_tree_written_and_read_is_the_same(
    folder: Path, root: dict[str, list[str]], others: list[tuple[int, dict[str, list[str]]]]
) -> None:
    tree = SgfTree()
    tree.add(None, root)
    for parent, properties in others:
        tree.add(parent % len(tree), properties)
    (read,) = SgfReader(written_and_read(folder, tree)).trees()
    pairs = [(0, 0)]
    for one, other in pairs:
        assert dict(tree.properties(one)) == dict(read.properties(other))
        pairs += zip(tree.children(one), read.children(other), strict=True)
    assert len(pairs) == len(tree) == len(read)
    assert sorted(read.leaves()) == sorted(n for n in range(len(read)) if not read.children(n))
    assert {read.path(leaf)[0] for leaf in read.leaves()} == {0}
    assert write_sgf(read) == write_sgf(tree)


def test_mended_games_and_collections(folder: Path) -> None:
    file = folder / "fox.sgf"
    file.write_text("(;SZ[19]KM[375]HA[2]PB[Ann 3d]PW[Bob]RE[B+R]TM[60];B[pd];B[dp];W[dd])")
    (game,) = read_games(file)
    text = write_sgf(game)
    for mended in ("KM[7.5]", "AB[pd][dp]", "PB[Ann]BR[3d]", "TM[60]"):
        assert mended in text
    (again,) = read_games(written_and_read(folder, game))
    same(game, again)
    many = [GoGame(black=f"P{k}", winner=winner) for k, winner in enumerate((1, 2, -1))]
    read = list(read_games(written_and_read(folder, many)))
    assert [(game.black, game.winner, game.number) for game in read] == [
        ("P0", 1, 1), ("P1", 2, 2), ("P2", -1, 3),
    ]  # fmt: skip
    assert read[2].result == "0"  # the winner is written where no result is


def test_what_cannot_be_written_is_refused() -> None:
    tree, full = SgfTree(), SgfTree()
    full.add(None, {})
    off = GoGame(size=9, moves=np.array([81], np.int16), colours=np.array([1], np.int8))
    refused: list[tuple[Callable[[], object], str]] = [
        (lambda: write_sgf(off), "not a point"), (lambda: write_sgf(GoGame(komi=6.3)), "komi"),
        (lambda: write_sgf(tree), "without nodes"), (lambda: tree.add(0, {}), "no node 0"),
        (lambda: tree.add(None, {"c]": ["x"]}), "capital letters"),
        (lambda: full.add(None, {}), "root already"), (lambda: full.properties(7), "no node 7"),
    ]  # fmt: skip
    for write, message in refused:
        with pytest.raises(UsageError, match=message):
            write()


def test_trees_that_are_deep_or_have_a_variation_that_begins_like_a_game(folder: Path) -> None:
    deep, tree = SgfTree(), SgfTree()
    node = deep.add(None, {"SZ": "9"})
    for _ in range(1000):
        deep.add(node, {"B": ""})
        node = deep.add(node, {"W": ""})
    (read,) = SgfReader(written_and_read(folder, deep)).trees()
    assert len(read) == 2_001
    root = tree.add(None, {"GM": "1", "SZ": "9"})
    tree.add(root, {"B": "aa"})
    tree.add(tree.add(root, {"GM": "3"}), {"FF": ("4", "5")})
    (read,) = SgfReader(written_and_read(folder, tree)).trees()
    assert [dict(read.properties(node)) for node in range(len(read))] == [
        {"GM": ("1",), "SZ": ("9",)}, {"B": ("aa",)}, {"GM": ("3",)}, {"FF": ("4", "5")}
    ]  # fmt: skip


def test_numbers_of_a_table_are_written_where_a_game_can_have_them() -> None:
    names = {"first": "A", "second": "B", "score": 1.0}
    rows = [{**names, "size": size, "handicap": "x"} for size in ("1", "2", "19", "20", "9.5")]
    sizes = [re.findall(r"SZ\[(\d+)\]", text) for text in sgf_of_rows(rows, None)]
    assert sizes == [["19"], ["2"], ["19"], ["19"], ["19"]]
