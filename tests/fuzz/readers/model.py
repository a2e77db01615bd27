"""Files of networks and models, and what trainings keep."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lab.tests.strength.made_training import TINY
from tests.fuzz.readers.experiment import EPOCH
from tests.fuzz.targets import Target, Wrong, finite, saved
from tests.go.random_net import ALL_SHAPES, Shape, network_bytes
from tests.strength.rank_cases import model_of_two_scales, random_evidence, random_model
from tests.strength.set_cases import random_scorer
from yardstone.go.nets.engines import make_engine
from yardstone.go.nets.model_file import GLOBAL, SPATIAL, read_header, read_model
from yardstone.strength.model import StrengthModel
from yardstone.strength.set_transformer import parameter_shapes
from yardstone_lab.neubauer.network.strength_network import StrengthNetwork
from yardstone_lab.neubauer.network.training import History, read_checkpoint, write_checkpoint

#: Lines of the board that graphs are tried on.
_SIDE = 5
_WORDS = ("@BIN@", "ACTIVATION_MISH", "nested_bottleneck_block", "gpool_block", "ordinary_block")


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


def read_rank_model(path: Path) -> None:
    model = StrengthModel.load(path)
    for name in model.scales:
        score = model.score(random_evidence([9, 4]), name)
        finite([score.mean, score.deviation], "strength")


def read_training(path: Path) -> None:
    _, about = read_checkpoint(path)
    about["history"].write(path.parent)


def katago_files() -> dict[str, bytes]:
    fixed = Shape(17, blocks=ALL_SHAPES["v17-fixed"].blocks, channels=4, text=True)
    text = network_bytes(Shape(8, channels=2, text=True))
    return {
        "v8-text": text,
        "v8.gz": gzip.compress(text, mtime=0),
        "v15": network_bytes(Shape(15, channels=2, trunk_norm="rms", activation="MISH")),
        "v17-text": network_bytes(fixed),
    }


def graphs() -> dict[str, bytes]:
    from yardstone.go.nets.onnx_graph import build_network

    def save(path: Path) -> None:
        path.write_bytes(katago_files()["v15"])
        path.write_bytes(build_network(read_model(path), _SIDE, ("value",)).SerializeToString())

    return {**katago_files(), "onnx": saved(save, "network.bin")}


def rank_models() -> dict[str, bytes]:
    model = random_model()
    sets = StrengthModel(random_scorer("basic"), list(model.scales.values()), model.card)
    made = {"model": model, "two-scales": model_of_two_scales(), "sets": sets}
    return {name: saved(each.save) for name, each in made.items()}


def networks() -> dict[str, bytes]:
    return {"network": saved(StrengthNetwork(TINY, _arrays(), 1600.0, 250.0, {"about": "x"}).save)}


def checkpoints() -> dict[str, bytes]:
    history = History((EPOCH,), ((0.1, 0.2, 0.3),))
    about = {"fingerprint": "x", "history": history.as_text(), "steps": [[0.1, 0.2, 0.3]]}
    return {"checkpoint": saved(lambda path: write_checkpoint(path, _arrays(), about))}


def _arrays() -> dict[str, NDArray[np.float32]]:
    generator = np.random.default_rng(1)
    return {
        name: generator.normal(0, 0.3, shape).astype(np.float32)
        for name, shape in parameter_shapes(TINY.size, 5).items()
    }


TARGETS = (
    Target("model-katago", read_katago, ".bin", made=katago_files, words=_WORDS),
    Target("model-graph", read_graph, ".bin", made=graphs, words=_WORDS, megabytes=1024),
    Target("model-rank", read_rank_model, ".npz", made=rank_models),
    Target("model-checkpoint", read_training, ".npz", made=checkpoints),
    Target("model-strength-network", StrengthNetwork.load, ".npz", made=networks),
)
