"""Games from the rows of tables: CSV, Parquet, JSON, databases, frames.

DuckDB reads all of them, numbers the players in order of first appearance and
hands over plain numbers, so a table need not fit in memory as text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import InputError, StrictError
from yardstone.pool import MAX_SKIPPED_DETAILS, Pool, Skipped, SkipReport
from yardstone.records.column_roles import Roles, find_roles
from yardstone.records.dates import FIRST_YEAR, LAST_YEAR, date_span, read_dates
from yardstone.records.decoding import clean
from yardstone.records.match_tables import (
    is_match_table,
    match_options,
    match_roles,
    with_error_rates,
)
from yardstone.records.options import Options
from yardstone.records.skipped_records import UNKNOWN_RESULT, check_unread
from yardstone.records.strength_columns import check_stones
from yardstone.records.table_results import BETWEEN, TableOfGames, quoted

if TYPE_CHECKING:
    import duckdb
    from numpy.typing import NDArray

__all__ = ["connect", "pool_of_rows"]

UNFINISHED = "unfinished (result *)"


def connect() -> duckdb.DuckDBPyConnection:
    """A database in memory that keeps the order of rows and downloads nothing."""
    import duckdb

    connection = duckdb.connect(
        config={"autoinstall_known_extensions": "false", "preserve_insertion_order": "true"}
    )
    # In a notebook without ipywidgets DuckDB refuses this, and shows no bar either.
    with suppress(duckdb.InvalidInputException):
        connection.execute("SET enable_progress_bar = false")
    return connection


def pool_of_rows(
    connection: duckdb.DuckDBPyConnection,
    rows: str,
    *,
    file: str,
    options: Options,
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
    options : Options
        What the caller says of the table.
    line_of : callable
        The line of a row, counted from 1.
    report : SkipReport, optional
        What was skipped before; the pool's report begins with it.

    Raises
    ------
    InputError
        If a column is missing, or the results are not understood.
    """
    names = [row[0] for row in connection.execute(f"DESCRIBE SELECT * FROM {rows}").fetchall()]
    matches = is_match_table(names)
    if matches:
        options = match_options(options)
    roles = find_roles(names, options.columns, file)
    if matches:
        roles = match_roles(roles, options.further)
    table = TableOfGames(connection, file, names, options)
    skipped = SkipReport() if report is None else report
    table.copy(rows, roles, time=_moment(roles), moment=_when(roles), report=skipped)
    order = table.order(roles)
    if matches:
        order = replace(order, ordered=False)  # the dice decide who begins
    source = table.score(order)
    roles = order.roles
    if options.everything:
        used = {roles.first, roles.second, *source, *roles.time}
        roles = replace(roles, extra={name: name for name in names if name not in used})
    levels, remark = table.levels(roles)
    roles = replace(roles, extra={**levels, **roles.extra})
    if remark:
        skipped.remark(remark)
    _skip(connection, file, options.strict, line_of, skipped)
    if order.roles.labels == ("player", "opponent") and not order.ordered:
        _check_copies(connection, file)
    games, decided = connection.execute(
        "SELECT count(score), count(*) FILTER (score <> 0.5) FROM scored"
    ).fetchone() or (0, 0)
    check_unread(
        skipped,
        games,
        file=file,
        # Where draws alone are understood, leaving out the rest turns everything round.
        skip_unread=options.skip_unread and bool(decided),
        named=source[0] if len(source) == 1 else "",
    )
    pool = _pool(connection, file, roles, skipped, options, ordered=order.ordered)
    if options.levels:
        check_stones(pool, roles.first, file)
    return with_error_rates(pool) if matches else pool


def _check_copies(connection: duckdb.DuckDBPyConnection, file: str) -> None:
    """Refuse a table in which each game stands twice, once from each side."""
    row = connection.execute(
        """WITH game AS (SELECT first, second, score, time, count(*) AS n FROM scored
            WHERE score IS NOT NULL AND first <> second GROUP BY ALL)
        SELECT count(*), count(*) FILTER (a.n IS DISTINCT FROM b.n)
        FROM game AS a LEFT JOIN game AS b ON a.first = b.second AND a.second = b.first
            AND a.score = 1.0 - b.score AND a.time IS NOT DISTINCT FROM b.time"""
    ).fetchone()
    if row is not None and row[0] and not row[1]:
        raise InputError(
            "every game appears twice, once from each side",
            file=file,
            hint="keep one row per game, for example with --query",
        )


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


