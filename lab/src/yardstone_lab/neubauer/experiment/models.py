"""The models of an experiment: trained on T, chosen by V, asked about everything."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from yardstone.arrays import ArrayFile
from yardstone.errors import NoGamesError
from yardstone.evaluation.metrics import log_likelihood
from yardstone_lab.neubauer.experiment.examples import MODELS
from yardstone_lab.neubauer.experiment.mean_features import Pooled, fit_pooled
from yardstone_lab.neubauer.experiment.predictions import GLICKO
from yardstone_lab.neubauer.experiment.questions import RANK
from yardstone_lab.neubauer.experiment.stochastic import Stochastic

if TYPE_CHECKING:
    from yardstone.pool import Pool
    from yardstone.ratings.glicko import Glicko2
    from yardstone.ratings.result import Replay
    from yardstone.strength.set_transformer import Hyperparameters, StrengthNetwork
    from yardstone_lab.neubauer.experiment.configuration import ModelSettings
    from yardstone_lab.neubauer.experiment.description import ExperimentData
    from yardstone_lab.neubauer.experiment.predictions import ExperimentPredictions
    from yardstone_lab.neubauer.experiment.questions import RecentMoves
    from yardstone_lab.neubauer.experiment.sets import Sets
    from yardstone_lab.neubauer.experiment.stages import Stages

__all__ = [
    "BASIC",
    "FULL",
    "POOLED",
    "STOCHASTIC",
    "TrainedModels",
    "Work",
    "fuse_all",
    "predict_all",
    "train_all",
    "tuned_glicko",
]

_POOLED = ArrayFile("table of mean features", compressed=False)
STOCHASTIC, BASIC, FULL, POOLED = "Stochastic", "Basic", "Full", "Pooled"
RANKED = "Rank scores"
_ABOUT = {
    STOCHASTIC: "from the points that recent moves lost",
    BASIC: "a Set Transformer on the network's outputs for recent moves",
    FULL: "a Set Transformer on the network's trunk at recent moves",
    POOLED: "ridge regression on mean features of recent moves",
    RANKED: "the same on the rank model's scores of recent moves",
}


@dataclass(frozen=True, eq=False)
class Work:
    """What models are trained on.

    Attributes
    ----------
    data : ExperimentData
    settings : ModelSettings
    note : callable
        Gives a function of (done, all) for what is being done, or None.
    say : callable
    """

    data: ExperimentData
    settings: ModelSettings
    note: Callable[[str], Callable[[int, int], object] | None]
    say: Callable[[str], object]


@dataclass(frozen=True, eq=False)
class TrainedModels:
    """The trained models of an experiment.

    Attributes
    ----------
    networks : dict of str to StrengthNetwork
    pooled : dict of str to Pooled
    kinds : dict of str to tuples of str
        Features of each pooled model.
    stages : list of str
        Those that made them.
    facts : dict
        What to say about each.
    """

    networks: dict[str, StrengthNetwork]
    pooled: dict[str, Pooled]
    kinds: dict[str, tuple[str, ...]]
    stages: list[str]
    facts: dict[str, Any]


def train_all(work: Work, stages: Stages) -> TrainedModels:
    """Train what the settings ask for; each model is a stage of its own."""
    chosen = work.settings
    networks: dict[str, StrengthNetwork] = {}
    facts: dict[str, Any] = {}
    done: list[str] = []
    for name, settings in ((BASIC, chosen.basic), (FULL, chosen.full)):
        if settings is not None:
            networks[name] = _network(name, settings, work, stages)
            done.append(_slug(name))
            facts[name] = {"settings": settings.as_dict(), **networks[name].card}
    kinds = {POOLED: chosen.pooled, RANKED: (RANK,) if chosen.rank else ()}
    kinds = {name: each for name, each in kinds.items() if each}
    pooled: dict[str, Pooled] = {}
    for name, each in kinds.items():
        model = pooled[name] = _pooled(name, each, work, stages)
        done.append(_slug(name))
        facts[name] = {
            "features": list(each),
            "penalty": model.penalty,
            "shrinkage": model.shrinkage,
            "slope": model.slope,
        }
    return TrainedModels(networks, pooled, kinds, done, facts)


def _slug(name: str) -> str:
    """The stage of a model."""
    return name.lower().replace(" ", "-")


def _network(name: str, settings: Hyperparameters, work: Work, stages: Stages) -> StrengthNetwork:
    from yardstone.strength.set_transformer import StrengthNetwork

    settings = replace(settings, window=work.settings.window)
    kinds = MODELS[_slug(name)]

    def make(folder: Path) -> None:
        from yardstone_lab.neubauer.network.training import train

        train(
            work.data.labelled(kinds, "T"),
            work.data.labelled(kinds, "V"),
            settings,
            folder,
            device=work.settings.device,
            threads=work.settings.threads,
            progress=work.note(f"training {name.lower()}"),
            report=lambda epoch: work.say(f"  {epoch.line()}"),
            card={"features": list(kinds)},
        )

    about = {"settings": settings.as_dict(), "kinds": list(kinds)}
    home = stages.run(_slug(name), make, about, ["moves", "labels"])
    return StrengthNetwork.load(home / "network.npz")


def _pooled(name: str, kinds: tuple[str, ...], work: Work, stages: Stages) -> Pooled:
    arrays = ("centre", "spread", "weights")
    numbers = ("mean", "shrinkage", "penalty", "intercept", "slope")

    def make(folder: Path) -> None:
        model = fit_pooled(work.data.labelled(kinds, "T"), work.data.labelled(kinds, "V"))
        _POOLED.write(folder / "pooled.npz", {name: getattr(model, name) for name in arrays})
        facts = {name: getattr(model, name) for name in numbers}
        (folder / "pooled.json").write_text(json.dumps(facts, indent=2) + "\n", "utf-8")

    home = stages.run(_slug(name), make, {"kinds": list(kinds)}, ["moves", "labels"])
    facts: dict[str, Any] = json.loads((home / "pooled.json").read_text("utf-8"))
    return _POOLED.read(
        home / "pooled.npz",
        lambda file, _: Pooled(file["centre"], file["spread"], file["weights"], **facts),
    )


def predict_all(
    predictions: ExperimentPredictions,
    pool: Pool,
    sets: Sets,
    moves: RecentMoves,
    trained: TrainedModels,
) -> ExperimentPredictions:
    """Add the models' answers to all questions."""
    training = np.flatnonzero(predictions.questions.of("T"))
    head = moves.sets(("head",))
    stochastic = Stochastic.fit(head.select(training), pool, sets.of("T"))
    predictions = predictions.with_system(
        STOCHASTIC, stochastic.expected(head), about=_ABOUT[STOCHASTIC]
    )
    for name, network in trained.networks.items():
        ratings = network.ratings(moves.sets(MODELS[_slug(name)]))
        predictions = predictions.with_system(
            name, network.expected(ratings), ratings, _ABOUT[name]
        )
    for name, model in trained.pooled.items():
        sides = moves.sets(trained.kinds[name])
        ratings = model.ratings(sides)
        predictions = predictions.with_system(name, model.expected(ratings), ratings, _ABOUT[name])
    return predictions


