"""Games from queries, databases and frames."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from yardstone.choices import checked_arguments
from yardstone.errors import InputError, MissingExtraError, MissingFileError
from yardstone.files import scratch_folder
from yardstone.records.dates import DateOrder
from yardstone.records.decoding import clean, csv_lines, decode
from yardstone.records.names import apply_names, read_names
from yardstone.records.options import Options, require_wanted, warn_skipped
from yardstone.records.query_errors import (
    SQLITE_COLUMNS,
    SQLITE_LONGEST,
    check_query,
    computed_error,
    sqlite_error,
)
from yardstone.records.results import Side
from yardstone.records.sources import StrPath
from yardstone.records.table_files import (
    CELL,
    TABLE_LIMITS,
    TableFile,
    check_size,
    connection_for,
    csv_rows,
    seconds_for,
)
from yardstone.records.table_results import quoted, sql_text
from yardstone.records.tables import GameRows, connect, understand
from yardstone.records.unplayed import without_repeats
from yardstone.records.where import Where

if TYPE_CHECKING:
    import duckdb

    from yardstone.pool import Pool
    from yardstone.records.sources import Source

_Columns = Mapping[str, str] | Iterable[str] | None
Results = Mapping[str, object] | str | None

_SQLITE = b"SQLite format 3\0"
#: In a file of DuckDB from its ninth byte on.
_DUCKDB = b"DUCK"
#: What reading a damaged file of SQLite raises; its names and messages are taken for UTF-8.
_SQLITE_ERRORS = (sqlite3.Error, UnicodeError)
#: What a file of SQLite may make of itself: bytes of a value, columns, further files.
_SQLITE_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: SQLITE_LONGEST,
    sqlite3.SQLITE_LIMIT_COLUMN: SQLITE_COLUMNS,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
}
#: For what a database keeps is no text of the user's: it is opened so that its views and
#: computed columns reach nothing outside it, and use no function that could do harm.
_CAREFUL = ("trusted_schema = OFF", "query_only = ON", "cell_size_check = ON")


@checked_arguments()
def query(
    sql: str,
    database: StrPath | None = None,
    *,
    columns: _Columns = None,
    first: Side | None = None,
    results: Results = None,
    strict: bool = False,
    skip_unread: bool = False,
    dates: DateOrder | None = None,
    times: bool = False,
    levels: bool = False,
    where: str | None = None,
    synonyms: StrPath | None = None,
    include: StrPath | None = None,
    exclude: StrPath | None = None,
) -> Pool:
    """The pool of the rows that a query gives.

    Args:
        sql: A SELECT. Without a database it reads files itself, as DuckDB can: ``SELECT * FROM
            'games/*.parquet'``.
        database: A DuckDB or SQLite file; it is only read.
        columns: Which columns hold what, as in `yardstone.read`.
        first ({"white", "black"}): The side that moves first, if columns and results do not tell.
        results: What values of the result mean, as in `yardstone.read`.
        strict: Raise at the first row that cannot be used.
        skip_unread: Go on even if much cannot be read.
        dates, times, levels: How dates are written, whether they matter, and whether to take
            grades, ratings and handicaps along; as in `yardstone.read`.
        where: Which rows are wanted, as in `yardstone.read`; the query itself can say it too.
        synonyms, include, exclude: Files with names of players, as in `yardstone.read`.

    Raises:
        InputError: If the query or the database cannot be used.

    Warns:
        SkippedWarning: If rows were left out.

    Examples:
        >>> import yardstone
        >>> yardstone.query("SELECT 'Ann' AS white, 'Bob' AS black, '1-0' AS result")
        <Pool: 1 games of 2 players>
    """
    wanted = None if where is None else Where(where)
    options = Options(
        columns, first, times, dates, levels, strict, skip_unread, results, where=wanted
    )
    with queried_rows(sql, database, options) as rows:
        pool = apply_names(without_repeats(rows.pool()), *read_names(synonyms, include, exclude))
    require_wanted(pool.skipped, len(pool))
    warn_skipped(pool.skipped)
    return pool


@contextmanager
def queried_rows(sql: str, database: StrPath | None, options: Options) -> Iterator[GameRows]:
    """The games of the rows that a query gives."""
    name = "query" if database is None else os.fspath(database)
    attached: tuple[list[str], ...] = ()
    with connection_for(name, options.memory) as connection:
        if database is not None:
            path = _database(database)
            if _is_sqlite(path):
                with _sqlite_rows(path, sql) as table:
                    games = csv_rows(connection, TableFile(name, table), options, line_of=int)
                yield games
                return
            attached = _attached(connection, path, name)
        rows = check_query(connection, sql, name, *attached)
        if database is not None:
            check_size(connection, rows, path.stat().st_size, name)
            connection.execute("SET lock_configuration = true")
        # Rows are looked at several times, and a query may give others each time.
        connection.execute(f"CREATE TEMP TABLE source_rows AS SELECT * FROM {rows}")
        yield understand(connection, "source_rows", file=name, options=options)


def queried_games(sql: str, database: StrPath | None = None) -> int:
    """How many rows a query gives; 0 where it is wrong, which reading it will say."""
    import duckdb

    wanted = sql.strip().rstrip(";")
    text = f"SELECT count(*) FROM ({wanted}\n)"
    path = None if database is None else _database(database)
    try:
        if path is not None and _is_sqlite(path):
            with _sqlite(path) as base:
                return int(base.execute(text).fetchone()[0])
        with closing(connect()) as connection:
            if path is None:
                return int(connection.execute(text).fetchall()[0][0])
            _attached(connection, path, str(path))
            return check_size(connection, f"({wanted}\n)", path.stat().st_size, str(path))
    except (duckdb.Error, InputError, *_SQLITE_ERRORS):
        return 0


def _database(database: StrPath) -> Path:
    """The file of a database, which must be there."""
    path = Path(database)
    if not path.is_file():
        raise MissingFileError("no such database", file=os.fspath(database), hint="check its name")
    return path


def _attached(
    connection: duckdb.DuckDBPyConnection, path: Path, name: str
) -> tuple[list[str], list[str]]:
    """The tables of a DuckDB file, the only access from then on; and what computes, never read."""
    with path.open("rb") as file:
        if file.read(12)[8:] != _DUCKDB:
            raise InputError(
                "this is not a database of DuckDB or SQLite",
                file=name,
                hint=f"a query reads files itself: FROM '{path.name}'",
            )
    connection.execute(f"ATTACH {sql_text(path)} AS source (READ_ONLY)")
    there = connection.execute(
        "SELECT schema_name, table_name, contains(upper(sql), 'GENERATED ALWAYS') "
        "FROM duckdb_tables() WHERE database_name = 'source' UNION ALL "
        "SELECT schema_name, view_name, true "
        "FROM duckdb_views() WHERE database_name = 'source' AND NOT internal"
    ).fetchall()
    for schema, table, computes in there:
        if not computes:
            place = f"{quoted(schema)}.{quoted(table)}"
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {quoted(schema)}")
            connection.execute(f"CREATE VIEW {place} AS FROM source.{place}")
    connection.execute("SET enable_external_access = false")
    tables = [str(table) for _, table, computes in there if not computes]
    return tables, [str(table) for _, table, computes in there if computes]


def _is_sqlite(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE


@contextmanager
def database_rows(source: Source, options: Options) -> Iterator[GameRows]:
    """The games in the one table of a database that has only one."""
    if source.path is None:
        raise InputError("a database cannot be read from standard input", file=source.name)
    computed: list[str] = []
    if _is_sqlite(source.path):
        try:
            with _sqlite(source.path) as base:
                tables = _sqlite_tables(base)
        except _SQLITE_ERRORS as error:
            raise sqlite_error(error, source.name, ()) from None
    else:
        with connection_for(source.name) as connection:
            tables, computed = _attached(connection, source.path, source.name)
    if not tables and computed:
        raise computed_error(computed[0], source.name)
    if len(tables) != 1:
        there = f"{len(tables)} tables: {', '.join(tables)}" if tables else "no table"
        raise InputError(f"it holds {there}", file=source.name, hint="use a query")
    with queried_rows(f"SELECT * FROM {quoted(tables[0])}", source.path, options) as rows:
        yield rows


@contextmanager
def _sqlite(path: Path) -> Iterator[sqlite3.Connection]:
    """A database of SQLite, only read and with limits, which is closed at the end."""
    until = time.monotonic() + seconds_for(path.stat().st_size)
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as base:
        for limit, most in _SQLITE_LIMITS.items():
            base.setlimit(limit, most)
        base.set_progress_handler(lambda: time.monotonic() > until, 10_000)
        for pragma in _CAREFUL:
            base.execute(f"PRAGMA {pragma}")
        yield base


def _sqlite_tables(base: sqlite3.Connection) -> list[str]:
    """The tables of a database of SQLite."""
    rows = base.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    ).fetchall()
    return [str(name) for (name,) in rows]


@contextmanager
def _sqlite_rows(path: Path, sql: str) -> Iterator[Path]:
    """The rows of a query to a SQLite file, as a file of rows with commas."""
    size = path.stat().st_size

    def limited(rows: Iterable[tuple[Any, ...]]) -> Iterator[list[Any]]:
        """The rows with clean texts, as many as the file can hold."""
        expanded = 0
        for row in rows:
            expanded += sum(CELL + (len(v) if isinstance(v, str | bytes) else 0) for v in row)
            TABLE_LIMITS.check(expanded, size, str(path))
            yield [clean(value) if isinstance(value, str) else value for value in row]

    with scratch_folder() as folder:
        table = folder / "rows"
        try:
            with _sqlite(path) as base, table.open("w", encoding="utf-8", newline="") as file:
                base.text_factory = decode
                rows = base.execute(sql)
                names = [column[0] for column in rows.description or ()]
                file.writelines(csv_lines(names, limited(rows)))
        except _SQLITE_ERRORS as error:
            tables: list[str] = []
            with _sqlite(path) as base, suppress(*_SQLITE_ERRORS):
                tables = _sqlite_tables(base)
            raise sqlite_error(error, str(path), tables) from None
        yield table


def pool_of_frame(frame: Any, options: Options) -> Pool:
    """The games of a frame of pandas, polars or Arrow."""
    with connection_for("frame") as connection:
        try:
            connection.register("frame", frame)
        except Exception:
            if not hasattr(frame, "__arrow_c_stream__"):
                raise InputError(f"a {type(frame).__name__} is not a table") from None
            try:
                import pyarrow
            except ImportError:
                raise MissingExtraError("pyarrow") from None
            connection.register("frame", pyarrow.table(frame))
        rows = understand(connection, "frame", file="frame", options=options)
        return without_repeats(rows.pool())
