"""What runs inside GNU Backgammon's own interpreter, and the bits of its IDs.

`yardstone.backgammon.gnubg.inside` makes a script of this text and a call, so everything here
is plain Python of the standard library, and `gnubg`. Its manual (section 11) lays out the bits
of position ID and match ID; `yardstone.backgammon.positions` makes sense of them.
"""

from __future__ import annotations

import base64
import importlib
import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

#: What is kept of errors: those at least so large (normalised equity), at most so many.
SMALLEST_ERROR = 0.02
MOST_ERRORS = 400
#: More games than this are no match.
MOST_GAMES = 1000
#: A decision was close in 2003 when one of two gaps was smaller than the first; since 2006 it
#: is close when doubling loses less than the second.
OLD_GAP, NEW_GAP = 0.25, 0.16
#: Numbers of a match ID with their widths in bits, the lowest first: the exponent of the
#: cube, its owner (3 for nobody), who is on roll, ..., and that Jacoby's rule is off.
MATCH_FIELDS = (
    ("cube", 4),
    ("owner", 2),
    ("on_roll", 1),
    ("crawford", 1),
    ("state", 3),
    ("to_decide", 1),
    ("doubled", 1),
    ("resigned", 2),
    ("die_1", 3),
    ("die_2", 3),
    ("length", 15),
    ("score_0", 15),
    ("score_1", 15),
    ("no_jacoby", 1),
)
#: Points of a side and its bar; bytes of both keys.
PLACES, POSITION_BYTES, MATCH_BYTES = 25, 10, 9


def analyse_file() -> None:
    """Import the file that ``data.json`` names; leave its statistics in ``result.json``."""
    gnubg, job = _start("set automatic game off", "set confirm new off", "set confirm save off")
    gnubg.command(job["import"])
    match = gnubg.match(analysis=0, boards=0, statistics=0)
    result: dict[str, Any] = {
        "match": None if match is None else _plain_match(match, job["file"]),
        "analysis": None,
    }
    games = [] if match is None else match["games"]
    # A game without a winner tells that the file is broken, and not worth the time.
    whole = len(games) <= MOST_GAMES and None not in [g["info"].get("winner") for g in games]
    if match is not None and whole:
        for line in (
            *evaluation("set analysis chequerplay", job["plies"]),
            *evaluation("set analysis cubedecision", job["cube_plies"]),
            *(f"set analysis {what} on" for what in ("moves", "cube", "luck")),
            "set analysis luckanalysis plies 0",
            "analyse match",
        ):
            gnubg.command(line)
        result["analysis"] = statistics(gnubg)
        made = decisions(gnubg, gnubg.match(analysis=1, boards=1, statistics=0))
        result |= {"errors": errors(made), "decisions": listed(made)}
    Path("result.json").write_text(json.dumps(result), "utf-8")


def evaluate_position() -> None:
    """Evaluate the position of ``data.json``; leave it in ``result.json``."""
    gnubg, job = _start(
        *(f"set automatic {what} off" for what in ("game", "roll", "move")),
        "set confirm new off",
        "set player 0 human",
        "set player 1 human",
    )
    plies = job["cube_plies"]
    for line in (
        f"set beavers {3 if job['beavers'] else 0}",
        *evaluation("set evaluation chequerplay", job["plies"]),
        *evaluation("set evaluation cubedecision", plies),
        f"set gnubgid {job['gnu_id']}",
    ):
        gnubg.command(line)
    board = gnubg.positionfromid(job["position"])
    result = {"position": gnubg.positionid(), "class": gnubg.classifypos(board, 0)}
    if job["dice"]:
        hint = gnubg.hint(job["moves"])["hint"]
        result["moves"] = [
            [each["move"], each["equity"], list(each["details"]["probs"])] for each in hint
        ]
    else:
        cube = gnubg.cubeinfo()
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


def _start(*lines: str) -> tuple[Any, Any]:
    """The module `gnubg`, set for work without a terminal, and the job of ``data.json``."""
    gnubg = importlib.import_module("gnubg")
    for line in ("set threads 1", "set display off", *lines):
        gnubg.command(line)
    return gnubg, json.loads(Path("data.json").read_text("utf-8"))


