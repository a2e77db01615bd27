"""Who won the games of a table, whose rows lie in a database."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from yardstone.choices import no_such
from yardstone.errors import InputError, StrictError
from yardstone.records.columns import (
    GO,
    SIDES,
    Roles,
    handicap_column,
    handicap_reason,
    is_indicator,
    kind_of,
    level_columns,
    side_of,
    tells_winner,
    words,
)
from yardstone.records.decoding import clean
from yardstone.records.first_move import Order, results_of_go, settle_order, whose_result
from yardstone.records.options import MOST_UNREAD, Options, too_much
from yardstone.records.results import (
    FORFEIT,
    WON,
    Reading,
    ResultColumn,
    WinnerNames,
    is_total,
    left_out_reason,
    meanings,
    normalized,
    points_of,
    read_column,
    read_points,
    stated_scores,
)
from yardstone.records.unplayed import (
    BYE,
    BYE_NAMES,
    CONTENT,
    IDENTITY,
    game_columns,
    is_status,
    not_played,
)

if TYPE_CHECKING:
    import duckdb

    from yardstone.pool import SkipReport
    from yardstone.records.results import Side
    from yardstone.records.where import Where

__all__ = ["BETWEEN", "TableOfGames", "quoted"]

#: More different results than this are no results.
_MOST_RESULTS = 100_000
#: So many columns that may hold the result are tried.
_MOST_COLUMNS = 4
#: Between the points of the two sides, where they stand in two columns.
BETWEEN = "\x1f"
#: So many rows make a running number plain.
_RUNNING = 5
_SHOWN = 4
#: Cells that tell a side, and those that say yes or no.
_SIDES = {
    "white": "'w', 'white', 'weiß', 'weiss', 'blanc', 'blancs', 'blancas'",
    "black": "'b', 'black', 'schwarz', 'noir', 'noirs', 'negras'",
    "home": "'h', 'home', 'heim'",
    "away": "'a', 'away', 'auswärts'",
}
_TRUE = "'true', 't', 'yes', 'y', '1', '1.0', 'x', 'neutral', 'ja', 'oui', 'si', 'sí', 'да'"
_FALSE = "'false', 'f', 'no', 'n', '0', '0.0', 'nein', 'non', 'нет'"
_OTHER = {"white": "black", "black": "white", "home": "away"}


def quoted(name: str) -> str:
    """A column's name as SQL wants it."""
    return '"' + name.replace('"', '""') + '"'


