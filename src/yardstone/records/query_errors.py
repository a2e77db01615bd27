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
            raise InputError(_ONLY_READS, file=file)
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
    message, hint = _said(_SQLITE_SAYINGS, text) or (text[:_LONGEST], None)
    return InputError(message, file=file, hint=hint)


_TOO_SLOW = (
    "reading it takes longer than a file of its size should need",
    "export the games as CSV if that is right",
)
_EXAMPLE = "such as SELECT white, black, result FROM 'games.csv'"
_AMBIGUOUS = "it is not clear which column {0!r} is meant"
_BREAKS_OFF = ("the query breaks off", _EXAMPLE)
_ONLY_READS = "a query can only read: it begins with SELECT"


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
    if match := _SEVERAL_COLUMNS.search(message):
        return _AMBIGUOUS.format(match[1]), f"write {match[2]}".replace("'", "")
    if said := _said(_SAYINGS, message):
        return said
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
_SEVERAL_COLUMNS = re.compile(r'Ambiguous reference to column name "(.+?)" \(use: (.+)\)')
_NO_TABLE = re.compile(r"Table with name (.+?) does not exist")


def _no_table(name: str, tables: Sequence[str]) -> tuple[str, str | None]:
    if tables:
        return no_such("table", name, tables), None
    lower = name.lower()
    if lower.endswith((".pgn", ".sgf", ".mat", ".pgn.gz")):
        return f"a query cannot read {name!r}", "read it without --query, perhaps with --where"
    return f"there is no table {name!r}", "name a file, FROM 'games.csv', or a database"


#: What errors mean, by patterns of which the first that is found counts, and how to go on: the
#: groups that a pattern has found, in order, stand for {0}, {1} and so on.
_Sayings = tuple[tuple[str, str, str | None], ...]
_SQLITE_SAYINGS: _Sayings = (
    (r"^no such column: (.+)", "there is no column {0!r}", "SELECT * takes all there are"),
    (r"^ambiguous column name: (.+)", _AMBIGUOUS, "put the table before it"),
    (r"^no such function: (.+)", "there is no function {0!r}", None),
    (r'^near "(.+)": syntax error', "the query cannot be understood at {0!r}", _EXAMPLE),
    (r"^incomplete input$", *_BREAKS_OFF),
    (r"^interrupted$", *_TOO_SLOW),
    (
        r"^string or blob too big$",
        f"a value in it is longer than {SQLITE_LONGEST >> 10} KiB",
        "name the columns you need in a query",
    ),
    (r"too many columns", f"it has more than {SQLITE_COLUMNS} columns", None),
    (r"too many attached|readonly", _ONLY_READS, None),
)
_SAYINGS: _Sayings = (
    (r'syntax error at or near "(.+?)"', "the query cannot be understood at {0!r}", _EXAMPLE),
    (
        r"CSV Error on Line: (\d+)\b.*\bExpected Number of Columns: (\d+) Found: (\d+)",
        "line {0} has {2} columns, the first line {1}",
        "correct it",
    ),
    (r"syntax error at end of input", *_BREAKS_OFF),
    (r"unterminated quoted", 'a quotation mark " is not closed', None),
    (r"unterminated string", "a quotation mark ' is not closed", None),
    (r'Referenced table "(.+?)" not found', "nothing is called {0!r} in FROM", None),
    (
        r'column "(.+?)" must appear in the GROUP BY',
        "games are added up, but not by {0!r}",
        "add GROUP BY {0}",
    ),
    (r"Function with name (\S+) does not exist", "there is no function {0!r}", None),
    (r"cannot contain aggregates", "WHERE cannot add up games", "HAVING, behind GROUP BY, can"),
    (
        r'(?:No files found that match the pattern|Cannot open file) "(.+?)"',
        "there is no file {0!r}",
        "check its name",
    ),
    (r"^Interrupted!", *_TOO_SLOW),
    (
        r"operations are disabled by configuration",
        "it asks for files outside the database",
        "only its own tables are read",
    ),
    (
        r"httpfs|extension",
        "files on other computers cannot be read without DuckDB's extension httpfs",
        "with a network python -c \"import duckdb; duckdb.sql('INSTALL httpfs')\" fetches "
        "it; or download the files first",
    ),
    (
        r'CSV Error on Line: (\d+).*?column "(.+?)"\. Could not convert string "(.*?)"',
        "line {0} of a CSV file: {2!r} in the column {1!r} is not a number or "
        "date as in the rows before",
        "read_csv('games.csv', all_varchar = true) takes all as text",
    ),
    (
        r"""Could not convert string ['"](.*?)['"] to""",
        "{0!r} is not a number or date",
        "TRY_CAST(… AS …) leaves it out",
    ),
    (
        r'function call "(.+?)\(|given name and argument types \'(.+?)\(',
        "{0} cannot take values of these kinds",
        "CAST(… AS INTEGER) or CAST(… AS VARCHAR) makes them one kind",
    ),
    (
        r"Footer length error in file '(.+?)'|No magic bytes found at end of file '(.+?)'"
        r"|File '(.+?)' too small to be a Parquet file",
        "{0} is not a Parquet file, or damaged",
        None,
    ),
    (
        r'Malformed JSON in file "(.+?)", at byte \d+ in (line|record)\S* (\d+)',
        "{0} is damaged: {1} {2} is not JSON",
        None,
    ),
)


def _said(sayings: _Sayings, text: str) -> tuple[str, str | None] | None:
    for pattern, message, hint in sayings:
        if match := re.search(pattern, text, re.DOTALL):
            found = [group for group in match.groups() if group is not None]
            hint = None if hint is None else hint.format(*found)
            return message.format(*found), hint
    return None


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
