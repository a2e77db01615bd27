"""Imports and analyses one file inside GNU Backgammon's own interpreter.

`yardstone.backgammon.file_analysis` sends the text of `_gnubg_script` and of this file with
a last line that calls `analyse_file`. Everything here is plain Python of the standard
library, `gnubg`, and `statistics` of the other file.
"""

from __future__ import annotations

import base64
import importlib
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from yardstone.backgammon._gnubg_script import statistics

#: What is kept of errors: those at least so large (normalised equity), at most so many.
SMALLEST_ERROR = 0.02
MOST_ERRORS = 400
#: More games than this are no match.
MOST_GAMES = 1000


def analyse_file() -> None:
    """Import the file that ``data.json`` names; leave its statistics in ``result.json``."""
    gnubg = importlib.import_module("gnubg")
    job = json.loads(Path("data.json").read_text("utf-8"))
    for line in (
        "set threads 1",
        "set display off",
        "set automatic game off",
        "set confirm new off",
        "set confirm save off",
    ):
        gnubg.command(line)
    gnubg.command(job["import"])
    match = gnubg.match(analysis=0, boards=0, statistics=0)
    result: dict[str, Any] = {
        "match": None if match is None else _plain_match(match, job["file"]),
        "analysis": None,
    }
    if match is not None and not _unfinished(match):
        for line in _analysis_settings(job):
            gnubg.command(line)
        gnubg.command("analyse match")
        result["analysis"] = statistics(gnubg)
        result["errors"] = errors(gnubg, gnubg.match(analysis=1, boards=1, statistics=0))
    Path("result.json").write_text(json.dumps(result), "utf-8")


def _plain_match(match: dict[str, Any], file: str) -> dict[str, Any]:
    about = match["match-info"]
    games = match["games"][:MOST_GAMES]
    return {
        "names": [about[who].get("name", "") for who in "XO"],
        "length": about["match-length"],
        "date": _date(about.get("date", ()), file),
        "event": about.get("event", ""),
        "place": about.get("place", ""),
        "variation": about.get("variation", ""),
        "games": [{**game["info"], "records": len(game["game"])} for game in games],
        "more_games": len(match["games"]) - len(games),
    }


def _date(parts: tuple[int, ...], file: str) -> list[int]:
    """Day, month and year; nothing where GNU Backgammon gave a file without a date today's."""
    today = time.localtime()
    if tuple(parts) != (today.tm_mday, today.tm_mon, today.tm_year):
        return list(parts)
    data = Path(file).read_bytes()
    ways = (time.strftime(way, today).encode() for way in ("%Y.%m.%d", "%Y-%m-%d", "%d/%m/%Y"))
    return list(parts) if any(way in data for way in ways) else []


def _unfinished(match: dict[str, Any]) -> bool:
    """Whether a game has no winner: then the file is broken and not worth the time."""
    games = match["games"]
    return len(games) > MOST_GAMES or any(game["info"].get("winner") is None for game in games)


def _analysis_settings(job: dict[str, Any]) -> list[str]:
    lines = []
    for kind, plies in (("chequerplay", job["plies"]), ("cubedecision", job["cube_plies"])):
        head = f"set analysis {kind} evaluation "
        lines += [
            head + f"plies {plies}",
            head + "cubeful on",
            head + "prune " + ("on" if plies else "off"),
            head + "noise 0",
        ]
    return [
        *lines,
        *(f"set analysis {what} on" for what in ("moves", "cube", "luck")),
        "set analysis luckanalysis plies 0",
    ]


def errors(gnubg: Any, match: dict[str, Any]) -> list[dict[str, Any]]:
    """The larger errors of both players, the largest first.

    Each with its game and record (from 1), player (0 or 1), kind, size in normalised
    equity, position, match ID, dice, and what was played and what was best.
    """
    result: list[dict[str, Any]] = []
    about = match["match-info"]
    length = about["match-length"]
    for number, game in enumerate(match["games"], 1):
        info = game["info"]
        score = (info["score-X"], info["score-O"])
        state = {
            "length": length,
            "score": score,
            "crawford": bool(info.get("crawford")),
            "cube": 1,
            "owner": 3,
        }
        for place, error in _game_errors(gnubg, game["game"], state):
            if error["error"] >= SMALLEST_ERROR:
                result.append({"game": number, "record": place, **error})
    result.sort(key=lambda error: -error["error"])
    return result[:MOST_ERRORS]


