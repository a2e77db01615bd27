"""The classes of tournaments by which the European Go Federation weights their games.

EGF, *General Tournament Rules*: by the basic time and the adjusted time, which adds the
overtime of 45 moves with standard byo-yomi, 60 moves with Canadian byo-yomi and 120
moves with Fischer increments.
"""

from __future__ import annotations

from yardstone.tournament.rules import TimeControl, TimeSystem

__all__ = ["adjusted_time", "egf_class"]

_BYO_YOMI_MOVES, _CANADIAN_MOVES, _FISCHER_MOVES = 45, 60, 120
#: Class, least basic time without and with increments, least adjusted time; in minutes.
_CLASSES = (("A", 60, 45, 75), ("B", 40, 30, 50), ("C", 25, 20, 30))


def adjusted_time(time: TimeControl) -> int:
    """Basic time and overtime of a game, in seconds.

    Examples
    --------
    >>> adjusted_time(TimeControl(system=TimeSystem.byo_yomi, basic=3600, period=30)) / 60
    82.5
    """
    if time.system is TimeSystem.byo_yomi:
        return time.basic + _BYO_YOMI_MOVES * time.period
    if time.system is TimeSystem.canadian:
        return time.basic + _CANADIAN_MOVES * time.period // max(time.moves, 1)
    if time.system is TimeSystem.fischer:
        return time.basic + _FISCHER_MOVES * time.increment
    return time.basic


def egf_class(time: TimeControl) -> str:
    """Class A, B or C of a tournament, D on the Internet; "" if the time is too short for any.

    Examples
    --------
    >>> egf_class(TimeControl(system=TimeSystem.byo_yomi, basic=3600, period=30))
    'A'
    """
    minutes, adjusted = time.basic / 60, adjusted_time(time) / 60
    fischer = time.system is TimeSystem.fischer
    for name, plain, with_increments, whole in _CLASSES:
        if minutes >= (with_increments if fischer else plain) and adjusted >= whole:
            if not time.internet:
                return name
            return "" if name == "C" else "D"
    return ""