@dataclass
class TableOfGames:
    """The rows of a table, with what is known of their meaning so far.

    Attributes
    ----------
    line_of : callable
        The line of a row, counted from 1.
    counted : dict
        Values of columns of results.
    of_records : bool
        Whether the rows name SGF files, so that the games are of Go.
    marks : dict
        What is to be known of rows that repeat others, as SQL by column.
    """

    connection: duckdb.DuckDBPyConnection
    file: str
    names: Sequence[str]
    options: Options
    line_of: Callable[[int], int] = int
    counted: dict[str, dict[str, int]] = field(default_factory=dict)
    of_records: bool = False
    turned: str = "false"
    marks: Mapping[str, str] = field(default_factory=dict)

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
        self.watched = [
            name
            for name in self.names
            if kind_of(name) and name not in (roles.first, roles.second, *extra)
        ]
        if self.options.everything:
            extra = list(self.names)
            self.watched = [name for name in self.watched if kind_of(name) in SIDES]
        parts += [f"{_text(name)} AS {quoted('watched ' + name)}" for name in self.watched]
        asked = self._asked()
        parts += [f"{quoted(name)} AS {quoted(column)}" for column, name in asked.items()]
        parts += [f"{quoted(name)} AS {quoted('extra ' + name)}" for name in dict.fromkeys(extra)]
        unplayed = self._unplayed_columns(roles, extra)
        parts += [f"{_text(name)} AS {place}" for place, name in unplayed.items()]
        self.marks = self._marks(roles, moment)
        parts += [f"CAST({sql} AS UBIGINT) AS {quoted(name)}" for name, sql in self.marks.items()]
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
        self._part_unplayed(list(unplayed))
        if set(roles.labels) == {"white", "black"}:
            row = self.connection.execute(f"SELECT * FROM {rows} LIMIT 1").fetchone() or ()
            self.of_records = any(str(value).lower().endswith(".sgf") for value in row)

    def _unplayed_columns(self, roles: Roles, taken: Sequence[str]) -> dict[str, str]:
        """The columns that say which rows are no games: a handicap not `taken`, and states."""
        used = {roles.first, roles.second, *self._candidates(roles), *roles.time}
        stones = handicap_column([name for name in self.names if name not in used])
        states = [name for name in self.names if name not in used and is_status(name)]
        columns = {f"state{number}": name for number, name in enumerate(states)}
        return columns | ({} if stones is None or stones in taken else {"stones": stones})

    def _marks(self, roles: Roles, moment: str) -> dict[str, str]:
        """SQL for what `yardstone.records.unplayed.without_repeats` looks at."""
        called, number = game_columns(self.names)
        cases = ""
        if called is not None:
            text = _text(called)
            cases += f"WHEN {_says(text)} THEN hash('id', {text}) "
        if number is not None and roles.time:
            text = _text(number)
            cases += f"WHEN {_says(text)} AND {_says(moment)} THEN hash({moment}, {text}) "
        if not set(self.names) - {roles.first, roles.second, *self._candidates(roles)}:
            return {}
        every = ", ".join(quoted(name) for name in self.names)
        marks = {CONTENT: f"hash({every})"}
        return marks | ({IDENTITY: f"CASE {cases} ELSE 0 END"} if cases else {})

    def _part_unplayed(self, columns: Sequence[str]) -> None:
        """Put the rows that are no games aside, into ``unplayed``, with the reason."""
        spellings = {each(name) for name in BYE_NAMES for each in (str, str.upper, str.title)}
        names = ", ".join(map(_literal, sorted(spellings)))
        cases = "".join(
            f"WHEN {side} IN ({names}) THEN concat('{BYE} called ', {side}) "
            for side in ("one", "other")
        )
        for column in columns:
            reason = handicap_reason if column == "stones" else not_played
            fetched = self.connection.execute(
                f"SELECT DISTINCT {column} FROM source_game WHERE {column} IS NOT NULL "
                f"LIMIT {_MOST_RESULTS}"
            ).fetchall()
            reasons = {text: why for (text,) in fetched if (why := reason(text)) is not None}
            for why in sorted(set(reasons.values())):
                texts = (text for text, each in reasons.items() if each == why)
                listed = ", ".join(map(_literal, texts))
                cases += f"WHEN {column} IN ({listed}) THEN {_literal(why)} "
        self.connection.execute(
            f"""CREATE OR REPLACE TEMP TABLE unplayed AS SELECT row, '' AS result, kind
            FROM (SELECT row, CASE {cases} END AS kind FROM source_game) WHERE kind IS NOT NULL"""
        )
        if self.connection.execute("SELECT count(*) FROM unplayed").fetchone() != (0,):
            self.connection.execute(
                "DELETE FROM source_game WHERE row IN (SELECT row FROM unplayed)"
            )

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

    def order(self, roles: Roles, report: SkipReport) -> Order:
        """Who moves first."""
        self.places = {name: f"result{k}" for k, name in enumerate(self._candidates(roles))}
        self.one, self.other = roles.first, roles.second
        go = self.of_records or any(results_of_go(self.values(name)) for name in roles.results[:1])
        go = go or not GO.isdisjoint(word for name in self.names for word in words(name))
        order = settle_order(roles, self.names, self.options.first, go=go, file=self.file)
        if {"winner", "white", "home"} & set(roles.labels):  # unknown for good, or known already
            return order
        colour: Side = self.options.first or ("black" if go else "white")
        for name in self.watched:
            if kind_of(name) in SIDES and self.turned == "false":
                order = self._turn(order, name, colour, report)
        return order

    def _turn(self, order: Order, name: str, colour: Side, report: SkipReport) -> Order:
        """Who moves first by a column of sides: ``color``, ``is_white``, or ``white`` with names.

        The way in which most of its cells can be read is taken, if these are half of them.
        """
        kind, labels = kind_of(name), order.roles.labels
        place = f"lower({quoted('watched ' + name)})"
        if kind == "side":
            ways = [
                (side, f"{place} IN ({_SIDES[side]})", f"{place} IN ({_SIDES[_OTHER[side]]})")
                for side in (colour, "home")
            ]
        else:
            flag = ("flag", f"{place} IN ({_TRUE})", f"{place} IN ({_FALSE})")
            named = [pair for pair in (labels, (self.one, self.other)) if all(pair)]
            pairs = [
                ("lower(one)", "lower(other)"),
                *((_literal(a.lower()), _literal(b.lower())) for a, b in named),
            ]
            ways = [*(("name", f"{place} = {a}", f"{place} = {b}") for a, b in pairs), flag]
        numbers = ", ".join(f"count(*) FILTER ({yes} OR {no})" for _, yes, no in ways)
        rows, filled, neutral, *told = self.connection.execute(
            f"""SELECT count(*), count(nullif({place}, '')), count(*) FILTER ({_neutral(name)}),
            {numbers} FROM source_game"""
        ).fetchone() or (0, 0, 0, 0)
        if not max(told) or 2 * max(told) < filled - neutral:
            return order
        way, yes, no = ways[told.index(max(told))]
        side = side_of(name, labels)
        own = order.roles.named or labels in (("player", "opponent"), ("", ""))
        if way != "name" and side is None and not own:
            raise InputError(
                f"whose side does {name!r} tell?",
                file=self.file,
                hint=f"first={self.one},second={self.other} in --columns says that of "
                f"{self.one!r}; {name}={name} takes it along unused",
            )
        unknown = rows - max(told) - neutral
        few = unknown <= MOST_UNREAD * rows
        if unknown:
            report.doubt(
                f"{self.file}: {name!r} does not tell who moved first in {unknown:,} of {rows:,} "
                f"games: {f'there {self.one!r} is taken to' if few else 'it is not used'}"
            )
        if not few:
            return replace(order, ordered=False)
        swapped = (way != "name" and side == 1) != (kind in ("away", _OTHER[colour]))
        self.turned = f"coalesce({yes if swapped else no}, false)"
        mover = way if kind == "side" else kind
        return replace(
            order,
            ordered=True,
            colour=colour if mover in (colour, _OTHER[colour]) else None,
            pair_subject=None if self.options.first is None else 0,
        )

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

    def check(self, order: Order, report: SkipReport) -> None:
        """Refuse rows that stand for several games; note neutral ground, which nothing uses.

        A column that is named as a further one of the pool is taken along without a question.
        """
        roles = order.roles
        for name in roles.results[:_MOST_COLUMNS]:
            for text in self.values(name):
                if is_total(text) and normalized(text) not in stated_scores(self.options.results):
                    raise self._several([name], text, f"--results {text}=win says what it counts")
        if not {"first_score", "second_score"} <= set(self.options.further):
            self._check_sides(roles)
        for name in self.watched:
            place, kind = quoted("watched " + name), kind_of(name)
            number = _number(place)
            if kind == "count" and (odd := self._first(f"{number} <> 1.0", number)):
                row = self.connection.execute(
                    f"""SELECT count(nullif({place}, '')) > count({number}) OR
                    count(*) >= {_RUNNING} AND count(DISTINCT {number} - row) = 1
                    FROM source_game"""
                ).fetchone()
                if row is not None and not row[0]:  # neither other texts nor a running number
                    more = f"--columns {name}={name} takes each row for one game all the same"
                    raise self._several([name], odd, more)
            elif (odd := _neutral(name)) != "false" and order.ordered:
                row = self.connection.execute(
                    f"SELECT count(*) FILTER ({odd}), count(*), any_value({place}) FILTER ({odd}) "
                    "FROM source_game"
                ).fetchone()
                if row is not None and row[0]:
                    rest = f"NOT {name}" if kind == "neutral" else f"{name} <> {row[2]!r}"
                    report.doubt(
                        f"{self.file}: neutral ground in {name!r} is not used: in {row[0]:,} of "
                        f"{row[1]:,} games nobody was at home, but the first-move advantage is "
                        f'estimated from all (--where "{rest}" leaves them out)'
                    )

    def _check_sides(self, roles: Roles) -> None:
        """Check that columns of both sides, and of wins, draws and losses, tell of one game."""
        one_game = "first_score=NAME,second_score=NAME in --columns says who has more won one game"
        if roles.points is not None:
            one, other = (self.places[name] for name in roles.points)
            half = f"{_number(one)} % 1 = 0.5 AND {_number(other)} % 1 = 0.5"
            odd = self._first(f"{half} AND {_number(one)} + {_number(other)} > 1", one)
            if odd:
                raise self._several(roles.points, odd, one_game)
        used = [name for name in roles.points or () if is_indicator(name)]
        kinds = {name: kind_of(name) for name in self.watched if name not in used}
        tallies = [
            name
            for name, kind in kinds.items()
            if kind in ("wins", "draws", "losses") and (used or side_of(name, roles.labels) is None)
        ]
        numbers = {name: _number(self.places[name]) for name in used}
        numbers |= {name: _number(quoted("watched " + name)) for name in tallies}
        wins = [name for name in numbers if kinds.get(name, "wins") == "wins"]
        added = [
            f"coalesce({number}, 0)"
            for name, number in numbers.items()
            if kinds.get(name) != "losses" or len(wins) == 1
        ]
        several = [f"{number} NOT IN (0.0, 0.5, 1.0)" for number in numbers.values()]
        condition = " OR ".join([*several, f"{' + '.join(added) or '0'} > 1.0"])
        if odd := self._first(condition, "NULL"):
            raise self._several([*numbers], odd, one_game)

    def _first(self, condition: str, value: str) -> str:
        """The first row of which a condition holds, and a value of it; empty if there is none."""
        row = self.connection.execute(
            f"SELECT row, {value} FROM source_game WHERE {condition} ORDER BY row LIMIT 1"
        ).fetchone()
        if row is None:
            return ""
        return f"line {self.line_of(row[0])}" + ("" if row[1] is None else f": {row[1]}")

    def _several(self, names: Sequence[str], where: str, more: str) -> InputError:
        """Rows that are not one game each."""
        return InputError(
            f"{' and '.join(map(repr, names))} tell{'' if len(names) > 1 else 's'} of several "
            f"games, or of part of one ({clean(where[:60])}): such rows are not read",
            file=self.file,
            hint=f"write a row for each game; {more}",
        )

    def score(self, order: Order, report: SkipReport) -> tuple[str, ...]:
        """Make the view `scored`: rows with their scores; the columns that told.

        Where another column, understood as well, says something else of a row, the row is
        reported, and more than a few are refused.
        """
        roles = order.roles
        if roles.margin is not None:
            self._by_margin(order, roles.margin)
            return (roles.margin,)
        if not order.ordered and "winner" in roles.labels and "score" not in self.options.further:
            self._by_winner(order, report)
            return ()
        trouble: InputError | None = None
        readings: list[tuple[str, Reading]] = []
        ways: list[tuple[str, ...]] = []
        for name in roles.results[:_MOST_COLUMNS]:
            try:
                reading = self._reading(order, name)
            except InputError as error:
                trouble = trouble or error
                continue
            readings.append((name, reading))
            unknown = sum(reading.unknown.values())
            if (
                self._few_strangers(order, name, reading)
                if reading.by_name
                else not too_much(reading.unknown, unknown, sum(self.values(name).values()))
            ):
                ways.append(self._by_reading(order, name, reading, len(ways)))
        if roles.points is not None:
            try:
                ways.append(self._by_points(order, roles.points, len(ways)))
            except InputError:
                if not ways:
                    raise
        if not ways:
            if trouble is not None:
                raise trouble
            ways.append(self._by_reading(order, *readings[0], 0))
        return self._settle(ways, report)

    def _settle(self, ways: Sequence[tuple[str, ...]], report: SkipReport) -> tuple[str, ...]:
        """Choose a way to tell who won, and leave out rows of which another says otherwise."""
        told = []
        for k in range(len(ways)):
            row = self.connection.execute(f"SELECT count(score) FROM scored{k}").fetchone()
            told.append(row[0] if row is not None else 0)
        best = next(k for k, number in enumerate(told) if 2 * number >= max(told))
        self.connection.execute(f"CREATE OR REPLACE TEMP VIEW scored AS SELECT * FROM scored{best}")
        for k, way in enumerate(ways):
            if k != best:
                self._leave_out(
                    f"""SELECT row, a.result, b.result FROM scored{best} AS a
                    JOIN scored{k} AS b USING (row) WHERE a.first <> a.second
                    AND a.score <> b.score ORDER BY row""",
                    (ways[best], way),
                    min(told[best], told[k]),
                    report,
                    f"{_named(ways[best])} or {_named(way)}",
                )
        return ways[best]

    def _leave_out(
        self,
        query: str,
        ways: tuple[tuple[str, ...], tuple[str, ...]],
        rows: int,
        report: SkipReport,
        named: str,
    ) -> None:
        """Drop the rows of a query, in which columns contradict each other; refuse if many."""
        self.connection.execute(f"CREATE OR REPLACE TEMP TABLE odd AS {query}")
        odd = self.connection.execute(f"FROM odd LIMIT {_SHOWN}").fetchall()
        if not odd:
            return
        number = (self.connection.execute("SELECT count(*) FROM odd").fetchone() or (0,))[0]
        lines = ", ".join(str(self.line_of(row)) for row, *_ in odd)
        values = " but ".join(
            f"{' and '.join(way)}: {clean(str(text).replace(BETWEEN, ' and ')[:40])!r}"
            for way, text in zip(ways, odd[0][1:], strict=True)
        )
        said = f"columns contradict each other (line {lines}{', …' * (number > _SHOWN)}: {values})"
        few = number <= MOST_UNREAD * rows or self.options.skip_unread
        if self.options.strict or not few:
            raise (StrictError if self.options.strict else InputError)(
                f"{number:,} of {rows:,} rows cannot be read: {said}",
                file=self.file,
                hint=f"say which is right, with --columns {named}",
            )
        report.add_uncounted(said, number)
        self.connection.execute("DELETE FROM source_game WHERE row IN (SELECT row FROM odd)")

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
        sides = ("one", "other") if order.roles.first == self.one else ("other", "one")
        if self.turned == "false":
            return sides
        first, second = (
            f"CASE WHEN {self.turned} THEN {b} ELSE {a} END" for a, b in (sides, sides[::-1])
        )
        return first, second

    def _own(self, score: str) -> str:
        """SQL for the score of who moves first, from that of the first column's player."""
        return score if self.turned == "false" else f"abs({self.turned}::INT - {score})"

    def _names(self, order: Order, column: str) -> WinnerNames:
        place = self.places[column]
        first, second = self._sides(order)
        winner = rf"lower(trim(regexp_replace({place}, '\s+{WON}$', '', 'i')))"
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

    def _by_reading(self, order: Order, name: str, reading: Reading, way: int) -> tuple[str, ...]:
        place = self.places[name]
        self._fill(reading.scores, reading.left_out, way=way)
        own = all(
            {"record", ""} & set(meanings(text)) for text in reading.scores
        )  # W, D: not White
        of_mover = (reading.notation in ("colour", "names") and not own) or (
            reading.notation == "pair" and whose_result(order, name)[2] is False
        )
        score = "score" if of_mover else self._own("score")
        if reading.by_name:
            winner = rf"lower(trim(regexp_replace({place}, '\s+{WON}$', '', 'i')))"
            first, second = self._sides(order)
            score = (
                f"CASE WHEN score IS NOT NULL THEN score WHEN lower(one) = lower(other) THEN NULL "
                f"WHEN {winner} = lower({first}) THEN 1.0 "
                f"WHEN {winner} = lower({second}) THEN 0.0 END"
            )
        self._view(order, place, score, way)
        return (name,)

    def _by_points(self, order: Order, columns: tuple[str, str], way: int) -> tuple[str, ...]:
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
            way=way,
        )
        self._view(order, both, self._own("score"), way)
        return columns

    def _by_margin(self, order: Order, column: str) -> None:
        scores, left_out = {}, {}
        for text in self.values(column):
            value = points_of(normalized(text))
            if value is not None:
                scores[text] = 0.5 + 0.5 * float(np.sign(value))
            elif (reason := left_out_reason(text)) is not None:
                left_out[text] = reason
        self._fill(scores, left_out)
        self._view(order, self.places[column], self._own("score"))

    def _by_winner(self, order: Order, report: SkipReport) -> None:
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
            points = all(
                points_of(normalized(text)) in (0.0, 0.5, 1.0) for text in self.values(name)
            )
            lost = []
            for text in self.values(name):
                meaning = meanings(text)
                if left_out_reason(text) == FORFEIT:
                    walkovers[text] = FORFEIT
                elif "" in meaning:
                    draws[text] = 0.5
                elif -1 in (
                    meaning.get("pair"),
                    meaning.get("record"),
                    points and meaning["points"],
                ):
                    lost.append(text)
            if lost and not order.roles.named:
                self._fill(dict.fromkeys(lost, 0.0), way="_lost")
                self._leave_out(
                    f"""SELECT row, {winner}, {self.places[name]} AS text FROM source_game
                    WHERE {self.places[name]} IN (SELECT text FROM meaning_lost) ORDER BY row""",
                    ((self.one if winner == "one" else self.other,), (name,)),
                    sum(self.values(name).values()),
                    report,
                    f"first={self.one},second={self.other}, or {_named((name,))}",
                )
        self._fill(draws, walkovers)
        stated = ", ".join(
            f"(SELECT any_value(text) FROM meaning WHERE text = {self.places[name]})"
            for name in order.roles.results[:_MOST_COLUMNS]
        )
        result = f"coalesce({stated}, 'won')" if stated else "'won'"
        self.connection.execute(
            f"""CREATE OR REPLACE TEMP VIEW scored AS
            SELECT game.*, meaning.reason AS reason, false AS turned,
                CASE WHEN meaning.reason IS NOT NULL THEN NULL
                    WHEN meaning.score IS NOT NULL THEN meaning.score
                    WHEN row % 2 = 1 THEN 1.0 ELSE 0.0 END AS score
            FROM (SELECT * EXCLUDE (one, other), {result} AS result,
                CASE WHEN row % 2 = 1 THEN {winner} ELSE {loser} END AS first,
                CASE WHEN row % 2 = 1 THEN {loser} ELSE {winner} END AS second
                FROM source_game) AS game LEFT JOIN meaning ON game.result = meaning.text"""
        )

    def _view(self, order: Order, result: str, score: str, way: int | str = "") -> None:
        first, second = self._sides(order)
        self.connection.execute(
            f"""CREATE OR REPLACE TEMP VIEW scored{way} AS
            SELECT source_game.* EXCLUDE (one, other), {first} AS first, {second} AS second,
                {result} AS result, meaning.reason AS reason, {score} AS score,
                {self.turned} AS turned
            FROM source_game LEFT JOIN meaning{way} AS meaning ON {result} = text"""
        )

    def _fill(
        self,
        scores: Mapping[str, float],
        left_out: Mapping[str, str] | None = None,
        *,
        way: int | str = "",
    ) -> None:
        """Make the table of what texts mean; `way` tells several apart."""
        self.connection.execute(
            f"CREATE OR REPLACE TEMP TABLE meaning{way} "
            "(text VARCHAR, score DOUBLE, reason VARCHAR)"
        )
        known: list[tuple[str, float | None, str | None]] = [
            *((text, score, None) for text, score in scores.items()),
            *((text, None, reason) for text, reason in (left_out or {}).items()),
        ]
        for start in range(0, len(known), 1000):
            some = known[start : start + 1000]
            values = ", ".join(["(?, ?, ?)"] * len(some))
            self.connection.execute(
                f"INSERT INTO meaning{way} VALUES {values}", [part for row in some for part in row]
            )


