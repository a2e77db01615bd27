"""Ranks on the scales of an estimate: where each begins, and how a rating is written."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from yardstone.strength.estimate.site_scales import SITE_SCALES, fox_rank
from yardstone.winprob.scales import convert, grade_of_fox

__all__ = ["RANK_AXES", "RankAxis"]

#: Ranks that the axis knows: 30 kyu to 9 dan, as numbers in which 1 dan is 1 and 1 kyu 0.
_LOWEST, _HIGHEST = -29, 9


@dataclass(frozen=True, slots=True)
class RankAxis:
    """A scale of ratings with the ranks on it.

    Attributes
    ----------
    name : str
        As the reader knows it.
    borders : tuple of float
        Rating at which each rank begins, from 30 kyu to 9 dan.
    words : str
        How to read a rating, in one sentence.
    """

    name: str
    borders: tuple[float, ...]
    words: str

    def rank(self, value: float) -> str:
        """The rank whose stretch of the scale holds a rating."""
        place = bisect_right(self.borders, value) - 1
        return fox_rank(_LOWEST + min(max(place, 0), _HIGHEST - _LOWEST))

    def ends(self, low: float, high: float) -> tuple[float, float]:
        """Ends of an axis that shows these ratings and whole ranks around them."""
        first = max(bisect_right(self.borders, low) - 2, 0)
        last = min(bisect_right(self.borders, high) + 1, len(self.borders) - 1)
        reach = self.borders[last - 1], self.borders[last]
        end = reach[1] if last < len(self.borders) - 1 else 2 * reach[1] - reach[0]
        return min(self.borders[first], low), max(end, high)

    def ticks(self, low: float, high: float) -> list[tuple[float, str]]:
        """The ranks that begin between two ratings."""
        return [
            (border, fox_rank(_LOWEST + k))
            for k, border in enumerate(self.borders)
            if low <= border <= high
        ]


def _axes() -> Mapping[str, RankAxis]:
    numbers = [float(k) for k in range(_LOWEST, _HIGHEST + 1)]
    ogs, earlier, egf = (
        convert(grade_of_fox(numbers), "grade", scale, extrapolate=True)
        for scale in ("ogs", "ogs-2020", "egf")
    )
    return MappingProxyType(
        {
            "fox": RankAxis(
                SITE_SCALES["fox"].title,
                tuple(numbers),
                "On the Fox scale 3.0 is the weakest 3 dan and 3.9 almost a 4 dan; 1 kyu lies "
                "from 0 to 1, and the kyu ranks below it are negative.",
            ),
            "ogs": RankAxis(
                SITE_SCALES["ogs"].title,
                tuple(ogs.tolist()),
                "OGS ratings are points of Glicko-2; by the server’s own formula 1 dan begins at "
                "1918.",
            ),
            "ogs-2020": RankAxis(
                SITE_SCALES["ogs-2020"].title,
                tuple(earlier.tolist()),
                "OGS ratings are points of Glicko-2; by the server’s formula of 2020 1 dan begins "
                "at 2220.",
            ),
            "egf": RankAxis(
                SITE_SCALES["egf"].title,
                tuple(egf.tolist()),
                "EGF ratings are those of the European Go Federation: 2100 is 1 dan, and a rank "
                "is 100 points.",
            ),
        }
    )


#: The scales by name.
RANK_AXES = _axes()
