"""Files of networks and models, stores of features; what experiments and trainings keep."""

from __future__ import annotations

import dataclasses
import gzip
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.tests.strength.made_training import TINY
from tests.fuzz.cases import Target, Wrong, contents, copied, finite
from tests.go.random_net import ALL_SHAPES, Shape, network_bytes
from tests.strength.rank_cases import model_of_two_scales, random_evidence, random_model
from tests.strength.set_cases import random_scorer
from yardstone.arrays import ArrayFile, map_array
from yardstone.errors import InputError, YardstoneError
from yardstone.go.feature_store import FORMAT, GAME_COLUMNS, PART, FeatureStore
from yardstone.go.nets.engines import make_engine
from yardstone.go.nets.model_file import GLOBAL, SPATIAL, read_header, read_model
from yardstone.go.patterns.index import map_arrays, write_arrays
from yardstone.strength.model import StrengthModel
from yardstone.strength.set_transformer import parameter_shapes
from yardstone_lab.neubauer.experiment.configuration import read_experiment
from yardstone_lab.neubauer.experiment.questions import load_predictions
from yardstone_lab.neubauer.experiment.run import Stages, read_facts
from yardstone_lab.neubauer.moves import Labelled
from yardstone_lab.neubauer.network import search, training
from yardstone_lab.neubauer.network.strength_network import Hyperparameters, StrengthNetwork

#: Lines of the board that graphs are tried on.
_SIDE = 5
_WORDS = ("@BIN@", "ACTIVATION_MISH", "nested_bottleneck_block", "gpool_block", "ordinary_block")
_EPOCH = training.Epoch(0, 1e-3, 0.5, 0.1, 0.0, 0.6, 0.1, 1.0, 1.0, 0.55, 2.5, best=True)
_PLAN = {"trials": 3, "seed": 1}


def _each_in_place(path: Path, files: Mapping[str, bytes]) -> Iterator[Path]:
    """Yield a folder of these files with the input in place of each in turn."""
    for name in files:
        for other, data in files.items():
            copied(path, "folder", other).write_bytes(data)
        yield copied(path, "folder", name).parent


def read_katago(path: Path) -> None:
    read_header(path)
    read_model(path)


def read_graph(path: Path) -> None:
    """A network of KataGo as the graph in ONNX that is made of it, which then judges a board."""
    model = read_model(path)
    runner = make_engine("onnxruntime", "fp32", 1).runner(model, _SIDE, ("policy", "value"))
    spatial = np.zeros((1, SPATIAL, _SIDE, _SIDE), np.float32)
    spatial[:, 0] = 1.0
    answers = runner(spatial, np.zeros((1, GLOBAL), np.float32))
    if answers["policy"].shape != (1, _SIDE * _SIDE + 1) or answers["value"].shape != (1, 3):
        raise Wrong("an answer is of another shape")


def katago_files() -> dict[str, bytes]:
    fixed = Shape(17, blocks=ALL_SHAPES["v17-fixed"].blocks, channels=4, text=True)
    text = network_bytes(Shape(8, channels=2, text=True))
    return {
        "v8-text": text,
        "v8.gz": gzip.compress(text, mtime=0),
        "v15": network_bytes(Shape(15, channels=2, trunk_norm="rms", activation="MISH")),
        "v17-text": network_bytes(fixed),
    }


def save_graph(path: Path) -> None:
    from yardstone.go.nets.onnx_graph import build_network

    path.write_bytes(katago_files()["v15"])
    path.write_bytes(build_network(read_model(path), _SIDE, ("value",)).SerializeToString())


def read_rank_model(path: Path) -> None:
    model = StrengthModel.load(path)
    for name in model.scales:
        score = model.score(random_evidence([9, 4]), name)
        finite([score.mean, score.deviation])


def rank_models() -> dict[str, Any]:
    model = random_model()
    sets = StrengthModel(random_scorer("basic"), list(model.scales.values()), model.card)
    made = {"model": model, "two-scales": model_of_two_scales(), "sets": sets}
    return {name: each.save for name, each in made.items()}


def read_training(path: Path) -> None:
    _, about = training.read_checkpoint(path)
    about["history"].write(path.parent)


def save_checkpoint(path: Path) -> None:
    history = training.History((_EPOCH,), ((0.1, 0.2, 0.3),))
    about = {"fingerprint": "x", "history": history.as_text(), "steps": [[0.1, 0.2, 0.3]]}
    training.write_checkpoint(path, _arrays(), about)


