from __future__ import annotations

import gzip
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, fields, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.go.nets.oracle import forward
from tests.go.nets.server import Site, serve
from tests.go.opening_positions import FACTS, POSITIONS, Opening, places
from tests.go.random_net import (
    ALL_SHAPES,
    AttentionShape,
    BlockShape,
    Nested,
    Shape,
    network_bytes,
    write_network,
)
from yardstone.errors import InputError, MissingExtraError, UsageError
from yardstone.go.evaluation_store import inputs_keys
from yardstone.go.nets import Network, engines, find_network, load_network, read_model, store
from yardstone.go.nets.engines import ENGINES, available_devices
from yardstone.go.nets.layers import NetworkModel
from yardstone.go.nets.model_file import Tokens, read_header
from yardstone.go.nets.network import NetworkView, _chunk, turned
from yardstone.parallel import available_cores, context
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
    for row in (0, 17, 40):
        single = one.evaluate(spatial[row : row + 1], numbers[row : row + 1], trunk=True)
        for name in ("policy_logits", "value_logits", "lead", "trunk"):
            for batch in batches:
                near = np.abs(getattr(batch, name)[row] - getattr(single, name)[0]).max()
                assert near < ROUNDING, name
    none = one.evaluate(spatial[:0], numbers[:0], trunk=True)
    assert none.trunk is not None
    assert (none.policy_logits.shape, none.trunk.shape) == ((0, 50), (0, 16, 7, 7))
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


def test_several_processes_may_use_a_network(folder: Path) -> None:
    net = loaded(folder, ALL_SHAPES["v17-transformer"], threads=2)
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

    def refused(**settings: str) -> str:
        with pytest.raises(MissingExtraError) as caught:
            load_network(net.file, **settings)  # type: ignore[arg-type]
        return str(caught.value)

    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert available_devices() == ("cpu",)
    assert "pip install 'yardstone[go]'" in refused(engine="onnxruntime")
    assert "pip install 'yardstone[go]'" in refused(device="cuda")
    other = load_network(net.file)
    assert (other.engine, other.device) == ("openvino", "cpu")
    assert np.isfinite(other.evaluate(*inputs(1, 5)).lead).all()
    monkeypatch.setitem(sys.modules, "openvino", None)
    assert "pip install 'yardstone[openvino]'" in refused(engine="openvino")
    assert "yardstone[go]" in refused()


#: Loads a network, then asks it about a position.
_LOADED = """
import subprocess
import sys
import numpy as np
from yardstone.go.nets import load_network
late = {"onnx", "onnxruntime", "http.client", "ssl", "numpy.ma"}
net = load_network(sys.argv[1], threads=1)
print(net.engine, net.device, *sorted(late & set(sys.modules)))
spatial = np.zeros((1, 22, 9, 9), np.float32)
spatial[:, 0] = 1.0
net.evaluate(spatial, np.zeros((1, 19), np.float32))
print("onnxruntime" in sys.modules)
"""


def test_a_network_that_is_not_asked_imports_no_engine(net_file: Path) -> None:
    """Where all answers are kept it is loaded and never asked."""
    words = [sys.executable, "-c", _LOADED, str(net_file)]
    told = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert told == "onnxruntime cpu\nTrue\n"


