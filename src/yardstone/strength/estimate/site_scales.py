"""From the scales of a model, on which strength is estimated, to those that people know.

On a model's scale n dan is n to n + 1, 1 kyu 0 to 1, 2 kyu -1 to 0 (`fox_of_grade` in
`yardstone.winprob.scales` ties it to the number line of grades). The model that comes with
Yardstone has two, learnt from the players of Fox and of OGS. Other scales are reached from
one of them by a difference of ranks, which nobody has published as a measurement: `SITE_SCALES`
has the source of each figure and how uncertain it is, and that uncertainty widens every interval.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from math import sqrt
from statistics import NormalDist
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from yardstone.errors import UsageError
from yardstone.grades import nearest_grade
from yardstone.strength.rank.ranks import GROUP_EDGES
from yardstone.winprob.scales import convert, grade_of_fox

if TYPE_CHECKING:
    from yardstone.strength.estimate.calibrate import Calibration

#: Ends of an interval; None where there is none.
Ends: TypeAlias = tuple[float | None, float | None]

__all__ = [
    "FOX",
    "SITE_SCALES",
    "SiteScale",
    "fox_rank",
    "known_places",
    "scales_from",
    "site_scale",
]

_SMALL = 1e-9

FOX = "fox"
#: What is added to the ranks of Fox to have those of the EGF, and one standard deviation of the
#: error, in which people's spread about the shift, the shift's own error and the doubt whether
#: other collections have the same are put together (docs/studies/ogs-shift-tables.md).
EGF_SHIFT, EGF_DEVIATION = -4.5, 3.2
#: One standard deviation of the error of taking the ranks of the OGS games that the model has
#: learnt from, of 2020, for those of OGS today (docs/studies/ogs-ranks-tables.md), and for those
#: of the EGF.
OGS_DEVIATION, EGF_FROM_OGS = 1.7, 3.6


def fox_rank(value: float) -> str:
    """The rank at a place of a model's scale: ``3d`` for 3.7, ``2k`` for -0.4."""
    return nearest_grade(float(grade_of_fox(value)))


def known_places(basis: str) -> tuple[float, float]:
    """Between which places of a basis a model tells ranks apart."""
    edges = GROUP_EDGES[basis]
    return float(edges[1]), float(edges[-2])


