"""Values of options that are more than a number: ratings, priors, relations."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Literal

from yardstone.errors import UsageError

if TYPE_CHECKING:
    from yardstone.ratings.joint import Prior, Relation

__all__ = ["anchors", "columns", "confidence", "parameter", "priors", "relations"]

#: Between a mean and its deviation.
_PLUS_MINUS = re.compile(r"±|\+/-|\+-|,|;")


def _number(text: str, what: str) -> float:
    try:
        value = float(text.strip().removesuffix("%").replace("−", "-"))
    except ValueError:
        raise UsageError(f"{what}: {text.strip()!r} is not a number") from None
    if not isfinite(value):
        raise UsageError(f"{what}: {text.strip()!r} is not a finite number")
    return value / 100.0 if text.strip().endswith("%") else value


def _named(text: str, option: str, example: str) -> tuple[str, str]:
    """Split at the last equals sign: names may hold others."""
    name, equals, value = text.rpartition("=")
    if not equals or not name.strip():
        raise UsageError(f"{option} {text!r}: write it as {example}")
    return name.strip(), value


def _prior(text: str, what: str) -> Prior:
    from yardstone.ratings.joint import Prior

    parts = _PLUS_MINUS.split(text)
    if len(parts) != 2:
        raise UsageError(f"{what}: write a mean and a deviation, as in 2500±30 or 2500,30")
    return Prior(_number(parts[0], what), _number(parts[1], what))


def anchors(texts: Iterable[str]) -> dict[str, float]:
    """Fixed ratings: NAME=RATING."""
    fixed: dict[str, float] = {}
    for text in texts:
        name, value = _named(text, "--anchor", "NAME=RATING")
        fixed[name] = _number(value, f"--anchor {name}")
    return fixed


def priors(texts: Iterable[str]) -> dict[str, Prior]:
    """Priors of ratings: NAME=RATING±DEVIATION."""
    known = {}
    for text in texts:
        name, value = _named(text, "--prior", "NAME=RATING±DEVIATION")
        known[name] = _prior(value, f"--prior {name}")
    return known


def relations(texts: Iterable[str], players: Collection[str]) -> tuple[Relation, ...]:
    """Priors of differences: A>B=POINTS±DEVIATION. Names may hold a > themselves."""
    from yardstone.ratings.joint import Relation

    between = []
    for text in texts:
        names, value = _named(text, "--relation", "A>B=POINTS±DEVIATION")
        places = [place for place, letter in enumerate(names) if letter == ">"]
        if not places:
            raise UsageError(f"--relation {text!r}: write it as A>B=POINTS±DEVIATION")
        splits = [(names[:place].strip(), names[place + 1 :].strip()) for place in places]
        known = [pair for pair in splits if pair[0] in players and pair[1] in players]
        player, other = (known or splits)[0]
        prior = _prior(value, f"--relation {names}")
        between.append(Relation(player, other, prior.mean, prior.deviation))
    return tuple(between)


def parameter(text: str, option: str) -> float | Literal["auto"] | Prior:
    """``auto``, a number, or a number with a deviation."""
    if text.strip().lower() in ("auto", "free"):
        return "auto"
    if _PLUS_MINUS.search(text.strip()):
        return _prior(text, option)
    return _number(text, option)


def confidence(text: str) -> float:
    """A level in per cent (95, 95%) or below 1 (0.95), as a number from 0 to 1."""
    value = _number(text, "--confidence")
    level = value / 100.0 if value >= 1.0 else value
    if not 0.0 < level < 1.0:
        raise UsageError(f"--confidence: a level lies between 0 and 100 %, {text} does not")
    return level


def columns(texts: Sequence[str]) -> dict[str, str] | None:
    """Columns of tables: first=White,second=Black,score=Result."""
    names = {}
    for part in (part for text in texts for part in text.split(",")):
        name, equals, value = part.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise UsageError(f"--columns {part!r}: write it as first=NAME,second=NAME,score=NAME")
        if name.strip() in names:
            raise UsageError(f"--columns: {name.strip()!r} is named twice")
        names[name.strip()] = value.strip()
    return names or None
