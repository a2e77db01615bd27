"""KataGo's networks: reading their files, and asking them about positions.

`load_network` reads a network file of KataGo and gives a `Network`; its `evaluate` takes
KataGo's inputs and gives policy, winrate, score and, where asked, the features of the
trunk. `read_model` gives the layers themselves, `build_network` an ONNX graph of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from yardstone.go.nets.model_file import read_model
    from yardstone.go.nets.network import Network, load_network
    from yardstone.go.nets.onnx_graph import build_network
    from yardstone.go.nets.postprocess import NetworkOutput
    from yardstone.go.nets.store import find_network

__all__ = [
    "Network",
    "NetworkOutput",
    "build_network",
    "find_network",
    "load_network",
    "read_model",
]

_PLACES = {
    "NetworkOutput": "postprocess",
    "Network": "network",
    "build_network": "onnx_graph",
    "find_network": "store",
    "load_network": "network",
    "read_model": "model_file",
}


def __getattr__(name: str) -> Any:
    if name in _PLACES:  # loaded when used: building graphs needs onnx
        from importlib import import_module

        value = getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
