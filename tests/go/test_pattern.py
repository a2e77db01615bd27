"""Patterns: how they are drawn, and how they can lie."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yardstone.errors import InputError
from yardstone.go.patterns import Pattern, read_diagram
from yardstone.go.patterns.pattern import ANY, allowed, back_to_front, swapped_colours
from yardstone.go.points import BLACK, EMPTY, WHITE, point_number, symmetry_points

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
