"""When a game was played, from the texts in which files say so."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["date_and_time", "parse_date"]

_DATE = re.compile(r"(\d{4})[-./](\d{1,2})[-./](\d{1,2})")
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?")


def parse_date(date: str, clock: str = "") -> np.datetime64:
    """The moment of a date as PGN writes it, and a time; NaT if it is not complete.

    Examples
    --------
    >>> parse_date("2022.05.24", "17:30:05")
    np.datetime64('2022-05-24T17:30:05')
    >>> parse_date("2022.??.??")
    np.datetime64('NaT','s')
    """
    match = _DATE.match(date.strip())
    if match is None:
        return np.datetime64("NaT", "s")
    year, month, day = (int(part) for part in match.groups())
    try:
        moment = np.datetime64(f"{year:04}-{month:02}-{day:02}", "s")
    except ValueError:
        return np.datetime64("NaT", "s")
    time = _CLOCK.match(clock.strip())
    if time is None:
        return moment
    hours, minutes, seconds = (int(part or 0) for part in time.groups())
    return moment + np.timedelta64(3600 * hours + 60 * minutes + seconds, "s")


def date_and_time(
    utc_date: NDArray[Any], date: NDArray[Any], utc_time: NDArray[Any], time: NDArray[Any]
) -> NDArray[np.datetime64]:
    """The moments of many games, from the UTC tags where there are any, else the local ones."""
    in_utc = utc_date != ""
    dates = np.where(in_utc, utc_date, date)
    clocks = np.where(in_utc, utc_time, time)
    moments: dict[tuple[str, str], np.datetime64] = {}
    result = np.empty(len(dates), "datetime64[s]")
    for game, key in enumerate(zip(dates.tolist(), clocks.tolist(), strict=True)):
        if key not in moments:
            moments[key] = parse_date(*key)
        result[game] = moments[key]
    return result
