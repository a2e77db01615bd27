"""Networks in the user's folder, as a table, and one of them in detail."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from yardstone.go.nets.store import StoredNetwork
from yardstone.reports.aligned import aligned

__all__ = [
    "COLUMNS",
    "known_text",
    "network_text",
    "networks_csv",
    "networks_text",
    "plain_networks",
]

#: Columns of the list as CSV.
COLUMNS = ("name", "version", "blocks", "channels", "size", "sha256", "file", "problem")

_SHORT_SUM = 12


def size_text(size: int) -> str:
    """A number of bytes for people."""
    return f"{size / 1e6:.1f} MB"


def plain_networks(networks: Sequence[StoredNetwork], sums: Sequence[str]) -> list[dict[str, Any]]:
    """What is known of each network without reading it whole."""
    return [
        {
            "name": network.name,
            "version": None if network.header is None else network.header.version,
            "blocks": None if network.header is None else network.header.blocks,
            "channels": None if network.header is None else network.header.channels,
            "size": network.size,
            "sha256": sha256,
            "file": str(network.path),
            "problem": network.problem,
        }
        for network, sha256 in zip(networks, sums, strict=True)
    ]


def networks_text(rows: Sequence[Mapping[str, Any]], folder: str) -> str:
    """A table of networks; `rows` are those of `plain_networks`."""
    if not rows:
        return f"No network in {folder}.\n"
    table = [["network", "version", "blocks", "channels", "size", "SHA-256"]]
    for row in rows:
        kinds = [row[key] for key in ("version", "blocks", "channels")]
        table.append(
            [
                row["name"],
                *("-" if value is None else str(value) for value in kinds),
                size_text(row["size"]),
                row["sha256"][:_SHORT_SUM],
            ]
        )
    lines = aligned(table, left={0, 5})
    lines += [f"{row['name']}: {row['problem']}" for row in rows if row["problem"]]
    return "\n".join([*lines, f"In {folder}."]) + "\n"


def networks_csv(rows: Sequence[Mapping[str, Any]], columns: Sequence[str] = COLUMNS) -> str:
    """A table of networks as CSV, unknown values left empty."""
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def known_text(rows: Sequence[Mapping[str, str]]) -> str:
    """Networks that can be downloaded by name."""
    table = [["name", "full name", "what it is"]]
    table += [[row["short"], row["name"], row["about"]] for row in rows]
    return "\n".join(aligned(table, left={0, 1, 2})) + "\n"


def network_text(facts: Mapping[str, Any]) -> str:
    """One network in detail; `facts` are those of `describe`, with file and size."""
    kinds = ", ".join(f"{count} {kind}" for kind, count in facts["block_kinds"].items())
    rows = [
        ("network", facts["name"]),
        ("model version", facts["version"]),
        ("kind", facts["kind"]),
        ("blocks", f"{facts['blocks']} ({kinds})"),
        ("channels", facts["channels"]),
        ("parameters", f"{facts['parameters']:,}"),
        ("last activation", facts["activation"]),
        ("last norm", facts["norm"]),
        ("policies", facts["policies"]),
        ("pass-alive inputs", "as if suicide were legal")
        if facts["pass_alive_under_suicide"]
        else ("pass-alive inputs", "by the rules"),
        ("size", size_text(facts["size"])),
        ("SHA-256", facts["sha256"]),
        ("file", facts["file"]),
    ]
    if facts["metadata"]:
        rows.append(("not usable", "it wants to know the players' ranks with every position"))
    width = max(len(name) for name, _ in rows)
    return "".join(f"{name:<{width}}  {value}\n" for name, value in rows)
