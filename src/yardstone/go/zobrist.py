"""Keys of positions: 64-bit numbers that are equal for equal positions.

A key is the exclusive or of one random number a stone (Zobrist 1970), so a move
changes it at the cost of the stones that it changes. `position_keys` gives the
keys of a position as it is seen under each of the eight symmetries; the smallest
of them is the key of the position whichever way the board lies. Keys depend on
the size of the board and on nothing else: they may be stored.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from yardstone.go.points import BLACK, SYMMETRIES, WHITE, check_size, symmetry_points

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["PLAYER_KEYS", "position_keys", "stone_keys"]

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

    Parameters
    ----------
    stones : array_like of int, shape [..., size * size]
        Colours of the points: 0, 1 for Black, 2 for White.

    Returns
    -------
    ndarray of uint64, shape [..., 8]
        Entry ``s`` is the key of the position turned by symmetry ``s``
        (`yardstone.go.points.symmetry_points`). The minimum over the last axis is
        the same for all turns of a position.

    Examples
    --------
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
