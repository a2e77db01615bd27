"""Who won the games of a table, whose rows lie in a database."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from yardstone.choices import no_such
from yardstone.errors import InputError, StrictError, UsageError
from yardstone.records.columns import (
    CHESS,
    GO,
    PAIRS,
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
from yardstone.records.options import MOST_UNREAD, Options, too_much
from yardstone.records.results import (
    FORFEIT,
    WON,
    Reading,
    ResultColumn,
    Side,
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
    CONTENT,
    IDENTITY,
    NEUTRAL,
    NO,
    NOBODY,
    YES,
    game_columns,
    is_remark,
    not_played,
    why_no_game,
)

if TYPE_CHECKING:
    import duckdb

    from yardstone.pool import SkipReport
    from yardstone.records.where import Where

#: More different results than this are no results.
_MOST_RESULTS = 100_000
#: So many columns that may hold the result are tried.
_MOST_COLUMNS = 4
#: Between the points of the two sides, where they stand in two columns.
BETWEEN = "\x1f"
#: So many rows make a running number plain.
_RUNNING = 5
_SHOWN = 4
#: Cells that tell a side, and those that say that nobody was at home.
_SIDE_CELLS = {
    "white": frozenset("w white weiß weiss blanc blancs blancas".split()),
    "black": frozenset("b black schwarz noir noirs negras".split()),
    "home": frozenset("h home heim".split()),
    "away": frozenset("a away auswärts".split()),
}
_OTHER = {"white": "black", "black": "white", "home": "away"}
_ONE_GAME = "first_score=NAME,second_score=NAME in --columns says who has more won one game"


def quoted(name: str) -> str:
    """A column's name as SQL wants it."""
    return '"' + name.replace('"', '""') + '"'


def sql_text(text: str | os.PathLike[str]) -> str:
    """A text as SQL wants it."""
    return "'" + os.fspath(text).replace("'", "''") + "'"


#: What texts mean: a score, a reason to leave them out, or neither.
_Known: TypeAlias = dict[str, float | str | None]


@dataclass(frozen=True)
class _Way:
    """A way to tell who won: a view of the rows with their scores."""

    view: str
    columns: tuple[str, ...]  #: that tell; one, or two with the points of both
    named: str = ""  #: how the caller names them
    open: str = ""  #: SQL for the rows of which it does not tell whether they are draws


