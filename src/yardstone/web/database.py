"""The database: its tables, in SQLite and PostgreSQL alike, and what its errors mean.

Moments are seconds since 1970. What is a list or has names of its own is JSON text.
"""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import (
    ArgumentError,
    DatabaseError,
    DBAPIError,
    OperationalError,
    SQLAlchemyError,
)
from sqlalchemy.exc import TimeoutError as NoneFree

from yardstone.errors import InputError, MissingExtraError, UsageError
from yardstone.reports.words import picked
from yardstone.web.problems import DatabaseAway, refusal

METADATA = sa.MetaData()


class _Json(sa.TypeDecorator[Any]):
    """A list, or what has names of its own, as JSON text."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: object) -> str | None:
        return None if value is None else json.dumps(value)

    def process_result_value(self, value: Any, dialect: object) -> Any:
        return None if value is None else json.loads(value)


_TYPES = {
    str: sa.Text,
    int: sa.Integer,
    float: sa.Double,
    bytes: sa.LargeBinary,
    dict: _Json,
    list: _Json,
}


def _table(name: str, keys: int = 1, /, **columns: Any) -> sa.Table:
    """A table with columns of Python's types, the first ones its key; numbers begin at 0."""
    made = []
    for place, (column, kind) in enumerate(columns.items()):
        types = [each for each in get_args(kind) if each is not NoneType]
        optional = isinstance(kind, UnionType)
        kind = types[0] if optional else kind
        key, kind = place < keys, get_origin(kind) or kind
        counts = kind is int and not (key or optional)
        made.append(
            sa.Column(
                column,
                _TYPES[kind](),
                primary_key=key,
                nullable=optional,
                server_default=sa.text("0") if counts else None,
            )
        )
    return sa.Table(name, METADATA, *made)


_MOMENTS = ("created", "started", "finished", "expires")


@dataclass(frozen=True, slots=True)
class Job:
    """A job; moments are seconds since 1970 by the clock of the database, `read` when it was read.

    `result` is JSON text, left out where it is not asked for; `keep` is the moment
    until which the uploads of a failed job, or of one that waits for a player, stay;
    `owner` is the hash of the owner's key, which older jobs lack.
    """

    id: str
    batch: str | None
    kind: str
    status: str
    client: str
    upload: str
    options: dict[str, Any]
    files: list[dict[str, Any]]
    created: float
    started: float | None
    finished: float | None
    expires: float
    attempts: int
    worker: str | None
    lease: float | None
    deadline: float | None
    stage: str
    done: int
    total: int
    players: list[dict[str, Any]] | None
    skipped: list[dict[str, Any]] | None
    skipped_total: int
    error: dict[str, Any] | None
    keep: float | None
    read: float
    owner: str | None = None
    result: str | None = None

    @classmethod
    def of_row(cls, row: Any) -> Job:
        """The job in a row of the table, as SQLAlchemy gives it."""
        return cls(**row._mapping)

    @property
    def can_retry(self) -> bool:
        """Whether it failed for no fault of its files, and these are still there."""
        return self.status == "failed" and self.keep is not None and self.keep > self.read

    def as_dict(self, *, prefix: str = "", ahead: int | None = None) -> dict[str, Any]:
        """What ``GET /api/jobs/ID`` tells; `prefix` goes before addresses."""
        fraction = self.done / self.total if self.total else 0.0
        return {
            "id": self.id,
            "url": f"{prefix}/api/jobs/{self.id}",
            "page": f"{prefix}/r/{self.id}",
            **picked(self, "kind", "status"),
            **{name: moment(getattr(self, name)) for name in _MOMENTS},
            "ahead": ahead,
            "progress": {
                **picked(self, "stage", "done", "total"),
                "fraction": 1.0 if self.status == "done" else min(fraction, 1.0),
            },
            **picked(self, "files", "options"),
            "players": self.players if self.status == "needs_player" else None,
            "skipped": self.skipped or [],
            **picked(self, "skipped_total", "error", "can_retry", "attempts", "batch"),
            "result": None if self.result is None else json.loads(self.result),
        }


def moment(seconds: float | None) -> str | None:
    """Seconds since 1970 as text, in UTC."""
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


_hints = get_type_hints(Job)
del _hints["read"]
jobs = _table("jobs", **_hints, key=str | None)
jobs.c.stage.server_default = sa.DefaultClause("waiting")
sa.Index("jobs_by_status", jobs.c.status, jobs.c.created)
sa.Index("jobs_by_client", jobs.c.client, jobs.c.status)
sa.Index("jobs_by_upload", jobs.c.upload)
sa.Index("jobs_by_expiry", jobs.c.expires)
for _name in ("key", "batch"):
    _there = jobs.c[_name].is_not(None)
    sa.Index(f"jobs_by_{_name}", jobs.c[_name], sqlite_where=_there, postgresql_where=_there)

