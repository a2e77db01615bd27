"""Error rates as people write them: in equity (0.0085) or in thousandths of it (8.5).

Between people EPM lies mostly near 0.01, which is 10 thousandths, so that a number nearly
always fits one unit alone. One that fits neither, or two that fit different ones, must be
given with the unit.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from yardstone.errors import UsageError

__all__ = ["MOST_EQUITY", "Unit", "in_equity"]

#: No decision costs more: from a lost to a won backgammon at a cube of one.
MOST_EQUITY = 6.0
#: Largest rate that is taken for one in equity unless the unit is named.
_USUAL = {"epm": 0.1, "epc": 0.3, "epd": 0.1, "depd": 0.1}
#: Rates that have a unit of their own, and how many of it make an equity of one.
_SCALED = {"memg": 1000.0, "pr": 500.0, "snowie": 1000.0}


class Unit(StrEnum):
    """What error rates are counted in."""

    equity = "equity"
    thousandths = "thousandths"


def in_equity(rates: Mapping[str, float | None], unit: Unit | None = None) -> dict[str, float]:
    """EPM, EPC, EPD and differences of EPD in equity; others as they are.

    Parameters
    ----------
    rates : mapping of name to number
        Names of `yardstone.backgammon.rating.RatingQuestion`; None is left out.
    unit : Unit, optional
        What the numbers are counted in. By default it follows from them: up to 0.1 (EPC:
        0.3) is equity; from 1 to 100 (EPC: 300), thousandths.

    Raises
    ------
    UsageError
        A number fits neither unit, or two fit different ones.
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
    if size <= usual:
        return Unit.equity
    if 1.0 <= size <= 1000.0 * usual:
        return Unit.thousandths
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
