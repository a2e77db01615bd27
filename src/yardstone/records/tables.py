"""Games from the rows of tables: CSV, Parquet, JSON, databases, frames.

DuckDB reads all of them, numbers the players in order of first appearance and
hands over plain numbers, so a table need not fit in memory as text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import InputError, StrictError
from yardstone.pool import MAX_SKIPPED_DETAILS, Pool, Skipped, SkipReport
from yardstone.records.column_names import is_indicator
from yardstone.records.dates import FIRST_YEAR, LAST_YEAR, DateOrder, date_span, read_dates
from yardstone.records.first_move import Order, results_of_go, settle_order, whose_result
from yardstone.records.guess import Roles, find_roles
from yardstone.records.levels import check_stones, level_columns
from yardstone.records.result_column import (
    Column,
    Names,
    Reading,
    given_scores,
    read_column,
    read_points,
)
from yardstone.records.results import Side, left_out_reason, meanings, normalized, points_of
from yardstone.records.text import clean
from yardstone.records.unread import MOST_UNREAD, UNKNOWN_RESULT, check_unread, too_much

if TYPE_CHECKING:
    import duckdb
    from numpy.typing import NDArray

__all__ = ["Meaning", "connect", "pool_of_rows", "quoted"]

#: More different results than this are no results.
_MOST_RESULTS = 100_000
#: So many columns that may hold the result are tried.
_MOST_COLUMNS = 4
#: Between the points of the two sides, where they stand in two columns.
_BETWEEN = "\x1f"
UNFINISHED = "unfinished (result *)"
FORFEIT = "decided by forfeit"


@dataclass(frozen=True)
class Meaning:
    """What a caller says of a table; see `yardstone.read`."""

    columns: Mapping[str, str] | Iterable[str] | None = None
    first: Side | None = None
    results: Mapping[str, object] | str | None = None
    strict: bool = False
    skip_unread: bool = False
    dates: DateOrder | None = None
    times: bool = False
    levels: bool = False


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
    meaning: Meaning,
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
    meaning : Meaning
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
    roles = find_roles(names, meaning.columns, file)
    table = _Table(connection, file, names, meaning)
    table.copy(rows, roles)
    order = table.order(roles)
    source = table.score(order)
    roles = order.roles
    if meaning.columns == "all":
        used = {roles.first, roles.second, *source, *roles.time}
        roles = replace(roles, extra={name: name for name in names if name not in used})
    levels, remark = table.levels(roles)
    roles = replace(roles, extra={**levels, **roles.extra})
    skipped = SkipReport() if report is None else report
    if remark:
        skipped.remark(remark)
    _skip(connection, file, meaning.strict, line_of, skipped)
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
        skip_unread=meaning.skip_unread and bool(decided),
        named=source[0] if len(source) == 1 else "",
    )
    dates = Dates(file, meaning.dates, meaning.times)
    pool = _pool(connection, roles, skipped, dates, ordered=order.ordered)
    if meaning.levels:
        check_stones(pool, roles.first, file)
    return pool


@dataclass
class _Table:
    """The rows of a table, with what is known of their meaning so far.

    Attributes
    ----------
    counted : dict
        Values of columns of results.
    of_records : bool
        Whether the rows name SGF files, so that the games are of Go.
    """

    connection: duckdb.DuckDBPyConnection
    file: str
    names: Sequence[str]
    meaning: Meaning
    counted: dict[str, dict[str, int]] = field(default_factory=dict)
    of_records: bool = False

    def copy(self, rows: str, roles: Roles) -> None:
        """Take over the rows that are not blank: players, results, time, further columns."""
        results = self._candidates(roles)
        parts = [f"{_text(column)} AS result{k}" for k, column in enumerate(results)]
        parts += [f"{_moment(roles)} AS time", f"{_when(roles)} AS moment"]
        extra = [*roles.extra.values(), *self.levels(roles)[0].values()]
        if self.meaning.columns == "all":
            extra = list(self.names)
        parts += [f"{quoted(name)} AS {quoted('extra ' + name)}" for name in dict.fromkeys(extra)]
        filled = " OR ".join(
            f"coalesce({_text(column)}, '') <> ''"
            for column in (roles.first, roles.second, *results)
        )
        self.connection.execute(
            f"""CREATE OR REPLACE TEMP TABLE source_game AS SELECT * FROM (
                SELECT row_number() OVER () AS row, {_name(roles.first)} AS one,
                    {_name(roles.second)} AS other, {", ".join(parts)}, ({filled}) AS filled
                FROM {rows}) WHERE filled"""
        )
        if set(roles.labels) == {"white", "black"}:
            row = self.connection.execute(f"SELECT * FROM {rows} LIMIT 1").fetchone() or ()
            self.of_records = any(str(value).lower().endswith(".sgf") for value in row)

    def levels(self, roles: Roles) -> tuple[dict[str, str], str]:
        """Columns of grades, ratings and handicaps, if they are wanted, and what to say of them.

        In a table of winners and losers they are not those of who stands first.
        """
        if not self.meaning.levels or set(roles.labels) == {"winner", "loser"}:
            return {}, ""
        return level_columns(self.names, roles.first, roles.second)

    @staticmethod
    def _candidates(roles: Roles) -> list[str]:
        """The columns that may tell who won; each is `result` with its number."""
        margin = (roles.margin,) if roles.margin is not None else ()
        return list(dict.fromkeys([*roles.results[:_MOST_COLUMNS], *(roles.points or ()), *margin]))

    def order(self, roles: Roles) -> Order:
        """Who moves first."""
        self.places = {name: f"result{k}" for k, name in enumerate(self._candidates(roles))}
        self.one, self.other = roles.first, roles.second
        go = self.of_records or any(results_of_go(self.values(name)) for name in roles.results[:1])
        return settle_order(roles, self.names, self.meaning.first, go=go, file=self.file)

    def values(self, column: str) -> dict[str, int]:
        """The values of a column of results, and how often each occurs."""
        if column not in self.counted:
            place = self.places[column]
            found = self.connection.execute(
                f"""SELECT {place}, count(*) FROM source_game WHERE {place} IS NOT NULL
                GROUP BY {place} LIMIT {_MOST_RESULTS}"""
            ).fetchall()
            self.counted[column] = {str(text): number for text, number in found}
        return self.counted[column]

    def score(self, order: Order) -> tuple[str, ...]:
        """Make the view `scored`: rows with their scores; the columns that told."""
        roles = order.roles
        if roles.margin is not None:
            self._by_margin(order, roles.margin)
            return (roles.margin,)
        if not order.ordered and "winner" in roles.labels:
            self._by_winner(order)
            return ()
        trouble: InputError | None = None
        readings: list[tuple[str, Reading]] = []
        for name in roles.results[:_MOST_COLUMNS]:
            try:
                reading = self._reading(order, name)
            except InputError as error:
                trouble = trouble or error
                continue
            readings.append((name, reading))
            unknown = sum(reading.unknown.values())
            if not reading.by_name and not too_much(
                reading.unknown, unknown, sum(self.values(name).values())
            ):
                return self._by_reading(order, name, reading)
            if reading.by_name and self._few_strangers(order, name, reading):
                return self._by_reading(order, name, reading)
        if roles.points is not None:
            self._by_points(order, roles.points)
            return roles.points
        if trouble is not None:
            raise trouble
        return self._by_reading(order, *readings[0])

    def _few_strangers(self, order: Order, name: str, reading: Reading) -> bool:
        """Whether nearly all values of a column name one of the players of their row."""
        counts = self.values(name)
        names = self._names(order, name)
        unknown = sum(reading.unknown.values()) - names.rows
        return unknown <= MOST_UNREAD * sum(counts.values())

    def _reading(self, order: Order, name: str) -> Reading:
        subject, pair, sure = whose_result(order, name)
        roles = order.roles
        column = Column(
            name,
            self.values(name),
            roles.labels,
            (roles.first, roles.second),
            self.file,
            subject,
            pair,
            order.colour,
            sure,
            given_scores(self.meaning.results),
        )
        reading = read_column(column, lambda: self._names(order, name))
        self._check_blanks(name, reading)
        return reading

    def _check_blanks(self, name: str, reading: Reading) -> None:
        """A column of winners that is blank in some rows and names no draw is asked about."""
        from yardstone.records.column_names import tells_winner

        if not tells_winner(name) or 0.5 in reading.scores.values() or self.meaning.skip_unread:
            return
        place = self.places[name]
        blank = [text for text in self.values(name) if left_out_reason(text) == "no result"]
        told = given_scores(self.meaning.results)
        blank = [text for text in blank if normalized(text) not in told]
        number = sum(self.values(name)[text] for text in blank)
        row = self.connection.execute(
            f"SELECT count(*), count(*) FILTER ({place} IS NULL) FROM source_game"
        ).fetchone()
        total, null = row if row is not None else (0, 0)
        if "" in told:
            return
        if number + null > 0.05 * total:
            raise InputError(
                f"{name!r} names no winner in {number + null:,} of {total:,} rows: draws, or games "
                "without a result?",
                file=self.file,
                mend="say which with results: '=draw' or '=skip' (the blank value), or leave "
                "them out with --skip-unread, in Python skip_unread=True",
            )

    def _sides(self, order: Order) -> tuple[str, str]:
        """The columns of `source_game` that hold the first and the second player."""
        return ("one", "other") if order.roles.first == self.one else ("other", "one")

    def _names(self, order: Order, column: str) -> Names:
        place = self.places[column]
        first, second = self._sides(order)
        winner = rf"lower(trim(regexp_replace({place}, '\s+(wins?|won)\b.*$', '', 'i')))"
        row = self.connection.execute(
            f"SELECT count(*) FROM source_game WHERE {winner} IN (lower({first}), lower({second}))"
        ).fetchone()

        def differ(scores: Mapping[str, float]) -> bool:
            self._fill(scores)
            found = self.connection.execute(
                f"""SELECT count(*) FROM source_game JOIN meaning ON {place} = text
                WHERE {first} <> {second} AND (({winner} = lower({first}) AND score <> 1.0)
                    OR ({winner} = lower({second}) AND score <> 0.0))"""
            ).fetchone()
            return bool(found and found[0])

        return Names(row[0] if row else 0, differ)

    def _by_reading(self, order: Order, name: str, reading: Reading) -> tuple[str, ...]:
        place = self.places[name]
        self._fill(reading.scores, reading.left_out)
        score = "score"
        if reading.by_name:
            winner = rf"lower(trim(regexp_replace({place}, '\s+(wins?|won)\b.*$', '', 'i')))"
            first, second = self._sides(order)
            score = (
                f"CASE WHEN score IS NOT NULL THEN score WHEN lower(one) = lower(other) THEN NULL "
                f"WHEN {winner} = lower({first}) THEN 1.0 "
                f"WHEN {winner} = lower({second}) THEN 0.0 END"
            )
        self._view(order, place, score)
        return (name,)

    def _by_points(self, order: Order, columns: tuple[str, str]) -> None:
        places = [self.places[column] for column in columns]
        both = f"{places[0]} || chr(31) || {places[1]}"
        found = self.connection.execute(
            f"SELECT {places[0]}, {places[1]}, count(*) FROM source_game "
            f"WHERE {both} IS NOT NULL GROUP BY ALL LIMIT {_MOST_RESULTS}"
        ).fetchall()
        counts = {(str(one), str(other)): number for one, other, number in found}
        scores, left_out = read_points(
            counts, columns, self.file, wins=all(is_indicator(name) for name in columns)
        )
        self._fill(
            {_BETWEEN.join(pair): score for pair, score in scores.items()},
            {_BETWEEN.join(pair): reason for pair, reason in left_out.items()},
        )
        self._view(order, both, "score")

    def _by_margin(self, order: Order, column: str) -> None:
        scores, left_out = {}, {}
        for text in self.values(column):
            value = points_of(normalized(text))
            if value is not None:
                scores[text] = 0.5 + 0.5 * float(np.sign(value))
            elif (reason := left_out_reason(text)) is not None:
                left_out[text] = reason
        self._fill(scores, left_out)
        self._view(order, self.places[column], "score")

    def _by_winner(self, order: Order) -> None:
        """Rows that name a winner and a loser, who stand first in turn.

        So what stands first says nothing of the result, as it would not if the order
        were known.
        """
        winner, loser = self._sides(order)
        if order.roles.labels == ("loser", "winner"):
            winner, loser = loser, winner
        draws: dict[str, float] = {}
        walkovers: dict[str, str] = {}
        for name in order.roles.results[:_MOST_COLUMNS]:
            for text in self.values(name):
                if left_out_reason(text) == FORFEIT:
                    walkovers[text] = FORFEIT
                elif "" in meanings(text):
                    draws[text] = 0.5
        self._fill(draws, walkovers)
        told = ", ".join(
            f"(SELECT any_value(text) FROM meaning WHERE text = {self.places[name]})"
            for name in order.roles.results[:_MOST_COLUMNS]
        )
        result = f"coalesce({told}, 'won')" if told else "'won'"
        self.connection.execute(
            f"""CREATE OR REPLACE TEMP VIEW scored AS SELECT game.*, meaning.reason AS reason,
                CASE WHEN meaning.reason IS NOT NULL THEN NULL
                    WHEN meaning.score IS NOT NULL THEN meaning.score
                    WHEN row % 2 = 1 THEN 1.0 ELSE 0.0 END AS score
            FROM (SELECT * EXCLUDE (one, other), {result} AS result,
                CASE WHEN row % 2 = 1 THEN {winner} ELSE {loser} END AS first,
                CASE WHEN row % 2 = 1 THEN {loser} ELSE {winner} END AS second
                FROM source_game) AS game LEFT JOIN meaning ON game.result = meaning.text"""
        )

    def _view(self, order: Order, result: str, score: str) -> None:
        first, second = self._sides(order)
        self.connection.execute(
            f"""CREATE OR REPLACE TEMP VIEW scored AS
            SELECT source_game.* EXCLUDE (one, other), {first} AS first, {second} AS second,
                {result} AS result, meaning.reason AS reason, {score} AS score
            FROM source_game LEFT JOIN meaning ON {result} = text"""
        )

    def _fill(self, scores: Mapping[str, float], left_out: Mapping[str, str] | None = None) -> None:
        """Make the table of what texts mean."""
        self.connection.execute(
            "CREATE OR REPLACE TEMP TABLE meaning (text VARCHAR, score DOUBLE, reason VARCHAR)"
        )
        known: list[tuple[str, float | None, str | None]] = [
            *((text, score, None) for text, score in scores.items()),
            *((text, None, reason) for text, reason in (left_out or {}).items()),
        ]
        for start in range(0, len(known), 1000):
            some = known[start : start + 1000]
            values = ", ".join(["(?, ?, ?)"] * len(some))
            self.connection.execute(
                f"INSERT INTO meaning VALUES {values}", [part for row in some for part in row]
            )


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
            "each game stands twice, once from the side of each player",
            file=file,
            mend="keep one row of each game, for example with --query",
        )


def _text(column: str) -> str:
    return f"trim(CAST({quoted(column)} AS VARCHAR))"


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
    unread = {"no name of the first player", "no name of the second player", UNKNOWN_RESULT}
    for row, result, kind in connection.execute(
        f"SELECT * FROM bad ORDER BY row LIMIT {MAX_SKIPPED_DETAILS}"
    ).fetchall():
        reason = kind
        if kind == UNKNOWN_RESULT:
            shown = clean(str(result).replace(_BETWEEN, " and ")[:64])
            reason = f"result {shown!r} is not understood"
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
        report.values[str(result).replace(_BETWEEN, " and ")] += number


def _pool(
    connection: duckdb.DuckDBPyConnection,
    roles: Roles,
    skipped: SkipReport,
    dates: Dates,
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
    time = _times(data, roles, dates, skipped) if roles.time else None
    columns = {name: _plain(data[f"extra {column}"]) for name, column in roles.extra.items()}
    return Pool(
        tuple(players), data["one"], data["two"], data["score"], time, columns, skipped, ordered
    )


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
    if read.missed and (dates.wanted or roles.named_time):
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
