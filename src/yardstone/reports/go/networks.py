"""Networks that are there, those that can be downloaded, and one of them in detail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from yardstone.go.nets.store import KNOWN, KnownNetwork
from yardstone.reports.document import Column, Document, Facts, Lines, Section, Table

if TYPE_CHECKING:
    from pathlib import Path

    from yardstone.go.nets.store import StoredNetwork

__all__ = ["known_networks_document", "network_document", "networks_document"]

_SHORT_SUM = 12


def _size(size: int) -> str:
    """A number of bytes for people."""
    return f"{size / 1e6:.1f} MB"


def _of_header(name: str) -> Column:
    return Column(
        name,
        lambda network: None if network.header is None else getattr(network.header, name),
        name,
        "integer",
        form="d",
        gives_way=1,
    )


_COLUMNS = (
    Column("name", lambda network: network.name, "network", strong=True),
    *map(_of_header, ("version", "blocks", "channels")),
    Column("size", lambda n: n.size, "size", "integer", show=lambda n: _size(n.size)),
    Column(
        "sha256",
        lambda network: network.sha256,
        "SHA-256",
        show=lambda network: network.sha256[:_SHORT_SUM],
    ),
    Column("file", lambda network: str(network.path)),
    Column("problem", lambda network: network.problem),
)


def networks_document(networks: Sequence[StoredNetwork], folder: Path) -> Document:
    """A table of the networks that are there; `folder` is the user's."""
    table = Table(_COLUMNS, networks, noun="network")
    notes = [f"{each.name}: {each.problem}" for each in networks if each.problem]
    names = [each.name for each in networks if each.included]
    notes += [f"{name} comes with Yardstone." for name in names]
    if len(networks) > len(names):
        notes.append(f"The others are in {folder}.")
    else:
        notes.append(
            f"No other network in {folder}: `yardstone go nets download b6c96` gets a stronger one."
        )
    return Document(
        "Networks",
        sections=[Section(blocks=[table, Lines(notes)])],
        records=table,
    )


def _of_known(name: str, heading: str = "") -> Column:
    return Column(name, lambda network: getattr(network, name), heading)


def known_networks_document() -> Document:
    """Networks that can be downloaded by name."""
    columns = (
        _of_known("short", "name"),
        _of_known("name", "full name"),
        _of_known("about", "what it is"),
    )
    names = KnownNetwork.__dataclass_fields__
    return Document(
        "Networks that can be downloaded",
        sections=[Section(blocks=[Table(columns, KNOWN, noun="network")])],
        records=Table([_of_known(name) for name in names], KNOWN),
    )


def network_document(facts: Mapping[str, Any]) -> Document:
    """One network in detail; `facts` are those of `describe_file`."""
    kinds = ", ".join(f"{count} {kind}" for kind, count in facts["block_kinds"].items())
    rows = [
        ("network", facts["name"]),
        ("model version", str(facts["version"])),
        ("kind", facts["kind"]),
        ("blocks", f"{facts['blocks']} ({kinds})"),
        ("channels", str(facts["channels"])),
        ("parameters", f"{facts['parameters']:,}"),
        ("last activation", facts["activation"]),
        ("last norm", facts["norm"]),
        ("policies", str(facts["policies"])),
        ("pass-alive inputs", "as if suicide were legal")
        if facts["pass_alive_under_suicide"]
        else ("pass-alive inputs", "by the rules"),
        ("size", _size(facts["size"])),
        ("SHA-256", facts["sha256"]),
        ("file", facts["file"]),
    ]
    if facts["knows"]:
        rows.append(("knows only", facts["knows"]))
    if facts["metadata"]:
        rows.append(("not usable", "it wants to know the players' ranks with every position"))
    columns = (Column("property", lambda fact: fact[0]), Column("value", lambda fact: fact[1]))
    return Document(
        f"Network {facts['name']}",
        sections=[Section(blocks=[Facts(rows)])],
        records=Table(columns, rows),
        plain=lambda: dict(facts),
    )
