"""FIDE's tables of rating difference and expected score, and the performances from them.

FIDE Rating Regulations (Handbook B.02), tables 8.1a and 8.1b.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from math import floor

__all__ = ["average_rating", "table_score", "perfect_performance", "performance"]

#: Rating differences from which the stronger player is expected to score 51 %, 52 %, ...
_STEPS = (
    4, 11, 18, 26, 33, 40, 47, 54, 62, 69, 77, 84, 92, 99, 107, 114, 122, 130, 138, 146, 154,
    163, 171, 180, 189, 198, 207, 216, 226, 236, 246, 257, 268, 279, 291, 303, 316, 329, 345,
    358, 375, 392, 412, 433, 457, 485, 518, 560, 620, 736,
)  # fmt: skip
#: Rating differences of scores of 50 %, 51 %, ... 100 %.
_DIFFERENCES = (
    0, 7, 14, 21, 29, 36, 43, 50, 57, 65, 72, 80, 87, 95, 102, 110, 117, 125, 133, 141, 149,
    158, 166, 175, 184, 193, 202, 211, 220, 230, 240, 251, 262, 273, 284, 296, 309, 322, 336,
    351, 366, 383, 401, 422, 444, 470, 501, 538, 589, 677, 800,
)  # fmt: skip


def table_score(rating: float, opponent: float) -> float:
    """Expected score in hundredths, table 8.1b.

    Examples
    --------
    >>> table_score(2400, 2300), table_score(2300, 2400), table_score(2800, 1000)
    (0.64, 0.36, 1.0)
    """
    difference = round(abs(rating - opponent))
    stronger = 50 + bisect_right(_STEPS, difference)
    return (stronger if rating >= opponent else 100 - stronger) / 100


def average_rating(ratings: Sequence[float]) -> float:
    """Average of the opponents' ratings, rounded to the nearest whole number, 0.5 up."""
    return floor(sum(ratings) / len(ratings) + 0.5)


def performance(score: float, ratings: Sequence[float]) -> float:
    """Performance rating: the opponents' average and the difference of table 8.1a.

    Examples
    --------
    >>> performance(3, [2400, 2410, 2420, 2430])
    2608
    """
    share = floor(100 * score / len(ratings) + 0.5)
    share = min(max(share, 0), 100)
    difference = _DIFFERENCES[share - 50] if share >= 50 else -_DIFFERENCES[50 - share]
    return average_rating(ratings) + difference


def perfect_performance(score: float, ratings: Sequence[float]) -> float:
    """The lowest rating whose expected score against these opponents is no less than `score`.

    800 below the weakest opponent for no point, 800 above the strongest for all.
    """
    if score <= 0:
        return min(ratings) - 800
    low, high = floor(min(ratings)) - 801, floor(max(ratings)) + 800
    while high - low > 1:
        middle = (low + high) // 2
        total = sum(round(100 * table_score(middle, other)) for other in ratings)
        if total >= round(100 * score):
            high = middle
        else:
            low = middle
    return high