def _game_errors(gnubg: Any, records: Any, state: dict[str, Any]) -> list[Any]:
    """Pairs of a place and an error, of any size above zero."""
    result = []
    offered: dict[str, Any] | None = None
    for place, record in enumerate(records, 1):
        action = record["action"]
        if action not in ("move", "double", "take", "drop"):
            continue
        player = "XO".index(record["player"])
        if action in ("take", "drop"):
            if offered is not None:
                result += [(place, error) for error in _answer(offered, player, action, state)]
            if action == "take":
                state["cube"] *= 2
                state["owner"] = player
            offered = None
            continue
        analysis = record.get("analysis", {})
        cube = _cube(gnubg, analysis, player, state)
        here = {"player": player, "position": record.get("board", "")}
        if action == "double":
            offered = None if cube is None else {**here, "take": cube[1]}
        if cube is not None:
            loss = min(cube[1], 1.0) - cube[0]
            kind = "missed double"
            best = "double"
            if action == "double":
                loss, kind, best = -loss, "wrong double", "no double"
            if loss > 0.0:
                played = "no double" if action == "move" else "double"
                ids = {**here, "match": match_id(state, player, player, False, ())}
                result.append(
                    (place, {**ids, "kind": kind, "error": loss, "played": played, "best": best})
                )
        if action == "move":
            result += [(place, error) for error in _move(record, here, state)]
    return result


def _cube(
    gnubg: Any, analysis: dict[str, Any], player: int, state: dict[str, Any]
) -> tuple[float, float] | None:
    """Normalised equities of no double and of double, take; None where the cube is not free."""
    if "nd-cubeful-eq" not in analysis or state["crawford"]:
        return None
    if state["owner"] not in (3, player):
        return None
    hold, take = analysis["nd-cubeful-eq"], analysis["dt-cubeful-eq"]
    length, score = state["length"], state["score"]
    if not length:
        return hold, 2.0 * take
    info = gnubg.cubeinfo(state["cube"], -1, player, length, score, 0, 0)
    return gnubg.mwc2eq(hold, info), gnubg.mwc2eq(take, info)


def _answer(
    offered: dict[str, Any], player: int, action: str, state: dict[str, Any]
) -> list[dict[str, Any]]:
    """The error of a take or a pass, if it is one."""
    loss = offered["take"] - 1.0 if action == "take" else 1.0 - offered["take"]
    if loss <= 0.0:
        return []
    words = ("take", "pass") if action == "take" else ("pass", "take")
    return [
        {
            "player": player,
            "position": offered["position"],
            "match": match_id(state, offered["player"], player, True, ()),
            "kind": "wrong take" if action == "take" else "wrong pass",
            "error": loss,
            "played": words[0],
            "best": words[1],
        }
    ]


def _move(
    record: dict[str, Any], here: dict[str, Any], state: dict[str, Any]
) -> list[dict[str, Any]]:
    """The error of a move, if it is one."""
    analysis = record.get("analysis", {})
    moves, chosen = analysis.get("moves"), analysis.get("imove")
    if not moves or chosen is None or not 0 <= chosen < len(moves):
        return []
    loss = moves[0]["score"] - moves[chosen]["score"]
    if loss <= 0.0:
        return []
    player, dice = here["player"], tuple(record["dice"])
    return [
        {
            **here,
            "match": match_id(state, player, player, False, dice),
            "kind": "chequer play",
            "error": loss,
            "dice": list(dice),
            "played": move_text(record["move"]),
            "best": move_text(moves[0]["move"]),
        }
    ]


def move_text(move: Any) -> str:
    """A move in the usual notation: 24/18 13/11*, without the mark of a hit.

    >>> move_text(((25, 21), (6, 0), (6, 0)))
    'bar/21 6/off(2)'
    """
    steps = [
        ("bar" if start == 25 else str(start)) + "/" + (str(end) if end > 0 else "off")
        for start, end in move
    ]
    parts = []
    for step in dict.fromkeys(steps):
        times = steps.count(step)
        parts.append(step if times == 1 else f"{step}({times})")
    return " ".join(parts)


def match_id(
    state: dict[str, Any], on_roll: int, to_decide: int, offered: bool, dice: tuple[int, ...]
) -> str:
    """GNU Backgammon's match ID: 66 bits, the lowest first, in base 64.

    Exponent of the cube (4 bits), its owner (2; 3 for nobody), who is on roll, the
    Crawford game, that a game is on (3), whose decision it is, a double offered, a
    resignation offered (2), two dice (3 each), length and both scores (15 each).
    """
    fields = (
        (state["cube"].bit_length() - 1, 4),
        (state["owner"], 2),
        (on_roll, 1),
        (int(state["crawford"]), 1),
        (1, 3),
        (to_decide, 1),
        (int(offered), 1),
        (0, 2),
        (dice[0] if dice else 0, 3),
        (dice[1] if dice else 0, 3),
        (state["length"], 15),
        (state["score"][0], 15),
        (state["score"][1], 15),
    )
    value = shift = 0
    for number, width in fields:
        value |= number << shift
        shift += width
    return base64.b64encode(value.to_bytes(9, "little")).decode()
