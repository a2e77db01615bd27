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

`REFIT` has the weights fitted anew to matches that GNU Backgammon 1.07 played against itself
(``yardstone backgammon study``), close cube decisions counted as that program counts them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from yardstone.arrays import Floats
from yardstone.backgammon.error_rates import MOST_EQUITY
from yardstone.errors import UsageError
from yardstone.winprob import fibs

#: EPM and EPC of a player.
Rates = tuple[ArrayLike, ArrayLike]

#: Rating that GNU Backgammon gives to perfect play unless told otherwise: that of FIBS.
SITE_OFFSET = 2050.0
#: Ratings of GNU Backgammon itself on three sites (van den Doel, appendix I).
OFFSETS = {"fibs": 2050.0, "gamesite2000": 2200.0, "gamesgrid": 2000.0}
#: a(1) and a2(1) in the text of part II.
ONE_POINT = 37916.0
#: How the six numbers of a formula vary together: constant and inverse of the weights of EPM,
#: of EPC and of EPD, in this order.
Covariance = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class Weight:
    """Rating points that an error rate of one costs in matches to N points: constant + inverse/N.

    `one_point` is the weight at N = 1, where it is not that of the function.
    """

    constant: float
    inverse: float
    one_point: float | None = None

    def __call__(self, length: ArrayLike) -> Floats:
        """The weight in matches of `length` points."""
        points = fibs.checked_length(length)
        weight = self.constant + self.inverse / points
        if self.one_point is not None:
            weight = np.where(points == 1.0, self.one_point, weight)
        return np.asarray(weight, np.float64)


