"""One position evaluated by GNU Backgammon: the best moves, or what to do with the cube."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from yardstone.backgammon.file_analysis import DEEPEST
from yardstone.backgammon.gnubg import find_gnubg, gnubg_version, run_script
from yardstone.backgammon.positions import Position
from yardstone.choices import check_number
from yardstone.errors import WorkerError

__all__ = ["GNUBG_CLASSES", "EvaluatedMove", "PositionEvaluation", "evaluate_position"]

#: GNU Backgammon's classes of positions by number: which network or database evaluates them.
GNUBG_CLASSES = {
    0: "over", 4: "bear-off", 5: "bear-off", 6: "bear-off", 7: "bear-off", 8: "race",
    9: "crashed", 10: "contact",
}  # fmt: skip
#: Seconds for one position, by plies.
_TIMEOUTS = (60.0, 60.0, 120.0, 600.0, 3600.0)


@dataclass(frozen=True)
class EvaluatedMove:
    """A move with its equity.

    Attributes
    ----------
    move : str
        In the usual notation.
    equity : float
        Normalised, of the player on roll.
    chances : tuple of 5 float
        Probabilities after it that the player wins, wins a gammon or more, a backgammon,
        loses a gammon or more, a backgammon.
    """

    move: str
    equity: float
    chances: tuple[float, ...]


@dataclass(frozen=True)
class PositionEvaluation:
    """What GNU Backgammon says of a position; frozen.

    Attributes
    ----------
    gnubg : str
        Its version.
    plies, cube_plies : int
    position_class : str
        One of `GNUBG_CLASSES`.
    moves : tuple of EvaluatedMove
        The best moves, best first; empty before the roll and where none is legal.
    no_double, take : float or None
        Normalised equities, of the player on roll, without a double and after a double
        that is taken; one that is passed is 1. None after the roll.
    verdict : str
        What to do with the cube, in GNU Backgammon's words; empty where there is no
        decision.
    chances : tuple of 5 float
        As in `EvaluatedMove`, before the roll; empty after it.
    """

    gnubg: str
    plies: int
    cube_plies: int
    position_class: str
    moves: tuple[EvaluatedMove, ...] = ()
    no_double: float | None = None
    take: float | None = None
    verdict: str = ""
    chances: tuple[float, ...] = ()


def evaluate_position(
    position: Position,
    *,
    plies: int = 2,
    cube_plies: int | None = None,
    moves: int = 5,
    program: Path | None = None,
    timeout: float | None = None,
) -> PositionEvaluation:
    """Evaluate a position with GNU Backgammon.

    Parameters
    ----------
    position : Position
    plies, cube_plies : int
        Depth of the search for moves and for the cube, from 0; the same by default.
    moves : int
        The most that are kept.
    program : Path, optional
        GNU Backgammon.
    timeout : float, optional
        Seconds.

    Raises
    ------
    InputError
        GNU Backgammon is not there.
    WorkerError
        It crashed, took too long, or understood another position.
    """
    cube_plies = plies if cube_plies is None else cube_plies
    for name, number in (("plies", plies), ("cube_plies", cube_plies)):
        check_number(name, number, least=0, most=DEEPEST, whole=True)
    check_number("moves", moves, least=1, whole=True)
    program = find_gnubg(program)
    job = {
        "gnu_id": position.gnu_id,
        "position": position.position_id,
        "dice": list(position.dice),
        "beavers": position.beavers,
        "plies": plies,
        "cube_plies": cube_plies,
        "moves": moves,
    }
    seconds = timeout or _TIMEOUTS[max(plies, cube_plies)]
    done = run_script(_script(), data=job, program=program, timeout=seconds)
    content = done.result
    if content is None:
        words = " ".join(done.errors.split())[-200:] or "it said nothing"
        raise WorkerError(f"GNU Backgammon gave no result: {words}")
    if content["position"] != position.position_id:
        raise WorkerError(
            f"GNU Backgammon understood {content['position']} in place of {position.position_id}"
        )
    return PositionEvaluation(
        gnubg_version(program),
        plies,
        cube_plies,
        GNUBG_CLASSES.get(content["class"], "unknown"),
        **_answer(position, content),
    )


def _answer(position: Position, content: dict[str, Any]) -> dict[str, Any]:
    if position.dice:
        return {
            "moves": tuple(
                EvaluatedMove(move, equity, tuple(chances))
                for move, equity, chances in content["moves"]
            )
        }
    answer = {"no_double": content["no_double"], "chances": tuple(content["chances"])}
    free = not position.crawford and position.owner in (None, position.on_roll)
    return answer | ({"take": content["take"], "verdict": content["verdict"]} if free else {})


@cache
def _script() -> str:
    text = files("yardstone.backgammon").joinpath("_gnubg_position.py").read_text("utf-8")
    return f"{text}\n\nevaluate_position()\n"
