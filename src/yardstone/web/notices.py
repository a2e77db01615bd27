"""What servers and workers tell each other through PostgreSQL, so that nobody has to look.

The tables alone say what there is to do and how far it is. A notice only says that it is
worth looking now: one that is lost costs the time until the next look.
"""

from __future__ import annotations

import logging
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from yardstone.web.problems import DatabaseAway

if TYPE_CHECKING:
    from yardstone.web.database import Database

__all__ = ["CHANGED", "QUEUED", "Listener"]

#: There are jobs that wait; a job and its batch have changed, whose addresses are the text.
QUEUED, CHANGED = "yardstone_queued", "yardstone_changed"
#: Seconds between two looks without notices, and with them.
_BLIND, _LISTENING = 0.25, 5.0
#: Seconds until a connection that says nothing is tried, and until another one is made.
_QUIET, _AGAIN = 15.0, 2.0


class Listener:
    """A connection on which notices come, made again when it breaks.

    Parameters
    ----------
    database : Database
        One of PostgreSQL.
    channel : str
    """

    def __init__(self, database: Database, channel: str) -> None:
        self._database = database
        self._channel = channel
        self._connection: Any = None
        self._tried = self._heard = -_AGAIN
        self._logger = logging.getLogger("yardstone.web.notices")

    @property
    def longest(self) -> float:
        """Seconds between two looks that nothing was told of."""
        return _LISTENING if self.is_listening else _BLIND

    @property
    def is_listening(self) -> bool:
        """Whether notices come."""
        return self._connection is not None

    def ring(self, jobs: int = 1) -> None:
        """Nothing: who adds a job tells it in the same transaction."""

    def wait(self, seconds: float) -> None:
        """Wait for a notice, and so many seconds at most."""
        self.notices(seconds)

    def notices(self, seconds: float) -> list[str] | None:
        """The texts of the notices that came; None if some may have been lost."""
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
            self._logger.warning("no notices: %s", type(error).__name__)
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
