"""Conditions on games, such as ``Termination <> 'time forfeit'``: which games are wanted.

`parse_condition` makes a function of the text, and `Where` says of each game whether it holds.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from typing import Any, NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray

from yardstone.errors import NoGamesError, UsageError
from yardstone.pool import Pool, SkipReport, without_players

#: Begins the names of columns that are made for a condition and not kept.
_MARK = "where "


class Where:
    """A condition on games, as the user writes it; `names` are the tags or columns it speaks of.

    Raises UsageError if it cannot be understood.

    Examples:
        >>> Where("WhiteElo >= 2400 OR Event LIKE '%final%'").names
        ('WhiteElo', 'Event')
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._condition, self.names = parse_condition(text)

    def __reduce__(self) -> tuple[type[Where], tuple[str]]:
        return Where, (self.text,)

    @property
    def columns(self) -> dict[str, str]:
        """Columns that a reader makes for the condition, and what they are made of."""
        return {_MARK + name: name for name in self.names}

    def of(self, values: Mapping[str, NDArray[Any]], size: int, report: SkipReport) -> NDArray[Any]:
        """The rows that are wanted of `size`; the report takes how many are not.

        `values` has for each of `names` what the rows have there.
        """
        rows = _Rows({name.casefold(): values_of(column) for name, column in values.items()}, size)
        keep = self._condition(rows)
        report.considered += size
        report.unwanted += size - int(keep.sum())
        for name in self.names:
            if rows.values[name.casefold()].different in ([], [None]) and size:
                rows.remarks.append(f"no game has {name}")
        for remark in rows.remarks:
            report.doubt(remark)
        return keep

    def select(self, pool: Pool, **others: NDArray[Any]) -> Pool:
        """The games of a pool that are wanted, without the columns made for the condition.

        `others` are values, by name in small letters, that have no such column.
        """
        made = self.columns
        values = {
            name: pool.columns[column] if column in pool.columns else others[name.casefold()]
            for column, name in made.items()
        }
        keep = self.of(values, len(pool), pool.skipped)
        kept = {name: column for name, column in pool.columns.items() if name not in made}
        chosen = replace(pool, columns=kept)
        if keep.all():
            return chosen
        chosen = chosen.select(keep)
        return without_players(chosen, chosen.played() == 0)


def require_wanted(report: SkipReport, games: int) -> None:
    """Raise NoGamesError where a condition left out every game; `games` are those left."""
    if report.considered and report.unwanted == report.considered and not games:
        raise NoGamesError(
            f"--where leaves no game of {report.considered:,}",
            hint="; ".join(report.doubts) or "look at the values that there are",
        )


def left_out_line(report: SkipReport) -> str:
    """How many games the condition left out, in a line; empty without a condition.

    Examples:
        >>> from yardstone.pool import SkipReport
        >>> report = SkipReport()
        >>> report.considered, report.unwanted = 27612, 1204
        >>> left_out_line(report)
        '1,204 of 27,612 games left out by --where'
    """
    if not report.considered:
        return ""
    return f"{report.unwanted:,} of {report.considered:,} games left out by --where"


_SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_TURNED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_DATE = re.compile(
    r"(\d{4})([-./])(\d{1,2}|\?\?)\2(\d{1,2}|\?\?)(?:[ T](\d{1,2}:\d\d(?::\d\d)?)(?:\.\d+)?)?"
)
_MIDNIGHT = "T00:00:00"
_YES = frozenset(("true", "t", "yes", "y", "1"))
_NO = frozenset(("false", "f", "no", "n", "0"))


@dataclass(slots=True)
class Values:
    """A column: its different values as texts, None for a missing one, and which each row has."""

    different: list[str | None]
    place: NDArray[np.intp]

    def where(self, test: Callable[[str], bool]) -> NDArray[np.bool_]:
        """The rows whose value passes a test; a missing one does not."""
        passed = np.array([v is not None and test(v) for v in self.different], np.bool_)
        return passed[self.place]


@dataclass(slots=True)
class _Rows:
    """The rows of which a condition may hold, and what is to be said of the comparisons."""

    values: Mapping[str, Values]
    size: int
    remarks: list[str] = field(default_factory=list)

    def of(self, name: _Name) -> Values:
        return self.values[name.name.casefold()]


Condition: TypeAlias = Callable[[_Rows], "NDArray[np.bool_]"]


@dataclass(frozen=True, slots=True)
class _Name:
    """A tag or column."""

    name: str


