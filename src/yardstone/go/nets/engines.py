"""Programs that run the graph of a network: ONNX Runtime and OpenVINO.

An engine makes a runner for a size of board and a choice of outputs. A runner takes a
batch and may be called by several threads at the same time; it computes each call on the
calling thread alone. So a network is spread over cores by cutting its batches, without
threads that wait for each other: on two cores this is as fast as an engine's own threads,
and it stays fast where others want the same cores.
"""

from __future__ import annotations

import io
import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, redirect_stdout
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np

from yardstone.arrays import Floats32
from yardstone.errors import MissingExtraError, UsageError
from yardstone.go.nets.layers import NetworkModel

#: The processor.
CPU = "cpu"
#: A card may differ from the processor in a sample by so much of the largest number in it.
_NEAR = 1e-4


@dataclass(frozen=True, slots=True)
class GraphicsCard:
    """A kind of graphics card.

    `provider` is ONNX Runtime's name of it, `package` the build of ONNX Runtime that knows it;
    `options` are for the provider.
    """

    name: str
    provider: str
    package: str
    options: Mapping[str, str] = field(default_factory=dict)


#: The cards, the preferred first.
DEVICES = {
    card.name: card
    for card in (
        # Numbers of 19 bits, which it takes for convolutions by itself, are too coarse.
        GraphicsCard(
            "cuda", "CUDAExecutionProvider", "onnxruntime-gpu[cuda,cudnn]", {"use_tf32": "0"}
        ),
        GraphicsCard("directml", "DmlExecutionProvider", "onnxruntime-directml"),
    )
}


def device_names() -> tuple[str, ...]:
    """What `load_network` takes as a device."""
    return ("auto", CPU, *DEVICES)


def available_devices() -> tuple[str, ...]:
    """The devices that work here, the processor first."""
    return (CPU, *(name for name in DEVICES if _fault(name) is None))


def card_of(device: str) -> GraphicsCard | None:
    """The card that is named, or with ``auto`` the first that works; None is the processor.

    Raises UsageError where there is no such device, or it does not work here; says what to install.
    """
    if device == "auto":
        if _knows_no_card():
            return None
        return next((card for name, card in DEVICES.items() if _fault(name) is None), None)
    if device == CPU:
        return None
    _runtime()
    fault = _fault(device)
    if fault is not None:
        raise UsageError(
            f"the device {device} cannot be used: {fault}. Without it take the device {CPU}"
        )
    return DEVICES[device]


def _runtime() -> Any:
    # It would leave an identifier of the machine in the user's cache, and threads that report.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    try:
        import onnxruntime
    except ModuleNotFoundError:
        raise MissingExtraError("onnxruntime", "go") from None
    return onnxruntime


def _knows_no_card() -> bool:
    """Whether ONNX Runtime is the build for processors alone, as its files say without import."""
    spec = None if "onnxruntime" in sys.modules else find_spec("onnxruntime")
    if spec is None or spec.origin is None:
        return False
    about = Path(spec.origin).with_name("capi") / "build_and_package_info.py"
    return about.exists() and "package_name = 'onnxruntime'\n" in about.read_text()


@cache
def _fault(name: str) -> str | None:
    """Why a card does not work here; None if it does."""
    try:
        runtime = _runtime()
    except MissingExtraError as error:
        return str(error)
    card = DEVICES[name]
    if card.provider not in runtime.get_available_providers():
        return (
            "this build of ONNX Runtime does not know it (pip uninstall onnxruntime, then "
            f"pip install '{card.package}')"
        )
    if name == "cuda" and hasattr(runtime, "preload_dlls"):
        with redirect_stdout(io.StringIO()):  # what it misses it prints
            runtime.preload_dlls()
    try:
        return _difference(runtime, card)
    except Exception as error:
        reason = str(error).strip().partition("\n")[0]
        return f"ONNX Runtime says: {reason}"


