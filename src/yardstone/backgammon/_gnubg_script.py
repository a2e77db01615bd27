"""Runs inside GNU Backgammon's own interpreter, which knows neither Yardstone nor its libraries.

What plays matches sends the text of this file with a last line that calls
`play`. Everything here is plain Python of the standard library, and `gnubg`.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

#: A decision was close in 2003 when one of two gaps was smaller than this.
OLD_GAP = 0.25
#: Since 2006 it is close when doubling loses less than this.
NEW_GAP = 0.16


def play() -> None:
    """Play and analyse the match of ``data.json``; leave it in ``result.json``."""
    gnubg = importlib.import_module("gnubg")
    job = json.loads(Path("data.json").read_text())
    for line in _settings(job):
        gnubg.command(line)
    gnubg.command(f"new match {job['length']}")
    analyses = {}
    for plies in job["analyses"]:
        for kind in ("chequerplay", "cubedecision"):
            gnubg.command(f"set analysis {kind} evaluation plies {plies}")
            gnubg.command(f"set analysis {kind} evaluation prune {_switch(plies > 0)}")
        gnubg.command("analyse clear match")
        gnubg.command("analyse match")
        analyses[str(plies)] = statistics(gnubg)
    match = gnubg.match(analysis=0, boards=0, statistics=0)
    result = {"games": [game["info"] for game in match["games"]], "analyses": analyses}
    if job["export"]:
        gnubg.command("export match mat match.mat")
        result["mat"] = Path("match.mat").read_text()
    Path("result.json").write_text(json.dumps(result))


def statistics(gnubg: Any) -> dict[str, Any]:
    """The statistics of the analysed match as they are, and close decisions by both rules."""
    match = gnubg.match(analysis=1, boards=0, statistics=1)
    return {"stats": match["stats"], "close": close_decisions(gnubg, match)}


def _switch(on: bool) -> str:
    return "on" if on else "off"


def _settings(job: dict[str, Any]) -> list[str]:
    lines = [
        "set threads 1",
        "set display off",
        "set automatic game on",
        "set automatic roll on",
        "set automatic move on",
        "set automatic bearoff on",
        "set automatic crawford on",
        "set automatic doubles 0",
        "set jacoby off",
        "set variation standard",
        "set confirm new off",
        "set confirm save off",
        "set rng mersenne",
        f"set seed {job['dice']}",
        "set defaultnames " + " ".join(job["names"]),
    ]
    for number, player in enumerate(job["players"]):
        lines.append(f"set player {number} gnubg")
        for kind, plies, noise in (
            ("chequerplay", player["plies"], player["chequer_noise"]),
            ("cubedecision", player["cube_plies"], player["cube_noise"]),
        ):
            head = f"set player {number} {kind} evaluation "
            lines += [
                head + f"plies {plies}",
                head + "cubeful on",
                head + "prune " + _switch(plies > 0),
                head + f"noise {noise:.9g}",
                head + "deterministic " + _switch(job["deterministic"]),
            ]
    for kind in ("chequerplay", "cubedecision"):
        head = f"set analysis {kind} evaluation "
        lines += [head + "cubeful on", head + "noise 0"]
    lines += [
        "set analysis moves on",
        "set analysis cube on",
        "set analysis luck on",
        "set analysis luckanalysis plies 0",
    ]
    return lines


def close_decisions(gnubg: Any, match: dict[str, Any]) -> dict[str, dict[str, int]]:
    """Cube decisions of each player, counted from the analysed match.

    For X and O: ``total``, ``close-2003`` and ``close-2006``. Like GNU Backgammon
    itself: a take or a pass always counts as close, a missed double too.
    """
    counts = {who: {"total": 0, "close-2003": 0, "close-2006": 0} for who in "XO"}
    length = match["match-info"]["match-length"]
    for game in match["games"]:
        cube = 1
        score = (game["info"]["score-X"], game["info"]["score-O"])
        answered = False  # whether the double that stands was analysed
        for record in game["game"]:
            action, who = record["action"], record.get("player")
            if action in ("take", "drop"):
                if answered:
                    for name in counts[who]:
                        counts[who][name] += 1
                cube *= 2 if action == "take" else 1
                continue
            analysis = record.get("analysis", {})
            known = "nd-cubeful-eq" in analysis
            if action == "double":
                answered = known
            if not known or action not in ("move", "double"):
                continue
            info = gnubg.cubeinfo(cube, -1, "XO".index(who), length, score, 0, 0)
            hold = gnubg.mwc2eq(analysis["nd-cubeful-eq"], info)
            take = gnubg.mwc2eq(analysis["dt-cubeful-eq"], info)
            counts[who]["total"] += 1
            certain = action == "double" or (take >= hold and hold <= 1.0)
            counts[who]["close-2003"] += certain or _close_2003(hold, take)
            counts[who]["close-2006"] += is_close(action, hold, take)
    return counts


def is_close(action: str, hold: float, take: float) -> bool:
    """Whether a double or its absence counts as close today; `hold` and `take` are equities."""
    certain = action == "double" or (take >= hold and hold <= 1.0)
    return certain or _close_2006(hold, take)


def _close_2003(hold: float, take: float) -> bool:
    return hold > 1.0 or abs(hold - take) < OLD_GAP or abs(hold - 1.0) < OLD_GAP


def _close_2006(hold: float, take: float) -> bool:
    double = min(take, 1.0)
    return max(hold, double) - double < NEW_GAP
