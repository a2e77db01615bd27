"""What is wrong with a query, in a line without the jargon of databases, and where."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any

from yardstone.choices import no_such
from yardstone.errors import InputError

if TYPE_CHECKING:
    import duckdb

__all__ = [
    "SQLITE_COLUMNS",
    "SQLITE_LONGEST",
    "check_query",
    "computed_error",
    "file_error",
    "finds_no_room",
    "sqlite_error",
]

#: Bytes of a value in a file of SQLite, and columns of a table.
SQLITE_LONGEST = 512 << 10
SQLITE_COLUMNS = 256
_LONGEST = 300
#: Names that stand for tables in a query: files in quotation marks, and words.
_SOURCE = re.compile(
    r"""\b(?:FROM|JOIN)\s+('(?:[^']|'')+'|"(?:[^"]|"")+"|[^\W\d][\w.]*)""", re.IGNORECASE
)
_DESCRIBE = "DESCRIBE "


@dataclass(frozen=True, slots=True)
class _Trouble:
    """What a database says of a query."""

    kind: str
    message: str
    name: str
    start: int | None
    length: int


def check_query(
    connection: duckdb.DuckDBPyConnection,
    sql: str,
    file: str,
    tables: Sequence[str] = (),
    computed: Sequence[str] = (),
) -> str:
    """The query as a table, once it is known to make sense: what stands behind FROM.

    The connection must tell errors as JSON; `file` is what messages call the query, or its
    database, which has `tables`, and views or tables with `computed` columns, which are not read.
    Raises InputError, which says where, if it is no single SELECT, or names what is not there.
    """
    import duckdb

    text = sql.strip().rstrip(";").rstrip()
    if not text:
        raise InputError("the query is empty", file=file, hint=_EXAMPLE)
    try:
        statements = connection.extract_statements(text)
        if len(statements) != 1:
            raise InputError(f"these are {len(statements)} queries", file=file, hint="give one")
        if statements[0].type.name not in ("SELECT", "MULTI"):
            raise InputError("a query can only read: it begins with SELECT", file=file)
        connection.execute(_DESCRIBE + text)
    except duckdb.Error as error:
        trouble = _trouble(error)
        if (missing := _NO_TABLE.search(trouble.message)) and missing[1] in computed:
            raise computed_error(missing[1], file) from None
        shift = 0 if trouble.kind == "Parser" else len(_DESCRIBE)
        message, hint = _message(trouble, tables, lambda: _columns(connection, text))
        raise InputError(_place(text, trouble, shift) + message, file=file, hint=hint) from None
    return f"({text}\n)"  # a comment at its end goes no further


def computed_error(name: str, file: str) -> InputError:
    """Return the error for a view of a database, or a table with computed columns."""
    return InputError(
        f"{name!r} is a view, or has computed columns, which are not read: a small file could "
        "take all memory by them",
        file=file,
        hint=f"if you trust it, CREATE TABLE … AS FROM {name} in another database",
    )


def finds_no_room(error: duckdb.Error) -> bool:
    """Whether DuckDB found no room, in memory or on disk, for what it keeps on its way."""
    return _NO_ROOM.search(str(error)) is not None


def file_error(error: duckdb.Error, file: str) -> InputError:
    """The error for a file or query that cannot be read."""
    message, hint = _message(_trouble(error), (), list)
    return InputError(message, file=file, hint=hint)


