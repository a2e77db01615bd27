"""A Set Transformer in numpy (Neubauer 2024, section 4.4): settings, file, and what it says."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from yardstone.arrays import ArrayFile, StoredArrays
from yardstone.choices import with_values
from yardstone.errors import InputError, UsageError
from yardstone.winprob.laws import logistic

if TYPE_CHECKING:
    import os

    from numpy.random import Generator

    Ints = NDArray[np.int64]
    Shapes = Callable[["Hyperparameters", int], dict[str, tuple[int, ...]]]
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

    def parameters(self, channels: int) -> int:
        """Trainable parameters of the network for inputs of so many features.

        2,469,388 for `TABLE_5_1` with 384 channels, as published.
        """
        return sum(map(math.prod, parameter_shapes(self, channels).values()))


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


@dataclass(frozen=True, eq=False)
class PackedMoves:
    """Sets of moves in memory; frozen."""

    features: NDArray[np.floating[Any]]  #: [moves, channels]: of all moves that occur in a set.
    rows: Ints  #: [k]: moves of the sets, one set after the other, oldest first.
    starts: Ints  #: [sets + 1]: where each set begins in `rows`, and the end of the last.

    def __len__(self) -> int:
        """Number of sets."""
        return len(self.starts) - 1

    @property
    def channels(self) -> int:
        """Features of a move."""
        return int(self.features.shape[1])

    def lengths(self) -> Ints:
        """Moves of each set."""
        return np.diff(self.starts)

    def indices(
        self, sets: Ints, *, sample: int = 0, generator: Generator | None = None
    ) -> tuple[Ints, NDArray[np.bool_] | None]:
        """Rows of `features` of some sets, side by side, the shorter ones filled up.

        `sets`: [b]. `sample`: take at most so many moves of each, chosen by `generator`; 0 for all.
        Returns [b, n]: n is the longest length, at least 1; what is no move points at row 0; [b,
        n]: True where there is a move; None if there is one everywhere.
        """
        chosen = [self.rows[self.starts[which] : self.starts[which + 1]] for which in sets]
        if sample and generator is not None:
            chosen = [
                rows[generator.choice(len(rows), sample, replace=False)]
                if len(rows) > sample
                else rows
                for rows in chosen
            ]
        lengths = np.array([len(rows) for rows in chosen], np.int64)
        there = np.arange(max(lengths.max(initial=0), 1)) < lengths[:, None]
        moves = np.zeros(there.shape, np.int64)
        moves[there] = np.concatenate([np.empty(0, np.int64), *chosen])
        return moves, None if there.all() else there

    def moments(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Mean and deviation of each feature over the moves; a deviation of 0 becomes 1."""
        total = np.zeros(self.channels)
        square = np.zeros(self.channels)
        for first in range(0, len(self.features), _READ):
            part = self.features[first : first + _READ].astype(np.float64)
            total += part.sum(0)
            square += np.square(part).sum(0)
        number = max(len(self.features), 1)
        mean = total / number
        deviation = np.sqrt(np.maximum(square / number - np.square(mean), 0))
        deviation[deviation < 1e-6] = 1
        return mean.astype(np.float32), deviation.astype(np.float32)


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


def alike(lengths: Ints, moves: int) -> Iterator[Ints]:
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


def write_network(
    path: Path,
    settings: Hyperparameters,
    arrays: Mapping[str, NDArray[np.float32]],
    about: Mapping[str, Any],
) -> None:
    """Write a network whole, or not at all."""
    halves = {}
    for name, array in arrays.items():
        # Inputs may be small or large numbers: their scale keeps all its digits.
        half = array.astype(np.float32 if name in INPUT else np.float16)
        if not np.isfinite(half).all():
            raise UsageError(f"{name} has numbers that float16 cannot hold")
        halves[name] = half
    _FILE.write(path, halves, {"settings": settings.as_dict(), **about})


def read_network(
    path: Path, shapes: Shapes
) -> tuple[Hyperparameters, dict[str, NDArray[np.float32]], dict[str, Any]]:
    """Read a network; `shapes` tells the arrays that its settings ask for.

    The last mapping has ``channels``, ``mean``, ``deviation`` (finite floats) and ``card``. Raises
    `InputError` if there is no such file, or it is no network, or damaged.
    """

    def network(
        stored: StoredArrays, about: dict[str, Any]
    ) -> tuple[Hyperparameters, dict[str, NDArray[np.float32]], dict[str, Any]]:
        channels, card, given = about["channels"], about["card"], about["settings"]
        if type(channels) is not int or not 1 <= channels <= _MOST_CHANNELS:
            raise ValueError(channels)
        about["mean"], about["deviation"] = float(about["mean"]), float(about["deviation"])
        if not (math.isfinite(about["mean"]) and 0 < about["deviation"] < math.inf):
            raise InputError("damaged: the scale of its ratings is of no use")
        if not isinstance(card, dict) or not isinstance(given, dict):
            raise TypeError("card")
        settings = Hyperparameters.from_dict(given)
        parts = shapes(settings, channels)
        if sum(math.prod(shape) for shape in parts.values()) > _MOST_PARAMETERS:
            raise InputError("it is too large")
        if any(name in stored for name in INPUT):
            parts |= dict.fromkeys(INPUT, (channels,))
        return settings, {n: stored.finite(n, shape) for n, shape in parts.items()}, about

    return _FILE.read(path, network)


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

    `arrays`, `settings`, `x`, `there`: as in `set_outputs`. Returns [b]: normalised ratings; 0, the
    mean of the labels, for a set without a move.
    """
    return np.asarray(set_outputs(arrays, settings, x, there)[:, 0])


def set_outputs(
    arrays: Mapping[str, Numbers], settings: Hyperparameters, x: Numbers, there: Any = None
) -> Numbers:
    """All outputs of a network for sets of moves (eq. 4.4 to 4.8).

    `arrays`: the parameters by name, float32 or float64, and ``input.mean`` and ``input.deviation``
    if inputs are standardised. `x` [b, n, channels]: b sets side by side. `there` [b, n]: True
    where there is a move; everywhere if not given. Returns [b, k]: 0 for a set without a move.
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

    Returns [b, n, d]: the value of each move; [b, n]: its weight; those of a set add up to 1.
    `outputs_of` the weighted sum of the values is what `set_outputs` gives.
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
        settings, arrays, about = read_network(Path(path), parameter_shapes)
        return cls(settings, arrays, about["mean"], about["deviation"], about["card"])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the network to a file, whole or not at all, its numbers in float16.

        Raises `InputError` if the file cannot be written; `UsageError` if a parameter is beyond
        float16.
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
                rated[sets] = rate_sets(self.arrays, self.settings, x, there)
        return self.mean + self.deviation * rated

    def expected(self, ratings: NDArray[np.float64]) -> NDArray[np.float64]:
        """Black's expected score from the ratings of Black and White [2 games] (eq. 3.1).

        `ratings` are those of `ratings`: of each game Black's, then White's.
        """
        black, white = np.asarray(ratings, np.float64).reshape(-1, 2).T
        return logistic((black - white) * (math.log(10) / POINTS))
