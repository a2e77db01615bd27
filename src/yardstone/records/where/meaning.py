"""What a condition on games means: for each game whether it holds.

A value is missing where a tag or a cell is missing or empty. A missing value is equal to
nothing, and neither less nor greater than anything: a comparison with it does not hold,
and NOT, ``<>``, NOT IN and NOT LIKE of it do.

How two values are compared is told by what the condition says:

- with a number, as numbers; what is no number is missing;
- with a text such as ``'2018.12.14'`` or ``'2018-12-14 15:00'``, as dates; one without a
  time of day means the whole day, one known in part its earliest day;
- with a quoted number by ``<``, ``<=``, ``>``, ``>=`` and BETWEEN, as numbers too;
- with any other text, letter by letter;
- with TRUE or FALSE, as a cell says yes (true, t, yes, y, 1) or no;
- two names with each other, as numbers where both are numbers, else as texts.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.records.where.syntax import (
    And,
    Compare,
    Condition,
    Like,
    Literal,
    Missing,
    Name,
    Not,
    exact_number,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Values", "holds", "values_of"]

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

    def of(self, name: Name) -> Values:
        return self.values[name.name.casefold()]


def holds(
    condition: Condition, values: Mapping[str, Values], size: int
) -> tuple[NDArray[np.bool_], list[str]]:
    """The rows of which a condition holds, and remarks on it.

    Parameters
    ----------
    condition : Condition
    values : mapping of str to Values
        By the name in small letters.
    size : int
        Number of rows.

    Returns
    -------
    bool array [size], list of str
        The remarks say where a text equals no value but for its capitals.
    """
    rows = _Rows(values, size)
    return _holds(condition, rows), rows.remarks


def _holds(condition: Condition, rows: _Rows) -> NDArray[np.bool_]:
    if isinstance(condition, Compare):
        return _compared(condition, rows)
    if isinstance(condition, Like):
        pattern = _pattern(condition)
        return rows.of(condition.name).where(lambda text: pattern.fullmatch(text) is not None)
    if isinstance(condition, Missing):
        return ~rows.of(condition.name).where(lambda _: True)
    if isinstance(condition, Not):
        return ~_holds(condition.part, rows)
    each = (_holds(part, rows) for part in condition.parts)
    combine = np.logical_and if isinstance(condition, And) else np.logical_or
    total = next(each)
    for part in each:
        total = combine(total, part)
    return total


def _pattern(like: Like) -> re.Pattern[str]:
    parts = {"%": ".*", "_": "."}
    letters = "".join(parts.get(letter) or re.escape(letter) for letter in like.pattern)
    return re.compile(letters, re.DOTALL | (0 if like.capitals else re.IGNORECASE))


def _compared(comparison: Compare, rows: _Rows) -> NDArray[np.bool_]:
    left, sign, right = comparison.left, comparison.sign, comparison.right
    if isinstance(left, Name) and isinstance(right, Name):
        return _two_names(rows.of(left), sign, rows.of(right))
    if isinstance(left, Literal) and isinstance(right, Literal):
        one = Values([_text(left.value)], np.zeros(rows.size, np.intp))
        return one.where(_test(sign, right.value))
    if isinstance(left, Literal):
        left, sign, right = right, _TURNED[sign], left
    assert isinstance(left, Name)
    assert isinstance(right, Literal)
    values = rows.of(left)
    passing = values.where(_test(sign, right.value))
    if not passing.any():
        _remark(left.name, right.value, values, rows.remarks)
    return passing


def _remark(name: str, literal: float | str | bool, values: Values, remarks: list[str]) -> None:
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


def _test(sign: str, literal: float | str | bool) -> Callable[[str], bool]:
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
    return exact_number(text)


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
