"""What may be asked for beside the files, checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from yardstone.records.text import clean
from yardstone.web.jobs import KINDS
from yardstone.web.problems import Problem

__all__ = [
    "COLOURS",
    "LONGEST_KEY",
    "OFFSETS",
    "SCALES",
    "SIDES",
    "UNREAD",
    "job_options",
    "players",
    "wanted_kind",
]

#: What the fields of these names offer, the default first where there is one.
SCALES = ("fox", "ogs", "egf")
SIDES = ("auto", "white", "black")
#: What to do if much cannot be read.
UNREAD = ("refuse", "skip")
COLOURS = ("black", "white")
OFFSETS = ("fibs", "gamesite2000", "gamesgrid")
#: Characters of the header ``Idempotency-Key``.
LONGEST_KEY = 100
_LONGEST_NAME = 200


def _one(fields: Mapping[str, Sequence[str]], name: str) -> str:
    """The only value of a field; '' if it was not sent or left empty."""
    values = [value.strip() for value in fields.get(name, ()) if value.strip()]
    if len(values) > 1:
        raise _bad(name, "it was sent more than once")
    return values[0] if values else ""


def _bad(name: str, reason: str) -> Problem:
    return Problem(422, "bad_option", f"{name}: {reason}.", "Correct it and send again.")


def wanted_kind(fields: Mapping[str, Sequence[str]]) -> str | None:
    """The kind of job that was asked for, if any."""
    kind = _one(fields, "kind")
    if kind in ("", "auto"):
        return None
    if kind not in KINDS:
        raise _bad("kind", f"choose auto, {', '.join(KINDS)}")
    return kind


def players(fields: Mapping[str, Sequence[str]], most: int) -> list[str]:
    """The players that were named, each once."""
    found = list(dict.fromkeys(name for each in fields.get("player", ()) if (name := clean(each))))
    if len(found) > most:
        raise _bad("player", f"name at most {most}")
    if any(len(name) > _LONGEST_NAME for name in found):
        raise _bad("player", f"a name has at most {_LONGEST_NAME} characters")
    return found


def job_options(
    kind: str, fields: Mapping[str, Sequence[str]], *, most_players: int = 1
) -> list[dict[str, Any]]:
    """What each of the jobs is asked for: one for each player that is named.

    Raises
    ------
    Problem
        A value is none of those that are offered, or a field belongs to another kind.
    """
    known = {"kind", "player", *_OF_KIND[kind]}
    for name in fields:
        if name not in known and any(value.strip() for value in fields[name]):
            raise _bad(name, "there is no such field" if name not in _ALL else f"not for {kind}")
    names = players(fields, most_players)
    if kind != "go":
        if names:
            raise _bad("player", f"not for {kind}")
        return [_common(kind, fields)]
    common = _common(kind, fields)
    if common["colour"] is not None and names:
        raise _bad("colour", "name a player or a colour, not both")
    chosen: list[str | None] = [*names] or [None]
    return [{"player": name, **common} for name in chosen]


def _common(kind: str, fields: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if kind == "go":
        found["colour"] = _choice(fields, "colour", COLOURS) if _one(fields, "colour") else None
        found["scale"] = _choice(fields, "scale", SCALES)
        found["level"] = _level(fields, 0.9)
    elif kind == "results":
        found["level"] = _level(fields, 0.95)
        found["first"] = _choice(fields, "first", SIDES)
        found["unread"] = _choice(fields, "unread", UNREAD)
        found["average"] = _number(fields, "average", 2300.0, -1e6, 1e6)
    else:
        found["level"] = _level(fields, 0.9)
        found["offset"] = _choice(fields, "offset", OFFSETS)
    return found


_OF_KIND = {
    "go": ("colour", "scale", "level"),
    "results": ("level", "first", "unread", "average"),
    "backgammon": ("level", "offset"),
}
_ALL = {"kind", "player", *(name for names in _OF_KIND.values() for name in names)}


def _choice(fields: Mapping[str, Sequence[str]], name: str, offered: Sequence[str]) -> str:
    value = _one(fields, name).lower() or offered[0]
    if value not in offered:
        raise _bad(name, f"choose {', '.join(offered)}")
    return value


def _level(fields: Mapping[str, Sequence[str]], default: float) -> float:
    return _number(fields, "level", default, 0.5, 0.999)


def _number(
    fields: Mapping[str, Sequence[str]], name: str, default: float, low: float, high: float
) -> float:
    text = _one(fields, name)
    if not text:
        return default
    try:
        value = float(text)
    except ValueError:
        raise _bad(name, "this is no number") from None
    if not (isfinite(value) and low <= value <= high):
        raise _bad(name, f"give {low:g} to {high:g}")
    return value
