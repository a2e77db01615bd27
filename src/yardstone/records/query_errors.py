"""What is wrong with a query, where, and how to go on, in a line.

What DuckDB and SQLite tell in fields is put in plain words; all else stays in theirs.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Mapping, Sequence
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
_EXAMPLE = "such as SELECT white, black, result FROM 'games.csv'"
_ONLY_READS = "a query can only read: it begins with SELECT"
_TOO_SLOW = (
    "reading it takes longer than a file of its size should need",
    "export the games as CSV if that is right",
)
#: What to say by the class of DuckDB's error, or the name of SQLite's, and how to go on; without
#: words of ours theirs stay.
_SAID: Mapping[str, tuple[str, str | None]] = {
    "InterruptException": _TOO_SLOW,
    "OutOfMemoryException": (
        f"there is not enough memory for it, or no room for temporary files in {gettempdir()}",
        "give more memory by --memory, or free some space, or set TMPDIR to another folder",
    ),
    "PermissionException": (
        "it asks for files outside the database",
        "only its own tables are read",
    ),
    "ConversionException": (
        "",
        "TRY_CAST(… AS …) leaves out what is no number or date, and "
        "read_csv('games.csv', all_varchar = true) takes all as text",
    ),
    "InvalidInputException": ("", "is the file damaged, or not what its name says?"),
    "IOException": ("", "check its name"),
    "ParserException": ("", _EXAMPLE),
    "SQLITE_INTERRUPT": _TOO_SLOW,
    "SQLITE_TOOBIG": (
        f"a value in it is longer than {SQLITE_LONGEST >> 10} KiB",
        "name the columns you need in a query",
    ),
    "SQLITE_READONLY": (_ONLY_READS, None),
}
_FAR_AWAY = (
    "files on other computers cannot be read without DuckDB's extension httpfs",
    "with a network python -c \"import duckdb; duckdb.sql('INSTALL httpfs')\" fetches "
    "it; or download the files first",
)


def check_query(
    connection: duckdb.DuckDBPyConnection,
    sql: str,
    file: str,
    tables: Sequence[str] = (),
    computed: Sequence[str] = (),
) -> str:
    """The query as a table, once it is known to make sense: what stands behind FROM.

    `file` is what messages call the query, or its database, which has `tables`, and views or tables
    with `computed` columns, which are not read. Raises InputError, which says where, if it is no
    single SELECT, or names what is not there.
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
        fields = _fields(error)
        kind, name = fields.get("type"), fields.get("name", "")
        if kind == "Table" and name in computed:
            raise computed_error(name, file) from None
        shift = 0 if isinstance(error, duckdb.ParserException) else len(_DESCRIBE)
        place, word = _place(text, fields, shift)
        message, hint = _said(error)
        if fields.get("error_subtype") == "COLUMN_NOT_FOUND":
            there = _columns(connection, text)
            message = no_such("column", name, there) if there else f"no column {name!r}"
        elif kind == "Table" and tables:
            message = no_such("table", name, tables)
        elif kind == "Table" and name.lower().endswith((".pgn", ".sgf", ".mat", ".pgn.gz")):
            message = f"a query cannot read {name!r}"
            hint = "read it without --query, perhaps with --where"
        elif kind == "Table":
            message = f"there is no table {name!r}"
            hint = "name a file, FROM 'games.csv', or a database"
        elif kind:  # of a function, which has several
            message = f"there is no {kind.split()[-1].lower()} {name!r}"
        elif word and not shift:
            message = f"the query cannot be understood at {word!r}"
        raise InputError(place + message, file=file, hint=hint) from None
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
    import duckdb

    return isinstance(error, duckdb.OutOfMemoryException) or "errno" in _fields(error)


def file_error(error: duckdb.Error, file: str) -> InputError:
    """The error for a file or query that cannot be read."""
    message, hint = _said(error)
    return InputError(message, file=file, hint=hint)


def sqlite_error(
    error: sqlite3.Error | UnicodeError, file: str, tables: Sequence[str]
) -> InputError:
    """The error for a query to a database of SQLite."""
    if isinstance(error, UnicodeError):
        return InputError("it is damaged, or a name in it is not text in UTF-8", file=file)
    text = str(error)[:_LONGEST]
    if match := re.match(r"no such table: (.+)", text):
        return InputError(no_such("table", match[1], tables), file=file)
    message, hint = _SAID.get(getattr(error, "sqlite_errorname", ""), (text, None))
    return InputError(message, file=file, hint=hint)


def _fields(error: duckdb.Error) -> dict[str, Any]:
    """What an error says of itself; the message alone where it does not come as JSON."""
    text = str(error)
    try:
        fields: dict[str, Any] = json.loads(text[text.index("{") :])
    except (ValueError, RecursionError):
        fields = {}
    if "exception_message" in fields:
        return fields
    return {"exception_message": text.partition(" Error: ")[2] or text}


def _said(error: duckdb.Error) -> tuple[str, str | None]:
    """What to say of an error, and the hint."""
    fields = _fields(error)
    if "Extension" in fields.get("exception_type", ""):
        return _FAR_AWAY
    message, hint = _SAID.get(type(error).__name__, ("", None))
    first = " ".join(fields["exception_message"].split("\n\n")[0].split())
    return message or first[:_LONGEST], hint


def _place(text: str, fields: Mapping[str, Any], shift: int) -> tuple[str, str]:
    """Where in the query it is wrong, by line and character, and the words there."""
    start, length = json.loads(fields.get("location", "[0, 0]"))
    if "location" not in fields or start < shift:
        return "", ""
    before = text.encode()[: start - shift].decode(errors="replace")
    word = text.encode()[start - shift :][:length].decode(errors="replace")
    line = before.count("\n") + 1
    character = len(before) - before.rfind("\n")
    return f"at {f'line {line}, ' if chr(10) in text else ''}character {character}: ", word


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
