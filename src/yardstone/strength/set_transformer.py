"""A Set Transformer in numpy (Neubauer 2024, section 4.4): sets of moves, and what it says."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from yardstone.arrays import Flags, Longs

    Numbers = NDArray[np.floating[Any]]


@dataclass(frozen=True, eq=False)
class PackedMoves:
    """Sets of moves in memory; frozen."""

    features: NDArray[np.floating[Any]]  #: [moves, channels]: of all moves that occur in a set.
    rows: Longs  #: [k]: moves of the sets, one set after the other, oldest first.
    starts: Longs  #: [sets + 1]: where each set begins in `rows`, and the end of the last.

    def __len__(self) -> int:
        """Number of sets."""
        return len(self.starts) - 1

    @property
    def channels(self) -> int:
        """Features of a move."""
        return int(self.features.shape[1])

    def lengths(self) -> Longs:
        """Moves of each set."""
        return np.diff(self.starts)

    def indices(self, sets: Longs) -> tuple[Longs, Flags | None]:
        """Rows of `features` of some sets [b], as `side_by_side` gives them."""
        return side_by_side(
            [self.rows[self.starts[which] : self.starts[which + 1]] for which in sets]
        )


def side_by_side(chosen: Sequence[Longs]) -> tuple[Longs, Flags | None]:
    """The rows of b sets side by side, the shorter ones filled up.

    Returns [b, n]: n is the longest length, at least 1; what is no move points at row 0; [b, n]:
    True where there is a move; None if there is one everywhere.
    """
    lengths = np.array([len(rows) for rows in chosen], np.int64)
    there = np.arange(max(lengths.max(initial=0), 1)) < lengths[:, None]
    moves = np.zeros(there.shape, np.int64)
    moves[there] = np.concatenate([np.empty(0, np.int64), *chosen])
    return moves, None if there.all() else there


def alike(lengths: Longs, moves: int) -> Iterator[Longs]:
    """Split sets, or games, into groups of like length so that little is filled up.

    `lengths` [n] or [n, k]: moves of each set, or of each of the k sets that must stay together.
    `moves`: a group has at most so many places for moves, but at least one row. Yields [b]: row
    numbers; together all rows, the shortest first.
    """
    width = 1 if lengths.ndim == 1 else lengths.shape[1]
    longest = lengths if lengths.ndim == 1 else lengths.max(1)
    order = np.argsort(longest, kind="stable")
    first = 0
    while first < len(order):
        last = first + 1
        while last < len(order) and (last + 1 - first) * width * longest[order[last]] <= moves:
            last += 1
        yield order[first:last]
        first = last


#: Added to the variance by a normalisation (torch's default; the thesis names none).
EPSILON = 1e-5


@dataclass(frozen=True, slots=True)
class NetworkSize:
    """How a network is built; frozen."""

    depth: int  #: Induced set attention blocks (l).
    width: int  #: Hidden features of a move (d).
    query_width: int  #: Features of a query and of a key (d_q).
    inducing_points: int  #: Learned queries of each block (m).

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]]) -> NetworkSize:
        """That of a network, from the shapes of its arrays."""
        depth = _depth(arrays)
        query, width = arrays["pool.query.weight"].shape
        return cls(depth, width, query, len(arrays["blocks.0.points"]) if depth else 1)


def _depth(arrays: Mapping[str, NDArray[Any]]) -> int:
    return sum(name.endswith(".points") for name in arrays)


def parameter_shapes(
    size: NetworkSize, channels: int, outputs: int = 1
) -> dict[str, tuple[int, ...]]:
    """Name and shape of every array of a network, in the order of the equations."""
    d, q, m = size.width, size.query_width, size.inducing_points

    def attention(name: str) -> dict[str, tuple[int, ...]]:
        return {
            f"{name}.query.weight": (q, d),
            f"{name}.key.weight": (q, d),
            f"{name}.value.weight": (d, d),
            f"{name}.first_norm.weight": (d,),
            f"{name}.first_norm.bias": (d,),
            f"{name}.dense.weight": (d, d),
            f"{name}.dense.bias": (d,),
            f"{name}.second_norm.weight": (d,),
            f"{name}.second_norm.bias": (d,),
        }

    shapes: dict[str, tuple[int, ...]] = {"encode.weight": (d, channels)}
    for number in range(size.depth):
        block = f"blocks.{number}"
        shapes[f"{block}.points"] = (m, d)
        shapes |= attention(f"{block}.gather") | attention(f"{block}.spread")
    shapes["seed"] = (1, d)
    return shapes | attention("pool") | {"rate.weight": (outputs, d)}


def attended_sets(
    arrays: Mapping[str, Numbers], x: Numbers, there: Any = None
) -> tuple[Numbers, Numbers]:
    """What the last attention makes of each move, and how much of it the move gives.

    `arrays`: the parameters by name, float32 or float64, and ``input.mean`` and ``input.deviation``
    if inputs are standardised. `x` [b, n, channels]: b sets side by side. `there` [b, n]: True
    where there is a move; everywhere if not given. Returns [b, n, d]: the value of each move; [b,
    n]: its weight; those of a set add up to 1. `outputs_of` the weighted sum of the values is what
    the network says.
    """
    h, shut = elements(arrays, x, there)
    weights = attention_weights(arrays, "pool", arrays["seed"], h, shut)
    return h @ arrays["pool.value.weight"].T, weights[:, 0]


def outputs_of(arrays: Mapping[str, Numbers], attended: Numbers) -> Numbers:
    """Outputs [..., k] from what the last attention gathered of a set [..., d]."""
    pooled = _residual(arrays, "pool", arrays["seed"][0], attended)
    return np.asarray(pooled @ arrays["rate.weight"].T)


def slopes_of(arrays: Mapping[str, Numbers], attended: Numbers) -> Numbers:
    """How much each output changes with what was gathered: [..., k, d], at [..., d]."""
    whitened, one = _centred(arrays["seed"][0] + attended)
    first = whitened * arrays["pool.first_norm.weight"] + arrays["pool.first_norm.bias"]
    dense: Numbers = first @ arrays["pool.dense.weight"].T + arrays["pool.dense.bias"]
    second, two = _centred(first + np.maximum(dense, 0))
    slopes: Numbers = arrays["rate.weight"] * arrays["pool.second_norm.weight"]
    slopes = _back(slopes, second, two)
    slopes = slopes + (slopes * (dense > 0)[..., None, :]) @ arrays["pool.dense.weight"]
    return _back(slopes * arrays["pool.first_norm.weight"], whitened, one)


def _centred(x: Numbers) -> tuple[Numbers, Numbers]:
    """With mean 0 and deviation 1 over the features, and the deviation there was."""
    x = x - x.mean(-1, keepdims=True)
    deviation = np.sqrt(np.square(x).mean(-1, keepdims=True) + EPSILON)
    return x / deviation, deviation


def _back(slopes: Numbers, centred: Numbers, deviation: Numbers) -> Numbers:
    """Slopes [..., k, d] at what was centred, from those at what came of it."""
    along = (slopes * centred[..., None, :]).mean(-1, keepdims=True)
    away = slopes - slopes.mean(-1, keepdims=True) - along * centred[..., None, :]
    return np.asarray(away / deviation[..., None])


def elements(
    arrays: Mapping[str, Numbers], x: Numbers, there: Any
) -> tuple[Numbers, Numbers | None]:
    """The moves of sets, each knowing of the others, and what hides the filled-up places."""
    if "input.mean" in arrays:
        x = (x - arrays["input.mean"]) / arrays["input.deviation"]
    shut = None
    if there is not None:
        # A set without a move is computed as if it had some; its answer is not used.
        hidden = there | ~there.any(1)[:, None]
        shut = np.where(hidden, 0, -np.inf).astype(x.dtype)[:, None, :]
    h: Numbers = x @ arrays["encode.weight"].T
    for number in range(_depth(arrays)):
        name = f"blocks.{number}"
        gathered = _attention_block(arrays, f"{name}.gather", arrays[f"{name}.points"], h, shut)
        h = _attention_block(arrays, f"{name}.spread", h, gathered, None)
    return h, shut


def _attention_block(
    arrays: Mapping[str, Numbers], name: str, q: Numbers, h: Numbers, shut: Numbers | None
) -> Numbers:
    """Eq. 4.4 and 4.5: what queries [b, m, d] or [m, d] get from elements [b, n, d]."""
    weights = attention_weights(arrays, name, q, h, shut)
    value = arrays[f"{name}.value.weight"].T
    # Of the two orders of the product, the one that transforms fewer vectors.
    attended = (weights @ h) @ value if q.shape[-2] < h.shape[-2] else weights @ (h @ value)
    return _residual(arrays, name, q, attended)


def attention_weights(
    arrays: Mapping[str, Numbers], name: str, q: Numbers, h: Numbers, shut: Numbers | None
) -> Numbers:
    """How much of each element each query takes: [b, m, n]."""
    queries = q @ arrays[f"{name}.query.weight"].T
    keys = h @ arrays[f"{name}.key.weight"].T
    logits = queries @ np.swapaxes(keys, -1, -2) / math.sqrt(keys.shape[-1])
    if shut is not None:
        logits = logits + shut
    logits -= logits.max(-1, keepdims=True)
    weights = np.exp(logits, out=logits)
    weights /= weights.sum(-1, keepdims=True)
    return np.asarray(weights)


def _residual(arrays: Mapping[str, Numbers], name: str, q: Numbers, attended: Numbers) -> Numbers:
    """The residual of an attention, and the dense layer with its own."""
    attended = _normalised(arrays, f"{name}.first_norm", q + attended)
    dense = attended @ arrays[f"{name}.dense.weight"].T + arrays[f"{name}.dense.bias"]
    attended += np.maximum(dense, 0, out=dense)
    return _normalised(arrays, f"{name}.second_norm", attended)


def _normalised(arrays: Mapping[str, Numbers], name: str, x: Numbers) -> Numbers:
    """Layer normalisation over the features (section 2.2.1)."""
    x, _ = _centred(x)
    x *= arrays[f"{name}.weight"]
    x += arrays[f"{name}.bias"]
    return x