_Literal: TypeAlias = float | str | bool
_Operand: TypeAlias = _Name | _Literal


def _inverted(part: Condition) -> Condition:
    return lambda rows: ~part(rows)


def _combined(combine: np.ufunc, parts: Sequence[Condition]) -> Condition:
    if len(parts) == 1:
        return parts[0]
    return lambda rows: reduce(combine, (part(rows) for part in parts))


def _missing(name: _Name) -> Condition:
    return lambda rows: ~rows.of(name).where(lambda _: True)


def _like(name: _Name, pattern: str, *, capitals: bool) -> Condition:
    """``name LIKE pattern``; `%` stands for any characters and `_` for one."""
    parts = {"%": ".*", "_": "."}
    letters = "".join(parts.get(letter) or re.escape(letter) for letter in pattern)
    whole = re.compile(letters, re.DOTALL | (0 if capitals else re.IGNORECASE))
    return lambda rows: rows.of(name).where(lambda text: whole.fullmatch(text) is not None)


def _compare(left: _Operand, sign: str, right: _Operand) -> Condition:
    """``left sign right``; the sign is one of = < <= > >=."""
    return partial(_compared, left, sign, right)


def _compared(left: _Operand, sign: str, right: _Operand, rows: _Rows) -> NDArray[np.bool_]:
    if isinstance(left, _Name):
        if isinstance(right, _Name):
            return _two_names(rows.of(left), sign, rows.of(right))
        values = rows.of(left)
        passing = values.where(_test(sign, right))
        if not passing.any():
            _remark(left.name, right, values, rows.remarks)
        return passing
    if isinstance(right, _Name):
        return _compared(right, _TURNED[sign], left, rows)
    return Values([_text(left)], np.zeros(rows.size, np.intp)).where(_test(sign, right))


def _remark(name: str, literal: _Literal, values: Values, remarks: list[str]) -> None:
    """Say why no value passes where capitals or the kind of value may be the reason."""
    there = [value for value in values.different if value is not None]
    if isinstance(literal, bool) or not there:
        return
    if not isinstance(literal, str):
        if all(_number(value) is None for value in there):
            remarks.append(f"no {name} is a number; one is {there[0][:40]!r}")
    elif _moment(literal) is not None:
        if all(_moment(value) is None for value in there):
            remarks.append(f"no {name} is a date such as {literal!r}; one is {there[0][:40]!r}")
    elif literal not in there:
        folded = literal.casefold()
        if alike := [value for value in there if value.casefold() == folded]:
            remarks.append(f"no {name} is {literal!r}, but some are {alike[0]!r}: capitals count")


def _test(sign: str, literal: _Literal) -> Callable[[str], bool]:
    """Whether a text stands in this relation to a literal."""
    compare = _SIGNS[sign]
    if isinstance(literal, bool):
        words = {**dict.fromkeys(_YES, True), **dict.fromkeys(_NO, False)}
        return lambda text: (
            (value := words.get(text.lower())) is not None and compare(value, literal)
        )
    if not isinstance(literal, str):
        return _as_number(compare, literal)
    if (date := _moment(literal)) is not None:
        return _as_date(compare, date)
    number = None if sign == "=" else _number(literal)
    if number is not None:
        return _as_number(compare, number)
    return lambda text: compare(text, literal)


def _as_number(compare: Callable[[Any, Any], bool], number: float) -> Callable[[str], bool]:
    return lambda text: (value := _number(text)) is not None and compare(value, number)


def _as_date(compare: Callable[[Any, Any], bool], date: str) -> Callable[[str], bool]:
    """Compares as far as the literal is known: dates as texts year first, all of one form."""

    def test(text: str) -> bool:
        value = _moment(text)
        if value is None:
            return False
        if len(value) < len(date):
            value += _MIDNIGHT
        return compare(value[: len(date)], date)

    return test


