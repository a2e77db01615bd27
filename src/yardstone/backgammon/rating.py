"""One question about one player: rating from errors, errors from a rating, points from a result."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import copysign, hypot, inf, isfinite, nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from yardstone.backgammon.error_rates import MOVES_PER_DECISION, Unit, epd_from, epd_to, in_equity
from yardstone.backgammon.formulas import Formula
from yardstone.clusters import half_width, t_quantile
from yardstone.errors import UsageError
from yardstone.winprob import fibs
from yardstone.winprob.laws import bisect

#: Level of the intervals of ratings.
LEVEL = 0.95
_UNITS = ("epd", "memg", "pr", "snowie")
#: Of an interval.
Ends = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class RatingQuestion:
    """What is known; None for what is not."""

    length: int  #: Points to win.
    #: `epm`, `epc`, `epd`, `memg`, `pr`, `snowie`: error rates; see
    #: `yardstone.backgammon.error_rates`.
    epm: float | None = None
    epc: float | None = None
    epd: float | None = None
    memg: float | None = None
    pr: float | None = None
    snowie: float | None = None
    depd: float | None = None  #: The opponent's EPD less the player's.
    from_rating: float | None = None  #: The rating whose error rates are asked for.
    win: float | None = None  #: Probability of a win, such as a mean of luck-adjusted results.
    against: float | None = None  #: Rating of an opponent.
    moves_per_decision: float = MOVES_PER_DECISION  #: For Snowie's rate.
    #: What EPM, EPC, EPD and `depd` are counted in; see `yardstone.backgammon.error_rates`.
    unit: Unit | None = None

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if name != "unit" and value is not None and not isfinite(value):
                raise UsageError(f"{name.replace('_', ' ')} must be a finite number")
        if self.moves_per_decision <= 0.0:
            raise UsageError("moves per decision must be a positive number")
        decisions = [name for name in _UNITS if getattr(self, name) is not None]
        ways = {
            "--epm and --epc": (self.epm is not None or self.epc is not None)
            and self.from_rating is None,
            "a rate of all decisions (--epd, --memg, --pr, --snowie)": bool(decisions),
            "--depd": self.depd is not None,
            "--from-rating": self.from_rating is not None,
            "--win": self.win is not None,
        }
        chosen = [way for way, used in ways.items() if used]
        if len(chosen) != 1 or len(decisions) > 1:
            raise UsageError(f"give one of: {', '.join(ways)}")
        if self.epm is None and self.epc is not None and self.from_rating is None:
            raise UsageError("--epc needs --epm")
        if self.from_rating is not None and self.epm is not None and self.epc is not None:
            raise UsageError("--from-rating takes --epm or --epc, not both")


@dataclass(frozen=True, kw_only=True)
class RatingAnswer:
    """What follows; None for what does not."""

    length: int
    offset: float  #: Rating of perfect play.
    #: `formula`, `about`: its name, and what it was fitted to where that must be said.
    formula: str
    about: str | None = None
    #: `chequer_loss`, `cube_loss`: points that errors of each kind cost.
    chequer_loss: float | None = None
    cube_loss: float | None = None
    #: `difference`, `depd`: points between the players, and the opponent's EPD less the player's.
    difference: float | None = None
    depd: float | None = None
    rating: float | None = None  #: `rating`, `relative`: the rating, and the same less the offset.
    #: `epm`, `epc`, `epd`, `memg`, `pr`, `snowie`: error rates; EPM, EPC and EPD in equity.
    epm: float | None = None
    epc: float | None = None
    epd: float | None = None
    memg: float | None = None
    pr: float | None = None
    snowie: float | None = None
    relative: float | None = None
    #: Of winning such a match, against the rating `against` if there is one.
    probability: float | None = None
    against: float | None = None
    #: `interval`, `difference_interval`, `probability_interval`: of the rating, of the points
    #: between the players and of the probability, at `LEVEL`, for the doubt about the formula
    #: alone; None where the formula was published without errors, or none is used.
    interval: Ends | None = None
    difference_interval: Ends | None = None
    probability_interval: Ends | None = None


def rating_answer(question: RatingQuestion, formula: Formula, offset: float) -> RatingAnswer:
    """Rating from error rates, error rates of a rating, or points from a result.

    EPM, EPC and EPD are in equity, whatever unit they came in.

    Raises:
        UsageError: A number is out of range, or fits no unit.
    """
    rates = {name: getattr(question, name) for name in ("epm", "epc", "depd", *_UNITS)}
    equity: dict[str, Any] = {**in_equity(rates, question.unit), "unit": Unit.equity}
    question = replace(question, **equity)
    points = question.win is not None or question.depd is not None
    values = _points(question, formula) if points else _rating(question, formula, offset)
    return RatingAnswer(
        length=question.length,
        offset=offset,
        formula=formula.name,
        about=formula.about if question.win is None and formula.about else None,
        **values,
    )


def _interval(value: float, error: NDArray[np.float64] | None) -> Ends | None:
    """The normal interval of a value with this standard error; None without."""
    if error is None:
        return None
    reach = half_width(LEVEL) * float(error)
    return value - reach, value + reach


def _chances(ratings: Ends, against: float, length: int) -> Ends:
    low, high = (float(fibs.probability(rating, against, length)) for rating in ratings)
    return low, high


def _points(question: RatingQuestion, formula: Formula) -> dict[str, Any]:
    """Points ahead of an opponent."""
    length, depd, against = question.length, question.depd, question.against
    values: dict[str, Any] = {}
    ends = None
    if depd is not None:
        difference = copysign(float(formula.loss_of_decisions(abs(depd), length)), depd)
        ends = _interval(difference, formula.decision_error(depd, length))
        chance = float(fibs.probability(difference, 0.0, length))
        values = {"difference_interval": ends, "depd": depd, "against": against}
    elif question.win is None or not 0.0 < question.win < 1.0:
        raise UsageError("--win: a finite number of points needs a share between 0 and 1")
    else:
        chance = question.win
        difference = float(fibs.difference(chance, length))
    if against is not None:
        values["rating"] = against + difference
        values["interval"] = None if ends is None else (ends[0] + against, ends[1] + against)
    if ends is not None:
        values["probability_interval"] = _chances(ends, 0.0, length)
    return {**values, "difference": difference, "probability": chance}


def _rating(question: RatingQuestion, formula: Formula, offset: float) -> dict[str, Any]:
    """A rating, and the error rates that belong to it."""
    length, against = question.length, question.against
    error = None
    if question.from_rating is not None:
        values = _errors(question, formula, offset)
    elif question.epm is not None:
        epc = (question.epc or 0.0) if length > 1 else 0.0
        values = {
            "chequer_loss": float(formula.move(length) * question.epm),
            "cube_loss": float(formula.cube(length) * epc) if epc else 0.0,
            "rating": float(formula.rating(question.epm, epc, length, offset)),
            "epm": question.epm,
            "epc": epc,
        }
        error = formula.loss_error(question.epm, epc, length)
    else:
        name = next(name for name in _UNITS if getattr(question, name) is not None)
        per_decision = question.moves_per_decision
        epd = float(epd_from(name, getattr(question, name), moves_per_decision=per_decision))
        rating = float(formula.rating_of_decisions(epd, length, offset))
        values = {"rating": rating, **_units(epd, question)}
        error = formula.decision_error(epd, length)
    rating = values["rating"]
    ends = _interval(rating, error)
    values |= {"relative": rating - offset, "interval": ends, "against": against}
    if against is not None:
        values["probability"] = float(fibs.probability(rating, against, length))
        if ends is not None:
            values["probability_interval"] = _chances(ends, against, length)
    return values


def _errors(question: RatingQuestion, formula: Formula, offset: float) -> dict[str, Any]:
    """The error rates of a rating."""
    rating, length = question.from_rating, question.length
    assert rating is not None
    if rating > offset:
        raise UsageError("no error rate gives a rating above the offset, perfect play")
    epm, epc = question.epm, question.epc
    if epm is not None:
        epc = float(formula.epc(rating, epm, length, offset))
    elif epc is not None:
        epm = float(formula.epm(rating, epc, length, offset))
    if min(epm or 0.0, epc or 0.0) < 0.0:
        raise UsageError("the error rate given costs more than that already")
    epd = float(formula.epd(rating, length, offset))
    return {"rating": rating, "epm": epm, "epc": epc, **_units(epd, question)}


def _units(epd: float, question: RatingQuestion) -> dict[str, float]:
    return {
        unit: float(epd_to(unit, epd, moves_per_decision=question.moves_per_decision))
        for unit in _UNITS
    }


#: Spread of a match's loss over its mean, for one person: 0.60 over 188 people with two to
#: eight matches (348 degrees of freedom), 0.61 over the 1,135 matches of another one.
USUAL_SPREAD = 0.6
#: What that is worth beside the matches' own spread, in matches.
_USUAL_WEIGHT = 4.0


@dataclass(frozen=True, slots=True)
class MatchEstimate:
    """An estimate with its interval and standard error, from `number` matches.

    NaN where nothing is known; of a single match only the value is. An end is infinite where there
    is no bound, and not always as far from the value as the other.
    """

    value: float = nan
    low: float = nan
    high: float = nan
    error: float = nan
    number: int = 0

    def moved(self, by: float, sign: float = 1.0) -> MatchEstimate:
        """`by` plus the estimate, or with `sign` -1 minus it."""
        low, high = sorted((by + sign * self.low, by + sign * self.high))
        return MatchEstimate(by + sign * self.value, low, high, self.error, self.number)

    def widened(self, error: float | None, level: float) -> MatchEstimate:
        """With an independent doubt of this standard error in the interval too; None adds none."""
        if not error:
            return self
        reach = half_width(level) * error
        low = self.value - hypot(self.value - self.low, reach)
        high = self.value + hypot(self.high - self.value, reach)
        return MatchEstimate(self.value, low, high, hypot(self.error, error), self.number)


def mean_interval(values: ArrayLike, level: float = 0.9) -> MatchEstimate:
    """The mean of independent values, one a match, with Student's t interval.

    Van den Doel's appendix I used the normal distribution and wished for this one.
    Values that are NaN are left out.

    Examples:
        >>> estimate = mean_interval([1800, 1850, 1840])
        >>> round(estimate.value), round(estimate.low), round(estimate.high)
        (1830, 1785, 1875)
    """
    x = _known(values)
    n = len(x)
    if not n:
        return MatchEstimate()
    mean = float(x.mean())
    if n == 1:
        return MatchEstimate(mean, number=1)
    error = float(x.std(ddof=1) / sqrt(n))
    reach = t_quantile(0.5 + level / 2.0, n - 1) * error
    return MatchEstimate(mean, mean - reach, mean + reach, error, n)


def _known(values: ArrayLike) -> NDArray[np.float64]:
    """All but NaN."""
    x = np.asarray(values, np.float64)
    return x[~np.isnan(x)]


def _of_scale(value: float, parts: NDArray[np.float64], level: float) -> MatchEstimate:
    """A positive mean of skew values that scatter as these parts do."""
    number = len(parts)
    if number < 2 or not value > 0.0:
        return MatchEstimate(value, nan, nan, nan, number)
    freedom = _USUAL_WEIGHT + number - 1.0
    own = (number - 1.0) * float(parts.var(ddof=1)) / value**2
    share = (_USUAL_WEIGHT * USUAL_SPREAD**2 + own) / freedom / number
    middle = 1.0 - share / 9.0
    reach = t_quantile(0.5 + level / 2.0, freedom) * sqrt(share / 9.0)
    high = value / (middle - reach) ** 3 if middle > reach else inf
    return MatchEstimate(value, value / (middle + reach) ** 3, high, value * sqrt(share), number)


def loss_interval(values: ArrayLike, level: float = 0.9) -> MatchEstimate:
    """The mean of positive, skew values, one a match, with an interval for a scale.

    NaN is left out. A single match has no interval, nor has a player who lost nothing.

    Examples:
        >>> estimate = loss_interval([250, 200, 210])
        >>> round(estimate.value), round(estimate.low), round(estimate.high)
        (220, 135, 420)
    """
    x = _known(values)
    return _of_scale(float(x.mean()), x, level) if len(x) else MatchEstimate()


def ratio_interval(
    parts: list[tuple[NDArray[np.float64], NDArray[np.float64]]], level: float = 0.9
) -> MatchEstimate:
    """A sum of ratios of totals, each over all matches: sum(above)/sum(below).

    The variance is that of the linearised ratios, the interval that of `loss_interval`.
    A part without anything below counts as 0.
    """
    n = len(parts[0][0])
    parts = [(above, below) for above, below in parts if below.sum() > 0.0]
    if not parts:
        return MatchEstimate()
    value, residual = 0.0, np.zeros(n)
    for above, below in parts:
        whole = float(below.sum())
        ratio = float(above.sum()) / whole
        value += ratio
        residual += (above - ratio * below) * (n / whole)
    return _of_scale(value, residual, level)


def luck_adjusted_difference(
    adjusted: ArrayLike, length: ArrayLike, level: float = 0.9
) -> MatchEstimate:
    """Rating difference from luck-adjusted results, averaged before any logarithm.

    Solves mean(P(D, N)) = mean(adjusted) for D, with P the curve of FIBS and N the lengths; the
    interval's ends solve the same for the ends of the mean's interval. The results are
    probabilities that may leave 0 to 1; NaN is left out.

    Examples:
        >>> estimate = luck_adjusted_difference([0.62, 0.55, 0.63, 0.60], 5)
        >>> round(estimate.value), round(estimate.low), round(estimate.high)
        (158, 91, 227)
    """
    p, points = np.broadcast_arrays(
        np.asarray(adjusted, np.float64), np.asarray(length, np.float64)
    )
    kept = ~np.isnan(p)
    p, points = p[kept], points[kept]
    if not len(p):
        return MatchEstimate()
    mean = mean_interval(p, level)
    value, low, high = (_solve(share, points) for share in (mean.value, mean.low, mean.high))
    slope = nan
    if np.isfinite(value):
        chance = fibs.probability(value, 0.0, points)
        slope = float((chance * (1.0 - chance) * fibs.steepness(points)).mean())
    return MatchEstimate(value, low, high, mean.error / slope, mean.number)


def _solve(share: float, length: NDArray[np.float64]) -> float:
    """The difference at which the mean probability is `share`."""
    if np.isnan(share):
        return nan
    if share <= 0.0 or share >= 1.0:
        return inf if share >= 1.0 else -inf
    # The answer lies between those for the shortest and the longest match.
    ends = sorted(float(fibs.difference(share, n)) for n in (length.min(), length.max()))
    if ends[1] - ends[0] < 1e-9:
        return ends[0]
    return float(
        bisect(lambda d: fibs.probability(d, 0.0, length).mean() > share, ends[0], ends[1])
    )
