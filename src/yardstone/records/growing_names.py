"""The players of games that come piece by piece, and whose games are wanted."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from yardstone.records.names import read_name_list, read_synonyms, warn_unknown

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["GrowingNames"]

StrPath = str | os.PathLike[str]


class GrowingNames:
    """Names, numbered in order of first appearance; it grows.

    Parameters
    ----------
    synonyms, include, exclude : path, optional
        Files with names, as in `yardstone.read`. Those of the synonym file come first.

    Attributes
    ----------
    names : list of str
    """

    def __init__(
        self,
        synonyms: StrPath | None = None,
        include: StrPath | None = None,
        exclude: StrPath | None = None,
    ) -> None:
        self._synonyms = None if synonyms is None else read_synonyms(synonyms)
        self._main = {} if self._synonyms is None else self._synonyms.main
        self.names = [] if self._synonyms is None else list(self._synonyms.names)
        self._number = {name: number for number, name in enumerate(self.names)}
        self._met: set[str] = set()
        self._lists = [
            (None if file is None else read_name_list(file), keep)
            for file, keep in ((include, True), (exclude, False))
        ]
        self._last: tuple[Sequence[str], NDArray[np.int32]] = ((), np.zeros(0, np.int32))

    def numbers(self, names: Sequence[str]) -> NDArray[np.int32]:
        """The numbers of some players, in their order; new ones get the next."""
        if names is self._last[0]:  # the same table, further down
            return self._last[1]
        known, order, main = self._number, self.names, self._main
        if self._synonyms is not None:
            self._met.update(name for name in names if name in self._synonyms.lines)
            names_here: Sequence[str] = [main.get(name, name) for name in names]
        else:
            names_here = names
        numbers = np.empty(len(names_here), np.int32)
        for place, name in enumerate(names_here):
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
            if listed is None:
                continue
            chosen = np.full(len(self.names), not keep)
            known = (self._number.get(self._main.get(name, name)) for name in listed.names)
            chosen[[number for number in known if number is not None]] = keep
            both = np.asarray(chosen[first] & chosen[second])
            wanted = both if wanted is None else wanted & both
        return wanted

    def warn_unknown(self) -> None:
        """Warn of names in the files that no game has had."""
        if self._synonyms is not None:
            for name in self._synonyms.names:
                if name not in self._met and name in self._main:
                    warn_unknown(name, self._synonyms.file, self._synonyms.lines[name])
        for listed, _ in self._lists:
            for name, line in ({} if listed is None else listed.names).items():
                if self._main.get(name, name) not in self._number:
                    warn_unknown(name, None if listed is None else listed.file, line)
