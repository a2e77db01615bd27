"""Evaluates one position inside GNU Backgammon's own interpreter.

`yardstone.backgammon.file_analysis` sends the text of this file with a last line that calls
`evaluate_position`. Plain Python of the standard library, and `gnubg`.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any


def evaluate_position() -> None:
    """Evaluate the position of ``data.json``; leave it in ``result.json``."""
    gnubg = importlib.import_module("gnubg")
    job = json.loads(Path("data.json").read_text("utf-8"))
    for line in (
        "set threads 1",
        "set display off",
        "set automatic game off",
        "set automatic roll off",
        "set automatic move off",
        "set confirm new off",
        "set player 0 human",
        "set player 1 human",
        f"set beavers {3 if job['beavers'] else 0}",
        *_settings("chequerplay", job["plies"]),
        *_settings("cubedecision", job["cube_plies"]),
        f"set gnubgid {job['gnu_id']}",
    ):
        gnubg.command(line)
    board = gnubg.positionfromid(job["position"])
    result: dict[str, Any] = {
        "position": gnubg.positionid(),
        "match": gnubg.matchid(),
        "class": gnubg.classifypos(board, 0),
    }
    if job["dice"]:
        hint = gnubg.hint(job["moves"])["hint"]
        result["moves"] = [
            [each["move"], each["equity"], list(each["details"]["probs"])] for each in hint
        ]
    else:
        cube = gnubg.cubeinfo()
        plies = job["cube_plies"]
        context = {
            "cubeful": 1,
            "plies": plies,
            "deterministic": 1,
            "prune": int(plies > 0),
            "noise": 0.0,
        }
        equities = gnubg.cfevaluate(board, cube, context)
        result |= {
            "no_double": equities[1],
            "take": equities[2],
            "verdict": equities[5],
            "chances": list(gnubg.evaluate(board, cube, context)[:5]),
        }
    Path("result.json").write_text(json.dumps(result), "utf-8")


def _settings(kind: str, plies: int) -> list[str]:
    head = f"set evaluation {kind} evaluation "
    prune = "on" if plies else "off"
    return [head + f"plies {plies}", head + "cubeful on", head + f"prune {prune}", head + "noise 0"]