def _difference(runtime: Any, card: GraphicsCard) -> str | None:
    """Whether the card computes a convolution, and as the processor does."""
    from yardstone.go.nets.layers import Convolution
    from yardstone.go.nets.onnx_graph import OnnxGraph

    generator = np.random.default_rng(0)
    channels, size = 32, 9
    weights = generator.normal(size=(channels, channels, 3, 3)).astype(np.float32)
    graph = OnnxGraph("sample", mish=False)
    value = graph.input("value", ("n", channels, size, size))
    convolved = graph.convolution(value, Convolution("sample", weights, (1, 1)))
    graph.output("convolved", convolved, ("n", channels, size, size))
    model = graph.finish().SerializeToString()
    sample = generator.normal(size=(4, channels, size, size)).astype(np.float32)
    options = runtime.SessionOptions()
    options.enable_mem_pattern = False  # DirectML asks for that
    options.log_severity_level = 4  # what goes wrong is said below
    answers = []
    for providers in ([(card.provider, dict(card.options))], ["CPUExecutionProvider"]):
        session = runtime.InferenceSession(model, options, providers=providers)
        answers.append(session.run(["convolved"], {"value": sample})[0])
        if card.provider not in session.get_providers() and len(answers) == 1:
            return (
                "ONNX Runtime knows it and does not find a card, its driver or its libraries "
                f"(pip install '{card.package}' brings the libraries)"
            )
    if not np.abs(answers[0] - answers[1]).max() <= _NEAR * np.abs(answers[1]).max():
        return "it does not compute what the processor computes"
    return None


#: From ``spatial`` and ``globals`` to the outputs by name.
Runner: TypeAlias = Callable[[Floats32, Floats32], Mapping[str, Floats32]]

ENGINES = ("onnxruntime", "openvino")
#: From so many channels on convolutions are faster as products of matrices: 1.1 to 2.0 times,
#: the more the wider (32 channels: 0.8), with whole batches of 12.
WIDE = 64
#: Positions that a graphics card computes together.
_CARD_BATCH = 256
PRECISIONS = ("fp32", "bf16")


class Engine(Protocol):
    """A program that runs graphs."""

    name: str
    #: What it computes on.
    device: str
    #: How many positions at a time suit it.
    batch: int

    def runner(self, model: NetworkModel, size: int, outputs: Sequence[str]) -> Runner:
        """Prepare a network for one size of board and a choice of outputs."""


def make_engine(name: str, precision: str, threads: int, device: str = "auto") -> Engine:
    """The engine of this name; ``auto`` takes the first that is installed.

    Raises UsageError where there is no such engine, precision or device, they do not go together,
    or the device does not work here; MissingExtraError where the engine is not installed.
    """
    if precision not in PRECISIONS:
        raise UsageError(f"precision is {precision!r}, it must be {' or '.join(PRECISIONS)}")
    if name not in ("auto", *ENGINES):
        raise UsageError(f"there is no engine {name!r}: auto, {', '.join(ENGINES)}")
    if device not in device_names():
        raise UsageError(f"there is no device {device!r}: {', '.join(device_names())}")
    on_card = device not in ("auto", CPU)
    if on_card and precision != "fp32":
        raise UsageError(f"{device} computes in fp32; {precision} needs the device {CPU}")
    if on_card and name == "openvino":
        raise UsageError(f"openvino computes on the processor; {device} needs onnxruntime")
    if name == "auto":
        installed = next((each for each in ENGINES if find_spec(each) is not None), ENGINES[0])
        name = ENGINES[1] if precision == "bf16" else "onnxruntime" if on_card else installed
    if name == "openvino":
        return _OpenVino(precision, threads)
    if precision != "fp32":
        raise UsageError("onnxruntime computes in fp32; bf16 needs the engine openvino")
    return _OnnxRuntime(card_of(device))


def _graph_tools() -> Any:
    """The module that builds graphs, which needs onnx."""
    try:
        from yardstone.go.nets import onnx_graph
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "onnx":
            raise
        raise MissingExtraError("onnx", "go") from None
    return onnx_graph


