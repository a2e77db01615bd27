"""A Set Transformer that rates players (Neubauer 2024, section 4.4): its settings and its file.

Without torch: with it `yardstone_lab.neubauer.network.training` makes such networks.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from yardstone.arrays import ArrayFile, StoredArrays
from yardstone.choices import with_values
from yardstone.errors import InputError, UsageError
from yardstone.strength.set_transformer import (
    NetworkSize,
    PackedMoves,
    alike,
    attention_weights,
    elements,
    outputs_of,
    parameter_shapes,
    side_by_side,
)
from yardstone.winprob.laws import logistic

if TYPE_CHECKING:
    import os

    from numpy.random import Generator

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float32]
    Numbers = NDArray[np.floating[Any]]

#: The domain of each setting that is searched (Neubauer 2024, section 4.7.3).
BOUNDS: Mapping[str, tuple[float, float]] = {
    "learning_rate": (1e-5, 1.0),
    "decay": (0.9, 1.0),
    "rating_loss": (0.001, 10.0),
    "regularisation": (0.001, 100.0),
    "depth": (1, 5),
    "width": (8, 256),
    "query_width": (8, 256),
    "inducing_points": (1, 64),
}
#: What a setting must lie between. Larger networks are refused: a file that asks for one is
#: damaged, or hostile.
_RANGES: Mapping[str, tuple[float, float]] = {
    **dict.fromkeys(("width", "query_width", "inducing_points"), (1, 4096)),
    "depth": (0, 64),
    **dict.fromkeys(("window", "batch", "steps", "epochs", "patience"), (1, math.inf)),
    **dict.fromkeys(("seed", "sample"), (0, math.inf)),
    "decay": (0.0, 1.0),
    **dict.fromkeys(("rating_loss", "regularisation"), (0.0, math.inf)),
}
_FASTEST = 1000.0


@dataclass(frozen=True)
class Hyperparameters:
    """Settings of a network and of its training; frozen.

    The published training has no dropout, no sampling of moves, no averaging and takes its inputs
    as they are: those four are there for small data. Nor has it bfloat16. Raises `UsageError` if a
    setting is out of range.
    """

    learning_rate: float = 1e-3  #: Of Adam in the first epoch (η₀).
    decay: float = 0.95  #: The learning rate is multiplied by this after each epoch (β).
    rating_loss: float = 1.0  #: Weight of the two squared errors of the ratings (τ_r).
    regularisation: float = 10.0  #: Weight of the mean square of all parameters (τ_θ).
    depth: int = 3  #: Induced set attention blocks (l).
    width: int = 64  #: Hidden features of a move (d).
    query_width: int = 64  #: Features of a query and of a key (d_q).
    inducing_points: int = 32  #: Learned queries of each block (m).
    window: int = 500  #: Most recent moves of a player that count (N).
    #: Games a step (B), steps an epoch (T), epochs at most (E), and epochs without an improvement
    #: after which training stops (p).
    batch: int = 100
    steps: int = 100
    epochs: int = 100
    patience: int = 10
    seed: int = 0  #: What all randomness comes from.
    dropout: float = 0.0  #: Share of the features that each block leaves out at random in training.
    sample: int = 0  #: Moves of a set that a training step sees, chosen at random; 0 for all.
    #: Weights that are judged and kept are a moving average of the trained ones with this share of
    #: the old at each step; 0 for the trained ones themselves.
    averaging: float = 0.0
    #: Whether inputs are brought to mean 0 and deviation 1 over the training moves.
    standardise: bool = False
    #: Whether products in training have the precision of bfloat16, which is faster on processors
    #: that compute in it. What is judged and kept has float32.
    bfloat16: bool = False

    def __post_init__(self) -> None:
        for name, (low, high) in _RANGES.items():
            value = getattr(self, name)
            if not low <= value <= high or math.isinf(value):
                limit = f"at least {low:g}" if math.isinf(high) else f"from {low:g} to {high:g}"
                raise UsageError(f"{name} is {value}; it must be {limit}")
        if not 0 < self.learning_rate <= _FASTEST:
            limit = f"above 0 and at most {_FASTEST:g}"
            raise UsageError(f"learning_rate is {self.learning_rate}; it must be {limit}")
        for name in ("dropout", "averaging"):
            if not 0 <= getattr(self, name) < 1:
                raise UsageError(f"{name} is {getattr(self, name)}; it must lie in [0, 1)")

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Hyperparameters:
        """Settings by name, the others as they are by default.

        Raises `UsageError` if there is no such setting, or its value is of no use.
        """
        return cls().changed(values)

    def changed(self, values: Mapping[str, Any]) -> Hyperparameters:
        """The same with other values, which may be texts such as ``"1e-3"``.

        Raises `UsageError` if there is no such setting, or its value is of no use.
        """
        return with_values(self, values)

    def as_dict(self) -> dict[str, float | int | bool]:
        """All settings by name."""
        return asdict(self)

    @property
    def size(self) -> NetworkSize:
        """How the network is built."""
        return NetworkSize(self.depth, self.width, self.query_width, self.inducing_points)

    def parameters(self, channels: int) -> int:
        """Trainable parameters of the network for inputs of so many features.

        2,469,388 for `TABLE_5_1` with 384 channels, as published.
        """
        return sum(map(math.prod, parameter_shapes(self.size, channels).values()))


#: Neubauer 2024, Table 5.1: the best of his search, on an OGS pool of 5 million games.
TABLE_5_1 = Hyperparameters(
    learning_rate=2.14e-4,
    decay=0.995,
    rating_loss=2.05,
    regularisation=73.9,
    depth=5,
    width=254,
    query_width=154,
    inducing_points=61,
)
#: Where his search began (section 4.7.3).
START = Hyperparameters()
#: One that a processor trains in minutes.
SMALL = Hyperparameters(
    learning_rate=1e-3,
    decay=0.97,
    rating_loss=2.0,
    regularisation=10.0,
    depth=2,
    width=48,
    query_width=32,
    inducing_points=16,
    sample=100,
)
#: By the name that the command knows them by.
PRESETS: Mapping[str, Hyperparameters] = {
    "published": TABLE_5_1,
    "start": START,
    "small": SMALL,
}


#: Rows that are read from disk at once.
_READ = 1 << 16


class MovesLike(Protocol):
    """Sets of moves that may lie on disk."""

    @property
    def features(self) -> Any:
        """Rows of features, float16 or float32 [moves, channels]; may lie on disk."""

    @property
    def rows(self) -> NDArray[np.int64]:
        """The rows of all sets, one set after the other, oldest first."""

    @property
    def starts(self) -> NDArray[np.int64]:
        """Where each set begins in `rows`, and the end of the last."""


def pack(moves: MovesLike, window: int | None = None) -> PackedMoves:
    """Bring sets of moves into memory, each move once, in the precision that they have.

    `window`: keep only so many moves of each set, the latest ones.

    Notes:
        A feature that is not a number (a move that the rules forbid has no policy) is 0.
    """
    starts = np.asarray(moves.starts, np.int64)
    rows = np.asarray(moves.rows, np.int64)
    if window is not None:
        kept = np.minimum(np.diff(starts), window)
        ends = np.cumsum(kept)
        rows = rows[np.arange(kept.sum()) + np.repeat(starts[1:] - ends, kept)]
        starts = np.concatenate([[0], ends])
    used, place = np.unique(rows, return_inverse=True)
    source = moves.features
    kind = np.float16 if source.dtype == np.float16 else np.float32
    features = np.empty((len(used), source.shape[1]), kind)
    for first in range(0, len(used), _READ):
        part = np.asarray(source[used[first : first + _READ]])
        features[first : first + len(part)] = np.nan_to_num(part, nan=0.0)
    return PackedMoves(features, place.astype(np.int64), starts)


def moments(moves: PackedMoves) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Mean and deviation of each feature over the moves; a deviation of 0 becomes 1."""
    total = np.zeros(moves.channels)
    square = np.zeros(moves.channels)
    for first in range(0, len(moves.features), _READ):
        part = moves.features[first : first + _READ].astype(np.float64)
        total += part.sum(0)
        square += np.square(part).sum(0)
    number = max(len(moves.features), 1)
    mean = total / number
    deviation = np.sqrt(np.maximum(square / number - np.square(mean), 0))
    deviation[deviation < 1e-6] = 1
    return mean.astype(np.float32), deviation.astype(np.float32)