def _arrays() -> dict[str, NDArray[np.float32]]:
    generator = np.random.default_rng(1)
    return {
        name: generator.normal(0, 0.3, shape).astype(np.float32)
        for name, shape in parameter_shapes(TINY.size, 5).items()
    }


def read_array(path: Path) -> None:
    array = map_array(path)
    with np.errstate(all="ignore"):
        _ = array.sum() if array.dtype.kind in "fiub" else array


def read_index(path: Path) -> None:
    for array in map_arrays(path)[1].values():
        array.sum()


def save_index(path: Path) -> None:
    def fill(array: NDArray[Any]) -> None:
        array[:] = 1

    write_arrays(path, {"games": 3}, {"a": ("u1", (5,), fill), "b": ("<i4", (2, 3), fill)})


def _part(arrays: Mapping[str, object], about: dict[str, Any]) -> tuple[object, str]:
    return dict(arrays), about["fingerprint"]


def save_part(path: Path) -> None:
    about = {"fingerprint": "x", "games": [], "skipped": []}
    PART.write(path, {"number": np.zeros(0, np.int16)}, about)


def read_store(path: Path) -> None:
    for folder in _each_in_place(path, stores()):
        for array, shape in (("number", 3), ("colour", 3), ("point", 3), ("head", (3, 6))):
            np.save(folder / f"{array}.npy", np.zeros(shape, np.float32))
        with suppress(InputError):
            store = FeatureStore.open(folder)
            repr(store)
            for game in range(min(len(store.games["size"]), 3)):
                store.features(game, "head")
            _ = store.players


def stores() -> dict[str, bytes]:
    about = {"format": FORMAT, "complete": True, "trunk": [], "moves": 3, "games": 1}
    row = ["0" if kind is not str else "2020-01-01" for kind in GAME_COLUMNS.values()]
    return {
        "store.json": json.dumps(about | {"network": "x", "channels": 4}).encode(),
        "games.csv": f"{','.join(GAME_COLUMNS)}\n{','.join(row)}\n".encode(),
    }


def read_training_tables(path: Path) -> None:
    for folder in _each_in_place(path, trainings()):
        with suppress(InputError):
            training.read_history(folder)


def trainings() -> dict[str, bytes]:
    with TemporaryDirectory() as folder:
        training.History((_EPOCH, _EPOCH), ((0.1, 0.2, 0.3), (0.3, 0.2, 0.1))).write(Path(folder))
        return contents(Path(folder))


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


def save_predictions(path: Path) -> None:
    about = {"systems": ["elo"], "rated": ["elo"], "about": {}}
    arrays: dict[str, NDArray[Any]] = {"about": np.array(json.dumps(about))}
    arrays |= {name: np.zeros(3) for name in ("game", "letter", "last", "score", "expected_0")}
    arrays |= {name: np.zeros((3, 2)) for name in ("labels", "players", "rating_0")}
    ArrayFile("file").write(path, arrays)


def save_search(path: Path) -> None:
    run = search.SearchRun(0, 1, Hyperparameters(), 0.6, 0.7, 3, 9, 12.5, "", "run-1")
    search.write_runs(path.parent, [run])


def read_search(path: Path) -> None:
    search.read_runs(copied(path, search.RUNS_FILE).parent)


_NETWORK = StrengthNetwork(TINY, _arrays(), 1600.0, 250.0, {"about": "x"})
TARGETS = (
    Target("model-katago", read_katago, ".bin", made=katago_files, words=_WORDS),
    Target("model-graph", read_graph, ".bin", katago_files, save_graph, _WORDS, megabytes=1024),
    Target("model-rank", read_rank_model, ".npz", made=rank_models),
    Target("model-checkpoint", read_training, ".npz", save=save_checkpoint),
    Target("model-strength-network", StrengthNetwork.load, ".npz", save=_NETWORK.save),
    Target("go-array", read_array, ".npy"),
    Target("go-index", read_index, ".index", save=save_index),
    Target("go-part", lambda path: PART.read(path, _part), ".npz", save=save_part),
    Target("go-store", read_store, ".json", made=stores),
    Target("experiment-description", read_experiment, ".toml"),
    Target("experiment-kept", read_kept, ".json", made=kept),
    Target("experiment-predictions", load_predictions, ".npz", save=save_predictions),
    Target("experiment-search", read_search, ".csv", save=save_search),
    Target("experiment-training", read_training_tables, ".csv", made=trainings),
)
