"""What computes networks here: each engine on the processor, and the cards that work."""

from __future__ import annotations

from typing import Any

from yardstone.go.nets.engines import ENGINES, available_devices

__all__ = ["COMPUTERS", "EXACT"]

#: By name, as arguments of `load_network`.
COMPUTERS: dict[str, dict[str, Any]] = {
    name: {"engine": name, "device": "cpu"} for name in ENGINES
} | {name: {"engine": "onnxruntime", "device": name} for name in available_devices()[1:]}
#: Those that agree with KataGo to nearly all digits that it prints.
EXACT = [name for name in COMPUTERS if name != "openvino"]