def _two_names(left: Values, sign: str, right: Values) -> NDArray[np.bool_]:
    width = len(right.different)
    pairs, place = np.unique(left.place * width + right.place, return_inverse=True)
    compare = _SIGNS[sign]

    def passes(one: str | None, other: str | None) -> bool:
        if one is None or other is None:
            return False
        a, b = _number(one), _number(other)
        return compare(one, other) if a is None or b is None else compare(a, b)

    passed = [
        passes(left.different[p // width], right.different[p % width]) for p in pairs.tolist()
    ]
    return np.array(passed, np.bool_)[place]


def _number(text: str) -> float | None:
    """The number that a text is, whole ones exactly."""
    text = text.strip()
    if _NUMBER.fullmatch(text) is None:
        return None
    return _exact_number(text)


def _moment(text: str) -> str | None:
    """A date as ``2018-12-14``, with ``T15:00:00`` behind it where a time of day is known."""
    match = _DATE.fullmatch(text.strip())
    if match is None:
        return None
    year, _, month, day, clock = match.groups()
    month, day = month.replace("??", "1"), day.replace("??", "1")
    if not (1 <= int(month) <= 12 and 1 <= int(day) <= 31):
        return None
    date = f"{year}-{int(month):02}-{int(day):02}"
    if clock is None:
        return date
    parts = [int(part) for part in clock.split(":")]
    return f"{date}T{parts[0]:02}:{parts[1]:02}:{parts[2] if len(parts) > 2 else 0:02}"


def values_of(column: NDArray[Any]) -> Values:
    """The values of a column of any kind; what is masked, empty or NaN is missing."""
    missing = np.ma.getmaskarray(column)
    plain = np.asarray(np.ma.getdata(column))
    if plain.dtype.kind in "iufbM":
        if plain.dtype.kind in "fM":
            missing = missing | np.isnan(plain)  # of dates that are none as well
        if plain.dtype.kind == "M":
            plain = plain.astype("datetime64[s]").astype(str)
        distinct, place = np.unique(plain, return_inverse=True)
        different: list[str | None] = [_text(value) for value in distinct.tolist()]
    else:
        number: dict[str | None, int] = {}
        texts = (None if value is None or value == "" else _text(value) for value in plain.tolist())
        place = np.array([number.setdefault(text, len(number)) for text in texts], np.intp)
        different = list(number)
    if missing.any():
        different.append(None)
        place = np.where(missing, len(different) - 1, place)
    return Values(different, np.asarray(place, np.intp))


def _text(value: object) -> str:
    """A value as text: whole numbers without a point, truths as true and false."""
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    return str(value)


_LONGEST = 10_000
_DEEPEST = 100
_TOKEN = re.compile(
    r"""\s*(?:
    (?P<date>\d{4}([-./])\d{1,2}\2\d{1,2}(?![\w.]))
    |(?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))
    |(?P<text>'(?:[^']|'')*')
    |(?P<quoted>"(?:[^"]|"")+")
    |(?P<word>[^\W\d]\w*)
    |(?P<sign><>|!=|<=|>=|==|[=<>(),+-])
    )""",
    re.VERBOSE,
)
_KEYWORDS = {
    "AND", "OR", "NOT", "IN", "LIKE", "ILIKE", "BETWEEN", "IS", "NULL", "TRUE", "FALSE",
}  # fmt: skip
_COMPARISONS = {"=": "=", "==": "=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_UNEQUAL = ("<>", "!=")


def parse_condition(text: str) -> tuple[Condition, tuple[str, ...]]:
    """The condition that a text states, and its names, each once, as it has them first.

    Raises UsageError, which says where, if it cannot be understood.

    Examples:
        >>> parse_condition("WhiteElo >= 2400 AND Event IS NOT NULL AND whiteelo < 2600")[1]
        ('WhiteElo', 'Event')
    """
    if len(text) > _LONGEST:
        raise UsageError(f"where: the condition is longer than {_LONGEST:,} characters")
    parser = _Parser(text)
    condition = parser.either()
    if parser.kind != "end":
        parser.refuse("AND, OR or the end was expected")
    return condition, tuple(parser.names.values())


class _Parser:
    """Reads a condition word by word; `kind` and `value` are of the next word."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.names: dict[str, str] = {}
        self.start = self.end = self.depth = 0
        self.kind, self.value = "", ""
        self.step()

    def step(self) -> str:
        """Go on to the next word; the one before it."""
        before = self.value
        rest = self.text[self.end :]
        self.start = self.end + len(rest) - len(rest.lstrip())
        if not rest.strip():
            self.kind, self.value = "end", ""
            return before
        token = _TOKEN.match(self.text, self.end)
        if token is None:
            self.kind = ""
            stray = self.text[self.start]
            if stray in "'\"":
                self.refuse(f"the quotation mark {stray} is not closed")
            self.refuse(f"{stray!r} has no meaning here")
        self.kind = token.lastgroup or ""
        self.value = token[self.kind]
        self.end = token.end()
        if self.kind == "word" and self.value.upper() in _KEYWORDS:
            self.kind, self.value = "keyword", self.value.upper()
        return before

    def take(self, *words: str) -> bool:
        """Go on if the next word is one of these keywords or signs."""
        if self.kind in ("keyword", "sign") and self.value in words:
            self.step()
            return True
        return False

    def refuse(self, what: str) -> NoReturn:
        """Raise the error for what stands here."""
        before = self.text[: self.start].strip()
        place = f"after {before[-40:]!r}" if before else "at the beginning"
        here = f", not {self.value!r}" if self.kind not in ("", "end") else ""
        raise UsageError(
            f"where: {what}{here}, {place} (character {self.start + 1}); an example: "
            "\"Termination <> 'time forfeit' AND WhiteElo >= 2400\""
        )

    def expect(self, word: str, what: str) -> None:
        """Go on, as one of these words must be the next."""
        if not self.take(word):
            self.refuse(what)

    def either(self) -> Condition:
        parts = [self.both()]
        while self.take("OR"):
            parts.append(self.both())
        return _combined(np.logical_or, parts)

    def both(self) -> Condition:
        parts = [self.negated()]
        while self.take("AND"):
            parts.append(self.negated())
        return _combined(np.logical_and, parts)

    def negated(self) -> Condition:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise UsageError(f"where: more than {_DEEPEST} brackets or NOTs within each other")
        try:
            if self.take("NOT"):
                return _inverted(self.negated())
            if self.take("("):
                inside = self.either()
                self.expect(")", "a closing bracket was expected")
                return inside
            return self.comparison()
        finally:
            self.depth -= 1

    def comparison(self) -> Condition:
        left = self.operand()
        if self.kind == "sign" and self.value in _COMPARISONS:
            sign = _COMPARISONS[self.step()]
            return _compare(left, sign, self.operand())
        if self.take(*_UNEQUAL):
            return _inverted(_compare(left, "=", self.operand()))
        if not isinstance(left, _Name):
            self.refuse("a comparison such as = or < was expected")
        if self.take("IS"):
            unlike = self.take("NOT")
            self.expect("NULL", "NULL was expected")
            return _inverted(_missing(left)) if unlike else _missing(left)
        unlike = self.take("NOT")
        condition = self.range_or_list(left)
        if condition is not None:
            return _inverted(condition) if unlike else condition
        if unlike:
            self.refuse("LIKE, IN or BETWEEN was expected")
        return _compare(left, "=", True)

    def range_or_list(self, name: _Name) -> Condition | None:
        if self.kind == "keyword" and self.value in ("LIKE", "ILIKE"):
            word = self.step()
            if self.kind != "text":
                self.refuse("a pattern in quotation marks, such as '%forfeit%', was expected")
            return _like(name, _unquoted(self.step()), capitals=word == "LIKE")
        if self.take("BETWEEN"):
            low = _compare(name, ">=", self.literal())
            self.expect("AND", "AND was expected")
            return _combined(np.logical_and, [low, _compare(name, "<=", self.literal())])
        if self.take("IN"):
            self.expect("(", "an opening bracket was expected")
            values = [self.literal()]
            while self.take(","):
                values.append(self.literal())
            self.expect(")", "a comma or a closing bracket was expected")
            return _combined(np.logical_or, [_compare(name, "=", value) for value in values])
        return None

    def operand(self) -> _Operand:
        if self.kind not in ("word", "quoted"):
            return self.literal()
        name = self.step() if self.kind == "word" else _unquoted(self.step())
        if self.kind == "sign" and self.value == "(":
            self.refuse(f"there are no functions, so {name} cannot be called")
        self.names.setdefault(name.casefold(), name)
        return _Name(name)

    def literal(self) -> _Literal:
        if self.kind == "text":
            return _unquoted(self.step())
        if self.kind == "date":  # there is no arithmetic that it could be instead
            return self.step()
        if self.kind == "keyword" and self.value in ("TRUE", "FALSE"):
            return self.step() == "TRUE"
        sign = self.step() if self.kind == "sign" and self.value in "+-" else ""
        if self.kind == "number":
            return _exact_number(sign + self.step())
        if self.kind == "keyword" and self.value == "NULL":
            self.refuse("write IS NULL or IS NOT NULL")
        self.refuse("a name, a number or a 'text' was expected")


def _exact_number(text: str) -> float:
    """The number that a text writes, whole ones of a sensible length exactly."""
    whole = len(text) < 300 and text.lstrip("+-").isdigit()
    return int(text) if whole else float(text)


def _unquoted(text: str) -> str:
    mark = text[0]
    return text[1:-1].replace(2 * mark, mark)
