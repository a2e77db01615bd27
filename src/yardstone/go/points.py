"""Points of the board: their numbers, their names, and the eight symmetries.

A point is ``row * size + column``: row 0 is the top row (row ``size`` of a
diagram, ``a`` in an SGF file), column 0 the left one (A). A pass is -1. Boards
are square, 2x2 to 19x19.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from yardstone.arrays import Ints
from yardstone.errors import InputError
from yardstone.records.go_game import BLACK as BLACK
from yardstone.records.go_game import EMPTY as EMPTY
from yardstone.records.go_game import PASS as PASS
from yardstone.records.go_game import WHITE as WHITE

MIN_SIZE, MAX_SIZE = 2, 19
#: Number of rotations and reflections of a square.
SYMMETRIES = 8

_COLUMNS = "ABCDEFGHJKLMNOPQRST"
_NAMES = {BLACK: "Black", WHITE: "White"}
_COLOURS = {"b": BLACK, "black": BLACK, "w": WHITE, "white": WHITE}


def check_size(size: int) -> int:
    """Return the size, or raise an `InputError` if there is no board of that size."""
    if not MIN_SIZE <= size <= MAX_SIZE:
        raise InputError(
            f"boards of size {size} are not supported",
            hint=f"sizes are {MIN_SIZE} to {MAX_SIZE}, and boards are square",
        )
    return int(size)


def opponent(colour: int) -> int:
    """Return the other colour."""
    return BLACK + WHITE - colour


def colour_name(colour: int) -> str:
    """Return ``Black`` or ``White``."""
    return _NAMES[colour]


def parse_colour(text: str) -> int:
    """Read ``b``, ``black``, ``w`` or ``white``, in any case; InputError if it is none of them."""
    try:
        return _COLOURS[text.strip().lower()]
    except KeyError:
        raise InputError(f"{text!r} is not a colour", hint="write b or w") from None


def point_number(name: str, size: int) -> int:
    """Number of a point such as ``Q16`` (columns A to T without I, rows from below), or `PASS`.

    Raises:
        InputError: If it is not a point of a board of that size, nor ``pass``.

    Examples:
        >>> point_number("Q16", 19)
        72
        >>> point_number("pass", 19)
        -1
    """
    check_size(size)
    text = name.strip().upper()
    if text == "PASS":
        return PASS
    column = _COLUMNS.find(text[0]) if text else -1
    digits = text[1:]
    if 0 <= column < size and len(digits) <= 2 and digits.isascii() and digits.isdigit():
        row = int(digits)
        if 1 <= row <= size:
            return (size - row) * size + column
    last = f"{_COLUMNS[size - 1]}{size}"
    raise InputError(
        f"{name!r} is not a point of a {size}x{size} board",
        hint=f"points are A1 to {last} without the letter I, or pass",
    )


def point_name(point: int, size: int) -> str:
    """Name of a point, such as ``Q16``; ``pass`` for `PASS`.

    Examples:
        >>> point_name(72, 19)
        'Q16'
    """
    if point == PASS:
        return "pass"
    row, column = divmod(int(point), size)
    return f"{_COLUMNS[column]}{size - row}"


_LOWEST, _HIGHEST = np.iinfo(np.int16).min, np.iinfo(np.int16).max


def point_array(points: ArrayLike) -> Ints:
    """Return points as an array of int32 in one dimension; those outside int16 become -32768."""
    given = np.asarray(points)
    if given.size == 0:
        return np.zeros(0, dtype=np.int32)
    if given.dtype.kind not in "iu" or given.ndim != 1:
        raise InputError("points must be whole numbers in one dimension", hint="-1 is a pass")
    if given.dtype == np.int16:
        return given.astype(np.int32)
    inside = (given >= _LOWEST) & (given <= _HIGHEST)
    return np.ascontiguousarray(np.where(inside, given, _LOWEST), dtype=np.int32)


@cache
def neighbours(size: int) -> Ints:
    """Neighbours of each point, four a row; ``size * size`` stands for the edge.

    The last row is that of the edge itself, whose neighbours are edge.
    """
    area = check_size(size) ** 2
    points = np.arange(area).reshape(size, size)
    framed = np.pad(points, 1, constant_values=area)
    table = np.full((area + 1, 4), area, dtype=np.int32)
    for place, (down, right) in enumerate(((-1, 0), (0, -1), (0, 1), (1, 0))):
        table[:area, place] = framed[
            1 + down : 1 + down + size, 1 + right : 1 + right + size
        ].reshape(area)
    table.setflags(write=False)
    return table


@cache
def symmetry_points(size: int) -> Ints:
    """Where each point goes under each of the eight symmetries, shape [8, size * size].

    Symmetry ``s`` swaps rows and columns if it has the bit 4, then turns the rows
    upside down if it has the bit 1, and the columns if it has the bit 2.
    """
    area = check_size(size) ** 2
    row, column = np.divmod(np.arange(area), size)
    table = np.empty((SYMMETRIES, area), dtype=np.int32)
    for symmetry in range(SYMMETRIES):
        down, right = (column, row) if symmetry & 4 else (row, column)
        down = size - 1 - down if symmetry & 1 else down
        right = size - 1 - right if symmetry & 2 else right
        table[symmetry] = down * size + right
    table.setflags(write=False)
    return table


#: To be changed never: stored keys would lose their meaning.
_SEED = 20_240_229

#: What a key is combined with when the player to move matters, by colour.
PLAYER_KEYS: NDArray[np.uint64] = np.array(
    [0, 0x6A09E667F3BCC909, 0xBB67AE8584CAA73B], dtype=np.uint64
)


@cache
def stone_keys(size: int) -> NDArray[np.uint64]:
    """Random number of a stone: shape [8, 3, size * size], by symmetry, colour and point.

    The number under a symmetry is that of the point to which the symmetry takes the stone.
    """
    area = check_size(size) ** 2
    random = np.random.Generator(np.random.PCG64([_SEED, size]))
    plain = random.integers(1, 2**64 - 1, size=(3, area), dtype=np.uint64, endpoint=True)
    plain[0] = 0
    table = np.ascontiguousarray(plain[:, symmetry_points(size)].transpose(1, 0, 2))
    table.setflags(write=False)
    return table


def position_keys(stones: ArrayLike) -> NDArray[np.uint64]:
    """Return the keys of positions under the eight symmetries.

    Args:
        stones (array_like of int, shape [..., size * size]): Colours of the points: 0, 1 for Black,
            2 for White.

    Returns:
        ndarray of uint64, shape [..., 8]: Entry ``s`` is the key of the position turned by symmetry
            ``s`` (`yardstone.go.points.symmetry_points`). The minimum over the last axis is the
            same for all turns of a position.

    Examples:
        >>> import numpy as np
        >>> one = np.zeros(81, dtype=np.int8)
        >>> other = one.copy()
        >>> one[0], other[80] = 1, 1
        >>> int(position_keys(one).min()) == int(position_keys(other).min())
        True
    """
    colours = np.asarray(stones)
    size = round(colours.shape[-1] ** 0.5)
    if size * size != colours.shape[-1]:
        raise ValueError(f"{colours.shape[-1]} points do not make a square board")
    table = stone_keys(size)
    keys = np.zeros((*colours.shape[:-1], SYMMETRIES), dtype=np.uint64)
    for symmetry in range(SYMMETRIES):
        for colour in (BLACK, WHITE):
            there = np.where(colours == colour, table[symmetry, colour], np.uint64(0))
            keys[..., symmetry] ^= np.bitwise_xor.reduce(there, axis=-1)
    return keys