def evaluation(what: str, plies: int) -> list[str]:
    """The commands for an evaluation of this depth without noise."""
    words = (f"plies {plies}", "cubeful on", f"prune {'on' if plies else 'off'}", "noise 0")
    return [f"{what} evaluation {each}" for each in words]


def statistics(gnubg: Any) -> dict[str, Any]:
    """The statistics of the analysed match as they are, and close decisions by both rules."""
    match = gnubg.match(analysis=1, boards=0, statistics=1)
    return {"stats": match["stats"], "close": close_decisions(gnubg, match)}


def close_decisions(gnubg: Any, match: dict[str, Any]) -> dict[str, dict[str, int]]:
    """Cube decisions of X and of O: ``total``, ``close-2003`` and ``close-2006``.

    As in GNU Backgammon a take or a pass always counts as close, a missed double too.
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
            if known and action in ("move", "double"):
                info = gnubg.cubeinfo(cube, -1, "XO".index(who), length, score, 0, 0)
                hold = gnubg.mwc2eq(analysis["nd-cubeful-eq"], info)
                take = gnubg.mwc2eq(analysis["dt-cubeful-eq"], info)
                old, new = close_rules(action, hold, take)
                counts[who]["total"] += 1
                counts[who]["close-2003"] += old
                counts[who]["close-2006"] += new
    return counts


def close_rules(action: str, hold: float, take: float) -> tuple[bool, bool]:
    """Whether a double or its absence counts as close by the rules of 2003 and of 2006."""
    certain = action == "double" or (take >= hold and hold <= 1.0)
    old = hold > 1.0 or abs(hold - take) < OLD_GAP or abs(hold - 1.0) < OLD_GAP
    double = min(take, 1.0)
    return certain or old, certain or max(hold, double) - double < NEW_GAP


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


def decisions(gnubg: Any, match: dict[str, Any]) -> list[dict[str, Any]]:
    """The unforced moves and close cube decisions of both players, in order.

    Each with its game and record (from 1), player (0 or 1), turn of this player in the
    game (from 1), action, loss in normalised equity, and the position. Where there is a
    loss also its kind, the match ID, and what was played and what was best with their
    equities for the player who decides. Moves have GNU Backgammon's class of the position.
    """
    about = match["match-info"]
    result = []
    for number, game in enumerate(match["games"], 1):
        info = game["info"]
        state = {
            "length": about["match-length"],
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
    return [
        [each["player"], each["action"], round(each["error"], 6)]
        + [each[name] for name in ("turn", "class", "position") if each["action"] == "move"]
        for each in all_decisions
    ]


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
                here = {**offered["here"], "player": player, "turn": turns[player]}
                ways = [("take", -offered["take"]), ("pass", -1.0)]
                if action == "drop":
                    ways.reverse()
                result.append((place, _decision(here, f"wrong {ways[0][0]}", ways, state)))
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
            offered = None if cube is None else {"here": here, "take": cube[1]}
        if cube is not None and close_rules(action, *cube)[1]:
            ways = [("no double", cube[0]), ("double", min(cube[1], 1.0))]
            if action == "double":
                ways.reverse()
            kind = "wrong double" if action == "double" else "missed double"
            doubling = _decision(here, kind, ways, state)
            result.append((place, {**doubling, "take_equity": cube[1]}))
        if action == "move":
            result += [(place, move) for move in _move(gnubg, record, here, state)]
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


def _move(
    gnubg: Any, record: dict[str, Any], here: dict[str, Any], state: dict[str, Any]
) -> list[dict[str, Any]]:
    """The move, if there was a choice and it was analysed."""
    analysis = record.get("analysis", {})
    moves, chosen = analysis.get("moves"), analysis.get("imove")
    if not moves or len(moves) < 2 or chosen is None or not 0 <= chosen < len(moves):
        return []
    here = {**here, "class": gnubg.classifypos(gnubg.positionfromid(here["position"]), 0)}
    texts = (move_text(record["move"]), move_text(moves[0]["move"]))
    ways = list(zip(texts, (moves[chosen]["score"], moves[0]["score"]), strict=True))
    return [_decision(here, "chequer play", ways, state, tuple(record["dice"]))]


def _decision(
    here: dict[str, Any],
    kind: str,
    ways: list[tuple[str, float]],
    state: dict[str, Any],
    dice: tuple[int, ...] = (),
) -> dict[str, Any]:
    """A decision from what was played and what else was best, each with its equity."""
    (played, own), (best, other) = ways
    action = "move" if dice else played
    decision = {**here, "action": action, "error": max(other - own, 0.0)}
    if decision["error"] > 0.0:
        player, offered = here["player"], played in ("take", "pass")
        decision |= {
            "match": match_id(state, 1 - player if offered else player, offered, dice),
            "kind": kind,
            **({"dice": list(dice)} if dice else {}),
            "played": played,
            "best": best,
            "played_equity": own,
            "best_equity": other,
        }
    return decision


def move_text(move: Any) -> str:
    """A move in the usual notation: 24/18 13/11*, without the mark of a hit.

    >>> move_text(((25, 21), (6, 0), (6, 0)))
    'bar/21 6/off(2)'
    """
    steps = [
        ("bar" if start == 25 else str(start)) + "/" + (str(end) if end > 0 else "off")
        for start, end in move
    ]
    times = Counter(steps)
    return " ".join(step if n == 1 else f"{step}({n})" for step, n in times.items())


def match_id(state: dict[str, Any], on_roll: int, offered: bool, dice: tuple[int, ...]) -> str:
    """GNU Backgammon's match ID of a decision."""
    die_1, die_2 = dice or (0, 0)
    fields = {
        "cube": state["cube"].bit_length() - 1,
        "owner": state["owner"],
        "on_roll": on_roll,
        "crawford": int(state["crawford"]),
        "state": 1,
        "to_decide": 1 - on_roll if offered else on_roll,
        "doubled": int(offered),
        "die_1": die_1,
        "die_2": die_2,
        "length": state["length"],
        "score_0": state["score"][0],
        "score_1": state["score"][1],
        "no_jacoby": int(not state["length"] and not state["jacoby"]),
    }
    value = shift = 0
    for name, width in MATCH_FIELDS:
        value |= fields.get(name, 0) << shift
        shift += width
    return base64.b64encode(value.to_bytes(MATCH_BYTES, "little")).decode()


