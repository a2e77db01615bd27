"""Set Transformers that need numpy alone, and `StrengthNetwork`, one that gives ratings.

The same equations as in its training, for using a network where
torch is not installed. A network is one npz file: arrays by the names that torch gives
them, in float16, and one JSON text that says what it is. It is never unpickled.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import UsageError
from yardstone.strength.set_model.file import read_network, write_network
from yardstone.strength.set_model.packed_moves import PackedMoves, alike, pack
from yardstone.winprob.laws import logistic

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from yardstone.strength.set_model.hyperparameters import Hyperparameters
    from yardstone.strength.set_model.packed_moves import MovesLike

    Floats = NDArray[np.float32]
    Numbers = NDArray[np.floating[Any]]

__all__ = [
    "EPSILON",
    "POINTS",
    "StrengthNetwork",
    "attended_sets",
    "gamma",
    "outputs_of",
    "parameter_shapes",
    "rate_sets",
    "set_outputs",
    "slopes_of",
]

#: Added to the variance by a normalisation (torch's default; the thesis names none).
EPSILON = 1e-5
#: Rating points for a factor of ten in the odds.
POINTS = 400.0
#: Places for moves that are computed at once.
_MOVES = 16384


def gamma(deviation: float) -> float:
    """What a unit of a normalised rating is worth in the exponent (section 4.7.1)."""
    return deviation * math.log(10) / POINTS


def parameter_shapes(
    settings: Hyperparameters, channels: int, outputs: int = 1
) -> dict[str, tuple[int, ...]]:
    """Name and shape of every array of a network, in the order of the equations."""
    d, q, m = settings.width, settings.query_width, settings.inducing_points

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
    for number in range(settings.depth):
        block = f"blocks.{number}"
        shapes[f"{block}.points"] = (m, d)
        shapes |= attention(f"{block}.gather") | attention(f"{block}.spread")
    shapes["seed"] = (1, d)
    return shapes | attention("pool") | {"rate.weight": (outputs, d)}


def rate_sets(
    arrays: Mapping[str, Numbers], settings: Hyperparameters, x: Numbers, there: Any = None
) -> Numbers:
    """The output of a network that has one, for sets of moves (eq. 4.4 to 4.8).

    Parameters
    ----------
    arrays, settings, x, there
        As in `set_outputs`.

    Returns
    -------
    [b]
        Normalised ratings; 0, the mean of the labels, for a set without a move.
    """
    return np.asarray(set_outputs(arrays, settings, x, there)[:, 0])


def set_outputs(
    arrays: Mapping[str, Numbers], settings: Hyperparameters, x: Numbers, there: Any = None
) -> Numbers:
    """All outputs of a network for sets of moves (eq. 4.4 to 4.8).

    Parameters
    ----------
    arrays : mapping
        The parameters by name, float32 or float64, and ``input.mean`` and
        ``input.deviation`` if inputs are standardised.
    settings : Hyperparameters
    x : [b, n, channels]
        b sets side by side.
    there : bool [b, n], optional
        True where there is a move; everywhere if not given.

    Returns
    -------
    [b, k]
        0 for a set without a move.
    """
    h, shut = _elements(arrays, settings, x, there)
    weights = _weights(arrays, "pool", arrays["seed"], h, shut)
    outputs = outputs_of(arrays, (weights @ h) @ arrays["pool.value.weight"].T)[:, 0]
    full = np.ones(len(x), np.bool_) if there is None else there.any(1)
    return np.asarray(np.where(full[:, None], outputs, 0))


def attended_sets(
    arrays: Mapping[str, Numbers], settings: Hyperparameters, x: Numbers, there: Any = None
) -> tuple[Numbers, Numbers]:
    """What the last attention makes of each move, and how much of it the move gives.

    Returns
    -------
    [b, n, d]
        The value of each move.
    [b, n]
        Its weight; those of a set add up to 1. `outputs_of` the weighted sum of the
        values is what `set_outputs` gives.
    """
    h, shut = _elements(arrays, settings, x, there)
    weights = _weights(arrays, "pool", arrays["seed"], h, shut)
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


def _elements(
    arrays: Mapping[str, Numbers], settings: Hyperparameters, x: Numbers, there: Any
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
    for number in range(settings.depth):
        name = f"blocks.{number}"
        gathered = _attention_block(arrays, f"{name}.gather", arrays[f"{name}.points"], h, shut)
        h = _attention_block(arrays, f"{name}.spread", h, gathered, None)
    return h, shut


def _attention_block(
    arrays: Mapping[str, Numbers], name: str, q: Numbers, h: Numbers, shut: Numbers | None
) -> Numbers:
    """Eq. 4.4 and 4.5: what queries [b, m, d] or [m, d] get from elements [b, n, d]."""
    weights = _weights(arrays, name, q, h, shut)
    value = arrays[f"{name}.value.weight"].T
    # Of the two orders of the product, the one that transforms fewer vectors.
    attended = (weights @ h) @ value if q.shape[-2] < h.shape[-2] else weights @ (h @ value)
    return _residual(arrays, name, q, attended)


def _weights(
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
    part = {key: arrays[f"{name}.{key}"] for key in _AFTER}
    attended = _normalised(q + attended, part["first_norm.weight"], part["first_norm.bias"])
    dense = attended @ part["dense.weight"].T + part["dense.bias"]
    attended += np.maximum(dense, 0, out=dense)
    return _normalised(attended, part["second_norm.weight"], part["second_norm.bias"])


_AFTER = (
    "first_norm.weight",
    "first_norm.bias",
    "dense.weight",
    "dense.bias",
    "second_norm.weight",
    "second_norm.bias",
)


def _normalised(x: Numbers, gain: Numbers, shift: Numbers) -> Numbers:
    """Layer normalisation over the features (section 2.2.1)."""
    x, _ = _centred(x)
    x *= gain
    x += shift
    return x


@dataclass(frozen=True, eq=False)
class StrengthNetwork:
    """A trained network: ratings from sets of moves; frozen.

    Attributes
    ----------
    settings : Hyperparameters
        How it is built and was trained.
    arrays : mapping of names to float32 arrays
        Its parameters, and ``input.mean`` and ``input.deviation`` where inputs are
        standardised.
    mean, deviation : float
        Of the labels it was trained on, in rating points.
    card : mapping
        What else is to be known: data, network of the features, figures.
    """

    settings: Hyperparameters
    arrays: Mapping[str, Floats]
    mean: float
    deviation: float
    card: Mapping[str, Any] = field(default_factory=dict)

    @property
    def channels(self) -> int:
        """Features of a move that it expects."""
        return int(self.arrays["encode.weight"].shape[1])

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> StrengthNetwork:
        """Read a network from its file.

        Raises
        ------
        InputError
            There is no such file, or it is no network, or damaged.
        """
        settings, arrays, about = read_network(Path(path), parameter_shapes)
        return cls(settings, arrays, about["mean"], about["deviation"], about["card"])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the network to a file, whole or not at all, its numbers in float16.

        Raises
        ------
        InputError
            The file cannot be written.
        UsageError
            A parameter is beyond float16.
        """
        about = {
            "channels": self.channels,
            "mean": float(self.mean),
            "deviation": float(self.deviation),
            "card": dict(self.card),
        }
        write_network(Path(path), self.settings, self.arrays, about)

    def ratings(self, moves: MovesLike) -> NDArray[np.float64]:
        """Rating points from each set of moves.

        Parameters
        ----------
        moves : MoveSets
            Of each set the latest `settings.window` moves are used.

        Returns
        -------
        float64 [sets]
            The mean of the labels for a set without a move.

        Raises
        ------
        UsageError
            The moves have other features than the network was trained on.
        """
        packed = moves if isinstance(moves, PackedMoves) else pack(moves, self.settings.window)
        if packed.channels != self.channels:
            raise UsageError(
                f"the moves have {packed.channels} features each; "
                f"this network was trained on {self.channels}"
            )
        rated = np.zeros(len(packed))
        for sets in alike(packed.lengths(), _MOVES):
            rows, there = packed.indices(sets)
            if len(packed.features):
                x = packed.features[rows].astype(np.float32)
                rated[sets] = rate_sets(self.arrays, self.settings, x, there)
        return self.mean + self.deviation * rated

    def expected(self, ratings: NDArray[np.float64]) -> NDArray[np.float64]:
        """Black's expected score from the ratings of Black and White [2 games] (eq. 3.1).

        `ratings` are those of `ratings`: of each game Black's, then White's.
        """
        black, white = np.asarray(ratings, np.float64).reshape(-1, 2).T
        return logistic((black - white) * (math.log(10) / POINTS))