uploads = _table("uploads", id=str, created=float, bytes=int)
#: The bytes of uploads: of each of its files the pieces in their order.
chunks = _table("chunks", 3, upload=str, file=int, place=int, data=bytes)
clients = _table("clients", client=str, served=float)
workers = _table(
    "workers",
    name=str,
    pid=int,
    started=float,
    seen=float,
    job=str | None,
    attempt=int | None,
    finished=int,
)
gone = _table("gone", mark=str, until=float)
counters = _table("counters", name=str, value=float)
secret_values = _table("secrets", name=str, value=bytes)


#: The schema of PostgreSQL that holds the tables.
_SCHEMA = "yardstone"
#: The option of a transaction that writes.
_WRITING = "yardstone_writing"
#: Seconds to wait for another process that writes to the file.
_PATIENCE = 10.0
_CONNECT = 5
#: Seconds after which a database that says nothing counts as away.
_SILENCE = 6.0
#: Kept and further connections of a process; seconds until one is free.
_KEPT, _FURTHER, _FREE = 8, 12, 5.0
#: Settings of PostgreSQL for every connection, times in milliseconds.
_OPTIONS = {
    "search_path": _SCHEMA,
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


def _address_of(text: str) -> sa.URL:
    """The address of a database of PostgreSQL; no error repeats it, as it may hold a password."""
    try:
        url = sa.make_url(text)
    except ArgumentError:
        url = None
    if url is None or url.drivername not in _DRIVERS or not url.database:
        raise UsageError("database: write postgresql://USER:PASSWORD@HOST/NAME")
    return url.set(drivername="postgresql+psycopg")


def _sqlite_engine(path: Path) -> sa.Engine:
    engine = sa.create_engine(
        sa.URL.create("sqlite", database=str(path.absolute())),
        connect_args={"timeout": _PATIENCE, "check_same_thread": False},
        pool_size=_KEPT,
        max_overflow=-1,
        hide_parameters=True,
    )

    @sa.event.listens_for(engine, "connect")
    def _prepare(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # transactions begin below, not in the driver
        for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "secure_delete = ON"):
            connection.execute(f"PRAGMA {pragma}").fetchall()

    @sa.event.listens_for(engine, "begin")
    def _begin(connection: sa.Connection) -> None:
        if connection.get_execution_options().get(_WRITING):
            connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def _postgres_engine(url: sa.URL) -> sa.Engine:
    """Connections to PostgreSQL; the first is made when it is needed."""
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
    engine = sa.create_engine(
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

    @sa.event.listens_for(engine, "do_connect")
    def _connect(_dialect: object, _record: object, given: Any, named: Any) -> Any:
        return BoundedConnection.connect(*given, **named)

    return engine


#: States of PostgreSQL in which nothing was done, and the same may be tried again.
_AGAIN = {"40001", "40P01", "55P03", "57014"}
#: States in which it does not serve: it ends, starts, is full, or only stands by.
_AWAY = {"25006", "25P03", "53300", "57P01", "57P02", "57P03", "57P05"}
#: Seconds between two tries: at first, and at most.
_FIRST, _LONGEST = 0.05, 1.0
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
#: States in which it finds no room on its disk or in memory.
_FULL = {"53100", "53200", sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}


def _trouble(error: SQLAlchemyError) -> Literal["away", "full", "passing", ""]:
    """Whether the database does not answer; or did nothing, without room or perhaps next time."""
    if isinstance(error, NoneFree):
        return "passing"
    if not isinstance(error, DBAPIError):
        return ""
    state = getattr(error.orig, "sqlstate", None) or ""
    code = int(getattr(error.orig, "sqlite_errorcode", 0)) & 0xFF
    if state in _FULL or code in _FULL:
        return "full"
    # What has no statement came while connecting; of a file that is no outage.
    connecting = isinstance(error, OperationalError) and error.statement is None
    outage = connecting and not isinstance(error.orig, sqlite3.Error)
    if outage or error.connection_invalidated or state in _AWAY or state.startswith("08"):
        return "away"
    return "passing" if state in _AGAIN or code in _BUSY else ""


class _Contact:
    """Remembers whether the database answers; if not, one thread asks it, and the others wait."""

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
        if self._since is None:
            self._since = time.monotonic()

    def lose(self) -> None:
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
                break
            except SQLAlchemyError:
                self._closed.wait(pause)
                pause = min(2.0 * pause, _LONGEST)
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


#: Bytes of a piece.
PIECE = 1 << 18


def file_name(number: int, format: str) -> str:
    """The name of a file of an upload, which archives are known by."""
    return f"{number:04d}.zip" if format == "zip" else f"{number:04d}"


def insert_chunks(connection: sa.Connection, upload: str, files: Mapping[int, Path]) -> None:
    """Store files under their numbers, as part of a transaction; a piece at a time is read."""
    for number, path in files.items():
        with path.open("rb") as file:
            for place, piece in enumerate(iter(lambda: file.read(PIECE), b"")):
                connection.execute(
                    sa.insert(chunks).values(upload=upload, file=number, place=place, data=piece)
                )


def fetch_files(
    database: Database, upload: str, files: Sequence[Mapping[str, Any]], folder: Path
) -> None:
    """Write the files of an upload, as a job names them, into a folder, a piece at a time.

    Those that nobody can read were not kept. Raises RequestProblem if they are not there any more.
    """
    for number, file in enumerate(files):
        if file["format"] == "unknown":
            continue
        path, place = folder / file_name(number, file["format"]), 0
        own = sa.select(chunks.c.data).where(chunks.c.upload == upload, chunks.c.file == number)
        with path.open("wb") as out:
            while row := database.row(own.where(chunks.c.place == place)):
                out.write(bytes(row.data))
                place += 1
        if path.stat().st_size != file["size"]:
            raise refusal("files_gone/lost")


VERSION = 3
#: The number of the lock under which tables are made.
_LOCK = 0x7961_7264_00
#: What brings tables of an older version to the next one, before what is new is made.
_CHANGES = {1: ("ALTER TABLE jobs ADD COLUMN owner TEXT",)}
#: For PostgreSQL alone: bytes that are packed already are kept as they are, and the space of
#: what was deleted is taken back soon.
_POSTGRES = (
    "ALTER TABLE chunks ALTER COLUMN data SET STORAGE EXTERNAL",
    *(
        f"ALTER TABLE {table} SET (autovacuum_vacuum_scale_factor = 0.02, "
        "autovacuum_vacuum_threshold = 200, toast.autovacuum_vacuum_scale_factor = 0.02, "
        "toast.autovacuum_vacuum_threshold = 200)"
        for table in ("jobs", "chunks")
    ),
)


def _make_tables(connection: sa.Connection, place: str, folder: Path) -> list[Path]:
    """Make the tables as they are to be; returns folders that are not needed any more."""
    postgres = connection.dialect.name == "postgresql"
    if postgres and _version_of_postgres(connection) == VERSION:
        return []
    if postgres:
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
        version = _version_of_postgres(connection)
    else:
        version = int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())
    if not 0 <= version <= VERSION:
        raise InputError(
            f"its version is {version}, and this Yardstone knows {VERSION}",
            file=place,
            hint="name another --database" if postgres else "name another folder with --data",
        )
    if version == VERSION:
        return []
    if postgres and not version:
        # IF NOT EXISTS would ask for the right to make it all the same.
        if not sa.inspect(connection).has_schema(_SCHEMA):
            connection.exec_driver_sql(f"CREATE SCHEMA {_SCHEMA}")
        connection.exec_driver_sql("CREATE TABLE version (number integer NOT NULL)")
    for older in range(max(version, 1), VERSION):
        for statement in _CHANGES.get(older, ()) if version else ():
            connection.exec_driver_sql(statement)
    METADATA.create_all(connection)
    if postgres:
        for statement in _POSTGRES:
            connection.exec_driver_sql(statement)
        connection.exec_driver_sql("DELETE FROM version")
        connection.execute(sa.text("INSERT INTO version VALUES (:number)"), {"number": VERSION})
        return []
    connection.exec_driver_sql(f"PRAGMA user_version = {VERSION}")
    folders = []
    for (upload,) in connection.execute(sa.select(uploads.c.id)).fetchall() if version else ():
        own = folder / str(upload)
        insert_chunks(connection, upload, {int(path.stem): path for path in own.glob("[0-9]*")})
        folders.append(own)
    return folders


def _version_of_postgres(connection: sa.Connection) -> int:
    # By a query of the catalogue: names are looked up in a cache that may be a step behind.
    if not sa.inspect(connection).has_table("version", schema=_SCHEMA):
        return 0
    return int(connection.exec_driver_sql(f"SELECT number FROM {_SCHEMA}.version").scalar_one())


T = TypeVar("T")
#: Seconds for which a question is asked again.
PATIENCE = 5.0
#: What PostgreSQL says when it answers, and will not do it another time either.
_REFUSALS = ("authentication failed", "does not exist", "no pg_hba.conf entry", "permission denied")


class Lock:
    """What only one transaction at a time may do, by the number of its lock."""

    ROOM = 0x7961_7264_01
    SWEEP = 0x7961_7264_02


class Database:
    """All questions to the database; safe to use from several threads.

    It is the file `path` of SQLite, made if it does not exist, or PostgreSQL at the address `url`.
    Files that an older version kept in `folder` are taken over. Raises InputError if the file
    cannot be used, PostgreSQL refuses, or a later version of Yardstone made the tables; a
    PostgreSQL that does not answer is no error yet.
    """

    def __init__(self, path: Path, folder: Path, url: str = "") -> None:
        self.shared = bool(url)
        self.place = _address_of(url).render_as_string(hide_password=True) if url else str(path)
        self.patience = PATIENCE
        self._folder = folder
        self._ready = False
        engine = _postgres_engine(_address_of(url)) if url else _sqlite_engine(path)
        self._engine = engine
        self._writes = engine.execution_options(**{_WRITING: True})
        self._reads = engine.execution_options(isolation_level="AUTOCOMMIT") if url else engine
        self.contact = _Contact(lambda: self._read(sa.select(1)))
        try:
            self._tried(lambda: None, patience=0.0)
        except (DatabaseAway, DatabaseError) as error:
            cause: Any = error.__cause__ if isinstance(error, DatabaseAway) else error
            refused = any(words in str(cause or "") for words in _REFUSALS)
            if self.shared and isinstance(error, DatabaseAway) and not refused:
                return  # it may answer later
            self.close()
            reason = " ".join(str(getattr(cause, "orig", cause)).split())  # without the statement
            raise InputError(f"cannot be used: {reason}", file=self.place) from None
        except BaseException:
            self.close()
            raise

    def rows(self, statement: sa.Executable, *, patience: float | None = None) -> list[Any]:
        """All rows that a statement gives which changes nothing."""
        return self._tried(lambda: self._read(statement), patience=patience)

    def _read(self, statement: sa.Executable) -> list[Any]:
        with self._reads.connect() as connection:
            return list(connection.execute(statement).fetchall())

    def row(self, statement: sa.Executable) -> Any:
        """The first row, or None if there is none."""
        return next(iter(self.rows(statement)), None)

    def write(
        self,
        work: Callable[[sa.Connection], T],
        *,
        patience: float | None = None,
        once: bool = False,
    ) -> T:
        """What one transaction gives: all of it happens, or nothing.

        When the line breaks while it ends, nobody knows whether it happened, and `work` is done
        again: it must find what it did before. With `once` it is not done again then. Raises
        DatabaseAway if the database does not answer within so many seconds of `patience`.
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
                trouble = _trouble(error)
                if not trouble:
                    raise
                if trouble == "away":
                    self.contact.lose()
                over = trouble == "full" or (trouble == "away" and once)
                if over or time.monotonic() + pause > end:
                    raise DatabaseAway from error
            else:
                self.contact.answered()
                return result
            time.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(2.0 * pause, _LONGEST)

    def _asked(self, action: Callable[[], T]) -> T:
        if not self._ready:
            with self._writes.begin() as connection:
                taken_over = _make_tables(connection, self.place, self._folder)
            for folder in taken_over:
                shutil.rmtree(folder, ignore_errors=True)
            self._ready = True
        return action()

    # What differs between the two

    def moment(self) -> sa.ColumnElement[float]:
        """Now, in seconds since 1970: by the clock of the database, where machines share it."""
        if not self.shared:
            return sa.literal(time.time(), sa.Double)
        return sa.cast(sa.func.extract("epoch", sa.func.statement_timestamp()), sa.Double)

    def change(self, statement: sa.Update | sa.Delete) -> None:
        """Carry a statement out, in a transaction of its own, if it is about any row.

        Looking for one keeps nobody from writing.
        """
        about = sa.select(sa.literal(1)).select_from(statement.table).limit(1)
        if statement.whereclause is not None:
            about = about.where(statement.whereclause)
        if self.row(about) is not None:
            self.write(lambda connection: connection.execute(statement))

    def put(
        self, connection: sa.Connection, table: sa.Table, values: Mapping[str, Any], **again: Any
    ) -> None:
        """Insert a row; where its key is there already, set what `again` says, or nothing."""
        made: Any = (postgresql if self.shared else sqlite).insert(table).values(values)
        keys = list(table.primary_key.columns)
        connection.execute(
            made.on_conflict_do_update(index_elements=keys, set_=again)
            if again
            else made.on_conflict_do_nothing()
        )

    def lock(self, connection: sa.Connection, lock: int) -> None:
        """Wait until no other transaction has a lock; a writer of SQLite is alone anyway."""
        if self.shared:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(lock)))

    def is_alone(self, connection: sa.Connection, lock: int) -> bool:
        """Take a lock, unless another transaction has it."""
        if not self.shared:
            return True
        return bool(connection.execute(sa.select(sa.func.pg_try_advisory_xact_lock(lock))).scalar())

    def notify(self, connection: sa.Connection, channel: str, text: str = "") -> None:
        """Tell all machines something once this transaction has happened."""
        if self.shared:
            connection.execute(sa.select(sa.func.pg_notify(channel, text)))

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
