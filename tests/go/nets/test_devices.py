from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

from tests.go.nets.test_network import assert_agrees, inputs
from tests.go.random_net import ALL_SHAPES, write_network
from yardstone.errors import MissingExtraError, UsageError
from yardstone.go.evaluation_store import inputs_key
from yardstone.go.nets import engines, load_network
from yardstone.go.nets.engines import DEVICES, available_devices


class MadeSession:
    """A session that says that it computes on a card, and computes on the processor."""

    def __init__(self, runtime: MadeRuntime, graph: bytes, options: Any, providers: Any) -> None:
        self.runtime = runtime
        self.names = [each if isinstance(each, str) else each[0] for each in providers]
        runtime.asked.append(providers)
        if runtime.failure is not None and self.names != ["CPUExecutionProvider"]:
            raise runtime.failure
        self.real = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])

    def get_providers(self) -> list[str]:
        return self.names if self.runtime.works else ["CPUExecutionProvider"]

    def run(self, names: list[str], given: dict[str, Any]) -> list[Any]:
        result = self.real.run(names, given)
        coarse = self.runtime.coarse and self.names != ["CPUExecutionProvider"]
        return [each * (1.001 if coarse else 1.0) for each in result]


class MadeRuntime:
    """ONNX Runtime as built for a card, which is there, absent, broken or coarse."""

    __spec__ = onnxruntime.__spec__
    SessionOptions = onnxruntime.SessionOptions

    def __init__(self, *providers: str) -> None:
        self.providers = [*providers, "CPUExecutionProvider"]
        self.works = True
        self.coarse = False
        self.failure: Exception | None = None
        self.asked: list[Any] = []

    def get_available_providers(self) -> list[str]:
        return self.providers

    def preload_dlls(self) -> None:
        print("libcudnn.so.9 was not found")

    def InferenceSession(  # as it is called there
        self, graph: bytes, options: Any = None, *, providers: Any
    ) -> MadeSession:
        return MadeSession(self, graph, options, providers)


@pytest.fixture(autouse=True)
def afresh() -> Iterator[None]:
    """Forget which devices work, before and after."""
    engines._fault.cache_clear()
    yield
    engines._fault.cache_clear()


@pytest.fixture
def build(monkeypatch: pytest.MonkeyPatch) -> Callable[..., MadeRuntime]:
    def made(*providers: str, **facts: Any) -> MadeRuntime:
        runtime = MadeRuntime(*providers)
        for name, value in facts.items():
            setattr(runtime, name, value)
        monkeypatch.setitem(sys.modules, "onnxruntime", runtime)
        return runtime

    return made


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_network(tmp_path / "net.bin", ALL_SHAPES["v8"])


def test_the_processor_is_always_there() -> None:
    assert available_devices()[0] == "cpu"
    assert set(available_devices()) <= {"cpu", *DEVICES}


@pytest.mark.parametrize("name", DEVICES)
def test_a_card_that_works_is_taken(
    name: str, file: Path, build: Callable[..., MadeRuntime], capsys: pytest.CaptureFixture[str]
) -> None:
    runtime = build(DEVICES[name].provider)
    assert available_devices() == ("cpu", name)
    for device in ("auto", name):
        net = load_network(file, device=device, threads=2)
        assert (net.device, net.engine, net.threads) == (name, "onnxruntime", 1)
        assert repr(net).endswith(f"onnxruntime fp32 {name}>")
        assert_agrees(net, *inputs(40, 7))
        (provider, options), spare = runtime.asked[-1]
        assert (provider, spare) == (DEVICES[name].provider, "CPUExecutionProvider")
        assert options == dict(DEVICES[name].options)
    assert load_network(file, device="cpu").device == "cpu"
    others: list[dict[str, Any]] = [{"precision": "bf16"}, {"engine": "openvino"}]
    for settings in others:
        assert load_network(file, **settings).device == "cpu"
    assert capsys.readouterr().out == ""


def test_numbers_of_a_card_are_exact_ones() -> None:
    assert DEVICES["cuda"].options == {"use_tf32": "0"}


def test_answers_are_kept_by_device(file: Path, build: Callable[..., MadeRuntime]) -> None:
    build("CUDAExecutionProvider")
    ((spatial, *_), (numbers, *_)) = inputs(1, 5)
    keys = [
        inputs_key(load_network(file, device=name), spatial, numbers) for name in ("cpu", "cuda")
    ]
    assert keys[0] != keys[1]


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"works": False}, r"does not find a card, .*pip install 'onnxruntime-gpu\[cuda,cudnn\]'"),
        ({"failure": RuntimeError("no CUDA driver\nat line 3")}, "says: no CUDA driver. Without"),
        ({"coarse": True}, "does not compute what the processor computes"),
    ],
)
def test_a_card_that_does_not_work(
    facts: dict[str, Any], message: str, file: Path, build: Callable[..., MadeRuntime]
) -> None:
    build("CUDAExecutionProvider", **facts)
    assert available_devices() == ("cpu",)
    assert load_network(file).device == "cpu"
    with pytest.raises(UsageError, match=message):
        load_network(file, device="cuda")


def test_a_card_that_fails_later(file: Path, build: Callable[..., MadeRuntime]) -> None:
    runtime = build("CUDAExecutionProvider")
    net = load_network(file, device="cuda")
    runtime.works = False
    with pytest.raises(UsageError, match="fell back to the processor"):
        net.evaluate(*inputs(1, 5))


def test_what_to_install_for_a_card(file: Path, build: Callable[..., MadeRuntime]) -> None:
    build()
    with pytest.raises(UsageError, match=r"cuda cannot be used.*'onnxruntime-gpu\[cuda,cudnn\]'"):
        load_network(file, device="cuda")
    with pytest.raises(UsageError, match=r"'onnxruntime-directml'.*take the device cpu"):
        load_network(file, device="directml")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"device": "tpu"}, "no device 'tpu': auto, cpu, cuda, directml"),
        ({"device": "cuda", "precision": "bf16"}, "cuda computes in fp32; bf16 needs the device"),
        ({"device": "cuda", "engine": "openvino"}, "cuda needs onnxruntime"),
    ],
)
def test_devices_that_are_refused(settings: dict[str, Any], message: str, file: Path) -> None:
    with pytest.raises(UsageError, match=message):
        load_network(file, **settings)


def test_no_device_without_onnxruntime(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert available_devices() == ("cpu",)
    with pytest.raises(MissingExtraError, match=r"yardstone\[go\]"):
        load_network(file, device="cuda")
    assert np.isfinite(load_network(file, device="auto").evaluate(*inputs(1, 5)).lead).all()
