"""How fast a training step is, against a loop over samples with torch's own layers.

``python -m benchmarks.training_speed`` trains the same network on the same batches in
two ways, in one process and with the same number of threads:

- as `yardstone.strength.train` does: masked batches, one vector of parameters;
- as a loop over the sets of a batch, each through `torch.nn` layers as the equations
  have them, with the gradients of its game added up, and `torch.optim.Adam`.

It checks that both give the same losses, and prints steps a second and their ratio,
and which share either has of the limit: the operations that it asks for, at the speed
of a product of two large matrices in the same run. Where the loop is near that limit
already, no way to arrange the same work can be much faster. The last table shows how
the time of a step grows with the moves of a set.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from statistics import median

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.flop_counter import FlopCounterMode

from benchmarks.measure import machine
from yardstone.strength.set_transformer import EPSILON
from yardstone_lab.neubauer.moves import MoveSets
from yardstone_lab.neubauer.network.set_transformer import Examples, Stepper, initial_arrays
from yardstone_lab.neubauer.network.strength_network import (
    SMALL,
    TABLE_5_1,
    Hyperparameters,
    gamma,
    pack,
)

#: Processor seconds that each is measured for, or more.
LEAST = 2.0
#: Deviation of the labels, in rating points.
DEVIATION = 300.0


class Attention(nn.Module):
    """Eq. 4.4 and 4.5 for one set, a layer of torch for each of theirs."""

    def __init__(self, width: int, query_width: int) -> None:
        super().__init__()
        self.query = nn.Linear(width, query_width, bias=False)
        self.key = nn.Linear(width, query_width, bias=False)
        self.value = nn.Linear(width, width, bias=False)
        self.first_norm = nn.LayerNorm(width, eps=EPSILON)
        self.dense = nn.Linear(width, width)
        self.second_norm = nn.LayerNorm(width, eps=EPSILON)

    def forward(self, q: Tensor, h: Tensor) -> Tensor:
        """Of the queries [m, d] among the elements [n, d]."""
        answer = functional.scaled_dot_product_attention(self.query(q), self.key(h), self.value(h))
        answer = self.first_norm(q + answer)
        result: Tensor = self.second_norm(answer + torch.relu(self.dense(answer)))
        return result


class Block(nn.Module):
    """Eq. 4.6."""

    def __init__(self, settings: Hyperparameters) -> None:
        super().__init__()
        self.points = nn.Parameter(torch.empty(settings.inducing_points, settings.width))
        self.gather = Attention(settings.width, settings.query_width)
        self.spread = Attention(settings.width, settings.query_width)

    def forward(self, h: Tensor) -> Tensor:
        """Of elements [n, d]."""
        result: Tensor = self.spread(h, self.gather(self.points, h))
        return result


class OneSet(nn.Module):
    """Eq. 4.7 and 4.8 for one set of moves [n, channels]."""

    def __init__(self, settings: Hyperparameters, channels: int) -> None:
        super().__init__()
        self.encode = nn.Linear(channels, settings.width, bias=False)
        self.blocks = nn.Sequential(*(Block(settings) for _ in range(settings.depth)))
        self.seed = nn.Parameter(torch.empty(1, settings.width))
        self.pool = Attention(settings.width, settings.query_width)
        self.rate = nn.Linear(settings.width, 1, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """A rating."""
        result: Tensor = self.rate(self.pool(self.seed, self.blocks(self.encode(x))))[0, 0]
        return result


@dataclass(frozen=True)
class Case:
    """A network and its games."""

    name: str
    settings: Hyperparameters
    channels: int
    moves: int
    steps: int


def made_examples(case: Case, generator: np.random.Generator, device: torch.device) -> Examples:
    """Games of random features; half of the sets are full, the others have any length."""
    games = 2 * case.settings.batch
    lengths = generator.integers(1, case.moves + 1, 2 * games)
    lengths[generator.random(2 * games) < 0.5] = case.moves
    table = generator.normal(size=(50 * case.moves, case.channels)).astype(np.float16)
    rows = generator.integers(len(table), size=int(lengths.sum()))
    moves = MoveSets(table, rows, np.concatenate([[0], np.cumsum(lengths)]))
    score = generator.integers(0, 2, games).astype(np.float32)
    return Examples(pack(moves), score, generator.normal(size=(games, 2)), device)


class Loop:
    """The loop over samples."""

    def __init__(self, case: Case, arrays: dict[str, np.ndarray], examples: Examples) -> None:
        self.settings, self.examples = case.settings, examples
        self.network = OneSet(case.settings, case.channels).to(examples.device)
        with torch.no_grad():
            for name, parameter in self.network.named_parameters():
                parameter.copy_(torch.from_numpy(arrays[name]))
        self.adam = torch.optim.Adam(self.network.parameters(), lr=case.settings.learning_rate)

    def rating(self, side: int) -> Tensor:
        """Of one side of one game."""
        moves = self.examples.moves
        rows = moves.rows[moves.starts[side] : moves.starts[side + 1]]
        x = self.examples.features[torch.from_numpy(rows).to(self.examples.device)].float()
        result: Tensor = self.network(x)
        return result

    def step(self, games: np.ndarray) -> float:
        """A step on a batch; the sum of the three losses."""
        settings, examples = self.settings, self.examples
        self.adam.zero_grad()
        total = 0.0
        for game in games.tolist():
            black, white = self.rating(2 * game), self.rating(2 * game + 1)
            expected = torch.sigmoid(gamma(DEVIATION) * (black - white))
            score = functional.binary_cross_entropy(expected, examples.score[game])
            rating = (examples.labels[game] - torch.stack([black, white])).square().sum()
            loss = (score + settings.rating_loss * rating) / len(games)
            loss.backward()  # type: ignore[no-untyped-call]
            total += float(loss.detach())
        size = sum(parameter.numel() for parameter in self.network.parameters())
        squares = torch.stack([p.square().sum() for p in self.network.parameters()]).sum() / size
        regularisation = settings.regularisation * squares
        regularisation.backward()  # type: ignore[no-untyped-call]
        self.adam.step()
        return total + float(regularisation.detach())


def timed(step: Callable[[np.ndarray], float], batches: list[np.ndarray]) -> tuple[float, float]:
    """Median processor seconds and seconds of a step, after a first that does not count.

    All batches, and again as long as that takes less than `LEAST` processor seconds.
    """
    step(batches[0])
    used: list[float] = []
    wall: list[float] = []
    while len(used) < len(batches) - 1 or sum(used) < LEAST:
        batch = batches[1 + len(used) % (len(batches) - 1)]
        began, before = time.perf_counter(), time.process_time()
        step(batch)
        wall.append(time.perf_counter() - began)
        used.append(time.process_time() - before)
    return median(used), median(wall)


def peak(device: torch.device) -> tuple[float, float]:
    """Operations per processor second, and per second, of a product of large matrices."""
    matrix = torch.rand(1500, 1500, device=device)

    def product(_: np.ndarray) -> float:
        return float((matrix @ matrix)[0, 0])

    times = [timed(product, [np.empty(0)] * 4) for _ in range(3)]
    used, wall = (min(column) for column in zip(*times, strict=True))
    return 2 * 1500**3 / used, 2 * 1500**3 / wall


def operations(step: Callable[[], object]) -> int:
    """Multiplications and additions of matrix products in a step."""
    with FlopCounterMode(display=False) as counter:
        step()
    return int(counter.get_total_flops())


def compared(case: Case, device: torch.device, seed: int) -> float:
    """Measure both on one case, check that they agree, and print a line; their ratio."""
    limits = peak(device)
    generator = np.random.default_rng(seed)
    examples = made_examples(case, generator, device)
    arrays = initial_arrays(case.settings, case.channels, generator)
    stepper = Stepper(case.settings, arrays, DEVIATION, device)
    loop = Loop(case, arrays, examples)
    batches = [
        generator.integers(len(examples), size=case.settings.batch) for _ in range(case.steps + 1)
    ]
    rate = case.settings.learning_rate
    ours: list[float] = []
    theirs: list[float] = []
    mine = timed(lambda b: ours.append(sum(stepper.step(examples, b, rate, generator))), batches)  # type: ignore[arg-type,return-value]
    other = timed(lambda b: theirs.append(loop.step(b)), batches)  # type: ignore[arg-type,return-value]
    loss = abs(ours[0] - theirs[0]) / theirs[0]  # later steps drift apart by rounding
    if loss > 1e-4:
        raise SystemExit(f"{case.name}: the losses of the first step differ by {loss:.1e}")
    # One thread: the time of the processor, whoever else wants it. Several: that of the clock.
    place = 0 if device.type == "cpu" and torch.get_num_threads() == 1 else 1
    ratio = other[place] / mine[place]
    shares = [
        100 * operations(step) / seconds[place] / limits[place]
        for step, seconds in (
            (lambda: stepper.step(examples, batches[0], rate, generator), mine),
            (lambda: loop.step(batches[0]), other),
        )
    ]
    print(
        f"{case.name:<28} {1 / mine[place]:>9.3f} {1 / other[place]:>9.3f} {ratio:>7.1f}"
        f" {shares[0]:>7.0f} % {shares[1]:>7.0f} %",
        flush=True,
    )
    return ratio


def growth(device: torch.device, settings: Hyperparameters) -> None:
    """Time of a step by moves a set: linear if the time a move stays the same."""
    print("\nmoves a set, and microseconds a move of a step:")
    for moves in (125, 250, 500, 1000, 2000):
        case = Case("", replace(settings, batch=20, window=moves), 384, moves, 2)
        generator = np.random.default_rng(0)
        examples = made_examples(case, generator, device)
        stepper = Stepper(
            case.settings, initial_arrays(case.settings, 384, generator), DEVIATION, device
        )
        games = np.arange(20)

        def step(batch: np.ndarray, stepper: Stepper = stepper, data: Examples = examples) -> float:
            return sum(stepper.step(data, batch, 1e-3, np.random.default_rng(0)))

        seconds = timed(step, [games] * 3)[1]
        print(f"{moves:>6} {1e6 * seconds / examples.lengths[:20].sum():>9.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Training steps against a loop over samples.")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=3)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    device = torch.device(options.device)
    small = replace(SMALL, sample=0)
    cases = [
        Case("basic, small, 25 moves", small, 6, 25, options.steps),
        Case("basic, small, 100 moves", small, 6, 100, options.steps),
        Case("basic, small, 500 moves", small, 6, 500, options.steps),
        Case("full, small, 25 moves", small, 384, 25, options.steps),
        Case("full, small, 100 moves", small, 384, 100, options.steps),
        Case("full, small, 500 moves", small, 384, 500, options.steps),
        Case("full, Table 5.1, 25 moves", TABLE_5_1, 384, 25, options.steps),
        Case("full, Table 5.1, 500 moves", TABLE_5_1, 384, 500, 1),
    ]
    print(machine())
    print(f"torch {torch.__version__}, {options.threads} threads, {device.type}")
    print(f"{'':<28} {'steps/s':>9} {'loop':>9} {'ratio':>7} {'limit':>9} {'loop':>9}")
    for case in cases:
        compared(case, device, options.seed)
    growth(device, small)


if __name__ == "__main__":
    main()
