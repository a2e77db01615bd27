"""Search for hyperparameters with optuna: it learns from all trainings, and gives up early.

Trials are chosen by the tree-structured Parzen estimator; one that is worse after an
epoch than half of the others were is given up. What is known lies in a journal in the
folder, which several processes, also on other machines, may share.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from yardstone import parallel
from yardstone.errors import MissingExtraError, UsageError
from yardstone.strength.set_transformer import BOUNDS, START, Hyperparameters
from yardstone_lab.neubauer.network.search import best_run, keep_plan
from yardstone_lab.neubauer.network.search_run import Examples, SearchRun, do_run, write_runs

if TYPE_CHECKING:
    import os

    from yardstone_lab.neubauer.network.training_log import Epoch

__all__ = ["optuna_search"]

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
    workers: int | None = None,
    threads: int | None = 1,
    device: str = "auto",
    progress: Callable[[int, int], object] | None = None,
) -> list[SearchRun]:
    """Search with optuna.

    Parameters
    ----------
    examples : callable
        As in `yardstone_lab.neubauer.network.search.random_search`.
    folder : path
        Holds the journal and a folder for each training. The same call goes on where
        it was stopped; trainings under way go on too. `runs.csv` lists those that are
        done; what was given up has no loss there.
    trials : int
        Trainings altogether.
    start : Hyperparameters
        The first one; what is not searched stays as it is there.
    windows : (int, int), optional
        Search the window between these as well.
    seed : int
        With one worker equal seeds give equal searches; several learn from each other
        in the order in which they happen to be done.
    workers, threads, device, progress
        As in `random_search`.

    Raises
    ------
    MissingExtraError
        optuna is not installed.
    ConvergenceError
        Every training failed.
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
    number = min(workers or parallel.available_cores(), trials)
    if number == 1 and not parallel.elsewhere():
        _work(0, progress=progress, **searched.keywords)
    else:
        parallel.map(searched, range(number), workers=number, shared=[home])
        if progress is not None:
            progress(trials, trials)
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
    """Let trials that were under way when all was stopped be done first, or the start."""
    states = optuna.trial.TrialState
    for trial in study.get_trials(deepcopy=False, states=(states.RUNNING,)):
        if trial.params:
            study.enqueue_trial(trial.params, skip_if_exists=False)
        study.tell(trial.number, state=states.FAIL)
    if not study.get_trials(deepcopy=False):
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
    progress: Callable[[int, int], object] | None = None,
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

    while (finished := begun()) < trials:
        if progress is not None:
            progress(finished, trials)
        study.optimize(objective, n_trials=1)
    if progress is not None:
        progress(trials, trials)


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
