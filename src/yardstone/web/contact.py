"""Whether the database answers, and what its errors mean for who asks."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable

from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as NoneFree

__all__ = ["Contact", "is_away", "is_full", "is_passing"]

#: States of PostgreSQL in which nothing was done, and the same may be tried again.
_AGAIN = {"40001", "40P01", "55P03", "57014"}
#: States in which it does not serve: it ends, starts, is full, or only stands by.
_AWAY = {"25006", "25P03", "53300", "57P01", "57P02", "57P03", "57P05"}
#: Seconds between two tries to reach it: at first, and at most.
_FIRST, _LONGEST = 0.05, 1.0
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
#: States in which it finds no room on its disk or in memory.
_FULL = {"53100", "53200", sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}


def is_away(error: SQLAlchemyError) -> bool:
    """Whether an error means that the database does not answer."""
    if not isinstance(error, DBAPIError):
        return False
    state = getattr(error.orig, "sqlstate", None) or ""
    if error.connection_invalidated or state in _AWAY or state.startswith("08"):
        return True
    # What has no statement came while connecting; of a file that is no outage.
    connecting = isinstance(error, OperationalError) and error.statement is None
    return connecting and not isinstance(error.orig, sqlite3.Error)


def is_passing(error: SQLAlchemyError) -> bool:
    """Whether nothing was done and it may go well the next time."""
    if isinstance(error, NoneFree):
        return True
    if not isinstance(error, DBAPIError):
        return False
    if getattr(error.orig, "sqlstate", None) in _AGAIN:
        return True
    return _of_sqlite(error) in _BUSY


def is_full(error: SQLAlchemyError) -> bool:
    """Whether nothing was done since there is no room, which will not change at once."""
    if not isinstance(error, DBAPIError):
        return False
    return getattr(error.orig, "sqlstate", None) in _FULL or _of_sqlite(error) in _FULL


def _of_sqlite(error: DBAPIError) -> int:
    return int(getattr(error.orig, "sqlite_errorcode", 0)) & 0xFF


class Contact:
    """Remembers whether the database answers.

    While it does not, one thread asks it again and again, and the others wait for that.

    Parameters
    ----------
    probe : callable
        Asks the database anything; an error means that it does not answer.
    """

    def __init__(self, probe: Callable[[], object]) -> None:
        self._probe = probe
        self._change = threading.Condition()
        self._closed = threading.Event()
        self._lost_at: float | None = None
        self._since: float | None = None

    def wait(self, patience: float) -> bool:
        """Wait while it does not answer, until so many seconds after it ceased to."""
        with self._change:
            while self._lost_at is not None:
                left = self._lost_at + patience - time.monotonic()
                if left <= 0.0 or self._closed.is_set():
                    return False
                self._change.wait(left)
        return True

    def answered(self) -> None:
        """It has answered."""
        if self._since is None:
            self._since = time.monotonic()

    def lose(self) -> None:
        """It has not."""
        with self._change:
            self._since = None
            if self._lost_at is None and not self._closed.is_set():
                self._lost_at = time.monotonic()
                threading.Thread(target=self._seek, daemon=True).start()

    def _seek(self) -> None:
        pause = _FIRST
        while not self._closed.is_set():
            try:
                self._probe()
            except SQLAlchemyError:
                self._closed.wait(pause)
                pause = min(2.0 * pause, _LONGEST)
                continue
            break
        with self._change:
            self._lost_at = None
            self._change.notify_all()

    def close(self) -> None:
        """Ask no more."""
        self._closed.set()
        with self._change:
            self._change.notify_all()

    @property
    def seconds(self) -> float:
        """For how long it has answered without a break."""
        since = self._since
        return 0.0 if since is None else time.monotonic() - since
