"""Conditions on games, such as ``Termination <> 'time forfeit'``: which games are wanted."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from typing import Any, NoReturn, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from yardstone.errors import UsageError
from yardstone.pool import Pool, SkipReport, without_players

#: Begins the names of columns that are made for a condition and not kept.
_MARK = "where "


class Where:
    """A condition on games, as the user writes it; `names` are the tags or columns it speaks of.

    Each name stands once, as the text has it first. Raises UsageError, which says where, if it
    cannot be understood.

    Examples:
        >>> Where("WhiteElo >= 2400 OR Event LIKE '%final%'").names
        ('WhiteElo', 'Event')
    """

    def __init__(self, text: str) -> None:
        if len(text) > _LONGEST:
            raise UsageError(f"where: the condition is longer than {_LONGEST:,} characters")
        parser = _Parser(text)
        self._condition = parser.either()
        if parser.kind != "end":
            parser.refuse("AND, OR or the end was expected")
        self.text = text
        self.names = tuple(parser.names.values())

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


_SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "==": operator.eq,
    "<>": operator.ne,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_DATE = re.compile(
    r"(\d{4})([-./])(\d{1,2}|\?\?)\2(\d{1,2}|\?\?)(?:[ T](\d{1,2}:\d\d(?::\d\d)?)(?:\.\d+)?)?"
)
_MIDNIGHT = "T00:00:00"
_TRUTHS = {
    **dict.fromkeys(("true", "t", "yes", "y", "1"), True),
    **dict.fromkeys(("false", "f", "no", "n", "0"), False),
}


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

    def of(self, operand: _Operand) -> Values:
        """What the rows have for a name, or a literal, which is the same in all of them."""
        if isinstance(operand, _Name):
            return self.values[operand.name.casefold()]
        return Values([_text(operand)], np.zeros(self.size, np.intp))


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


def _like(name: _Name, pattern: str, *, capitals: bool) -> Condition:
    """``name LIKE pattern``; `%` stands for any characters and `_` for one."""
    parts = {"%": ".*", "_": "."}
    letters = "".join(parts.get(letter) or re.escape(letter) for letter in pattern)
    whole = re.compile(letters, re.DOTALL | (0 if capitals else re.IGNORECASE))
    return lambda rows: rows.of(name).where(lambda text: whole.fullmatch(text) is not None)


def _compare(left: _Operand, sign: str, right: _Operand) -> Condition:
    """``left sign right``; what is not equal includes missing values."""
    if sign in ("<>", "!="):
        return _inverted(_compare(left, "=", right))
    if isinstance(right, _Name) and not isinstance(left, _Name):
        left, sign, right = right, _TURNED.get(sign, sign), left
    return partial(_compared, left, sign, right)


def _compared(left: _Operand, sign: str, right: _Operand, rows: _Rows) -> NDArray[np.bool_]:
    values = rows.of(left)
    if isinstance(right, _Name):
        return _two_names(values, sign, rows.of(right))
    passing = values.where(_test(sign, right))
    if isinstance(left, _Name) and not passing.any():
        _remark(left.name, right, values, rows.remarks)
    return passing


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
    """Whether a text stands in this relation to a literal, read as it is, dates as far as it."""
    read: Callable[[str], Any] = str
    if isinstance(literal, bool):
        read = lambda text: _TRUTHS.get(text.lower())  # noqa: E731
    elif not isinstance(literal, str):
        read = _number
    elif (date := _moment(literal)) is not None:
        literal, read = date, partial(_moment, size=len(date))
    elif sign not in ("=", "==") and (number := _number(literal)) is not None:
        literal, read = number, _number
    compare = _SIGNS[sign]
    return lambda text: (value := read(text)) is not None and compare(value, literal)


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
    """The number that a text is, whole ones of a sensible length exactly."""
    text = text.strip()
    if _NUMBER.fullmatch(text) is None:
        return None
    whole = len(text) < 300 and text.lstrip("+-").isdigit()
    return int(text) if whole else float(text)


def _moment(text: str, size: int = 0) -> str | None:
    """A date as ``2018-12-14``, with ``T15:00:00`` behind it where a time of day is known.

    With a `size` it has as many characters, those of midnight where no time of day is known.
    """
    match = _DATE.fullmatch(text.strip())
    if match is None:
        return None
    year, _, month, day, clock = match.groups()
    month, day = month.replace("??", "1"), day.replace("??", "1")
    if not (1 <= int(month) <= 12 and 1 <= int(day) <= 31):
        return None
    date = f"{year}-{int(month):02}-{int(day):02}"
    if clock is not None:
        hour, minute, second = [*map(int, clock.split(":")), 0][:3]
        date += f"T{hour:02}:{minute:02}:{second:02}"
    return (date if clock is not None else date + _MIDNIGHT)[:size] if size else date


def values_of(column: NDArray[Any]) -> Values:
    """The values of a column of any kind; what is masked, empty or NaN is missing."""
    missing = np.broadcast_to(getattr(column, "mask", False), len(column))
    plain = np.asarray(column)
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
_KEYWORDS = set("AND OR NOT IN LIKE ILIKE BETWEEN IS NULL TRUE FALSE".split())


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
        rest = self.text[self.end :].lstrip()
        self.start = len(self.text) - len(rest)
        token = _TOKEN.match(self.text, self.end)
        self.kind, self.value = "" if rest else "end", ""
        if token is not None:
            self.kind = token.lastgroup or ""
            self.value = token[self.kind]
            self.end = token.end()
        elif rest:
            stray = rest[0]
            self.refuse(
                f"the quotation mark {stray} is not closed"
                if stray in "'\""
                else f"{stray!r} has no meaning here"
            )
        if self.kind == "word" and self.value.upper() in _KEYWORDS:
            self.kind, self.value = "sign", self.value.upper()
        return before

    def take(self, *words: str) -> str:
        """Go on if the next word is one of these keywords or signs: which it is, else empty."""
        return self.step() if self.kind == "sign" and self.value in words else ""

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
        """Go on, as this word must be the next."""
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
        if self.take("NOT"):
            condition = _inverted(self.negated())
        elif self.take("("):
            condition = self.either()
            self.expect(")", "a closing bracket was expected")
        else:
            condition = self.comparison()
        self.depth -= 1
        return condition

    def comparison(self) -> Condition:
        left = self.operand()
        if sign := self.take(*_SIGNS):
            return _compare(left, sign, self.operand())
        if not isinstance(left, _Name):
            self.refuse("a comparison such as = or < was expected")
        null = self.take("IS")
        unlike = self.take("NOT")
        if null:
            self.expect("NULL", "NULL was expected")
            condition = lambda rows: ~rows.of(left).where(lambda _: True)  # noqa: E731
        elif word := self.take("LIKE", "ILIKE"):
            if self.kind != "text":
                self.refuse("a pattern in quotation marks, such as '%forfeit%', was expected")
            condition = _like(left, _unquoted(self.step()), capitals=word == "LIKE")
        elif self.take("BETWEEN"):
            low = _compare(left, ">=", self.literal())
            self.expect("AND", "AND was expected")
            condition = _combined(np.logical_and, [low, _compare(left, "<=", self.literal())])
        elif self.take("IN"):
            self.expect("(", "an opening bracket was expected")
            values = [self.literal()]
            while self.take(","):
                values.append(self.literal())
            self.expect(")", "a comma or a closing bracket was expected")
            equal = [_compare(left, "=", value) for value in values]
            condition = _combined(np.logical_or, equal)
        elif unlike:
            self.refuse("LIKE, IN or BETWEEN was expected")
        else:
            condition = _compare(left, "=", True)
        return _inverted(condition) if unlike else condition

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
        if truth := self.take("TRUE", "FALSE"):
            return truth == "TRUE"
        sign = self.take("+", "-")
        if self.kind == "number":
            return cast("float", _number(sign + self.step()))
        if self.kind == "sign" and self.value == "NULL":
            self.refuse("write IS NULL or IS NOT NULL")
        self.refuse("a name, a number or a 'text' was expected")


def _unquoted(text: str) -> str:
    mark = text[0]
    return text[1:-1].replace(2 * mark, mark)
