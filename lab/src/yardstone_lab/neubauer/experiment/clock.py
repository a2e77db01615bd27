"""How much time players had for a move, as a record's words about the clock tell."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from yardstone.records.go_game import GoGame

__all__ = ["MOVES_A_PLAYER", "clock_of_game", "seconds_a_move"]

#: Moves of a player over which the main time is spread: half the mean length of the
#: counted games of Neubauer 2024 (section 4.3).
MOVES_A_PLAYER = 127

_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_NUMBER = r"(\d+(?:\.\d+)?)"
_TIME = rf"{_NUMBER}\s*([smhd]?)[a-z]*"
#: 5x30 byo-yomi, 3 x 1m Japanese, 5*30
_PERIODS = re.compile(rf"(\d+)\s*[x*×]\s*{_TIME}", re.IGNORECASE)
#: 30/3 5m: three periods of thirty seconds, and five minutes before them.
_ASIAN = re.compile(rf"{_NUMBER}\s*/\s*(\d+)\s+{_TIME}", re.IGNORECASE)
#: 25/600 Canadian, 15 stones in 300 s
_STONES = re.compile(rf"(\d+)\s*+(?:moves?|stones?|st)?\s*+(?:/|in|per)\s*+{_TIME}", re.IGNORECASE)
#: 30 sec byo-yomi, 10s fischer, +10
_SINGLE = re.compile(rf"\+?\s*{_TIME}", re.IGNORECASE)


def seconds_a_move(main: str = "", overtime: str = "", clock: str = "") -> float | None:
    """Seconds that a player can use for a move, on average over a whole game.

    The time of a period of byo-yomi, an increment or a share of Canadian overtime,
    plus the main time spread over `MOVES_A_PLAYER` moves.

    Parameters
    ----------
    main : str
        Main time in seconds, as SGF has it in TM; units (``10m``) are understood.
    overtime : str
        As SGF has it in OT: ``5x30 byo-yomi``, ``25/600 Canadian``, ``10 fischer``.
    clock : str
        Both in one, as Asian servers write it: ``30/3 5m`` are three periods of 30
        seconds and 5 minutes before them.

    Returns
    -------
    float or None
        None if the words are not understood, or there are none.

    Examples
    --------
    >>> round(seconds_a_move("600", "3x30 byo-yomi"), 2)
    34.72
    >>> seconds_a_move(clock="10/3 0m")
    10.0
    >>> seconds_a_move("254")
    2.0
    """
    if clock.strip():
        match = _ASIAN.fullmatch(clock.strip())
        if match is None:
            return None
        return float(match[1]) + _seconds(match[3], match[4]) / MOVES_A_PLAYER
    first = _main_time(main)
    later = _overtime(overtime)
    if later is None or (first is None and not overtime.strip()):
        return None
    return (first or 0.0) / MOVES_A_PLAYER + later


def clock_of_game(game: GoGame) -> float | None:
    """Seconds a move by a record's TM and OT, or None."""
    texts = (game.properties.get(name, ("",))[0] for name in ("TM", "OT"))
    return seconds_a_move(*texts)


def _seconds(number: str, unit: str) -> float:
    return float(number) * _UNITS[unit.lower()]


def _main_time(text: str) -> float | None:
    match = re.fullmatch(_TIME, text.strip(), re.IGNORECASE)
    return None if match is None else _seconds(match[1], match[2])


def _overtime(text: str) -> float | None:
    """Seconds a move in overtime; 0 without any, None if it is not understood."""
    text = text.strip()
    if not text or text.lower() in ("none", "no", "-", "absolute"):
        return 0.0
    if match := _PERIODS.match(text):
        return _seconds(match[2], match[3])
    if match := _STONES.match(text):
        return _seconds(match[2], match[3]) / max(int(match[1]), 1)
    if match := _SINGLE.match(text):
        return _seconds(match[1], match[2])
    return None
