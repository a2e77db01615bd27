"""`SetTransformer`: the network of Neubauer 2024, section 4.4, in torch.

Sets of moves lie side by side in one batch, the shorter ones filled up and masked, and
every product is taken in the cheaper of its orders: a learned query q meets a key Kh
as (Kᵀq)·h, so that only the few queries are transformed and not the many elements,
and values are summed up before they are transformed. The results are those of the
equations; the work grows with the number of moves, not with its square.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import MissingExtraError
from yardstone.strength.set_transformer import EPSILON, parameter_shapes

try:
    import torch
    from torch import Tensor, nn
except ImportError as error:  # tested by a process that has no torch
    raise MissingExtraError("torch") from error

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from yardstone.strength.set_transformer import Hyperparameters

__all__ = ["AttentionBlock", "Block", "SetTransformer", "initial_arrays"]


def initial_arrays(
    settings: Hyperparameters, channels: int, generator: Generator, outputs: int = 1
) -> dict[str, NDArray[np.float32]]:
    """Parameters of an untrained network.

    Weights and biases are uniform within 1/√d, d being the input dimension of the layer;
    inducing points and the seed are uniform on [0, 1]; normalisations begin as the
    identity. (Section 4.4 of the thesis has 1/d where section 4.7.2 and the program
    have 1/√d, which is what keeps the variance.)
    """
    arrays: dict[str, NDArray[np.float32]] = {}
    for name, shape in parameter_shapes(settings, channels, outputs).items():
        if "norm" in name:
            made = np.full(shape, name.endswith("weight"), np.float32)
        elif name == "seed" or name.endswith("points"):
            made = generator.random(shape, np.float32)
        else:
            bound = 1 / math.sqrt(shape[-1])  # a bias has as many entries as its layer inputs
            made = generator.uniform(-bound, bound, shape).astype(np.float32)
        arrays[name] = made
    return arrays


class AttentionBlock(nn.Module):
    """Eq. 4.4 and 4.5: attention with a residual, then a dense layer with one.

    Parameters
    ----------
    width, query_width : int
        d and d_q.
    dropout : float
        Share of the features of either branch that is left out in training.
    """

    def __init__(self, width: int, query_width: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.query = nn.Linear(width, query_width, bias=False)
        self.key = nn.Linear(width, query_width, bias=False)
        self.value = nn.Linear(width, width, bias=False)
        self.first_norm = nn.LayerNorm(width, eps=EPSILON)
        self.dense = nn.Linear(width, width)
        self.second_norm = nn.LayerNorm(width, eps=EPSILON)
        self.dropout = nn.Dropout(dropout)
        self._scale = 1 / math.sqrt(query_width)

    def gather(self, q: Tensor, h: Tensor, shut: Tensor | None) -> Tensor:
        """What a few learned queries [m, d] get from sets [b, n, d]: [b, m, d].

        `shut` [b, 1, n] is 0 where there is an element and minus infinity elsewhere.
        """
        return self._dense(q + self.dropout(self.attended(q, h, shut)))

    def attended(self, q: Tensor, h: Tensor, shut: Tensor | None) -> Tensor:
        """The same before the residual: the mean of the values, by the weights."""
        keyed = (self.query(q) @ self.key.weight) * self._scale  # [m, d]
        logits = keyed @ h.transpose(1, 2)  # [b, m, n]
        if shut is not None:
            logits = logits + shut
        values: Tensor = self.value(torch.softmax(logits, -1) @ h)
        return values

    def spread(self, q: Tensor, h: Tensor) -> Tensor:
        """What each element [b, n, d] gets from a few vectors [b, m, d]: [b, n, d]."""
        keys = self.key(h) * self._scale  # [b, m, d_q]
        m, width = h.shape[1:]
        if m * width < self.query.out_features * (m + width):
            logits = q @ (keys @ self.query.weight).transpose(1, 2)
        else:
            logits = self.query(q) @ keys.transpose(1, 2)
        attended = torch.softmax(logits, -1) @ self.value(h)
        return self._dense(q + self.dropout(attended))

    def _dense(self, x: Tensor) -> Tensor:
        x = self.first_norm(x)
        result: Tensor = self.second_norm(x + self.dropout(torch.relu(self.dense(x))))
        return result


class Block(nn.Module):
    """An induced set attention block: to its points, and back to the elements (eq. 4.6)."""

    def __init__(self, settings: Hyperparameters) -> None:
        super().__init__()
        sizes = (settings.width, settings.query_width, settings.dropout)
        self.points = nn.Parameter(torch.empty(settings.inducing_points, settings.width))
        self.gather = AttentionBlock(*sizes)
        self.spread = AttentionBlock(*sizes)

    def forward(self, h: Tensor, shut: Tensor | None) -> Tensor:
        """Elements [b, n, d] that know of each other; `shut` as in `AttentionBlock.gather`."""
        return self.spread.spread(h, self.gather.gather(self.points, h, shut))


class SetTransformer(nn.Module):
    """A rating from a set of moves (eq. 4.4 to 4.8).

    Parameters
    ----------
    settings : Hyperparameters
    channels : int
        Features of a move: 6 in the basic model, those of the network's trunk in the
        full one.
    moments : (float32 [channels], float32 [channels]), optional
        Mean and deviation of the inputs, if they are to be standardised.
    outputs : int
        Numbers that are said of a set: one, the rating, by default.
    """

    def __init__(
        self,
        settings: Hyperparameters,
        channels: int,
        moments: tuple[NDArray[np.float32], NDArray[np.float32]] | None = None,
        outputs: int = 1,
    ) -> None:
        super().__init__()
        sizes = (settings.width, settings.query_width, settings.dropout)
        self.encode = nn.Linear(channels, settings.width, bias=False)
        self.blocks = nn.ModuleList(Block(settings) for _ in range(settings.depth))
        self.seed = nn.Parameter(torch.empty(1, settings.width))
        self.pool = AttentionBlock(*sizes)
        self.rate = nn.Linear(settings.width, outputs, bias=False)
        mean, deviation = (None, None) if moments is None else map(torch.tensor, moments)
        self.register_buffer("mean", mean, persistent=False)
        self.register_buffer("deviation", deviation, persistent=False)

    def load(self, arrays: dict[str, NDArray[np.float32]]) -> None:
        """Take parameters by name."""
        with torch.no_grad():
            for name, parameter in self.named_parameters():
                parameter.copy_(torch.from_numpy(arrays[name]))

    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """All parameters by name, and the moments of the inputs if they are standardised."""
        arrays = {
            name: parameter.detach().cpu().float().numpy().copy()
            for name, parameter in self.named_parameters()
        }
        for name, moment in (("mean", self.mean), ("deviation", self.deviation)):
            if isinstance(moment, Tensor):
                arrays[f"input.{name}"] = moment.cpu().float().numpy().copy()
        return arrays

    def forward(self, x: Tensor, there: Tensor | None = None) -> Tensor:
        """Normalised ratings [b] of sets of moves: the first of `outputs`."""
        return self.outputs(x, there)[:, 0]

    def outputs(self, x: Tensor, there: Tensor | None = None) -> Tensor:
        """All that is said of sets of moves: [b, outputs].

        Parameters
        ----------
        x : [b, n, channels]
            Sets side by side; what is filled in has no effect.
        there : bool [b, n], optional
            True where there is a move; everywhere if not given. A set without a move
            gets 0, the mean of the labels.
        """
        h, shut = self._elements(x, there)
        outputs: Tensor = self.rate(self.pool.gather(self.seed, h, shut))[:, 0]
        if there is None:
            return outputs
        return torch.where(there.any(1)[:, None], outputs, torch.zeros_like(outputs))

    def attended(self, x: Tensor, there: Tensor | None = None) -> Tensor:
        """What the last attention gathers of sets of moves: [b, width]."""
        h, shut = self._elements(x, there)
        gathered: Tensor = self.pool.attended(self.seed, h, shut)[:, 0]
        return gathered

    def _elements(self, x: Tensor, there: Tensor | None) -> tuple[Tensor, Tensor | None]:
        """The moves of sets, each knowing of the others, and what hides the filled-up places."""
        if isinstance(self.mean, Tensor) and isinstance(self.deviation, Tensor):
            x = (x - self.mean) / self.deviation
        shut = None
        if there is not None:
            # A set without a move is computed as if it had some; its answer is not used.
            closed = ~there & there.any(1)[:, None]
            shut = torch.zeros(closed.shape, dtype=x.dtype, device=x.device)
            shut = shut.masked_fill(closed, -math.inf)[:, None, :]
        h = self.encode(x)
        for block in self.blocks:
            h = block(h, shut)
        return h, shut