def test_a_graph_with_more_outputs_answers_for_one_with_fewer(net_file: Path) -> None:
    alone, both = (load_network(net_file, device="cpu", threads=1) for _ in range(2))
    made: list[Any] = []
    runner = both._engine.runner

    def counted(*asked: Any) -> Any:
        made.append(asked)
        return runner(*asked)

    vars(both._engine)["runner"] = counted
    spatial, numbers = inputs(5, 9)
    both.evaluate(spatial, numbers, trunk=True)
    seen, wanted = both.evaluate(spatial, numbers), alone.evaluate(spatial, numbers)
    assert (len(made), seen.trunk) == (1, None)
    assert seen.policy_logits.tobytes() == wanted.policy_logits.tobytes()
    assert seen.lead.tobytes() == wanted.lead.tobytes()
    both.evaluate(spatial, numbers, ownership=True)
    assert len(made) == 2


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
    assert len({inputs_keys(net, spatial, numbers)[0] for net in (plain, both)}) == 2
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
    keys = {inputs_keys(each, spatial, numbers)[0] for each in (cpu, net)}
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


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("YARDSTONE_NET", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "cache" / "yardstone" / "nets"


def kept() -> list[store.StoredNetwork]:
    """Those in the user's folder, after the included one."""
    _, *others = store.list_networks()
    assert not any(each.included for each in others)
    return others


def test_the_included_network(cache: Path, tmp_path: Path) -> None:
    included = store.list_networks()[0]
    assert (included.path, included.included, included.problem) == (store.INCLUDED, True, None)
    assert load_network(included.name, threads=1).sha256 == included.sha256
    with pytest.raises(InputError, match="comes with Yardstone, and stays"):
        store.remove_network(included.name)
    assert store.add_network(store.INCLUDED).path == store.INCLUDED  # it is there already
    other = write_network(tmp_path / store.INCLUDED.name, Shape(8))
    for forced, message in ((False, "another network is called"), (True, "comes with Yardstone")):
        with pytest.raises(InputError, match=message):
            store.add_network(other, replace=forced)
    assert store.INCLUDED.exists()
    assert not cache.exists() or not list(cache.iterdir())


def test_adding_listing_and_removing(cache: Path, tmp_path: Path) -> None:
    one = write_network(tmp_path / "one.bin.gz", Shape(8))
    two = write_network(tmp_path / "two.txt", Shape(12, text=True, blocks=("residual",) * 3))
    added = [store.add_network(one), store.add_network(two, name="second"), store.add_network(one)]
    assert [each.path.name for each in added] == ["one.bin.gz", "second.txt", "one.bin.gz"]
    first, second = kept()
    assert (first.name, first.size, first.problem) == ("one", one.stat().st_size, None)
    headers = [each.header and each.header[1:] for each in (first, second)]
    assert headers == [(8, 2, 16), (12, 3, 16)]
    assert first.path.read_bytes() == one.read_bytes()
    assert left(cache) == ["one.bin.gz", "second.txt"]
    assert first.path.stat().st_mode & 0o777 == 0o644
    assert store.remove_network("second") == cache / "second.txt"
    for name in ("second", "../../../one.bin.gz"):
        with pytest.raises(InputError, match=r"no network .*there are: yardstone-b6c64, one\)"):
            store.remove_network(name)
    # Another of the same name.
    other = write_network(tmp_path / "one.bin", Shape(9))
    with pytest.raises(InputError, match="another network is called 'one'") as caught:
        store.add_network(other)
    assert caught.value.file == str(cache / "one.bin.gz")
    assert store.add_network(other, replace=True).path == cache / "one.bin"
    assert [network.path.name for network in kept()] == ["one.bin"]
    for name in ("../up", ".hidden", "a b", "x" * 201):
        with pytest.raises(InputError, match="cannot be the name"):
            store.add_network(one, name=name)
    assert store.add_network(one, name="x" * 200).name == "x" * 200


def test_what_is_no_network(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    damaged = tmp_path / "damaged.bin.gz"
    damaged.write_bytes(gzip.compress(network_bytes(Shape(8))[:-10]))
    with pytest.raises(InputError, match="ends within"):
        store.add_network(damaged)
    assert not cache.exists()
    # Files that somebody put there.
    cache.mkdir(parents=True)
    (cache / "notes.txt").write_text("not a network at all")
    (cache / ".one.bin.gz.1234.part").write_bytes(b"half")
    good = write_network(cache / "good.bin", Shape(8))
    problems = {each.name: each.problem for each in kept()}
    assert problems == {"good": None, "notes": "is not a network of KataGo"}
    monkeypatch.setenv("XDG_CACHE_HOME", str(damaged))
    with pytest.raises(InputError, match="cannot be made"):
        store.add_network(good)


def test_finding(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for network in store.KNOWN:
        assert re.fullmatch(rf"https://.*/{network.name}\.bin\.gz", network.url)
        assert store.known_network(network.short) is store.known_network(network.name) is network
    assert find_network() == find_network(store.network_name(store.INCLUDED)) == store.INCLUDED
    file = write_network(tmp_path / "mine.bin.gz", Shape(8))
    assert find_network(file) == file
    stored = store.add_network(file, name="stored").path
    assert find_network() == find_network("stored") == find_network("stored.bin.gz") == stored
    assert load_network().file == str(stored)
    short = store.add_network(file, name=store.KNOWN[0].name).path
    assert find_network(store.KNOWN[0].short) == short
    with pytest.raises(InputError, match=r"several .*there are: yardstone-b6c64, g170.*, stored"):
        find_network()
    for value, found in (("stored", stored), (str(file), file)):
        monkeypatch.setenv("YARDSTONE_NET", value)
        assert (find_network(), find_network("stored")) == (found, stored)
    monkeypatch.setenv("YARDSTONE_NET", "nowhere")
    with pytest.raises(InputError, match="nowhere: YARDSTONE_NET: no such network file"):
        find_network()
    with pytest.raises(InputError, match="is a folder"):
        find_network(tmp_path)


DATA = gzip.compress(network_bytes(Shape(8)), mtime=0)
SUM = hashlib.sha256(DATA).hexdigest()


@pytest.fixture
def site() -> Iterator[Site]:
    with serve() as running:
        running.files["/nets/small.bin.gz"] = DATA
        yield running


def left(cache: Path) -> list[str]:
    return sorted(path.name for path in cache.iterdir())


def test_a_download(site: Site, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, int, int]] = []
    url = f"{site.url}/nets/small.bin.gz"
    with context(progress=lambda *each: seen.append(each)):
        got = store.download_network(url, sha256=SUM.upper())
    assert (got.path, got.path.read_bytes()) == (cache / "small.bin.gz", DATA)
    assert seen[-1] == ("Downloading", len(DATA), len(DATA))
    assert left(cache) == ["small.bin.gz"]
    store.download_network(url, sha256=SUM)
    assert len(site.asked) == 1  # it was there
    assert store.download_network(f"{url}?token=x", name="other").path.name == "other.bin.gz"
    # A known network, by its short name.
    network = store.KnownNetwork("full-name", "short", url, SUM, "a test")
    monkeypatch.setattr("yardstone.go.nets.store.KNOWN", (network,))
    assert store.download_network("short").path == cache / "full-name.bin.gz"
    for name, sum_, message in (
        ("short", "0" * 64, "the SHA-256 of full-name"),
        ("nothing", None, "one of short, or an address"),
    ):
        with pytest.raises(InputError, match=message):
            store.download_network(name, sha256=sum_)
    # Another of that name is kept.
    site.files["/nets/small.bin.gz"] = gzip.compress(network_bytes(Shape(9)))
    with pytest.raises(InputError, match="another network is called 'small'"):
        store.download_network(url)
    assert (cache / "small.bin.gz").read_bytes() == DATA
    store.download_network(url, replace=True)
    assert load_network("small").version == 9


def test_an_interrupted_download_goes_on(site: Site, cache: Path) -> None:
    site.breaks_after = 50_000
    url = f"{site.url}/nets/small.bin.gz"
    with pytest.raises(InputError, match=r"broke off.*what has come is kept"):
        store.download_network(url, sha256=SUM)
    (part,) = cache.iterdir()
    assert (part.suffix, part.read_bytes()) == (".part", DATA[:50_000])
    assert find_network() == store.INCLUDED
    site.breaks_after = None
    # From a server that gives no parts, too, and of a part that is whole or too long.
    for left_over, ranges in (
        (DATA[:50_000], True), (DATA[:50_000], False), (DATA, True), (DATA + b"more", True),
    ):  # fmt: skip
        part.write_bytes(left_over)
        site.ranges = ranges
        assert store.download_network(url, sha256=SUM).path.read_bytes() == DATA
        if len(site.asked) == 2:
            assert site.asked[-1][1] == "bytes=50000-"
        assert left(cache) == ["small.bin.gz"]
        (cache / "small.bin.gz").unlink()


def test_servers_that_do_not_help(site: Site, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"{site.url}/nets/small.bin.gz"
    with pytest.raises(InputError, match=f"SHA-256 is {SUM}, not 0000.*nothing of it was kept"):
        store.download_network(url, sha256="0" * 64)
    for data in (b"<html>Sign in</html>", gzip.compress(network_bytes(Shape(8))[:-9]), b""):
        site.files["/nets/small.bin.gz"] = data
        with pytest.raises(InputError, match=re.escape(url)):
            store.download_network(url)
        assert left(cache) == []
    site.files["/nets/small.bin.gz"] = DATA
    site.moved["/old/small.bin.gz"] = url
    assert store.download_network(f"{site.url}/old/small.bin.gz").size == len(DATA)
    site.moved["/old/evil.bin.gz"] = "ftp://127.0.0.1/evil.bin.gz"
    for address, message in (
        (f"{site.url}/nets/none.bin.gz", "answers 404"),
        (f"{site.url}/old/evil.bin.gz", "not encrypted"),
        ("ftp://host/net.bin.gz", "not an address of the web"),
        ("file:///etc/passwd", "not an address of the web"),
        ("https:///net.bin.gz", "not an address of the web"),
        (f"{site.url}/", "names no file"),
        (f"{site.url}/%2e%2e", "cannot be the name"),
    ):
        with pytest.raises(InputError, match=message):
            store.download_network(address)
    with pytest.raises(InputError, match="not a SHA-256"):
        store.download_network(url, sha256="abc")
    for claims, largest in ((5 << 30, store._LARGEST), (None, 20_000)):
        site.claims = claims
        monkeypatch.setattr(store, "_LARGEST", largest)
        with pytest.raises(InputError, match="larger than any network"):
            store.download_network(url, name="large")
    with serve() as running:
        gone = running.url
    with pytest.raises(InputError, match=r"broke off.*is the network up"):
        store.download_network(f"{gone}/net.bin.gz")


def read(tmp_path: Path, data: bytes, name: str = "net.bin") -> NetworkModel:
    (tmp_path / name).write_bytes(data)
    return read_model(tmp_path / name)


@pytest.mark.parametrize("name", ALL_SHAPES)
def test_text_and_binary_files_hold_the_same(name: str, tmp_path: Path) -> None:
    """The content tells the kind of file, not its name."""
    shape = ALL_SHAPES[name]
    binary = read_model(write_network(tmp_path / "net.bin.gz", shape))
    data = gzip.compress(network_bytes(replace(shape, text=True)))
    text = read(tmp_path, data, "net.bin")
    assert (binary.version, binary.pass_alive_under_suicide) == (shape.version, shape.suicide)
    assert len(binary.trunk.blocks) == len(shape.blocks)
    assert text.sha256 != binary.sha256
    np.testing.assert_equal(asdict(text), {**asdict(binary), "sha256": text.sha256})


NETWORK = network_bytes(Shape(17, activation="MISH"))
REST = NETWORK[NETWORK.index(b"\n") :]
CONV = b"conv1\n5\n5\n22\n16"


def change(old: bytes, new: bytes, data: bytes = NETWORK) -> bytes:
    assert old in data
    return data.replace(old, new, 1)


def number_changed(layer: bytes, ahead: int, number: float) -> bytes:
    """The network with one number of a layer changed, whose array begins so many bytes on."""
    place = NETWORK.index(b"@BIN@", NETWORK.index(layer)) + 5 + ahead
    assert NETWORK[place - 5 : place] == b"@BIN@"
    return NETWORK[:place] + np.float32(number).tobytes() + NETWORK[place + 4 :]


def of_blocks(*blocks: BlockShape) -> bytes:
    return network_bytes(Shape(17, blocks=blocks))


def deep(levels: int) -> bytes:
    block: BlockShape = "residual"
    for _ in range(levels):
        block = Nested((block,))
    return of_blocks(block)


def test_what_is_no_network_is_one_clear_error(tmp_path: Path) -> None:
    gates = b"block0\n16\n32\n%d\n"
    for data, message in (
        (b"", "ends before the name"), (b"net", "ends before the model version"),
        (b"<!DOCTYPE html>\n<html>", "not a network of KataGo"), (b"\x00" * 500, "not a word"),
        (b"n" * 200 + REST, "not a word"), (b"net\n7\n22\n19\n", "version 7 is too old"),
        (b"net\n18\n22\n19\n", "version 18 is not known yet"),
        (b"net\n8\n13\n19\n", "number of input planes is 13, not 22"),
        (change(b"19.0\n", b"-1\n"), "the scale of td_score is -1"),
        (change(b"19.0\n", b"nan\n"), "the scale of td_score is nan"),
        (change(b"trunk\n2\n", b"trunk\n0\n"), "number of blocks is 0"),
        (change(b"trunk\n2\n", b"trunk\n1001\n"), "blocks is 1001, not 1 to 1000"),
        (change(b"trunk\n2\n", b"trunk\n3\n"), "blocks of kind 'trunk-norm'"),
        (change(CONV, b"conv1\n4\n5\n22\n16"), "must be odd"),
        (change(CONV, b"conv1\n5\n65\n22\n16"), "width of the filter is 65, not 1 to 63"),
        (change(CONV, b"conv1\n5\n5\n22\n17"), "outputs is 17, not 16"),
        (change(CONV, b"conv1\n5\n5\n22\n6e4"), "not a whole number"),
        (change(CONV, b"conv1\n63\n63\n22\n16"), "ends within the 1,397,088 weights of conv1"),
        (change(b"ACTIVATION_MISH", b"ACTIVATION_TANH"), "'ACTIVATION_TANH' is not known"),
        (change(b"0.001", b"0"), "epsilon is 0"), (NETWORK + b"more", "more data follow"),
        (change(b"@BIN@", b"@BIX@"), "conv1 is not a number"),
        (change(b"policyhead\n2\n", b"policyhead\n3\n"), "number of policies is 3"),
        (NETWORK[:-10], "ends within the 8 weights of ownership"),
        (number_changed(b"conv1\n", 0, np.inf), "a weight of conv1 is not finite"),
        (number_changed(b"block0/pre-norm\n", 4 * 16 + 6, -1), "pre-norm: a variance is negative"),
        (gzip.compress(NETWORK)[:-2000], "damaged gzip"), (deep(9), "nested more than 8 deep"),
        (gzip.compress(b"net\n8\n" + b" " * (80 << 20), 1), "expands to more than 40 times"),
        (of_blocks(AttentionShape(3, 2, 4, 4)), "3 heads cannot share 2"),
        (of_blocks(AttentionShape(2, 2, 5, 4)), "5 channels do not make"),
        (change(gates % 1, gates % 0, of_blocks("swiglu")), "whether it is gated is 0"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=message) as caught:
            read(tmp_path, data)
        assert (caught.value.file, bool(caught.value.hint)) == (str(tmp_path / "net.bin"), True)
    for data in (deep(8), b"n" * 199 + REST):
        read(tmp_path, data)
    for reader in (read_model, read_header):
        with pytest.raises(InputError, match="No such file"):
            reader(tmp_path / "none.bin.gz")
    with pytest.raises(InputError, match="cannot be read"):
        read_model(tmp_path)
    # With the square of these blanks this would take hours.
    with pytest.raises(InputError, match="ends within the 2 weights"):
        Tokens(b"1 " + b"\t" * (1 << 22), "x").array("a", 2)
