"""Files that name players: synonyms, lists to include or exclude.

Each line of a synonym file holds a player's main name and other names of the same
player, separated by commas, with or without double quotes. The lists hold a name a
line, in the first field.

`GrowingNames` applies them to games that come piece by piece.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from yardstone.errors import IgnoredWarning, InputError
from yardstone.pool import Pool
from yardstone.records.decoding import clean, decode, plain_cell
from yardstone.records.sources import Source, StrPath

_BLANKS = " \t\r\n\v\f"
#: A field with what stands behind it, up to the next.
_FIELD = re.compile(
    rf'(?:"(?P<quoted>[^"]*)"?[{_BLANKS}]*,?|(?P<plain>[^,]*),?)[{_BLANKS}]*', re.DOTALL
)


def parse_fields(line: str) -> list[str]:
    """The fields of one line separated by commas, some of them in double quotes.

    Blanks around fields do not count. A quoted field ends at the next quote, with
    no way to write a quote in it; a last comma begins no further field.

    Examples:
        >>> parse_fields('"Deep Blue" , Kasparov, ,"x, y"')
        ['Deep Blue', 'Kasparov', '', 'x, y']
    """
    line = line.strip(_BLANKS)
    found = (match for match in _FIELD.finditer(line) if match.start() < len(line))
    return [
        match["plain"].rstrip(_BLANKS) if match["quoted"] is None else match["quoted"]
        for match in found
    ]


def _lines(file: str | os.PathLike[str]) -> list[tuple[int, list[str]]]:
    """Number and fields of each line that is not blank."""
    data = Source(os.fspath(file), Path(file)).content()
    text = decode(data.removeprefix(b"\xef\xbb\xbf")).replace("\r\n", "\n").replace("\r", "\n")
    return [
        (number, [plain_cell(clean(field)) for field in parse_fields(line)])
        for number, line in enumerate(text.split("\n"), 1)
        if line.strip(_BLANKS)
    ]


@dataclass(frozen=True, slots=True)
class Synonyms:
    """Names that mean the same player."""

    file: str
    names: tuple[str, ...]  #: all of them, in order of the file
    main: Mapping[str, str]  #: the main name of each other name; chains are resolved
    lines: Mapping[str, int]  #: of each name


def read_synonyms(file: str | os.PathLike[str]) -> Synonyms:
    """Read a synonym file; a name that is given two main names keeps the first, with a warning.

    Raises InputError if the file cannot be read, or names are synonyms of one another in a ring.
    """
    place = os.fspath(file)
    parent: dict[str, str] = {}  # as the file has it
    top: dict[str, str] = {}  # the same with shorter ways
    lines: dict[str, int] = {}
    for number, fields in _lines(file):
        main, *others = fields
        if not others:
            continue
        for name in fields:
            lines.setdefault(name, number)
        for name in others:
            if name == main:
                continue
            if parent.setdefault(name, main) != main:
                warnings.warn(
                    f"{place}:{number}: {name!r} is already a synonym of {parent[name]!r}",
                    IgnoredWarning,
                    stacklevel=2,
                )
            elif _root(main, top) == name:
                raise InputError(
                    f"{name!r} is a synonym of itself through {main!r}",
                    file=place,
                    line=number,
                    hint="take one of the lines out",
                )
            else:
                top[name] = main
    resolved = {name: _root(name, top) for name in parent}
    return Synonyms(place, tuple(lines), resolved, lines)


def _root(name: str, top: dict[str, str]) -> str:
    """The last name of a chain, to which all names passed on the way then lead at once."""
    root = name
    while root in top:
        root = top[root]
    while name != root:
        top[name], name = root, top[name]
    return root


@dataclass(frozen=True, slots=True)
class NameList:
    """Names from a file, with the line of each."""

    file: str
    names: Mapping[str, int]


def read_name_list(file: str | os.PathLike[str]) -> NameList:
    """Read the names in the first field of each line."""
    names: dict[str, int] = {}
    for number, fields in _lines(file):
        names.setdefault(fields[0], number)
    return NameList(os.fspath(file), names)


def apply_names(
    pool: Pool,
    synonyms: Synonyms | None = None,
    include: NameList | None = None,
    exclude: NameList | None = None,
) -> Pool:
    """The pool with synonyms replaced and only the games of the players wanted.

    The names of the synonym file come first among the players, in its order,
    whether they have games or not. A game stays if both players are included and
    neither is excluded; all players stay.

    Warns:
        IgnoredWarning: About names that no game knows, with file and line.
    """
    if synonyms is None and include is None and exclude is None:
        return pool
    table = GrowingNames(synonyms, include, exclude)
    number = table.numbers(pool.players)
    table.warn_unknown()
    first, second = number[pool.first], number[pool.second]
    if synonyms is not None:
        pool = replace(pool, players=tuple(table.names), first=first, second=second)
    wanted = table.wanted(first, second)
    return pool if wanted is None else pool.select(wanted)


def read_names(
    synonyms: StrPath | None, include: StrPath | None, exclude: StrPath | None
) -> tuple[Synonyms | None, NameList | None, NameList | None]:
    """What `apply_names` takes, from files; see `yardstone.read`."""
    return (
        None if synonyms is None else read_synonyms(synonyms),
        None if include is None else read_name_list(include),
        None if exclude is None else read_name_list(exclude),
    )


def similar_names(names: Iterable[str]) -> tuple[tuple[int, ...], ...]:
    """The places of names that differ only in capitals or spaces.

    Examples:
        >>> similar_names(["Ann Lee", "Bob", "ann lee", "AnnLee"])
        ((0, 2, 3),)
    """
    spelt: dict[str, list[int]] = {}
    for row, name in enumerate(names):
        spelt.setdefault("".join(name.split()).casefold(), []).append(row)
    return tuple(tuple(rows) for rows in spelt.values() if len(rows) > 1)


def drop_rare_players(pool: Pool, threshold: int) -> Pool:
    """Only games of players who have at least `threshold` games in the pool."""
    enough = pool.played() >= threshold
    return pool.select(enough[pool.first] & enough[pool.second])


class GrowingNames:
    """Names, numbered in order of first appearance; `names` grows.

    The parameters are those of `apply_names`; names of the synonyms come first.
    """

    def __init__(
        self,
        synonyms: Synonyms | None = None,
        include: NameList | None = None,
        exclude: NameList | None = None,
    ) -> None:
        self._synonyms = synonyms or Synonyms("", (), {}, {})
        self.names = list(self._synonyms.names)
        self._number = {name: number for number, name in enumerate(self.names)}
        self._met: set[str] = set()
        both = ((include, True), (exclude, False))
        self._lists = [(names, keep) for names, keep in both if names is not None]
        self._last: tuple[Sequence[str], NDArray[np.int32]] = ((), np.zeros(0, np.int32))

    def numbers(self, names: Sequence[str]) -> NDArray[np.int32]:
        """The numbers of some players, in their order; new ones get the next."""
        if names is self._last[0]:  # the same table, further down
            return self._last[1]
        known, order, main = self._number, self.names, self._synonyms.main
        self._met.update(name for name in names if name in main)
        numbers = np.empty(len(names), np.int32)
        for place, name in enumerate(main.get(name, name) for name in names):
            number = known.setdefault(name, len(order))
            if number == len(order):
                order.append(name)
            numbers[place] = number
        self._last = (names, numbers)
        return numbers

    def wanted(
        self, first: NDArray[np.int32], second: NDArray[np.int32]
    ) -> NDArray[np.bool_] | None:
        """The games whose players are both included and not excluded; None for all."""
        wanted: NDArray[np.bool_] | None = None
        for listed, keep in self._lists:
            chosen = np.full(len(self.names), not keep)
            known = (self._number.get(self._root(name)) for name in listed.names)
            chosen[[number for number in known if number is not None]] = keep
            both = np.asarray(chosen[first] & chosen[second])
            wanted = both if wanted is None else wanted & both
        return wanted

    def _root(self, name: str) -> str:
        return self._synonyms.main.get(name, name)

    def warn_unknown(self) -> None:
        """Warn of names in the files that no game has had."""
        synonyms = self._synonyms
        unknown = [
            (synonyms.file, synonyms.lines[name], name)
            for name in synonyms.names
            if name in synonyms.main and name not in self._met
        ]
        unknown += [
            (listed.file, line, name)
            for listed, _ in self._lists
            for name, line in listed.names.items()
            if self._root(name) not in self._number
        ]
        for file, line, name in unknown:
            warnings.warn(f"{file}:{line}: no game of {name!r}", IgnoredWarning, stacklevel=3)
