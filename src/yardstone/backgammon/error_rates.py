"""Error rates of a player in a match, in the units of GNU Backgammon, Snowie and XG.

All are a sum of errors divided by a number of decisions:

========  ===========================================================  ==============
EPM       chequer errors / unforced chequer moves                      equity
EPC       cube errors / close or actual cube decisions                 equity
EPD       all errors / (unforced moves + close cube decisions)         equity
mEMG      1000 EPD, as GNU Backgammon prints it                        millipoints
PR        500 EPD, the performance rating of eXtreme Gammon            half millipoints
Snowie    1000 all errors / all moves of *both* players                millipoints
========  ===========================================================  ==============

XG counts its own unforced decisions and analyses more deeply, so a PR from GNU
Backgammon's counts is an estimate of XG's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from yardstone.errors import UsageError

#: Kinds of decisions gone wrong, as reports call them.
KINDS = {
    "chequer": "chequer play",
    "missed_double": "missed double",
    "wrong_double": "wrong double",
    "wrong_take": "wrong take",
    "wrong_pass": "wrong pass",
}
#: By kind of cube error the name of its number, and GNU Backgammon's names of what makes it up.
_CUBE = {
    "missed_double": ("missed_doubles", "missed-double-below-cp", "missed-double-above-cp"),
    "wrong_double": ("wrong_doubles", "wrong-double-below-dp", "wrong-double-above-tg"),
    "wrong_take": ("wrong_takes", "wrong-take"),
    "wrong_pass": ("wrong_passes", "wrong-drop"),
}
#: Moves of both players for each decision of one, over 1,191 matches between people
#: (``studies/backgammon_people.csv.gz``). Needed for Snowie's rate where no counts are known.
MOVES_PER_DECISION = 2.15


@dataclass(frozen=True, slots=True)
class Errors:
    """Decisions and errors of one player, in one match or several; they add up."""

    #: `moves`, `opponent_moves`: chequer moves of the player and of the opponent, forced ones too.
    moves: int = 0
    opponent_moves: int = 0
    unforced: int = 0  #: Chequer moves with a choice.
    close: int = 0  #: Close or actual cube decisions.
    #: `chequer`, `missed_double`, `wrong_double`, `wrong_take`, `wrong_pass`: sums of errors in
    #: normalised equity, not negative.
    chequer: float = 0.0
    missed_double: float = 0.0
    wrong_double: float = 0.0
    wrong_take: float = 0.0
    wrong_pass: float = 0.0
    chequer_errors: int = 0  #: Chequer moves marked doubtful or worse.
    #: `missed_doubles`, `wrong_doubles`, `wrong_takes`, `wrong_passes`: numbers of wrong cube
    #: decisions.
    missed_doubles: int = 0
    wrong_doubles: int = 0
    wrong_takes: int = 0
    wrong_passes: int = 0
    luck: float = 0.0  #: Sum of luck in normalised equity.

    @classmethod
    def from_statistics(cls, stats: Mapping[str, Any], player: int) -> Errors:
        """From the ``stats`` of GNU Backgammon's ``match()``, of player 0 (X) or 1 (O)."""
        own, other = (stats["XO"[side]] for side in (player, 1 - player))
        moves, cube = own["moves"], own["cube"]
        marks = moves["marked"]
        errors: dict[str, Any] = {}
        for kind, (plural, *names) in _CUBE.items():
            errors[kind] = sum(float(cube[f"err-{name}-skill"]) for name in names)
            errors[plural] = sum(int(cube[name]) for name in names)
        return cls(
            moves=int(moves["total-moves"]),
            opponent_moves=int(other["moves"]["total-moves"]),
            unforced=int(moves["unforced-moves"]),
            close=int(cube["close-cube"]),
            chequer=float(moves["error-skill"]),
            chequer_errors=sum(int(marks[mark]) for mark in ("doubtful", "bad", "very bad")),
            luck=float(own["dice"]["luck"]),
            **errors,
        )

    @classmethod
    def total(cls, parts: Iterable[Errors]) -> Errors:
        """The sum of several."""
        rows = list(parts)
        return cls(*(sum(getattr(row, field.name) for row in rows) for field in fields(cls)))

    @property
    def cube(self) -> float:
        """Sum of the cube errors, in normalised equity."""
        return self.missed_double + self.wrong_double + self.wrong_take + self.wrong_pass

    @property
    def decisions(self) -> int:
        """Unforced moves and close cube decisions."""
        return self.unforced + self.close

    @property
    def epm(self) -> float:
        """Error per unforced move; NaN without one."""
        return self.chequer / self.unforced if self.unforced else nan

    @property
    def epc(self) -> float:
        """Error per close cube decision; NaN without one."""
        return self.cube / self.close if self.close else nan

    @property
    def epd(self) -> float:
        """Error per decision; NaN without one."""
        return (self.chequer + self.cube) / self.decisions if self.decisions else nan

    @property
    def pr(self) -> float:
        """The performance rating of eXtreme Gammon, from GNU Backgammon's counts."""
        return 500.0 * self.epd

    @property
    def snowie(self) -> float:
        """Snowie's error rate; NaN without a move."""
        moves = self.moves + self.opponent_moves
        return 1000.0 * (self.chequer + self.cube) / moves if moves else nan


