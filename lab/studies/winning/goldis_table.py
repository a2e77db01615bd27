"""Table 1 of Goldis' system held against its own rules.

The ranks of the table follow a rule, 100 points a rank and professional steps of
125 in the antilog, but its figures are rounded by hand: no one rule of rounding
gives them all. `departures` names those that a rule gets wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import floor, log10
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from yardstone.choices import check_choice
from yardstone.winprob.goldis import TABLE, goldis_of_grade, rank_rating, split_rank

__all__ = [
    "RULES",
    "Departure",
    "antilog",
    "departures",
    "graded_rounding",
    "log_rating",
    "pro_rating",
    "rank_name",
    "rule_rating",
]


def antilog(rating: ArrayLike) -> NDArray[np.float64]:
    """Playing strength of a log rating in thousandths."""
    return 10.0 ** (np.asarray(rating, np.float64) / 1000.0)


def log_rating(strength: ArrayLike) -> NDArray[np.float64]:
    """Log rating, in thousandths, of a playing strength."""
    return 1000.0 * np.log10(np.asarray(strength, np.float64))


def pro_rating(dan: ArrayLike) -> NDArray[np.float64]:
    """Log rating of a professional rank: steps of 125, one point of komi, in the antilog."""
    return log_rating(1000.0 + 125.0 * (np.asarray(dan, np.float64) - 1.0))


def rule_rating(rank: str) -> float:
    """Log rating of a rank, in thousandths, by the rules behind table 1.

    Levels (``6aml``, about dan) and steps (``4step``, about kyu) lie 100 apart
    down to 19 step at 100, then 10 apart; professional ranks follow
    `pro_rating`, which the printed table rounds to 5, except 3p.
    """
    number, unit = split_rank(rank)
    if unit == "p":
        return float(pro_rating(number))
    if unit == "aml":
        return float(goldis_of_grade(number - 1))
    return float(goldis_of_grade(-number)) if number <= 19 else 290.0 - 10.0 * number


def rank_name(rating: float) -> str:
    """Nearest rank of table 1 to a log rating in thousandths, the inverse of `rank_rating`."""
    names = list(TABLE)
    return min(names, key=lambda name: abs(rank_rating(name) - rating))


@dataclass(frozen=True, slots=True)
class Departure:
    """A figure of the table that a rule does not give.

    Attributes:
        rank: Row of the table.
        column: ``"log rating"`` or ``"antilog"``.
        printed, exact, rounded: The table's figure, the exact one, and that one by the rule.
    """

    rank: str
    column: str
    printed: float
    exact: float
    rounded: float


def _nearest(value: float, unit: float) -> float:
    return round(floor(value / unit + 0.5) * unit, 10)


def _significant(value: float, digits: int) -> float:
    return _nearest(value, 10.0 ** (floor(log10(value)) - digits + 1))


def graded_rounding(value: float) -> float:
    """The unit grows with the figure: 5 from 15 on, then 1, 1/2, 1/10 and 1/100.

    The rule that fits most antilogs; made after the fact.
    """
    for limit, unit in ((14.0, 5.0), (3.5, 1.0), (1.9, 0.5), (1.4, 0.1)):
        if value >= limit:
            return _nearest(value, unit)
    return _nearest(value, 0.01)


#: Rules for the antilog column.
RULES: Mapping[str, Callable[[float], float]] = MappingProxyType(
    {
        "three significant digits": lambda value: _significant(value, 3),
        "two significant digits": lambda value: _significant(value, 2),
        "nearest 5": lambda value: _nearest(value, 5.0),
        "nearest whole number": lambda value: _nearest(value, 1.0),
        "graded": graded_rounding,
    }
)


def departures(rule: str = "graded") -> list[Departure]:
    """Figures that differ from the exact ones rounded: log ratings to 0.005, antilogs by `rule`.

    The antilog of a professional rank is the exact one of the rule, 1,000 and
    125 more for each; that of any other rank comes from its log rating.
    """
    check_choice("the rule", rule, RULES)
    departures = []
    for rank, (log_rating, points) in TABLE.items():
        exact = rule_rating(rank) / 1000.0
        rounded = _nearest(exact, 0.005)
        if abs(rounded - log_rating) > 1e-9:
            departures.append(Departure(rank, "log rating", log_rating, exact, rounded))
        strength = float(antilog(1000.0 * exact))
        by_rule = RULES[rule](strength)
        if abs(by_rule - points) > 1e-9:
            departures.append(Departure(rank, "antilog", points, strength, by_rule))
    return departures
