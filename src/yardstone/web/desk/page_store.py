"""Pages that were made, for one state of the tournament."""

from __future__ import annotations

import threading

__all__ = ["PageStore"]

#: Pages that are kept: a card of every player, and more.
_MOST = 500


class PageStore:
    """The pages of one state, by their addresses."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._mark = ""
        self._pages: dict[str, bytes] = {}

    def get(self, mark: str, address: str) -> bytes | None:
        """A page, if it is kept and of this state."""
        with self._lock:
            return self._pages.get(address) if mark == self._mark else None

    def keep(self, mark: str, address: str, page: bytes) -> None:
        """Keep a page; those of other states go."""
        with self._lock:
            if mark != self._mark:
                self._mark, self._pages = mark, {}
            if len(self._pages) < _MOST:
                self._pages[address] = page
