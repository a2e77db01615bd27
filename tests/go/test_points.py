from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from yardstone.errors import InputError
from yardstone.go import points


@given(st.integers(2, 19), st.data())
def test_names_and_numbers_are_inverse(size: int, data: st.DataObject) -> None:
    point = data.draw(st.integers(-1, size * size - 1))
    name = points.point_name(point, size)
    assert points.point_number(name, size) == point
    assert points.point_number(f" {name.lower()} ", size) == point


def test_well_known_points_and_what_is_none() -> None:
    assert points.point_number("Q16", 19) == 3 * 19 + 15
    assert points.point_number("J9", 9) == 8
    assert points.point_name(0, 19) == "A19"
    for name in ("", "A", "I5", "K1", "A0", "A10", "5", "A-1", "A1.5", "AA1", "A\u0661", "Q16"):
        with pytest.raises(InputError, match=r"A1 to J9 without the letter I, or pass"):
            points.point_number(name, 9)
    for size in (-1, 0, 1, 20, 10**9):
        with pytest.raises(InputError, match="2 to 19, and boards are square"):
            points.check_size(size)
    assert [points.parse_colour(text) for text in ("b", "W", " Black ", "white")] == [1, 2, 1, 2]
    assert (points.opponent(points.BLACK), points.opponent(points.WHITE)) == (2, 1)
    assert points.colour_name(points.BLACK) == "Black"
    with pytest.raises(InputError, match="write b or w"):
        points.parse_colour("red")


@pytest.mark.parametrize("size", [2, 5, 19])
def test_neighbours_and_symmetries(size: int) -> None:
    plain = np.arange(size * size).reshape(size, size)
    table, seen = points.neighbours(size), set()
    for point in range(size * size):
        row, column = divmod(point, size)
        near = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
        inside = {r * size + c for r, c in near if 0 <= r < size and 0 <= c < size}
        assert inside == {*table[point].tolist()} - {size * size}
    assert table[-1].tolist() == [size * size] * 4
    for symmetry, image in enumerate(points.symmetry_points(size)):
        expected = plain.T if symmetry & 4 else plain
        expected = expected[:: -1 if symmetry & 1 else 1, :: -1 if symmetry & 2 else 1]
        turned = np.empty(size * size, dtype=plain.dtype)
        turned[image] = plain.reshape(-1)
        assert turned.tolist() == expected.reshape(-1).tolist()
        seen.add(turned.tobytes())
    assert len(seen) == 8


def test_keys_may_be_stored() -> None:
    board = np.zeros(361, np.int8)
    assert points.position_keys(board).tolist() == [0] * 8
    board[72] = 1
    assert points.position_keys(board).tolist() == points.stone_keys(19)[:, 1, 72].tolist()
    assert int(points.position_keys(board)[0]) == 5440105325875551529  # of a black stone at Q16
    with pytest.raises(ValueError, match="do not make a square board"):
        points.position_keys(np.zeros(10))


def test_points_from_outside() -> None:
    for table in (points.neighbours, points.symmetry_points, points.stone_keys):
        assert not table(5).flags.writeable
    assert points.point_array([]).dtype == np.int32
    assert points.point_array(np.array([3, -1], np.int8)).tolist() == [3, -1]
    most = [2**15, 2**15 - 1, -(2**15), -(2**15) - 1]  # what int16 does not hold is no point
    assert points.point_array(most).tolist() == [-(2**15), 2**15 - 1, -(2**15), -(2**15)]
    for wrong in ([1.5], [[1, 2]], ["A1"], 3):
        with pytest.raises(InputError, match="whole numbers in one dimension"):
            points.point_array(wrong)
