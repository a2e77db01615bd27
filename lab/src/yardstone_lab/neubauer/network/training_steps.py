"""Training in torch: the three targets, their gradients over a batch, and Adam's step.

All parameters are one vector and so are their gradients, which makes a step of Adam,
the regularisation, a moving average and a checkpoint one operation each. A batch is
split into groups of games of like length: what is filled up is little, and the memory
of a step does not grow with the batch.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from yardstone.strength.set_transformer import alike, gamma
from yardstone_lab.neubauer.network.set_transformer import SetTransformer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.strength.set_transformer import Hyperparameters, PackedMoves

    Arrays = dict[str, NDArray[np.float32]]

__all__ = ["Examples", "Stepper", "chosen_device", "rating_losses", "score_losses"]

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

    Parameters
    ----------
    black, white : tensor [g]
        Normalised ratings.
    score : tensor [g]
        Of Black: 1, 0.5 or 0.
    scale : float
        γ: what a unit of a normalised rating is worth in the exponent.
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
        rows, there = self.moves.indices(sides, sample=sample, generator=generator)
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

    Parameters
    ----------
    settings : Hyperparameters
    arrays : mapping
        The parameters to begin with, and the moments of the inputs if these are to be
        standardised.
    deviation : float
        Of the labels, in rating points.
    device : torch.device
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

        Returns
        -------
        three floats
            Means over the batch of the score loss and of the weighted rating loss, and
            the weighted regularisation: their sum is the training loss.
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
