"""Tables in files, databases and frames, each handed to DuckDB in its own way."""

from __future__ import annotations

import csv
import os
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from yardstone.errors import InputError, StrictError
from yardstone.pool import Pool, Skipped, SkipReport
from yardstone.records.dates import DateOrder
from yardstone.records.delimited import Dialect, find_dialect, repair
from yardstone.records.results import Side
from yardstone.records.table_results import Meaning, quoted
from yardstone.records.tables import connect, pool_of_rows
from yardstone.records.text import clean, decode
from yardstone.records.unread import warn_skipped

if TYPE_CHECKING:
    import duckdb

    from yardstone.records.sources import Source

__all__ = ["pool_of_frame", "query", "read_table"]

Columns = Mapping[str, str] | Iterable[str] | None
Results = Mapping[str, object] | str | None

_SQLITE = b"SQLite format 3\0"
_DUCKDB_COMPRESSION = {None: "none", "gzip": "gzip", "Zstandard": "zstd"}


def read_table(source: Source, kind: str, meaning: Meaning) -> Pool:
    """The games of one file, of the kind that has this name among the formats."""
    if kind == "database":
        return _read_database(source, meaning)
    with _local_file(source, kind) as (path, compression), _connection(source.name) as connection:
        options: dict[str, Any] = {"file": source.name, "meaning": meaning}
        if kind == "csv":
            return _read_csv(connection, path, compression, options)
        if kind == "arrow":
            connection.register("frame", _arrow_table(path, source.name))
            return pool_of_rows(connection, "frame", **options)
        function = {"parquet": "read_parquet", "json": "read_json"}[kind]
        more = f", compression = '{compression}'" if kind == "json" else ""
        return pool_of_rows(connection, f"{function}({_text(path)}{more})", **options)


def query(
    sql: str,
    database: str | os.PathLike[str] | None = None,
    *,
    columns: Columns = None,
    first: Side | None = None,
    results: Results = None,
    strict: bool = False,
    skip_unread: bool = False,
    dates: DateOrder | None = None,
    times: bool = False,
    levels: bool = False,
) -> Pool:
    """The pool of the rows that a query gives.

    Parameters
    ----------
    sql : str
        A SELECT. Without a database it reads files itself, as DuckDB can:
        ``SELECT * FROM 'games/*.parquet'``.
    database : path, optional
        A DuckDB or SQLite file; it is only read.
    columns : mapping or iterable of str, optional
        Which columns hold what, as in `yardstone.read`.
    first : {"white", "black"}, optional
        The side that moves first, if columns and results do not tell.
    results : mapping or str, optional
        What values of the result mean, as in `yardstone.read`.
    strict : bool
        Raise at the first row that cannot be used.
    skip_unread : bool
        Go on even if much cannot be read.
    dates, times, levels
        How dates are written, whether they matter, and whether to take grades, ratings
        and handicaps along; as in `yardstone.read`.

    Raises
    ------
    InputError
        If the query or the database cannot be used.

    Warns
    -----
    SkippedWarning
        If rows were left out.

    Examples
    --------
    >>> import yardstone
    >>> yardstone.query("SELECT 'Ann' AS white, 'Bob' AS black, '1-0' AS result")
    <Pool: 1 games of 2 players>
    """
    meaning = Meaning(columns, first, results, strict, skip_unread, dates, times, levels)
    pool = _queried(sql, database, meaning)
    warn_skipped(pool.skipped)
    return pool


def _queried(sql: str, database: str | os.PathLike[str] | None, meaning: Meaning) -> Pool:
    name = "query" if database is None else os.fspath(database)
    options: dict[str, Any] = {"file": name, "meaning": meaning}
    rows = f"({sql.strip().rstrip(';')})"
    with _connection(name) as connection:
        if database is None:
            return pool_of_rows(connection, rows, **options)
        path = Path(database)
        if not path.is_file():
            raise InputError("no such database", file=name, mend="check its name")
        with path.open("rb") as file:
            magic = file.read(len(_SQLITE))
        if magic == _SQLITE:
            with _sqlite_rows(path, sql) as table:
                return _read_csv(connection, table, "none", {**options, "line_of": int})
        connection.execute(f"ATTACH {_text(path)} AS source (READ_ONLY)")
        connection.execute("USE source")
        return pool_of_rows(connection, rows, **options)


def pool_of_frame(
    frame: Any,
    *,
    columns: Columns = None,
    first: Side | None = None,
    results: Results = None,
    strict: bool = False,
    skip_unread: bool = False,
    dates: DateOrder | None = None,
    levels: bool = False,
) -> Pool:
    """The games of a frame of pandas, polars or Arrow."""
    meaning = Meaning(columns, first, results, strict, skip_unread, dates=dates, levels=levels)
    with _connection("frame") as connection:
        try:
            connection.register("frame", frame)
        except Exception:
            if not hasattr(frame, "__arrow_c_stream__"):
                raise InputError(f"a {type(frame).__name__} is not a table") from None
            connection.register("frame", _through_arrow(frame))
        pool = pool_of_rows(connection, "frame", file="frame", meaning=meaning)
    warn_skipped(pool.skipped, above=4)
    return pool


