"""The rating systems by name, with what of each can be tuned and how far.

Everything here is data: a system is added by adding its `Entry`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from yardstone.choices import no_such
from yardstone.errors import UsageError

if TYPE_CHECKING:
    from yardstone.ratings.replay import SequentialSystem

__all__ = ["SYSTEMS", "Entry", "Knob", "find_system"]


@dataclass(frozen=True, slots=True)
class Knob:
    """A parameter to be tuned: its name, and between what bounds.

    Attributes
    ----------
    name : str
    low, high : float
        Bounds, both included.
    log : bool
        Steps are ratios: for a parameter that must stay positive.
    """

    name: str
    low: float
    high: float
    log: bool = False


@dataclass(frozen=True)
class Entry:
    """A system by name; frozen.

    Attributes
    ----------
    name : str
        What the command calls it.
    about : str
        What it is, in a few words.
    module, system : str
        Where its class is found.
    fixed : mapping
        Parameters that make this entry what it is.
    knobs : tuple of Knob
        What is tuned.
    levels : bool
        Whether players begin at their grade or rating where the games tell.
    """

    name: str
    about: str
    module: str
    system: str
    knobs: tuple[Knob, ...]
    fixed: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    levels: bool = False

    def make(self, **parameters: Any) -> SequentialSystem:
        """The system with these parameters, and its own for the rest."""
        system = getattr(import_module(self.module), self.system)
        known = [part.name for part in fields(system) if part.init]
        if unknown := sorted(set(parameters) - set(known)):
            raise UsageError(no_such(f"parameter of {self.name}", unknown[0], known))
        return cast("SequentialSystem", system(**{**self.fixed, **parameters}))


_FIRST = Knob("first_advantage", -50.0, 150.0)
_SCALE = Knob("scale_points", 250.0, 800.0, log=True)
_START = Knob("initial_deviation", 60.0, 600.0, log=True)
_VOLATILITY = Knob("initial_volatility", 0.005, 0.3, log=True)
_TAU = Knob("tau", 0.05, 1.5, log=True)
_IDLE = Knob("idle_days", 1.0, 1000.0, log=True)
_PRIOR = Knob("prior_deviation", 50.0, 500.0, log=True)

_ENTRIES = (
    Entry(
        "elo",
        "Elo's system with the logistic curve",
        "yardstone.ratings.elo",
        "Elo",
        (Knob("k", 2.0, 150.0, log=True), _SCALE, _FIRST),
    ),
    Entry(
        "elo-normal",
        "Elo's system with his normal curve",
        "yardstone.ratings.elo",
        "Elo",
        (Knob("k", 2.0, 150.0, log=True), _SCALE, _FIRST),
        {"curve": "normal"},
    ),
    Entry(
        "glicko",
        "Glickman's Glicko, one game at a time",
        "yardstone.ratings.glicko",
        "Glicko",
        (
            _START,
            Knob("drift", 1.0, 200.0, log=True),
            Knob("min_deviation", 10.0, 120.0, log=True),
            _FIRST,
        ),
    ),
    Entry(
        "glicko2",
        "Glickman's Glicko-2, one game at a time",
        "yardstone.ratings.glicko2",
        "Glicko2",
        (_START, _VOLATILITY, _TAU, _IDLE, _FIRST),
    ),
    Entry(
        "ogs",
        "Glicko-2 as the Online Go Server has it",
        "yardstone.ratings.ogs",
        "OGS",
        (_START, Knob("initial_volatility", 0.01, 0.15, log=True), _TAU, _IDLE, _FIRST),
    ),
    Entry(
        "egf",
        "the European Go Federation's system since 2021, one game at a time",
        "yardstone.ratings.egf",
        "EGF",
        (Knob("initial", 500.0, 2700.0), Knob("weight", 0.1, 4.0, log=True), _FIRST),
        {"period": "game", "initial": 2000.0},
        levels=True,
    ),
    Entry(
        "egf-old",
        "the European Go Federation's system until 2021, one game at a time",
        "yardstone.ratings.egf_old",
        "EGFOld",
        (Knob("initial", 500.0, 2600.0), Knob("weight", 0.1, 4.0, log=True), _FIRST),
        {"period": "game", "initial": 2000.0},
        levels=True,
    ),
    Entry(
        "fibs",
        "the system of the First Internet Backgammon Server, for matches of any length",
        "yardstone.ratings.fibs",
        "FIBS",
        (
            Knob("k", 1.0, 20.0, log=True),
            Knob("scale_points", 800.0, 5000.0, log=True),
            Knob("first_factor", 1.0, 15.0, log=True),
        ),
    ),
    Entry(
        "bradley-terry",
        "Bradley-Terry with weights that decay with age",
        "yardstone.ratings.decay",
        "DecayingBradleyTerry",
        (Knob("half_life", 20.0, 5000.0, log=True), _PRIOR, _FIRST),
    ),
    Entry(
        "whr",
        "whole-history rating, learning from each game as it comes",
        "yardstone.ratings.whr",
        "WholeHistory",
        (Knob("w2", 0.3, 300.0, log=True), _PRIOR, _FIRST),
        {"window": 60},
    ),
)
SYSTEMS: Mapping[str, Entry] = MappingProxyType({entry.name: entry for entry in _ENTRIES})


def find_system(name: str, known: Sequence[str] = ()) -> Entry:
    """The entry of that name; `UsageError` lists those there are."""
    try:
        return SYSTEMS[name]
    except KeyError:
        raise UsageError(no_such("system", name, (*SYSTEMS, *known))) from None
