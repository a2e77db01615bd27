"""Makes the tables, and brings those of an older version to this one."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, func, select, text

from yardstone.errors import InputError
from yardstone.web.engines import SCHEMA
from yardstone.web.stored_files import insert_chunks
from yardstone.web.tables import METADATA, uploads

__all__ = ["VERSION", "prepare"]

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


def prepare(connection: Connection, place: str, folder: Path) -> list[Path]:
    """Make the tables as they are to be, in a transaction; several may try at once.

    Gives the folders that are not needed any more once that has happened.

    Parameters
    ----------
    connection : Connection
    place : str
        What the database is called in messages.
    folder : Path
        Where an older version kept the files that were sent.

    Raises
    ------
    InputError
        A later version of Yardstone made the tables.
    """
    postgres = connection.dialect.name == "postgresql"
    if postgres and _version_of_postgres(connection) == VERSION:
        return []
    if postgres:
        connection.execute(select(func.pg_advisory_xact_lock(_LOCK)))
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
        _make_schema(connection)
    for older in range(max(version, 1), VERSION):
        for statement in _CHANGES.get(older, ()) if version else ():
            connection.exec_driver_sql(statement)
    METADATA.create_all(connection)
    if postgres:
        for statement in _POSTGRES:
            connection.exec_driver_sql(statement)
        connection.exec_driver_sql("DELETE FROM version")
        connection.execute(text("INSERT INTO version VALUES (:number)"), {"number": VERSION})
        return []
    connection.exec_driver_sql(f"PRAGMA user_version = {VERSION}")
    return _take_over(connection, folder) if version else []


def _version_of_postgres(connection: Connection) -> int:
    """The version of the tables; 0 if there are none."""
    # By a query of the catalogue: names are looked up in a cache that may be a step behind.
    there = connection.execute(
        text(
            "SELECT 1 FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace "
            "WHERE nspname = :schema AND relname = 'version'"
        ),
        {"schema": SCHEMA},
    )
    if there.scalar() is None:
        return 0
    return int(connection.exec_driver_sql(f"SELECT number FROM {SCHEMA}.version").scalar_one())


def _make_schema(connection: Connection) -> None:
    there = connection.execute(
        text("SELECT 1 FROM pg_namespace WHERE nspname = :name"), {"name": SCHEMA}
    ).scalar()
    if there is None:  # IF NOT EXISTS would ask for the right to make it all the same
        connection.exec_driver_sql(f"CREATE SCHEMA {SCHEMA}")
    connection.exec_driver_sql("CREATE TABLE version (number integer NOT NULL)")


def _take_over(connection: Connection, folder: Path) -> list[Path]:
    """Copy the files of uploads from their folders into the table; which folders that were."""
    folders = []
    for (upload,) in connection.execute(select(uploads.c.id)).fetchall():
        own = folder / str(upload)
        files = {int(path.stem): path for path in own.glob("[0-9]*")}
        insert_chunks(connection, upload, files)
        folders.append(own)
    return folders
