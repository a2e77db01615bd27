"""What servers and workers tell each other through PostgreSQL, so that nobody has to look.

The tables alone say what there is to do and how far it is. A notice only says that it is
worth looking now: one that is lost costs the time until the next look.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import defaultdict
from contextlib import suppress
from typing import Any

from yardstone.web.database import Database
from yardstone.web.problems import DatabaseAway

#: There are jobs that wait; a job and its batch have changed, whose addresses are the text.
QUEUED, CHANGED = "yardstone_queued", "yardstone_changed"
#: Seconds between two looks without notices, and with them.
_BLIND, _LISTENING = 0.25, 5.0
_LOGGER = logging.getLogger("yardstone.web.notices")
#: Seconds until a connection that says nothing is tried, and until another one is made.
_QUIET, _AGAIN = 15.0, 2.0


class Listener:
    """A connection to PostgreSQL on which notices come, made again when it breaks."""

    def __init__(self, database: Database, channel: str) -> None:
        self._database = database
        self._channel = channel
        self._connection: Any = None
        self._tried = self._heard = -_AGAIN

    @property
    def longest(self) -> float:
        """Seconds between two looks that nothing was told of."""
        return _LISTENING if self.is_listening else _BLIND

    @property
    def is_listening(self) -> bool:
        """Whether notices come."""
        return self._connection is not None

    def wait(self, seconds: float) -> list[str] | None:
        """Wait for notices, and so many seconds at most: their texts, None if some may be lost."""
        end = time.monotonic() + seconds
        try:
            if self._connection is None:
                if self._connect():
                    return None
                time.sleep(max(min(seconds, _BLIND), 0.0))
                return []
            if time.monotonic() - self._heard > _QUIET:
                self._connection.execute("SELECT 1")
                self._heard = time.monotonic()
            left = max(end - time.monotonic(), 0.0)
            came = [each.payload for each in self._connection.notifies(timeout=left, stop_after=1)]
        except Exception as error:
            _LOGGER.warning("no notices: %s", type(error).__name__)
            self.close()
            return []
        if came:
            self._heard = time.monotonic()
        return came

    def _connect(self) -> bool:
        """Listen, unless that was tried just now; whether that went well."""
        if time.monotonic() - self._tried < _AGAIN:
            return False
        self._tried = time.monotonic()
        with suppress(DatabaseAway):
            self._connection = self._database.own_connection()
            self._connection.autocommit = True
            self._connection.execute(f"LISTEN {self._channel}")
            self._heard = time.monotonic()
            return True
        return False

    def close(self) -> None:
        """End the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(Exception):
                connection.close()


#: Seconds between two looks: where nothing tells of changes, and where something does.
_LOOKS, _LOOKS_LISTENING = 1.0, 5.0
#: Seconds for which notices are waited for at a time.
_ROUND = 0.25


class Changes:
    """Tells those who wait for it that a job, or a job of a batch, has changed.

    With SQLite nothing tells of changes, and one looks every second.
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
            came = self._listener.wait(_ROUND)
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
                async with asyncio.timeout(_LOOKS_LISTENING if listening else _LOOKS):
                    await event.wait()
        finally:
            self._waiting[address].discard(event)
            if not self._waiting[address]:
                del self._waiting[address]
