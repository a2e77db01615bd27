"""Goldis' logarithmic ratings (SKT-LR, 1994): exact handicaps and margins.

A log rating is given in thousandths: 2.673 is written 2673. Its antilog, ``10 ** 2.673``, is the
playing strength; the ratio of two strengths is the handicap in stones, whose fraction is given in
points of komi and in who wins ties (Pratesi, *The Go Ranking System of Bjorn Goldis*):

1. 2.673 - 2.235 = 0.438; 10 ** 0.438 = 2.742: 2 stones;
2. 0.742 of a komi of 8 = 5.933 points: 5 of them come off the komi, leaving 3;
3. the rest, 0.933, is more than a half: Black, the weaker, wins ties.

(The article multiplies the rounded 0.742 and prints 5.936.) The even game is predicted to end with
1.742 komi = 13.9 points for the stronger, which the article gives as 13. A stone counts as much as
the komi here, half of what it is mostly taken to be worth.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, floor, log10
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from yardstone.choices import check_number
from yardstone.errors import InputError, UsageError
from yardstone.grades import MOST_KOMI, MOST_STONES, split_grade

if TYPE_CHECKING:
    from yardstone.arrays import Floats

STONE = 10.0**0.1  #: Ratio of strengths between neighbouring stone ranks: the tenth root of ten.
KOMI = 8.0  #: Komi of Goldis' system: Ing's eight points.
#: Points by which the margin of a game scatters about what the strengths make likely.
MARGIN_DEVIATION = 20.0

#: Table 1 as printed: rank, log rating, antilog points.
TABLE: Mapping[str, tuple[float, float]] = MappingProxyType(
    {
        "9p": (3.300, 1999),
        "8p": (3.275, 1875),
        "7p": (3.245, 1750),
        "6p": (3.210, 1625),
        "5p": (3.175, 1500),
        "4p": (3.140, 1375),
        "3p": (3.100, 1250),
        "2p": (3.050, 1125),
        "1p": (3.000, 1000),
        **{
            f"{10 - n}aml": (round(2.9 - n / 10, 1), points)
            for n, points in enumerate([795, 630, 500, 400, 315, 250, 200, 160, 125, 100])
        },
        **{
            f"{n}step": (round(2.0 - n / 10, 1), points)
            for n, points in enumerate(
                [80, 65, 50, 40, 30, 25, 20, 15, 13, 10, 8, 6, 5, 4, 3, 2.5, 2, 1.6, 1.26], 1
            )
        },
        **{
            f"{n}step": (round(0.29 - n / 100, 2), points)
            for n, points in enumerate([1.23, 1.2, 1.17, 1.15, 1.12, 1.1, 1.07, 1.05], 20)
        },
    }
)


def goldis_of_grade(grade: ArrayLike) -> Floats:
    """Log rating, in thousandths, of a grade: 2000 at 1 dan (1 aml), 100 a grade."""
    return 2000.0 + 100.0 * np.asarray(grade, np.float64)


def grade_of_goldis(rating: ArrayLike) -> Floats:
    """The inverse of `goldis_of_grade`."""
    return (np.asarray(rating, np.float64) - 2000.0) / 100.0


_OWN_RANK = re.compile(r"\s*(\d+)\s*(aml|level|step)\s*", re.IGNORECASE)
_UNITS = {"level": "aml", "dan": "aml", "kyu": "step", "pro": "p"}
_HIGHEST = {"aml": 10, "step": 27, "p": 9}


def split_rank(rank: str) -> tuple[int, str]:
    """Number and unit (aml, step, p) of a rank of table 1; dan and kyu stand for aml and step."""
    own = _OWN_RANK.fullmatch(rank)
    parts = (float(own[1]), own[2].lower()) if own is not None else split_grade(rank)
    if parts is not None:
        number, unit = parts[0], _UNITS.get(parts[1], parts[1])
        if number.is_integer() and 1 <= number <= _HIGHEST[unit]:
            return int(number), unit
    raise InputError(
        f"{rank!r} is not a rank of Goldis' table",
        hint="levels 1aml to 10aml, steps 1step to 27step, 1p to 9p; 4d and 4k stand for "
        "4aml and 4step",
    )


def rank_rating(rank: str) -> float:
    """Log rating of a rank, in thousandths, as table 1 prints it: 3p is 3.100."""
    number, unit = split_rank(rank)
    return round(1000.0 * TABLE[f"{number}{unit}"][0], 6)


def uniform_rating(rating: ArrayLike) -> Floats:
    """Pratesi's modified scale: one stone and 100 points from rank to rank, all the way.

    Zero is at 20 kyu and nothing lies below it. Up to 1p (3000) it is Goldis' scale; above, 3p and
    9p are the next two stones, 3100 and 3200, and the others lie between them.
    """
    value = np.asarray(rating, np.float64)
    if np.any(value < 0.0):
        raise UsageError("Pratesi's scale begins with 0 at 20 kyu")
    goldis = [0.0, *map(rank_rating, ("1p", "3p", "9p"))]
    above = value > goldis[3]
    return np.where(
        above, 3200.0 + value - goldis[3], np.interp(value, goldis, [0.0, 3000.0, 3100.0, 3200.0])
    )


def uniform_rank_rating(rank: str) -> float:
    """Rating of a rank on Pratesi's modified scale."""
    number, unit = split_rank(rank)
    if unit == "step" and number > 19:
        if number == 20:
            return 0.0
        raise InputError("Pratesi's scale has nothing below 20 kyu")
    return float(uniform_rating(rank_rating(rank)))


