"""The settings of a Set Transformer and of its training, with those that were published."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from yardstone.choices import with_values
from yardstone.errors import UsageError

__all__ = ["BOUNDS", "PRESETS", "SMALL", "START", "TABLE_5_1", "Hyperparameters"]

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
#: Larger networks are refused: a file that asks for one is damaged, or hostile.
_LARGEST = 4096
_DEEPEST = 64
_FASTEST = 1000.0


@dataclass(frozen=True)
class Hyperparameters:
    """Settings of a network and of its training; frozen.

    The published training has no dropout, no sampling of moves, no averaging and takes
    its inputs as they are: those four are there for small data. Nor has it bfloat16.

    Attributes
    ----------
    learning_rate : float
        Of Adam in the first epoch (η₀).
    decay : float
        The learning rate is multiplied by this after each epoch (β).
    rating_loss : float
        Weight of the two squared errors of the ratings (τ_r).
    regularisation : float
        Weight of the mean square of all parameters (τ_θ).
    depth : int
        Induced set attention blocks (l).
    width : int
        Hidden features of a move (d).
    query_width : int
        Features of a query and of a key (d_q).
    inducing_points : int
        Learned queries of each block (m).
    window : int
        Most recent moves of a player that count (N).
    batch, steps, epochs, patience : int
        Games a step (B), steps an epoch (T), epochs at most (E), and epochs without
        an improvement after which training stops (p).
    seed : int
        What all randomness comes from.
    dropout : float
        Share of the features that each block leaves out at random in training.
    sample : int
        Moves of a set that a training step sees, chosen at random; 0 for all.
    averaging : float
        Weights that are judged and kept are a moving average of the trained ones with
        this share of the old at each step; 0 for the trained ones themselves.
    standardise : bool
        Whether inputs are brought to mean 0 and deviation 1 over the training moves.
    bfloat16 : bool
        Whether products in training have the precision of bfloat16, which is faster on
        processors that compute in it. What is judged and kept has float32.

    Raises
    ------
    UsageError
        A setting is out of range.
    """

    learning_rate: float = 1e-3
    decay: float = 0.95
    rating_loss: float = 1.0
    regularisation: float = 10.0
    depth: int = 3
    width: int = 64
    query_width: int = 64
    inducing_points: int = 32
    window: int = 500
    batch: int = 100
    steps: int = 100
    epochs: int = 100
    patience: int = 10
    seed: int = 0
    dropout: float = 0.0
    sample: int = 0
    averaging: float = 0.0
    standardise: bool = False
    bfloat16: bool = False

    def __post_init__(self) -> None:
        for name in ("width", "query_width", "inducing_points"):
            self._check(name, 1, _LARGEST)
        self._check("depth", 0, _DEEPEST)
        for name in ("window", "batch", "steps", "epochs", "patience"):
            self._check(name, 1, math.inf)
        for name in ("seed", "sample"):
            self._check(name, 0, math.inf)
        self._check("decay", 0.0, 1.0)
        for name in ("rating_loss", "regularisation"):
            self._check(name, 0.0, math.inf)
        if not 0 < self.learning_rate <= _FASTEST:
            limit = f"above 0 and at most {_FASTEST:g}"
            raise UsageError(f"learning_rate is {self.learning_rate}; it must be {limit}")
        for name in ("dropout", "averaging"):
            if not 0 <= getattr(self, name) < 1:
                raise UsageError(f"{name} is {getattr(self, name)}; it must lie in [0, 1)")

    def _check(self, name: str, low: float, high: float) -> None:
        value = getattr(self, name)
        if not low <= value <= high or math.isinf(value):
            limit = f"at least {low:g}" if math.isinf(high) else f"from {low:g} to {high:g}"
            raise UsageError(f"{name} is {value}; it must be {limit}")

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Hyperparameters:
        """Settings by name, the others as they are by default.

        Raises
        ------
        UsageError
            There is no such setting, or its value is of no use.
        """
        return cls().changed(values)

    def changed(self, values: Mapping[str, Any]) -> Hyperparameters:
        """The same with other values, which may be texts such as ``"1e-3"``.

        Raises
        ------
        UsageError
            There is no such setting, or its value is of no use.
        """
        return with_values(self, values)

    def as_dict(self) -> dict[str, float | int | bool]:
        """All settings by name."""
        return asdict(self)

    def parameters(self, channels: int) -> int:
        """Trainable parameters of the network for inputs of so many features.

        2,469,388 for `TABLE_5_1` with 384 channels, as published.
        """
        d, q = self.width, self.query_width
        attention = 2 * q * d + 2 * d * d + 5 * d
        block = self.inducing_points * d + 2 * attention
        return channels * d + self.depth * block + d + attention + d


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
