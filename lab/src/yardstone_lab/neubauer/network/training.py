"""Training of the full model: epochs, checkpoints and the log."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import io
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.arrays import ArrayFile
from yardstone.errors import (
    ConvergenceError,
    InputError,
    MissingExtraError,
    NoGamesError,
    UsageError,
)
from yardstone.files import locked, write_text
from yardstone.parallel import Track
from yardstone.strength.set_transformer import PackedMoves
from yardstone_lab.neubauer.network.strength_network import (
    Hyperparameters,
    StrengthNetwork,
    moments,
    pack,
)

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from yardstone_lab.neubauer.moves import Labelled
    from yardstone_lab.neubauer.network.set_transformer import Examples, Stepper

__all__ = [
    "torch_threads",
    "EPOCHS_FILE",
    "STEPS_FILE",
    "Epoch",
    "History",
    "read_history",
    "read_checkpoint",
    "write_checkpoint",
    "CHECKPOINT",
    "NETWORK",
    "Trained",
    "train",
]


@contextlib.contextmanager
def torch_threads(number: int | None) -> Iterator[None]:
    """Let torch use so many threads for a while; as many as before if None.

    Raises:
        MissingExtraError: There is no torch.
    """
    try:
        import torch
    except ImportError:
        raise MissingExtraError("torch") from None
    before = torch.get_num_threads()
    if number is not None:
        torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)


#: Files of a training's folder.
EPOCHS_FILE = "epochs.csv"
STEPS_FILE = "steps.csv"
_STEP_COLUMNS = ("epoch", "step", "score_loss", "rating_loss", "regularisation_loss")


@dataclass(frozen=True, slots=True)
class Epoch:
    """An epoch; frozen. Losses of training are means over its steps, as they are weighted."""

    epoch: int  #: From 1; 0 is the network before training, which has no losses of training.
    learning_rate: float
    #: `score_loss`, `rating_loss`, `regularisation_loss`: of training: L_s, τ_r (L_b + L_w) and τ_θ
    #: L_θ; their sum was minimised.
    score_loss: float
    rating_loss: float
    regularisation_loss: float
    #: Mean score loss of the validation games: minus their mean log-likelihood.
    validation_loss: float
    validation_rating_loss: float  #: Mean of L_b + L_w of the validation games, as it is weighted.
    #: `black_error`, `white_error`: mean squared errors of the normalised ratings of the validation
    #: games.
    black_error: float
    white_error: float
    #: Share of the validation games whose winner was predicted; a draw counts half.
    accuracy: float
    seconds: float  #: What the epoch took, with its validation.
    best: bool  #: Whether no earlier epoch had so low a validation loss.

    def line(self) -> str:
        """The epoch in one line."""
        training = (
            f"training {self.score_loss:.4f} + {self.rating_loss:.4f} "
            f"+ {self.regularisation_loss:.4f}, "
            if self.epoch
            else ""
        )
        return (
            f"epoch {self.epoch:3d}: {training}validation {self.validation_loss:.4f} "
            f"(ratings {self.validation_rating_loss:.4f}), accuracy "
            f"{100 * self.accuracy:.1f} %, {self.seconds:.1f} s{' *' if self.best else ''}"
        )


def _value(name: str, text: str) -> Any:
    if name == "best":
        return text == "True"
    return int(text) if name == "epoch" else float(text)


@dataclass(frozen=True)
class History:
    """A training so far; frozen."""

    epochs: tuple[Epoch, ...] = ()  #: From epoch 0, the network before training.
    #: Score, rating and regularisation loss of every step, as they are weighted.
    steps: tuple[tuple[float, float, float], ...] = ()

    @property
    def best(self) -> Epoch:
        """The best epoch that was trained; the untrained network if there is none."""
        return next((epoch for epoch in reversed(self.epochs) if epoch.best), self.epochs[0])

    @property
    def bad_epochs(self) -> int:
        """Epochs since the best one, or since the beginning."""
        return self.epochs[-1].epoch - self.best.epoch

    def write(self, folder: Path) -> None:
        """Write both tables into a folder, each whole or not at all."""
        epochs = (asdict(epoch).values() for epoch in self.epochs)
        _write(folder / EPOCHS_FILE, [field.name for field in fields(Epoch)], epochs)
        per_epoch = len(self.steps) // max(self.epochs[-1].epoch, 1) if self.epochs else 0
        steps = (
            (number // per_epoch + 1, number % per_epoch + 1, *losses)
            for number, losses in enumerate(self.steps)
        )
        _write(folder / STEPS_FILE, _STEP_COLUMNS, steps if per_epoch else ())

    def as_text(self) -> str:
        """As JSON, for a checkpoint; numbers come back exactly as they were."""
        return json.dumps(
            {"epochs": [list(asdict(epoch).values()) for epoch in self.epochs],
             "steps": [list(losses) for losses in self.steps]}
        )  # fmt: skip

    @classmethod
    def from_text(cls, text: str) -> History:
        """From what `as_text` wrote.

        Raises:
            ValueError: It is something else.
        """
        tables = json.loads(text)
        try:
            epochs = tuple(Epoch(*values) for values in tables["epochs"])
            steps = tuple((float(a), float(b), float(c)) for a, b, c in tables["steps"])
        except (TypeError, KeyError, OverflowError) as error:
            raise ValueError(str(error)) from None
        numbers = [value for epoch in epochs for value in asdict(epoch).values()]
        whole = all(isinstance(epoch.epoch, int) for epoch in epochs)
        if not (whole and all(isinstance(value, int | float) for value in numbers)):
            raise ValueError("an epoch has something that is no number")
        return cls(epochs, steps)


def _write(path: Path, names: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([repr(v) if isinstance(v, float) else v for v in row] for row in rows)
    write_text(path, text.getvalue())


def read_history(folder: Path) -> History:
    """The tables of a training's folder.

    Raises:
        InputError: There are none, or they are damaged.
    """
    epochs = [
        Epoch(**{name: _value(name, value) for name, value in row.items()})
        for row in _read(folder / EPOCHS_FILE, [field.name for field in fields(Epoch)])
    ]
    steps = [
        (float(row["score_loss"]), float(row["rating_loss"]), float(row["regularisation_loss"]))
        for row in _read(folder / STEPS_FILE, _STEP_COLUMNS)
    ]
    if not epochs:
        raise InputError("has no epochs", file=str(folder / EPOCHS_FILE))
    return History(tuple(epochs), tuple(steps))


def _read(path: Path, names: Iterable[str]) -> list[dict[str, str]]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            if list(reader.fieldnames or ()) != list(names):
                raise InputError("this is not a table of a training", file=str(path), line=1)
            rows = list(reader)
            for number, row in enumerate(rows):
                for name, value in row.items():
                    try:
                        _value(name, value)
                    except (TypeError, ValueError):
                        problem = f"{name} is {value!r}, no number"
                        raise InputError(problem, file=str(path), line=number + 2) from None
            return rows
    except FileNotFoundError:
        raise InputError(
            "there is no such file",
            file=str(path),
            hint="name the folder of a training",
        ) from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"cannot be read: {error}", file=str(path)) from None


_FILE = ArrayFile(
    "checkpoint, or a damaged one", text="about", compressed=False, hint="remove it to begin anew"
)


def write_checkpoint(
    path: Path, arrays: Mapping[str, NDArray[np.float32]], about: Mapping[str, Any]
) -> None:
    """Write a checkpoint whole, or not at all, so that one can be killed at any time."""
    _FILE.write(path, arrays, about)


def read_checkpoint(path: Path) -> tuple[dict[str, NDArray[np.float32]], dict[str, Any]]:
    """Read what `write_checkpoint` wrote.

    Raises:
        InputError: The file is something else, or damaged.
    """
    return _FILE.read(
        path,
        lambda arrays, about: (
            dict(arrays),
            {
                "fingerprint": about["fingerprint"],
                "history": History.from_text(about["history"]),
                "steps": [(float(a), float(b), float(c)) for a, b, c in about["steps"]],
            },
        ),
    )


#: Files of a training's folder.
CHECKPOINT = "checkpoint.npz"
NETWORK = "network.npz"
#: A checkpoint is written after each epoch, and within one after so many seconds.
CHECKPOINT_SECONDS = 60.0


@dataclass(frozen=True, eq=False)
class Trained:
    """What came out of a training; frozen."""

    network: StrengthNetwork  #: Of the best epoch; `network.npz` of the folder has it in float16.
    history: History
    settings: Hyperparameters
    folder: Path

    @property
    def loss(self) -> float:
        """The lowest mean score loss of the validation games."""
        return self.history.best.validation_loss


def train(
    training: Labelled,
    validation: Labelled,
    settings: Hyperparameters,
    folder: str | os.PathLike[str],
    *,
    device: str = "auto",
    threads: int | None = None,
    report: Callable[[Epoch], object] | None = None,
    resume: bool = True,
    card: dict[str, Any] | None = None,
) -> Trained:
    """Train a network, and keep the one of the epoch with the best validation.

    Args:
        training, validation: Games with the recent moves of both players, Black's score, and labels
            in rating points.
        folder: Where checkpoints, the tables `epochs.csv` and `steps.csv`, and the network go. A
            training that was stopped there goes on, and ends with the numbers of one that was not;
            one that is done is not done again.
        device: ``cpu``, ``cuda``, or ``auto``: a GPU if there is one.
        threads: Of torch on the processor; as it is set if not given. Other numbers of threads
            round otherwise, so the figures differ slightly.
        report: Called with each epoch when it is over; with those of before when resuming.
        resume: If False, begin anew whatever the folder holds.
        card: What else the network's file is to say.

    Raises:
        MissingExtraError: torch is not installed.
        NoGamesError: There is no game to train on, or none to validate with.
        UsageError: The folder holds a training of other settings or games, or there is no such
            device.
        ConvergenceError: The network's answers stopped being numbers before any epoch was over.
    """
    _check_games(training, validation)
    home = Path(folder)
    with torch_threads(threads):
        task = _Task(training, validation, settings, device)
        with locked(_made(home), "training here"):
            loop = _Loop(task, home)
            if resume:
                loop.resume(report)
            loop.run(report)
            network = task.network(loop.best, card or {}, loop.history)
            network.save(home / NETWORK)
    return Trained(network, loop.history, settings, home)


def _check_games(training: Labelled, validation: Labelled) -> None:
    for name, games in (("train on", training), ("validate with", validation)):
        if not len(games.score):
            raise NoGamesError(f"there is no game to {name}")
        if not np.isfinite(games.labels).all() or not np.isin(games.score, (0, 0.5, 1)).all():
            raise InputError(f"the games to {name} have labels or scores that are of no use")
    if training.moves.features.shape[1] != validation.moves.features.shape[1]:
        raise UsageError("the games to validate with have other features of moves")


class _Task:
    """The games, the settings and the device of a training."""

    def __init__(
        self, training: Labelled, validation: Labelled, settings: Hyperparameters, device: str
    ) -> None:
        from yardstone_lab.neubauer.network.set_transformer import Examples, chosen_device

        self.settings = settings
        labels = np.asarray(training.labels, np.float64)
        self.mean = float(labels.mean())
        self.deviation = float(labels.std(ddof=1))
        if not self.deviation > 0:
            raise UsageError("all labels are equal: there is nothing to learn")
        try:
            self._device = chosen_device(device)
            packed = [pack(games.moves, settings.window) for games in (training, validation)]
            self.packed: PackedMoves = packed[0]
            self.training, self.validation = (
                Examples(moves, games.score, self._normalised(games.labels), self._device)
                for moves, games in zip(packed, (training, validation), strict=True)
            )
        except RuntimeError as error:  # torch's words for a device that is not there
            raise UsageError(f"device {device!r} cannot be used: {error}") from None

    def _normalised(self, labels: NDArray[np.float64]) -> NDArray[np.float64]:
        return (np.asarray(labels, np.float64) - self.mean) / self.deviation

    def stepper(self) -> Stepper:
        """The untrained network."""
        from yardstone_lab.neubauer.network.set_transformer import Stepper, initial_arrays

        generator = np.random.default_rng([self.settings.seed, 0, 0])
        arrays = initial_arrays(self.settings, self.packed.channels, generator)
        if self.settings.standardise:
            arrays["input.mean"], arrays["input.deviation"] = moments(self.packed)
        return Stepper(self.settings, arrays, self.deviation, self._device)

    def fingerprint(self) -> str:
        """What two trainings that give the same network have in common."""
        digest = hashlib.sha256(json.dumps(self.settings.as_dict(), sort_keys=True).encode())
        for games in (self.training, self.validation):
            for array in (games.moves.rows, games.moves.starts, games.moves.features[::97]):
                digest.update(np.ascontiguousarray(array).tobytes())
            digest.update(games.score.cpu().numpy().tobytes())
            digest.update(games.labels.cpu().numpy().tobytes())
        return digest.hexdigest()

    def network(
        self, vector: NDArray[np.float32], card: dict[str, Any], history: History
    ) -> StrengthNetwork:
        """The network with the parameters of the best epoch."""
        best = history.best
        about = {
            "training_games": len(self.training),
            "validation_games": len(self.validation),
            "parameters": self.settings.parameters(self.packed.channels),
            "epoch": best.epoch,
            "epochs": history.epochs[-1].epoch,
            "validation_loss": best.validation_loss,
            "accuracy": best.accuracy,
        }
        arrays = self.stepper().arrays(vector)
        return StrengthNetwork(self.settings, arrays, self.mean, self.deviation, card | about)


def _made(home: Path) -> Path:
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be made: {error.strerror}", file=str(home)) from None
    return home


class _Loop:
    """The epochs of a training."""

    def __init__(self, task: _Task, home: Path) -> None:
        self.task = task
        self.home = home
        self.history = History()
        self._fingerprint = task.fingerprint()
        self._stepper = task.stepper()
        self.best = self._stepper.kept()
        self._done: list[tuple[float, float, float]] = []  # steps of the epoch under way
        self._saved = time.monotonic()

    def resume(self, report: Callable[[Epoch], object] | None) -> None:
        """Go back to the last checkpoint, if there is one."""
        path = self.home / CHECKPOINT
        if not path.exists():
            return
        arrays, about = read_checkpoint(path)
        if about["fingerprint"] != self._fingerprint:
            raise UsageError(
                f"{self.home} holds a training with other settings or games: "
                "name another folder, or begin anew"
            )
        self.history = about["history"]
        self._done = about["steps"]
        self.best = arrays["best"]
        self._stepper.restore(arrays)
        self.history.write(self.home)
        for epoch in self.history.epochs if report is not None else ():
            report(epoch)  # type: ignore[misc]

    def run(self, report: Callable[[Epoch], object] | None) -> None:
        """Go on until all epochs are done, or there was no improvement for long enough."""
        settings = self.task.settings
        track = Track("training", settings.epochs * settings.steps)
        if not self.history.epochs:
            self._close(0, [], time.monotonic(), report)
        while not self._over():
            number = self.history.epochs[-1].epoch + 1
            began = time.monotonic()
            losses = self._done
            rate = settings.learning_rate * settings.decay ** (number - 1)
            while len(losses) < settings.steps:
                losses.append(self._step(number, len(losses), rate))
                track((number - 1) * settings.steps + len(losses))
                if time.monotonic() - self._saved > CHECKPOINT_SECONDS:
                    self._save()
            self._done = []
            self._close(number, losses, began, report)
        track(settings.epochs * settings.steps)

    def _over(self) -> bool:
        last = self.history.epochs[-1]
        if last.epoch and not np.isfinite(last.validation_loss):
            if not self.history.best.epoch:
                raise ConvergenceError(
                    "the network's answers are no numbers: lower the learning rate, "
                    "or standardise the inputs"
                )
            return True
        settings = self.task.settings
        return last.epoch >= settings.epochs or self.history.bad_epochs >= settings.patience

    def _step(self, epoch: int, step: int, rate: float) -> tuple[float, float, float]:
        """A step's randomness depends on its number alone, not on what was before."""
        generator = np.random.default_rng([self.task.settings.seed, epoch, step + 1])
        games = generator.integers(len(self.task.training), size=self.task.settings.batch)
        return self._stepper.step(self.task.training, games, rate, generator)

    def _close(
        self,
        number: int,
        losses: list[tuple[float, float, float]],
        began: float,
        report: Callable[[Epoch], object] | None,
    ) -> None:
        """Validate, and write down the epoch."""
        settings = self.task.settings
        validation = self.task.validation
        ratings, logarithms = self._stepper.evaluate(validation)
        loss = float(-logarithms.mean())
        errors = np.square(ratings - validation.labels.cpu().numpy()).mean(0)
        better = bool(number and np.isfinite(loss)) and (
            not self.history.best.epoch or loss < self.history.best.validation_loss
        )
        means: list[float] = (np.mean(losses, 0) if losses else np.full(3, np.nan)).tolist()
        epoch = Epoch(
            number,
            settings.learning_rate * settings.decay ** max(number - 1, 0),
            means[0],
            means[1],
            means[2],
            loss,
            settings.rating_loss * float(errors.sum()),
            float(errors[0]),
            float(errors[1]),
            _accuracy(validation, ratings),
            time.monotonic() - began,
            better,
        )
        if better:
            self.best = self._stepper.kept()
        self.history = History((*self.history.epochs, epoch), (*self.history.steps, *losses))
        self._save()
        self.history.write(self.home)
        if report is not None:
            report(epoch)

    def _save(self) -> None:
        about = {
            "fingerprint": self._fingerprint,
            "history": self.history.as_text(),
            "steps": self._done,
        }
        arrays = {**self._stepper.state(), "best": self.best}
        write_checkpoint(self.home / CHECKPOINT, arrays, about)
        self._saved = time.monotonic()


def _accuracy(validation: Examples, ratings: NDArray[np.float64]) -> float:
    """Share of winners that were predicted; an even prediction is White's (section 2.3)."""
    from yardstone.evaluation.metrics import correct

    expected = np.where(ratings[:, 0] > ratings[:, 1], 1.0, 0.0)
    return float(correct(validation.score.cpu().numpy(), expected).mean())