def handicap_stones(difference: ArrayLike, *, base: float = STONE) -> Floats:
    """Handicap, in stones, for a difference of ratings (100 a rank, either sign); 1 is even.

    `base`: ratio of strengths between ranks: the tenth root of ten; Elo's root of ten makes every
    rank worth three.
    """
    if not base > 1.0:
        raise UsageError("the ratio between ranks must be above 1")
    return np.asarray(base ** (np.abs(np.asarray(difference, np.float64)) / 100.0))


def even_game_margin(difference: ArrayLike, *, komi: float = KOMI, base: float = STONE) -> Floats:
    """Points by which the first of two players is expected to win an even game.

    ``komi * (stones - 1)``, negative where the difference is.
    """
    gap = np.asarray(difference, np.float64)
    return np.sign(gap) * komi * (handicap_stones(gap, base=base) - 1.0)


def expected_margin(
    difference: ArrayLike,
    *,
    handicap: ArrayLike = 0.0,
    given_komi: ArrayLike = KOMI,
    komi: float = KOMI,
    base: float = STONE,
) -> Floats:
    """Points by which Black is expected to win, komi counted.

    `difference` is Black's rating less White's, `handicap` Black's stones (0 and 1 are one move),
    `given_komi` what Black gives: not looked at from one stone on, where it is 0. `komi` is the
    fair one, which is also what one stone is worth here, `base` the ratio of strengths between
    ranks.
    """
    stones = np.asarray(handicap, np.float64)
    given = np.where(stones >= 1.0, 0.0, np.asarray(given_komi, np.float64))
    help_points = komi * (np.maximum(stones, 1.0) - 1.0) + (komi - given)
    return even_game_margin(difference, komi=komi, base=base) + help_points


@dataclass(frozen=True, slots=True)
class GoldisHandicap:
    """The complete handicap of a game between two ratings."""

    stones: int  #: Stones of the weaker player, who is Black; 1 means Black only moves first.
    komi: int  #: Points Black gives at the end (negative: that White gives).
    tie: Literal["black", "white"]  #: Who wins when the points are equal then.
    half_point_komi: float  #: The same as one komi without ties: 2.5 for komi 3 with ties to Black.
    exact_stones: float  #: Ratio of the strengths.
    exact_points: float  #: Points the fraction of a stone is worth.
    sub_rank: int  #: 0 to 15 (at komi 8): which of the half-point divisions of a stone it is.
    even_game_margin: int  #: Points by which the stronger wins an even game, truncated.
    exact_margin: float  #: The same, not truncated.


def handicap(
    first: float,
    second: float,
    *,
    komi: float = KOMI,
    base: float = STONE,
    stones: int | None = None,
) -> GoldisHandicap:
    """Complete handicap for two log ratings in thousandths, in either order.

    `komi` is that of an even game between equals, to the half point; `base` as for
    `handicap_stones`. `stones` fixes the stones and leaves the rest to komi, which may become
    negative (a reverse komi).

    Examples:
        >>> h = handicap(2673, 2235)
        >>> h.stones, h.komi, h.tie, h.even_game_margin
        (2, 3, 'black', 13)

    Notes:
        The points that come off the komi are cut to whole ones; if what is left of
        them is half a point or more, Black wins ties, else White (the article says
        "more"; ratings of three digits never leave just a half). That makes two
        sub-ranks a point, 16 a stone at komi 8. Equal ratings give the full komi
        with ties to White. As the points are cut, not rounded, what Black gives is
        the exact komi or up to a point more, on average half a point.
    """
    check_number("komi", komi, above=0.0, most=MOST_KOMI)
    if not float(2 * komi).is_integer():
        raise UsageError("komi must be positive and a multiple of a half")
    if stones is not None:
        check_number("stones", stones, least=1, most=MOST_STONES, whole=True)
    difference = abs(float(first) - float(second))
    if not np.isfinite(difference):
        raise UsageError("ratings must be numbers")
    if base > 1.0 and difference * log10(base) > 600.0:
        raise UsageError("the ratings lie too far apart for a handicap")
    # So that 10 ** 1 is ten stones and not a hair less.
    exact = round(float(handicap_stones(difference, base=base)), 12)
    if exact >= MOST_STONES + 1:
        raise UsageError(
            f"the ratings lie too far apart for a handicap: it would be {exact:,.0f} stones, and "
            f"up to {MOST_STONES} have a meaning (are both on the same scale?)"
        )
    whole = floor(exact) if stones is None else stones
    points = round(komi * (exact - whole), 12)
    left = komi - points
    if abs(left) > MOST_KOMI:
        raise UsageError(
            f"a komi of {left:,.0f} points has no meaning: {MOST_KOMI:g} are the most (leave "
            "more to the stones)"
        )
    points_of_komi = ceil(left)
    black_wins = points_of_komi - left >= 0.5
    margin = round(komi * (exact - 1.0), 12)
    return GoldisHandicap(
        whole,
        points_of_komi,
        "black" if black_wins else "white",
        points_of_komi - 0.5 if black_wins else points_of_komi + 0.5,
        exact,
        points,
        floor(2.0 * points),
        floor(margin),
        margin,
    )
