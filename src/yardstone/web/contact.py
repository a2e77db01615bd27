"""Whether the database answers, and what its errors mean for who asks."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as NoneFree

from yardstone.errors import YardstoneError

__all__ = ["Contact", "DatabaseAway", "is_away", "is_passing"]

#: States of PostgreSQL in which nothing was done, and the same may be tried again.
_AGAIN = {"40001", "40P01", "55P03"}
#: States in which it does not serve: it ends, starts, is full, or only stands by.
_AWAY = {"25006", "25P03", "53300", "57P01", "57P02", "57P03", "57P05"}
#: Seconds between two questions while it does not answer.
_PAUSE = 0.5
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


class DatabaseAway(YardstoneError):
    """The database does not answer at the moment."""

    def __init__(self) -> None:
        super().__init__("the database does not answer at the moment")


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
    return getattr(error.orig, "sqlite_errorcode", 0) & 0xFF in _BUSY


class Contact:
    """Remembers whether the database answers.

    While it does not, one thread asks it now and then, and the others are told at once.
    """

    def __init__(self) -> None:
        self._asking = threading.Lock()
        self._lost: float | None = None
        self._since: float | None = None
        self._next = 0.0

    @contextmanager
    def asking(self) -> Iterator[None]:
        """A question to the database.

        Raises
        ------
        DatabaseAway
            It did not answer just now, or somebody else asks it already.
        """
        if self._lost is None:
            yield
        elif time.monotonic() >= self._next and self._asking.acquire(blocking=False):
            try:
                yield
            finally:
                self._asking.release()
        else:
            raise DatabaseAway

    def found(self) -> None:
        """It has answered."""
        if self._since is None:
            self._since = time.monotonic()
        self._lost = None

    def lose(self) -> None:
        """It has not."""
        now = time.monotonic()
        self._since, self._next = None, now + _PAUSE
        if self._lost is None:
            self._lost = now

    def end(self, patience: float) -> float:
        """Until when to ask: for so many seconds, of which those are gone that it was away.

        Else everybody who comes would wait anew, and nothing else be answered.
        """
        lost = self._lost
        return (time.monotonic() if lost is None else lost) + patience

    @property
    def seconds(self) -> float:
        """For how long it has answered without a break."""
        return 0.0 if self._since is None else time.monotonic() - self._since
