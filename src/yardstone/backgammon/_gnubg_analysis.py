"""Imports and analyses one file inside GNU Backgammon's own interpreter.

`yardstone.backgammon.file_analysis` sends the text of `_gnubg_script`, `_gnubg_ids` and this
file with a last line that calls `analyse_file`. Everything here is plain Python of the
standard library, `gnubg`, and what the other two files hold.
"""

from __future__ import annotations

import importlib
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from yardstone.backgammon._gnubg_ids import pack_match
    from yardstone.backgammon._gnubg_script import is_close, statistics

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
        made = decisions(gnubg, gnubg.match(analysis=1, boards=1, statistics=0))
        result |= {"errors": errors(made), "decisions": listed(made)}
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


def decisions(gnubg: Any, match: dict[str, Any]) -> list[dict[str, Any]]:
    """The unforced moves and close cube decisions of both players, in order.

    Each with its game and record (from 1), player (0 or 1), turn of this player in the
    game (from 1), action, loss in normalised equity, and the position. Where there is a
    loss also its kind, the match ID, and what was played and what was best with their
    equities for the player who decides. Moves have GNU Backgammon's class of the position.
    """
    result: list[dict[str, Any]] = []
    about = match["match-info"]
    length = about["match-length"]
    for number, game in enumerate(match["games"], 1):
        info = game["info"]
        state = {
            "length": length,
            "score": (info["score-X"], info["score-O"]),
            "crawford": bool(info.get("crawford")),
            "jacoby": "Jacoby" in about.get("rules", ()),
            "cube": 1,
            "owner": 3,
        }
        for place, decision in _game_decisions(gnubg, game["game"], state):
            result.append({"game": number, "record": place, **decision})
    return result


def errors(all_decisions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The larger errors of both players, the largest first."""
    large = [each for each in all_decisions if each["error"] >= SMALLEST_ERROR]
    large.sort(key=lambda each: -each["error"])
    left_out = ("action", "turn", "class")
    return [
        {name: value for name, value in each.items() if name not in left_out}
        for each in large[:MOST_ERRORS]
    ]


def listed(all_decisions: list[dict[str, Any]]) -> list[list[Any]]:
    """All decisions, short: player, action, loss, and of moves turn, class and position."""
    result = []
    for each in all_decisions:
        row = [each["player"], each["action"], round(each["error"], 6)]
        if each["action"] == "move":
            row += [each["turn"], each["class"], each["position"]]
        result.append(row)
    return result


def _game_decisions(gnubg: Any, records: Any, state: dict[str, Any]) -> list[Any]:
    """Pairs of a place and a decision."""
    result = []
    offered: dict[str, Any] | None = None
    turns = [0, 0]
    for place, record in enumerate(records, 1):
        action = record["action"]
        if action not in ("move", "double", "take", "drop"):
            continue
        player = "XO".index(record["player"])
        if action in ("take", "drop"):
            if offered is not None:
                answer = _answer(offered, player, action, state)
                result.append((place, {**answer, "turn": turns[player]}))
            if action == "take":
                state["cube"] *= 2
                state["owner"] = player
            offered = None
            continue
        turns[player] += action == "move"
        cube = _cube(gnubg, record.get("analysis", {}), player, state)
        here = {
            "player": player,
            "position": record.get("board", ""),
            "turn": turns[player] + (action == "double"),
        }
        if action == "double":
            offered = None if cube is None else {**here, "take": cube[1]}
        if cube is not None and is_close(action, *cube):
            result.append((place, _doubling(action, cube, here, state)))
        if action == "move":
            result += [(place, move) for move in _move(gnubg, record, here, state)]
    return result


def _doubling(
    action: str, cube: tuple[float, float], here: dict[str, Any], state: dict[str, Any]
) -> dict[str, Any]:
    """The decision to double, or not to."""
    hold, double = cube[0], min(cube[1], 1.0)
    player = here["player"]
    if action == "double":
        kind, words = "wrong double", ("double", "no double")
        played, best = double, hold
    else:
        kind, words = "missed double", ("no double", "double")
        played, best = hold, double
    decision = {**here, "action": words[0], "error": max(best - played, 0.0)}
    if decision["error"] > 0.0:
        decision |= {
            "match": match_id(state, player, player, False, ()),
            "kind": kind,
            "played": words[0],
            "best": words[1],
            "played_equity": played,
            "best_equity": best,
            "take_equity": cube[1],
        }
    return decision


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
) -> dict[str, Any]:
    """A take or a pass."""
    equity = {"take": -offered["take"], "pass": -1.0}
    words = ("take", "pass") if action == "take" else ("pass", "take")
    played, best = (equity[word] for word in words)
    decision = {
        "player": player,
        "position": offered["position"],
        "action": words[0],
        "error": max(best - played, 0.0),
    }
    if decision["error"] > 0.0:
        decision |= {
            "match": match_id(state, offered["player"], player, True, ()),
            "kind": f"wrong {words[0]}",
            "played": words[0],
            "best": words[1],
            "played_equity": played,
            "best_equity": best,
        }
    return decision


def _move(
    gnubg: Any, record: dict[str, Any], here: dict[str, Any], state: dict[str, Any]
) -> list[dict[str, Any]]:
    """The move, if there was a choice and it was analysed."""
    analysis = record.get("analysis", {})
    moves, chosen = analysis.get("moves"), analysis.get("imove")
    if not moves or len(moves) < 2 or chosen is None or not 0 <= chosen < len(moves):
        return []
    played, best = moves[chosen]["score"], moves[0]["score"]
    player, dice = here["player"], tuple(record["dice"])
    decision = {
        **here,
        "action": "move",
        "class": gnubg.classifypos(gnubg.positionfromid(here["position"]), 0),
        "error": max(best - played, 0.0),
    }
    if decision["error"] > 0.0:
        decision |= {
            "match": match_id(state, player, player, False, dice),
            "kind": "chequer play",
            "dice": list(dice),
            "played": move_text(record["move"]),
            "best": move_text(moves[0]["move"]),
            "played_equity": played,
            "best_equity": best,
        }
    return [decision]


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
    """GNU Backgammon's match ID of a decision."""
    return pack_match(
        {
            "cube": state["cube"].bit_length() - 1,
            "owner": state["owner"],
            "on_roll": on_roll,
            "crawford": int(state["crawford"]),
            "state": 1,
            "to_decide": to_decide,
            "doubled": int(offered),
            "die_1": dice[0] if dice else 0,
            "die_2": dice[1] if dice else 0,
            "length": state["length"],
            "score_0": state["score"][0],
            "score_1": state["score"][1],
            "no_jacoby": int(not state["length"] and not state["jacoby"]),
        }
    )
