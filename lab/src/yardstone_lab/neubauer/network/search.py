"""Searches for hyper-parameters: the thesis' random search, and that of Optuna."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from yardstone import parallel
from yardstone.errors import ConvergenceError, InputError, MissingExtraError, UsageError
from yardstone.files import write_text
from yardstone_lab.neubauer.network.strength_network import BOUNDS, START, Hyperparameters
from yardstone_lab.neubauer.network.training import train

if TYPE_CHECKING:
    import os

    from numpy.random import Generator

    from yardstone_lab.neubauer.moves import Labelled
    from yardstone_lab.neubauer.network.training import Epoch

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
    """A training of a search; frozen."""

    iteration: int  #: `iteration`, `number`: from 1.
    number: int
    settings: Hyperparameters
    loss: float  #: The lowest mean score loss of the validation games; infinite if it failed.
    accuracy: float  #: In the same epoch.
    best_epoch: int  #: `best_epoch`, `epochs_done`: the best epoch, and how many there were.
    epochs_done: int
    seconds: float  #: All epochs together.
    failure: str  #: Why it failed, or why it was given up; '' if it did not.
    folder: str  #: Where it lies.

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

    Raises:
        UsageError: Its folder holds another one.
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

    Raises:
        InputError: There is none, or it is damaged.
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


_PLAN = "search.json"
#: Spans of the random changes at a scale of 1.
_RATE_SPAN, _DECAY_SPAN, _LOSS_SPAN, _WIDTH_SPAN, _POINTS_SPAN = 3.0, 0.05, 3.0, 2.0, 32.0


@dataclass(frozen=True)
class Plan:
    """An iterated random search; frozen. As published unless told otherwise."""

    iterations: int = 5  #: `iterations`, `runs`: iterations, and trainings in each.
    runs: int = 15
    shrink: float = 0.6  #: The scale γ of the changes is multiplied by this after each iteration.
    #: Where the first iteration searches around; what is not searched stays as it is.
    start: Hyperparameters = field(default_factory=lambda: START)
    #: Search the window N between these as well, uniformly, as the thesis did in a preliminary
    #: search (figure 5.2).
    windows: tuple[int, int] | None = None
    seed: int = 0  #: Equal seeds give equal searches on any number of workers.

    def __post_init__(self) -> None:
        if self.iterations < 1 or self.runs < 1:
            raise UsageError("a search takes at least one iteration of one training")
        if not 0 < self.shrink <= 1:
            raise UsageError(f"shrink is {self.shrink}; it must be above 0 and at most 1")
        if self.windows is not None and not 1 <= self.windows[0] <= self.windows[1]:
            raise UsageError(f"there is no window from {self.windows[0]} to {self.windows[1]}")

    def scale(self, iteration: int) -> float:
        """γ of an iteration, counted from 0: 1, 0.6, 0.36, 0.216, 0.1296."""
        return self.shrink**iteration


def propose(
    best: Hyperparameters,
    scale: float,
    generator: Generator,
    windows: tuple[int, int] | None = None,
) -> Hyperparameters:
    """Settings at random around others, within `BOUNDS` (section 4.7.3).

    Args:
        scale: γ, in (0, 1].
        windows (int, int): Draw the window from these as well, both included.
    """

    def clamp(name: str, value: float) -> float:
        low, high = BOUNDS[name]
        return min(high, max(low, value))

    def uniform(span: float) -> float:
        return float(generator.uniform(-span * scale, span * scale))

    def whole(low: float, high: float) -> int:
        return int(generator.integers(math.ceil(low), math.floor(high), endpoint=True))

    reach = _POINTS_SPAN * scale
    values: dict[str, Any] = {
        "learning_rate": clamp("learning_rate", best.learning_rate * 10 ** uniform(_RATE_SPAN)),
        "decay": clamp("decay", best.decay + uniform(_DECAY_SPAN)),
        "rating_loss": clamp("rating_loss", best.rating_loss * 2 ** uniform(_LOSS_SPAN)),
        "regularisation": clamp("regularisation", best.regularisation * 2 ** uniform(_LOSS_SPAN)),
        "depth": whole(*BOUNDS["depth"]),
    }
    for name in ("width", "query_width"):
        drawn = math.ceil(getattr(best, name) * 2 ** uniform(_WIDTH_SPAN))
        values[name] = int(clamp(name, drawn))
    moved = best.inducing_points + whole(math.floor(-reach + 0.5), math.floor(reach + 0.5))
    values["inducing_points"] = int(clamp("inducing_points", moved))
    if windows is not None:
        values["window"] = whole(*windows)
    return replace(best, **values, seed=int(generator.integers(1 << 31)))


def best_run(runs: list[SearchRun]) -> SearchRun:
    """The run with the lowest validation loss.

    Raises:
        ConvergenceError: Every run failed.
    """
    best = min(runs, key=lambda run: run.loss)
    if not math.isfinite(best.loss):
        raise ConvergenceError(f"every training failed: {best.failure}")
    return best


def random_search(
    examples: Examples,
    folder: str | os.PathLike[str],
    plan: Plan | None = None,
    *,
    threads: int | None = 1,
    device: str = "auto",
    report: Callable[[SearchRun], object] | None = None,
) -> list[SearchRun]:
    """Search at random, in iterations, and keep every training and its figures.

    Args:
        examples: Gives the games to train on and those to validate with; each worker calls it once,
            so with several workers it must be importable.
        folder: Each training has a folder in it; one that is done is not done again, one that was
            stopped goes on. `runs.csv` lists them all.
        threads: Of each training.
        device: As in `yardstone_lab.neubauer.network.training.train`.
        report: Called with each run, in order, when its iteration is over.

    Returns:
        In order; `best_run` picks the best.

    Raises:
        UsageError: The folder holds another search.
        ConvergenceError: Every training of the first iteration failed.
    """
    plan = plan or Plan()
    home = Path(folder).absolute()
    keep_plan(home, _described(plan))
    generators = parallel.spawn_generators(plan.seed, plan.iterations * plan.runs)
    track = parallel.Track("searching", len(generators))
    trained = count(1)

    def counted(_: Any, run: SearchRun) -> SearchRun:
        track(next(trained))
        return run

    runs: list[SearchRun] = []
    centre = plan.start
    for iteration in range(plan.iterations):
        first = iteration * plan.runs
        items = []
        for number, generator in enumerate(generators[first : first + plan.runs]):
            settings = propose(centre, plan.scale(iteration), generator, plan.windows)
            path = home / f"iteration-{iteration + 1}" / f"run-{number + 1:02d}"
            items.append((iteration + 1, number + 1, settings, path))
        with track:
            done = parallel.map(
                partial(do_run, examples=examples, threads=threads, device=device),
                items,
                receive=counted,
                shared=[home],
            )
        runs += done
        for run in done if report is not None else ():
            report(run)  # type: ignore[misc]
        write_runs(home, runs)
        centre = best_run(runs).settings
    return runs


def _described(plan: Plan) -> dict[str, Any]:
    return {
        "method": "random",
        "runs": plan.runs,
        "shrink": plan.shrink,
        "start": plan.start.as_dict(),
        "windows": None if plan.windows is None else list(plan.windows),
        "seed": plan.seed,
    }


def keep_plan(home: Path, plan: dict[str, Any]) -> None:
    """Write down what is searched, or check that the folder holds the same search.

    Raises:
        UsageError: It holds another one.
    """
    path = home / _PLAN
    try:
        home.mkdir(parents=True, exist_ok=True)
        if path.exists():
            known = json.loads(path.read_text("utf-8"))
        else:
            write_text(path, json.dumps(plan, indent=2) + "\n")
            return
    except OSError as error:
        raise InputError(f"cannot be made: {error.strerror}", file=str(home)) from None
    except (ValueError, RecursionError):
        raise InputError("damaged", file=str(path), hint="remove it") from None
    if known != json.loads(json.dumps(plan)):
        raise UsageError(f"{home} holds another search: name another folder")


_JOURNAL = "journal.log"
_STUDY = "yardstone"
#: Searched on a logarithmic scale.
_LOGARITHMIC = ("learning_rate", "rating_loss", "regularisation", "width", "query_width")
_WHOLE = ("depth", "width", "query_width", "inducing_points")
#: Trials that are never given up, and epochs before which none is.
_STARTUP_TRIALS, _WARM_UP = 5, 3


def optuna_search(
    examples: Examples,
    folder: str | os.PathLike[str],
    trials: int,
    start: Hyperparameters = START,
    *,
    windows: tuple[int, int] | None = None,
    seed: int = 0,
    threads: int | None = 1,
    device: str = "auto",
) -> list[SearchRun]:
    """Search with optuna.

    Args:
        examples: As in `yardstone_lab.neubauer.network.search.random_search`.
        folder: Holds the journal and a folder for each training. The same call goes on where it was
            stopped; trainings under way go on too. `runs.csv` lists those that are done; what was
            given up has no loss there.
        trials: Trainings altogether.
        start: The first one; what is not searched stays as it is there.
        windows (int, int): Search the window between these as well.
        seed: With one worker equal seeds give equal searches; several learn from each other in the
            order in which they happen to be done.
        threads, device: As in `random_search`.

    Raises:
        MissingExtraError: optuna is not installed.
        ConvergenceError: Every training failed.
    """
    if trials < 1:
        raise UsageError("a search takes at least one training")
    optuna = _optuna()
    home = Path(folder).absolute()
    keep_plan(
        home,
        {
            "method": "optuna",
            "start": start.as_dict(),
            "windows": None if windows is None else list(windows),
            "seed": seed,
        },
    )
    study = _study(optuna, home, seed, windows)
    _take_up_again(optuna, study, start)
    searched = partial(
        _work,
        examples=examples,
        home=home,
        start=start,
        windows=windows,
        seed=seed,
        trials=trials,
        threads=threads,
        device=device,
    )
    number = min(parallel.current().workers or parallel.available_cores(), trials)
    if number == 1 and not parallel.elsewhere():
        searched(0)
    else:
        parallel.map(searched, range(number), workers=number, shared=[home])
        parallel.Track("searching", trials)(trials)
    runs = _runs(optuna, _study(optuna, home, seed, windows), start, home)
    write_runs(home, runs)
    best_run(runs)
    return runs


def _optuna() -> Any:
    try:
        import optuna
    except ImportError:
        raise MissingExtraError("optuna") from None
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    return optuna


def _study(optuna: Any, home: Path, seed: int, windows: tuple[int, int] | None) -> Any:
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend

    return optuna.create_study(
        study_name=_STUDY,
        storage=JournalStorage(JournalFileBackend(str(home / _JOURNAL))),
        load_if_exists=True,
        direction="minimize",
        sampler=optuna.samplers.TPESampler(seed=seed),
        pruner=optuna.pruners.MedianPruner(_STARTUP_TRIALS, _WARM_UP),
    )


def _take_up_again(optuna: Any, study: Any, start: Hyperparameters) -> None:
    """Let trials that were under way when all was stopped be done first, or the start.

    One that was killed still is running to optuna, one that was interrupted has failed.
    """
    states = optuna.trial.TrialState
    unfinished = (states.RUNNING, states.FAIL)
    trials = study.get_trials(deepcopy=False)
    known = [
        trial.params or trial.system_attrs.get("fixed_params")
        for trial in trials
        if trial.state not in unfinished
    ]
    for trial in trials:
        if trial.state in unfinished and trial.params and trial.params not in known:
            study.enqueue_trial(trial.params, skip_if_exists=False)
            known.append(trial.params)
        if trial.state == states.RUNNING:
            study.tell(trial.number, state=states.FAIL)
    if not trials:
        study.enqueue_trial({name: getattr(start, name) for name in BOUNDS})


def _work(
    worker: int,
    *,
    examples: Examples,
    home: Path,
    start: Hyperparameters,
    windows: tuple[int, int] | None,
    seed: int,
    trials: int,
    threads: int | None,
    device: str,
) -> None:
    """One worker: trial after trial, until there are enough."""
    optuna = _optuna()
    study = _study(optuna, home, seed + worker, windows)
    states = optuna.trial.TrialState

    def objective(trial: Any) -> float:
        settings = _settings(trial, start, windows)
        folder = _place(home, settings)

        def judge(epoch: Epoch) -> None:
            if epoch.epoch:
                trial.report(epoch.validation_loss, epoch.epoch)
                if trial.should_prune():
                    raise optuna.TrialPruned(f"given up after {epoch.epoch} epochs")

        run = do_run(
            (1, trial.number + 1, settings, folder),
            examples=examples,
            threads=threads,
            device=device,
            report=judge,
        )
        if not math.isfinite(run.loss):
            raise optuna.TrialPruned(run.failure)
        return run.loss

    def begun() -> int:
        """Trials that are done, and those that other workers have under way."""
        counted = (states.COMPLETE, states.PRUNED, states.RUNNING)
        return len(study.get_trials(deepcopy=False, states=counted))

    with parallel.Track("searching", trials) as track:
        while (finished := begun()) < trials:
            track(finished)
            study.optimize(objective, n_trials=1)
        track(trials)


def _settings(
    trial: Any, start: Hyperparameters, windows: tuple[int, int] | None
) -> Hyperparameters:
    chosen: dict[str, Any] = {}
    for name, (low, high) in BOUNDS.items():
        log = name in _LOGARITHMIC
        if name in _WHOLE:
            chosen[name] = trial.suggest_int(name, int(low), int(high), log=log)
        else:
            chosen[name] = trial.suggest_float(name, low, high, log=log)
    if windows is not None:
        chosen["window"] = trial.suggest_int("window", *windows)
    return start.changed(chosen)


def _place(home: Path, settings: Hyperparameters) -> Path:
    """A training's folder is named after its settings, so that it is found again."""
    text = json.dumps(settings.as_dict(), sort_keys=True)
    return home / f"run-{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def _runs(optuna: Any, study: Any, start: Hyperparameters, home: Path) -> list[SearchRun]:
    states = optuna.trial.TrialState
    runs = []
    for trial in study.get_trials(deepcopy=False, states=(states.COMPLETE, states.PRUNED)):
        settings = start.changed(trial.params)
        folder = _place(home, settings)
        if trial.state == states.COMPLETE:
            run = do_run(
                (1, trial.number + 1, settings, folder),
                examples=_nothing,
                threads=None,
                device="cpu",
            )
        else:
            epochs = max(trial.intermediate_values, default=0)
            run = SearchRun(
                1,
                trial.number + 1,
                settings,
                math.inf,
                math.nan,
                0,
                epochs,
                (trial.datetime_complete - trial.datetime_start).total_seconds(),
                f"given up after {epochs} epochs",
                str(folder),
            )
        runs.append(run)
    return runs


def _nothing() -> Any:
    """A run that is done needs no games."""
    raise UsageError("the folder of a training that was done is gone")
