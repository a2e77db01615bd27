from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.go.nets.oracle import forward
from tests.go.opening_positions import FACTS, POSITIONS, Opening, places
from tests.go.random_net import ALL_SHAPES, AttentionShape, Nested, Shape, write_network
from yardstone.errors import InputError, MissingExtraError, UsageError
from yardstone.go.evaluation_store import inputs_key
from yardstone.go.nets import Network, engines, load_network
from yardstone.go.nets.engines import ENGINES, available_devices
from yardstone.go.nets.network import NetworkView, _chunk, turned
from yardstone.parallel import available_cores
from yardstone.parallel import map as parallel_map

#: In float32, with outputs of the order of one.
ROUNDING = 5e-5


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("nets")


def loaded(folder: Path, shape: Shape, **settings: Any) -> Network:
    return load_network(write_network(folder / "net.bin", shape), **settings)


def inputs(
    number: int, size: int, seed: int = 5
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    generator = np.random.default_rng([seed, size])
    spatial = (generator.random((number, 22, size, size)) < 0.15).astype(np.float32)
    spatial[:, 0] = 1.0
    return spatial, generator.normal(0.0, 0.4, (number, 19)).astype(np.float32)


def assert_agrees(net: Network, spatial: Any, numbers: Any) -> None:
    result = net.evaluate(spatial, numbers, trunk=True, ownership=True)
    wanted = forward(net.model, spatial, numbers)
    assert result.trunk is not None
    assert result.ownership is not None
    for one, other in [
        (result.policy_logits, wanted["policy"]), (result.value_logits, wanted["value"]),
        (result.lead, net.model.scaling.lead * wanted["score"][:, 2]),
        (result.trunk, wanted["trunk"]), (result.ownership, np.tanh(wanted["ownership"])),
    ]:  # fmt: skip
        assert one.dtype == np.float32
        assert one.shape == other.shape
        assert np.abs(one - other).max() < ROUNDING * max(1.0, np.abs(other).max())


def computers() -> dict[str, dict[str, Any]]:
    """What computes networks here: each engine on the processor, and the cards that work."""
    cards = {name: {"engine": "onnxruntime", "device": name} for name in available_devices()[1:]}
    return {name: {"engine": name, "device": "cpu"} for name in ENGINES} | cards


def networks(folder: Path, shape: Shape) -> Iterator[Network]:
    """A network on every computer; at last one that is computed as products of matrices."""
    for settings in computers().values():
        yield loaded(folder, shape, threads=1, **settings)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engines, "WIDE", 1)
        yield loaded(folder, shape, engine="onnxruntime", device="cpu", threads=1)


#: Beside those of which KataGo has said what it makes of them.
UNUSUAL = {
    "filter": Shape(12, filter=(3, 5), dilation=(1, 2), activation="MISH"),
    "heads": Shape(17, blocks=(AttentionShape(6, 2, 4, 3, "fixed"), "pooling", "swiglu")),
    "nested": Shape(17, blocks=(Nested(("swiglu", "residual", AttentionShape(2, 1, 6, 5))),)),
    "norm": Shape(17, blocks=("swiglu",), trunk_norm="batch", activation="SILU"),
}


@pytest.mark.parametrize("name", [*ALL_SHAPES, *UNUSUAL])
def test_a_computation_by_hand_and_katago_say_the_same(name: str, folder: Path) -> None:
    facts = json.loads(FACTS.read_text()).get(name)
    for net in networks(folder, ALL_SHAPES.get(name) or UNUSUAL[name]):
        for size in (2, 7) if net.engine == "onnxruntime" else (7,):
            assert_agrees(net, *inputs(2, size))
        if net.engine == "openvino" or facts is None:  # it agrees less exactly
            continue
        for position, fact in zip(POSITIONS, facts, strict=True):
            for key, value in as_katago_says(net, position).items():
                near = 1e-3 if key in COARSE else 2e-6
                assert value == pytest.approx(fact[key], abs=near, rel=5e-6), (position.name, key)