def drawn(
    moves: PackedMoves, sets: Ints, sample: int, generator: Generator
) -> tuple[Ints, NDArray[np.bool_] | None]:
    """`PackedMoves.indices` of at most `sample` moves of each set, chosen by `generator`."""
    chosen = []
    for which in sets:
        rows = moves.rows[moves.starts[which] : moves.starts[which + 1]]
        if len(rows) > sample:
            rows = rows[generator.choice(len(rows), sample, replace=False)]
        chosen.append(rows)
    return side_by_side(chosen)


_FILE = ArrayFile(
    "strength network",
    format=1,
    text="about",
    kind="yardstone strength network",
    hint="take a file that `yardstone strength train` made",
)
#: Arrays of networks that standardise their inputs; not trained, but measured.
INPUT = ("input.mean", "input.deviation")
#: More than any network has; a file that says so is damaged, or hostile.
_MOST_PARAMETERS = 1 << 26
_MOST_CHANNELS = 1 << 14
#: Rating points for a factor of ten in the odds.
POINTS = 400.0
#: Places for moves that are computed at once.
_MOVES = 16384


def gamma(deviation: float) -> float:
    """What a unit of a normalised rating is worth in the exponent (section 4.7.1)."""
    return deviation * math.log(10) / POINTS


def rate_sets(arrays: Mapping[str, Numbers], x: Numbers, there: Any = None) -> Numbers:
    """The output of a network that has one, for sets of moves (eq. 4.4 to 4.8).

    `arrays`, `x`, `there`: as in `set_outputs`. Returns [b]: normalised ratings; 0, the
    mean of the labels, for a set without a move.
    """
    return np.asarray(set_outputs(arrays, x, there)[:, 0])


