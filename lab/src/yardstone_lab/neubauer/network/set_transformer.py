"""The Set Transformer, and the steps by which it learns."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from yardstone.errors import MissingExtraError
from yardstone.strength.set_transformer import EPSILON, alike, parameter_shapes
from yardstone_lab.neubauer.network.strength_network import drawn, gamma

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from yardstone.strength.set_transformer import PackedMoves
    from yardstone_lab.neubauer.network.strength_network import Hyperparameters

    Arrays = dict[str, NDArray[np.float32]]

__all__ = [
    "AttentionBlock",
    "Block",
    "SetTransformer",
    "initial_arrays",
    "Examples",
    "Stepper",
    "chosen_device",
    "rating_losses",
    "score_losses",
]

try:
    import torch
    from torch import Tensor, nn
except ImportError as error:  # tested by a process that has no torch
    raise MissingExtraError("torch") from error


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
    for name, shape in parameter_shapes(settings.size, channels, outputs).items():
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

    Args:
        width, query_width: d and d_q.
        dropout: Share of the features of either branch that is left out in training.
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

    Args:
        channels: Features of a move: 6 in the basic model, those of the network's trunk in the full
            one.
        moments (float32 [channels], float32 [channels]): Mean and deviation of the inputs, if they
            are to be standardised.
        outputs: Numbers that are said of a set: one, the rating, by default.
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

        Args:
            x ([b, n, channels]): Sets side by side; what is filled in has no effect.
            there (bool [b, n]): True where there is a move; everywhere if not given. A set without
                a move gets 0, the mean of the labels.
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


#: Numbers that go through a layer at once: on a processor little more than its caches
#: hold, on an accelerator what keeps it busy.
_NUMBERS = {"cpu": 1 << 22}
_NUMBERS_ELSEWHERE = 1 << 27
#: In evaluation nothing is kept for the gradients.
_MORE_WITHOUT_GRADIENTS = 4


def chosen_device(name: str) -> torch.device:
    """The device that a name stands for; ``auto`` is a GPU if there is one."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    return torch.device(name)


def score_losses(black: Tensor, white: Tensor, score: Tensor, scale: float) -> Tensor:
    """The Bradley-Terry target of each game: −ln(1 − abs(s − ŝ)) (section 4.7.1).

    A draw counts as half a game won by each side; the formula as it is printed would
    reward an even prediction of a draw beyond any other.

    Args:
        black, white (tensor [g]): Normalised ratings.
        score (tensor [g]): Of Black: 1, 0.5 or 0.
        scale: γ: what a unit of a normalised rating is worth in the exponent.
    """
    logit = scale * (black - white)
    return score * functional.softplus(-logit) + (1 - score) * functional.softplus(logit)


def rating_losses(black: Tensor, white: Tensor, labels: Tensor) -> Tensor:
    """The future Glicko-2 target of each game: both squared errors, added up."""
    return (labels[:, 0] - black).square() + (labels[:, 1] - white).square()