def sqlite_error(
    error: sqlite3.Error | UnicodeError, file: str, tables: Sequence[str]
) -> InputError:
    """The error for a query to a database of SQLite."""
    if isinstance(error, UnicodeError):
        return InputError("it is damaged, or a name in it is not text in UTF-8", file=file)
    text = str(error)
    if match := re.match(r"no such table: (.+)", text):
        return InputError(no_such("table", match[1], tables), file=file)
    if match := re.match(r"no such column: (.+)", text):
        return InputError(f"there is no column {match[1]!r}", file=file, hint=_ALL_COLUMNS)
    if match := re.match(r"ambiguous column name: (.+)", text):
        return InputError(_ambiguous(match[1]), file=file, hint="put the table before it")
    if match := re.match(r"no such function: (.+)", text):
        return InputError(f"there is no function {match[1]!r}", file=file)
    if match := re.match(r'near "(.+)": syntax error', text):
        return InputError(
            f"the query cannot be understood at {match[1]!r}", file=file, hint=_EXAMPLE
        )
    if text == "incomplete input":
        return InputError("the query breaks off", file=file, hint=_EXAMPLE)
    if text == "interrupted":
        return InputError(_TOO_SLOW[0], file=file, hint=_TOO_SLOW[1])
    if text == "string or blob too big":
        return InputError(
            f"a value in it is longer than {SQLITE_LONGEST >> 10} KiB",
            file=file,
            hint="name the columns you need in a query",
        )
    if "too many columns" in text:
        return InputError(f"it has more than {SQLITE_COLUMNS} columns", file=file)
    if "too many attached" in text or "readonly" in text:
        return InputError("a query can only read: it begins with SELECT", file=file)
    return InputError(text[:_LONGEST], file=file)


_TOO_SLOW = (
    "reading it takes longer than a file of its size should need",
    "export the games as CSV if that is right",
)
_EXAMPLE = "such as SELECT white, black, result FROM 'games.csv'"
_ALL_COLUMNS = "SELECT * takes all there are"


