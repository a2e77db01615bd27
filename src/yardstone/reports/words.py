"""Numbers and names as sentences have them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields
from math import isfinite
from typing import TYPE_CHECKING, Any

from yardstone.choices import plural as plural
from yardstone.reports.document import Column, named, reader

if TYPE_CHECKING:
    from yardstone.pool import SkipReport
    from yardstone.winprob.players import Chance


#: So many names stand in a sentence; the others are counted.
NAMES = 4


def spellings(names: Sequence[str], similar: Sequence[Sequence[int]]) -> Iterator[str]:
    """Ask whether names that differ only in capitals or spaces are of one player."""
    for rows in similar[:3]:
        alike = " and ".join(f'"{names[row]}"' for row in rows[:3])
        yield f"{alike} differ only in capitals or spaces: the same player?"
    if len(similar) > 3:
        yield f"{plural(len(similar) - 3, 'other set')} of names differ only in this way."


def join_names(names: Sequence[str], total: int | None = None, *, most: int | None = NAMES) -> str:
    """The first names of a list, and how many more there are; all of them with `most` None."""
    total = len(names) if total is None else total
    shown = list(names[:most])
    if total > len(shown):
        return ", ".join(shown) + f" and {total - len(shown):,} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def known(value: float) -> float | None:
    """The value, or None where JSON has no number."""
    return float(value) if isfinite(value) else None


def picked(source: Any, *paths: str) -> dict[str, Any]:
    """What stands at paths, such as ``name=path``, by their names; None for no number."""
    values = {name: reader(path)(source) for name, path in map(named, paths)}
    return {name: known(v) if isinstance(v, float) else v for name, v in values.items()}


def known_values(record: Any) -> dict[str, Any]:
    """The fields of a dataclass, with None where JSON has no number."""
    return picked(record, *(each.name for each in fields(record)))


def per_cent(level: float) -> str:
    """A level of confidence: 95 %."""
    return f"{100.0 * level:g} %"


def chance_text(chance: Chance) -> str:
    """A chance in per cent, its interval in brackets where there is one."""
    if not isfinite(chance.probability):
        return "–"
    value = f"{100.0 * chance.probability:.0f} %"
    if chance.low is None or chance.high is None or chance.low == chance.high:
        return value
    return f"{value} ({100.0 * chance.low:.0f}–{100.0 * chance.high:.0f})"


def chance_columns(name: str, path: str, heading: str = "", *, gives_way: int = 0) -> list[Column]:
    """A chance at a path of a row: what people read, and for files its probability and interval."""
    read = reader(path)
    ends = (f"{name}_{end}={path}.{end}" for end in ("low", "high"))
    return [
        Column("", lambda row: chance_text(read(row)), heading, left=False, gives_way=gives_way),
        *Column.files(f"{name}={path}.probability", *ends),
    ]


#: Standard errors on each side of an interval of 95 %.
NORMAL_95 = 1.959963984540054


def within(
    value: float, error: float, digits: int, scale: float = 1.0, *, reach: float = NORMAL_95
) -> str:
    """A value with its interval, `reach` standard errors on each side (95 %)."""
    return f"{scale * value:.{digits}f} ± {scale * reach * error:.{digits}f}"


#: Records that are written with their place.
PLACES = 100


def plain_skipped(skipped: SkipReport) -> dict[str, Any]:
    """How many, why, and the first of them."""
    return {
        "total": len(skipped),
        "reasons": dict(skipped.reasons.most_common()),
        "first": [asdict(record) for record in skipped.details[:PLACES]],
    }


def ordinal(number: int) -> str:
    """Return a number as a place: 1st, 2nd, 11th."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if number % 100 in (11, 12, 13) else ending}"
