"""Which columns of a table hold the players, the result and the time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from yardstone.errors import InputError, UsageError
from yardstone.records.results import Side

__all__ = ["Roles", "find_roles", "has_role"]

_COLOURS = {
    "white": ("white", "whiteplayer", "playerwhite", "whitename", "whiteid", "w", "pw"),
    "black": ("black", "blackplayer", "playerblack", "blackname", "blackid", "b", "pb"),
}
_PAIRS = (
    ("first", "second"),
    ("player1", "player2"),
    ("playera", "playerb"),
    ("p1", "p2"),
    ("name1", "name2"),
    ("team1", "team2"),
    ("engine1", "engine2"),
    ("modela", "modelb"),
    ("home", "away"),
    ("hometeam", "awayteam"),
    ("player", "opponent"),
    ("name", "opponent"),
    ("a", "b"),
)
_RESULTS = ("result", "score", "outcome", "winner", "res", "points")
_DATES = ("datetime", "timestamp", "playedat", "utcdate", "date", "played", "begin", "day")
_TIMES = ("time", "utctime")


@dataclass(frozen=True, slots=True)
class Roles:
    """The names of the columns for each part of a game; `asked_time`: the caller named that."""

    first: str
    second: str
    score: str
    time: tuple[str, ...] = ()
    extra: Mapping[str, str] = field(default_factory=dict)
    asked_time: bool = False


def find_roles(
    names: Sequence[str],
    columns: Mapping[str, str] | Iterable[str] | None,
    first: Side,
    file: str,
) -> Roles:
    """The columns to use, from what the caller says and from their names.

    Parameters
    ----------
    names : sequence of str
        The columns there are.
    columns : mapping or iterable of str, optional
        ``{"first": ..., "second": ..., "score": ..., "time": ...}``, any of them;
        further keys are further columns of the pool, as are names alone. ``"all"``
        makes every column that has no other role one of the pool.
    first : {"white", "black"}
        Which of two columns named after colours moves first.
    file : str
        For messages.

    Raises
    ------
    InputError
        If a column that is needed cannot be found.
    UsageError
        If a column that was asked for is not there.
    """
    if columns is None or columns == "all":
        asked: dict[str, str] = {}
    elif isinstance(columns, Mapping):
        asked = dict(columns)
    else:
        asked = {name: name for name in columns}
    exact = {name: name for name in names}
    lower = {name.lower(): name for name in reversed(names)}
    for role, name in asked.items():
        found = exact.get(name) or lower.get(name.lower())
        if found is None:
            raise UsageError(f"{file}: there is no column {name!r}, only {', '.join(names)}")
        asked[role] = found
    plain = {re.sub(r"[^a-z0-9]", "", name.lower()): name for name in reversed(names)}
    guess = _players(plain, first)
    guess["score"] = _pick(plain, _RESULTS)
    for role in ("first", "second", "score"):
        chosen = asked.pop(role, None) or guess[role]
        if chosen is None:
            raise InputError(
                f"which column is {role!r}? There are {', '.join(names)}",
                file=file,
                mend="name the columns first, second and score",
            )
        guess[role] = chosen
    asked_time = "time" in asked
    if asked_time:
        time: tuple[str, ...] = (asked.pop("time"),)
    else:
        time = tuple(n for n in (_pick(plain, _DATES), _pick(plain, _TIMES)) if n is not None)
    if columns == "all":
        used = {guess["first"], guess["second"], guess["score"], *time}
        asked = {name: name for name in names if name not in used}
    one, other, score = (guess[role] or "" for role in ("first", "second", "score"))
    return Roles(one, other, score, time, asked, asked_time)


def has_role(name: str) -> bool:
    """Whether a column of this name could be taken for players, result or time.

    Examples
    --------
    >>> has_role("White Player"), has_role("komi")
    (True, False)
    """
    players = {name for names in (*_COLOURS.values(), *_PAIRS) for name in names}
    return re.sub(r"[^a-z0-9]", "", name.lower()) in {*players, *_RESULTS, *_DATES, *_TIMES}


def _players(plain: Mapping[str, str], first: Side) -> dict[str, str | None]:
    white, black = _pick(plain, _COLOURS["white"]), _pick(plain, _COLOURS["black"])
    if white is not None and black is not None:
        pair = (white, black) if first == "white" else (black, white)
        return {"first": pair[0], "second": pair[1]}
    for one, other in _PAIRS:
        if one in plain and other in plain:
            return {"first": plain[one], "second": plain[other]}
    return {"first": None, "second": None}


def _pick(plain: Mapping[str, str], wanted: Iterable[str]) -> str | None:
    return next((plain[name] for name in wanted if name in plain), None)
