"""Parameters from earlier games only, the same number of trials for every system.

Each trial replays the earlier games and is judged by the mean log-likelihood of
the later half of *them*: the first half is there to be learned from, and the games
that systems are compared on are never seen. The trials are chosen by optuna's
tree-structured Parzen estimator; the first one is the system untuned.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.disk import pieces, taken
from yardstone.errors import InputError, MissingExtraError, ModelError, UsageError
from yardstone.evaluation.metrics import log_likelihoods

if TYPE_CHECKING:
    from types import ModuleType

    from numpy.typing import NDArray

    from yardstone.pool import Pool
    from yardstone.ratings.replay import SequentialSystem
    from yardstone.ratings.systems import SystemEntry

__all__ = ["LEARNING_SHARE", "Tuned", "tune"]

#: So much of the earlier games only serves to learn ratings from.
LEARNING_SHARE = 0.5
#: A prediction of 0 or 1 that fails must not hide everything else about a trial.
_LEAST_LOG = -50.0


@dataclass(frozen=True)
class Tuned:
    """The best parameters found; frozen.

    Attributes
    ----------
    system : SequentialSystem
        With those parameters.
    parameters : mapping
        The tuned ones by name; `untuned` if those were the best.
    value : float
        Mean log-likelihood that they reached on the later half of the earlier games.
    trials : int
        How many sets of parameters were tried.
    failed : int
        How many of them the system refused.
    """

    system: SequentialSystem
    parameters: dict[str, float] = field(default_factory=dict)
    value: float = float("nan")
    trials: int = 0
    failed: int = 0


def tune(
    entry: SystemEntry,
    earlier: Pool,
    trials: int,
    *,
    seed: int = 0,
    untuned: Mapping[str, float] = MappingProxyType({}),
    scored: NDArray[np.bool_] | None = None,
    seconds: float | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Tuned:
    """Find parameters of a system on earlier games.

    Parameters
    ----------
    entry : SystemEntry
        The system, with what may be tuned.
    earlier : Pool
        Games in order of time: all that is ever looked at.
    trials : int
        Sets of parameters to try, the untuned ones first; 0 takes those.
    seed : int
        Equal seeds give equal trials.
    untuned : mapping of str to float
        Parameters with which the system would be run untuned, where they are not its own.
    scored : bool array, optional
        Games whose predictions count. The others are only learned from: games, for
        example, of which only the month is known.
    seconds : float, optional
        Begin no further trial after so long; the first one always runs. Results then
        depend on the machine.
    progress : callable, optional
        Called as ``progress(done, trials)``.

    Raises
    ------
    UsageError
        There are too few earlier games.
    ModelError
        Every trial failed.
    """
    if trials < 0:
        raise UsageError(f"the number of trials must be 0 or more, not {trials}")
    if not trials:
        return Tuned(entry.make(**untuned))
    judged: Any = slice(round(LEARNING_SHARE * len(earlier)), len(earlier))
    if scored is not None:
        judged = judged.start + np.flatnonzero(scored[judged])
    if not len(earlier.first[judged]):
        raise UsageError("there are too few earlier games to tune on")
    optuna = _optuna()
    score = earlier.score[judged]
    failures: list[str] = []

    def objective(trial: Any) -> float:
        chosen = {
            k.name: trial.suggest_float(k.name, k.low, k.high, log=k.log) for k in entry.knobs
        }
        if trial.number == 0:
            chosen = dict(untuned)
        try:
            expected = entry.make(**chosen).replay(earlier).expected[judged]
            value = _mean_log(score, expected)
        except (ModelError, UsageError, InputError) as error:
            failures.append(str(error))
            raise optuna.TrialPruned(str(error)) from error
        trial.set_user_attr("parameters", chosen)
        return value

    study = optuna.create_study(
        direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed, multivariate=True)
    )
    done = 0

    began = time.monotonic()

    def report(study: Any, _trial: Any) -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, trials)
        if seconds is not None and time.monotonic() - began > seconds:
            study.stop()

    study.optimize(objective, n_trials=trials, callbacks=[report])
    if len(failures) == done:
        raise ModelError(f"{entry.name}: no set of parameters could be used: {failures[0]}")
    best = study.best_trial
    parameters = dict(best.user_attrs["parameters"])
    return Tuned(entry.make(**parameters), parameters, float(best.value), done, len(failures))


def _mean_log(score: NDArray[np.float64], expected: NDArray[np.float64]) -> float:
    total = 0.0
    for at in pieces(len(score)):
        logs = log_likelihoods(taken(score, at), taken(expected, at))
        total += float(np.maximum(logs, _LEAST_LOG).sum())
    return total / len(score)


def _optuna() -> ModuleType:
    import warnings

    try:
        import optuna
    except ImportError:
        raise MissingExtraError("optuna", "tune") from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    warnings.filterwarnings("ignore", category=optuna.exceptions.ExperimentalWarning)
    return optuna