@dataclass(frozen=True, slots=True)
class Formula:
    """The weights of errors, and all that follows from them.

    All arrays broadcast; error rates are in normalised equity per decision and not
    negative, ratings in FIBS points.

    Examples:
        >>> float(PUBLISHED.rating(0.010, 0.020, 5).round(1))  # a2(5) = 13903.2, b(5) = 759.2
        1895.8
    """

    move: Weight  #: Of EPM: van den Doel's a2(N).
    cube: Weight  #: Of EPC: his b(N).
    decision: Weight  #: Of EPD: his a(N).
    name: str = "published"  #: Where the weights come from.
    #: Of the weights' numbers; None where they were published without errors.
    covariance: Covariance | None = None
    about: str = ""  #: What they were fitted to, where that must be said with each answer.

    def times(self, factor: float, name: str, error: float = 0.0) -> Formula:
        """All weights times a number that is known with this standard error."""
        weights = (self.move, self.cube, self.decision)
        numbers = np.array([number for w in weights for number in (w.constant, w.inverse)])
        covariance = np.outer(numbers, numbers) * error**2 if error else None
        if self.covariance is not None:
            own = np.array(self.covariance) * factor**2
            covariance = own if covariance is None else own + covariance
        move, cube, decision = (Weight(factor * w.constant, factor * w.inverse) for w in weights)
        return Formula(move, cube, decision, name, _rows(covariance))

    def loss_error(self, epm: ArrayLike, epc: ArrayLike, length: ArrayLike) -> Floats | None:
        """Standard error of a EPM + b EPC for the doubt about the weights alone, in points.

        EPM and EPC may be differences between two players, of either sign. The doubt about
        the error rates is not in it. None where the weights were published without errors.
        """
        return self._error(self._slopes(epm, epc, length))

    def mean_loss_error(self, epm: ArrayLike, epc: ArrayLike, length: ArrayLike) -> float | None:
        """Standard error of the mean of `loss` over matches, for the doubt about the weights."""
        if self.covariance is None:
            return None
        slope = self._slopes(epm, epc, length).reshape(-1, 6).mean(axis=0)
        return float(np.sqrt(max(slope @ np.array(self.covariance) @ slope, 0.0)))

    def decision_error(self, epd: ArrayLike, length: ArrayLike) -> Floats | None:
        """Standard error of a EPD, as `loss_error`; EPD may be a difference."""
        rate, points = np.broadcast_arrays(np.asarray(epd, np.float64), fibs.checked_length(length))
        return self._error(np.stack([*np.zeros((4, *rate.shape)), rate, rate / points], axis=-1))

    def _slopes(self, epm: ArrayLike, epc: ArrayLike, length: ArrayLike) -> Floats:
        """How `loss` grows with each of the six numbers, in the last axis."""
        move, cube, points = np.broadcast_arrays(
            np.asarray(epm, np.float64), np.asarray(epc, np.float64), fibs.checked_length(length)
        )
        # Where one point has a weight of its own, it is that of all decisions.
        apart = (points == 1.0) & (self.move.one_point is not None)
        rates = [np.where(apart, 0.0, move), cube, np.where(apart, move, 0.0)]
        return np.stack([each for rate in rates for each in (rate, rate / points)], axis=-1)

    def _error(self, slopes: Floats) -> Floats | None:
        if self.covariance is None:
            return None
        variance = np.einsum("...i,ij,...j->...", slopes, np.array(self.covariance), slopes)
        return np.asarray(np.sqrt(np.maximum(variance, 0.0)), np.float64)

    def as_record(self) -> dict[str, Any]:
        """The formula in plain words, as its file has it; `from_record` reads it back."""
        weights = {"move": self.move, "cube": self.cube, "decision": self.decision}
        return {
            "name": self.name,
            **{name: [w.constant, w.inverse] for name, w in weights.items()},
            "covariance": self.covariance,
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Formula:
        """A formula as `as_record` wrote it."""
        move, cube, decision = (
            Weight(*map(float, record[name])) for name in ("move", "cube", "decision")
        )
        return cls(move, cube, decision, str(record["name"]), _rows(record["covariance"]))

    def with_one_point(self) -> Formula:
        """The same, but at one point, where there is no cube, EPM weighs what EPD does."""
        one = float(self.decision(1))
        return replace(self, move=replace(self.move, one_point=one))

    def loss(self, epm: ArrayLike, epc: ArrayLike, length: ArrayLike) -> Floats:
        """Points below perfect play: a2(N) EPM + b(N) EPC."""
        cube, rate = self.cube(length), _rates(epc, "EPC")
        if ((cube < 0.0) & (rate > 0.0)).any():
            raise UsageError(
                "by this formula cube errors would gain points in matches so short: a match to "
                "one point has no cube, and in others leave EPC out or choose another formula"
            )
        return np.asarray(self.move(length) * _rates(epm, "EPM") + cube * rate, np.float64)

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
        self, rating: ArrayLike, epc: ArrayLike, length: ArrayLike, offset: ArrayLike = SITE_OFFSET
    ) -> Floats:
        """EPM of a player of this rating and EPC; negative where no EPM is small enough."""
        left = np.subtract(offset, rating) - self.cube(length) * _rates(epc, "EPC")
        return np.asarray(left / self.move(length), np.float64)

    def epc(
        self, rating: ArrayLike, epm: ArrayLike, length: ArrayLike, offset: ArrayLike = SITE_OFFSET
    ) -> Floats:
        """EPC of a player of this rating and EPM; negative where no EPC is small enough."""
        left = np.subtract(offset, rating) - self.move(length) * _rates(epm, "EPM")
        return np.asarray(left / self.cube(length), np.float64)

    def epd(self, rating: ArrayLike, length: ArrayLike, offset: ArrayLike = SITE_OFFSET) -> Floats:
        """EPD of a player of this rating."""
        return np.asarray(np.subtract(offset, rating) / self.decision(length), np.float64)

    def difference(self, first: Rates, second: Rates, length: ArrayLike) -> Floats:
        """Points that the first player is ahead; each player is a pair (EPM, EPC)."""
        return np.asarray(self.loss(*second, length) - self.loss(*first, length), np.float64)

    def probability(self, first: Rates, second: Rates, length: ArrayLike) -> Floats:
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


def _rows(matrix: ArrayLike | None) -> Covariance | None:
    rows = None if matrix is None else np.asarray(matrix, np.float64).tolist()
    return None if rows is None else tuple(map(tuple, rows))


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
#: error (``python -m lab.studies.backgammon_people``). No richer fit predicts better.
PEOPLE_SCALE, PEOPLE_ERROR = 0.845, 0.067
#: The published weights times that number.
PEOPLE = replace(
    PUBLISHED.times(PEOPLE_SCALE, "people's", PEOPLE_ERROR),
    about="fitted to matches between people, nearly all of one person",
)
#: Fitted to simulated matches (``python -m lab.studies.backgammon_simulated`` writes the file).
REFIT = replace(
    Formula.from_record(
        json.loads(files("yardstone.backgammon").joinpath("data", "refit.json").read_bytes())
    ).with_one_point(),
    about="fitted to programs with noise, whose cube errors are of other kinds than people's",
)
#: By the names of options.
FORMULAS = {
    "published": PUBLISHED,
    "text": PUBLISHED_TEXT,
    "people": PEOPLE,
    "refit": REFIT,
}