class Examples:
    """Games on the device: moves of both sides, scores, normalised labels."""

    def __init__(
        self,
        moves: PackedMoves,
        score: NDArray[np.float32],
        labels: NDArray[np.float64],
        device: torch.device,
    ) -> None:
        self.moves = moves
        self.device = device
        self.features = torch.from_numpy(moves.features).to(device)
        self.score = torch.as_tensor(score, dtype=torch.float32, device=device)
        self.labels = torch.as_tensor(labels, dtype=torch.float32, device=device)
        self.lengths = moves.lengths().reshape(-1, 2)

    def __len__(self) -> int:
        """Number of games."""
        return len(self.score)

    def batch(
        self,
        games: NDArray[np.int64],
        sample: int = 0,
        generator: np.random.Generator | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        """Features of the moves of both sides, all Black's sets first, and where they are."""
        sides = np.concatenate([2 * games, 2 * games + 1])
        if sample and generator is not None:
            rows, there = drawn(self.moves, sides, sample, generator)
        else:
            rows, there = self.moves.indices(sides)
        if not len(self.features):
            shape = (*rows.shape, self.moves.channels)
            return torch.zeros(shape, device=self.device), torch.zeros(
                rows.shape, dtype=torch.bool, device=self.device
            )
        indices = torch.from_numpy(rows.ravel()).to(self.device)
        x = self.features.index_select(0, indices).float()  # far quicker than indexing
        x = x.view(*rows.shape, self.moves.channels)
        return x, None if there is None else torch.from_numpy(there).to(self.device)


class Stepper:
    """A network in training, with the state of Adam and of the moving average.

    Args:
        arrays: The parameters to begin with, and the moments of the inputs if these are to be
            standardised.
        deviation: Of the labels, in rating points.
    """

    def __init__(
        self, settings: Hyperparameters, arrays: Arrays, deviation: float, device: torch.device
    ) -> None:
        channels = arrays["encode.weight"].shape[1]
        moments = None
        if "input.mean" in arrays:
            moments = arrays["input.mean"], arrays["input.deviation"]
        self.settings = settings
        self.device = device
        self.network = SetTransformer(settings, channels, moments).to(device)
        self.network.load(arrays)
        self._scale = gamma(deviation)
        numbers = _NUMBERS.get(device.type, _NUMBERS_ELSEWHERE)
        self._room = max(numbers // (channels + 2 * settings.width), 1)
        parameters = list(self.network.parameters())
        self._flat = torch.cat([p.detach().reshape(-1) for p in parameters])
        self._gradient = torch.zeros_like(self._flat)
        first = 0
        for parameter in parameters:  # each becomes a view of the one vector
            last = first + parameter.numel()
            parameter.data = self._flat[first:last].view_as(parameter)
            parameter.grad = self._gradient[first:last].view_as(parameter)
            first = last
        self._flat.grad = self._gradient
        self._adam = torch.optim.Adam([self._flat], lr=settings.learning_rate)
        self._average = self._flat.clone() if settings.averaging else None

    def state(self) -> Arrays:
        """All that a checkpoint must hold of the network."""
        state = self._adam.state.get(self._flat, {})
        tensors = {"parameters": self._flat}
        if state:
            tensors |= {"first_moment": state["exp_avg"], "second_moment": state["exp_avg_sq"]}
            tensors["adam_steps"] = state["step"]
        if self._average is not None:
            tensors["average"] = self._average
        return {name: tensor.detach().cpu().numpy().copy() for name, tensor in tensors.items()}

    def restore(self, arrays: Arrays) -> None:
        """Go back to a state."""
        self._flat.copy_(torch.from_numpy(arrays["parameters"]))
        if "adam_steps" in arrays:
            self._adam.state[self._flat] = {
                "step": torch.tensor(float(arrays["adam_steps"])),
                "exp_avg": torch.tensor(arrays["first_moment"], device=self.device),
                "exp_avg_sq": torch.tensor(arrays["second_moment"], device=self.device),
            }
        if self._average is not None:
            self._average.copy_(torch.from_numpy(arrays["average"]))

    def kept(self) -> NDArray[np.float32]:
        """The parameters that are judged and kept, as one vector."""
        chosen = self._flat if self._average is None else self._average
        return chosen.detach().cpu().numpy().copy()

    def arrays(self, vector: NDArray[np.float32]) -> Arrays:
        """The arrays of a network whose parameters are given as one vector."""
        arrays = self.network.arrays()
        first = 0
        for name, parameter in self.network.named_parameters():
            last = first + parameter.numel()
            arrays[name] = vector[first:last].reshape(tuple(parameter.shape))
            first = last
        return arrays

    def step(
        self,
        examples: Examples,
        games: NDArray[np.int64],
        learning_rate: float,
        generator: np.random.Generator,
    ) -> tuple[float, float, float]:
        """One step of Adam on a batch.

        Returns:
            Means over the batch of the score loss and of the weighted rating loss, and the weighted
                regularisation: their sum is the training loss.
        """
        settings = self.settings
        self.network.train()
        if settings.dropout:
            torch.manual_seed(int(generator.integers(1 << 62)))
        self._gradient.zero_()
        score, rating = self._add_gradients(examples, games, generator)
        size = self._flat.numel()
        regularisation = float(self._flat.square().mean())
        self._gradient.add_(self._flat, alpha=2 * settings.regularisation / size)
        self._adam.param_groups[0]["lr"] = learning_rate
        self._adam.step()
        if self._average is not None:
            self._average.lerp_(self._flat, 1 - settings.averaging)
        return score, settings.rating_loss * rating, settings.regularisation * regularisation

    def _add_gradients(
        self, examples: Examples, games: NDArray[np.int64], generator: np.random.Generator
    ) -> tuple[float, float]:
        """Gradients of the score and rating losses, and both losses, over a batch."""
        settings = self.settings
        lengths = examples.lengths[games]
        if settings.sample:
            lengths = np.minimum(lengths, settings.sample)
        scores = ratings = 0.0
        for group in alike(lengths, self._room):
            chosen = games[group]
            x, there = examples.batch(chosen, settings.sample, generator)
            with torch.autocast(self.device.type, torch.bfloat16, enabled=settings.bfloat16):
                answers = self.network(x, there)
            black, white = answers.float().chunk(2)
            where = torch.from_numpy(chosen).to(self.device)
            score = score_losses(black, white, examples.score[where], self._scale).sum()
            rating = rating_losses(black, white, examples.labels[where]).sum()
            loss = (score + settings.rating_loss * rating) / len(games)
            loss.backward()  # type: ignore[no-untyped-call]
            scores += float(score.detach())
            ratings += float(rating.detach())
        return scores / len(games), ratings / len(games)

    @torch.no_grad()
    def evaluate(self, examples: Examples) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Normalised ratings [g, 2] of all games, and the logarithms of the likelihoods [g].

        With the parameters that are judged: the moving average, if there is one.
        """
        self.network.eval()
        trained = self._flat.clone()
        if self._average is not None:
            self._flat.copy_(self._average)
        answers = torch.zeros((len(examples), 2), device=self.device)
        room = _MORE_WITHOUT_GRADIENTS * self._room
        for group in alike(examples.lengths, room):
            x, there = examples.batch(group)
            black, white = self.network(x, there).chunk(2)
            answers[torch.from_numpy(group).to(self.device)] = torch.stack([black, white], 1)
        self._flat.copy_(trained)
        double = answers.double()
        losses = score_losses(double[:, 0], double[:, 1], examples.score.double(), self._scale)
        return double.cpu().numpy(), -losses.cpu().numpy()

    def finite(self) -> bool:
        """Whether every parameter still is a number."""
        return math.isfinite(float(self._flat.sum()))
