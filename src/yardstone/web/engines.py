"""How the server reaches its database: SQLite in a file, or PostgreSQL by an address.

Every question to PostgreSQL has an end: connecting, a statement, waiting for a lock, and
silence, which a line that was cut without a word looks like from here.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError

from yardstone.errors import MissingExtraError, UsageError

if TYPE_CHECKING:
    from collections.abc import Generator

__all__ = ["SCHEMA", "WRITING", "address_of", "postgres_engine", "sqlite_engine"]

#: The schema of PostgreSQL that holds the tables.
SCHEMA = "yardstone"
#: The option of a transaction that writes.
WRITING = "yardstone_writing"
#: Seconds to wait for another process that writes to the file.
_PATIENCE = 10.0
_CONNECT = 5
#: Seconds after which a database that says nothing counts as away.
_SILENCE = 6.0
#: Kept and further connections of a process; seconds until one is free.
_KEPT, _FURTHER, _FREE = 8, 12, 5.0
#: Settings of PostgreSQL for every connection, times in milliseconds.
_OPTIONS = {
    "search_path": SCHEMA,
    "statement_timeout": "5000",
    "lock_timeout": "3000",
    "idle_in_transaction_session_timeout": "20000",
    "default_transaction_isolation": "read\\ committed",
    "jit": "off",
    # So that the database lets go of who is no longer there.
    "tcp_keepalives_idle": "10",
    "tcp_keepalives_interval": "3",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "15000",
}
_KEEPALIVE = {
    "keepalives": 1,
    "keepalives_idle": 10,
    "keepalives_interval": 3,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}
_DRIVERS = ("postgresql", "postgres", "postgresql+psycopg")


def address_of(text: str) -> URL:
    """The address of a database of PostgreSQL.

    Raises
    ------
    UsageError
        It is none. What it holds is not repeated: a password may be in it.
    """
    try:
        url = make_url(text)
    except ArgumentError:
        url = None
    if url is None or url.drivername not in _DRIVERS or not url.database:
        raise UsageError("database: write postgresql://USER:PASSWORD@HOST/NAME")
    return url.set(drivername="postgresql+psycopg")


def sqlite_engine(path: Path) -> Engine:
    """Connections to a file, made if it does not exist."""
    engine = create_engine(
        URL.create("sqlite", database=str(path.absolute())),
        connect_args={"timeout": _PATIENCE, "check_same_thread": False},
        pool_size=_KEPT,
        max_overflow=-1,
        hide_parameters=True,
    )

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # transactions begin below, not in the driver
        for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "secure_delete = ON"):
            connection.execute(f"PRAGMA {pragma}").fetchall()

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        if connection.get_execution_options().get(WRITING):
            connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def postgres_engine(url: URL) -> Engine:
    """Connections to PostgreSQL; the first is made when it is needed.

    Raises
    ------
    MissingExtraError
        Its driver is not installed.
    """
    try:
        from psycopg import Connection as PostgresConnection
        from psycopg import OperationalError
    except ModuleNotFoundError:
        raise MissingExtraError("psycopg", "postgres") from None

    class BoundedConnection(PostgresConnection[Any]):
        """A connection whose every answer comes in time, or that is closed."""

        def wait(self, gen: Generator[Any, Any, Any], *given: Any, **more: Any) -> Any:
            bounded = gen if more.get("timeout") is not None else self._bounded(gen)
            return super().wait(bounded, *given, **more)

        def _bounded(self, waiting: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
            end = time.monotonic() + _SILENCE
            try:
                wanted = next(waiting)
                while True:
                    ready = yield wanted
                    if not ready and time.monotonic() > end:
                        self.close()
                        raise OperationalError("the database does not answer")
                    wanted = waiting.send(ready)
            except StopIteration as ended:
                return ended.value

    options = " ".join(f"-c {name}={value}" for name, value in _OPTIONS.items())
    own = url.query.get("options", "")
    own = own if isinstance(own, str) else " ".join(own)
    engine = create_engine(
        url.difference_update_query(["options"]),
        connect_args={
            "connect_timeout": _CONNECT,
            "application_name": "yardstone",
            "options": f"{options} {own}".strip(),
            **_KEEPALIVE,
        },
        pool_pre_ping=True,
        pool_size=_KEPT,
        max_overflow=_FURTHER,
        pool_timeout=_FREE,
        hide_parameters=True,
    )

    @event.listens_for(engine, "do_connect")
    def _connect(_dialect: object, _record: object, given: Any, named: Any) -> Any:
        return BoundedConnection.connect(*given, **named)

    return engine