class _OnnxRuntime:
    """ONNX Runtime: on the processor one thread a call, or on a graphics card."""

    name = "onnxruntime"

    def __init__(self, card: GraphicsCard | None = None) -> None:
        if find_spec("onnxruntime") is None:
            raise MissingExtraError("onnxruntime", "go")
        self._card = card
        self.device = CPU if card is None else card.name
        # The method of `WIDE` networks likes multiples of 12, and more do not fit into caches.
        self.batch = 12 if card is None else _CARD_BATCH

    def runner(self, model: NetworkModel, size: int, outputs: Sequence[str]) -> Runner:
        """Prepare a network for one size of board and a choice of outputs."""
        card, runtime = self._card, _runtime()
        by_points = card is None and model.trunk.channels >= WIDE
        graph = _graph_tools().build_network(model, size, outputs, mish=False, by_points=by_points)
        options = runtime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        providers: list[Any] = ["CPUExecutionProvider"]
        if card is not None:
            options.enable_mem_pattern = False  # DirectML asks for that
            providers.insert(0, (card.provider, dict(card.options)))
        session = runtime.InferenceSession(graph.SerializeToString(), options, providers=providers)
        if card is not None and card.provider not in session.get_providers():
            raise UsageError(
                f"the device {card.name} cannot be used: ONNX Runtime fell back to the processor. "
                f"Without it take the device {CPU}"
            )
        names = list(outputs)
        alone = nullcontext() if card is None else threading.Lock()

        def run(spatial: Floats32, numbers: Floats32) -> Mapping[str, Floats32]:
            with alone:
                values = session.run(names, {"spatial": spatial, "globals": numbers})
            return dict(zip(names, values, strict=True))

        return run


class _OpenVino:
    """OpenVINO on the processor, one stream of one thread a call.

    In bf16 the trunk alone is computed in bfloat16: the heads, a small part of the work
    and the one that errors show in, stay in fp32.
    """

    name = "openvino"
    device = CPU
    batch = 16

    def __init__(self, precision: str, threads: int) -> None:
        try:
            import openvino
        except ModuleNotFoundError:
            raise MissingExtraError("openvino", "openvino") from None
        self._openvino: Any = openvino
        self._core: Any = openvino.Core()
        self._low = precision == "bf16"
        self._threads = threads

    def _compiled(self, graph: Any, precision: str) -> Callable[[dict[str, Floats32]], Any]:
        """A compiled graph as a function; each calling thread has a request of its own."""
        compiled = self._core.compile_model(
            self._core.read_model(graph.SerializeToString()),
            "CPU",
            {
                "INFERENCE_NUM_THREADS": self._threads,
                "NUM_STREAMS": self._threads,
                "ENABLE_CPU_PINNING": False,
                "INFERENCE_PRECISION_HINT": precision,
            },
        )
        kept = threading.local()

        def run(inputs: dict[str, Floats32]) -> Any:
            if not hasattr(kept, "request"):
                kept.request = compiled.create_infer_request()
            return kept.request.infer(inputs, share_inputs=True, share_outputs=True)

        return run

    def runner(self, model: NetworkModel, size: int, outputs: Sequence[str]) -> Runner:
        """Prepare a network for one size of board and a choice of outputs."""
        tools, low = _graph_tools(), self._low
        first = ("trunk",) if low else tuple(outputs)
        rest = [name for name in outputs if name not in first]
        network = self._compiled(tools.build_network(model, size, first), "bf16" if low else "f32")
        heads = self._compiled(tools.build_heads(model, size, rest), "f32") if low else None

        def run(spatial: Floats32, numbers: Floats32) -> Mapping[str, Floats32]:
            values = network({"spatial": spatial, "globals": numbers})
            answers = {name: values[name] for name in first}
            if heads is not None:
                values = heads({"trunk": answers["trunk"]})
                answers |= {name: values[name] for name in rest}
            return {name: answers[name] for name in outputs}

        return run
