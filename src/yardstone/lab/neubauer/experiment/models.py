"""The models of an experiment: trained on T, chosen by V, asked about everything."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from yardstone.arrays import ArrayFile
from yardstone.evaluation.metrics import log_likelihood
from yardstone.lab.neubauer.dataset import Labelled
from yardstone.lab.neubauer.experiment.mean_features import Pooled, fit_pooled
from yardstone.lab.neubauer.experiment.predictions import GLICKO
from yardstone.lab.neubauer.experiment.questions import RANK
from yardstone.lab.neubauer.experiment.stochastic import Stochastic

if TYPE_CHECKING:
    from yardstone.evaluation.labels import Labels
    from yardstone.evaluation.sets import Sets
    from yardstone.lab.neubauer.experiment.configuration import ModelSettings
    from yardstone.lab.neubauer.experiment.predictions import ExperimentPredictions
    from yardstone.lab.neubauer.experiment.questions import Questions, RecentMoves
    from yardstone.lab.neubauer.experiment.stages import Stages
    from yardstone.lab.neubauer.network.hyperparameters import Hyperparameters
    from yardstone.lab.neubauer.network.set_transformer_numpy import StrengthNetwork
    from yardstone.pool import Pool
    from yardstone.ratings.glicko2 import Glicko2
    from yardstone.ratings.replay import Replay

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
#: The features that each of the two Set Transformers takes.
_INPUTS = {BASIC: ("head",), FULL: ("pick",)}
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
    pool : Pool
    questions : Questions
    labels : Labels
        That training may see.
    moves : RecentMoves
    settings : ModelSettings
    note : callable
        Gives a function of (done, all) for what is being done, or None.
    say : callable
    """

    pool: Pool
    questions: Questions
    labels: Labels
    moves: RecentMoves
    settings: ModelSettings
    note: Callable[[str], Callable[[int, int], object] | None]
    say: Callable[[str], object]

    def labelled(self, kinds: tuple[str, ...], letter: str) -> Labelled:
        """The games of a set with some kinds of features."""
        here = np.flatnonzero(self.questions.of(letter))
        game = self.questions.game[here]
        return Labelled(
            self.moves.sets(kinds).select(here),
            self.pool.score[game].astype(np.float32),
            np.column_stack([self.labels.first[game], self.labels.second[game]]),
        )


@dataclass(frozen=True, eq=False)
class TrainedModels:
    """TrainedModels models.

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
        found = pooled[name] = _pooled(name, each, work, stages)
        done.append(_slug(name))
        facts[name] = {
            "features": list(each),
            "penalty": found.penalty,
            "shrinkage": found.shrinkage,
            "slope": found.slope,
        }
    return TrainedModels(networks, pooled, kinds, done, facts)


def _slug(name: str) -> str:
    """The stage of a model."""
    return name.lower().replace(" ", "-")


def _network(name: str, settings: Hyperparameters, work: Work, stages: Stages) -> StrengthNetwork:
    from yardstone.lab.neubauer.network.set_transformer_numpy import StrengthNetwork

    settings = replace(settings, window=work.settings.window)
    kinds = _INPUTS[name]

    def make(folder: Path) -> None:
        from yardstone.lab.neubauer.network.training import train

        train(
            work.labelled(kinds, "T"),
            work.labelled(kinds, "V"),
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
        found = fit_pooled(work.labelled(kinds, "T"), work.labelled(kinds, "V"))
        _POOLED.write(folder / "pooled.npz", {name: getattr(found, name) for name in arrays})
        facts = {name: getattr(found, name) for name in numbers}
        (folder / "pooled.json").write_text(json.dumps(facts, indent=2) + "\n", "utf-8")

    home = stages.run(_slug(name), make, {"kinds": list(kinds)}, ["moves", "labels"])
    facts: dict[str, Any] = json.loads((home / "pooled.json").read_text("utf-8"))
    return _POOLED.read(
        home / "pooled.npz",
        lambda file, _: Pooled(file["centre"], file["spread"], file["weights"], **facts),
    )


def predict_all(
    found: ExperimentPredictions, pool: Pool, sets: Sets, moves: RecentMoves, trained: TrainedModels
) -> ExperimentPredictions:
    """Add the models' answers to all questions."""
    training = np.flatnonzero(found.questions.of("T"))
    head = moves.sets(("head",))
    stochastic = Stochastic.fit(head.select(training), pool, sets.of("T"))
    found = found.with_system(STOCHASTIC, stochastic.expected(head), about=_ABOUT[STOCHASTIC])
    for name, network in trained.networks.items():
        ratings = network.ratings(moves.sets(_INPUTS[name]))
        found = found.with_system(name, network.expected(ratings), ratings, _ABOUT[name])
    for name, model in trained.pooled.items():
        sides = moves.sets(trained.kinds[name])
        ratings = model.ratings(sides)
        found = found.with_system(name, model.expected(ratings), ratings, _ABOUT[name])
    return found


def tuned_glicko(
    pool: Pool, sets: Sets, trials: int, *, progress: Callable[[int, int], object] | None = None
) -> Glicko2:
    """Glicko-2 with the parameters that predict the games outside all sets best."""
    from yardstone.evaluation.tuning import tune
    from yardstone.ratings.systems import find_system

    outside = np.asarray(sets.mark == "")
    found = tune(find_system("glicko2"), pool, trials, scored=outside, progress=progress)
    return cast("Glicko2", found.system)


def fuse_all(
    found: ExperimentPredictions,
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
    found : ExperimentPredictions
    pool : Pool
    replay : Replay
        Of `system`.
    system : Glicko2
    moves : RecentMoves
    base : str
        The row of `system`.
    """
    from yardstone.lab.neubauer.fusion_rows import add_fusion

    here = found.questions.of("V")
    names = [name for name in (BASIC, FULL, POOLED, RANKED) if name in found.ratings]
    if not names or not here.any():
        return found
    score = found.score[here]
    best = max(names, key=lambda name: log_likelihood(score, found.expected[name][here]))
    number = np.diff(moves.starts).reshape(-1, 2)
    under = replace(found, expected={**found.expected, GLICKO: found.expected[base]})
    made = add_fusion(under, pool, replay, system, best, number)[0]
    return replace(made, expected={**made.expected, GLICKO: found.expected[GLICKO]})