@dataclass(eq=False)
class TableOfGames:
    """The rows of a table, with what is known of their meaning so far; `rows` stands behind FROM.

    `line_of` gives the line of a row, counted from 1. `copy`, `settle`, `check` and `score` follow
    one another.
    """

    connection: duckdb.DuckDBPyConnection
    rows: str
    names: Sequence[str]
    roles: Roles  #: what the columns hold, with the side that moves first as `first`
    file: str
    options: Options
    line_of: Callable[[int], int]
    report: SkipReport
    #: SQL for the text of each column that may tell the result, or is watched
    places: dict[str, str] = field(default_factory=dict)
    #: further columns whose names say that they tell something of games
    watched: list[str] = field(default_factory=list)
    turned: str = "false"
    #: what is to be known of rows that repeat others, as SQL by column
    marks: Mapping[str, str] = field(default_factory=dict)
    _counted: dict[str, dict[str, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Note what stands first in the table itself, and what the caller says of values."""
        self.one, self.other = self.roles.first, self.roles.second
        self._stated = stated_scores(self.options.results)

    def copy(self, *, time: str, moment: str, blank: bool) -> None:
        """Take over the rows that are wanted: players, results, time, further columns.

        `time` is the SQL for the time of a game, and `moment` for the text it stands in. Rows
        without players and result are left out if they are `blank`, and those that the caller's
        condition does not hold of: the report takes their number.
        """
        roles, everything = self.roles, self.options.everything
        margin = (roles.margin,) if roles.margin is not None else ()
        results = [*dict.fromkeys([*self._results(), *(roles.points or ()), *margin])]
        used = {self.one, self.other, *results}
        extra = [*roles.extra.values(), *self.levels()[0].values()]
        # What is taken along is not asked about, unless everything is; draws count all the same.
        self.watched = [
            name
            for name in self.names
            if (kind := kind_of(name)) == "draws"
            or (
                (kind and name not in (self.one, self.other, *extra))
                and (kind in SIDES or not everything)
            )
        ]
        if everything:
            extra = list(self.names)
        reasons = {
            name: why
            for name in self.names
            if name not in used and (why := why_no_game(name)) is not None
        }
        stones = handicap_column(self.names)
        if stones is not None and stones not in {*used, *extra}:
            reasons[stones] = handicap_reason
        copied = dict.fromkeys([*self.watched, *reasons, *self._komi()])
        self.places = {name: quoted(f"watched {name}") for name in copied}
        self.places |= {name: f"result{k}" for k, name in enumerate(results)}
        lower = {name.casefold(): name for name in reversed(self.names)}
        asked = self.options.asked()
        for name in asked.values():
            if name.casefold() not in lower:
                raise InputError(f"--where: {no_such('column', name, self.names)}", file=self.file)
        self.marks = self._marks(used, moment)
        self._spell_names()
        parts = {"one": _cell(self.one), "other": _cell(self.other), "time": time}
        parts["moment"] = f"CASE WHEN {time} IS NULL THEN {moment} END"
        parts |= {place: _text(name) for name, place in self.places.items()}
        parts |= {quoted(column): quoted(lower[asked[column].casefold()]) for column in asked}
        parts |= {quoted(f"extra {name}"): quoted(name) for name in extra}
        parts |= {quoted(name): f"CAST({sql} AS UBIGINT)" for name, sql in self.marks.items()}
        filled = ["a.filled", "b.filled"]
        filled += [f"game.{self.places[name]} <> ''" for name in results]
        self.connection.execute(
            f"""CREATE OR REPLACE TEMP TABLE source_game AS
            SELECT game.* REPLACE (a.name AS one, b.name AS other) FROM (
                SELECT row_number() OVER () AS row,
                    {", ".join(f"{sql} AS {alias}" for alias, sql in parts.items())}
                FROM {self.rows}) AS game
                LEFT JOIN spelling AS a ON a.cell = game.one
                LEFT JOIN spelling AS b ON b.cell = game.other
            {f"WHERE {' OR '.join(filled)}" if blank else ""}"""
        )
        if self.options.where is not None:
            self._take(self.options.where, list(asked))
        self._part_unplayed(reasons)

    def _spell_names(self) -> None:
        """Make the table `spelling`: what stands in cells of players, once each, and their names.

        A name is of the type `player_name`, which DuckDB keeps as a number and compares as a text.
        """
        cells = (
            f"SELECT {_cell(name)} AS cell FROM {self.rows}" for name in (self.one, self.other)
        )
        execute = self.connection.execute
        execute(
            f"""CREATE OR REPLACE TEMP TABLE spelt AS
            SELECT cell, {_name("cell")} AS name, trim(cell) <> '' AS filled
            FROM ({" UNION ".join(cells)}) WHERE cell IS NOT NULL"""
        )
        execute(
            """CREATE OR REPLACE TEMP TYPE player_name AS ENUM
            (SELECT name FROM spelt UNION SELECT '')"""
        )
        execute(
            """CREATE OR REPLACE TEMP TABLE spelling AS
            SELECT * REPLACE (CAST(name AS player_name) AS name) FROM spelt"""
        )
        execute("DROP TABLE spelt")

    def _row(self, sql: str) -> tuple[Any, ...]:
        return self.connection.execute(sql).fetchone() or ()

    def _count(self, condition: str = "true", rows: str = "source_game") -> int:
        return int(self._row(f"SELECT count(*) FROM {rows} WHERE {condition}")[0])

    def _drop(self, rows: str) -> None:
        """Leave out the rows whose numbers stand in a table."""
        self.connection.execute(f"DELETE FROM source_game WHERE row IN (SELECT row FROM {rows})")

    def error(self, reason: str, hint: str) -> InputError:
        """An error of this file, with how to go on."""
        return InputError(reason, file=self.file, hint=hint)

    def _results(self) -> tuple[str, ...]:
        """The columns that may hold the result and are tried."""
        return self.roles.results[:_MOST_COLUMNS]

    def _komi(self) -> list[str]:
        return [name for name in self.names if words(name) == ["komi"]]

    def _marks(self, used: set[str], moment: str) -> dict[str, str]:
        """SQL for what `yardstone.records.unplayed.without_repeats` looks at."""
        if used >= {*self.names}:
            return {}
        called, number = game_columns(self.names)
        cases = ""
        if called is not None:
            said = _says(_text(called), "0-9A-Za-z")  # the first id may be 0
            cases += f"WHEN {said} THEN hash('id', {_text(called)}) "
        if number is not None and self.roles.time:
            text = _text(number)
            cases += f"WHEN {_says(text)} AND {_says(moment)} THEN hash({moment}, {text}) "
        marks = {CONTENT: f"hash({', '.join(quoted(name) for name in self.names)})"}
        return marks | ({IDENTITY: f"CASE {cases} ELSE 0 END"} if cases else {})

    def _part_unplayed(self, reasons: Mapping[str, Callable[[str], str | None]]) -> None:
        """Put the rows that are no games aside, into ``unplayed``, with the reason."""
        nobody = "".join(
            f"WHEN regexp_full_match(lower(name), {sql_text(names)}) "
            f"THEN concat({sql_text(said)}, ' ', name) "
            for said, names in NOBODY.items()
        )
        self.connection.execute(
            f"""CREATE OR REPLACE TEMP TABLE nobody AS
            SELECT name, any_value(CASE {nobody} END) AS why FROM spelling GROUP BY name
            HAVING why IS NOT NULL"""
        )
        cases = "WHEN a.why IS NOT NULL THEN a.why WHEN b.why IS NOT NULL THEN b.why "
        headings = f"one = {sql_text(self.one)} AND other = {sql_text(self.other)}"
        cases += f"WHEN {headings} THEN 'the headings once more' "
        for name, reason in reasons.items():
            told = {text: why for text in self.values(name) if (why := reason(text)) is not None}
            for why in sorted({*told.values()}):
                texts = (text for text, each in told.items() if each == why)
                cases += f"WHEN {_in(self.places[name], texts)} THEN {sql_text(why)} "
        unplayed = self._row(
            f"""CREATE OR REPLACE TEMP TABLE unplayed AS SELECT row, '' AS result, kind
            FROM (SELECT row, CASE {cases} END AS kind FROM source_game
                LEFT JOIN nobody AS a ON a.name = one LEFT JOIN nobody AS b ON b.name = other)
            WHERE kind IS NOT NULL"""
        )
        if unplayed != (0,):
            self._drop("unplayed")
            self._counted.clear()

    def _take(self, where: Where, columns: Sequence[str]) -> None:
        """Keep only the rows of which a condition holds."""
        listed = "".join(f", {quoted(column)}" for column in columns)
        data = self.connection.execute(
            f"SELECT row{listed} FROM source_game ORDER BY row"
        ).fetchnumpy()
        values = {name: data[column] for name, column in zip(where.names, columns, strict=True)}
        rows = np.asarray(data["row"])
        unwanted = {"row": rows[~where.of(values, len(rows), self.report)]}
        self.connection.register("unwanted", unwanted)
        self._drop("unwanted")
        self.connection.unregister("unwanted")

    def levels(self) -> tuple[dict[str, str], str]:
        """Columns of grades, ratings and handicaps, if they are wanted, and what to say of them.

        In a table of winners and losers they are not those of who stands first.
        """
        if not self.options.levels or set(self.roles.labels) == {"winner", "loser"}:
            return {}, ""
        return level_columns(self.names, self.roles.first, self.roles.second)

    def settle(self) -> None:
        """Find out who moves first, from the caller, names of columns, results and sides."""
        roles, first = self.roles, self.options.first
        columns = {word for name in self.names for word in words(name)}
        go = not GO.isdisjoint(columns)
        for column in roles.results[:1]:  # as only Go has them: ``B+R``, ``W+3.5``, ``Jigo``
            of_go = (
                number
                for text, number in self.values(column).items()
                if ("+" in text and "colour" in meanings(text)) or normalized(text) == "jigo"
            )
            go = go or sum(of_go) > 0.1 * sum(self.values(column).values())
        if set(roles.labels) == {"white", "black"}:
            row = self._row(f"SELECT * FROM {self.rows} LIMIT 1")
            go = go or any(str(value).lower().endswith(".sgf") for value in row)
            chess = not go and not columns.isdisjoint(CHESS)
            self.roles = self._of_colours(go, chess)
            return
        if set(roles.labels) == {"winner", "loser"}:
            self.roles = replace(roles, ordered=False)
            return
        colour = first or ("black" if go and roles.named else None)
        # Whose points stand first in ``2-1`` is asked where the second player's column is first.
        names, labelled = self.names, roles.labels in PAIRS
        pair: int | None = 0
        if roles.first in names and roles.second in names:
            straight = names.index(roles.first) < names.index(roles.second)
            pair = None if roles.labels[::-1] in PAIRS or (labelled and not straight) else 0
        ordered = roles.labels != ("player", "opponent") or roles.named
        self.roles = replace(roles, ordered=ordered, colour=colour, pair_subject=pair)
        if not {"white", "home"} & set(roles.labels):  # else it is known already
            for name in self.watched:
                if kind_of(name) in SIDES and self.turned == "false":
                    self._turn_by(name, first or ("black" if go else "white"))

    def _of_colours(self, go: bool, chess: bool) -> Roles:
        """Columns of White and Black, in the caller's order or found by their names."""
        roles, first = self.roles, self.options.first
        white_left = self.names.index(roles.first) < self.names.index(roles.second)
        mover = first or ("black" if go else "white" if chess or white_left else None)
        if roles.named:
            mover = cast("Side", roles.labels[0])
            if first not in (None, mover):
                raise UsageError(
                    f"{self.file}: first is {first}, but the column named first is {roles.first!r}"
                )
            if first is None and go and mover == "white":
                raise self.error(
                    f"in Go Black moves first, but the column named first is {roles.first!r}",
                    f"columns first={roles.second},second={roles.first}, or --first white "
                    "if White does",
                )
        elif mover is None:
            raise self.error(
                f"who moves first? {roles.second!r} stands before {roles.first!r}",
                "--first white or --first black (in Python first) says it; it is also the "
                "side whose points a result such as 1-0 tells",
            )
        elif mover == "black":
            points = None if roles.points is None else (roles.points[1], roles.points[0])
            roles = replace(roles, first=roles.second, second=roles.first, points=points)
            roles = replace(roles, labels=("black", "white"))
        whose = 0 if first is not None or mover == "white" else None
        usual = 0 if roles.named else whose
        return replace(roles, colour=mover, usual_subject=usual, pair_subject=whose)

    def _turn_by(self, name: str, colour: Side) -> None:
        """Find out who moves first by ``color``, ``is_white`` or names, if most cells say so."""
        kind, labels = kind_of(name), self.roles.labels
        place = f"lower({self.places[name]})"
        if kind == "side":
            ways = [
                (side, _in(place, _SIDE_CELLS[side]), _in(place, _SIDE_CELLS[_OTHER[side]]))
                for side in (colour, "home")
            ]
        else:
            pairs = [("lower(one)", "lower(other)")]
            pairs += [
                (sql_text(a.lower()), sql_text(b.lower()))
                for a, b in (labels, (self.one, self.other))
                if a and b
            ]
            ways = [("name", f"{place} = {a}", f"{place} = {b}") for a, b in pairs]
            ways.append(("flag", _in(place, YES), _in(place, NO)))
        numbers = ", ".join(f"count(*) FILTER ({yes} OR {no})" for _, yes, no in ways)
        rows, filled, neutral, *told = self._row(
            f"""SELECT count(*), count(nullif({place}, '')),
            count(*) FILTER ({self._neutral(name)}), {numbers} FROM source_game"""
        )
        if not max(told) or 2 * max(told) < filled - neutral:
            return
        way, yes, no = ways[told.index(max(told))]
        side = side_of(name, labels)
        own = self.roles.named or labels in (("player", "opponent"), ("", ""))
        if way != "name" and side is None and not own:
            raise self.error(
                f"whose side does {name!r} tell?",
                f"first={self.one},second={self.other} in --columns says that of "
                f"{self.one!r}; {name}={name} takes it along unused",
            )
        unknown = rows - max(told) - neutral
        few = unknown <= MOST_UNREAD * rows
        if unknown:
            self.report.doubt(
                f"{self.file}: {name!r} does not tell who moved first in {unknown:,} of {rows:,} "
                f"games: {f'there {self.one!r} is taken to' if few else 'it is not used'}"
            )
        if not few:
            self.roles = replace(self.roles, ordered=False)
            return
        swapped = (way != "name" and side == 1) != (kind in ("away", _OTHER[colour]))
        self.turned = f"coalesce({yes if swapped else no}, false)"
        mover = way if kind == "side" else kind
        self.roles = replace(
            self.roles,
            ordered=True,
            colour=colour if mover in (colour, _OTHER[colour]) else None,
            pair_subject=None if self.options.first is None else 0,
        )

    def _neutral(self, name: str) -> str:
        """SQL for whether a column says that nobody was at home."""
        place, kind = f"lower({self.places[name]})", kind_of(name)
        if kind == "neutral":
            return _in(place, NEUTRAL)
        if kind not in ("side", "home"):
            return "false"
        return f"starts_with({place}, 'neutral')" + f" OR {place} = 'n'" * (kind == "side")

    def values(self, column: str) -> dict[str, int]:
        """The values of a column of results in their order, and how often each occurs."""
        if column not in self._counted:
            place = self.places[column]
            fetched = self.connection.execute(
                f"""SELECT {place}, count(*) FROM source_game WHERE {place} IS NOT NULL
                GROUP BY {place} ORDER BY min(row) LIMIT {_MOST_RESULTS}"""
            ).fetchall()
            self._counted[column] = {str(text): number for text, number in fetched}
        return self._counted[column]

    def check(self) -> None:
        """Refuse rows that stand for several games; note neutral ground, which nothing uses.

        A column that is named as a further one of the pool is taken along without a question.
        """
        for name in self._results():
            for text in self.values(name):
                if is_total(text) and normalized(text) not in self._stated:
                    raise self._several([name], text, f"--results {text}=win says what it counts")
        if not {"first_score", "second_score"} <= set(self.options.further):
            self._check_sides()
        for name in self.watched:
            place, kind = self.places[name], kind_of(name)
            number = _number(place)
            if kind == "count" and (odd := self._first(f"{number} <> 1.0", number)):
                (other,) = self._row(  # other texts, or a running number
                    f"""SELECT count(nullif({place}, '')) > count({number}) OR
                    count(*) >= {_RUNNING} AND count(DISTINCT {number} - row) = 1
                    FROM source_game"""
                )
                if not other:
                    more = (
                        f"--columns {name}={name} takes each row for one game all the same, "
                        f"--count {name} of `rate` for so many"
                    )
                    raise self._several([name], odd, more)
            elif (neutral := self._neutral(name)) != "false" and self.roles.ordered:
                number, rows, cell = self._row(
                    f"""SELECT count(*) FILTER ({neutral}), count(*),
                    any_value({place}) FILTER ({neutral}) FROM source_game"""
                )
                if number:
                    rest = f"NOT {name}" if kind == "neutral" else f"{name} <> {cell!r}"
                    self.report.doubt(
                        f"{self.file}: neutral ground in {name!r} is not used: in {number:,} of "
                        f"{rows:,} games nobody was at home, but the first-move advantage is "
                        f'estimated from all (--where "{rest}" leaves them out)'
                    )

    def _check_sides(self) -> None:
        """Check that columns of both sides, and of wins, draws and losses, tell of one game."""
        roles = self.roles
        points = [] if "winner" in roles.labels else [*(roles.points or ())]
        if points:
            one, other = (_number(self.places[name]) for name in points)
            half = f"{one} % 1 = 0.5 AND {other} % 1 = 0.5 AND {one} + {other} > 1"
            if odd := self._first(half, self.places[points[0]]):
                raise self._several(points, odd, _ONE_GAME)
        used = [name for name in points if is_indicator(name)]
        kinds = dict.fromkeys(used, "wins") | {
            name: kind
            for name in self.watched
            if (kind := kind_of(name)) in ("wins", "draws", "losses")
            and (used or side_of(name, roles.labels) is None)
            and name not in used
        }
        numbers = {name: _number(self.places[name]) for name in kinds}
        wins = [kind for kind in kinds.values() if kind == "wins"]
        added = [
            f"coalesce({number}, 0)"
            for name, number in numbers.items()
            if kinds[name] != "losses" or len(wins) == 1
        ]
        several = [f"{number} NOT IN (0.0, 0.5, 1.0)" for number in numbers.values()]
        several.append(f"{' + '.join(added) or '0'} > 1.0")
        if kinds and (odd := self._first(" OR ".join(several), "NULL")):
            raise self._several([*numbers], odd, _ONE_GAME)

    def _first(self, condition: str, value: str) -> str:
        """The first row of which a condition holds, and a value of it; empty if there is none."""
        row = self._row(
            f"SELECT row, {value} FROM source_game WHERE {condition} ORDER BY row LIMIT 1"
        )
        if not row:
            return ""
        return f"line {self.line_of(row[0])}" + ("" if row[1] is None else f": {row[1]}")

    def _several(self, names: Sequence[str], where: str, more: str) -> InputError:
        """Rows that are not one game each."""
        return self.error(
            f"{' and '.join(map(repr, names))} tell{'' if len(names) > 1 else 's'} of several "
            f"games, or of part of one ({clean(where[:60])}): such rows are not read",
            f"write a row for each game; {more}",
        )

    def score(self) -> tuple[str, ...]:
        """Make the view `scored`: rows with their scores; the columns that told.

        Where another column, understood as well, says something else of a row, the row is
        reported, and more than a few are refused.
        """
        roles = self.roles
        named = "score" in self.options.further
        if (margin := roles.margin) is not None:
            known: _Known = {
                text: left_out_reason(text) if value is None else 0.5 + 0.5 * float(np.sign(value))
                for text in self.values(margin)
                for value in [points_of(normalized(text))]
            }
            way = self._view((margin,), self.places[margin], self._own("score"), 0, known)
        elif not self.roles.ordered and "winner" in roles.labels and not named:
            way = self._by_winner()
        else:
            way = self._by_results()
        drawn = "false"
        for name in () if named else self.watched:
            cells = {cell.lower() for cell in self.values(name)} - {""}
            if kind_of(name) != "draws" or name in way.columns or not cells <= YES | NO:
                continue
            place = f"lower({self.places[name]})"
            drawn = f"({_in(place, YES)} AND {way.open})"
            self._leave_out(
                f"""SELECT row, result, {self.places[name]} FROM {way.view}
                WHERE {_in(place, YES)} AND NOT ({way.open}) AND score <> 0.5
                OR {_in(place, NO)} AND score = 0.5""",
                (way, _Way("", (name,))),
            )
        self.connection.execute(
            f"""CREATE OR REPLACE TEMP VIEW scored AS SELECT * REPLACE
            (CASE WHEN {drawn} THEN 0.5 ELSE score END AS score) FROM {way.view}"""
        )
        for name in self._komi():
            odd = self._count(f"score = 0.5 AND {_number(self.places[name])} % 1 = 0.5", "scored")
            if odd:
                self.report.remark(
                    f"{odd:,} draw{'s' * (odd > 1)} at a komi of half a point, where there is "
                    f"none: {name!r} or the result is wrong there; all count."
                )
        return way.columns if way.open != "true" else ()

    def _by_results(self) -> _Way:
        """Choose a way to tell who won, and leave out rows of which another says otherwise."""
        trouble: InputError | None = None
        ways: list[_Way] = []
        poor: list[tuple[str, Reading]] = []
        for name in self._results():
            try:
                reading = self._reading(name)
            except InputError as error:
                trouble = trouble or error
                continue
            number, unknown = sum(self.values(name).values()), sum(reading.unknown.values())
            if reading.notation == "names":  # nearly all name one of the players of their row
                good = unknown - self._names(name).rows <= MOST_UNREAD * number
            else:
                good = not too_much(reading.unknown, unknown, number)
            if good:
                ways.append(self._by_reading(name, reading, len(ways)))
            else:
                poor.append((name, reading))
        if self.roles.points is not None:
            try:
                ways.append(self._by_points(self.roles.points, len(ways)))
            except InputError as error:
                trouble = trouble or error
        if not ways:
            if trouble is not None or not poor:
                raise trouble or AssertionError("a table without results")
            ways.append(self._by_reading(*poor[0], 0))
        alone = len(ways) == 1
        told = [alone or self._count("score IS NOT NULL", way.view) for way in ways]
        best = next(way for way, number in zip(ways, told, strict=True) if 2 * number >= max(told))
        for way in ways:
            if way is not best:
                self._leave_out(
                    f"""SELECT row, a.result, b.result FROM {best.view} AS a
                    JOIN {way.view} AS b USING (row) WHERE a.first <> a.second
                    AND a.score <> b.score""",
                    (best, way),
                )
        return best

    def _leave_out(self, query: str, ways: tuple[_Way, _Way]) -> None:
        """Drop the rows of a query, in which columns contradict each other; refuse if many."""
        self.connection.execute(f"CREATE OR REPLACE TEMP TABLE odd AS {query} ORDER BY row")
        odd = self.connection.execute(f"FROM odd LIMIT {_SHOWN}").fetchall()
        if not odd:
            return
        number, rows = self._count(rows="odd"), self._count()
        lines = ", ".join(str(self.line_of(row)) for row, *_ in odd)
        values = " but ".join(
            f"{' and '.join(way.columns)}: {clean(str(text).replace(BETWEEN, ' and ')[:40])!r}"
            for way, text in zip(ways, odd[0][1:], strict=True)
        )
        said = f"columns contradict each other (line {lines}{', …' * (number > _SHOWN)}: {values})"
        few = number <= MOST_UNREAD * rows or self.options.skip_unread
        if self.options.strict or not few:
            raise (StrictError if self.options.strict else InputError)(
                f"{number:,} of {rows:,} rows cannot be read: {said}",
                file=self.file,
                hint="say which is right, with --columns "
                + " or ".join(way.named for way in ways if way.named),
            )
        self.report.add_uncounted(said, number)
        self._drop("odd")

    def _reading(self, name: str) -> Reading:
        """What a column says; one of winners, blank in some rows, that names no draw is asked."""
        counts, roles, stated = self.values(name), self.roles, self._stated
        players, said = (roles.first, roles.second), roles.whose(name)
        column = ResultColumn(
            name, counts, roles.labels, players, self.file, *said, roles.colour, stated
        )
        reading = read_column(column, lambda: self._names(name))
        flagged = any(kind_of(each) == "draws" for each in self.watched)
        sure = not tells_winner(name) or 0.5 in reading.scores.values()
        if sure or flagged or self.options.skip_unread or "" in stated:
            return reading
        blank = [text for text in counts if left_out_reason(text) == "no result"]
        number = sum(counts[text] for text in blank if normalized(text) not in stated)
        number += self._count(f"{self.places[name]} IS NULL")
        total = self._count()
        if number > MOST_UNREAD * total:
            raise self.error(
                f"{name!r} names no winner in {number:,} of {total:,} rows: draws, or games "
                "without a result?",
                "choose with results: '=draw' or '=skip' (the blank value), or leave "
                "them out with --skip-unread (skip_unread=True in Python)",
            )
        return reading

    def _sides(self) -> tuple[str, str]:
        """The columns of `source_game` that hold the first and the second player."""
        sides = ("one", "other") if self.roles.first == self.one else ("other", "one")
        if self.turned == "false":
            return sides
        first, second = (
            f"CASE WHEN {self.turned} THEN {b} ELSE {a} END" for a, b in (sides, sides[::-1])
        )
        return first, second

    def _own(self, score: str) -> str:
        """SQL for the score of who moves first, from that of the first column's player."""
        return score if self.turned == "false" else f"abs({self.turned}::INT - {score})"

    def _winner(self, column: str) -> str:
        """SQL for the name of the winner in a column."""
        return rf"lower(trim(regexp_replace({self.places[column]}, '\s+{WON}$', '', 'i')))"

    def _names(self, column: str) -> WinnerNames:
        first, second = self._sides()
        winner = self._winner(column)
        rows = self._count(f"{winner} IN (lower({first}), lower({second}))")

        def differ(scores: Mapping[str, float]) -> bool:
            self._fill("meaning", dict(scores))
            odd = f"""{first} <> {second} AND (({winner} = lower({first}) AND score <> 1.0)
                OR ({winner} = lower({second}) AND score <> 0.0))"""
            return bool(
                self._count(odd, f"source_game JOIN meaning ON {self.places[column]} = text")
            )

        return WinnerNames(rows, differ)

    def _by_reading(self, name: str, reading: Reading, number: int) -> _Way:
        own = all({"record", ""} & {*meanings(text)} for text in reading.scores)  # W: not White
        of_mover = (reading.notation in ("colour", "names") and not own) or (
            reading.notation == "pair" and self.roles.whose(name)[2] is False
        )
        score = "score" if of_mover else self._own("score")
        if reading.notation == "names":
            winner, (first, second) = self._winner(name), self._sides()
            score = (
                f"CASE WHEN score IS NOT NULL THEN score WHEN lower(one) = lower(other) THEN NULL "
                f"WHEN {winner} = lower({first}) THEN 1.0 "
                f"WHEN {winner} = lower({second}) THEN 0.0 END"
            )
        known: _Known = {**reading.scores, **reading.left_out}
        # A flag of one side's wins does not tell its losses from draws.
        flag = is_indicator(name) and reading.notation in ("truth", "points")
        open = _in(f"lower({self.places[name]})", NO) if flag else "score IS NULL"
        return self._view((name,), self.places[name], score, number, known, open)

    def _by_points(self, columns: tuple[str, str], number: int) -> _Way:
        places = [self.places[column] for column in columns]
        both = f"{places[0]} || chr(31) || {places[1]}"
        fetched = self.connection.execute(
            f"SELECT {places[0]}, {places[1]}, count(*) FROM source_game "
            f"WHERE {both} IS NOT NULL GROUP BY ALL LIMIT {_MOST_RESULTS}"
        ).fetchall()
        counts = {(str(one), str(other)): times for one, other, times in fetched}
        wins = all(is_indicator(name) for name in columns)
        told = read_points(counts, columns, self.file, wins=wins)
        known: _Known = {BETWEEN.join(pair): each for pair, each in told.items()}
        return self._view(columns, both, self._own("score"), number, known)

    def _by_winner(self) -> _Way:
        """Rows that name a winner and a loser; they stand first in turn, which so says nothing."""
        one, other = self._sides()
        sides = (other, one) if self.roles.labels == ("loser", "winner") else (one, other)
        winner = sides[0]
        named = f"first={self.one},second={self.other}"
        way = _Way("scored0", (self.one if winner == "one" else self.other,), named, "true")
        results = self._results()
        remarks = [name for name in self.places if is_remark(name) and name not in results]
        known: _Known = {}
        odd: list[tuple[tuple[str, ...], str, str]] = []
        for name in [*results, *remarks]:
            texts, remark = self.values(name), name in remarks
            points = all(points_of(normalized(text)) in (0.0, 0.5, 1.0) for text in texts)
            said = {text: _beside_winner(text, points=points, remark=remark) for text in texts}
            lost = [text for text, meaning in said.items() if meaning == 0.0]
            odd.append(((name,), self.places[name], _in(self.places[name], lost)))
            known |= {text: meaning for text, meaning in said.items() if meaning not in (0.0, 1.0)}
        if self.roles.points is not None:
            own, others = (self.places[name] for name in self.roles.points)
            less = f"{_number(own)} <= {_number(others)}"
            odd.append((self.roles.points, f"{own} || chr(31) || {others}", less))
        for columns, place, condition in () if self.roles.named else odd:
            query = f"SELECT row, {winner}, {place} FROM source_game WHERE {condition}"
            self._leave_out(query, (way, _Way("", columns, self._named(columns))))
        stated = ", ".join(
            f"(SELECT any_value(text) FROM meaning0 WHERE text = {self.places[name]})"
            for name in [*results, *remarks]
        )
        won = f"coalesce({stated or 'NULL'}, 'won')"
        first, second = (
            f"CASE WHEN row % 2 = 1 THEN {a} ELSE {b} END" for a, b in (sides, sides[::-1])
        )
        score = "CASE WHEN text IS NOT NULL THEN score WHEN row % 2 = 1 THEN 1.0 ELSE 0.0 END"
        self._view(way.columns, won, score, 0, known, sides=(first, second))
        return way

    def _view(
        self,
        columns: tuple[str, ...],
        result: str,
        score: str,
        number: int,
        known: _Known,
        open: str = "score IS NULL",
        sides: tuple[str, str] | None = None,
    ) -> _Way:
        """Make the view of a way to tell who won, from what texts of the result mean."""
        self._fill(f"meaning{number}", known)
        first, second = sides or self._sides()
        self.connection.execute(
            f"""CREATE OR REPLACE TEMP VIEW scored{number} AS
            SELECT game.* EXCLUDE (one, other), {first} AS first, {second} AS second, reason,
                {score} AS score, {"false" if sides else self.turned} AS turned
            FROM (SELECT *, {result} AS result FROM source_game) AS game
                LEFT JOIN meaning{number} ON result = text"""
        )
        return _Way(f"scored{number}", columns, self._named(columns), open)

    @staticmethod
    def _named(columns: tuple[str, ...]) -> str:
        """How the caller names the columns that tell who won."""
        if len(columns) == 2:
            return f"first_score={columns[0]},second_score={columns[1]}"
        return f"score={columns[0]}"

    def _fill(self, table: str, known: _Known) -> None:
        """Make a table of what texts mean."""
        scores, reasons = (
            [value if isinstance(value, kind) else None for value in known.values()]
            for kind in (float, str)
        )
        self.connection.execute(
            f"""CREATE OR REPLACE TEMP TABLE {table} AS SELECT unnest(?::VARCHAR[]) AS text,
            unnest(?::DOUBLE[]) AS score, unnest(?::VARCHAR[]) AS reason""",
            [[*known], scores, reasons],
        )


def _beside_winner(text: str, *, points: bool, remark: bool) -> float | str | None:
    """What a text says beside the names of winner and loser: 1 if that the winner won.

    0 contradicts it, 0.5 is a draw; a text is the reason why it is no game, and None not
    understood. `points` of 0 to 1 are those of the winner; a `remark` may say anything.
    """
    meaning = meanings(text)
    if left_out_reason(text) == FORFEIT:
        return FORFEIT
    if (reason := not_played(text, remark=remark)) is not None:
        return reason
    if "" in meaning:
        return 0.5
    signs = (meaning.get("pair", 1), meaning.get("record"), points and meaning.get("points"))
    if -1 in signs or meaning.get("pair") == 0:
        return 0.0
    known = meaning or remark or any(each.isdigit() for each in text)
    return 1.0 if known or left_out_reason(text) else None


def _in(place: str, texts: Iterable[str]) -> str:
    """SQL for whether a cell is one of some texts."""
    listed = ", ".join(map(sql_text, sorted(texts)))
    return f"coalesce({place} IN ({listed}), false)" if listed else "false"


def _number(place: str) -> str:
    return f"TRY_CAST(replace(replace({place}, ',', '.'), '½', '.5') AS DOUBLE)"


def _says(text: str, letters: str = "1-9A-Za-z") -> str:
    """SQL for whether a text says anything."""
    return f"regexp_matches(coalesce({text}, ''), '[{letters}]')"


def _cell(column: str) -> str:
    return f"CAST({quoted(column)} AS VARCHAR)"


def _text(column: str) -> str:
    return f"trim({_cell(column)})"


def _name(cell: str) -> str:
    blanks = r"'[\x00-\x1F\x7F]'"
    return f"trim(regexp_replace(nfc_normalize({cell}), {blanks}, ' ', 'g'))"
