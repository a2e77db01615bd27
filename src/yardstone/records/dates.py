"""When a game was played, from the texts in which files say so.

A date may be known in part (``1995.??.??``, ``1995-03``): it then means every day of
that year or month, and such a game is placed on the earliest possible day.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from yardstone.choices import check_choice, plural
from yardstone.errors import InputError
from yardstone.pool import SkipReport

#: How day, month and year follow each other in a date such as 5/6/2024.
DateOrder = Literal["dmy", "mdy", "ymd"]
ORDERS = ("dmy", "mdy", "ymd")
#: Years outside are no years of games.
FIRST_YEAR, LAST_YEAR = 1000, 2100

_Span = tuple[np.datetime64, np.datetime64]

_NEVER = np.datetime64("NaT", "s")
_NONE: _Span = (_NEVER, _NEVER)
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?")
_AFTER_PART = re.compile(r"[-./?xX]*+(?:[T ,]++[\d:?.\sZ]*+)?")
_PART = r"(?P<{}>\d{{1,2}}|\?{{1,2}}|xx)"
_YEAR_FIRST = re.compile(
    rf"(?P<year>\d{{4}})(?:([-./]){_PART.format('month')}(?:\2{_PART.format('day')})?)?",
    re.IGNORECASE,
)
_YEAR_LAST = re.compile(r"(\d{1,2})([-./])(\d{1,2})\2(\d{4}|\d{2})\b")
_SHORT_YEAR_FIRST = re.compile(r"(\d{2})([-./])(\d{1,2})\2(\d{1,2})\b")
_COMPACT = re.compile(r"(?P<year>\d{4})(?P<month>(?!00)\d{2})(?P<day>(?!00)\d{2})")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAME = r"([A-Za-z]{3,9})"
_DAY_AND_NAME = re.compile(rf"(?:[A-Za-z]{{3,9}},\s*)?(\d{{1,2}})[-./ ]+{_NAME}[-./, ]+(\d{{4}})\b")
_NAME_AND_DAY = re.compile(rf"{_NAME}\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+(\d{{4}})\b")
_NUMBER = re.compile(r"\d{9,16}(?:\.\d+)?")
#: Seconds, milliseconds and microseconds since 1970, by the number of digits.
_UNITS = {9: 1, 10: 1, 12: 1000, 13: 1000, 15: 1_000_000, 16: 1_000_000}


def date_span(text: str, order: DateOrder | None = None) -> _Span:
    """The first and the last moment that a date can mean; NaT if it is none.

    Args:
        text: A date, perhaps with a time of day after it. Seconds, milliseconds or microseconds
            since 1970 are dates, too.
        order ({"dmy", "mdy", "ymd"}): What comes first in ``5/6/2024`` and in years of two digits.
            Without it such dates are read only where one order is possible, or points stand in them
            (``5.6.2024`` is written day first wherever it is written).

    Examples:
        >>> [str(moment) for moment in date_span("1995-02")]
        ['1995-02-01T00:00:00', '1995-02-28T23:59:59']
        >>> [str(date_span(text)[0]) for text in ("1995.??.??", "31/05/2024", "5/6/2024")]
        ['1995-01-01T00:00:00', '2024-05-31T00:00:00', 'NaT']
    """
    text = text.strip()
    if (number := _NUMBER.fullmatch(text)) is not None:
        return _since_1970(number[0])
    for pattern, read in _READERS:
        if (match := pattern.match(text)) is not None:
            span = read(match, order)
            if np.isnat(span[0]):
                return _NONE
            rest = text[match.end() :]
            if span[0] != span[1]:
                return span if _AFTER_PART.fullmatch(rest) else _NONE
            if not rest:
                return span
            if rest[0] not in "T, ":
                return _NONE
            seconds = _seconds(rest.lstrip("T, "))
            return span[0] + seconds, span[1] + seconds
    return _NONE


def _year_first(match: re.Match[str], order: DateOrder | None) -> _Span:
    parts = [
        int(part) if part is not None and part.isdigit() else 0
        for part in match.group("month", "day")
    ]
    return _days(int(match["year"]), *parts)


def _year_last(match: re.Match[str], order: DateOrder | None) -> _Span:
    one, other, year = int(match[1]), int(match[3]), int(match[4])
    if len(match[4]) == 2:
        if order is None or order == "ymd":
            return _short_year_first(match, order)
        year += 2000 if year < 70 else 1900
    if order is None:
        if match[2] == "." or one > 12:
            order = "dmy"
        elif other > 12:
            order = "mdy"
        else:
            return _days(year, one, other) if one == other else _NONE
    month, day = (one, other) if order == "mdy" else (other, one)
    return _days(year, month, day) if month and day else _NONE


def _short_year_first(match: re.Match[str], order: DateOrder | None) -> _Span:
    if order != "ymd":
        return _NONE
    year, month, day = (int(match[group]) for group in (1, 3, 4))
    return _days(year + (2000 if year < 70 else 1900), month, day)


def _with_name(match: re.Match[str], order: DateOrder | None) -> _Span:
    words = match.groups()
    name = next(word for word in words if word.isalpha())
    day, year = (int(word) for word in words if word.isdigit())
    month = name[:3].lower()
    return _days(year, 1 + _MONTHS.index(month), day) if month in _MONTHS and day else _NONE


_READERS = (
    (_COMPACT, _year_first),
    (_YEAR_FIRST, _year_first),
    (_YEAR_LAST, _year_last),
    (_SHORT_YEAR_FIRST, _short_year_first),
    (_DAY_AND_NAME, _with_name),
    (_NAME_AND_DAY, _with_name),
)


def _days(year: int, month: int, day: int) -> _Span:
    """All days of a year, of a month, or the one day; 0 is unknown, as is a day without month."""
    if not FIRST_YEAR <= year <= LAST_YEAR:
        return _NONE
    day = day if month else 0
    try:
        first = date(year, month or 1, day or 1)
    except ValueError:
        return _NONE
    end = month or 12
    last = first if day else date(year, end, monthrange(year, end)[1])
    rest_of_day = np.timedelta64(0 if day else 86_399, "s")
    return np.datetime64(first, "s"), np.datetime64(last, "s") + rest_of_day


def _seconds(clock: str) -> np.timedelta64:
    time = _CLOCK.match(clock)
    parts = (0, 0, 0) if time is None else tuple(int(part or 0) for part in time.groups())
    return np.timedelta64(3600 * parts[0] + 60 * parts[1] + parts[2], "s")


def _since_1970(number: str) -> _Span:
    whole = number.partition(".")[0]
    unit = _UNITS.get(len(whole))
    if unit is None:
        return _NONE
    moment = np.datetime64(int(whole) // unit, "s")
    try:
        year = datetime.fromtimestamp(int(whole) // unit, UTC).year
    except (OverflowError, ValueError, OSError):
        return _NONE
    return (moment, moment) if year <= LAST_YEAR else _NONE


@dataclass(frozen=True, eq=False)
class Times:
    """The moments of many games; frozen."""

    #: datetime64[s]; NaT where there is no date, or none that can be read
    time: NDArray[np.datetime64]
    partial: int = 0  #: games whose date is known in part
    #: some of the different texts that are no date, or could be several
    unread: tuple[str, ...] = ()
    missed: int = 0  #: games with such a text

    @classmethod
    def of_spans(cls, spans: NDArray[np.datetime64]) -> Times:
        """Games in the order of a file, each between two moments; shape (games, 2)."""
        first, last = spans[:, 0], spans[:, 1]
        return cls(_in_order_of_file(first, last), int((last > first).sum()))

    def report(self, skipped: SkipReport) -> None:
        """Say once what was done with dates that are not complete."""
        if self.partial:
            skipped.remark(
                f"{plural(self.partial, 'game')} with a date known in part "
                "(a year or a month): placed on the earliest possible day."
            )
        if self.missed:
            examples = ", ".join(repr(text[:40]) for text in self.unread)
            skipped.remark(
                f"{plural(self.missed, 'game')} with a date that cannot be read, such as "
                f"{examples}."
            )


#: Written where nothing is known.
_UNKNOWN = re.compile(r"[\s?.\-/0xX]*|none|null|nan|nat|unknown|n/?a", re.IGNORECASE)


def read_dates(texts: Sequence[str]) -> Times:
    """The moments of games from the texts of one column or tag, in the order of the file.

    Where all complete dates stand in order of time, a game with a date known in part
    keeps its place among them as far as its year or month allows.

    Raises:
        InputError: Some dates are written day first, others month first.
    """
    place: dict[str, int] = {}
    codes = np.fromiter((place.setdefault(text, len(place)) for text in texts), np.int32)
    return read_coded_dates(np.full(len(codes), _NEVER), codes, list(place))


def read_coded_dates(
    time: NDArray[np.datetime64],
    codes: NDArray[np.int32],
    texts: Sequence[str],
    order: DateOrder | None = None,
) -> Times:
    """The same where some moments are known already, and of the others equal texts stand once.

    `codes` has the number of each game's text in `texts`, -1 where its moment is known; `texts`
    are different, in order of first appearance.
    """
    if order is not None:
        check_choice("the order of dates", order, ORDERS)
    spans = [date_span(text, order) for text in texts]
    if order is None and (common := _order_of(texts)) is not None:
        spans = [date_span(text, common) for text in texts]
    coded = codes >= 0
    first, last = time.copy(), time.copy()
    first[coded], last[coded] = np.array(spans, "datetime64[s]").reshape(-1, 2)[codes[coded]].T
    unread = [
        number
        for number, (text, span) in enumerate(zip(texts, spans, strict=True))
        if np.isnat(span[0]) and _UNKNOWN.fullmatch(text) is None
    ]
    missed = int(np.isin(codes, unread).sum()) if unread else 0
    return Times(
        _in_order_of_file(first, last),
        int((last > first).sum()),
        tuple(texts[number] for number in unread[:3]),
        missed,
    )


def _order_of(texts: Iterable[str]) -> DateOrder | None:
    """The order of day and month that one of the dates of a column gives away."""
    orders: dict[DateOrder, str] = {}
    for text in texts:
        match = _YEAR_LAST.match(text.strip())
        if match is None:
            continue
        one, other = int(match[1]), int(match[3])
        if one > 12 >= other:
            orders.setdefault("dmy", text)
        elif other > 12 >= one:
            orders.setdefault("mdy", text)
    if len(orders) == 2:
        raise InputError(
            f"dates are written day first ({orders['dmy']!r}) and month first ({orders['mdy']!r})",
            hint="write them all alike, ideally as 2024-05-31",
        )
    return next(iter(orders), None)


def _in_order_of_file(
    first: NDArray[np.datetime64], last: NDArray[np.datetime64]
) -> NDArray[np.datetime64]:
    """Moments of games that can lie anywhere between two."""
    partial = last > first
    complete = ~partial & ~np.isnat(first)
    known = first[complete]
    if not partial.any() or not len(known) or bool((known[1:] < known[:-1]).any()):
        return first
    seconds = np.where(complete, first.view(np.int64), np.iinfo(np.int64).min + 1)
    before = np.maximum.accumulate(seconds).view("datetime64[s]")
    later = np.maximum(first, before)
    return np.where(partial & (later <= last), later, first)
