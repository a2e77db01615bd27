"""The tables of the server, as SQLite and PostgreSQL both have them.

Moments are seconds since 1970. What is a list or has names of its own is JSON text.
"""

from __future__ import annotations

from sqlalchemy import (
    Column,
    Double,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    text,
)

__all__ = ["METADATA", "chunks", "clients", "counters", "gone", "jobs", "secret_values", "uploads"]
__all__ += ["workers"]

METADATA = MetaData()


def _number(name: str) -> Column[int]:
    return Column(name, Integer, nullable=False, server_default=text("0"))


def _moment(name: str, *, nullable: bool = False) -> Column[float]:
    return Column(name, Double, nullable=nullable)


jobs = Table(
    "jobs",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("batch", Text),
    Column("kind", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("client", Text, nullable=False),
    Column("upload", Text, nullable=False),
    Column("options", Text, nullable=False),
    Column("files", Text, nullable=False),
    _moment("created"),
    _moment("started", nullable=True),
    _moment("finished", nullable=True),
    _moment("expires"),
    _number("attempts"),
    Column("worker", Text),
    _moment("lease", nullable=True),
    _moment("deadline", nullable=True),
    Column("stage", Text, nullable=False, server_default=text("'waiting'")),
    _number("done"),
    _number("total"),
    Column("players", Text),
    Column("skipped", Text),
    _number("skipped_total"),
    Column("error", Text),
    _moment("keep", nullable=True),
    Column("result", Text),
    Column("key", Text),
    Column("owner", Text),
)
for _name, _columns in {
    "jobs_by_key": (jobs.c.key,),
    "jobs_by_batch": (jobs.c.batch,),
}.items():
    _there = _columns[0].is_not(None)
    Index(_name, *_columns, sqlite_where=_there, postgresql_where=_there)
Index("jobs_by_status", jobs.c.status, jobs.c.created)
Index("jobs_by_client", jobs.c.client, jobs.c.status)
Index("jobs_by_upload", jobs.c.upload)
Index("jobs_by_expiry", jobs.c.expires)

uploads = Table(
    "uploads",
    METADATA,
    Column("id", Text, primary_key=True),
    _moment("created"),
    Column("bytes", Integer, nullable=False),
)
#: The bytes of uploads: of each of its files the pieces in their order.
chunks = Table(
    "chunks",
    METADATA,
    Column("upload", Text, primary_key=True),
    Column("file", Integer, primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("data", LargeBinary, nullable=False),
)
clients = Table(
    "clients",
    METADATA,
    Column("client", Text, primary_key=True),
    _moment("served"),
)
workers = Table(
    "workers",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("pid", Integer, nullable=False),
    _moment("started"),
    _moment("seen"),
    Column("job", Text),
    Column("attempt", Integer),
    _number("finished"),
)
gone = Table(
    "gone",
    METADATA,
    Column("mark", Text, primary_key=True),
    _moment("until"),
)
counters = Table(
    "counters",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("value", Double, nullable=False),
)
secret_values = Table(
    "secrets",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("value", LargeBinary, nullable=False),
)
