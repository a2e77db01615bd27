"""KataGo's networks: reading their files, and asking them about positions.

`load_network` reads a network file of KataGo and gives a `Network`; its `evaluate` takes
KataGo's inputs and gives policy, winrate, score and, where asked, the features of the
trunk. `read_model` gives the layers themselves, `build_network` an ONNX graph of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yardstone.facade import lazy_names

if TYPE_CHECKING:
    from yardstone.go.nets.model_file import read_model as read_model
    from yardstone.go.nets.network import Network as Network
    from yardstone.go.nets.network import NetworkOutput as NetworkOutput
    from yardstone.go.nets.network import load_network as load_network
    from yardstone.go.nets.onnx_graph import build_network as build_network
    from yardstone.go.nets.store import find_network as find_network


__dir__, __getattr__ = lazy_names(__name__)
