"""Who won the games of a table, whose rows lie in a database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from yardstone.choices import no_such
from yardstone.errors import InputError
from yardstone.records.column_names import is_indicator, tells_winner
from yardstone.records.column_roles import Roles
from yardstone.records.first_move import Order, results_of_go, settle_order, whose_result
from yardstone.records.options import Options
from yardstone.records.points_columns import read_points
from yardstone.records.result_column import Reading, WinnerNames, read_column
from yardstone.records.result_questions import ResultColumn
from yardstone.records.results import (
    FORFEIT,
    left_out_reason,
    meanings,
    normalized,
    points_of,
    stated_scores,
)
from yardstone.records.skipped_records import MOST_UNREAD, too_much
from yardstone.records.strength_columns import level_columns

if TYPE_CHECKING:
    import duckdb

    from yardstone.pool import SkipReport
    from yardstone.records.where import Where

__all__ = ["BETWEEN", "TableOfGames", "quoted"]

#: More different results than this are no results.
_MOST_RESULTS = 100_000
#: So many columns that may hold the result are tried.
_MOST_COLUMNS = 4
#: Between the points of the two sides, where they stand in two columns.
BETWEEN = "\x1f"


def quoted(name: str) -> str:
    """A column's name as SQL wants it."""
    return '"' + name.replace('"', '""') + '"'


