"""What the rows of tables mean: CSV, Parquet, JSON, databases, frames.

DuckDB reads all of them, numbers the players in order of first appearance and
hands over plain numbers, so a table need not fit in memory as text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from tempfile import gettempdir
from typing import TYPE_CHECKING

from yardstone.errors import InputError, StrictError
from yardstone.pool import MAX_SKIPPED_DETAILS, Skipped, SkipReport
from yardstone.records.column_roles import Roles, find_roles
from yardstone.records.dates import FIRST_YEAR, LAST_YEAR
from yardstone.records.decoding import clean
from yardstone.records.game_rows import GameRows
from yardstone.records.match_tables import is_match_table, match_options, match_roles
from yardstone.records.options import Options
from yardstone.records.skipped_records import UNKNOWN_RESULT, check_unread
from yardstone.records.table_results import BETWEEN, TableOfGames, quoted

if TYPE_CHECKING:
    import duckdb

__all__ = ["connect", "understand"]

#: The kind of records without the key that tells the result.
_NO_KEY = "no result under this key"
#: Types of columns that hold no single value.
_NESTED = re.compile(r"STRUCT|MAP|UNION|.*\[\d*\]$")


def connect(memory: int | None = None) -> duckdb.DuckDBPyConnection:
    """A database in memory that keeps the order of rows and downloads nothing.

    With more than `memory` bytes of tables it goes on in a temporary folder.
    """
    import duckdb

    config: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": "false",
        "preserve_insertion_order": "true",
    }
    if memory is not None:
        config |= {"memory_limit": f"{memory}B", "temp_directory": gettempdir()}
    connection = duckdb.connect(config=config)
    # In a notebook without ipywidgets DuckDB refuses this, and shows no bar either.
    with suppress(duckdb.InvalidInputException):
        connection.execute("SET enable_progress_bar = false")
    return connection


def understand(
    connection: duckdb.DuckDBPyConnection,
    rows: str,
    *,
    file: str,
    options: Options,
    line_of: Callable[[int], int] = int,
    report: SkipReport | None = None,
    keys: bool = False,
) -> GameRows:
    """The games in the rows of a table or query.

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
        What was skipped before; the report begins with it.
    keys : bool
        Whether each row brings its own keys, so that one without a result is damaged, not blank.

    Raises
    ------
    InputError
        If a column is missing, or the results are not understood.
    """
    described = connection.execute(f"DESCRIBE SELECT * FROM {rows}").fetchall()
    names = [name for name, kind, *_ in described if not _NESTED.match(kind)] or [described[0][0]]
    matches = is_match_table(names)
    if matches:
        options = match_options(options)
    roles = find_roles(names, options.columns, file)
    if matches:
        roles = match_roles(roles, options.further)
    table = TableOfGames(connection, file, names, options, line_of)
    skipped = SkipReport() if report is None else report
    table.copy(rows, roles, time=_moment(roles), moment=_when(roles), report=skipped)
    order = table.order(roles, skipped)
    if matches:
        order = replace(order, ordered=False)  # the dice decide who begins
        # A match has as many games as it takes, and one winner.
        table.watched = [name for name in table.watched if name != "games"]
    table.check(order, skipped)
    source = table.score(order, skipped)
    roles = order.roles
    if options.everything:
        used = {*source, *roles.time}
        if table.turned == "false":  # else it must be seen whose each further column is
            used |= {roles.first, roles.second}
        roles = replace(roles, extra={name: name for name in names if name not in used})
    levels, remark = table.levels(roles)
    roles = replace(roles, extra={**levels, **roles.extra})
    if remark:
        skipped.remark(remark)
    _skip(connection, file, options.strict, line_of, skipped, keys=keys)
    if order.roles.labels == ("player", "opponent"):
        _check_copies(connection, file)
    games, decided = connection.execute(
        "SELECT count(score), count(*) FILTER (score <> 0.5) FROM scored "
        "WHERE row NOT IN (SELECT row FROM bad)"
    ).fetchone() or (0, 0)
    check_unread(
        skipped,
        games,
        file=file,
        # Where draws alone are understood, leaving out the rest turns everything round.
        skip_unread=options.skip_unread and bool(decided),
        named=source[0] if len(source) == 1 else "",
    )
    return GameRows(
        connection,
        file,
        roles,
        options,
        skipped,
        games,
        order.ordered,
        matches,
        tuple(table.marks),
        table.turned != "false",
    )


def _check_copies(connection: duckdb.DuckDBPyConnection, file: str) -> None:
    """Refuse a table in which each game stands twice, once from each side."""
    row = connection.execute(
        """WITH game AS (SELECT if(turned, second, first) AS first,
                if(turned, first, second) AS second, if(turned, 1.0 - score, score) AS score,
                time, count(*) AS n FROM scored
            WHERE scored.score IS NOT NULL AND scored.first <> scored.second GROUP BY ALL)
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
    *,
    keys: bool,
) -> None:
    """Report the rows that cannot be used."""
    absent = f"WHEN result IS NULL THEN '{_NO_KEY}' " if keys else ""
    reasons = (
        "CASE WHEN coalesce(first, '') = '' THEN 'the first player has no name' "
        "WHEN coalesce(second, '') = '' THEN 'the second player has no name' "
        "WHEN score IS NOT NULL THEN NULL "
        "WHEN reason IS NOT NULL THEN reason "
        f"{absent}WHEN coalesce(result, '') = '' THEN 'no result' "
        f"ELSE '{UNKNOWN_RESULT}' END"
    )
    connection.execute(
        f"""CREATE OR REPLACE TEMP TABLE bad AS SELECT row, result, {reasons} AS kind
        FROM scored WHERE kind IS NOT NULL UNION ALL FROM unplayed"""
    )
    kinds = dict(connection.execute("SELECT kind, count(*) FROM bad GROUP BY kind").fetchall())
    unread = {
        "the first player has no name",
        "the second player has no name",
        UNKNOWN_RESULT,
        _NO_KEY,
    }
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
