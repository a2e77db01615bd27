"""What `yardstone history --save` writes: a ledger with all its games, or ratings without."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from yardstone.arrays import StoredArrays
from yardstone.errors import InputError
from yardstone.evaluation.carried import KeptRatings
from yardstone.evaluation.draws import outcome_table
from yardstone.evaluation.ledger import Ledger, make_system
from yardstone.evaluation.ledger_file import HISTORY_FILE, ledger_of
from yardstone.pool import Pool
from yardstone.ratings.state import State

__all__ = ["load_state", "save_kept"]

#: What the text of a file without games says.
_RATINGS = "ratings"
_OPENING = ("first", "second", "score", "time", "expected")


def save_kept(kept: KeptRatings, path: Path) -> None:
    """Write ratings without their games to a file, whatever it is called."""
    opening = kept.opening
    arrays: dict[str, Any] = {f"of {name}": array for name, array in kept.state.arrays.items()}
    arrays |= {"played": kept.played, "outcomes": kept.outcomes}
    if kept.last_game is not None:
        arrays["last game"] = kept.last_game
    columns = (opening.first, opening.second, opening.score, opening.time, kept.opening_expected)
    for name, column in zip(_OPENING, columns, strict=True):
        if column is not None:
            arrays[f"opening {name}"] = column
    about = {
        "kept": _RATINGS,
        "name": kept.name,
        "parameters": dict(kept.parameters),
        "system": kept.state.system,
        "players": list(kept.state.players),
        "games": kept.state.games,
        "until": str(kept.state.until),
        "began": str(kept.began),
        "ordered": opening.ordered,
    }
    HISTORY_FILE.write(path, arrays, about)


def load_state(path: Path) -> Ledger | KeptRatings:
    """Read what `yardstone history --save` wrote.

    Raises
    ------
    InputError
        There is no such file, it is something else, or its system has changed since.
    """
    return HISTORY_FILE.read(path, lambda arrays, about: _state(arrays, about, str(path)))


def _state(arrays: StoredArrays, about: dict[str, Any], path: str) -> Ledger | KeptRatings:
    if about.get("kept") == _RATINGS:
        return _kept(arrays, about, path)
    return ledger_of(arrays, about, path)


def _kept(stored: StoredArrays, about: dict[str, Any], path: str) -> KeptRatings:
    arrays = dict(stored)
    system = make_system(about["name"], about["parameters"])
    if repr(system) != about["system"]:
        raise InputError(
            f"it was saved under other rules of {about['name']}",
            file=path,
            hint="rate the games again",
        )
    players = tuple(str(name) for name in about["players"])
    columns = {name[3:]: array for name, array in arrays.items() if name.startswith("of ")}
    fresh = system.start(("",)).arrays
    if columns.keys() != fresh.keys():
        raise ValueError("columns")
    for name, usual in fresh.items():
        _check(columns[name], usual.dtype, (len(players), *usual.shape[1:]))
        known = np.isfinite(columns[name]) | (columns[name] == usual)
        if not (known | (np.isnan(columns[name]) & np.isnan(usual))).all():
            raise ValueError(name)
    number = (len(players),)
    played, outcomes, last = arrays["played"], arrays["outcomes"], arrays.get("last game")
    _check(played, np.int64, number, least=0)
    _check(outcomes, np.float64, outcome_table((), ()).shape, least=0.0)
    if last is not None:
        _check(last, "datetime64[s]", number)
    first, second, score = (arrays[f"opening {name}"] for name in _OPENING[:3])
    time, expected = arrays.get("opening time"), arrays["opening expected"]
    _check(expected, np.float64, first.shape, least=0.0)
    opening = Pool(players, first, second, score, time, ordered=bool(about["ordered"]))
    until, began = (np.datetime64(about[name], "s") for name in ("until", "began"))
    state = State(about["system"], players, columns, int(about["games"]), until)
    return KeptRatings(
        about["name"], about["parameters"], state, played, last, began, opening, expected, outcomes
    )


def _check(array: Any, dtype: Any, shape: tuple[int, ...], *, least: float | None = None) -> None:
    """ValueError for an array that is not of that kind and size, or below the least."""
    if array.dtype != np.dtype(dtype) or array.shape != shape:
        raise ValueError("array")
    if least is not None and not ((array >= least) & np.isfinite(array)).all():
        raise ValueError("numbers")
