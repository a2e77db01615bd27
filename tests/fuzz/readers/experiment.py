"""Descriptions and results of experiments and trainings."""

from __future__ import annotations

import dataclasses
import json
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.fuzz.targets import Target, Wrong, copied, saved
from yardstone.arrays import ArrayFile
from yardstone.errors import InputError, YardstoneError
from yardstone_lab.neubauer.experiment.configuration import read_experiment
from yardstone_lab.neubauer.experiment.questions import load_predictions
from yardstone_lab.neubauer.experiment.run import Stages, read_facts
from yardstone_lab.neubauer.moves import Labelled
from yardstone_lab.neubauer.network.search import (
    RUNS_FILE,
    SearchRun,
    do_run,
    keep_plan,
    read_runs,
    write_runs,
)
from yardstone_lab.neubauer.network.strength_network import Hyperparameters
from yardstone_lab.neubauer.network.training import (
    EPOCHS_FILE,
    STEPS_FILE,
    Epoch,
    History,
    read_history,
)

__all__ = ["TARGETS"]

_EPOCH = Epoch(0, 1e-3, 0.5, 0.1, 0.0, 0.6, 0.1, 1.0, 1.0, 0.55, 2.5, best=True)


_PLAN = {"trials": 3, "seed": 1}


def read_training_tables(path: Path) -> None:
    """The tables of a training: one from the input, the other as it is."""
    folder = path.with_name("training")
    folder.mkdir(exist_ok=True)
    History((_EPOCH,), ((0.1, 0.2, 0.3),)).write(folder)
    for name in (EPOCHS_FILE, STEPS_FILE):
        before = (folder / name).read_bytes()
        (folder / name).write_bytes(path.read_bytes())
        with suppress(InputError):
            read_history(folder)
        (folder / name).write_bytes(before)


def read_kept(path: Path) -> None:
    """What a stage and a search say of themselves, and facts, each kept as JSON."""
    data = path.read_bytes()
    facts = path.with_name("facts.json")
    facts.write_bytes(data)
    home = path.with_name("search")
    home.mkdir(exist_ok=True)
    (home / "search.json").write_bytes(data)
    stage = path.with_name("stages") / "made"
    stage.mkdir(parents=True, exist_ok=True)
    (stage / "stage.json").write_bytes(data)
    Stages(stage.parent, lambda line: None).run("made", lambda folder: None, {"a": [1]})
    with suppress(YardstoneError):
        keep_plan(home, _PLAN)
    run = home / "run"
    run.mkdir(exist_ok=True)
    (run / "result.json").write_bytes(data)
    with suppress(YardstoneError):
        do_run((0, 1, Hyperparameters(), run), examples=_none, threads=1, device="cpu")
    read_facts(facts)


def _none() -> tuple[Labelled, Labelled]:
    raise Wrong("a training that is done is begun anew")


def kept() -> dict[str, bytes]:
    """A plan, a stage and a result."""
    result = dict.fromkeys(("iteration", "number", "best_epoch", "epochs_done"), 0)
    numbers = {"loss": 0.5, "accuracy": 0.6, "seconds": 1.0, "failure": "", "folder": "run"}
    settings = dataclasses.asdict(Hyperparameters())
    return {
        "plan": json.dumps(_PLAN).encode(),
        "stage": json.dumps({"format": 1, "settings": {"a": [1]}, "needs": {}}).encode(),
        "result": json.dumps({**result, **numbers, "settings": settings}).encode(),
    }


def predictions() -> dict[str, bytes]:
    """Predictions of two systems for three questions."""
    about = {"systems": ["elo"], "rated": ["elo"], "about": {}}
    kept: dict[str, NDArray[Any]] = {"about": np.array(json.dumps(about))}
    kept |= {name: np.zeros(3) for name in ("game", "letter", "last", "score", "expected_0")}
    kept |= {name: np.zeros((3, 2)) for name in ("labels", "players", "rating_0")}
    return {"predictions": saved(lambda path: ArrayFile("file").write(path, kept))}


def searches() -> dict[str, bytes]:
    """The table of a search of one training."""
    run = SearchRun(0, 1, Hyperparameters(), 0.6, 0.7, 3, 9, 12.5, "", "run-1")
    with TemporaryDirectory() as folder:
        write_runs(Path(folder), [run])
        return {"runs": (Path(folder) / RUNS_FILE).read_bytes()}


def trainings() -> dict[str, bytes]:
    """Both tables of a training."""
    with TemporaryDirectory() as folder:
        History((_EPOCH, _EPOCH), ((0.1, 0.2, 0.3), (0.3, 0.2, 0.1))).write(Path(folder))
        return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


TARGETS = (
    Target("experiment-description", read_experiment, ".toml"),
    Target("experiment-kept", read_kept, ".json", made=kept),
    Target("experiment-predictions", load_predictions, ".npz", made=predictions),
    Target(
        "experiment-search",
        lambda path: read_runs(copied(path, RUNS_FILE).parent),
        ".csv",
        made=searches,
    ),
    Target("experiment-training", read_training_tables, ".csv", made=trainings),
)
