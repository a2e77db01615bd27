"""The bits of GNU Backgammon's position ID and match ID, as its manual (section 11) lays them out.

`yardstone.backgammon.positions` makes sense of them; analyses send the text of this file
into GNU Backgammon's own interpreter, so everything here is plain Python of the standard
library.
"""

from __future__ import annotations

import base64

#: Numbers of a match ID with their widths in bits, the lowest first: the exponent of the
#: cube, its owner (3 for nobody), who is on roll, ..., and that Jacoby's rule is off.
MATCH_FIELDS = (
    ("cube", 4),
    ("owner", 2),
    ("on_roll", 1),
    ("crawford", 1),
    ("state", 3),
    ("to_decide", 1),
    ("doubled", 1),
    ("resigned", 2),
    ("die_1", 3),
    ("die_2", 3),
    ("length", 15),
    ("score_0", 15),
    ("score_1", 15),
    ("no_jacoby", 1),
)
#: Points of a side and its bar; bytes of both keys.
PLACES, POSITION_BYTES, MATCH_BYTES = 25, 10, 9


def pack_match(fields: dict[str, int]) -> str:
    """The match ID of these numbers; those that are missing are 0."""
    value = shift = 0
    for name, width in MATCH_FIELDS:
        value |= fields.get(name, 0) << shift
        shift += width
    return base64.b64encode(value.to_bytes(MATCH_BYTES, "little")).decode()


def unpack_match(text: str) -> dict[str, int]:
    """The numbers of a match ID.

    Raises
    ------
    ValueError
        It is not a match ID.
    """
    value = int.from_bytes(_decoded(text, MATCH_BYTES), "little")
    fields = {}
    for name, width in MATCH_FIELDS:
        fields[name] = value & ((1 << width) - 1)
        value >>= width
    if value:
        raise ValueError("bits are set that mean nothing")
    return fields


def pack_position(own: tuple[int, ...], other: tuple[int, ...]) -> str:
    """The position ID of the chequers of the player on roll and of the other.

    Each side has 25 numbers, its own points from the ace point on and the bar: so many
    ones stand in the key, and a zero after them, the other side's first.
    """
    value = shift = 0
    for number in (*other, *own):
        value |= ((1 << number) - 1) << shift
        shift += number + 1
    return base64.b64encode(value.to_bytes(POSITION_BYTES, "little")).decode().rstrip("=")


def unpack_position(text: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The chequers of the player on roll and of the other.

    Raises
    ------
    ValueError
        It is not a position ID.
    """
    value = int.from_bytes(_decoded(text, POSITION_BYTES), "little")
    numbers = []
    for _ in range(2 * PLACES):
        ones = (~value & (value + 1)).bit_length() - 1
        numbers.append(ones)
        value >>= ones + 1
    if value:
        raise ValueError("it holds more than two sides of a board")
    return tuple(numbers[PLACES:]), tuple(numbers[:PLACES])


def _decoded(text: str, size: int) -> bytes:
    """The bytes of an ID, of which no letter may be another."""
    length = -(-size * 8 // 6)
    if len(text) != length:
        raise ValueError(f"it has {len(text)} letters in place of {length}")
    data = base64.b64decode(text + "=" * (-length % 4), validate=True)
    if base64.b64encode(data).decode().rstrip("=") != text:
        raise ValueError(f"no ID ends in {text[-1]!r}")
    return data
