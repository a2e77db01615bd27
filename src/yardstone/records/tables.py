"""Games from the rows of tables: CSV, Parquet, JSON, databases, frames.

DuckDB reads all of them, numbers the players in order of first appearance and
hands over plain numbers, so a table need not fit in memory as text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import InputError, StrictError
from yardstone.pool import MAX_SKIPPED_DETAILS, Pool, Skipped, SkipReport
from yardstone.records.dates import FIRST_YEAR, LAST_YEAR, DateOrder, date_span, read_dates
from yardstone.records.guess import Roles, find_roles
from yardstone.records.levels import check_stones, level_columns
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
    dates: DateOrder | None = None,
    times: bool = False,
    levels: bool = False,
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
    dates, times, levels
        As for `yardstone.read`; with `times`, dates that cannot be read are an error.
    """
    names = [row[0] for row in connection.execute(f"DESCRIBE SELECT * FROM {rows}").fetchall()]
    roles = find_roles(names, columns, first, file)
    skipped = SkipReport() if report is None else report
    if levels:
        found, remark = level_columns(names, roles.first, roles.second)
        roles = replace(roles, extra={**found, **roles.extra})
        if remark:
            skipped.remark(remark)
    extra = "".join(
        f", {quoted(column)} AS extra{k}" for k, column in enumerate(roles.extra.values())
    )
    connection.execute(
        f"""CREATE OR REPLACE TEMP TABLE game AS
        SELECT row_number() OVER () AS row, {_name(roles.first)} AS first,
            {_name(roles.second)} AS second, trim(CAST({quoted(roles.score)} AS VARCHAR)) AS result,
            {_moment(roles)} AS time, {_when(roles)} AS moment{extra}
        FROM {rows}"""
    )
    _add_scores(connection, first)
    _skip(connection, file, strict, line_of, skipped)
    pool = _pool(connection, roles, skipped, Dates(file, dates, times))
    if levels:
        check_stones(pool, roles.first, file)
    return pool


@dataclass(frozen=True, slots=True)
class Dates:
    """How dates of a table are to be read.

    Attributes
    ----------
    file : str
    order : {"dmy", "mdy", "ymd"} or None
    wanted : bool
        Whether times matter to what comes.
    """

    file: str
    order: DateOrder | None
    wanted: bool


def _name(column: str) -> str:
    blanks = r"'[\x00-\x1F\x7F]'"
    return f"trim(regexp_replace(CAST({quoted(column)} AS VARCHAR), {blanks}, ' ', 'g'))"


def _moment(roles: Roles) -> str:
    """SQL for the time of a game, from a date, or a date and a time of day.

    Only what is sure: a day written year first, in a year of sense. `_times` reads the rest.
    """
    texts = [
        f"regexp_replace(CAST({quoted(name)} AS VARCHAR), "
        r"'^(\d{4})[./](\d{1,2})[./](\d{1,2})', '\1-\2-\3')"
        for name in roles.time
    ]
    tries = [f"TRY_CAST({' || chr(32) || '.join(texts)} AS TIMESTAMP)"] if texts else []
    tries += [f"TRY_CAST({text} AS TIMESTAMP)" for text in texts]
    sure = [
        f"CASE WHEN year({each}) BETWEEN {FIRST_YEAR} AND {LAST_YEAR} THEN {each} END"
        for each in tries
    ]
    return f"CAST(coalesce({', '.join([*sure, 'NULL'])}) AS TIMESTAMP_S)"


def _when(roles: Roles) -> str:
    """SQL for the same as text, as the table has it."""
    texts = [f"CAST({quoted(name)} AS VARCHAR)" for name in roles.time]
    return f"trim(concat_ws(' ', {', '.join(texts)}))" if texts else "''"


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


def _pool(
    connection: duckdb.DuckDBPyConnection, roles: Roles, skipped: SkipReport, dates: Dates
) -> Pool:
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
            score, time, CASE WHEN time IS NULL THEN moment END AS moment{extra}
        FROM good JOIN player AS one ON one.name = first JOIN player AS two ON two.name = second
        WHERE score IS NOT NULL ORDER BY row"""
    ).fetchnumpy()
    time = _times(data, roles, dates, skipped) if roles.time else None
    columns = {name: _plain(data[f"extra{k}"]) for k, name in enumerate(roles.extra)}
    return Pool(tuple(players), data["one"], data["two"], data["score"], time, columns, skipped)


def _times(
    data: Mapping[str, Any], roles: Roles, dates: Dates, skipped: SkipReport
) -> NDArray[np.datetime64]:
    """When the games were played: as DuckDB reads it, else as `read_dates` does.

    Raises InputError where a date is wanted and none of the column can be read.
    """
    time = np.ma.filled(data["time"].astype("datetime64[s]"), np.datetime64("NaT"))
    unknown = np.isnat(time)
    if not unknown.any():
        return time
    texts = np.where(unknown, _plain(data["moment"]), time.astype(str)).tolist()
    read = read_dates(texts, dates.order)
    columns = " and ".join(repr(name) for name in roles.time)
    if read.missed and (dates.wanted or roles.asked_time):
        unclear = [text for text in read.unread if not np.isnat(date_span(text, "dmy")[0])]
        if unclear:
            raise InputError(
                f"dates such as {unclear[0]!r} in the column {columns} can be day first or "
                "month first",
                file=dates.file,
                mend="say which with --dates dmy or --dates mdy; in Python dates='dmy'",
            )
        if np.isnat(read.time).all():
            raise InputError(
                f"no date can be read in the column {columns}: it holds "
                + ", ".join(repr(text[:40]) for text in read.unread),
                file=dates.file,
                mend="name another column with time=NAME, or write dates as 2024-05-31",
            )
    read.report(skipped)
    return read.time


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
