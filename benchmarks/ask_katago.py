"""Asks KataGo about networks and keeps a few numbers of what it says.

``KATAGO=/path/to/katago python -m benchmarks.ask_katago [FILE...]`` writes each random
network of `tests.go.random_net`, evaluates `POSITIONS` with KataGo and stores the numbers
in ``tests/go/katago_facts.json``, and so for the files that are named; tests compare ours
with them.
The numbers there come from KataGo 1.17.2 with its Eigen backend.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

from benchmarks.katago_gtp import GtpPosition, ask
from tests.go.opening_positions import FACTS, POSITIONS, Opening, places
from tests.go.random_net import ALL_SHAPES, write_network


def as_gtp(position: Opening) -> GtpPosition:
    """A position in GTP's words."""
    moves = tuple(("BW"[turn % 2], move) for turn, move in enumerate(position.moves))
    return GtpPosition(position.size, position.rules, position.komi, moves)


def facts(katago: str, network: Path) -> list[dict[str, object]]:
    """The numbers that are kept of a network, position by position."""
    kept: list[dict[str, object]] = []
    answers = ask(katago, network, [as_gtp(position) for position in POSITIONS])
    for position, answer in zip(POSITIONS, answers, strict=True):
        where = places(position.size)
        kept.append(
            {
                **answer.numbers,
                "policyPass": answer.policy_pass,
                "policy": [answer.policy[place] for place in where],
                "whiteOwnership": [answer.ownership[place] for place in where],
            }
        )
    return kept


def main() -> None:
    """Ask about every network and store the answers."""
    katago = os.environ.get("KATAGO")
    if not katago:
        sys.exit("set KATAGO to the program")
    kept = json.loads(FACTS.read_text()) if FACTS.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        for name, shape in ALL_SHAPES.items():
            kept[name] = facts(katago, write_network(Path(folder) / "net.bin.gz", shape))
    for file in map(Path, sys.argv[1:]):
        kept[file.name.partition(".")[0]] = facts(katago, file)
    FACTS.write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    main()
