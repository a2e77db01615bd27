"""What a network may be computed on beside the processor: graphics cards, by ONNX Runtime.

A card is taken if ONNX Runtime can use it and it says of a small sample what the processor
says. Where it cannot, whoever asked for it is told why, and what to install.
"""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import MissingExtraError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CPU", "DEVICES", "GraphicsCard", "available_devices", "card_of", "device_names"]

#: The processor.
CPU = "cpu"
#: A card may differ from the processor in a sample by so much of the largest number in it.
_NEAR = 1e-4


@dataclass(frozen=True, slots=True)
class GraphicsCard:
    """A kind of graphics card.

    Attributes
    ----------
    name : str
    provider : str
        ONNX Runtime's name of it.
    package : str
        The build of ONNX Runtime that knows it.
    options : mapping
        For the provider.
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

    Raises
    ------
    UsageError
        There is no such device, or it does not work here: why, and what to install.
    MissingExtraError
        A card is named, and ONNX Runtime is not installed.
    """
    if device == "auto":
        return next((card for name, card in DEVICES.items() if _fault(name) is None), None)
    if device == CPU:
        return None
    if device not in DEVICES:
        raise UsageError(f"there is no device {device!r}: {', '.join(device_names())}")
    _runtime()
    fault = _fault(device)
    if fault is not None:
        raise UsageError(
            f"the device {device} cannot be used: {fault}. Without it take the device {CPU}"
        )
    return DEVICES[device]


def _runtime() -> Any:
    try:
        import onnxruntime
    except ModuleNotFoundError:
        raise MissingExtraError("onnxruntime", "go") from None
    return onnxruntime


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
    from yardstone.go.nets._graph import OnnxGraph
    from yardstone.go.nets.layers import Convolution

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