def _neutral(name: str) -> str:
    """SQL for whether a column says that nobody was at home."""
    place, kind = f"lower({quoted('watched ' + name)})", kind_of(name)
    if kind == "neutral":
        return f"{place} IN ({_TRUE})"
    if kind not in ("side", "home"):
        return "false"
    return f"starts_with({place}, 'neutral')" + f" OR {place} = 'n'" * (kind == "side")


def _number(place: str) -> str:
    return f"TRY_CAST(replace(replace({place}, ',', '.'), '½', '.5') AS DOUBLE)"


def _named(way: tuple[str, ...]) -> str:
    """How the caller names the columns that tell who won."""
    if len(way) == 2:
        return f"first_score={way[0]},second_score={way[1]}"
    return f"score={way[0]}"


def _literal(text: str) -> str:
    """A text as SQL wants it."""
    return "'" + text.replace("'", "''") + "'"


def _says(text: str) -> str:
    """SQL for whether a text says anything."""
    return f"regexp_matches(coalesce({text}, ''), '[1-9A-Za-z]')"


def _text(column: str) -> str:
    return f"trim(CAST({quoted(column)} AS VARCHAR))"


def _name(column: str) -> str:
    blanks = r"'[\x00-\x1F\x7F]'"
    text = f"nfc_normalize(CAST({quoted(column)} AS VARCHAR))"
    return f"trim(regexp_replace({text}, {blanks}, ' ', 'g'))"