def _through_arrow(frame: Any) -> Any:
    try:
        import pyarrow
    except ImportError:
        raise InputError(
            f"a {type(frame).__name__} cannot be read without pyarrow", mend="pip install pyarrow"
        ) from None
    return pyarrow.table(frame)


@contextmanager
def _connection(file: str) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection whose errors name the file."""
    import duckdb

    with closing(connect()) as connection:
        try:
            yield connection
        except duckdb.Error as error:
            raise InputError(" ".join(str(error).split())[:300], file=file) from None


def _text(path: str | os.PathLike[str]) -> str:
    return "'" + os.fspath(path).replace("'", "''") + "'"


@contextmanager
def _local_file(source: Source, kind: str) -> Iterator[tuple[Path, str]]:
    """A file that DuckDB can read, with its compression."""
    with source.open() as stream:
        compression = _DUCKDB_COMPRESSION.get(stream.compression)
        if kind in ("parquet", "arrow") and stream.compression is not None:
            compression = None
        utf16 = stream.peek(2) in (b"\xff\xfe", b"\xfe\xff")
        special = any(mark in source.name for mark in "*?[")  # a pattern for DuckDB
        if source.path is not None and compression is not None and not utf16 and not special:
            yield source.path, compression
            return
        if utf16:
            stream.recode("utf-16")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "table"
            with path.open("wb") as file:
                for piece in stream.pieces():
                    file.write(piece)
            yield path, "none"


def _arrow_table(path: Path, name: str) -> Any:
    try:
        from pyarrow import feather
    except ImportError:
        raise InputError(
            "Arrow files cannot be read without pyarrow", file=name, mend="pip install pyarrow"
        ) from None
    try:
        return feather.read_table(path)
    except (OSError, ValueError) as error:
        raise InputError(" ".join(str(error).split()), file=name) from None


def _read_csv(
    connection: duckdb.DuckDBPyConnection, path: Path, compression: str, options: dict[str, Any]
) -> Pool:
    """A delimited file: at once if it is sound, else line by line."""
    import duckdb

    dialect = find_dialect(path, options["file"])
    try:
        connection.execute(
            "CREATE TEMP TABLE source_rows AS SELECT * FROM "
            + _csv(
                path,
                dialect,
                f"compression = '{compression}', header = true, "
                f"skip = {dialect.header - 1}, store_rejects = true",
            )
        )
        sound = connection.execute("SELECT count(*) FROM reject_errors").fetchone() == (0,)
    except duckdb.Error:
        sound = False
    if sound:
        options = {"line_of": dialect.lines_of(path), **options}
        return pool_of_rows(connection, "source_rows", **options)
    with tempfile.TemporaryDirectory() as folder:
        mended = Path(folder) / "rows"
        repaired = repair(path, mended, dialect)
        report = SkipReport()
        for line, reason in repaired.damaged:
            if options["meaning"].strict:
                raise StrictError(reason, file=options["file"], line=line)
            report.add(Skipped(options["file"], line, reason), kind="damaged row")
        if repaired.more:
            report.add_uncounted("damaged row", repaired.more)
        return pool_of_rows(
            connection,
            _csv(mended, replace(dialect, delimiter="\t", quote=""), "header = false"),
            report=report,
            **{"line_of": lambda row: repaired.lines[row - 1], **options},
        )


def _csv(path: Path, dialect: Dialect, more: str) -> str:
    columns = ", ".join(f"{_text(name)}: 'VARCHAR'" for name in dialect.names)
    return (
        f"read_csv({_text(path)}, columns = {{{columns}}}, auto_detect = false, "
        f"delim = '{dialect.delimiter}', quote = '{dialect.quote}', "
        f"escape = '{dialect.quote}', {more})"
    )


def _read_database(source: Source, meaning: Meaning) -> Pool:
    """The one table of a database that has only one."""
    if source.path is None:
        raise InputError("a database cannot be read from standard input", file=source.name)
    with source.path.open("rb") as file:
        is_sqlite = file.read(len(_SQLITE)) == _SQLITE
    if is_sqlite:
        with closing(
            sqlite3.connect(f"{source.path.resolve().as_uri()}?mode=ro", uri=True)
        ) as base:
            found = base.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
            ).fetchall()
    else:
        with _connection(source.name) as connection:
            connection.execute(f"ATTACH {_text(source.path)} AS source (READ_ONLY)")
            found = connection.execute(
                "SELECT table_name FROM duckdb_tables() WHERE database_name = 'source'"
            ).fetchall()
    if len(found) != 1:
        raise InputError(
            f"it holds {len(found)} tables: {', '.join(name for (name,) in found)}",
            file=source.name,
            mend="use a query",
        )
    sql = f"SELECT * FROM {quoted(found[0][0])}"
    return _queried(sql, source.path, meaning)


@contextmanager
def _sqlite_rows(path: Path, sql: str) -> Iterator[Path]:
    """The rows of a query to a SQLite file, as a file of rows with commas."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "rows"
        try:
            with (
                closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as base,
                table.open("w", encoding="utf-8", newline="") as file,
            ):
                base.text_factory = decode
                rows = base.execute(sql)
                writer = csv.writer(file)
                writer.writerow([column[0] for column in rows.description or ()])
                for row in rows:
                    writer.writerow([clean(v) if isinstance(v, str) else v for v in row])
        except sqlite3.Error as error:
            raise InputError(str(error), file=str(path)) from None
        yield table
