"""From the Fox scale, on which strength is estimated, to other scales.

On the Fox scale n dan is n to n + 1, 1 kyu 0 to 1, 2 kyu -1 to 0 (`fox_of_grade` in
`yardstone.scales` ties it to the number line of grades). That is the scale of the games that
the model was trained on. Others are reached by a difference of ranks,
which nobody has published as a measurement: `OGS` has the source of each figure and how
uncertain it is, and that uncertainty widens every interval.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import sqrt
from statistics import NormalDist
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from yardstone.errors import UsageError
from yardstone.scales import convert, grade_of_fox
from yardstone.strength.rank.ranks import EDGES
from yardstone.winprob.grades import nearest_grade

if TYPE_CHECKING:
    from yardstone.strength.estimate.calibrate import Calibration

#: Ends of an interval; None where there is none.
Ends: TypeAlias = tuple[float | None, float | None]

__all__ = ["SITE_SCALES", "SiteScale", "fox_rank", "site_scale"]

#: Below the first group's upper edge the model tells no ranks apart, nor above the
#: last one's lower edge: weaker and stronger players look like those.
_WEAKEST, _STRONGEST = float(EDGES[1]), float(EDGES[-2])
_SMALL = 1e-9

FOX = "fox"
#: Ranks that are added to those of Fox, and one standard deviation of the error, in which
#: people's spread about the shift, the shift's own error and the doubt whether other
#: collections have the same are put together (docs/studies/ogs-shift-tables.md). What the EGF
#: adds is the error of taking its ranks for those of OGS.
OGS_SHIFT, OGS_DEVIATION = -4.5, 3.0
EGF_SHIFT, EGF_DEVIATION = OGS_SHIFT, 3.2


def fox_rank(value: float) -> str:
    """The rank at a place of the Fox scale: ``3d`` for 3.7, ``2k`` for -0.4."""
    return nearest_grade(float(grade_of_fox(value)))


@dataclass(frozen=True, slots=True)
class SiteScale:
    """A scale on which an estimate is shown.

    Attributes
    ----------
    name, title : str
        What the command and what people call it.
    rating : callable
        The rating at a place of the Fox scale.
    number : callable or None
        The rank there, as a number that is n to n + 1 for n dan and 0 to 1 for 1 kyu;
        None if the scale has no ranks.
    deviation : float
        One standard deviation of the error of going there, in ranks of Fox.
    digits : int
        Digits after the point that its ratings are shown with.
    source : str
        Where the relation comes from, and what it is worth, in words.
    freedom : int or None
        Degrees of freedom of that error: it follows Student's t; None for a normal
        distribution.
    """

    name: str
    title: str
    rating: Callable[[float], float] = field(repr=False)
    number: Callable[[float], float] | None = field(repr=False)
    deviation: float
    digits: int
    source: str
    freedom: int | None = None

    def value(self, fox: float) -> float:
        """The rating of a place of the Fox scale."""
        return round(float(self.rating(fox)), self.digits) + 0.0

    def rank(self, fox: float) -> str | None:
        """The rank's name; where the model tells no ranks apart it says "or weaker"."""
        if self.number is None:
            return None
        if fox < _WEAKEST:
            return f"{fox_rank(self.number(_WEAKEST - _SMALL))} or weaker"
        if fox >= _STRONGEST:
            strongest = fox_rank(self.number(_STRONGEST))
            return strongest if self.name == FOX else f"{strongest} or stronger"
        return fox_rank(self.number(fox))

    def end_ranks(self, low: float | None, high: float | None) -> tuple[str | None, str | None]:
        """Ranks of the ends of an interval, `widened` on the Fox scale; None without an end."""
        if self.number is None:
            return None, None
        return (
            None if low is None else fox_rank(self.number(low)),
            None if high is None else fox_rank(self.number(high) - _SMALL),
        )

    def widened(self, value: float, low: float | None, high: float | None, level: float) -> Ends:
        """Ends of an interval on the Fox scale, with the error of going to this scale.

        Parameters
        ----------
        value : float
        low, high : float or None
            An end that is not there stays away.
        level : float
            Of the interval, 0 to 1.
        """
        more = self._quantile(0.5 * (1.0 + level)) * self.deviation

        def reach(end: float) -> float:
            return sqrt((end - value) ** 2 + more * more)

        return (
            None if low is None else value - reach(low),
            None if high is None else value + reach(high),
        )

    def _quantile(self, level: float) -> float:
        if self.freedom is None:
            return NormalDist().inv_cdf(level)
        from scipy.special import stdtrit

        return float(stdtrit(self.freedom, level))


_OGS_SOURCE = (
    f"{-OGS_SHIFT:g} ranks lower, as measured on 14 players of an OGS league whose ranks are "
    f"known, give or take {OGS_DEVIATION:g} ranks; ratings by its formula, 23.15 ln(rating / 525)"
)
_EGF_SOURCE = (
    f"{-EGF_SHIFT:g} ranks lower, as OGS, whose ranks were adjusted to those of the EGF in 2021, "
    f"give or take {EGF_DEVIATION:g} ranks; 100 rating points a rank"
)


def _shifted(shift: float, scale: str) -> Callable[[float], float]:
    """From the Fox scale to a rating on another, so many ranks away."""

    def rating(fox: float) -> float:
        return float(convert(grade_of_fox(fox + shift), "grade", scale, extrapolate=True))

    return rating


def _by(shift: float) -> Callable[[float], float]:
    return lambda fox: fox + shift


#: All scales by name.
SITE_SCALES: Mapping[str, SiteScale] = MappingProxyType(
    {
        scale.name: scale
        for scale in (
            SiteScale(
                FOX,
                "Fox",
                lambda fox: fox,
                lambda fox: fox,
                0.0,
                2,
                "the scale of the games that the model was trained on",
            ),
            SiteScale(
                "ogs",
                "OGS",
                _shifted(OGS_SHIFT, "ogs"),
                _by(OGS_SHIFT),
                OGS_DEVIATION,
                0,
                _OGS_SOURCE,
            ),
            SiteScale(
                "egf",
                "EGF",
                _shifted(EGF_SHIFT, "egf"),
                _by(EGF_SHIFT),
                EGF_DEVIATION,
                0,
                _EGF_SOURCE,
            ),
        )
    }
)


def site_scale(scale: str | SiteScale | Calibration) -> SiteScale:
    """The scale of this name, or the one that a calibration makes.

    Raises
    ------
    UsageError
        There is none of this name.
    """
    if isinstance(scale, SiteScale):
        return scale
    if isinstance(scale, str):
        if scale not in SITE_SCALES:
            raise UsageError(f"no scale is called {scale!r}: there are {', '.join(SITE_SCALES)}")
        return SITE_SCALES[scale]
    return scale.site_scale()