def unpack_match(text: str) -> dict[str, int]:
    """The numbers of a match ID; ValueError if it is none."""
    value = int.from_bytes(_decoded(text, MATCH_BYTES), "little")
    fields = {}
    for name, width in MATCH_FIELDS:
        fields[name] = value & ((1 << width) - 1)
        value >>= width
    if value:
        raise ValueError("bits are set that mean nothing")
    return fields


def pack_position(own: tuple[int, ...], other: tuple[int, ...]) -> str:
    """The position ID of the chequers of the player on roll and of the other.

    Each side has 25 numbers, its own points from the ace point on and the bar: so many
    ones stand in the key, and a zero after them, the other side's first.
    """
    value = shift = 0
    for number in (*other, *own):
        value |= ((1 << number) - 1) << shift
        shift += number + 1
    return base64.b64encode(value.to_bytes(POSITION_BYTES, "little")).decode().rstrip("=")


def unpack_position(text: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The chequers of the player on roll and of the other; ValueError if it is no position ID."""
    value = int.from_bytes(_decoded(text, POSITION_BYTES), "little")
    numbers = []
    for _ in range(2 * PLACES):
        ones = (~value & (value + 1)).bit_length() - 1
        numbers.append(ones)
        value >>= ones + 1
    if value:
        raise ValueError("it holds more than two sides of a board")
    return tuple(numbers[PLACES:]), tuple(numbers[:PLACES])


def _decoded(text: str, size: int) -> bytes:
    """The bytes of an ID, of which no letter may be another."""
    length = -(-size * 8 // 6)
    if len(text) != length:
        raise ValueError(f"it has {len(text)} letters in place of {length}")
    data = base64.b64decode(text + "=" * (-length % 4), validate=True)
    if base64.b64encode(data).decode().rstrip("=") != text:
        raise ValueError(f"no ID ends in {text[-1]!r}")
    return data
