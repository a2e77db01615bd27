"""Who is stronger than whom, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.choices import check_number, checked_arguments

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.ratings.result import Ratings

__all__ = ["RankRanges", "half_width", "indistinguishable_groups", "rank_ranges", "superiority"]


def half_width(confidence: float) -> float:
    """Standard deviations on either side of a two-sided normal interval.

    `confidence` lies between 0 and 1: 1.96 at 0.95. Raises UsageError outside.
    """
    check_number("a confidence level", confidence, above=0.0, below=1.0)
    from statistics import NormalDist

    return NormalDist().inv_cdf(0.5 + 0.5 * confidence)


def _surplus(ratings: Ratings) -> NDArray[np.float64]:
    """Difference of each two ratings in its own deviations; NaN without a common scale."""
    difference = ratings.rating[:, None] - ratings.rating[None, :]
    deviation = ratings.deviation_of_difference()
    with np.errstate(divide="ignore", invalid="ignore"):
        surplus: NDArray[np.float64] = difference / deviation
    surplus[(deviation == 0.0) & (difference == 0.0)] = 0.0
    if (component := getattr(ratings, "component", None)) is not None:
        surplus[component[:, None] != component[None, :]] = np.nan
    return surplus


@checked_arguments()
def superiority(ratings: Ratings) -> NDArray[np.float64]:
    """Probability that the player of the row is stronger than that of the column.

    From the difference of ratings and its deviation, taken as normal (Ordo's
    "confidence for superiority"); NaN where there is no common scale.

    Returns
    -------
    float64 array (players, players)
    """
    from scipy.special import ndtr

    result: NDArray[np.float64] = ndtr(_surplus(ratings))
    np.fill_diagonal(result, 0.5)
    return result


@dataclass(frozen=True)
class RankRanges:
    """Places each player may really hold: 1 is best; 0 for players without a range."""

    low: NDArray[np.int64]
    high: NDArray[np.int64]


def rank_ranges(ratings: Ratings, confidence: float = 0.95) -> RankRanges:
    """Ranks that cannot be excluded for each player, within the own component.

    A player ranks below those who are stronger with the given two-sided
    `confidence` and above those who are weaker with it.
    """
    with np.errstate(invalid="ignore"):
        beats = _surplus(ratings) >= half_width(confidence)
    known = np.isfinite(ratings.deviation)
    beats &= known[:, None] & known[None, :]
    same = known[:, None] & known[None, :]
    if (component := getattr(ratings, "component", None)) is not None:
        same &= component[:, None] == component[None, :]
    low = 1 + beats.sum(axis=0)
    high = same.sum(axis=1) - beats.sum(axis=1)
    return RankRanges(np.where(known, low, 0), np.where(known, high, 0))


def indistinguishable_groups(ratings: Ratings, confidence: float = 0.95) -> list[tuple[int, ...]]:
    """Largest runs of players, in order of rating, of whom no two differ for sure.

    Each run lists players' numbers from strongest to weakest; runs may overlap,
    runs of one player are left out. Players of different components never share
    a run.
    """
    sure = half_width(confidence)
    above = _surplus(ratings)
    component = getattr(ratings, "component", np.zeros(len(ratings), np.int32))
    groups: list[tuple[int, ...]] = []
    order = ratings.order()
    for label in np.unique(component[component >= 0]):
        run = [
            int(row)
            for row in order
            if component[row] == label and np.isfinite(ratings.deviation[row])
        ]
        reach = 0
        for start in range(len(run)):
            end = max(start + 1, reach)
            while end < len(run) and all(above[run[k], run[end]] < sure for k in range(start, end)):
                end += 1
            if end > reach and end - start > 1:
                groups.append(tuple(run[start:end]))
            reach = max(reach, end)
    return groups
