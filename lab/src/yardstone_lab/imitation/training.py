"""Training of a network that imitates players, which can be killed and goes on.

A step's randomness depends on its number alone, so that a training that was stopped ends with
the same bytes as one that was not. The learning rate grows over the first steps, stays, and
falls to 0 over the last fifth: so the number of steps may still be changed until that begins.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from yardstone.arrays import ArrayFile
from yardstone.errors import ConvergenceError, UsageError
from yardstone.files import locked, write_text
from yardstone_lab.imitation.batches import TrainingBatch, make_batch
from yardstone_lab.imitation.network import ImitationNetwork
from yardstone_lab.imitation.settings import BANDS
from yardstone_lab.imitation.targets import TrainingLosses, targets
from yardstone_lab.imitation.teacher import Lesson, Teacher
from yardstone_lab.torch_threads import torch_threads

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from yardstone.go.nets.network import Network
    from yardstone_lab.imitation.games import ImitationGames
    from yardstone_lab.imitation.settings import ImitationSettings

__all__ = [
    "CHECKPOINT",
    "Progress",
    "load_training",
    "read_losses",
    "train_network",
]

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
Progress = Callable[[int, int, TrainingLosses], object]


def train_network(
    games: ImitationGames,
    settings: ImitationSettings,
    folder: str | os.PathLike[str],
    *,
    threads: int | None = None,
    until: int | None = None,
    minutes: float | None = None,
    teacher: Network | None = None,
    progress: Progress | None = None,
) -> tuple[ImitationNetwork, int]:
    """Train a network.

    Parameters
    ----------
    games : ImitationGames
    settings : ImitationSettings
    folder : path
        Keeps the checkpoint, and `losses.csv`. A training that was stopped there goes on.
    threads : int, optional
        Of torch; as it is set if not given. Other numbers of threads round otherwise.
    until : int, optional
        Stop after so many steps of all, to go on another time.
    minutes : float, optional
        Stop after so many minutes, to go on another time.
    teacher : Network, optional
        Another network, whose view of the positions is learnt as well.
    progress : callable, optional
        Called after each step with the steps that are done, all of them, and its losses.

    Returns
    -------
    network : ImitationNetwork
        In the state to be used.
    steps : int
        Steps that are done; fewer than the settings say if it was stopped.

    Raises
    ------
    UsageError
        The folder holds a training of other games or settings, or by another teacher.
    ConvergenceError
        The training diverged.
    """
    home = Path(folder)
    home.mkdir(parents=True, exist_ok=True)
    with torch_threads(threads), locked(home, "training here"):
        loop = _Loop(games, settings, home, teacher)
        last = settings.steps if until is None else min(until, settings.steps)
        deadline = np.inf if minutes is None else time.monotonic() + 60.0 * minutes
        loop.run(last, deadline, progress)
        loop.network.eval()
        return loop.network, loop.step


def load_training(folder: str | os.PathLike[str], settings: ImitationSettings) -> ImitationNetwork:
    """The network of a training as it was last kept, in the state to be used.

    Raises
    ------
    InputError
        There is none, or it is damaged.
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

    Raises
    ------
    InputError
        There is none, or it is damaged.
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

    def run(self, until: int, deadline: float, progress: Progress | None) -> None:
        """Go on to a step or a time; batches are made while the one before is learnt from."""
        saved = time.monotonic()
        recent: list[TrainingLosses] = []
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
                if progress is not None:
                    progress(self.step, self.settings.steps, losses)
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