def test_wide_networks_are_computed_as_products_of_matrices(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from yardstone.go.nets import onnx_graph

    build = Mock(wraps=onnx_graph.build_network)
    monkeypatch.setattr(onnx_graph, "build_network", build)
    for channels in (63, 64):
        shape = replace(ALL_SHAPES["v8"], channels=channels)
        assert_agrees(loaded(folder, shape, device="cpu"), *inputs(1, 13))
    assert [call.kwargs["by_points"] for call in build.call_args_list] == [False, True]
    with pytest.raises(UsageError, match="no output 'tree'"):
        build(loaded(folder, ALL_SHAPES["v8"]).model, 5, ["tree"])


def shares(logits: NDArray[np.float32]) -> Any:
    powers = np.exp(logits.astype(float) - logits.max())
    return powers / powers.sum()


def as_katago_says(net: Network, position: Opening) -> dict[str, Any]:
    """A position evaluated, in the words and from the view of ``kata-raw-nn``."""
    spatial, numbers = position.inputs()
    result = net.evaluate(spatial, numbers, ownership=True)
    assert result.ownership is not None
    logits = result.value_logits[0].copy()
    if position.rules == "tromp-taylor":  # no game without a result
        logits[2] = -1e5
    win, loss, neither = shares(logits)
    sign = 1.0 if position.white_to_move else -1.0
    empty = spatial[0, 1] + spatial[0, 2] == 0.0
    moves = shares(np.where(np.append(empty.ravel(), True), result.policy_logits[0], -1e9))
    kept = tuple(np.array(places(position.size)).T)
    return {
        "whiteWin": win if position.white_to_move else loss,
        "whiteLoss": loss if position.white_to_move else win, "noResult": neither,
        "whiteLead": sign * result.lead[0] * (1.0 - neither),
        "whiteScoreSelfplay": sign * result.score_mean[0] * (1.0 - neither),
        "policyPass": moves[-1], "policy": moves[:-1].reshape(position.size, position.size)[kept],
        "whiteOwnership": sign * result.ownership[0][kept],
    }  # fmt: skip


#: KataGo prints six decimals of probabilities and three of points.
COARSE = ("whiteLead", "whiteScoreSelfplay")


@pytest.mark.parametrize("computer", ENGINES)
def test_a_position_is_evaluated_alike_in_any_batch(computer: str, folder: Path) -> None:
    spatial, numbers = inputs(41, 7)
    settings = computers()[computer]
    one, two = (
        loaded(folder, ALL_SHAPES["v14-nested"], threads=threads, **settings) for threads in (1, 2)
    )
    batches = [net.evaluate(spatial, numbers, trunk=True) for net in (one, two)]
    assert len(batches[0]) == 41
    for row in (0, 17, 40):
        single = one.evaluate(spatial[row : row + 1], numbers[row : row + 1], trunk=True)
        for name in ("policy_logits", "value_logits", "lead", "trunk"):
            for batch in batches:
                near = np.abs(getattr(batch, name)[row] - getattr(single, name)[0]).max()
                assert near < ROUNDING, name
    none = one.evaluate(spatial[:0], numbers[:0], trunk=True)
    assert none.policy_logits.shape == (0, 50)
    assert none.trunk is not None
    assert none.trunk.shape == (0, 16, 7, 7)
    whole: Any = spatial.astype(np.uint8)
    other = one.evaluate(whole, numbers.astype(np.float64), trunk=True)
    assert np.array_equal(other.policy_logits, batches[0].policy_logits)
    # Threads have equally much to do.
    for number in (1, 2, 3, 15, 16, 17, 32, 33, 250):
        for threads in (1, 2, 5):
            step = _chunk(number, 8, threads)
            assert 1 <= step <= 8
            assert -(-number // step) <= threads * -(-number // (8 * threads))


def threads_of(file: str) -> int:
    return load_network(file).threads


def test_several_threads_and_processes_may_use_a_network(folder: Path) -> None:
    net = loaded(folder, ALL_SHAPES["v17-transformer"], threads=2)
    sizes = (3, 4, 5, 6)
    with ThreadPoolExecutor(4) as pool:
        result = [*pool.map(lambda size: net.evaluate(*inputs(9, size)), sizes)]
    for size, evaluation in zip(sizes, result, strict=True):
        alone = net.evaluate(*inputs(9, size))
        assert np.array_equal(evaluation.policy_logits, alone.policy_logits)
    # Networks in workers do not fight for cores.
    assert threads_of(net.file) == available_cores()
    assert parallel_map(threads_of, [net.file] * 2, workers=2) == [1, 1]


def test_what_is_refused(folder: Path) -> None:
    net = loaded(folder, ALL_SHAPES["v8"])
    spatial, numbers = inputs(2, 5)
    masked = spatial.copy()
    masked[1, 0, 4] = 0.0
    for planes, values, message in (
        *((planes, numbers, "spatial has shape") for planes in (spatial[0], spatial[:, :21])),
        *((spatial, rows, "globals has shape") for rows in (numbers[:1], numbers[:, :18])),
        (spatial[:, :, :4], numbers, "5x4 points are not supported"),
        (np.ones((1, 22, 20, 20), np.float32), numbers[:1], "size 20 are not supported"),
        (masked, numbers, "does not fill its planes"),
    ):
        with pytest.raises(UsageError, match=message):
            net.evaluate(planes, values)
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"engine": "torch"}, "no engine 'torch'"), ({"precision": "fp16"}, "precision is 'fp16'"),
        ({"engine": "onnxruntime", "precision": "bf16"}, "needs the engine openvino"),
        ({"threads": 0}, "at least 1"), ({"device": "tpu"}, "no device 'tpu': auto, cpu, cuda,"),
        ({"device": "cuda", "precision": "bf16"}, "cuda computes in fp32; bf16 needs the device"),
        ({"device": "cuda", "engine": "openvino"}, "cuda needs onnxruntime"),
        ({"symmetries": 0}, "symmetries is"), ({"symmetries": 9}, "symmetries is"),
    ]  # fmt: skip
    for settings, message in wrong:
        with pytest.raises(UsageError, match=message):
            load_network(net.file, **settings)
    human = write_network(folder / "human.bin", Shape(15, metadata=True))
    with pytest.raises(InputError, match="wants to know the players' ranks") as caught:
        load_network(human)
    assert caught.value.file == str(human)


