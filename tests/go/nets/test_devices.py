from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.go.nets.test_network import assert_agrees, inputs
from yardstone.errors import UsageError
from yardstone.go.evaluation_store import inputs_key
from yardstone.go.nets import engines, load_network
from yardstone.go.nets.engines import available_devices

CPU = ["CPUExecutionProvider"]


class MadeSession:
    """A session that says that it computes on a card, and computes on the processor."""

    def __init__(self, runtime: MadeRuntime, graph: bytes, options: Any, providers: Any) -> None:
        self.runtime = runtime
        self.names = [each if isinstance(each, str) else each[0] for each in providers]
        self.on_card = self.names != CPU
        runtime.asked.append(providers)
        if runtime.failure is not None and self.on_card:
            raise runtime.failure
        self.session = runtime.real.InferenceSession(graph, options, providers=CPU)

    def get_providers(self) -> list[str]:
        return self.names if self.runtime.works else CPU

    def run(self, names: list[str], given: dict[str, Any]) -> list[Any]:
        factor = 1.001 if self.runtime.coarse and self.on_card else 1.0
        return [each * factor for each in self.session.run(names, given)]


class MadeRuntime:
    """ONNX Runtime as built for a card, which is there, absent, broken or coarse."""

    works = True
    coarse = False
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

    def InferenceSession(  # as it is called there
        self, graph: bytes, options: Any = None, *, providers: Any
    ) -> MadeSession:
        return MadeSession(self, graph, options, providers)


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


@pytest.mark.parametrize(
    ("name", "provider", "settings"),
    [
        # Without TF32, which is too coarse.
        ("cuda", "CUDAExecutionProvider", {"use_tf32": "0"}),
        ("directml", "DmlExecutionProvider", {}),
    ],
)
def test_a_card_that_works_is_taken(
    name: str,
    provider: str,
    settings: dict[str, str],
    net_file: Path,
    build: Callable[..., MadeRuntime],
    capsys: pytest.CaptureFixture[str],
) -> None:
    runtime = build(provider)
    assert available_devices() == ("cpu", name)
    for device in ("auto", name):
        net = load_network(net_file, device=device, threads=2)
        assert (net.device, net.engine, net.threads) == (name, "onnxruntime", 1)
        assert repr(net).endswith(f"onnxruntime fp32 {name}>")
        assert_agrees(net, *inputs(9, 7))
        assert runtime.asked[-1] == [(provider, settings), "CPUExecutionProvider"]
    others: list[dict[str, Any]] = [
        {"device": "cpu"},
        {"precision": "bf16"},
        {"engine": "openvino"},
    ]
    for other in others:
        assert load_network(net_file, **other).device == "cpu"
    spatial, numbers = inputs(1, 5)
    cpu = load_network(net_file, device="cpu")
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
        ([cuda], {"coarse": True}, "cuda", "does not compute what the processor computes"),
        ([], {}, "cuda", r"cuda cannot be used.*'onnxruntime-gpu\[cuda,cudnn\]'"),
        ([], {}, "directml", r"'onnxruntime-directml'.*take the device cpu"),
    ):  # fmt: skip
        build(*providers, **facts)
        assert available_devices() == ("cpu",)
        assert load_network(net_file).device == "cpu"
        with pytest.raises(UsageError, match=message):
            load_network(net_file, device=device)
