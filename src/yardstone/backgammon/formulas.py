"""Error rates to ratings and back, by van den Doel's formulas or others of their form.

Kees van den Doel, "Backgammon playing errors and rating in GNUBG": a player with
EPM (error per unforced chequer move) and EPC (error per close or actual cube
decision), both in normalised equity, is a2(N) EPM + b(N) EPC rating points weaker
than one without errors in matches to N points, with a2(N) = 8798 + 25526/N and
b(N) = 863 - 519/N (part II). By EPD (error per decision, chequers and cube together)
it is a(N) EPD with a(N) = 11971 + 23681/N (part I). The rating itself is that of
perfect play on a site, the *offset*, minus these.

For N = 1, where there is no cube, his text sets a2(1) = a(1) = 37916, though the two
formulas give 34324 and 35652. GNU Backgammon uses the formula at every length, as do
`PUBLISHED` and all that does not say otherwise; `PUBLISHED_TEXT` follows the text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from yardstone.backgammon.units import MOST_EQUITY
from yardstone.errors import UsageError
from yardstone.winprob import fibs

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

__all__ = [
    "FORMULAS",
    "OFFSETS",
    "ONE_POINT",
    "PEOPLE",
    "PEOPLE_SCALE",
    "PUBLISHED",
    "PUBLISHED_TEXT",
    "SITE_OFFSET",
    "Formula",
    "Weight",
]

#: Rating that GNU Backgammon gives to perfect play unless told otherwise: that of FIBS.
SITE_OFFSET = 2050.0
#: Ratings of GNU Backgammon itself on three sites (van den Doel, appendix I).
OFFSETS = {"fibs": 2050.0, "gamesite2000": 2200.0, "gamesgrid": 2000.0}
#: a(1) and a2(1) in the text of part II.
ONE_POINT = 37916.0


def _lengths(length: ArrayLike) -> Floats:
    points = np.asarray(length, np.float64)
    if not (np.isfinite(points) & (points >= 1.0)).all():
        raise UsageError("the length of a match is a number of points, 1 or more")
    return points


@dataclass(frozen=True, slots=True)
class Weight:
    """Rating points that an error rate of one costs, as a function of the length N.

    Attributes
    ----------
    constant, inverse : float
        The weight is constant + inverse/N.
    one_point : float, optional
        The weight at N = 1, where it is not that of the function.
    """

    constant: float
    inverse: float
    one_point: float | None = None

    def __call__(self, length: ArrayLike) -> Floats:
        """The weight in matches of `length` points."""
        points = _lengths(length)
        weight = self.constant + self.inverse / points
        if self.one_point is not None:
            weight = np.where(points == 1.0, self.one_point, weight)
        return np.asarray(weight, np.float64)


@dataclass(frozen=True, slots=True)
class Formula:
    """The weights of errors, and all that follows from them.

    All arrays broadcast; error rates are in normalised equity per decision and not
    negative, ratings in FIBS points.

    Attributes
    ----------
    move : Weight
        Of EPM: van den Doel's a2(N).
    cube : Weight
        Of EPC: his b(N).
    decision : Weight
        Of EPD: his a(N).
    name : str
        Where the weights come from.
    error : float
        Standard error of a common factor of the weights, in shares of it; 0 where unknown.

    Examples
    --------
    >>> float(PUBLISHED.rating(0.010, 0.020, 5).round(1))  # a2(5) = 13903.2, b(5) = 759.2
    1895.8
    """

    move: Weight
    cube: Weight
    decision: Weight
    name: str = "published"
    error: float = 0.0

    def times(self, factor: float, name: str, error: float = 0.0) -> Formula:
        """All weights times a number that is known with this standard error."""
        move, cube, decision = (
            Weight(factor * weight.constant, factor * weight.inverse)
            for weight in (self.move, self.cube, self.decision)
        )
        return Formula(move, cube, decision, name, error / factor)

    def interval(self, relative: float, level: float = 0.95) -> tuple[float, float] | None:
        """Where a rating less that of perfect play lies for all that is known of the weights.

        Holds the doubt about the formula alone, not that of the error rates put into it;
        None where it was published without errors.
        """
        if not self.error:
            return None
        from scipy.special import ndtri

        reach = float(ndtri(0.5 + 0.5 * level)) * self.error
        low, high = sorted((relative * (1.0 + reach), relative * (1.0 - reach)))
        return low, high

    def loss(self, epm: ArrayLike, epc: ArrayLike, length: ArrayLike) -> Floats:
        """Points below perfect play: a2(N) EPM + b(N) EPC."""
        loss = self.move(length) * _rates(epm, "EPM") + self.cube(length) * _rates(epc, "EPC")
        return np.asarray(loss, np.float64)

    def loss_of_decisions(self, epd: ArrayLike, length: ArrayLike) -> Floats:
        """Points below perfect play: a(N) EPD."""
        return np.asarray(self.decision(length) * _rates(epd, "EPD"), np.float64)

    def rating(
        self, epm: ArrayLike, epc: ArrayLike, length: ArrayLike, offset: ArrayLike = SITE_OFFSET
    ) -> Floats:
        """Rating from EPM and EPC; `offset` is the rating of perfect play on the site."""
        return np.asarray(np.subtract(offset, self.loss(epm, epc, length)), np.float64)

    def rating_of_decisions(
        self, epd: ArrayLike, length: ArrayLike, offset: ArrayLike = SITE_OFFSET
    ) -> Floats:
        """Rating from EPD."""
        return np.asarray(np.subtract(offset, self.loss_of_decisions(epd, length)), np.float64)

    def epm(
        self,
        rating: ArrayLike,
        epc: ArrayLike,
        length: ArrayLike,
        offset: ArrayLike = SITE_OFFSET,
    ) -> Floats:
        """EPM of a player of this rating and EPC; negative where no EPM is small enough."""
        left = np.subtract(offset, rating) - self.cube(length) * _rates(epc, "EPC")
        return np.asarray(left / self.move(length), np.float64)

    def epc(
        self,
        rating: ArrayLike,
        epm: ArrayLike,
        length: ArrayLike,
        offset: ArrayLike = SITE_OFFSET,
    ) -> Floats:
        """EPC of a player of this rating and EPM; negative where no EPC is small enough."""
        left = np.subtract(offset, rating) - self.move(length) * _rates(epm, "EPM")
        return np.asarray(left / self.cube(length), np.float64)

    def epd(self, rating: ArrayLike, length: ArrayLike, offset: ArrayLike = SITE_OFFSET) -> Floats:
        """EPD of a player of this rating."""
        return np.asarray(np.subtract(offset, rating) / self.decision(length), np.float64)

    def offset(
        self, rating: ArrayLike, epm: ArrayLike, epc: ArrayLike, length: ArrayLike
    ) -> Floats:
        """Rating of perfect play where a player of these errors has this rating."""
        return np.asarray(np.add(rating, self.loss(epm, epc, length)), np.float64)

    def difference(
        self,
        first: tuple[ArrayLike, ArrayLike],
        second: tuple[ArrayLike, ArrayLike],
        length: ArrayLike,
    ) -> Floats:
        """Points that the first player is ahead; each player is a pair (EPM, EPC)."""
        return np.asarray(self.loss(*second, length) - self.loss(*first, length), np.float64)

    def probability(
        self,
        first: tuple[ArrayLike, ArrayLike],
        second: tuple[ArrayLike, ArrayLike],
        length: ArrayLike,
    ) -> Floats:
        """Probability that the first player wins a match; each player is a pair (EPM, EPC)."""
        return fibs.probability(self.difference(first, second, length), 0.0, length)


def _rates(values: ArrayLike, name: str) -> Floats:
    rates = np.asarray(values, np.float64)
    if (rates < 0.0).any():
        raise UsageError(f"{name} is an error per decision, in equity: it is not negative")
    if (rates > MOST_EQUITY).any():
        raise UsageError(
            f"{name} is an error per decision, in equity, which no decision makes larger than "
            f"{MOST_EQUITY:g}: 8.5 thousandths are 0.0085"
        )
    return rates


#: Van den Doel's weights, as GNU Backgammon uses them.
PUBLISHED = Formula(
    Weight(8798.0, 25526.0), Weight(863.0, -519.0), Weight(11971.0, 23681.0), "published"
)
#: The same with the weight that his text gives to one-point matches.
PUBLISHED_TEXT = replace(
    PUBLISHED,
    move=replace(PUBLISHED.move, one_point=ONE_POINT),
    decision=replace(PUBLISHED.decision, one_point=ONE_POINT),
    name="published, with the text's weight at one point",
)
#: The number by which the published weights fit people's matches best, with its standard
#: error (``python studies/backgammon_people.py``). No richer fit predicts better.
PEOPLE_SCALE, PEOPLE_ERROR = 0.845, 0.067
#: The published weights times that number.
PEOPLE = PUBLISHED.times(PEOPLE_SCALE, "people's", PEOPLE_ERROR)
#: By the names of options.
FORMULAS = {"published": PUBLISHED, "text": PUBLISHED_TEXT, "people": PEOPLE}
