"""Tables in files, each handed to DuckDB in its own way, damaged ones mended.

`find_dialect` tells the delimiters of a CSV file, and `repair` saves the sound rows of one
that DuckDB does not take.
"""

from __future__ import annotations

import csv
import json
import re
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from mmap import ACCESS_READ, mmap
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Any, NamedTuple

from yardstone.errors import InputError, MissingExtraError, NoGamesError
from yardstone.files import scratch_folder
from yardstone.pool import Pool, Skipped, SkipReport
from yardstone.records.columns import find_pair, words
from yardstone.records.decoding import ESCAPED_CELL, clean, decode, plain_cell
from yardstone.records.joining import join_pools
from yardstone.records.options import Options
from yardstone.records.query_errors import file_error, finds_no_room
from yardstone.records.sources import Source, StreamLimits, sound_quotes
from yardstone.records.table_results import quoted, sql_text
from yardstone.records.tables import GameRows, connect, understand

if TYPE_CHECKING:
    import duckdb


_COMPRESSION = {None: "none", "gzip": "gzip"}
#: How far a table that somebody else packed may expand: its texts, and `CELL` bytes a cell.
TABLE_LIMITS = StreamLimits(ratio=200.0, hint="export the games as CSV if that is right")
CELL = 8
#: Bytes that DuckDB needs to count rows besides what it reads, and the memory for
#: understanding games, in units of what their file may expand to.
_WORKING, _FOR_GAMES = 128 << 20, 8
_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB")
_LENGTHS = {"VARCHAR": "strlen", "JSON": "strlen", "BLOB": "octet_length"}
#: How packed data in an Arrow file begin, behind eight bytes that say how long they become.
_PACKED = (b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18")
_NO_SIZE = 1 << 48


class TableFile(NamedTuple):
    """A file on disk that DuckDB can read, with the name that messages use."""

    name: str
    path: Path
    compression: str = "none"  #: as DuckDB calls it


_RowReader = Callable[["Source", Options], AbstractContextManager[GameRows]]


def read_rows(rows: _RowReader, sources: Sequence[Source], options: Options) -> Pool:
    """The games of some files, each a table that `rows` opens."""
    pools = []
    for source in sources:
        with rows(source, options) as games:
            pools.append(games.pool())
    return join_pools(pools)


@contextmanager
def _opened(
    source: Source, options: Options, *, packed: bool
) -> Iterator[tuple[TableFile, duckdb.DuckDBPyConnection]]:
    """The file on disk, and a connection to read it with."""
    with (
        _local_file(source, packed=packed) as file,
        connection_for(file.name, options.memory) as connection,
    ):
        yield file, connection


@contextmanager
def parquet_rows(source: Source, options: Options) -> Iterator[GameRows]:
    """The games of a Parquet file."""
    with _opened(source, options, packed=False) as (file, connection):
        path = sql_text(file.path)
        unpacked = connection.execute(
            f"SELECT sum(greatest(total_uncompressed_size, {CELL} * num_values)) "
            f"FROM parquet_metadata({path})"
        ).fetchone()
        size = file.path.stat().st_size
        TABLE_LIMITS.check(int((unpacked or (0,))[0] or 0), size, file.name)
        rows = f"read_parquet({path})"
        check_size(connection, rows, size, file.name)
        yield understand(connection, rows, file=file.name, options=options)


@contextmanager
def json_rows(source: Source, options: Options) -> Iterator[GameRows]:
    """The games of a JSON file; where records stand a line each, a damaged one is left out."""
    with _opened(source, options, packed=True) as (file, connection):
        rows, line_of, report = load_json(connection, file)
        yield understand(
            connection, rows, file=file.name, options=options, line_of=line_of, report=report,
            keys=True,
        )  # fmt: skip


def load_json(connection: duckdb.DuckDBPyConnection, file: TableFile) -> _Loaded:
    """The same of a JSON file; records have lines where they stand a line each."""
    import duckdb

    read = "CREATE OR REPLACE TEMP TABLE source_rows AS SELECT * FROM read_json({}, {})"
    how = f"sample_size = -1, compression = '{file.compression}'"
    failure: duckdb.Error | None = None
    try:
        connection.execute(read.format(sql_text(file.path), how))
        described = connection.execute("DESCRIBE source_rows").fetchall()
        if [name for name, *_ in described] != ["json"]:  # it takes no record for one
            return _plain_keys(connection), int, SkipReport()
    except duckdb.Error as error:
        if finds_no_room(error):
            raise
        failure = error
    with scratch_folder() as folder:
        lines, report = repair_json(file.path, folder / "rows", file.name)
        if len(lines) > len(report):  # a record a line
            how = "sample_size = -1, format = 'newline_delimited'"
            connection.execute(read.format(sql_text(folder / "rows"), how))
        elif failure is not None:
            raise failure
    return _plain_keys(connection), lambda row: lines[row - 1], report


def _plain_keys(connection: duckdb.DuckDBPyConnection) -> str:
    """SQL for the records of a JSON file, without keys that a damaged record has for another's.

    Of keys with the same words that no record has together, such as ``result`` and ``result(``,
    the one that most records have stays. Texts and numbers under one key both stay as they are.
    """
    described = connection.execute("DESCRIBE source_rows").fetchall()
    lower = {name.lower() for name, *_ in described}
    alike: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for name, kind, *_ in described:
        plain = re.sub(r"_\d+$", "", name)  # DuckDB numbers keys that differ in capitals alone
        spelt = tuple(words(plain if plain.lower() in lower else name)) or (name,)
        alike.setdefault(spelt, []).append((name, kind))
    chosen = []
    for group in alike.values():
        best, *others = sorted(group, key=lambda each: -_records(connection, each[0]))
        kept = [best, *(each for each in others if _records(connection, best[0], each[0]))]
        chosen += [
            f"{quoted(name)} ->> '$' AS {quoted(name)}" if kind == "JSON" else quoted(name)
            for name, kind in kept
        ]
    return f"(SELECT {', '.join(chosen)} FROM source_rows)"


def _records(connection: duckdb.DuckDBPyConnection, *names: str) -> int:
    """How many records have all these keys."""
    there = " AND ".join(f"{quoted(name)} IS NOT NULL" for name in names)
    row = connection.execute(f"SELECT count(*) FROM source_rows WHERE {there}").fetchone()
    return 0 if row is None else int(row[0])


@contextmanager
def arrow_rows(source: Source, options: Options) -> Iterator[GameRows]:
    """The games of an Arrow file."""
    with _opened(source, options, packed=False) as (file, connection):
        try:
            from pyarrow import feather
        except ImportError:
            raise MissingExtraError("pyarrow") from None
        size = file.path.stat().st_size
        TABLE_LIMITS.check(_arrow_size(file.path), size, file.name)
        try:
            connection.register("frame", feather.read_table(file.path))
        except (OSError, ValueError) as error:
            raise InputError(" ".join(str(error).split()), file=file.name) from None
        check_size(connection, "frame", size, file.name)
        yield understand(connection, "frame", file=file.name, options=options)


@contextmanager
def csv_file_rows(source: Source, options: Options) -> Iterator[GameRows]:
    """The games of a delimited file; messages name its lines."""
    with _opened(source, options, packed=True) as (file, connection):
        yield csv_rows(connection, file, options)


def csv_rows(
    connection: duckdb.DuckDBPyConnection,
    file: TableFile,
    options: Options,
    *,
    line_of: Callable[[int], int] | None = None,
) -> GameRows:
    """The games of a delimited file: at once if it is sound, else line by line.

    `line_of` tells what messages call a row, counted from 1; by default its line.
    """
    dialect = find_dialect(file.path, file.name)
    rows, lines, report = load_csv(connection, file, dialect)
    line_of = line_of or lines
    games = understand(
        connection, rows, file=file.name, options=options, line_of=line_of, report=report
    )
    connection.execute("DROP TABLE source_rows")
    return games


#: What stands behind FROM, what tells the line of a row, counted from 1, and what was left out.
_Loaded = tuple[str, Callable[[int], int], SkipReport]


def load_csv(connection: duckdb.DuckDBPyConnection, file: TableFile, dialect: Dialect) -> _Loaded:
    """Make a table of a delimited file, of its sound rows if there are others."""
    import duckdb

    load = "CREATE TEMP TABLE source_rows AS SELECT * FROM {}"
    how = f"compression = '{file.compression}', header = true, skip = {dialect.header - 1}"
    try:
        connection.execute(load.format(csv_table(file.path, dialect, how, plain=False)))
    except duckdb.Error as error:
        if finds_no_room(error):
            raise
        with scratch_folder() as folder:
            lines, report = repair(file.path, folder / "rows", file.name, dialect)
            tabbed = replace(dialect, delimiter="\t", quote="")
            connection.execute(load.format(csv_table(folder / "rows", tabbed, "header = false")))
        return "source_rows", lambda row: lines[row - 1], report
    rows, line_of = "source_rows", dialect.lines_of(file.path)
    # Few files have a cell with an apostrophe before it, and to look is cheaper than to change.
    looked = " OR ".join(f"{name} >= '''' AND {name} < '('" for name in map(quoted, dialect.names))
    if connection.execute(f"SELECT 1 FROM source_rows WHERE {looked} LIMIT 1").fetchall():
        rows = f"(SELECT {', '.join(map(_plain_cell, dialect.names))} FROM source_rows)"
    return rows, line_of, SkipReport()


def csv_table(
    path: Path,
    dialect: Dialect,
    more: str,
    wanted: Collection[str] = (),
    types: Mapping[str, str] | None = None,
    *,
    plain: bool = True,
) -> str:
    """A delimited file as DuckDB's SQL wants it: its columns, or those `wanted`, as text.

    With `types` the columns are of these SQL types. Cells are read as `plain_cell` does, or not
    yet if that is not `plain`.
    """
    types = types or dict.fromkeys(dialect.names, "VARCHAR")
    columns = ", ".join(f"{sql_text(name)}: {sql_text(kind)}" for name, kind in types.items())
    cells = (
        _plain_cell(name) if plain and types[name] == "VARCHAR" else quoted(name)
        for name in wanted or types
    )
    return (
        f"(SELECT {', '.join(cells)} "
        f"FROM read_csv({sql_text(path)}, columns = {{{columns}}}, auto_detect = false, "
        f"delim = '{dialect.delimiter}', quote = '{dialect.quote}', "
        f"escape = '{dialect.quote}', {more}))"
    )


def _plain_cell(name: str) -> str:
    """A column of text in SQL, its cells as `plain_cell` reads them."""
    column = quoted(name)
    return (
        f"CASE WHEN starts_with({column}, '''') "
        f"THEN regexp_replace({column}, {sql_text(ESCAPED_CELL)}, '\\1') "
        f"ELSE {column} END AS {column}"
    )


def _arrow_size(path: Path) -> int:
    """How many bytes the packed parts of an Arrow file say they become."""
    if not path.stat().st_size:
        return 0  # mmap would refuse it
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
        starts = (m.start() for magic in _PACKED for m in re.finditer(re.escape(magic), data))
        sizes = [
            int.from_bytes(data[start - 8 : start], "little") for start in starts if start >= 8
        ]
    return sum(size for size in sizes if size < _NO_SIZE)  # others are no beginnings


@contextmanager
def connection_for(file: str, memory: int | None = None) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection whose errors name the file; with more than `memory` bytes it uses the disk."""
    import duckdb

    with closing(connect(memory)) as connection:
        try:
            yield connection
        except duckdb.Error as error:
            raise file_error(error, file) from None


def seconds_for(size: int) -> float:
    """How long reading a database of so many bytes may take."""
    return 4.0 + size / 1e6


def check_size(connection: duckdb.DuckDBPyConnection, rows: str, size: int, file: str) -> int:
    """Count the rows of what stands behind FROM; refuse what a file of `size` bytes cannot hold.

    What a file says of its size may be a lie, so DuckDB's own memory is limited too: while it
    counts, to what the file may expand to, and from then on to a multiple of it. Nothing is kept
    of the rows. Raises InputError where it expands to more than `TABLE_LIMITS` allows, and
    `duckdb.InterruptException` where it takes too long.
    """
    import duckdb

    columns = connection.execute(f"DESCRIBE SELECT * FROM {rows}").fetchall()
    terms = [f"count(*), count(*) * {CELL * len(columns)}"]
    terms += [
        f"coalesce(sum({length}({quoted(name)})), 0)"
        for name, kind, *_ in columns
        if (length := _LENGTHS.get(kind))
    ]
    most = TABLE_LIMITS.most(size)
    given = connection.execute("SELECT current_setting('memory_limit')").fetchone()
    number, unit = str((given or ("0 KiB",))[0]).split()
    before = int(float(number) * 1024 ** _UNITS.index(unit))
    limited = most + _WORKING < before
    if limited:
        connection.execute(f"SET memory_limit = '{most + _WORKING}B'")
    timer = Timer(seconds_for(size), connection.interrupt)
    timer.start()
    try:
        counted = connection.execute(f"SELECT {' + '.join(terms)} FROM {rows}").fetchone()
    except duckdb.OutOfMemoryException:
        if not limited:
            raise
        raise TABLE_LIMITS.error(file) from None
    finally:
        timer.cancel()
    if limited:
        connection.execute(f"SET memory_limit = '{min(before, _FOR_GAMES * most)}B'")
    games, expanded = counted or (0, 0)
    TABLE_LIMITS.check(int(expanded), size, file)
    return int(games)


@contextmanager
def _local_file(source: Source, *, packed: bool) -> Iterator[TableFile]:
    """A file that DuckDB can read; a `packed` one only in a compression that it knows."""
    with source.open() as stream:
        compression = _COMPRESSION.get(stream.compression)
        if not packed and stream.compression is not None:
            compression = None
        utf16 = stream.peek(2) in (b"\xff\xfe", b"\xfe\xff")
        special = any(mark in source.name for mark in "*?[")  # a pattern for DuckDB
        if source.path is not None and compression is not None and not utf16 and not special:
            yield TableFile(source.name, source.path, compression)
            return
        if utf16:
            stream.recode("utf-16")
        with scratch_folder() as folder:
            path = folder / "table"
            with path.open("wb") as file:
                for piece in stream.pieces():
                    file.write(piece)
            yield TableFile(source.name, path)


def parquet_of_csv(path: Path, table: Path, types: Mapping[str, str]) -> None:
    """Write the table in a CSV file with a header as Parquet, with the named SQL types.

    Empty cells become NULL.
    """
    import duckdb

    read = csv_table(table, Dialect(",", tuple(types)), "header = true", types=types)
    with closing(connect()) as connection:
        try:
            connection.execute(
                f"COPY {read} TO {sql_text(path)} (FORMAT parquet, USE_TMP_FILE false)"
            )
        except duckdb.IOException as error:
            raise OSError(str(error).splitlines()[0]) from error


_DELIMITERS = "\t;,|"
_LONGEST_LINE = 1 << 20
#: No table of games has more columns.
_MOST_COLUMNS = 2000


@dataclass(frozen=True, slots=True)
class Dialect:
    """How the fields of a file are told apart."""

    delimiter: str
    names: tuple[str, ...]
    header: int = 1  #: the line that names the columns: the first that is not blank
    quote: str = '"'  #: what stands around fields, or nothing

    def lines_of(self, path: Path) -> Callable[[int], int]:
        """A function from a row, counted from 1, to its line in a sound file."""
        numbers: list[int] = []

        def line_of(row: int) -> int:
            if not numbers:
                numbers.extend(number for number, line in _lines(path) if line.strip())
            return numbers[row] if row < len(numbers) else row + 1

        return line_of

    def fields(self, line: str) -> list[str]:
        """The fields of one line, none if its quotes do not match; one that stays open may."""
        form: Any = {"delimiter": self.delimiter, "quotechar": self.quote}
        with suppress(csv.Error):  # longer than any field is
            fields = next(csv.reader([line], **form), [])
            if sound_quotes([line], fields, form):
                return fields
        return []


def find_dialect(path: Path, name: str) -> Dialect:
    """The delimiter that makes most columns of the first line of a table of games, and their names.

    Raises InputError if there are too many columns, or too few for two players and a result
    (a winner and a loser need none).
    """
    dialect = first_line_dialect(path, name)
    pair = find_pair(dialect.names)
    if len(dialect.names) < 3 and (pair is None or "winner" not in pair.labels):
        raise InputError(
            "no table with columns for two players and a result",
            file=name,
            hint="the first line must name the columns, as in white,black,result or winner,loser",
        )
    return dialect


def first_line_dialect(path: Path, name: str) -> Dialect:
    """The same of any table, with one column or more; InputError with none, or too many."""
    header_line = next(((number, line) for number, line in _lines(path) if line.strip()), None)
    if header_line is None:
        raise NoGamesError("the file has no rows", file=name)
    header, first = header_line
    delimiter = max(_DELIMITERS, key=first.count)
    names = Dialect(delimiter, ()).fields(first)
    if not names:
        raise InputError("the first line has no names of columns that can be read", file=name)
    if len(names) > _MOST_COLUMNS:
        raise InputError(
            f"{len(names):,} columns, at most {_MOST_COLUMNS:,} are read",
            file=name,
            hint="keep those that are used",
        )
    distinct: dict[str, None] = {}
    for number, column in enumerate(names, 1):
        column = plain_cell(clean(column)) or f"column{number}"
        while column in distinct:
            column = f"{column}_{number}"
        distinct[column] = None
    return Dialect(delimiter, tuple(distinct), header)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Number and text of each line; what is too long for a line is cut."""
    number = 1
    rest = b""
    with Source(str(path), path).open() as stream:
        for piece in stream.pieces():
            block = rest + piece
            if number == 1:
                block = block.removeprefix(b"\xef\xbb\xbf")
            *lines, rest = block.splitlines(keepends=True) or [b""]
            if rest.endswith(b"\n"):
                lines.append(rest)
                rest = b""
            rest = rest[:_LONGEST_LINE]
            for line in lines:
                yield number, decode(line.rstrip(b"\r\n"))
                number += 1
    if rest:
        yield number, decode(rest.rstrip(b"\r\n"))


#: The line of each row that was kept, and what was left out.
_Repaired = tuple["array[int]", SkipReport]


def repair(path: Path, into: Path, file: str, dialect: Dialect) -> _Repaired:
    """Write the sound rows of a file with tabs between fields and no quotes.

    Each line is read on its own, so a damaged one cannot take others with it. Between tabs a quote
    that is never closed is a letter. Returns the line of each row, and what was left out.
    """
    width = len(dialect.names)

    def row_of(line: str) -> str:
        if not line.strip():
            return ""
        fields = dialect.fields(line)
        reason = f"{len(fields)} fields where {width} were expected"
        reason = reason if fields else "its quotes do not match"
        if len(fields) != width and dialect.delimiter == "\t":
            # So quotes are letters, but around a whole cell.
            fields = [re.sub(r'^"(.*)"$', r"\1", cell) for cell in line.split("\t")]
        if len(fields) != width:
            raise ValueError(reason)
        return "\t".join(map(clean, fields))

    rows = ((number, line) for number, line in _lines(path) if number > dialect.header)
    return _repaired(rows, into, file, row_of)


def repair_json(path: Path, into: Path, file: str) -> _Repaired:
    """The same for the records of a file with a record a line, in an array or not."""

    def row_of(line: str) -> str:
        text = clean(line).removeprefix("[").removesuffix("]").rstrip().removesuffix(",")
        if not text:
            return ""
        with suppress(ValueError, RecursionError):
            if isinstance(record := json.loads(text), dict) and "" not in record:
                return json.dumps(record)
        raise ValueError("it is not a record in JSON")

    return _repaired(_lines(path), into, file, row_of)


def _repaired(
    lines: Iterable[tuple[int, str]], into: Path, file: str, row_of: Callable[[str], str]
) -> _Repaired:
    """Write the rows that `row_of` makes of lines; it raises ValueError for one that is damaged."""
    kept, report = array("q"), SkipReport()
    with into.open("w", encoding="utf-8", newline="") as out:
        for number, line in lines:
            try:
                row = row_of(line)
            except ValueError as error:
                report.add(Skipped(file, number, str(error)), kind="damaged row")
                continue
            if row:
                kept.append(number)
                out.write(row + "\n")
    return kept, report