#: Rates with a unit of their own, and how many of it an error of one in equity is: per decision,
#: Snowie's per move.
_SCALED = {"memg": 1000.0, "pr": 500.0, "snowie": 1000.0}


def _factor(unit: str, moves_per_decision: ArrayLike) -> ArrayLike:
    factors = {"epd": 1.0, **_SCALED}
    if unit not in factors:
        raise UsageError(f"there is no error rate {unit!r}: choose from {', '.join(factors)}")
    factor = factors[unit]
    return np.divide(factor, moves_per_decision) if unit == "snowie" else factor


def epd_to(
    unit: str, epd: ArrayLike, *, moves_per_decision: ArrayLike = MOVES_PER_DECISION
) -> NDArray[np.float64]:
    """EPD in another unit: ``memg``, ``pr``, ``snowie`` or ``epd``.

    `moves_per_decision` (for Snowie's rate) are all moves of both players divided by
    the decisions of this one.

    Examples:
        >>> float(epd_to("pr", 0.0112).round(2))
        5.6
    """
    return np.asarray(np.multiply(epd, _factor(unit, moves_per_decision)), np.float64)


def epd_from(
    unit: str, value: ArrayLike, *, moves_per_decision: ArrayLike = MOVES_PER_DECISION
) -> NDArray[np.float64]:
    """EPD from another unit; arguments as in `epd_to`."""
    return np.asarray(np.divide(value, _factor(unit, moves_per_decision)), np.float64)


#: No decision costs more: from a lost to a won backgammon at a cube of one.
MOST_EQUITY = 6.0
#: Largest rate that is taken for one in equity unless the unit is named.
_USUAL = {"epm": 0.1, "epc": 0.3, "epd": 0.1, "depd": 0.1}


class Unit(StrEnum):
    """What error rates are counted in."""

    equity = "equity"
    thousandths = "thousandths"


def in_equity(rates: Mapping[str, float | None], unit: Unit | None = None) -> dict[str, float]:
    """EPM, EPC, EPD and differences of EPD in equity; others as they are, without None.

    `unit` is what the numbers are counted in. By default it follows from them: up to 0.1 (EPC: 0.3)
    is equity; from 1 to 100 (EPC: 300), thousandths. Raises UsageError where a number fits neither
    unit, or two fit different ones.
    """
    known = {name: value for name, value in rates.items() if value is not None}
    for name in known.keys() & _SCALED.keys():
        _check_scaled(name, known[name], unit)
    plain = {name: value for name, value in known.items() if name in _USUAL}
    units = {name: unit or _unit(name, abs(value)) for name, value in plain.items() if value}
    if len(set(units.values())) > 1:
        words = " and ".join(f"{name.upper()} {plain[name]:g} in {u}" for name, u in units.items())
        raise UsageError(
            f"{words}: name one unit for both with --unit equity or --unit thousandths"
        )
    for name, each in units.items():
        value = plain[name] / (1000.0 if each is Unit.thousandths else 1.0)
        if abs(value) > MOST_EQUITY:
            raise UsageError(
                f"{name.upper()} {plain[name]:g} in {each}: no decision costs more than "
                f"{MOST_EQUITY:g} in equity"
            )
        known[name] = value
    return known


def _unit(name: str, size: float) -> Unit:
    usual = _USUAL[name]
    if size <= usual or 1.0 <= size <= 1000.0 * usual:
        return Unit.equity if size <= usual else Unit.thousandths
    raise UsageError(
        f"{name.upper()} {size:g} fits neither equity (up to {usual:g}) nor thousandths of it "
        f"(1 to {1000.0 * usual:g}): choose with --unit equity or --unit thousandths"
    )


def _check_scaled(name: str, value: float, unit: Unit | None) -> None:
    """Refuse a number that looks like one in another unit, unless one is named."""
    equity = value / _SCALED[name]
    # People write PR to two places, and the best programs come near 0.
    tiny = name != "pr" and 0.0 < value <= _USUAL["epd"]
    if value < 0.0 or (unit is None and (tiny or equity > _USUAL["epd"])):
        label = {"memg": "mEMG", "pr": "PR", "snowie": "Snowie's rate"}[name]
        raise UsageError(
            f"{label} {value:g} is {equity:g} in equity per decision, more than anyone loses: an "
            "error per decision in equity is --epd; if it is meant, add --unit thousandths"
        )
    if equity > MOST_EQUITY:
        raise UsageError(f"--{name} {value:g}: no decision costs more than {MOST_EQUITY:g}")
