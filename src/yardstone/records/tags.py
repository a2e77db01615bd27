"""What a caller asks of files whose players and results have tags of their own.

In PGN, SGF, matches and tournaments the format says who moves first and who won; only
further columns can be chosen, and each must stand in one game at least.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from yardstone.choices import no_such
from yardstone.errors import InputError, UsageError

if TYPE_CHECKING:
    from yardstone.pool import Pool
    from yardstone.records.options import Options
    from yardstone.records.sources import Source

__all__ = ["MATCHES", "PGN", "SGF", "TOURNAMENT", "Fixed", "further_columns", "require_columns"]

#: Of a file in which a tag was not found, so much is searched for those there are.
_LOOK = 1 << 20
_PGN_TAG = re.compile(rb'^[\s;]*\[\s*(\w+)\s+"', re.MULTILINE)
_SGF_TAG = re.compile(rb"([A-Z]{2})\s*\[")


@dataclass(frozen=True)
class Fixed:
    """Where a format has players, results and times.

    Attributes
    ----------
    name : str
        What messages call it.
    first, second, score, time : tuple of str
        Names by which a caller may mean what is done anyway, in small letters; the
        first of them is the one messages give.
    side : str
        Colour that moves first; empty if there are no colours.
    pattern : pattern
        Finds the names of tags.
    """

    name: str
    first: tuple[str, ...]
    second: tuple[str, ...]
    score: tuple[str, ...]
    time: tuple[str, ...]
    side: str = ""
    pattern: re.Pattern[bytes] = _PGN_TAG


PGN = Fixed(
    "PGN files", ("White",), ("Black",), ("Result",), ("Date", "UTCDate", "UTCTime"), "white"
)
SGF = Fixed(
    "SGF files",
    ("PB", "black"),
    ("PW", "white"),
    ("RE", "result"),
    ("DT", "date"),
    "black",
    _SGF_TAG,
)
MATCHES = Fixed(
    "files of matches", ("Player 1",), ("Player 2",), ("the score",), ("EventDate", "Date")
)
TOURNAMENT = Fixed(
    "files of tournaments", ("first",), ("second",), ("score", "result"), ("time", "date")
)


def further_columns(options: Options, fixed: Fixed) -> dict[str, str]:
    """The columns to make beside players, results and times, by name.

    Raises
    ------
    UsageError
        If the caller wants players, results or who moves first to be other than the
        format has them.
    """
    if options.first is not None and fixed.side and options.first != fixed.side:
        raise UsageError(
            f"in {fixed.name} {fixed.side.capitalize()} moves first: leave out first = "
            f"{options.first!r} (--first)"
        )
    names = options.further
    if not isinstance(options.columns, Mapping):
        return names
    for role in ("first", "second", "score", "time"):
        if role not in names:
            continue
        name = names.pop(role)
        usual: tuple[str, ...] = getattr(fixed, role)
        if name.casefold() not in {each.casefold() for each in usual}:
            raise UsageError(
                f"in {fixed.name} the players are {fixed.first[0]} (first) and {fixed.second[0]}, "
                f"and the result is {fixed.score[0]}: leave out {role}={name} (--columns)"
            )
    return names


def require_columns(
    pool: Pool, names: Mapping[str, str], sources: Sequence[Source], fixed: Fixed,
    others: Collection[str] = (),
) -> None:  # fmt: skip
    """Raise InputError for a column that says nothing of any game, with those that do.

    Parameters
    ----------
    pool : Pool
    names : mapping of str to str
        Names of columns, and what they were made of.
    sources : sequence of Source
        Searched for the tags there are.
    fixed : Fixed
    others : collection of str
        Further names that can be asked for.
    """
    if not len(pool):
        return
    for name, tag in names.items():
        if tag.casefold() in {each.casefold() for each in others}:
            continue
        column = pool.columns[name]
        if column.dtype.kind in "iufb" or bool((column != "").any()):
            continue
        there = [*_tags(sources, fixed), *others]
        file = sources[0].name if len(sources) == 1 else None
        raise InputError(f"in no game: {no_such('tag', tag, there)}", file=file)


def _tags(sources: Iterable[Source], fixed: Fixed) -> list[str]:
    """The tags in the first files, as far as they can be read again."""
    tags: dict[bytes, None] = {}
    for source in islice((each for each in sources if each.path is not None), 20):
        with source.open() as stream:
            tags |= dict.fromkeys(fixed.pattern.findall(stream.peek(_LOOK)))
    return [tag.decode() for tag in tags]