def set_outputs(arrays: Mapping[str, Numbers], x: Numbers, there: Any = None) -> Numbers:
    """All outputs of a network for sets of moves (eq. 4.4 to 4.8).

    `arrays`: the parameters by name, float32 or float64, and ``input.mean`` and ``input.deviation``
    if inputs are standardised. `x` [b, n, channels]: b sets side by side. `there` [b, n]: True
    where there is a move; everywhere if not given. Returns [b, k]: 0 for a set without a move.
    """
    h, shut = elements(arrays, x, there)
    weights = attention_weights(arrays, "pool", arrays["seed"], h, shut)
    outputs = outputs_of(arrays, (weights @ h) @ arrays["pool.value.weight"].T)[:, 0]
    full = np.ones(len(x), np.bool_) if there is None else there.any(1)
    return np.asarray(np.where(full[:, None], outputs, 0))


@dataclass(frozen=True, eq=False)
class StrengthNetwork:
    """A trained network: ratings from sets of moves; frozen."""

    settings: Hyperparameters  #: How it is built and was trained.
    #: Its parameters, and ``input.mean`` and ``input.deviation`` where inputs are standardised.
    arrays: Mapping[str, Floats]
    #: Of the labels it was trained on, in rating points.
    mean: float
    deviation: float
    #: What else is to be known: data, network of the features, figures.
    card: Mapping[str, Any] = field(default_factory=dict)

    @property
    def channels(self) -> int:
        """Features of a move that it expects."""
        return int(self.arrays["encode.weight"].shape[1])

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> StrengthNetwork:
        """Read a network from its file.

        Raises `InputError` if there is no such file, or it is no network, or damaged.
        """

        def network(stored: StoredArrays, about: dict[str, Any]) -> StrengthNetwork:
            channels, card, given = about["channels"], about["card"], about["settings"]
            if type(channels) is not int or not 1 <= channels <= _MOST_CHANNELS:
                raise ValueError(channels)
            mean, deviation = float(about["mean"]), float(about["deviation"])
            if not (math.isfinite(mean) and 0 < deviation < math.inf):
                raise InputError("damaged: the scale of its ratings is of no use")
            if not isinstance(card, dict) or not isinstance(given, dict):
                raise TypeError("card")
            settings = Hyperparameters.from_dict(given)
            shapes = parameter_shapes(settings.size, channels)
            if sum(math.prod(shape) for shape in shapes.values()) > _MOST_PARAMETERS:
                raise InputError("it is too large")
            if any(name in stored for name in INPUT):
                shapes |= dict.fromkeys(INPUT, (channels,))
            arrays = {name: stored.finite(name, shape) for name, shape in shapes.items()}
            return cls(settings, arrays, mean, deviation, card)

        return _FILE.read(Path(path), network)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the network to a file, whole or not at all, its numbers in float16.

        Raises `InputError` if the file cannot be written; `UsageError` if a parameter is beyond
        float16.
        """
        halves = {}
        for name, array in self.arrays.items():
            # Inputs may be small or large numbers: their scale keeps all its digits.
            half = array.astype(np.float32 if name in INPUT else np.float16)
            if not np.isfinite(half).all():
                raise UsageError(f"{name} has numbers that float16 cannot hold")
            halves[name] = half
        about = {
            "settings": self.settings.as_dict(),
            "channels": self.channels,
            "mean": float(self.mean),
            "deviation": float(self.deviation),
            "card": dict(self.card),
        }
        _FILE.write(Path(path), halves, about)

    def ratings(self, moves: MovesLike) -> NDArray[np.float64]:
        """Rating points from each set of moves.

        `moves`: of each set the latest `settings.window` moves are used. Returns [sets]: the mean
        of the labels for a set without a move. Raises `UsageError` if the moves have other features
        than the network was trained on.
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
                rated[sets] = rate_sets(self.arrays, x, there)
        return self.mean + self.deviation * rated

    def expected(self, ratings: NDArray[np.float64]) -> NDArray[np.float64]:
        """Black's expected score from the ratings of Black and White [2 games] (eq. 3.1).

        `ratings` are those of `ratings`: of each game Black's, then White's.
        """
        black, white = np.asarray(ratings, np.float64).reshape(-1, 2).T
        return logistic((black - white) * (math.log(10) / POINTS))
