"""The SQLite file that holds the truth about all jobs.

Every process opens it by itself; each thread has a connection of its own. What is
deleted is overwritten (``secure_delete``), so that no trace of it stays in the file.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from yardstone.errors import InputError

__all__ = ["Database"]

#: Seconds to wait for another process that writes.
_PATIENCE = 10.0
_VERSION = 2
_SCHEMA = """
CREATE TABLE IF NOT EXISTS jobs (
    id TEXT PRIMARY KEY, batch TEXT, kind TEXT NOT NULL, status TEXT NOT NULL,
    client TEXT NOT NULL, upload TEXT NOT NULL, options TEXT NOT NULL, files TEXT NOT NULL,
    created REAL NOT NULL, started REAL, finished REAL, expires REAL NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0, worker TEXT, lease REAL, deadline REAL,
    stage TEXT NOT NULL DEFAULT 'waiting', done INTEGER NOT NULL DEFAULT 0,
    total INTEGER NOT NULL DEFAULT 0, players TEXT, skipped TEXT,
    skipped_total INTEGER NOT NULL DEFAULT 0, error TEXT, keep REAL, result TEXT, key TEXT,
    owner TEXT
);
CREATE INDEX IF NOT EXISTS jobs_by_key ON jobs (key) WHERE key IS NOT NULL;
CREATE INDEX IF NOT EXISTS jobs_by_status ON jobs (status, created);
CREATE INDEX IF NOT EXISTS jobs_by_client ON jobs (client, status);
CREATE INDEX IF NOT EXISTS jobs_by_batch ON jobs (batch) WHERE batch IS NOT NULL;
CREATE INDEX IF NOT EXISTS jobs_by_upload ON jobs (upload);
CREATE INDEX IF NOT EXISTS jobs_by_expiry ON jobs (expires);
CREATE TABLE IF NOT EXISTS uploads (
    id TEXT PRIMARY KEY, created REAL NOT NULL, bytes INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS clients (client TEXT PRIMARY KEY, served REAL NOT NULL);
CREATE TABLE IF NOT EXISTS workers (
    name TEXT PRIMARY KEY, pid INTEGER NOT NULL, started REAL NOT NULL, seen REAL NOT NULL,
    job TEXT, attempt INTEGER, finished INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS gone (mark TEXT PRIMARY KEY, until REAL NOT NULL);
CREATE TABLE IF NOT EXISTS counters (name TEXT PRIMARY KEY, value REAL NOT NULL);
CREATE TABLE IF NOT EXISTS secrets (name TEXT PRIMARY KEY, value BLOB NOT NULL);
"""
#: What brings the file of an older version to this one.
_CHANGES = {1: ("ALTER TABLE jobs ADD COLUMN owner TEXT",)}


class Database:
    """Connections to the file, one a thread.

    Parameters
    ----------
    path : Path
        The file; made if it does not exist.

    Raises
    ------
    InputError
        It cannot be opened, or a later version of Yardstone made it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._local = threading.local()
        self._lock = threading.Lock()
        self._open: list[sqlite3.Connection] = []
        try:
            with self.writing() as connection:
                version = int(connection.execute("PRAGMA user_version").fetchone()[0])
                if not 0 <= version <= _VERSION:
                    raise InputError(
                        f"its version is {version}, and this Yardstone knows {_VERSION}",
                        file=str(path),
                        hint="name another folder with --data",
                    )
                for statement in _CHANGES.get(version, ()):
                    connection.execute(statement)
                for statement in _SCHEMA.split(";"):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {_VERSION}")
        except sqlite3.Error as error:
            self.close()
            raise InputError(f"cannot be used: {error}", file=str(path)) from None
        except BaseException:
            self.close()
            raise

    def connection(self) -> sqlite3.Connection:
        """The connection of this thread."""
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = sqlite3.connect(
                self.path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
            )
            connection.row_factory = sqlite3.Row
            for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "secure_delete = ON"):
                connection.execute(f"PRAGMA {pragma}")
            self._local.connection = connection
            with self._lock:
                self._open.append(connection)
        return connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction that writes: all of it happens, or nothing."""
        connection = self.connection()
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")

    def forget(self) -> None:
        """Empty the log of changes, so that nothing deleted is left in it either."""
        with suppress(sqlite3.OperationalError):  # others read: the next time will do
            self.connection().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        """Close the connections of all threads."""
        with self._lock:
            for connection in self._open:
                connection.close()
            self._open.clear()
        self._local = threading.local()
