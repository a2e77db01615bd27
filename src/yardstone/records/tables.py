"""What the rows of tables mean: CSV, Parquet, JSON, databases, frames.

DuckDB reads all of them, numbers the players in order of first appearance and hands over
plain numbers, so a table need not fit in memory as text: `GameRows` gives the games whole, or
piece by piece.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from yardstone.errors import StrictError
from yardstone.pool import MAX_SKIPPED_DETAILS, Pool, Skipped, SkipReport
from yardstone.records.columns import ERRORS, LENGTH, LEVELS, Roles, check_stones, find_roles
from yardstone.records.dates import FIRST_YEAR, LAST_YEAR, date_span, read_coded_dates
from yardstone.records.decoding import clean, finite_number
from yardstone.records.options import MOST_UNREAD, UNKNOWN_RESULT, Options, check_unread
from yardstone.records.table_results import BETWEEN, TableOfGames, quoted
from yardstone.records.unplayed import IDENTITY, game_columns

if TYPE_CHECKING:
    import duckdb

#: The kind of records without the key that tells the result.
_NO_KEY = "no result under this key"
_NAMELESS = ("the first player has no name", "the second player has no name")
#: Types of columns that hold times as they are read here.
_MOMENTS = ("DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS")
#: Types of columns that hold no single value.
_NESTED = re.compile(r"STRUCT|MAP|UNION|.*\[\d*\]$")


def connect(memory: int | None = None) -> duckdb.DuckDBPyConnection:
    """A database in memory that keeps the order of rows, and downloads nothing.

    With more than `memory` bytes of tables it goes on in a temporary folder. Its
    errors come as JSON.
    """
    import duckdb

    config: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": "false",
        "preserve_insertion_order": "true",
        "errors_as_json": "true",
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
    """The games in the rows of a table or query: what stands behind FROM.

    `line_of` gives the line of a row, counted from 1, and `report` begins with what was skipped
    before. With `keys` each row brings its own keys, so that one without a result is damaged, not
    blank. Raises InputError if a column is missing, or the results are not understood.
    """
    described = connection.execute(f"DESCRIBE SELECT * FROM {rows}").fetchall()
    names = [name for name, kind, *_ in described if not _NESTED.match(kind)] or [described[0][0]]
    matches = {*names} >= _NEEDED
    if matches and options.results is None:  # matches without a winner are left out
        options = replace(options, results="=skip")
    roles = find_roles(names, options.columns, file)
    if matches:
        roles = _match_roles(roles, options.further)
    skipped = SkipReport() if report is None else report
    if options.strict and skipped.details:
        raise StrictError(skipped.details[0].reason, file=file, line=skipped.details[0].line)
    table = TableOfGames(connection, rows, names, roles, file, options, line_of, skipped)
    texts = [f"CAST({quoted(name)} AS VARCHAR)" for name in roles.time]
    written = f"trim(concat_ws(' ', {', '.join(texts)}))" if texts else "''"
    kinds = {name: kind for name, kind, *_ in described}
    table.copy(time=_moment(roles, kinds), moment=written, blank=not keys)
    table.settle()
    if matches:
        table.roles = replace(table.roles, ordered=False)  # the dice decide who begins
        # A match has as many games as it takes, and one winner.
        table.watched = [name for name in table.watched if name != "games"]
    table.check()
    source = table.score()
    extra = dict(table.roles.extra)
    if options.everything:
        used = {*source, *roles.time}
        if table.turned == "false":  # else it must be seen whose each further column is
            used |= {roles.first, roles.second}
        extra = {name: name for name in names if name not in used}
    levels, remark = table.levels()
    if remark:
        skipped.remark(remark)
    _skip(table, keys=keys)
    ids = game_columns(names)[0] is not None and IDENTITY in table.marks
    labels = {*table.roles.labels}
    if labels == {"player", "opponent"} or (ids and not labels & {"white", "home", "winner"}):
        _check_copies(table, ids=ids)
    ((games, decided),) = connection.execute(
        "SELECT count(score), count(*) FILTER (score <> 0.5) FROM scored "
        "WHERE row NOT IN (SELECT row FROM bad)"
    ).fetchall()
    check_unread(
        skipped,
        games,
        file=file,
        # Where draws alone are understood, leaving out the rest turns everything round.
        skip_unread=options.skip_unread and bool(decided),
        named=source[0] if len(source) == 1 else "",
    )
    return GameRows(table, {**levels, **extra}, games, matches)


def _check_copies(table: TableOfGames, *, ids: bool) -> None:
    """Refuse a table of games told from each side: a few that have `ids`, or else all."""
    key = quoted(IDENTITY) if ids else "time"
    ((total, twice, keys),) = table.connection.execute(
        f"""WITH game AS (SELECT if(turned, second, first) AS first,
                if(turned, first, second) AS second, if(turned, 1.0 - score, score) AS score,
                {key} AS key, count(*) AS n FROM scored
            WHERE scored.score IS NOT NULL AND scored.first <> scored.second GROUP BY ALL)
        SELECT coalesce(sum(a.n), 0), coalesce(sum(a.n) FILTER (a.n = b.n), 0),
            count(DISTINCT a.key)
        FROM game AS a LEFT JOIN game AS b ON a.first = b.second AND a.second = b.first
            AND a.score = 1.0 - b.score AND a.key IS NOT DISTINCT FROM b.key"""
    ).fetchall()
    many = keys >= 0.45 * total and twice > MOST_UNREAD * total if ids else twice == total
    if twice and many:
        raise table.error(
            f"{'every game appears' if twice == total else f'{twice // 2:,} games appear'} twice, "
            "once from each side",
            "keep one row per game, for example with --query",
        )


def _moment(roles: Roles, kinds: Mapping[str, str]) -> str:
    """SQL for the time of a game where it is sure, year first; `_times` reads the rest."""
    cells = [f"CAST({quoted(name)} AS VARCHAR)" for name in roles.time]
    texts = [  # what is sure to fail, or as it must be, is told soonest
        f"CASE WHEN contains({cell}, '?') THEN NULL WHEN substr({cell}, 5, 1) = '-' THEN {cell} "
        rf"ELSE regexp_replace({cell}, '^(\d{{4}})[./](\d{{1,2}})[./](\d{{1,2}})', '\1-\2-\3') END"
        for cell in cells
    ]
    tries = [f"TRY_CAST({' || chr(32) || '.join(texts)} AS TIMESTAMP)"] if texts[1:] else []
    tries += [f"TRY_CAST({text} AS TIMESTAMP)" for text in texts]
    if len(texts) == 1 and kinds[roles.time[0]] in _MOMENTS:  # no text to be read
        tries = [f"CAST({quoted(roles.time[0])} AS TIMESTAMP)"]
    sure = [
        f"CASE WHEN year({each}) BETWEEN {FIRST_YEAR} AND {LAST_YEAR} THEN {each} END"
        for each in tries
    ]
    return f"CAST(coalesce({', '.join([*sure, 'NULL'])}) AS TIMESTAMP_S)"


def _skip(table: TableOfGames, *, keys: bool) -> None:
    """Report the rows that cannot be used."""
    connection, report = table.connection, table.report
    absent = f"WHEN result IS NULL THEN '{_NO_KEY}' " if keys else ""
    connection.execute(
        f"""CREATE OR REPLACE TEMP TABLE bad AS SELECT row, result,
            CASE WHEN first IS NULL OR first = '' THEN '{_NAMELESS[0]}'
            WHEN second IS NULL OR second = '' THEN '{_NAMELESS[1]}'
            WHEN score IS NOT NULL THEN NULL WHEN reason IS NOT NULL THEN reason {absent}
            WHEN coalesce(result, '') = '' THEN 'no result' ELSE '{UNKNOWN_RESULT}' END AS kind
        FROM scored WHERE kind IS NOT NULL UNION ALL FROM unplayed"""
    )
    kinds = dict(connection.execute("SELECT kind, count(*) FROM bad GROUP BY kind").fetchall())
    if not kinds:
        return
    unread = {*_NAMELESS, UNKNOWN_RESULT, _NO_KEY}
    for row, result, kind in connection.execute(
        f"SELECT * FROM bad ORDER BY row LIMIT {MAX_SKIPPED_DETAILS}"
    ).fetchall():
        reason = kind
        if kind == UNKNOWN_RESULT:
            text = clean(str(result).replace(BETWEEN, " and ")[:64])
            reason = f"result {text!r} is not understood"
        line = table.line_of(row)
        if table.options.strict:
            raise StrictError(reason, file=table.file, line=line)
        report.add(Skipped(table.file, line, reason), kind=kind, known=kind not in unread)
        kinds[kind] -= 1
    for kind, number in kinds.items():
        if number:
            report.add_uncounted(kind, number, known=kind not in unread)
    for result, number in connection.execute(
        f"""SELECT result, count(*) FROM bad WHERE kind = '{UNKNOWN_RESULT}'
        GROUP BY result ORDER BY count(*) DESC, result LIMIT {MAX_SKIPPED_DETAILS}"""
    ).fetchall():
        report.values[str(result).replace(BETWEEN, " and ")] += number


UNFINISHED = "unfinished (result *)"
#: SQL for the numbers by which DuckDB keeps the names of the players.
_CODES = ("enum_code(first) AS one", "enum_code(second) AS two")
_OTHER = {"first": "second", "second": "first"}


@dataclass(frozen=True)
class GameRows:
    """The rows of a table in a database, each with its players and its score.

    They lie in ``scored``, and the rows that cannot be used in ``bad``.
    """

    table: TableOfGames
    extra: Mapping[str, str]  #: further columns of the pool
    games: int  #: rows with a score
    matches: bool  #: whether the rows are analysed matches of backgammon

    @property
    def skipped(self) -> SkipReport:
        """What was left out."""
        return self.table.report

    def _fetched(self, sql: str) -> dict[str, NDArray[Any]]:
        """What a query gives, in order of the column `row`; as a rule it comes in that order."""
        data = self.table.connection.execute(sql).fetchnumpy()
        row = np.asarray(data.pop("row"))
        if (row[1:] < row[:-1]).any():
            order = np.argsort(row)
            data = {name: column[order] for name, column in data.items()}
        return data

    @property
    def _rows(self) -> int:
        """The number of the last row."""
        ((last,),) = self.table.connection.execute("SELECT max(row) FROM source_game").fetchall()
        return last or 0

    def pool(self) -> Pool:
        """All games."""
        return next(self.pieces(max(self.games, 1), marked=True))

    def pieces(self, size: int, *, marked: bool = False) -> Iterator[Pool]:
        """The games in the order of the table, at most `size` at a time; one pool at least.

        All have all players of the table, numbered in order of first appearance; if `marked`
        with the columns for `yardstone.records.unplayed.without_repeats`.
        """
        players, number = self._numbered
        extra = [f"{self._further(key)} AS further{k}" for k, key in enumerate(self.extra)]
        extra += [quoted(name) for name in self.table.marks if marked]
        games = f"""SELECT row, {", ".join([*_CODES, *extra])}, score, time
            FROM good WHERE score IS NOT NULL"""
        time = self._times() if self.table.roles.time else None
        done = 0
        for start in range(0, self._rows, size) if self.games > size else (0,):
            part = f"AND row > {start} AND row <= {start + size}" if self.games > size else ""
            data = self._fetched(f"{games} {part}")
            until = done + len(data["score"])
            if until > done or self.games <= size:
                data |= {side: number[data[side]] for side in ("one", "two")}
                yield self._piece(players, data, None if time is None else time[done:until])
            done = until

    def _further(self, key: str) -> str:
        """SQL for a further column; where the players change places, that of the other one."""
        extra = self.extra
        own = quoted("extra " + extra[key])
        side, _, rest = key.partition("_")
        if self.table.turned == "false" or side not in _OTHER:
            return own
        other = f"{_OTHER[side]}_{rest}"
        if other in extra:
            return f"CASE WHEN turned THEN {quoted('extra ' + extra[other])} ELSE {own} END"
        if key in (*LEVELS, *ERRORS):
            raise self.table.error(
                f"{key!r} alone is known of one player, who does not move first in all rows",
                f"name {other} as well",
            )
        return own

    @cached_property
    def _numbered(self) -> tuple[tuple[str, ...], NDArray[np.int32]]:
        """The players in order of first appearance, and their numbers by the codes of names.

        Players of unfinished games are known, as they are to the reader of PGN files.
        """
        execute = self.table.connection.execute
        execute(
            f"""CREATE OR REPLACE TEMP VIEW good AS SELECT * FROM scored
            WHERE row NOT IN (SELECT row FROM bad WHERE kind <> '{UNFINISHED}')"""
        )
        sides = self._fetched(f"SELECT row, {', '.join(_CODES)} FROM good")
        spelling = execute("SELECT enum_code(name), CAST(name AS VARCHAR) FROM spelling")
        names: dict[int, str] = dict(spelling.fetchall())
        codes = np.column_stack([sides["one"], sides["two"]]).ravel()
        place = np.full(max(names, default=0) + 1, len(codes))
        place[codes[::-1]] = np.arange(len(codes))[::-1]  # what is written last stays
        order = np.argsort(place, kind="stable")[: int((place < len(codes)).sum())]
        number = np.zeros(len(place), np.int32)
        number[order] = np.arange(len(order))
        return tuple(names[code] for code in order.tolist()), number

    def _piece(
        self,
        players: tuple[str, ...],
        data: Mapping[str, Any],
        time: NDArray[np.datetime64] | None,
    ) -> Pool:
        table, roles = self.table, self.table.roles
        if roles.time and time is None:
            time = np.asarray(data["time"]).astype("datetime64[s]")
        columns = {key: _plain(data[f"further{k}"]) for k, key in enumerate(self.extra)}
        columns |= {name: data[name] for name in table.marks if name in data}
        sides = data["one"], data["two"], data["score"]
        pool = Pool(players, *sides, time, columns, self.skipped, table.roles.ordered)
        if table.options.levels:
            check_stones(pool, roles.first, table.file)
        return _with_error_rates(pool) if self.matches else pool

    def _times(self) -> NDArray[np.datetime64] | None:
        """When all games were played; None where DuckDB has read it for each of them."""
        connection, roles, options = self.table.connection, self.table.roles, self.table.options
        written = connection.execute(
            """SELECT coalesce(moment, '') AS text FROM good
            WHERE score IS NOT NULL AND time IS NULL GROUP BY text ORDER BY min(row)"""
        ).fetchall()
        texts = [str(text) for (text,) in written]
        if not texts:
            return None
        known = {"text": np.array(texts, object), "code": np.arange(len(texts))}
        connection.register("written", known)
        data = self._fetched(
            """SELECT row, good.time AS time, CAST(coalesce(written.code, -1) AS INTEGER) AS code
            FROM good LEFT JOIN written
                ON good.time IS NULL AND coalesce(moment, '') = written.text
            WHERE score IS NOT NULL"""
        )
        connection.unregister("written")
        time = np.ma.filled(data["time"].astype("datetime64[s]"), np.datetime64("NaT"))
        read = read_coded_dates(time, data["code"], texts, options.dates)
        columns = " and ".join(repr(name) for name in roles.time)
        if read.missed and (options.times or roles.named_time):
            unclear = [text for text in read.unread if not np.isnat(date_span(text, "dmy")[0])]
            if unclear:
                raise self.table.error(
                    f"dates such as {unclear[0]!r} in the column {columns} may be day first or "
                    "month first",
                    "choose with --dates dmy or --dates mdy; in Python dates='dmy'",
                )
            if np.isnat(read.time).all():
                raise self.table.error(
                    f"no date can be read in the column {columns}: it holds "
                    + ", ".join(repr(text[:40]) for text in read.unread),
                    "name another column with time=NAME, or write dates as 2024-05-31",
                )
        read.report(self.skipped)
        return read.time


def _plain(values: Any) -> NDArray[Any]:
    """A column without a mask: NaN, NaT or an empty text where nothing is known."""
    unknown = np.broadcast_to(getattr(values, "mask", False), len(values))
    array = np.asarray(values)
    if array.dtype.kind == "O":
        pairs = zip(array.tolist(), unknown.tolist(), strict=True)
        texts = ["" if missing or value is None else str(value) for value, missing in pairs]
        return np.array(texts, np.dtypes.StringDType())
    if not unknown.any():
        return array
    if array.dtype.kind == "M":
        return np.where(unknown, np.datetime64("NaT"), array)
    return np.where(unknown, np.nan, array.astype(np.float64))


#: Beginnings of the columns of a pool about the players.
SIDES = ("first", "second")
_CUBE = ("missed_double", "wrong_double", "wrong_take", "wrong_pass")
_SUMS = ("chequer", "unforced", "close", *_CUBE)
_NEEDED = {"player_1", "player_2", "winner", LENGTH} | {
    f"{name}_{side}" for name in _SUMS for side in (1, 2)
}


def _match_roles(roles: Roles, given: Mapping[str, str]) -> Roles:
    """The columns of analysed matches to use; what is `given` stays."""
    raw = {
        f"{player}_{name}": f"{name}_{number}"
        for number, player in enumerate(SIDES, 1)
        for name in _SUMS
    }
    if not {"score", "margin", "first_score", "second_score"} & set(given):
        roles = replace(roles, results=("winner",), points=None)
    return replace(roles, extra={LENGTH: LENGTH, **raw, **roles.extra})


def _with_error_rates(pool: Pool) -> Pool:
    """The pool with EPM and EPC in place of the sums of errors; NaN without such a decision."""
    columns = dict(pool.columns)
    for player in SIDES:
        sums = {name: numbers_of(columns.pop(f"{player}_{name}")) for name in _SUMS}
        cube = sum((sums[name] for name in _CUBE), np.zeros(len(pool)))
        for rate, loss, number in (("epm", sums["chequer"], "unforced"), ("epc", cube, "close")):
            known = sums[number] > 0.0
            whole = np.full(len(pool), np.nan)
            columns[f"{player}_{rate}"] = np.divide(loss, sums[number], out=whole, where=known)
            columns[f"{player}_{number}"] = sums[number]
    return replace(pool, columns=columns)


def numbers_of(column: NDArray[np.generic]) -> NDArray[np.float64]:
    """A column as numbers; NaN where it holds none."""
    try:
        return np.asarray(column, np.float64)
    except ValueError:
        numbers = (finite_number(text, below=np.inf) for text in column.tolist())
        return np.array([np.nan if number is None else number for number in numbers])
