"""The games of a table that is understood: whole, or piece by piece, out of a database."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import InputError
from yardstone.pool import Pool, SkipReport
from yardstone.records.column_roles import Roles
from yardstone.records.dates import date_span, read_coded_dates
from yardstone.records.match_tables import with_error_rates
from yardstone.records.options import Options
from yardstone.records.strength_columns import ERRORS, LEVELS, check_stones
from yardstone.records.table_results import quoted

if TYPE_CHECKING:
    import duckdb
    from numpy.typing import NDArray

__all__ = ["UNFINISHED", "GameRows"]

UNFINISHED = "unfinished (result *)"
_OTHER = {"first": "second", "second": "first"}


@dataclass(frozen=True)
class GameRows:
    """The rows of a table in a database, each with its players and its score.

    They lie in ``scored``, and the rows that cannot be used in ``bad``.

    Attributes
    ----------
    connection : DuckDB connection
    file : str
        What messages call the table.
    roles : Roles
        What its columns hold.
    options : Options
        What the caller says of it.
    skipped : SkipReport
        What was left out.
    games : int
        Rows with a score.
    ordered : bool
        Whether who stands first moved first.
    matches : bool
        Whether the rows are analysed matches of backgammon.
    marks : tuple of str
        Columns for `yardstone.records.unplayed.without_repeats`.
    turned : bool
        Whether in some rows the player of the second column moved first.
    """

    connection: duckdb.DuckDBPyConnection
    file: str
    roles: Roles
    options: Options
    skipped: SkipReport
    games: int
    ordered: bool
    matches: bool
    marks: tuple[str, ...] = ()
    turned: bool = False

    def pool(self) -> Pool:
        """All games."""
        return next(self.pieces(max(self.games, 1), marked=True))

    def pieces(self, size: int, *, marked: bool = False) -> Iterator[Pool]:
        """The games in the order of the table, at most `size` at a time; one pool at least.

        All have all players of the table, numbered in order of first appearance; if `marked`
        with the columns for `yardstone.records.unplayed.without_repeats`.
        """
        players = self.players
        rows = "good JOIN player AS p1 ON p1.name = first JOIN player AS p2 ON p2.name = second"
        extra = "".join(
            f", {self._further(key)} AS further{k}" for k, key in enumerate(self.roles.extra)
        )
        if marked:
            extra += "".join(f", {quoted(name)}" for name in self.marks)
        games = f"""SELECT CAST(p1.number AS INTEGER) AS one, CAST(p2.number AS INTEGER) AS two,
            score, time{extra} FROM {rows} WHERE score IS NOT NULL ORDER BY row"""
        time = self._times(rows) if self.roles.time else None
        if self.games <= size:
            yield self._piece(players, self.connection.execute(games).fetchnumpy(), time)
            return
        self.connection.execute(
            "CREATE OR REPLACE TEMP TABLE numbered AS "
            f"SELECT row_number() OVER () AS number, * FROM ({games})"
        )
        self.connection.execute("DROP TABLE good")
        for start in range(0, self.games, size):
            data = self.connection.execute(
                f"SELECT * EXCLUDE (number) FROM numbered WHERE number > {start} "
                f"AND number <= {start + size} ORDER BY number"
            ).fetchnumpy()
            some = time[start : start + size] if time is not None else None
            yield self._piece(players, data, some)

    def _further(self, key: str) -> str:
        """SQL for a further column; where the players change places, that of the other one."""
        extra = self.roles.extra
        own = quoted("extra " + extra[key])
        side, _, rest = key.partition("_")
        if not self.turned or side not in _OTHER:
            return own
        other = f"{_OTHER[side]}_{rest}"
        if other in extra:
            return f"CASE WHEN turned THEN {quoted('extra ' + extra[other])} ELSE {own} END"
        if key in (*LEVELS, *ERRORS):
            raise InputError(
                f"{key!r} alone is known of one player, who does not move first in all rows",
                file=self.file,
                hint=f"name {other} as well",
            )
        return own

    @cached_property
    def players(self) -> tuple[str, ...]:
        """The players in order of first appearance.

        Players of unfinished games are known, as they are to the reader of PGN files.
        """
        self.connection.execute(
            f"""CREATE OR REPLACE TEMP TABLE good AS SELECT * FROM scored
            WHERE row NOT IN (SELECT row FROM bad WHERE kind <> '{UNFINISHED}')"""
        )
        self.connection.execute(
            """CREATE OR REPLACE TEMP TABLE player AS
            SELECT name, row_number() OVER (ORDER BY place) - 1 AS number FROM (
                SELECT name, min(place) AS place FROM (
                    SELECT first AS name, 2 * row AS place FROM good
                    UNION ALL SELECT second, 2 * row + 1 FROM good)
                GROUP BY name)"""
        )
        names = self.connection.execute("SELECT name FROM player ORDER BY number").fetchall()
        return tuple(name for (name,) in names)

    def _piece(
        self,
        players: tuple[str, ...],
        data: Mapping[str, Any],
        time: NDArray[np.datetime64] | None,
    ) -> Pool:
        if self.roles.time and time is None:
            time = np.ma.getdata(data["time"]).astype("datetime64[s]")
        columns = {key: _plain(data[f"further{k}"]) for k, key in enumerate(self.roles.extra)}
        columns |= {name: data[name] for name in self.marks if name in data}
        pool = Pool(
            players,
            data["one"],
            data["two"],
            data["score"],
            time,
            columns,
            self.skipped,
            self.ordered,
        )
        if self.options.levels:
            check_stones(pool, self.roles.first, self.file)
        return with_error_rates(pool) if self.matches else pool

    def _times(self, rows: str) -> NDArray[np.datetime64] | None:
        """When all games were played; None where DuckDB has read it for each of them.

        Raises InputError where a date is wanted and none of the column can be read.
        """
        where = "score IS NOT NULL AND time IS NULL"
        texts = [
            str(text)
            for (text,) in self.connection.execute(
                f"SELECT coalesce(moment, '') AS text FROM {rows} WHERE {where} "
                "GROUP BY text ORDER BY min(row)"
            ).fetchall()
        ]
        if not texts:
            return None
        self.connection.register(
            "written", {"text": np.array(texts, object), "code": np.arange(len(texts))}
        )
        data = self.connection.execute(
            f"""SELECT good.time AS time, CAST(coalesce(written.code, -1) AS INTEGER) AS code
            FROM {rows} LEFT JOIN written
                ON good.time IS NULL AND coalesce(moment, '') = written.text
            WHERE score IS NOT NULL ORDER BY row"""
        ).fetchnumpy()
        self.connection.unregister("written")
        time = np.ma.filled(data["time"].astype("datetime64[s]"), np.datetime64("NaT"))
        read = read_coded_dates(time, data["code"], texts, self.options.dates)
        columns = " and ".join(repr(name) for name in self.roles.time)
        if read.missed and (self.options.times or self.roles.named_time):
            unclear = [text for text in read.unread if not np.isnat(date_span(text, "dmy")[0])]
            if unclear:
                raise InputError(
                    f"dates such as {unclear[0]!r} in the column {columns} may be day first or "
                    "month first",
                    file=self.file,
                    hint="choose with --dates dmy or --dates mdy; in Python dates='dmy'",
                )
            if np.isnat(read.time).all():
                raise InputError(
                    f"no date can be read in the column {columns}: it holds "
                    + ", ".join(repr(text[:40]) for text in read.unread),
                    file=self.file,
                    hint="name another column with time=NAME, or write dates as 2024-05-31",
                )
        read.report(self.skipped)
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