def _skip(
    connection: duckdb.DuckDBPyConnection,
    file: str,
    strict: bool,
    line_of: Callable[[int], int],
    report: SkipReport,
) -> None:
    """Report the rows that cannot be used."""
    reasons = (
        "CASE WHEN coalesce(first, '') = '' THEN 'the first player has no name' "
        "WHEN coalesce(second, '') = '' THEN 'the second player has no name' "
        "WHEN score IS NOT NULL THEN NULL "
        "WHEN reason IS NOT NULL THEN reason "
        "WHEN coalesce(result, '') = '' THEN 'no result' "
        f"ELSE '{UNKNOWN_RESULT}' END"
    )
    connection.execute(
        f"""CREATE OR REPLACE TEMP TABLE bad AS SELECT row, result, {reasons} AS kind
        FROM scored WHERE kind IS NOT NULL"""
    )
    kinds = dict(connection.execute("SELECT kind, count(*) FROM bad GROUP BY kind").fetchall())
    unread = {"the first player has no name", "the second player has no name", UNKNOWN_RESULT}
    for row, result, kind in connection.execute(
        f"SELECT * FROM bad ORDER BY row LIMIT {MAX_SKIPPED_DETAILS}"
    ).fetchall():
        reason = kind
        if kind == UNKNOWN_RESULT:
            text = clean(str(result).replace(BETWEEN, " and ")[:64])
            reason = f"result {text!r} is not understood"
        line = line_of(row)
        if strict:
            raise StrictError(reason, file=file, line=line)
        report.add(Skipped(file, line, reason), kind=kind, known=kind not in unread)
        kinds[kind] -= 1
    for kind, number in kinds.items():
        if number:
            report.add_uncounted(kind, number, known=kind not in unread)
    for result, number in connection.execute(
        f"""SELECT result, count(*) FROM bad WHERE kind = '{UNKNOWN_RESULT}'
        GROUP BY result ORDER BY count(*) DESC, result LIMIT {MAX_SKIPPED_DETAILS}"""
    ).fetchall():
        report.values[str(result).replace(BETWEEN, " and ")] += number


def _pool(
    connection: duckdb.DuckDBPyConnection,
    file: str,
    roles: Roles,
    skipped: SkipReport,
    options: Options,
    *,
    ordered: bool,
) -> Pool:
    # Players of unfinished games are known, as they are to the reader of PGN files.
    connection.execute(
        f"""CREATE OR REPLACE TEMP TABLE good AS SELECT * FROM scored
        WHERE row NOT IN (SELECT row FROM bad WHERE kind <> '{UNFINISHED}')"""
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
    extra = "".join(f", {quoted('extra ' + name)}" for name in dict.fromkeys(roles.extra.values()))
    data = connection.execute(
        f"""SELECT CAST(p1.number AS INTEGER) AS one, CAST(p2.number AS INTEGER) AS two,
            score, time, CASE WHEN time IS NULL THEN moment END AS moment{extra}
        FROM good JOIN player AS p1 ON p1.name = first JOIN player AS p2 ON p2.name = second
        WHERE score IS NOT NULL ORDER BY row"""
    ).fetchnumpy()
    time = _times(data, file, roles, options, skipped) if roles.time else None
    columns = {name: _plain(data[f"extra {column}"]) for name, column in roles.extra.items()}
    return Pool(
        tuple(players), data["one"], data["two"], data["score"], time, columns, skipped, ordered
    )


def _times(
    data: Mapping[str, Any], file: str, roles: Roles, options: Options, skipped: SkipReport
) -> NDArray[np.datetime64]:
    """When the games were played: as DuckDB reads it, else as `read_dates` does.

    Raises InputError where a date is wanted and none of the column can be read.
    """
    time = np.ma.filled(data["time"].astype("datetime64[s]"), np.datetime64("NaT"))
    unknown = np.isnat(time)
    if not unknown.any():
        return time
    texts = np.where(unknown, _plain(data["moment"]), time.astype(str)).tolist()
    read = read_dates(texts, options.dates)
    columns = " and ".join(repr(name) for name in roles.time)
    if read.missed and (options.times or roles.named_time):
        unclear = [text for text in read.unread if not np.isnat(date_span(text, "dmy")[0])]
        if unclear:
            raise InputError(
                f"dates such as {unclear[0]!r} in the column {columns} may be day first or "
                "month first",
                file=file,
                hint="choose with --dates dmy or --dates mdy; in Python dates='dmy'",
            )
        if np.isnat(read.time).all():
            raise InputError(
                f"no date can be read in the column {columns}: it holds "
                + ", ".join(repr(text[:40]) for text in read.unread),
                file=file,
                hint="name another column with time=NAME, or write dates as 2024-05-31",
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
