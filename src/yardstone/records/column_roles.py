"""Which columns of a table hold the players, the result and the time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from yardstone.choices import nearest
from yardstone.errors import InputError, UsageError
from yardstone.records.column_names import (
    DATES,
    PAIRS,
    TIMES,
    Pair,
    find_pair,
    label,
    points_columns,
    result_columns,
    side_of,
)
from yardstone.records.strength_columns import ERRORS, LEVELS

__all__ = ["KEYS", "Roles", "find_roles", "has_role"]

#: The keys of a mapping of columns that have a meaning of their own.
KEYS = ("first", "second", "score", "first_score", "second_score", "margin", "time")
_LABELS = {each for pair in PAIRS for each in pair}


@dataclass(frozen=True, slots=True)
class Roles:
    """The columns for each part of a game.

    Attributes
    ----------
    first, second : str
        Columns of the players.
    labels : pair of str
        What their names call the sides (``("white", "black")``); empty texts where
        they say nothing.
    named : bool
        Whether the caller named the columns of the players.
    results : tuple of str
        Columns that may hold the result, the likeliest first; one if it was named.
    points : pair of str, optional
        Columns with the points of `first` and of `second`.
    margin : str, optional
        Column with the points of `first` less those of `second`.
    subject : {0, 1}, optional
        The side, `first` or `second`, whose result the caller says the column tells.
    time : tuple of str
        Columns of the date, and of the time of day.
    extra : mapping of str to str
        Further columns of the pool.
    named_time : bool
        Whether the caller named the column of the time.
    """

    first: str
    second: str
    labels: tuple[str, str] = ("", "")
    named: bool = False
    results: tuple[str, ...] = ()
    points: tuple[str, str] | None = None
    margin: str | None = None
    subject: int | None = None
    time: tuple[str, ...] = ()
    extra: Mapping[str, str] = field(default_factory=dict)
    named_time: bool = False


def find_roles(
    names: Sequence[str], columns: Mapping[str, str] | Iterable[str] | None, file: str
) -> Roles:
    """The columns to use, from what the caller says and from their names.

    Parameters
    ----------
    names : sequence of str
        The columns there are.
    columns : mapping or iterable of str, optional
        Any of `KEYS` with the columns that hold them; further keys are further columns
        of the pool, as are names alone. ``"all"`` makes every column that has no
        other role one of the pool.
    file : str
        For messages.

    Raises
    ------
    InputError
        If a column that is needed cannot be found.
    UsageError
        If a column that was asked for is not there, or a key is misspelt.
    """
    chosen = _chosen(names, columns, file)
    pair = _players(names, chosen, file)
    score = _scores(names, chosen, pair, file)
    plain = {re.sub(r"[^a-z0-9]", "", name.lower()): name for name in reversed(names)}
    named_time = "time" in chosen
    if named_time:
        time: tuple[str, ...] = (chosen["time"],)
    else:
        time = tuple(n for n in (_pick(plain, DATES), _pick(plain, TIMES)) if n is not None)
    extra = {key: name for key, name in chosen.items() if key not in KEYS}
    return Roles(
        pair.first,
        pair.second,
        pair.labels,
        "first" in chosen or "second" in chosen,
        time=time,
        extra=extra,
        named_time=named_time,
        **score,
    )


def has_role(name: str) -> bool:
    """Whether a column of this name could be taken for players, result or time.

    Examples
    --------
    >>> has_role("White Player"), has_role("komi")
    (True, False)
    """
    if re.sub(r"[^a-z0-9]", "", name.lower()) in {*DATES, *TIMES}:
        return True
    labelled = label(name)
    if labelled is not None and labelled[0] in _LABELS:
        return True
    return bool(result_columns([name], ("first", "second")))


def _chosen(
    names: Sequence[str], columns: Mapping[str, str] | Iterable[str] | None, file: str
) -> dict[str, str]:
    """What the caller asks for, with the names as the table has them."""
    if columns is None or columns == "all":
        return {}
    pairs = dict(columns) if isinstance(columns, Mapping) else {name: name for name in columns}
    lower = {name.lower(): name for name in reversed(names)}
    chosen: dict[str, str] = {}
    used: dict[str, str] = {}
    for key, name in pairs.items():
        if key not in KEYS and key != name:
            _check_key(key)
        there = name if name in names else lower.get(name.lower())
        if there is None:
            near = nearest(name, names)
            raise UsageError(
                f"{file}: there is no column {name!r}, only {', '.join(names)}"
                + (f" (did you mean {near!r}?)" if near else "")
            )
        chosen[key] = there
        if key in KEYS and used.setdefault(there, key) != key:
            raise UsageError(
                f"{file}: the column {there!r} is named for both {used[there]!r} and {key!r}"
            )
    return chosen


def _check_key(key: str) -> None:
    """Refuse a key that looks like a misspelt one; others name further columns."""
    from difflib import get_close_matches

    plain = key.strip().lower()
    if plain in (*LEVELS, *ERRORS):
        return
    near = get_close_matches(plain, KEYS, n=1, cutoff=0.75)
    labelled = label(key)
    if not near and len(key) > 1 and labelled is not None and labelled[0] in _LABELS:
        near = ["first", "second"]
    if not near and (plain in ("date", "result", "winner", "points") or plain in DATES):
        near = ["time" if plain in DATES else "score"]
    if near:
        raise UsageError(
            f"columns: unknown key {key!r}; did you mean {' or '.join(near)}? "
            f"(The keys are {', '.join(KEYS)}; others name further columns.)"
        )


def _players(names: Sequence[str], chosen: Mapping[str, str], file: str) -> Pair:
    guess = find_pair([name for name in names if name not in chosen.values()])
    for key in ("first", "second"):
        if key not in chosen and (guess is None or ("first" in chosen) != ("second" in chosen)):
            other = chosen.get("second" if key == "first" else "first")
            partner = None if other is None else _partner(names, other)
            if partner is None:
                raise InputError(
                    f"which column is {key!r}? There are {', '.join(names)}",
                    file=file,
                    hint="name the columns first, second and score",
                )
            chosen = {**chosen, key: partner}
    if "first" not in chosen and guess is not None:
        return guess
    first, second = chosen["first"], chosen["second"]
    return Pair(first, second, _labels(first, second))


def _partner(names: Sequence[str], column: str) -> str | None:
    """The other column of the pair that a column belongs to."""
    pair = find_pair(names)
    if pair is None or column not in (pair.first, pair.second):
        return None
    return pair.second if column == pair.first else pair.first


def _labels(first: str, second: str) -> tuple[str, str]:
    """What the names of two columns call the sides."""
    pair = find_pair([first, second])
    if pair is None or pair.labels == ("player", "opponent"):
        return "", ""
    return pair.labels if pair.first == first else (pair.labels[1], pair.labels[0])


def _scores(
    names: Sequence[str], chosen: Mapping[str, str], pair: Pair, file: str
) -> dict[str, Any]:
    """The columns that tell who won."""
    one, other = chosen.get("first_score"), chosen.get("second_score")
    if one is not None and other is not None:
        return {"points": (one, other)}
    if "margin" in chosen:
        return {"margin": chosen["margin"]}
    if one is not None or other is not None:
        return {"results": (one or other,), "subject": 0 if one is not None else 1}
    if "score" in chosen:
        return {"results": (chosen["score"],)}
    free = [name for name in names if name not in (pair.first, pair.second)]
    points = points_columns(free, pair.labels)
    results = tuple(
        name
        for name in result_columns(free, pair.labels)
        if points is None or name not in points or side_of(name, pair.labels) is None
    )
    if not results and points is None and "winner" not in pair.labels:
        raise InputError(
            f"which column is 'score'? There are {', '.join(names)}",
            file=file,
            hint="name the columns first, second and score",
        )
    return {"results": results, "points": points}


def _pick(plain: Mapping[str, str], order: Iterable[str]) -> str | None:
    return next((plain[name] for name in order if name in plain), None)