def _trouble(error: duckdb.Error) -> _Trouble:
    """An error taken to pieces; what comes without them is taken as it is."""
    text = str(error)
    try:
        fields: dict[str, Any] = json.loads(text[text.index("{") :])
        start, length = json.loads(fields.get("location", "[null, 0]"))
        return _Trouble(
            fields["exception_type"],
            fields["exception_message"],
            fields.get("name", ""),
            start,
            length,
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        kind, _, rest = text.partition(" Error: ")
        return _Trouble(kind if rest else "", rest or text, "", None, 0)


def _place(text: str, trouble: _Trouble, shift: int) -> str:
    """Where in the query it is wrong, by line and character."""
    if trouble.start is None or trouble.start < shift:
        return ""
    before = text.encode()[: trouble.start - shift].decode(errors="replace")
    line = before.count("\n") + 1
    character = len(before) - before.rfind("\n")
    return f"at {f'line {line}, ' if chr(10) in text else ''}character {character}: "


def _message(
    trouble: _Trouble, tables: Sequence[str], columns: Callable[[], Sequence[str]]
) -> tuple[str, str | None]:
    """What to say of it, and the hint."""
    message = trouble.message
    if full := _NO_ROOM.search(message):
        if full["memory"]:
            return "there is not enough memory for it", "give more by --memory"
        hint = "free some space, or set TMPDIR to another folder"
        return f"no room for temporary files in {gettempdir()}", hint
    for pattern, say in _SAYINGS:
        if match := pattern.search(message):
            return say(match)
    if match := _NO_COLUMN.search(message):
        there = columns()
        missing = no_such("column", match[1], there) if there else f"no column {match[1]!r}"
        return missing, None
    if match := _NO_TABLE.search(message):
        return _no_table(match[1], tables)
    first = message.strip().split("\n")[0]
    return " ".join(first.split())[:_LONGEST], None


#: In memory, or else on disk.
_NO_ROOM = re.compile(
    r"(?P<memory>(?:failed to|could not) (?:pin|allocate) )|failed to offload "
    r"|Failed to create directory|No space left|Disk quota exceeded|File too large"
    r"|Read-only file system"
)
_NO_COLUMN = re.compile(r'Referenced column "(.+?)" (?:not found|was not found)')
_NO_TABLE = re.compile(r"Table with name (.+?) does not exist")


def _no_table(name: str, tables: Sequence[str]) -> tuple[str, str | None]:
    if tables:
        return no_such("table", name, tables), None
    lower = name.lower()
    if lower.endswith((".pgn", ".sgf", ".mat", ".pgn.gz")):
        return f"a query cannot read {name!r}", "read it without --query, perhaps with --where"
    return f"there is no table {name!r}", "name a file, FROM 'games.csv', or a database"


def _ambiguous(name: str) -> str:
    return f"it is not clear which column {name!r} is meant"


_Saying = Callable[[re.Match[str]], tuple[str, str | None]]
_SAYINGS: tuple[tuple[re.Pattern[str], _Saying], ...] = tuple(
    (re.compile(pattern, re.DOTALL), say)
    for pattern, say in (
        (
            r'syntax error at or near "(.+?)"',
            lambda m: (f"the query cannot be understood at {m[1]!r}", _EXAMPLE),
        ),
        (
            r"CSV Error on Line: (\d+)\b.*\bExpected Number of Columns: (\d+) Found: (\d+)",
            lambda m: (f"line {m[1]} has {m[3]} columns, the first line {m[2]}", "correct it"),
        ),
        (r"syntax error at end of input", lambda _: ("the query breaks off", _EXAMPLE)),
        (r"unterminated quoted", lambda _: ('a quotation mark " is not closed', None)),
        (r"unterminated string", lambda _: ("a quotation mark ' is not closed", None)),
        (
            r'Ambiguous reference to column name "(.+?)" \(use: (.+)\)',
            lambda m: (_ambiguous(m[1]), f"write {m[2]}".replace("'", "")),
        ),
        (
            r'Referenced table "(.+?)" not found',
            lambda m: (f"nothing is called {m[1]!r} in FROM", None),
        ),
        (
            r'column "(.+?)" must appear in the GROUP BY',
            lambda m: (f"games are added up, but not by {m[1]!r}", f"add GROUP BY {m[1]}"),
        ),
        (
            r"Function with name (\S+) does not exist",
            lambda m: (f"there is no function {m[1]!r}", None),
        ),
        (
            r"cannot contain aggregates",
            lambda _: ("WHERE cannot add up games", "HAVING, behind GROUP BY, can"),
        ),
        (
            r'(?:No files found that match the pattern|Cannot open file) "(.+?)"',
            lambda m: (f"there is no file {m[1]!r}", "check its name"),
        ),
        (r"^Interrupted!", lambda _: _TOO_SLOW),
        (
            r"operations are disabled by configuration",
            lambda _: ("it asks for files outside the database", "only its own tables are read"),
        ),
        (
            r"httpfs|extension",
            lambda _: (
                "files on other computers cannot be read without DuckDB's extension httpfs",
                "with a network python -c \"import duckdb; duckdb.sql('INSTALL httpfs')\" fetches "
                "it; or download the files first",
            ),
        ),
        (
            r'CSV Error on Line: (\d+).*?column "(.+?)"\. Could not convert string "(.*?)"',
            lambda m: (
                f"line {m[1]} of a CSV file: {m[3]!r} in the column {m[2]!r} is not a number or "
                "date as in the rows before",
                "read_csv('games.csv', all_varchar = true) takes all as text",
            ),
        ),
        (
            r"""Could not convert string ['"](.*?)['"] to""",
            lambda m: (f"{m[1]!r} is not a number or date", "TRY_CAST(… AS …) leaves it out"),
        ),
        (
            r'function call "(.+?)\(|given name and argument types \'(.+?)\(',
            lambda m: (
                f"{m[1] or m[2]!s} cannot take values of these kinds",
                "CAST(… AS INTEGER) or CAST(… AS VARCHAR) makes them one kind",
            ),
        ),
        (
            r"Footer length error in file '(.+?)'|No magic bytes found at end of file '(.+?)'"
            r"|File '(.+?)' too small to be a Parquet file",
            lambda m: (f"{m[1] or m[2] or m[3]!s} is not a Parquet file, or damaged", None),
        ),
        (
            r'Malformed JSON in file "(.+?)", at byte \d+ in (line|record)\S* (\d+)',
            lambda m: (f"{m[1]} is damaged: {m[2]} {m[3]} is not JSON", None),
        ),
    )
)


def _columns(connection: duckdb.DuckDBPyConnection, sql: str) -> list[str]:
    """The columns of what a query reads, as far as that is easily told."""
    import duckdb

    names: dict[str, None] = {}
    for source in dict.fromkeys(_SOURCE.findall(sql)):
        try:
            rows = connection.execute(f"{_DESCRIBE}SELECT * FROM {source}").fetchall()
        except duckdb.Error:
            continue
        names |= dict.fromkeys(str(row[0]) for row in rows)
    return list(names)
