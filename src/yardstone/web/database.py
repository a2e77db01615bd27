"""The database that holds the truth about all jobs: a file of SQLite, or PostgreSQL.

What is deleted from the file is overwritten (``secure_delete``), so that no trace of it
stays in it. Of PostgreSQL, which any number of machines may share, the clock counts, not
theirs; what it is asked is asked again while it starts anew or the line to it is cut.
"""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import (
    ColumnElement,
    Connection,
    Double,
    Executable,
    Table,
    cast,
    func,
    literal,
    select,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DatabaseError, OperationalError, SQLAlchemyError

from yardstone.errors import InputError
from yardstone.web.contact import Contact, is_away, is_full, is_passing
from yardstone.web.engines import WRITING, address_of, postgres_engine, sqlite_engine
from yardstone.web.problems import DatabaseAway
from yardstone.web.schema import prepare

__all__ = ["PATIENCE", "Database", "Lock"]

T = TypeVar("T")
#: Seconds for which a question is asked again.
PATIENCE = 5.0
#: Seconds between two tries: at first, and at most.
_FIRST, _LONGEST = 0.05, 1.0
#: What PostgreSQL says when it answers, and will not do it another time either.
_REFUSALS = ("authentication failed", "does not exist", "no pg_hba.conf entry", "permission denied")


class Lock:
    """What only one transaction at a time may do, by the number of its lock."""

    ROOM = 0x7961_7264_01
    SWEEP = 0x7961_7264_02


class Database:
    """All questions to the database; safe to use from several threads.

    Parameters
    ----------
    path : Path
        The file of SQLite; made if it does not exist.
    folder : Path
        Where an older version kept the files that were sent: they are taken over.
    url : str
        The address of PostgreSQL in place of the file.

    Raises
    ------
    InputError
        The file cannot be used, PostgreSQL refuses, or a later version of Yardstone made
        the tables. A PostgreSQL that does not answer is no error yet.
    """

    def __init__(self, path: Path, folder: Path, url: str = "") -> None:
        self.shared = bool(url)
        self.place = address_of(url).render_as_string(hide_password=True) if url else str(path)
        self.patience = PATIENCE
        self._folder = folder
        self._ready = False
        engine = postgres_engine(address_of(url)) if url else sqlite_engine(path)
        self._engine = engine
        self._writes = engine.execution_options(**{WRITING: True})
        self._reads = engine.execution_options(isolation_level="AUTOCOMMIT") if url else engine
        self.contact = Contact(lambda: self._read(select(1)))
        try:
            self._check()
        except BaseException:
            self.close()
            raise

    def _check(self) -> None:
        """Have the tables made, where that can be done now."""
        try:
            self._tried(lambda: None, patience=0.0)
        except DatabaseAway as error:
            reason = str(error.__cause__ or "")
            if not self.shared or any(words in reason for words in _REFUSALS):
                raise InputError(f"cannot be used: {_reason(error)}", file=self.place) from None
        except DatabaseError as error:
            raise InputError(f"cannot be used: {_reason(error)}", file=self.place) from None

    # Questions

    def rows(self, statement: Executable, *, patience: float | None = None) -> list[Any]:
        """All rows that a statement gives which changes nothing."""
        return self._tried(lambda: self._read(statement), patience=patience)

    def _read(self, statement: Executable) -> list[Any]:
        with self._reads.connect() as connection:
            return list(connection.execute(statement).fetchall())

    def row(self, statement: Executable) -> Any:
        """The first row, or None if there is none."""
        rows = self.rows(statement)
        return rows[0] if rows else None

    def write(
        self, work: Callable[[Connection], T], *, patience: float | None = None, once: bool = False
    ) -> T:
        """What one transaction gives: all of it happens, or nothing.

        When the line breaks while it ends, nobody knows whether it happened, and `work` is
        done again: it must find what it did before. With `once` it is not done again then.

        Raises
        ------
        DatabaseAway
            The database does not answer within so many seconds of `patience`.
        """

        def transaction() -> T:
            with self._writes.begin() as connection:
                return work(connection)

        return self._tried(transaction, patience=patience, once=once)

    def _tried(
        self, action: Callable[[], T], *, patience: float | None = None, once: bool = False
    ) -> T:
        patience = self.patience if patience is None else patience
        end = time.monotonic() + patience
        pause = _FIRST
        while True:
            if not self.contact.wait(patience):
                raise DatabaseAway
            try:
                result = self._asked(action)
            except SQLAlchemyError as error:
                away = is_away(error)
                if is_full(error):
                    raise DatabaseAway from error
                if away:
                    self.contact.lose()
                elif not is_passing(error):
                    raise
                if (away and once) or time.monotonic() + pause > end:
                    raise DatabaseAway from error
            else:
                self.contact.answered()
                return result
            time.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(2.0 * pause, _LONGEST)

    def _asked(self, action: Callable[[], T]) -> T:
        if not self._ready:
            with self._writes.begin() as connection:
                taken_over = prepare(connection, self.place, self._folder)
            for folder in taken_over:
                shutil.rmtree(folder, ignore_errors=True)
            self._ready = True
        return action()

    # What differs between the two

    def moment(self) -> ColumnElement[float]:
        """Now, in seconds since 1970: by the clock of the database, where machines share it."""
        if not self.shared:
            return literal(time.time(), Double)
        return cast(func.extract("epoch", func.statement_timestamp()), Double)

    def insert(self, table: Table) -> postgresql.Insert | sqlite.Insert:
        """An INSERT that may say what to do with a row that is there already."""
        return postgresql.insert(table) if self.shared else sqlite.insert(table)

    def lock(self, connection: Connection, lock: int) -> None:
        """Wait until no other transaction has a lock; a writer of SQLite is alone anyway."""
        if self.shared:
            connection.execute(select(func.pg_advisory_xact_lock(lock)))

    def is_alone(self, connection: Connection, lock: int) -> bool:
        """Take a lock, unless another transaction has it."""
        if not self.shared:
            return True
        return bool(connection.execute(select(func.pg_try_advisory_xact_lock(lock))).scalar())

    def notify(self, connection: Connection, channel: str, text: str = "") -> None:
        """Tell all machines something once this transaction has happened."""
        if self.shared:
            connection.execute(select(func.pg_notify(channel, text)))

    def own_connection(self) -> Any:
        """A connection of the driver's that nobody else uses."""

        def connect() -> Any:
            raw = self._engine.raw_connection()
            own = raw.driver_connection
            raw.detach()
            return own

        return self._tried(connect, patience=0.0)

    def forget(self) -> None:
        """Empty the file's log of changes, so that nothing deleted is left in it either."""
        if not self.shared:
            with suppress(OperationalError), self._reads.connect() as connection:
                # While others read, the next time will do.
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        """Close all connections that nobody uses."""
        self.contact.close()
        self._engine.dispose()


def _reason(error: BaseException) -> str:
    """What the database says, in a line, without the statement."""
    cause: Any = error.__cause__ if isinstance(error, DatabaseAway) else error
    return " ".join(str(getattr(cause, "orig", cause)).split())