@dataclass(frozen=True, slots=True)
class SiteScale:
    """A scale on which an estimate is shown.

    Attributes
    ----------
    name, title : str
        What the command and what people call it.
    rating : callable
        The rating at a place of its basis.
    number : callable or None
        The rank there, as a number that is n to n + 1 for n dan and 0 to 1 for 1 kyu;
        None if the scale has no ranks.
    deviation : float
        One standard deviation of the error of going there, in ranks of the basis.
    digits : int
        Digits after the point that its ratings are shown with.
    source : str
        Where the relation comes from, and what it is worth, in words.
    freedom : int or None
        Degrees of freedom of that error: it follows Student's t; None for a normal
        distribution.
    basis : str
        The scale of the model that it is reached from.
    known : (float, float)
        Between these places of the basis the model tells ranks apart: below, weaker players
        all look like its weakest group, and above, stronger ones like its strongest.
    """

    name: str
    title: str
    rating: Callable[[float], float] = field(repr=False)
    number: Callable[[float], float] | None = field(repr=False)
    deviation: float
    digits: int
    source: str
    freedom: int | None = None
    basis: str = FOX
    known: tuple[float, float] = known_places(FOX)

    def value(self, place: float) -> float:
        """The rating of a place of the basis."""
        return round(float(self.rating(place)), self.digits) + 0.0

    def rank(self, place: float) -> str | None:
        """The rank's name; where the model tells no ranks apart it says "or weaker"."""
        if self.number is None:
            return None
        weakest, strongest = self.known
        if place < weakest:
            return f"{fox_rank(self.number(weakest - _SMALL))} or weaker"
        if place >= strongest:
            name = fox_rank(self.number(strongest))
            return name if self.name == FOX else f"{name} or stronger"
        return fox_rank(self.number(place))

    def end_ranks(self, low: float | None, high: float | None) -> tuple[str | None, str | None]:
        """Ranks of the ends of an interval, `widened` on the basis; None without an end."""
        if self.number is None:
            return None, None
        return (
            None if low is None else fox_rank(self.number(low)),
            None if high is None else fox_rank(self.number(high) - _SMALL),
        )

    def widened(self, value: float, low: float | None, high: float | None, level: float) -> Ends:
        """Ends of an interval on the basis, with the error of going to this scale.

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


def _as_rating(scale: str, shift: float) -> Callable[[float], float]:
    """From a place of the basis to a rating on another scale, so many ranks away."""

    def rating(place: float) -> float:
        return float(convert(grade_of_fox(place + shift), "grade", scale, extrapolate=True))

    return rating


def _by(shift: float) -> Callable[[float], float]:
    return lambda place: place + shift


def _same(place: float) -> float:
    return place


_OGS = "ogs"
_EGF_FROM_FOX = (
    f"{-EGF_SHIFT:g} ranks lower than Fox, as OGS, whose ranks were adjusted to those of the EGF "
    f"in 2021, give or take {EGF_DEVIATION:g} ranks; 100 rating points a rank"
)
_FROM_OGS = (
    f"as OGS, whose ranks were adjusted to those of the EGF in 2021, give or take "
    f"{EGF_FROM_OGS:g} ranks; 100 rating points a rank"
)
_OGS_NOW = (
    "the ranks of people who played programs at OGS in June 2020, which hold for players of a "
    f"league at OGS in 2021 and 2022 too, give or take {OGS_DEVIATION:g} ranks; ratings by the "
    "formula of 2021, 23.15 ln(rating / 525)"
)
_OGS_2020 = (
    "the scale of the games of people against programs at OGS in June 2020 that the model was "
    "trained on; ratings by the formula of that time, ln(rating / 850) / 0.032"
)
_FROM_MODEL = "the scale of the games that the model was trained on"

#: All scales by name, as they are reached where the Fox scale tells a player's strength.
SITE_SCALES: Mapping[str, SiteScale] = MappingProxyType(
    {
        scale.name: scale
        for scale in (
            SiteScale(FOX, "Fox", _same, _same, 0.0, 2, _FROM_MODEL),
            SiteScale(
                _OGS, "OGS", _as_rating(_OGS, 0.0), _same, OGS_DEVIATION, 0, _OGS_NOW,
                basis=_OGS, known=known_places(_OGS),
            ),
            SiteScale(
                "ogs-2020", "OGS 2020", _as_rating("ogs-2020", 0.0), _same, 0.0, 0, _OGS_2020,
                basis=_OGS, known=known_places(_OGS),
            ),
            SiteScale(
                "egf", "EGF", _as_rating("egf", EGF_SHIFT), _by(EGF_SHIFT), EGF_DEVIATION, 0,
                _EGF_FROM_FOX,
            ),
        )
    }
)  # fmt: skip
#: The EGF's scale where Fox has nobody so weak.
_EGF_OF_OGS = SiteScale(
    "egf", "EGF", _as_rating("egf", 0.0), _same, EGF_FROM_OGS, 0, _FROM_OGS,
    basis=_OGS, known=known_places(_OGS),
)  # fmt: skip


def scales_from(basis: str, bases: Collection[str]) -> dict[str, SiteScale]:
    """The scales that can be shown of a player whose strength is told best on one basis.

    Parameters
    ----------
    basis : str
        ``fox`` or ``ogs``: where the EGF's is reached from.
    bases : collection of str
        What the model has.
    """
    scales = {**SITE_SCALES, **({"egf": _EGF_OF_OGS} if basis == _OGS else {})}
    return {name: scale for name, scale in scales.items() if scale.basis in bases}


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
