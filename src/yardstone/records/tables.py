"""Games from the rows of tables: CSV, Parquet, JSON, databases, frames.

DuckDB reads all of them, numbers the players in order of first appearance and
hands over plain numbers, so a table need not fit in memory as text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import StrictError
from yardstone.pool import MAX_SKIPPED_DETAILS, Pool, Skipped, SkipReport
from yardstone.records.guess import Roles, find_roles
from yardstone.records.results import Side, score_of_first
from yardstone.records.text import clean

if TYPE_CHECKING:
    import duckdb
    from numpy.typing import NDArray

__all__ = ["connect", "pool_of_rows", "quoted"]

#: More different results than this are no results.
_MOST_RESULTS = 100_000


def connect() -> duckdb.DuckDBPyConnection:
    """A database in memory that keeps the order of rows and downloads nothing."""
    import duckdb

    connection = duckdb.connect(
        config={"autoinstall_known_extensions": "false", "preserve_insertion_order": "true"}
    )
    connection.execute("SET enable_progress_bar = false")
    return connection


def quoted(name: str) -> str:
    """A column's name as SQL wants it."""
    return '"' + name.replace('"', '""') + '"'


def pool_of_rows(
    connection: duckdb.DuckDBPyConnection,
    rows: str,
    *,
    file: str,
    columns: Mapping[str, str] | Iterable[str] | None = None,
    first: Side = "white",
    strict: bool = False,
    line_of: Callable[[int], int] = int,
    report: SkipReport | None = None,
) -> Pool:
    """The pool of the rows of a table or query.

    Parameters
    ----------
    connection : DuckDB connection
        Where the rows are.
    rows : str
        What stands behind FROM.
    file : str
        What messages call it.
    columns, first, strict
        As for `yardstone.read`.
    line_of : callable
        The line of a row, counted from 1.
    report : SkipReport, optional
        What was skipped before; the pool's report begins with it.
    """
    names = [row[0] for row in connection.execute(f"DESCRIBE SELECT * FROM {rows}").fetchall()]
    roles = find_roles(names, columns, first, file)
    extra = "".join(
        f", {quoted(column)} AS extra{k}" for k, column in enumerate(roles.extra.values())
    )
    connection.execute(
        f"""CREATE OR REPLACE TEMP TABLE game AS
        SELECT row_number() OVER () AS row, {_name(roles.first)} AS first,
            {_name(roles.second)} AS second, trim(CAST({quoted(roles.score)} AS VARCHAR)) AS result,
            {_moment(roles)} AS time{extra}
        FROM {rows}"""
    )
    _add_scores(connection, first)
    skipped = SkipReport() if report is None else report
    _skip(connection, file, strict, line_of, skipped)
    return _pool(connection, roles, skipped)


def _name(column: str) -> str:
    blanks = r"'[\x00-\x1F\x7F]'"
    return f"trim(regexp_replace(CAST({quoted(column)} AS VARCHAR), {blanks}, ' ', 'g'))"


def _moment(roles: Roles) -> str:
    """SQL for the time of a game, from a date, or a date and a time of day."""
    texts = [
        f"regexp_replace(CAST({quoted(name)} AS VARCHAR), "
        r"'^(\d{4})[./](\d{1,2})[./](\d{1,2})', '\1-\2-\3')"
        for name in roles.time
    ]
    tries = [f"TRY_CAST({' || chr(32) || '.join(texts)} AS TIMESTAMP)"] if texts else []
    tries += [f"TRY_CAST({text} AS TIMESTAMP)" for text in texts]
    return f"CAST(coalesce({', '.join([*tries, 'NULL'])}) AS TIMESTAMP_S)"


def _add_scores(connection: duckdb.DuckDBPyConnection, first: Side) -> None:
    """Make a table of what each text in the column of results means."""
    texts = [
        str(row[0])
        for row in connection.execute(
            f"""SELECT DISTINCT result FROM game
            WHERE result IS NOT NULL LIMIT {_MOST_RESULTS}"""
        ).fetchall()
    ]
    among = {text.lower() for text in texts}
    scores = {text: score_of_first(text, first, among) for text in texts}
    known = [(text, score) for text, score in scores.items() if score is not None]
    connection.execute("CREATE OR REPLACE TEMP TABLE meaning (text VARCHAR, score DOUBLE)")
    for start in range(0, len(known), 1000):
        some = known[start : start + 1000]
        values = ", ".join(["(?, ?)"] * len(some))
        connection.execute(
            f"INSERT INTO meaning VALUES {values}", [part for pair in some for part in pair]
        )
    connection.execute(
        """CREATE OR REPLACE TEMP VIEW scored AS
        SELECT game.*, CASE WHEN first = second THEN score WHEN result = first THEN 1.0
            WHEN result = second THEN 0.0 ELSE score END AS score
        FROM game LEFT JOIN meaning ON result = text"""
    )


