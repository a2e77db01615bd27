"""A whole experiment, from records to the predictions of every system, in stages.

*games* are filtered into a pool, *winners* judges those that were not counted,
*features* makes or opens the stores, *sets* draws T, V, E and X, *labels* takes what
training may see, *moves* gathers the recent moves, *basic*, *full*, *pooled* and
*rank-scores* train the models, *tuned* finds parameters of Glicko-2, and *predictions*
asks all systems.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from yardstone.errors import InputError
from yardstone.evaluation.splits import rating_labels
from yardstone.files import locked
from yardstone.ratings.glicko import Glicko2
from yardstone_lab.neubauer.experiment import models
from yardstone_lab.neubauer.experiment.description import ExperimentData, glicko_of
from yardstone_lab.neubauer.experiment.predictions import (
    GLICKO,
    TUNED,
    ExperimentPredictions,
    result_predictions,
    system_predictions,
)
from yardstone_lab.neubauer.experiment.predictions_file import load_predictions, save_predictions
from yardstone_lab.neubauer.experiment.preparation import (
    Preparation,
    Progress,
    plain_values,
    read_facts,
    write_facts,
)
from yardstone_lab.neubauer.experiment.questions import RecentMoves, ask_questions

if TYPE_CHECKING:
    from yardstone.pool import Pool
    from yardstone.ratings.result import Replay
    from yardstone_lab.neubauer.experiment.configuration import Experiment
    from yardstone_lab.neubauer.experiment.sets import Sets

__all__ = ["ExperimentResult", "run_experiment"]


@dataclass(frozen=True, eq=False)
class ExperimentResult:
    """What an experiment has come to; frozen.

    Attributes
    ----------
    experiment : Experiment
    pool : Pool
        With the marks in its column ``set``.
    replay : Replay
        Under Glicko-2.
    predictions : ExperimentPredictions
    moves : RecentMoves
    facts : dict
        What the stages said of themselves: filters, judging, sets, models.
    """

    experiment: Experiment
    pool: Pool
    replay: Replay
    predictions: ExperimentPredictions
    moves: RecentMoves
    facts: dict[str, Any]


def run_experiment(
    experiment: Experiment,
    *,
    workers: int | None = None,
    say: Callable[[str], object] = print,
    progress: Progress | None = None,
) -> ExperimentResult:
    """Do all of an experiment that is not done yet.

    It can be killed at any moment and started again. A changed setting does those
    stages again that depend on it, and no others.

    Parameters
    ----------
    experiment : Experiment
        `yardstone_lab.neubauer.experiment.configuration.read_experiment` reads one.
    workers : int, optional
        Processes that judge and take features; one a core by default.
    say : callable
        Told what is kept, done and redone.
    progress : callable, optional
        Called with what is being done, how much of it is done and how much there is.
    """
    try:
        experiment.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"cannot be made: {error.strerror}", file=str(experiment.folder)
        ) from error
    with locked(experiment.folder, "training here"):
        return _run(Preparation(experiment, workers, say, progress))


def _run(data: Preparation) -> ExperimentResult:
    """All stages, one after the other."""
    experiment = data.experiment
    pool = data.winners(data.games())
    system = glicko_of(experiment)
    replay = system.replay(pool)
    labels = rating_labels(pool, replay, advance=experiment.ratings.advance)
    data.check_sets(pool, labels)
    stores = data.features(pool)
    sets = data.sets(pool, labels, stores)
    learned = data.labels(pool, labels, sets)
    questions = ask_questions(sets, experiment.table.hidden)
    moves = data.moves(pool, questions, stores)
    examples = ExperimentData(pool, questions, learned, moves)
    work = models.Work(examples, experiment.models, data.note, data.say)
    trained = models.train_all(work, data.stages)
    data.facts["models"] = trained.facts
    predictions = result_predictions(pool, replay, labels, system, questions)
    predictions = _predict(data, predictions, _Basis(pool, sets, moves, replay), trained)
    return ExperimentResult(
        experiment, sets.applied_to(pool), replay, predictions, moves, data.facts
    )


@dataclass(frozen=True, eq=False)
class _Basis:
    """What predictions are made from."""

    pool: Pool
    sets: Sets
    moves: RecentMoves
    replay: Replay


def _predict(
    data: Preparation,
    predictions: ExperimentPredictions,
    basis: _Basis,
    trained: models.TrainedModels,
) -> ExperimentPredictions:
    """Ask all systems about every game."""
    experiment, pool = data.experiment, basis.pool
    tuned = _tuned(data, basis)

    def make(folder: Path) -> None:
        made, system, base, replay = predictions, glicko_of(experiment), GLICKO, basis.replay
        if tuned is not None:
            system, base, replay = tuned, TUNED, tuned.replay(pool)
            results = system_predictions(pool, replay, system, predictions.questions)
            made = made.with_system(TUNED, *results, "the same with parameters for these games")
        made = models.predict_all(made, pool, basis.sets, basis.moves, trained)
        if experiment.models.fusion:
            made = models.fuse_all(made, pool, replay, system, basis.moves, base=base)
        save_predictions(made, pool, folder / "predictions.npz")

    needs = ["winners", "sets", "moves", *trained.stages, *(["tuned"] if tuned else [])]
    settings = plain_values(asdict(experiment.ratings)) | {"fusion": experiment.models.fusion}
    home = data.stages.run("predictions", make, settings, needs)
    return load_predictions(home / "predictions.npz")


def _tuned(data: Preparation, basis: _Basis) -> Glicko2 | None:
    """Glicko-2 with parameters for these games, if asked for."""
    settings = data.experiment.ratings
    if not settings.tune:
        return None

    def make(folder: Path) -> None:
        system = models.tuned_glicko(
            basis.pool,
            basis.sets,
            settings.tune,
            before=settings.tune_before,
            progress=data.note("tuning"),
        )
        usual = asdict(Glicko2())
        chosen = {name: value for name, value in asdict(system).items() if value != usual[name]}
        write_facts(folder / "glicko.json", chosen)

    about = {"trials": settings.tune, "before": settings.tune_before}
    home = data.stages.run("tuned", make, about, ["sets"])
    data.facts["tuned"] = read_facts(home / "glicko.json")
    return Glicko2(**data.facts["tuned"])
