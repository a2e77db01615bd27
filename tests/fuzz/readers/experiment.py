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

from tests.fuzz.targets import Target, Wrong, contents, copied, saved
from yardstone.arrays import ArrayFile
from yardstone.errors import InputError, YardstoneError
from yardstone_lab.neubauer.experiment.configuration import read_experiment
from yardstone_lab.neubauer.experiment.questions import load_predictions
from yardstone_lab.neubauer.experiment.run import Stages, read_facts
from yardstone_lab.neubauer.moves import Labelled
from yardstone_lab.neubauer.network import search
from yardstone_lab.neubauer.network.strength_network import Hyperparameters
from yardstone_lab.neubauer.network.training import Epoch, History, read_history

EPOCH = Epoch(0, 1e-3, 0.5, 0.1, 0.0, 0.6, 0.1, 1.0, 1.0, 0.55, 2.5, best=True)
_PLAN = {"trials": 3, "seed": 1}


def read_training_tables(path: Path) -> None:
    for name in trainings():
        for other, data in trainings().items():
            copied(path, "training", other).write_bytes(data)
        with suppress(InputError):
            read_history(copied(path, "training", name).parent)


def read_kept(path: Path) -> None:
    home = copied(path, "search", "search.json").parent
    stages = copied(path, "stages", "made", "stage.json").parent.parent
    Stages(stages, lambda line: None).run("made", lambda folder: None, {"a": [1]})
    with suppress(YardstoneError):
        search.keep_plan(home, _PLAN)
    run = copied(path, "search", "run", "result.json").parent
    with suppress(YardstoneError):
        search.do_run((0, 1, Hyperparameters(), run), examples=_none, threads=1, device="cpu")
    read_facts(path)


def _none() -> tuple[Labelled, Labelled]:
    raise Wrong("a training that is done is begun anew")


def kept() -> dict[str, bytes]:
    result: dict[str, Any] = dict.fromkeys(("iteration", "number", "best_epoch", "epochs_done"), 0)
    result |= {"loss": 0.5, "accuracy": 0.6, "seconds": 1.0, "failure": "", "folder": "run"}
    result["settings"] = dataclasses.asdict(Hyperparameters())
    stage = {"format": 1, "settings": {"a": [1]}, "needs": {}}
    made = {"plan": _PLAN, "stage": stage, "result": result}
    return {name: json.dumps(value).encode() for name, value in made.items()}


def predictions() -> dict[str, bytes]:
    about = {"systems": ["elo"], "rated": ["elo"], "about": {}}
    arrays: dict[str, NDArray[Any]] = {"about": np.array(json.dumps(about))}
    arrays |= {name: np.zeros(3) for name in ("game", "letter", "last", "score", "expected_0")}
    arrays |= {name: np.zeros((3, 2)) for name in ("labels", "players", "rating_0")}
    return {"predictions": saved(lambda path: ArrayFile("file").write(path, arrays))}


def searches() -> dict[str, bytes]:
    run = search.SearchRun(0, 1, Hyperparameters(), 0.6, 0.7, 3, 9, 12.5, "", "run-1")
    return {"runs": saved(lambda path: search.write_runs(path.parent, [run]), search.RUNS_FILE)}


def trainings() -> dict[str, bytes]:
    with TemporaryDirectory() as folder:
        History((EPOCH, EPOCH), ((0.1, 0.2, 0.3), (0.3, 0.2, 0.1))).write(Path(folder))
        return contents(Path(folder))


def read_search(path: Path) -> None:
    search.read_runs(copied(path, search.RUNS_FILE).parent)


TARGETS = (
    Target("experiment-description", read_experiment, ".toml"),
    Target("experiment-kept", read_kept, ".json", made=kept),
    Target("experiment-predictions", load_predictions, ".npz", made=predictions),
    Target("experiment-search", read_search, ".csv", made=searches),
    Target("experiment-training", read_training_tables, ".csv", made=trainings),
)
