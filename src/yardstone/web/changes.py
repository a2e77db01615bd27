"""Wakes who watches a job when it changes, on whatever machine that happens."""

from __future__ import annotations

import asyncio
import threading
from collections import defaultdict
from contextlib import suppress

from yardstone.web.database import Database
from yardstone.web.notices import CHANGED, Listener

__all__ = ["Changes"]

#: Seconds between two looks: where nothing tells of changes, and where something does.
_LOOKS, _LISTENING = 1.0, 5.0
#: Seconds for which notices are waited for at a time.
_ROUND = 0.25


class Changes:
    """Tells those who wait for it that a job, or a job of a batch, has changed.

    With SQLite nothing tells of changes, and one looks every second.

    Parameters
    ----------
    database : Database
    """

    def __init__(self, database: Database) -> None:
        self._listener = Listener(database, CHANGED) if database.shared else None
        self._waiting: dict[str, set[asyncio.Event]] = defaultdict(set)
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Begin to listen, for those who wait in an event loop."""
        if self._listener is not None:
            self._thread = threading.Thread(target=self._listen, args=(loop,), daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Listen no more."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def _listen(self, loop: asyncio.AbstractEventLoop) -> None:
        assert self._listener is not None
        while not self._stop.is_set():
            came = self._listener.notices(_ROUND)
            if came is None or came:
                with suppress(RuntimeError):  # the loop has ended
                    loop.call_soon_threadsafe(self._wake, came)
        self._listener.close()

    def _wake(self, texts: list[str] | None) -> None:
        """Wake those who wait for some addresses; all if nobody knows which have changed."""
        named = list(self._waiting) if texts is None else " ".join(texts).split()
        for address in named:
            for event in self._waiting.get(address, ()):
                event.set()

    async def wait(self, address: str) -> None:
        """Wait until a job or a batch may have changed."""
        listening = self._listener is not None and self._listener.is_listening
        event = asyncio.Event()
        self._waiting[address].add(event)
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(_LISTENING if listening else _LOOKS):
                    await event.wait()
        finally:
            self._waiting[address].discard(event)
            if not self._waiting[address]:
                del self._waiting[address]