@dataclass
class TableOfGames:
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
    options: Options
    counted: dict[str, dict[str, int]] = field(default_factory=dict)
    of_records: bool = False

    def copy(self, rows: str, roles: Roles, *, time: str, moment: str, report: SkipReport) -> None:
        """Take over the rows that are wanted: players, results, time, further columns.

        `time` is the SQL for the time of a game, and `moment` for the text it stands in. Blank
        rows are left out, and those that the caller's condition does not hold of: the report
        takes their number.
        """
        results = self._candidates(roles)
        parts = [f"{_text(column)} AS result{k}" for k, column in enumerate(results)]
        parts += [f"{time} AS time", f"{moment} AS moment"]
        extra = [*roles.extra.values(), *self.levels(roles)[0].values()]
        if self.options.everything:
            extra = list(self.names)
        asked = self._asked()
        parts += [f"{quoted(name)} AS {quoted(column)}" for column, name in asked.items()]
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
        if self.options.where is not None:
            self._take(self.options.where, list(asked), report)
        if set(roles.labels) == {"white", "black"}:
            row = self.connection.execute(f"SELECT * FROM {rows} LIMIT 1").fetchone() or ()
            self.of_records = any(str(value).lower().endswith(".sgf") for value in row)

    def _asked(self) -> dict[str, str]:
        """The columns that the condition on games needs, with the names as the table has them."""
        lower = {name.casefold(): name for name in reversed(self.names)}
        asked = self.options.asked()
        for name in asked.values():
            if name.casefold() not in lower:
                raise InputError(f"--where: {no_such('column', name, self.names)}", file=self.file)
        return {column: lower[name.casefold()] for column, name in asked.items()}

    def _take(self, where: Where, columns: Sequence[str], report: SkipReport) -> None:
        """Keep only the rows of which a condition holds."""
        listed = "".join(f", {quoted(column)}" for column in columns)
        data = self.connection.execute(
            f"SELECT row{listed} FROM source_game ORDER BY row"
        ).fetchnumpy()
        values = {name: data[column] for name, column in zip(where.names, columns, strict=True)}
        rows = np.asarray(data["row"])
        unwanted = {"row": rows[~where.of(values, len(rows), report)]}
        self.connection.register("unwanted", unwanted)
        self.connection.execute("DELETE FROM source_game WHERE row IN (SELECT row FROM unwanted)")
        self.connection.unregister("unwanted")

    def levels(self, roles: Roles) -> tuple[dict[str, str], str]:
        """Columns of grades, ratings and handicaps, if they are wanted, and what to say of them.

        In a table of winners and losers they are not those of who stands first.
        """
        if not self.options.levels or set(roles.labels) == {"winner", "loser"}:
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
        return settle_order(roles, self.names, self.options.first, go=go, file=self.file)

    def values(self, column: str) -> dict[str, int]:
        """The values of a column of results, and how often each occurs."""
        if column not in self.counted:
            place = self.places[column]
            fetched = self.connection.execute(
                f"""SELECT {place}, count(*) FROM source_game WHERE {place} IS NOT NULL
                GROUP BY {place} LIMIT {_MOST_RESULTS}"""
            ).fetchall()
            self.counted[column] = {str(text): number for text, number in fetched}
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
        column = ResultColumn(
            name,
            self.values(name),
            roles.labels,
            (roles.first, roles.second),
            self.file,
            subject,
            pair,
            order.colour,
            sure,
            stated_scores(self.options.results),
        )
        reading = read_column(column, lambda: self._names(order, name))
        self._check_blanks(name, reading)
        return reading

    def _check_blanks(self, name: str, reading: Reading) -> None:
        """A column of winners that is blank in some rows and names no draw is asked about."""
        if not tells_winner(name) or 0.5 in reading.scores.values() or self.options.skip_unread:
            return
        place = self.places[name]
        blank = [text for text in self.values(name) if left_out_reason(text) == "no result"]
        stated = stated_scores(self.options.results)
        blank = [text for text in blank if normalized(text) not in stated]
        number = sum(self.values(name)[text] for text in blank)
        row = self.connection.execute(
            f"SELECT count(*), count(*) FILTER ({place} IS NULL) FROM source_game"
        ).fetchone()
        total, null = row if row is not None else (0, 0)
        if "" in stated:
            return
        if number + null > MOST_UNREAD * total:
            raise InputError(
                f"{name!r} names no winner in {number + null:,} of {total:,} rows: draws, or games "
                "without a result?",
                file=self.file,
                hint="choose with results: '=draw' or '=skip' (the blank value), or leave "
                "them out with --skip-unread (skip_unread=True in Python)",
            )

    def _sides(self, order: Order) -> tuple[str, str]:
        """The columns of `source_game` that hold the first and the second player."""
        return ("one", "other") if order.roles.first == self.one else ("other", "one")

    def _names(self, order: Order, column: str) -> WinnerNames:
        place = self.places[column]
        first, second = self._sides(order)
        winner = rf"lower(trim(regexp_replace({place}, '\s+(wins?|won)\b.*$', '', 'i')))"
        row = self.connection.execute(
            f"SELECT count(*) FROM source_game WHERE {winner} IN (lower({first}), lower({second}))"
        ).fetchone()

        def differ(scores: Mapping[str, float]) -> bool:
            self._fill(scores)
            fetched = self.connection.execute(
                f"""SELECT count(*) FROM source_game JOIN meaning ON {place} = text
                WHERE {first} <> {second} AND (({winner} = lower({first}) AND score <> 1.0)
                    OR ({winner} = lower({second}) AND score <> 0.0))"""
            ).fetchone()
            return bool(fetched and fetched[0])

        return WinnerNames(row[0] if row else 0, differ)

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
        fetched = self.connection.execute(
            f"SELECT {places[0]}, {places[1]}, count(*) FROM source_game "
            f"WHERE {both} IS NOT NULL GROUP BY ALL LIMIT {_MOST_RESULTS}"
        ).fetchall()
        counts = {(str(one), str(other)): number for one, other, number in fetched}
        scores, left_out = read_points(
            counts, columns, self.file, wins=all(is_indicator(name) for name in columns)
        )
        self._fill(
            {BETWEEN.join(pair): score for pair, score in scores.items()},
            {BETWEEN.join(pair): reason for pair, reason in left_out.items()},
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
        stated = ", ".join(
            f"(SELECT any_value(text) FROM meaning WHERE text = {self.places[name]})"
            for name in order.roles.results[:_MOST_COLUMNS]
        )
        result = f"coalesce({stated}, 'won')" if stated else "'won'"
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


def _text(column: str) -> str:
    return f"trim(CAST({quoted(column)} AS VARCHAR))"


def _name(column: str) -> str:
    blanks = r"'[\x00-\x1F\x7F]'"
    return f"trim(regexp_replace(CAST({quoted(column)} AS VARCHAR), {blanks}, ' ', 'g'))"
