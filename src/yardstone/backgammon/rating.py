"""One question about one player: rating from errors, errors from a rating, points from a result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import copysign, isfinite
from typing import Any

from yardstone.backgammon.error_rates import MOVES_PER_DECISION, epd_from, epd_to
from yardstone.backgammon.formulas import Formula
from yardstone.backgammon.units import Unit, in_equity
from yardstone.errors import UsageError
from yardstone.winprob import fibs

__all__ = ["RatingAnswer", "RatingQuestion", "rating_answer"]

#: Level of the intervals of ratings.
LEVEL = 0.95
_UNITS = ("epd", "memg", "pr", "snowie")
#: Of an interval.
Ends = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class RatingQuestion:
    """What is known; None for what is not.

    Attributes
    ----------
    length : int
        Points to win.
    epm, epc, epd, memg, pr, snowie : float, optional
        Error rates; see `yardstone.backgammon.error_rates`.
    depd : float, optional
        The opponent's EPD less the player's.
    from_rating : float, optional
        The rating whose error rates are asked for.
    win : float, optional
        Probability of a win, such as a mean of luck-adjusted results.
    against : float, optional
        Rating of an opponent.
    moves_per_decision : float
        For Snowie's rate.
    unit : Unit, optional
        What EPM, EPC, EPD and `depd` are counted in; see `yardstone.backgammon.units`.
    """

    length: int
    epm: float | None = None
    epc: float | None = None
    epd: float | None = None
    memg: float | None = None
    pr: float | None = None
    snowie: float | None = None
    depd: float | None = None
    from_rating: float | None = None
    win: float | None = None
    against: float | None = None
    moves_per_decision: float = MOVES_PER_DECISION
    unit: Unit | None = None

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if name == "unit":
                continue
            if value is not None and not isfinite(value):
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
    """What follows; None for what does not.

    Attributes
    ----------
    length : int
    offset : float
        Rating of perfect play.
    formula, about : str
        Its name, and what it was fitted to where that must be said.
    chequer_loss, cube_loss : float, optional
        Points that errors of each kind cost.
    difference, depd : float, optional
        Points between the players, and the opponent's EPD less the player's.
    rating, relative : float, optional
        The rating, and the same less the offset.
    interval, difference_interval, probability_interval : (low, high), optional
        Of the rating, of the points between the players and of the probability, at
        `LEVEL`, for the doubt about the formula alone; None where the formula was
        published without errors, or none is used.
    epm, epc, epd, memg, pr, snowie : float, optional
        Error rates; EPM, EPC and EPD in equity.
    probability : float, optional
        Of winning such a match, against the rating `against` if there is one.
    """

    length: int
    offset: float
    formula: str
    about: str | None = None
    chequer_loss: float | None = None
    cube_loss: float | None = None
    difference: float | None = None
    depd: float | None = None
    rating: float | None = None
    epm: float | None = None
    epc: float | None = None
    epd: float | None = None
    memg: float | None = None
    pr: float | None = None
    snowie: float | None = None
    relative: float | None = None
    probability: float | None = None
    against: float | None = None
    interval: Ends | None = None
    difference_interval: Ends | None = None
    probability_interval: Ends | None = None


def rating_answer(question: RatingQuestion, formula: Formula, offset: float) -> RatingAnswer:
    """Rating from error rates, error rates of a rating, or points from a result.

    EPM, EPC and EPD are in equity, whatever unit they came in.

    Raises
    ------
    UsageError
        A number is out of range, or fits no unit.
    """
    rates = {name: getattr(question, name) for name in ("epm", "epc", "depd", *_UNITS)}
    equity: dict[str, Any] = {**in_equity(rates, question.unit), "unit": Unit.equity}
    question = replace(question, **equity)
    length, against = question.length, question.against
    answer = partial(
        RatingAnswer,
        length=length,
        offset=offset,
        formula=formula.name,
        about=formula.about if question.win is None and formula.about else None,
    )
    if question.win is not None or question.depd is not None:
        values = _points(question, formula)
        ends = values.get("difference_interval")
        if against is not None:
            values["rating"] = against + values["difference"]
            values["interval"] = None if ends is None else _moved(ends, against)
        if ends is not None:
            values["probability_interval"] = _chances(ends, 0.0, length)
        return answer(**values)
    values = _rating(question, formula, offset)
    rating = values["rating"]
    if question.from_rating is None:
        values["interval"] = _interval(rating, _error(values, formula, length))
    if against is not None:
        values["probability"] = float(fibs.probability(rating, against, length))
        if values.get("interval") is not None:
            values["probability_interval"] = _chances(values["interval"], against, length)
    return answer(**values, relative=rating - offset, against=against)


def _error(values: Mapping[str, Any], formula: Formula, length: int) -> float | None:
    """Standard error of a rating for the doubt about the formula alone."""
    if "epm" in values:
        error = formula.loss_error(values["epm"], values["epc"], length)
    else:
        error = formula.decision_error(values["epd"], length)
    return None if error is None else float(error)


def _interval(value: float, error: float | None) -> Ends | None:
    if error is None:
        return None
    from scipy.special import ndtri

    reach = float(ndtri(0.5 + 0.5 * LEVEL)) * error
    return value - reach, value + reach


def _moved(ends: Ends, by: float) -> Ends:
    return ends[0] + by, ends[1] + by


def _chances(ratings: Ends, against: float, length: int) -> Ends:
    low, high = (float(fibs.probability(rating, against, length)) for rating in ratings)
    return low, high


def _points(question: RatingQuestion, formula: Formula) -> dict[str, Any]:
    """Points ahead of an opponent."""
    length, depd = question.length, question.depd
    if depd is not None:
        difference = copysign(float(formula.loss_of_decisions(abs(depd), length)), depd)
        chance = float(fibs.probability(difference, 0.0, length))
        return {
            "difference": difference,
            "difference_interval": _interval(difference, _error({"epd": depd}, formula, length)),
            "depd": depd,
            "probability": chance,
            "against": question.against,
        }
    if question.win is None or not 0.0 < question.win < 1.0:
        raise UsageError("--win: a finite number of points needs a share between 0 and 1")
    return {
        "difference": float(fibs.difference(question.win, length)),
        "probability": question.win,
    }


def _rating(question: RatingQuestion, formula: Formula, offset: float) -> dict[str, Any]:
    """A rating, and the error rates that belong to it."""
    length = question.length
    if question.from_rating is not None:
        return _errors(question, formula, offset)
    if question.epm is not None:
        epc = (question.epc or 0.0) if length > 1 else 0.0
        return {
            "chequer_loss": float(formula.move(length) * question.epm),
            "cube_loss": float(formula.cube(length) * epc) if epc else 0.0,
            "rating": float(formula.rating(question.epm, epc, length, offset)),
            "epm": question.epm,
            "epc": epc,
        }
    name = next(name for name in _UNITS if getattr(question, name) is not None)
    per_decision = question.moves_per_decision
    epd = float(epd_from(name, getattr(question, name), moves_per_decision=per_decision))
    rating = float(formula.rating_of_decisions(epd, length, offset))
    return {"rating": rating, **_units(epd, question)}


def _errors(question: RatingQuestion, formula: Formula, offset: float) -> dict[str, Any]:
    """The error rates of a rating."""
    rating, length = question.from_rating, question.length
    assert rating is not None
    if rating > offset:
        raise UsageError("no error rate gives a rating above the offset, perfect play")
    rates: dict[str, float] = {}
    if question.epm is not None:
        epc = float(formula.epc(rating, question.epm, length, offset))
        rates = {"epm": question.epm, "epc": epc}
    elif question.epc is not None:
        epm = float(formula.epm(rating, question.epc, length, offset))
        rates = {"epm": epm, "epc": question.epc}
    if min(rates.values(), default=0.0) < 0.0:
        raise UsageError("the error rate given costs more than that already")
    epd = float(formula.epd(rating, length, offset))
    return {"rating": rating, **rates, **_units(epd, question)}


def _units(epd: float, question: RatingQuestion) -> dict[str, float]:
    return {
        unit: float(epd_to(unit, epd, moves_per_decision=question.moves_per_decision))
        for unit in _UNITS
    }
