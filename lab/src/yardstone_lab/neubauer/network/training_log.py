"""What happened in a training: a row an epoch, and the losses of every step."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from yardstone.errors import InputError
from yardstone.files import write_text

__all__ = ["EPOCHS_FILE", "STEPS_FILE", "Epoch", "History", "read_history"]

#: Files of a training's folder.
EPOCHS_FILE = "epochs.csv"
STEPS_FILE = "steps.csv"
_STEP_COLUMNS = ("epoch", "step", "score_loss", "rating_loss", "regularisation_loss")


@dataclass(frozen=True, slots=True)
class Epoch:
    """An epoch; frozen. Losses of training are means over its steps, as they are weighted.

    Attributes
    ----------
    epoch : int
        From 1; 0 is the network before training, which has no losses of training.
    learning_rate : float
    score_loss, rating_loss, regularisation_loss : float
        Of training: L_s, τ_r (L_b + L_w) and τ_θ L_θ; their sum was minimised.
    validation_loss : float
        Mean score loss of the validation games: minus their mean log-likelihood.
    validation_rating_loss : float
        Mean of L_b + L_w of the validation games, as it is weighted.
    black_error, white_error : float
        Mean squared errors of the normalised ratings of the validation games.
    accuracy : float
        Share of the validation games whose winner was predicted; a draw counts half.
    seconds : float
        What the epoch took, with its validation.
    best : bool
        Whether no earlier epoch had so low a validation loss.
    """

    epoch: int
    learning_rate: float
    score_loss: float
    rating_loss: float
    regularisation_loss: float
    validation_loss: float
    validation_rating_loss: float
    black_error: float
    white_error: float
    accuracy: float
    seconds: float
    best: bool

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
    """A training so far; frozen.

    Attributes
    ----------
    epochs : tuple of Epoch
        From epoch 0, the network before training.
    steps : tuple of three floats
        Score, rating and regularisation loss of every step, as they are weighted.
    """

    epochs: tuple[Epoch, ...] = ()
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

        Raises
        ------
        ValueError
            It is something else.
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

    Raises
    ------
    InputError
        There are none, or they are damaged.
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
