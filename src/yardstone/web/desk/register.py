"""The list of a federation, searched by the beginnings of names."""

from __future__ import annotations

import threading
import unicodedata
from functools import cached_property
from pathlib import Path

from yardstone.tournament.event.entries import EventEntry
from yardstone.tournament.event.rating_lists import RatingRegister, read_register

__all__ = ["Register"]


class Register:
    """A federation's list, read when it is first asked.

    Parameters
    ----------
    file : Path
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._list: RatingRegister | None = None

    @property
    def players(self) -> RatingRegister:
        """The list.

        Raises
        ------
        InputError
            The file cannot be read.
        """
        with self._lock:
            if self._list is None:
                self._list = read_register(self._file)
            return self._list

    @cached_property
    def _names(self) -> list[tuple[str, str]]:
        """Both orders of all names, folded."""
        return [
            (_folded(each.name + each.first_name), _folded(each.first_name + each.name))
            for each in self.players.entries
        ]

    def beginning(self, text: str, most: int) -> list[EventEntry]:
        """Players whose name, in either order, begins with the text, or who have the number."""
        if text.strip().isdecimal():
            return self.players.candidates(text.strip())
        wanted = _folded(text)
        if not wanted:
            return []
        matching = [
            entry
            for entry, (one, other) in zip(self.players.entries, self._names, strict=True)
            if one.startswith(wanted) or other.startswith(wanted)
        ]
        return sorted(matching, key=lambda entry: -(entry.rating or 0.0))[:most]


def _folded(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text).casefold()
    return "".join(letter for letter in letters if letter.isalnum())
