"""What kind of network a model is, in plain words and numbers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from yardstone.go.conditions import KNOWLEDGE
from yardstone.go.nets.layers import (
    Attention,
    Block,
    Bottleneck,
    FeedForward,
    GlobalPooling,
    NetworkModel,
    RmsNorm,
)
from yardstone.go.nets.model_file import read_model
from yardstone.go.nets.store import find_network

__all__ = ["describe", "describe_file"]

_KINDS = {
    Attention: "attention",
    FeedForward: "feed-forward",
    Bottleneck: "nested bottleneck",
    GlobalPooling: "global pooling",
}


def _all_blocks(blocks: tuple[Block, ...]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Bottleneck):
            yield from _all_blocks(block.blocks)


def describe_file(network: str | Path | None = None) -> dict[str, Any]:
    """What `describe` says of a network file or a network that is kept, with its file and size.

    Without a name it is the one that `find_network` finds.
    """
    file = find_network(network)
    return {**describe(read_model(file)), "size": file.stat().st_size, "file": str(file)}


def describe(model: NetworkModel) -> dict[str, Any]:
    """The properties of a network that a user may want to know.

    Returns
    -------
    dict
        ``name``, ``version``, ``kind``, ``blocks`` and ``channels`` of the trunk,
        ``block_kinds`` (how many of each, nested ones included), ``parameters``,
        ``activation`` and ``norm`` at the trunk's end, ``policies``,
        ``pass_alive_under_suicide``, ``metadata`` (wants to know the players), ``knows``
        (the conditions that it was trained for; None for all) and ``sha256``.
    """
    kinds: dict[str, int] = {}
    for block in _all_blocks(model.trunk.blocks):
        kind = _KINDS.get(type(block), "residual")
        kinds[kind] = kinds.get(kind, 0) + 1
    nested = "nested bottleneck" in kinds
    kind = "transformer" if "attention" in kinds else "convolutional"
    norm = model.trunk.norm
    rms = "spatial root mean square" if isinstance(norm, RmsNorm) and norm.spatial else ""
    return {
        "name": model.name,
        "version": model.version,
        "kind": f"nested {kind}" if nested else kind,
        "blocks": len(model.trunk.blocks),
        "channels": model.trunk.channels,
        "block_kinds": kinds,
        "parameters": model.parameters,
        "activation": str(model.trunk.activation),
        "norm": rms or ("root mean square" if isinstance(norm, RmsNorm) else "batch"),
        "policies": model.policy.final_conv.outputs,
        "pass_alive_under_suicide": model.pass_alive_under_suicide,
        "metadata": model.trunk.metadata is not None,
        "knows": str(KNOWLEDGE[model.sha256]) if model.sha256 in KNOWLEDGE else None,
        "sha256": model.sha256,
    }
