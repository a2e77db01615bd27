"""Search for hyperparameters: the iterated random search of Neubauer 2024, section 4.7.3.

Five iterations of 15 trainings each; those of an iteration lie around the best so far,
the first around the given start, and from one iteration to the next the distances
shrink to 0.6 of what they were. (The thesis takes the best of the iteration before, his
program the best of all before: so does this.)
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from yardstone import parallel
from yardstone.errors import ConvergenceError, InputError, UsageError
from yardstone.files import write_text
from yardstone.strength.set_transformer import BOUNDS, START, Hyperparameters
from yardstone_lab.neubauer.network.search_run import Examples, SearchRun, do_run, write_runs

if TYPE_CHECKING:
    import os

    from numpy.random import Generator

__all__ = ["Plan", "best_run", "keep_plan", "propose", "random_search"]

_PLAN = "search.json"
#: Spans of the random changes at a scale of 1.
_RATE_SPAN, _DECAY_SPAN, _LOSS_SPAN, _WIDTH_SPAN, _POINTS_SPAN = 3.0, 0.05, 3.0, 2.0, 32.0


@dataclass(frozen=True)
class Plan:
    """An iterated random search; frozen. As published unless told otherwise.

    Attributes
    ----------
    iterations, runs : int
        Iterations, and trainings in each.
    shrink : float
        The scale γ of the changes is multiplied by this after each iteration.
    start : Hyperparameters
        Where the first iteration searches around; what is not searched stays as it is.
    windows : (int, int), optional
        Search the window N between these as well, uniformly, as the thesis did in a
        preliminary search (figure 5.2).
    seed : int
        Equal seeds give equal searches on any number of workers.
    """

    iterations: int = 5
    runs: int = 15
    shrink: float = 0.6
    start: Hyperparameters = field(default_factory=lambda: START)
    windows: tuple[int, int] | None = None
    seed: int = 0

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

    Parameters
    ----------
    best : Hyperparameters
    scale : float
        γ, in (0, 1].
    generator : numpy.random.Generator
    windows : (int, int), optional
        Draw the window from these as well, both included.
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

    Raises
    ------
    ConvergenceError
        Every run failed.
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
    workers: int | None = None,
    threads: int | None = 1,
    device: str = "auto",
    progress: Callable[[int, int], object] | None = None,
    report: Callable[[SearchRun], object] | None = None,
) -> list[SearchRun]:
    """Search at random, in iterations, and keep every training and its figures.

    Parameters
    ----------
    examples : callable
        Gives the games to train on and those to validate with; each worker calls it
        once, so with several workers it must be importable.
    folder : path
        Each training has a folder in it; one that is done is not done again, one that
        was stopped goes on. `runs.csv` lists them all.
    plan : Plan, optional
    workers : int, optional
        Trainings at the same time; one a core by default.
    threads : int, optional
        Of each training.
    device : str
        As in `yardstone_lab.neubauer.network.training.train`.
    progress : callable, optional
        Called as ``progress(done, total)``, in trainings.
    report : callable, optional
        Called with each run, in order, when its iteration is over.

    Returns
    -------
    list of SearchRun
        In order; `best_run` picks the best.

    Raises
    ------
    UsageError
        The folder holds another search.
    ConvergenceError
        Every training of the first iteration failed.
    """
    plan = plan or Plan()
    home = Path(folder).absolute()
    keep_plan(home, _described(plan))
    generators = parallel.spawn_generators(plan.seed, plan.iterations * plan.runs)
    total = len(generators)
    runs: list[SearchRun] = []
    centre = plan.start
    for iteration in range(plan.iterations):
        first = iteration * plan.runs
        items = []
        for number, generator in enumerate(generators[first : first + plan.runs]):
            settings = propose(centre, plan.scale(iteration), generator, plan.windows)
            path = home / f"iteration-{iteration + 1}" / f"run-{number + 1:02d}"
            items.append((iteration + 1, number + 1, settings, path))
        done = parallel.map(
            partial(do_run, examples=examples, threads=threads, device=device),
            items,
            workers=workers,
            shared=[home],
            progress=None if progress is None else partial(_shifted, progress, first, total),
        )
        runs += done
        for run in done if report is not None else ():
            report(run)  # type: ignore[misc]
        write_runs(home, runs)
        centre = best_run(runs).settings
    return runs


def _shifted(
    progress: Callable[[int, int], object], first: int, total: int, done: int, _: int
) -> None:
    progress(first + done, total)


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

    Raises
    ------
    UsageError
        It holds another one.
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
