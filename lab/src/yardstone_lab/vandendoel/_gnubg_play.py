"""Plays a match inside GNU Backgammon's own interpreter.

`yardstone_lab.vandendoel.play` sends this text with that of `yardstone.backgammon._gnubg` before
it and a call of `play` after it: plain Python of the standard library, and `gnubg`.
"""

import importlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from yardstone.backgammon._gnubg import statistics


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