def _skip(
    connection: duckdb.DuckDBPyConnection,
    file: str,
    strict: bool,
    line_of: Callable[[int], int],
    report: SkipReport,
) -> None:
    """Report the rows that cannot be used."""
    reasons = (
        "CASE WHEN coalesce(first, '') = '' THEN 'no name of the first player' "
        "WHEN coalesce(second, '') = '' THEN 'no name of the second player' "
        "WHEN coalesce(result, '') = '' THEN 'no result' "
        "WHEN result = '*' THEN 'unfinished (result *)' "
        "WHEN score IS NULL THEN 'unknown result' END"
    )
    connection.execute(
        f"""CREATE OR REPLACE TEMP TABLE bad AS SELECT row, result, {reasons} AS kind
        FROM scored WHERE kind IS NOT NULL"""
    )
    kinds = dict(connection.execute("SELECT kind, count(*) FROM bad GROUP BY kind").fetchall())
    for row, result, kind in connection.execute(
        f"SELECT * FROM bad ORDER BY row LIMIT {MAX_SKIPPED_DETAILS}"
    ).fetchall():
        reason = kind
        if kind == "unknown result":
            reason = f"result {clean(str(result)[:64])!r} is not understood"
        line = line_of(row)
        if strict:
            raise StrictError(reason, file=file, line=line)
        report.add(Skipped(file, line, reason), kind=kind)
        kinds[kind] -= 1
    for kind, number in kinds.items():
        if number:
            report.add_uncounted(kind, number)


def _pool(connection: duckdb.DuckDBPyConnection, roles: Roles, skipped: SkipReport) -> Pool:
    # Players of unfinished games are known, as they are to the reader of PGN files.
    connection.execute(
        """CREATE OR REPLACE TEMP TABLE good AS SELECT * FROM scored
        WHERE row NOT IN (SELECT row FROM bad WHERE kind <> 'unfinished (result *)')"""
    )
    connection.execute(
        """CREATE OR REPLACE TEMP TABLE player AS
        SELECT name, row_number() OVER (ORDER BY place) - 1 AS number FROM (
            SELECT name, min(place) AS place FROM (
                SELECT first AS name, 2 * row AS place FROM good
                UNION ALL SELECT second, 2 * row + 1 FROM good)
            GROUP BY name)"""
    )
    players = [
        row[0] for row in connection.execute("SELECT name FROM player ORDER BY number").fetchall()
    ]
    extra = "".join(f", extra{k}" for k in range(len(roles.extra)))
    data = connection.execute(
        f"""SELECT CAST(one.number AS INTEGER) AS one, CAST(two.number AS INTEGER) AS two,
            score, time{extra}
        FROM good JOIN player AS one ON one.name = first JOIN player AS two ON two.name = second
        WHERE score IS NOT NULL ORDER BY row"""
    ).fetchnumpy()
    time = None
    if roles.time:
        time = np.ma.filled(data["time"].astype("datetime64[s]"), np.datetime64("NaT"))
    columns = {name: _plain(data[f"extra{k}"]) for k, name in enumerate(roles.extra)}
    return Pool(tuple(players), data["one"], data["two"], data["score"], time, columns, skipped)


def _plain(values: Any) -> NDArray[Any]:
    """A column without a mask: NaN, NaT or an empty text where nothing is known."""
    unknown = np.ma.getmaskarray(values)
    array = np.asarray(np.ma.getdata(values))
    if array.dtype.kind == "O":
        pairs = zip(array.tolist(), unknown.tolist(), strict=True)
        texts = ["" if missing or value is None else str(value) for value, missing in pairs]
        return np.array(texts, np.dtypes.StringDType())
    if not unknown.any():
        return array
    if array.dtype.kind == "M":
        return np.where(unknown, np.datetime64("NaT"), array)
    return np.where(unknown, np.nan, array.astype(np.float64))
