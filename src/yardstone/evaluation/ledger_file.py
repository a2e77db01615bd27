"""A ledger in one file: numpy's npz, with arrays and one JSON text, and no pickles."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.arrays import ArrayFile, StoredArrays
from yardstone.errors import InputError
from yardstone.evaluation.ledger import REPLAYED, Ledger, make_system
from yardstone.pool import Pool
from yardstone.ratings.replay import Replay
from yardstone.ratings.state import State

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["HISTORY_FILE", "ledger_of", "load_ledger", "save_ledger"]

HISTORY_FILE = ArrayFile("saved history", format=1, text="about", compressed=False)
_NEVER = np.datetime64("NaT", "s")


def save_ledger(ledger: Ledger, path: Path) -> None:
    """Write a ledger to a file, whatever it is called."""
    pool = ledger.pool
    arrays: dict[str, NDArray[Any]] = {
        "first": pool.first,
        "second": pool.second,
        "score": pool.score,
    }
    if pool.time is not None:
        arrays["time"] = pool.time
    texts = {}
    for name, column in pool.columns.items():
        if column.dtype.kind in "biufmM":
            arrays[f"column {name}"] = column
        else:
            texts[name] = [str(value) for value in column]
    for name in REPLAYED:
        if (values := getattr(ledger.replay, name)) is not None:
            arrays[f"replay {name}"] = values
    number = {name: row for row, name in enumerate(pool.players)}
    for place, (_, state) in enumerate(ledger.checkpoints):
        rows = [number[name] for name in state.players]
        arrays[f"checkpoint {place} players"] = np.array(rows, np.int32)
        for name, column in state.arrays.items():
            arrays[f"checkpoint {place} of {name}"] = column
    about = {
        "name": ledger.name,
        "parameters": dict(ledger.parameters),
        "system": repr(ledger.system),
        "players": list(pool.players),
        "texts": texts,
        "ordered": pool.ordered,
        "checkpoints": [at for at, _ in ledger.checkpoints],
    }
    HISTORY_FILE.write(path, arrays, about)


def load_ledger(path: Path) -> Ledger:
    """Read what `save_ledger` wrote.

    Raises
    ------
    InputError
        There is no such file, it is something else, or its system has changed
        since: then the ratings must be made anew from the games.
    """
    return HISTORY_FILE.read(path, lambda arrays, about: ledger_of(arrays, about, str(path)))


def ledger_of(stored: StoredArrays, about: dict[str, Any], path: str) -> Ledger:
    """The ledger that a file's arrays and text describe."""
    arrays = dict(stored)
    columns = {
        name.removeprefix("column "): values
        for name, values in arrays.items()
        if name.startswith("column ")
    }
    for name, values in about["texts"].items():
        columns[name] = np.array(values, np.dtypes.StringDType())
    players = tuple(about["players"])
    pool = Pool(
        players,
        arrays["first"],
        arrays["second"],
        arrays["score"],
        arrays.get("time"),
        columns,
        ordered=about.get("ordered", True),
    )
    places = about["checkpoints"]
    if places != sorted(places) or places[0] != 0 or places[-1] != len(pool):
        raise ValueError("checkpoints")
    points = []
    for place, at in enumerate(places):
        known = f"checkpoint {place} of "
        rows = arrays[f"checkpoint {place} players"]
        if rows.min(initial=0) < 0:
            raise ValueError("players")
        state = State(
            about["system"],
            tuple(players[row] for row in rows),
            {
                name.removeprefix(known): values
                for name, values in arrays.items()
                if name.startswith(known)
            },
            at,
            _NEVER if pool.time is None or not at else np.datetime64(pool.time[at - 1], "s"),
        )
        points.append((at, state))
    system = make_system(about["name"], about["parameters"])
    if repr(system) != about["system"]:
        raise InputError(
            f"it was saved under other rules of {about['name']}",
            file=path,
            hint="rate the games again",
        )
    for _, state in points:
        system.check_state(state)
    for name in REPLAYED:
        values = arrays.get(f"replay {name}")
        if values is not None and (values.shape != (len(pool),) or np.isinf(values).any()):
            raise ValueError(name)
    replay = Replay(
        expected=arrays["replay expected"],
        first_rating=arrays["replay first_rating"],
        second_rating=arrays["replay second_rating"],
        ratings=system.ratings(points[-1][1]),
        first_deviation=arrays.get("replay first_deviation"),
        second_deviation=arrays.get("replay second_deviation"),
    )
    return Ledger(about["name"], about["parameters"], pool, replay, 0, tuple(points))
