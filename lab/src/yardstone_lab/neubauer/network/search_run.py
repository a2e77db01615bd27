"""One training of a search, and the table of all."""

from __future__ import annotations

import csv
import io
import json
import math
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from yardstone.errors import ConvergenceError, InputError, UsageError
from yardstone.files import write_text
from yardstone.strength.set_transformer import Hyperparameters
from yardstone_lab.neubauer.network.training import train

if TYPE_CHECKING:
    from yardstone_lab.neubauer.dataset import Labelled
    from yardstone_lab.neubauer.network.training_log import Epoch

__all__ = ["RUNS_FILE", "Cached", "Examples", "SearchRun", "do_run", "read_runs", "write_runs"]

#: The table of all runs in the folder of a search.
RUNS_FILE = "runs.csv"
_RESULT = "result.json"

#: Gives the games to train on and those to validate with.
Examples = Callable[[], "tuple[Labelled, Labelled]"]


class Cached:
    """Examples that a process reads once, whatever number of trainings it does."""

    def __init__(self, read: Examples) -> None:
        self._read = read
        self._examples: tuple[Labelled, Labelled] | None = None

    def __call__(self) -> tuple[Labelled, Labelled]:
        """The games to train on and those to validate with."""
        if self._examples is None:
            self._examples = self._read()
        return self._examples

    def __getstate__(self) -> dict[str, Any]:
        """What goes to another process: how to read them, not what was read."""
        return {"_read": self._read, "_examples": None}


@dataclass(frozen=True)
class SearchRun:
    """A training of a search; frozen.

    Attributes
    ----------
    iteration, number : int
        From 1.
    settings : Hyperparameters
    loss : float
        The lowest mean score loss of the validation games; infinite if it failed.
    accuracy : float
        In the same epoch.
    best_epoch, epochs_done : int
        The best epoch, and how many there were.
    seconds : float
        All epochs together.
    failure : str
        Why it failed, or why it was given up; '' if it did not.
    folder : str
        Where it lies.
    """

    iteration: int
    number: int
    settings: Hyperparameters
    loss: float
    accuracy: float
    best_epoch: int
    epochs_done: int
    seconds: float
    failure: str
    folder: str

    def line(self) -> str:
        """The run in one line."""
        s = self.settings
        what = (
            f"{self.iteration}.{self.number:02d}: rate {s.learning_rate:.2e}, decay {s.decay:.4f}, "
            f"ratings {s.rating_loss:.3g}, regularisation {s.regularisation:.3g}, "
            f"l = {s.depth}, d = {s.width}, d_q = {s.query_width}, m = {s.inducing_points}, "
            f"N = {s.window}: "
        )
        if self.failure:
            return what + self.failure
        return what + f"{self.loss:.4f} after {self.best_epoch} of {self.epochs_done} epochs"


def do_run(
    item: tuple[int, int, Hyperparameters, Path],
    *,
    examples: Examples,
    threads: int | None,
    device: str,
    report: Callable[[Epoch], object] | None = None,
) -> SearchRun:
    """Do one training of a search, or read what it gave if it is done.

    Raises
    ------
    UsageError
        Its folder holds another one.
    """
    iteration, number, settings, folder = item
    path = folder / _RESULT
    if path.exists():
        return _read_result(path, settings)
    began = time.monotonic()
    training, validation = examples()
    try:
        trained = train(
            training, validation, settings, folder, threads=threads, device=device, report=report
        )
    except ConvergenceError as error:
        seconds = time.monotonic() - began
        run = SearchRun(
            iteration, number, settings, math.inf, math.nan, 0, 0, seconds, str(error), str(folder)
        )
    else:
        best, epochs = trained.history.best, trained.history.epochs
        run = SearchRun(
            iteration,
            number,
            settings,
            trained.loss,
            best.accuracy,
            best.epoch,
            epochs[-1].epoch,
            sum(epoch.seconds for epoch in epochs),
            "",
            str(folder),
        )
    write_text(path, json.dumps(asdict(run), indent=2) + "\n")
    return run


def _read_result(path: Path, settings: Hyperparameters) -> SearchRun:
    try:
        result = json.loads(path.read_text("utf-8"))
        known = Hyperparameters.from_dict(result.pop("settings"))
        run = SearchRun(settings=known, **result)
    except (
        OSError, ArithmeticError, ValueError, TypeError, KeyError, AttributeError, RecursionError,
        UsageError,
    ):  # fmt: skip
        hint = "remove it to train again"
        raise InputError("this is not a result of a training", file=str(path), hint=hint) from None
    if known != settings:
        raise UsageError(f"{path.parent} holds a training with other settings")
    return run


_FIGURES = ("iteration", "number", "loss", "accuracy", "best_epoch", "epochs_done", "seconds")
_SETTINGS = tuple(field.name for field in fields(Hyperparameters))


def write_runs(folder: Path, runs: Iterable[SearchRun]) -> None:
    """Write the table of all runs of a search."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow((*_FIGURES, *_SETTINGS, "failure", "folder"))
    for run in runs:
        figures = [getattr(run, name) for name in _FIGURES]
        chosen = [getattr(run.settings, name) for name in _SETTINGS]
        writer.writerow([*figures, *chosen, run.failure, run.folder])
    write_text(folder / RUNS_FILE, text.getvalue())


def read_runs(folder: Path) -> list[SearchRun]:
    """The table of all runs of a search.

    Raises
    ------
    InputError
        There is none, or it is damaged.
    """
    path = folder / RUNS_FILE
    kinds = dict.fromkeys(("iteration", "number", "best_epoch", "epochs_done"), int)
    runs = []
    line = 1
    try:
        with path.open(encoding="utf-8", newline="") as file:
            for line, row in enumerate(csv.DictReader(file), 2):  # noqa: B007
                figures = {name: kinds.get(name, float)(row[name]) for name in _FIGURES}
                settings = Hyperparameters.from_dict({name: row[name] for name in _SETTINGS})
                runs.append(
                    SearchRun(
                        settings=settings,
                        failure=row["failure"],
                        folder=row["folder"],
                        **figures,  # type: ignore[arg-type]
                    )
                )
    except FileNotFoundError:
        hint = "name the folder of a search"
        raise InputError("there is no such file", file=str(path), hint=hint) from None
    except (OSError, ArithmeticError, KeyError, ValueError, TypeError, csv.Error, UsageError):
        raise InputError("this is not a table of a search", file=str(path), line=line) from None
    return runs