def tuned_glicko(
    pool: Pool,
    sets: Sets,
    trials: int,
    *,
    before: bool = False,
    progress: Callable[[int, int], object] | None = None,
) -> Glicko2:
    """Glicko-2 with the parameters that predict the games outside all sets best.

    Parameters
    ----------
    pool : Pool
        In order of time.
    sets : Sets
    trials : int
    before : bool
        Look at games alone that were played before the first of T, V and E.
    progress : callable, optional

    Raises
    ------
    NoGamesError
        No game was.
    """
    from yardstone.evaluation.comparison import tune
    from yardstone.ratings.systems import find_system

    outside = np.asarray(sets.mark == "")
    if before:
        end = int(np.argmax(np.isin(sets.mark, ("T", "V", "E"))))
        if not end:
            raise NoGamesError("no game was played before the sets to tune on")
        pool, outside = pool.select(np.arange(end)), outside[:end]
    tuning = tune(find_system("glicko2"), pool, trials, scored=outside, progress=progress)
    return cast("Glicko2", tuning.system)


def fuse_all(
    predictions: ExperimentPredictions,
    pool: Pool,
    replay: Replay,
    system: Glicko2,
    moves: RecentMoves,
    *,
    base: str = GLICKO,
) -> ExperimentPredictions:
    """Add the rows of moves and results together, from the model that predicts V best.

    Parameters
    ----------
    predictions : ExperimentPredictions
    pool : Pool
    replay : Replay
        Of `system`.
    system : Glicko2
    moves : RecentMoves
    base : str
        The row of `system`.
    """
    from yardstone_lab.neubauer.fusion_rows import add_fusion

    here = predictions.questions.of("V")
    names = [name for name in (BASIC, FULL, POOLED, RANKED) if name in predictions.ratings]
    if not names or not here.any():
        return predictions
    score = predictions.score[here]
    best = max(names, key=lambda name: log_likelihood(score, predictions.expected[name][here]))
    number = np.diff(moves.starts).reshape(-1, 2)
    under = replace(
        predictions, expected={**predictions.expected, GLICKO: predictions.expected[base]}
    )
    made = add_fusion(under, pool, replay, system, best, number)[0]
    return replace(made, expected={**made.expected, GLICKO: predictions.expected[GLICKO]})