def test_an_engine_that_is_not_installed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The default is what is installed, ONNX Runtime before OpenVINO."""
    net = loaded(folder, ALL_SHAPES["v8"])
    assert net.engine == "onnxruntime"
    with monkeypatch.context() as patch:
        patch.delitem(sys.modules, "yardstone.go.nets.onnx_graph", raising=False)
        patch.delattr("yardstone.go.nets.onnx_graph", raising=False)
        patch.setitem(sys.modules, "onnx", None)
        with pytest.raises(MissingExtraError, match="onnx is not installed"):
            net.evaluate(*inputs(1, 5))
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert available_devices() == ("cpu",)
    with pytest.raises(MissingExtraError, match=r"pip install 'yardstone\[go\]'"):
        load_network(net.file, engine="onnxruntime")
    with pytest.raises(MissingExtraError, match=r"pip install 'yardstone\[go\]'"):
        load_network(net.file, device="cuda")
    other = load_network(net.file)
    assert (other.engine, other.device) == ("openvino", "cpu")
    assert np.isfinite(other.evaluate(*inputs(1, 5)).lead).all()
    monkeypatch.setitem(sys.modules, "openvino", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'yardstone\[openvino\]'"):
        load_network(net.file, engine="openvino")
    with pytest.raises(MissingExtraError, match=r"yardstone\[go\]"):
        load_network(net.file)


def evaluated(net: Network, spatial: Any, numbers: Any) -> dict[str, Any]:
    """All that a network says, with chances in place of logits for the policy."""
    output = net.evaluate(spatial, numbers, trunk=True, ownership=True)
    values = {each.name: getattr(output, each.name) for each in fields(output)}
    powers = np.exp(values.pop("policy_logits"))
    return values | {"policy": powers / powers.sum(axis=1, keepdims=True)}


def test_symmetries_are_averaged_over_a_group(folder: Path) -> None:
    spatial, numbers = inputs(2, 7)
    plain, both = (loaded(folder, ALL_SHAPES["v8"], symmetries=number) for number in (1, 2))
    quarter = np.ascontiguousarray(np.rot90(spatial, 1, (2, 3)))
    here, there = (evaluated(plain, planes, numbers) for planes in (spatial, quarter))
    assert np.abs(here["lead"] - there["lead"]).max() > 0.01  # turning says something new
    board = there["policy"][:, :-1].reshape(-1, 7, 7)
    there["policy"][:, :-1] = np.rot90(board, -1, (-2, -1)).reshape(-1, 49)
    for name in ("trunk", "ownership"):
        there[name] = np.rot90(there[name], -1, (-2, -1))
    for name, values in evaluated(both, spatial, numbers).items():
        mean = (here[name] + there[name]) / 2
        np.testing.assert_allclose(values, mean, atol=2e-5, err_msg=name)
    for number, turns in ((4, (3, 5, 6)), (8, range(1, 8))):
        net = loaded(folder, ALL_SHAPES["v8"], symmetries=number)
        here = evaluated(net, spatial, numbers)
        for symmetry in turns:
            how = np.full(len(spatial), symmetry, np.int64)
            there = evaluated(net, turned(spatial, how), numbers)
            np.testing.assert_allclose(turned(here["trunk"], how), there["trunk"], atol=2e-5)
            for name in ("lead", "score_mean", "value_logits"):
                np.testing.assert_allclose(here[name], there[name], atol=2e-5, err_msg=name)
        assert net.evaluate(spatial[:0], numbers[:0]).policy_logits.shape == (0, 50)
    # They are not mistaken for each other.
    assert len({inputs_key(net, spatial[0], numbers[0]) for net in (plain, both)}) == 2
    one, two = (NetworkView(net.sha256, net.symmetries, net.name) for net in (plain, both))
    assert (NetworkView.of(one.card()), NetworkView.of(two.card())) == (one, two)
    assert (str(one), str(two)) == (plain.name, f"{plain.name} under 2 symmetries")


CPU = ["CPUExecutionProvider"]


class MadeRuntime:
    """ONNX Runtime as built for a card, which is there, absent, broken or coarse."""

    works = True
    factor = 1.0
    failure: Exception | None = None

    def __init__(self, real: Any, *providers: str) -> None:
        self.real = real
        self.__spec__, self.SessionOptions = real.__spec__, real.SessionOptions
        self.providers = [*providers, *CPU]
        self.asked: list[Any] = []

    def get_available_providers(self) -> list[str]:
        return self.providers

    def preload_dlls(self) -> None:
        print("libcudnn.so.9 was not found")

    def InferenceSession(self, graph: bytes, options: Any = None, *, providers: Any) -> Any:
        names = [each if isinstance(each, str) else each[0] for each in providers]
        self.asked.append(providers)
        if self.failure is not None and names != CPU:
            raise self.failure
        session = self.real.InferenceSession(graph, options, providers=CPU)
        factor = 1.0 if names == CPU else self.factor
        return SimpleNamespace(
            get_providers=lambda: names if self.works else CPU,
            run=lambda *asked: [each * factor for each in session.run(*asked)],
        )


@pytest.fixture
def build(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., MadeRuntime]]:
    import onnxruntime

    def made(*providers: str, **facts: Any) -> MadeRuntime:
        engines._fault.cache_clear()
        runtime = MadeRuntime(onnxruntime, *providers)
        vars(runtime).update(facts)
        monkeypatch.setitem(sys.modules, "onnxruntime", runtime)
        return runtime

    yield made
    engines._fault.cache_clear()


CARDS: dict[str, Any] = {
    "cuda": ("CUDAExecutionProvider", {"use_tf32": "0"}),  # TF32 is too coarse
    "directml": ("DmlExecutionProvider", {}),
}


@pytest.mark.parametrize("name", CARDS)
def test_a_card_that_works_is_taken(
    name: str, net_file: Path, build: Callable[..., MadeRuntime],
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    provider, settings = CARDS[name]
    runtime = build(provider)
    assert available_devices() == ("cpu", name)
    for device in ("auto", name):
        net = load_network(net_file, device=device, threads=2)
        assert (net.device, net.engine, net.threads) == (name, "onnxruntime", 1)
        assert_agrees(net, *inputs(9, 7))
        assert runtime.asked[-1] == [(provider, settings), "CPUExecutionProvider"]
    cpu = load_network(net_file, device="cpu")
    coarse = load_network(net_file, precision="bf16")
    assert (cpu.device, coarse.device, coarse.engine) == ("cpu", "cpu", "openvino")
    assert load_network(net_file, engine="openvino").device == "cpu"
    spatial, numbers = inputs(1, 5)
    keys = {inputs_key(each, spatial[0], numbers[0]) for each in (cpu, net)}
    assert len(keys) == 2, "answers are kept by device"
    assert capsys.readouterr().out == ""
    runtime.works = False
    with pytest.raises(UsageError, match="fell back to the processor"):
        load_network(net_file, device=name).evaluate(*inputs(1, 5))


def test_a_card_that_does_not_work(net_file: Path, build: Callable[..., MadeRuntime]) -> None:
    cuda = "CUDAExecutionProvider"
    facts: dict[str, Any]
    for providers, facts, device, message in (
        ([cuda], {"works": False}, "cuda",
         r"does not find a card, .*pip install 'onnxruntime-gpu\[cuda,cudnn\]'"),
        ([cuda], {"failure": RuntimeError("no CUDA driver\nat line 3")}, "cuda",
         "says: no CUDA driver. Without"),
        ([cuda], {"factor": 1.001}, "cuda", "does not compute what the processor computes"),
        ([], {}, "cuda", r"cuda cannot be used.*'onnxruntime-gpu\[cuda,cudnn\]'"),
        ([], {}, "directml", r"'onnxruntime-directml'.*take the device cpu"),
    ):  # fmt: skip
        build(*providers, **facts)
        assert available_devices() == ("cpu",)
        assert load_network(net_file).device == "cpu"
        with pytest.raises(UsageError, match=message):
            load_network(net_file, device=device)
