"""Training of a network that imitates players, and what it is worth on games kept apart."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from yardstone.arrays import ArrayFile
from yardstone.errors import ConvergenceError, UsageError
from yardstone.files import locked, write_text
from yardstone.parallel import Track
from yardstone_lab.imitation.games import BANDS, SIZE, TrainingBatch, make_batch
from yardstone_lab.imitation.network import ImitationNetwork
from yardstone_lab.neubauer.network.training import torch_threads

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from yardstone.go.nets.network import Network
    from yardstone_lab.imitation.games import ImitationGames, ImitationSettings

    Floats = NDArray[np.float32]
    Array = NDArray[np.float64]

__all__ = [
    "TrainingLosses",
    "targets",
    "Lesson",
    "Teacher",
    "CHECKPOINT",
    "Report",
    "load_training",
    "read_losses",
    "train_network",
    "Judged",
    "JudgedMoves",
    "judge_moves",
    "judge_network",
]

#: A lead of so many points is 1 to the network; differences of fewer than `_CLOSE` count little.
_LEAD, _CLOSE = 20.0, 10.0
_SHUT = -1e4


@dataclass(frozen=True, slots=True)
class TrainingLosses:
    """Means over the positions of a step, or of several."""

    move: float  #: Minus the log-likelihood of the move by the policy of its player's band.
    top: float  #: Share of moves that this policy likes best.
    #: Minus the log-likelihood of the moves, or of the teacher's policy, by that of all players.
    policy: float
    #: `value`, `lead`, `strength`, `trunk`: NaN where nothing was known.
    value: float = float("nan")
    lead: float = float("nan")
    strength: float = float("nan")
    trunk: float = float("nan")


def targets(
    network: ImitationNetwork,
    batch: TrainingBatch,
    lesson: Lesson | None,
    settings: ImitationSettings,
) -> tuple[Tensor, TrainingLosses]:
    """What is made small, and its parts."""
    spatial = torch.from_numpy(batch.spatial).float().to(memory_format=torch.channels_last)
    numbers, point, band, won, legal = (
        torch.from_numpy(getattr(batch, name))
        for name in ("numbers", "point", "band", "won", "legal")
    )
    with torch.autocast("cpu", torch.bfloat16, enabled=settings.bfloat16):
        outputs = network(spatial, numbers)
    rows = torch.arange(len(point))
    shut = ~legal
    shut[rows, point] = False
    logits = network.choices(outputs, band).masked_fill(shut, _SHUT)
    move = functional.cross_entropy(logits, point)
    top = float((logits.detach().argmax(1) == point).float().mean())
    # The policy of all players is what other programs read.
    policy = functional.cross_entropy(
        outputs.policy.float().masked_fill(shut, _SHUT),
        point if lesson is None else torch.from_numpy(lesson.policy),
    )
    parts = {"policy": policy}
    if lesson is not None:
        won = torch.from_numpy(lesson.won)
        lead = torch.from_numpy(lesson.lead) / _LEAD
        scores = torch.stack([outputs.lead.float(), outputs.mean_score.float()])
        parts["lead"] = functional.smooth_l1_loss(
            scores, lead.expand_as(scores), beta=_CLOSE / _LEAD
        )
        with torch.autocast("cpu", torch.bfloat16, enabled=settings.bfloat16):
            taught = network.taught(outputs)
        parts["trunk"] = functional.mse_loss(
            taught.float(), torch.from_numpy(lesson.trunk).transpose(1, 2)
        )
    known = ~torch.isnan(won)
    if known.any():
        chance = won[known]
        wanted = torch.stack([chance, 1.0 - chance, torch.zeros_like(chance)], 1)
        parts["value"] = functional.cross_entropy(outputs.value.float()[known], wanted)
    own = band.view(-1, settings.moves)[:, 0]
    ranked = own > 0
    if ranked.any():
        answers = network.ranks(outputs, point, settings.moves)[ranked]
        parts["strength"] = _strength_loss(answers, own[ranked])
    loss = move + sum(getattr(settings, name) * part for name, part in parts.items())
    losses = {name: float(part.detach()) for name, part in parts.items()}
    return loss, TrainingLosses(move=float(move.detach()), top=top, **losses)


def _strength_loss(answers: Tensor, band: Tensor) -> Tensor:
    """Cross-entropy of the group among those of its own scale."""
    scales = [scale for scale, _ in BANDS[1:]]
    total = torch.zeros(())
    for scale in dict.fromkeys(scales):
        columns = [k for k, each in enumerate(scales) if each == scale]
        mine = (band - 1 >= columns[0]) & (band - 1 <= columns[-1])
        if mine.any():
            own = answers[mine][:, columns[0] : columns[-1] + 1]
            total = total + functional.cross_entropy(
                own, band[mine] - 1 - columns[0], reduction="sum"
            )
    return total / len(band)


_LEAST_DEVIATION = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """What a teacher says of n positions, for the player to move."""

    policy: Floats  #: [n, 362]: probabilities of the legal moves.
    won: Floats  #: [n]: probability of winning.
    lead: Floats  #: [n]: points ahead.
    trunk: Floats  #: [n, channels, 361]: the last layer, standardised.


class Teacher:
    """A network that teaches another.

    Args:
        usual: Positions that say how its last layer usually is.

    Attributes:
        channels: Width of the last layer.
    """

    def __init__(self, network: Network, usual: TrainingBatch) -> None:
        self.network = network
        self.channels = network.channels
        self._mean, self._deviation = np.float32(0.0), np.float32(1.0)
        layer = self(usual).trunk.astype(np.float64)
        mean, deviation = layer.mean(axis=(0, 2)), layer.std(axis=(0, 2))
        self._mean = mean.astype(np.float32)[:, None]
        self._deviation = np.maximum(deviation, _LEAST_DEVIATION).astype(np.float32)[:, None]

    def __call__(self, batch: TrainingBatch) -> Lesson:
        """What it says of the positions of a batch."""
        output = self.network.evaluate(batch.spatial.astype(np.float32), batch.numbers, trunk=True)
        logits = np.where(batch.legal, output.policy_logits, -np.inf)
        policy = np.exp(logits - logits.max(axis=1, keepdims=True))
        value = np.exp(output.value_logits[:, :2] - output.value_logits[:, :2].max(1)[:, None])
        assert output.trunk is not None
        trunk = output.trunk.reshape(len(batch), self.channels, SIZE * SIZE)
        return Lesson(
            (policy / policy.sum(axis=1, keepdims=True)).astype(np.float32),
            (value[:, 0] / value.sum(axis=1)).astype(np.float32),
            output.lead.astype(np.float32),
            ((trunk - self._mean) / self._deviation).astype(np.float32),
        )


CHECKPOINT = "checkpoint.npz"
_LOSSES = "losses.csv"
#: A checkpoint is written after so many seconds, and a line of losses after so many steps.
_SECONDS, _LINE = 120.0, 100
_WARM, _COOLING = 500, 0.2
_CLIP = 1.0
#: Sides whose player's rank is known are drawn so many times as often as others.
_KNOWN = 1.0
_FILE = ArrayFile(
    "checkpoint of a network that imitates players", text="about", compressed=False,
    hint="name another folder, or remove it to begin anew",
)  # fmt: skip


_COLUMNS = ("step", *(field.name for field in fields(TrainingLosses)))
Report = Callable[[int, int, TrainingLosses], object]


def train_network(
    games: ImitationGames,
    settings: ImitationSettings,
    folder: str | os.PathLike[str],
    *,
    threads: int | None = None,
    until: int | None = None,
    minutes: float | None = None,
    teacher: Network | None = None,
    report: Report | None = None,
) -> tuple[ImitationNetwork, int]:
    """Train a network.

    Args:
        folder: Keeps the checkpoint, and `losses.csv`. A training that was stopped there goes on.
        threads: Of torch; as it is set if not given. Other numbers of threads round otherwise.
        until: Stop after so many steps of all, to go on another time.
        minutes: Stop after so many minutes, to go on another time.
        teacher: Another network, whose view of the positions is learnt as well.
        report: Called after each step with the steps that are done, all of them, and its losses.

    Returns:
        network: In the state to be used.
        steps: Steps that are done; fewer than the settings say if it was stopped.

    Raises:
        UsageError: The folder holds a training of other games or settings, or by another teacher.
        ConvergenceError: The training diverged.
    """
    home = Path(folder)
    home.mkdir(parents=True, exist_ok=True)
    with torch_threads(threads), locked(home, "training here"):
        loop = _Loop(games, settings, home, teacher)
        last = settings.steps if until is None else min(until, settings.steps)
        deadline = np.inf if minutes is None else time.monotonic() + 60.0 * minutes
        loop.run(last, deadline, report)
        loop.network.eval()
        return loop.network, loop.step


def load_training(folder: str | os.PathLike[str], settings: ImitationSettings) -> ImitationNetwork:
    """The network of a training as it was last kept, in the state to be used.

    Raises:
        InputError: There is none, or it is damaged.
    """
    arrays, _ = _FILE.read(Path(folder) / CHECKPOINT, lambda stored, text: (dict(stored), text))
    state = _network_state(arrays)
    teacher = state.get("teacher.weight")
    network = ImitationNetwork(settings, 0 if teacher is None else len(teacher))
    network.load_state_dict(state)
    network.eval()
    return network


def read_losses(folder: str | os.PathLike[str]) -> dict[str, NDArray[np.float64]]:
    """The losses of a training as it was last kept: float64 [lines] by name, `step` among them.

    Each line is the mean of the steps since the one before.

    Raises:
        InputError: There is none, or it is damaged.
    """
    _, about = _FILE.read(Path(folder) / CHECKPOINT, lambda stored, text: (None, dict(text)))
    lines = np.array(about["lines"], np.float64).reshape(-1, len(_COLUMNS))
    return dict(zip(_COLUMNS, lines.T, strict=True))


def _network_state(arrays: dict[str, NDArray[Any]]) -> dict[str, Tensor]:
    return {
        name.removeprefix("net_"): torch.from_numpy(value)
        for name, value in arrays.items()
        if name.startswith("net_")
    }


class _Loop:
    """The steps of a training."""

    def __init__(
        self,
        games: ImitationGames,
        settings: ImitationSettings,
        home: Path,
        teacher: Network | None,
    ) -> None:
        self.games = games
        self.settings = settings
        self.home = home
        torch.manual_seed(settings.seed)
        self.network: ImitationNetwork = ImitationNetwork(
            settings, teacher.channels if teacher else 0
        )
        self.network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self._adam = torch.optim.AdamW(
            self.network.parameters(), lr=settings.learning_rate, weight_decay=settings.decay
        )
        self._fingerprint = _fingerprint(games, settings, teacher)
        self.step = 0
        self.lines: list[list[float]] = []
        self._shares = _shares(games)
        self._teacher = None if teacher is None else Teacher(teacher, self._batch(0))
        if (home / CHECKPOINT).exists():
            self._resume()

    def run(self, until: int, deadline: float, report: Report | None) -> None:
        """Go on to a step or a time; batches are made while the one before is learnt from."""
        saved = time.monotonic()
        recent: list[TrainingLosses] = []
        track = Track("training", self.settings.steps)
        self.network.train()
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(self._prepared, self.step)
            while self.step < until and not self._late(deadline):
                batch, lesson = waiting.result()
                if self.step + 1 < until:
                    waiting = pool.submit(self._prepared, self.step + 1)
                losses = self._learn(batch, lesson)
                recent.append(losses)
                self.step += 1
                if self.step % _LINE == 0:
                    self.lines.append([self.step, *_mean(recent)])
                    recent = []
                track(self.step)
                if report is not None:
                    report(self.step, self.settings.steps, losses)
                if self.step % _LINE == 0 and time.monotonic() - saved > _SECONDS:
                    self._save()
                    saved = time.monotonic()
        if self.step % _LINE == 0 or self.step == self.settings.steps:
            self._save()

    def _late(self, deadline: float) -> bool:
        """Whether the time is over; where a line of losses is whole, nothing gets lost."""
        return self.step % _LINE == 0 and time.monotonic() > deadline

    def _batch(self, step: int) -> TrainingBatch:
        generator = np.random.default_rng([self.settings.seed, step + 1])
        sides = np.searchsorted(self._shares, generator.random(self.settings.sides))
        return make_batch(self.games, sides, self.settings.moves, generator)

    def _prepared(self, step: int) -> tuple[TrainingBatch, Lesson | None]:
        batch = self._batch(step)
        return batch, None if self._teacher is None else self._teacher(batch)

    def _rate(self) -> float:
        whole = self.settings.steps
        warm = min(1.0, (self.step + 1) / _WARM)
        cooling = min(1.0, (whole - self.step) / (_COOLING * whole))
        return self.settings.learning_rate * warm * cooling

    def _learn(self, batch: TrainingBatch, lesson: Lesson | None) -> TrainingLosses:
        self._adam.param_groups[0]["lr"] = self._rate()
        loss, losses = targets(self.network, batch, lesson, self.settings)
        if not torch.isfinite(loss):
            raise ConvergenceError(
                f"the training diverged after {self.step:,} steps: take a smaller learning_rate "
                "and another folder"
            )
        self._adam.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), _CLIP)
        self._adam.step()
        return losses

    def _save(self) -> None:
        arrays = {f"net_{k}": v.numpy() for k, v in self.network.state_dict().items()}
        state = self._adam.state_dict()["state"]
        for number, each in state.items():
            arrays |= {f"adam_{number}_{name}": value.numpy() for name, value in each.items()}
        about = {"fingerprint": self._fingerprint, "step": self.step, "lines": self.lines}
        _FILE.write(self.home / CHECKPOINT, arrays, about)
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(_COLUMNS)
        writer.writerows(self.lines)
        write_text(self.home / _LOSSES, text.getvalue())

    def _resume(self) -> None:
        arrays, about = _FILE.read(
            self.home / CHECKPOINT, lambda stored, text: (dict(stored), dict(text))
        )
        if about["fingerprint"] != self._fingerprint:
            raise UsageError(
                f"{self.home} holds a training of other games or settings: name another folder"
            )
        self.step, self.lines = int(about["step"]), about["lines"]
        self.network.load_state_dict(_network_state(arrays))
        saved = self._adam.state_dict()
        for name, value in arrays.items():
            if name.startswith("adam_"):
                _, number, part = name.split("_", 2)
                tensor = torch.from_numpy(np.array(value))
                saved["state"].setdefault(int(number), {})[part] = tensor
        self._adam.load_state_dict(saved)


def _mean(losses: list[TrainingLosses]) -> list[float]:
    """The mean of each loss, of the steps that have it."""
    table = np.array([astuple(each) for each in losses])
    known = ~np.isnan(table)
    number = known.sum(axis=0)
    sums = np.where(known, table, 0.0).sum(axis=0)
    return [float(s / n) if n else float("nan") for s, n in zip(sums, number, strict=True)]


def _fingerprint(
    games: ImitationGames, settings: ImitationSettings, teacher: Network | None
) -> str:
    """What trainings that give the same network have in common, but for the steps."""
    digest = hashlib.sha256(
        json.dumps(replace(settings, steps=1).as_dict(), sort_keys=True).encode()
    )
    for array in (games.game, games.colour, games.band):
        digest.update(array.tobytes())
    for game in games.games:
        digest.update(game.moves.tobytes())
    if teacher is not None:
        digest.update(f"{teacher.sha256} {teacher.precision}".encode())
    return digest.hexdigest()


def _shares(games: ImitationGames) -> NDArray[np.float64]:
    """Where the sides lie between 0 and 1: bands are drawn alike but for the root of their size."""
    size = np.bincount(games.band, minlength=len(BANDS)).astype(np.float64)
    weight = 1.0 / np.sqrt(size[games.band])
    return np.asarray(np.cumsum(weight) / weight.sum())


#: Sides that are looked at together.
_TOGETHER = 8


@dataclass(frozen=True, slots=True, eq=False)
class JudgedMoves:
    """What a network says of n moves; frozen."""

    #: [n, bands]: logarithm of the probability of the move by the choices of each band.
    likelihood: NDArray[np.float32]
    everybody: NDArray[np.float32]  #: [n]: the same by the policy of all players.
    top: NDArray[np.bool_]  #: Whether the policy of the player's own band likes the move best.
    top_everybody: NDArray[np.bool_]  #: Whether that of all players does.
    signs: NDArray[np.float32]  #: What the strength of the player is told from.


@torch.no_grad()
def judge_moves(
    network: ImitationNetwork, batch: TrainingBatch, *, bfloat16: bool = True
) -> JudgedMoves:
    """What a network, in the state to be used, says of the moves of a batch."""
    point = torch.from_numpy(batch.point)
    rows = torch.arange(len(point))
    shut = ~torch.from_numpy(batch.legal)
    shut[rows, point] = False
    spatial = torch.from_numpy(batch.spatial).float()
    with torch.autocast("cpu", torch.bfloat16, enabled=bfloat16):
        outputs = network(spatial, torch.from_numpy(batch.numbers))
    policy = outputs.policy.float().masked_fill(shut, _SHUT)
    likelihood = np.empty((len(point), len(BANDS)), np.float32)
    best = np.empty((len(point), len(BANDS)), np.int64)
    for band in torch.arange(len(BANDS)):
        logits = network.choices(outputs, band.expand(len(point))).masked_fill(shut, _SHUT)
        likelihood[:, int(band)] = torch.log_softmax(logits, 1)[rows, point].numpy()
        best[:, int(band)] = logits.argmax(1).numpy()
    return JudgedMoves(
        likelihood,
        torch.log_softmax(policy, 1)[rows, point].numpy(),
        best[rows.numpy(), batch.band] == batch.point,
        policy.argmax(1).numpy() == batch.point,
        network.signs(outputs, point).numpy(),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """What a network says of as many moves of each of s sides; frozen."""

    band: NDArray[np.int64]  #: [s]: of the player.
    moves: int  #: Of each side.
    all: JudgedMoves  #: One side after the other.

    @property
    def own(self) -> Array:
        """Logarithm of the probability of each move by the choices of its player's band: [n]."""
        band = np.repeat(self.band, self.moves)
        return self.all.likelihood[np.arange(len(band)), band].astype(np.float64)


def judge_network(
    network: ImitationNetwork,
    games: ImitationGames,
    *,
    moves: int = 24,
    bfloat16: bool = True,
) -> Judged:
    """What a network says of the moves of sides, spread evenly over their games.

    Args:
        network: In the state to be used.
        moves: Of each side.
        bfloat16: Compute as in training.
    """
    sides = np.arange(len(games))
    parts = []
    for start in range(0, len(sides), _TOGETHER):
        batch = make_batch(games, sides[start : start + _TOGETHER], moves)
        parts.append(judge_moves(network, batch, bfloat16=bfloat16))
    joined = {
        field.name: np.concatenate([getattr(part, field.name) for part in parts])
        for field in fields(JudgedMoves)
    }
    return Judged(games.band, moves, JudgedMoves(**joined))
