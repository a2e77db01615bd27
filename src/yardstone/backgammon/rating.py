"""One question about one player: rating from errors, errors from a rating, points from a result."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

from yardstone.backgammon.error_rates import MOVES_PER_DECISION, epd_from, epd_to
from yardstone.backgammon.formulas import Formula
from yardstone.backgammon.units import Unit, in_equity
from yardstone.errors import UsageError
from yardstone.winprob import fibs

__all__ = ["Given", "rate"]

_UNITS = ("epd", "memg", "pr", "snowie")


@dataclass(frozen=True, kw_only=True)
class Given:
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
        chosen = [way for way, wanted in ways.items() if wanted]
        if len(chosen) != 1 or len(decisions) > 1:
            raise UsageError(f"give one of: {', '.join(ways)}")
        if self.epm is None and self.epc is not None and self.from_rating is None:
            raise UsageError("--epc needs --epm")
        if self.from_rating is not None and self.epm is not None and self.epc is not None:
            raise UsageError("--from-rating takes --epm or --epc, not both")


def rate(given: Given, formula: Formula, offset: float) -> dict[str, Any]:
    """The answer in plain values.

    Always ``length``, ``offset`` and ``formula``; ``rating`` unless only a difference
    is known; ``relative`` (rating minus offset), ``chequer_loss``, ``cube_loss``,
    ``difference``, error rates and ``probability`` where they follow. EPM, EPC and EPD
    are in equity, whatever they were given in.

    Raises
    ------
    UsageError
        A number is out of range, or fits no unit.
    """
    rates = {name: getattr(given, name) for name in ("epm", "epc", "depd", *_UNITS)}
    equity: dict[str, Any] = {**in_equity(rates, given.unit), "unit": Unit.equity}
    given = replace(given, **equity)
    found: dict[str, Any] = {
        "length": given.length,
        "offset": offset,
        "formula": formula.name,
    }
    if given.from_rating is not None:
        found |= _errors(given, formula, offset)
    elif given.win is not None:
        if not 0.0 < given.win < 1.0:
            raise UsageError("--win: a finite number of points needs a share between 0 and 1")
        found["difference"] = float(fibs.difference(given.win, given.length))
        found["probability"] = given.win
        if given.against is not None:
            found["rating"] = given.against + found["difference"]
        return found
    elif given.epm is not None:
        epc = given.epc or 0.0
        found["chequer_loss"] = float(formula.move(given.length) * given.epm)
        found["cube_loss"] = float(formula.cube(given.length) * epc)
        found["rating"] = float(formula.rating(given.epm, epc, given.length, offset))
        found |= {"epm": given.epm, "epc": epc}
    elif given.depd is not None:
        sign = -1.0 if given.depd < 0.0 else 1.0
        found["difference"] = sign * float(formula.loss_of_decisions(abs(given.depd), given.length))
        found["depd"] = given.depd
        found["probability"] = float(fibs.probability(found["difference"], 0.0, given.length))
        if given.against is not None:
            found["rating"] = given.against + found["difference"]
            found["against"] = given.against
        return found
    else:
        name = next(name for name in _UNITS if getattr(given, name) is not None)
        epd = float(
            epd_from(name, getattr(given, name), moves_per_decision=given.moves_per_decision)
        )
        found["rating"] = float(formula.rating_of_decisions(epd, given.length, offset))
        found |= _units(epd, given)
    found["relative"] = found["rating"] - offset
    if given.against is not None:
        found["probability"] = float(fibs.probability(found["rating"], given.against, given.length))
        found["against"] = given.against
    return found


def _errors(given: Given, formula: Formula, offset: float) -> dict[str, Any]:
    """The error rates of a rating."""
    assert given.from_rating is not None
    if given.from_rating > offset:
        raise UsageError("no error rate gives a rating above the offset, perfect play")
    found: dict[str, Any] = {"rating": given.from_rating}
    if given.epm is not None:
        found["epm"] = given.epm
        found["epc"] = float(formula.epc(given.from_rating, given.epm, given.length, offset))
    elif given.epc is not None:
        found["epc"] = given.epc
        found["epm"] = float(formula.epm(given.from_rating, given.epc, given.length, offset))
    if min(found.get("epm", 0.0), found.get("epc", 0.0)) < 0.0:
        raise UsageError("the error rate given costs more than that already")
    return found | _units(float(formula.epd(given.from_rating, given.length, offset)), given)


def _units(epd: float, given: Given) -> dict[str, float]:
    return {
        unit: float(epd_to(unit, epd, moves_per_decision=given.moves_per_decision))
        for unit in _UNITS
    }
