"""The rating systems by name: one entry each, and the only list of them.

`history`, `predict`, `evaluate`, the facades and the documentation ask here. A system is
added by its own file, and here by an entry, an import and its name in `__all__`; another
package adds its own by entry points (`yardstone.plugins`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from importlib import import_module
from inspect import getdoc
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from yardstone.choices import checked_arguments, no_such
from yardstone.errors import UsageError

if TYPE_CHECKING:
    from yardstone.ratings.bradley_terry import BradleyTerry
    from yardstone.ratings.decay import DecayingBradleyTerry
    from yardstone.ratings.egf import EGF, EGFOld
    from yardstone.ratings.elo import Elo
    from yardstone.ratings.fibs import FIBS
    from yardstone.ratings.glicko import OGS, Glicko, Glicko2
    from yardstone.ratings.grades import DeclaredGrades, DeclaredRatings
    from yardstone.ratings.sktlr import SktLr
    from yardstone.ratings.whole_history import WholeHistory

__all__ = [
    "SEQUENTIAL",
    "SYSTEMS",
    "Knob",
    "SystemEntry",
    "find_system",
    # The classes: what the facades offer.
    "EGF",
    "FIBS",
    "OGS",
    "BradleyTerry",
    "DecayingBradleyTerry",
    "DeclaredGrades",
    "DeclaredRatings",
    "EGFOld",
    "Elo",
    "Glicko",
    "Glicko2",
    "SktLr",
    "WholeHistory",
]

#: A joint system has `fit`, a sequential one `replay`; see `yardstone.ratings.result`.
Kind = Literal["joint", "sequential", "both"]


@dataclass(frozen=True, slots=True)
class Knob:
    """A parameter to be tuned: its name, and between what bounds."""

    name: str
    #: Bounds, both included.
    low: float
    high: float
    log: bool = False  #: Steps are ratios: for a parameter that must stay positive.


@dataclass(frozen=True)
class SystemEntry:
    """A system by name; frozen."""

    name: str  #: What the commands call it.
    about: str  #: What it is, in a few words.
    #: Module and class, ``"elo:Elo"``, by its full name elsewhere, or the class of a plug-in.
    home: str | type
    knobs: tuple[Knob, ...] = ()  #: What is tuned.
    #: Parameters that make this entry what it is.
    fixed: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    kind: Kind = "sequential"  #: Whether it replays games, fits them all at once, or does either.
    #: What it looks at by itself beside players, scores and the order of games: ``"time"``,
    #: ``"grade"``, ``"handicap"``, ``"komi"``, ``"margin"``, ``"length"``, ``"class"``,
    #: ``"errors"``, ``"moves"``.
    uses: tuple[str, ...] = ()
    title: str = ""  #: What people call it.
    needs: str = ""  #: A column without which it is not compared unless asked for.

    @property
    def levels(self) -> bool:
        """Whether it looks at the grades or ratings of players in the games."""
        return bool({"grade", "rating"} & set(self.uses))

    @property
    def declared(self) -> bool:
        """Whether it is a forecast from what the games declare, and learns of no result."""
        return self.levels and bool(self.needs)

    def given(self, columns: Collection[str]) -> tuple[str, ...]:
        """What it is told beside results and dates by games with these columns."""
        return tuple(
            _INFORMATION[use][1]
            for use in self.uses
            if use in _INFORMATION and _INFORMATION[use][0] in columns
        )

    @property
    def sequential(self) -> bool:
        """Whether it can replay games."""
        return self.kind != "joint"

    def system_class(self) -> Any:
        """The class."""
        if not isinstance(self.home, str):
            return self.home
        module, _, name = self.home.partition(":")
        place = module if "." in module else f"yardstone.ratings.{module}"
        return getattr(import_module(place), name)

    def takes_handicap(self, **parameters: Any) -> bool:
        """Whether it can use the handicap of games, with these parameters."""
        usual = "" if "handicap" in self.uses else None
        return {"handicap": usual, **self.fixed, **parameters}["handicap"] is not None

    def make(self, **parameters: Any) -> Any:
        """The system with these parameters, and its own for the rest.

        A text for ``handicap`` is the column of the stones.
        """
        system = self.system_class()
        known = [part.name for part in fields(system) if part.init]
        chosen = {**self.fixed, **parameters}
        if unknown := sorted(chosen.keys() - set(known)):
            raise UsageError(no_such(f"parameter of {self.name}", unknown[0], known))
        if isinstance(chosen.get("handicap"), str):
            from yardstone.ratings.egf import Handicap

            chosen["handicap"] = Handicap(column=chosen["handicap"])
        return system(**chosen)


#: What systems may be told: the column of a pool, and what people call it.
_INFORMATION = {
    "grade": ("first_grade", "grades"),
    "rating": ("first_rating", "ratings in the file"),
    "handicap": ("handicap", "handicaps"),
    "komi": ("komi", "komi"),
    "margin": ("margin", "margins"),
    "class": ("class", "classes of tournaments"),
    "length": ("length", "lengths of matches"),
    "errors": ("first_epm", "error rates"),
    "moves": ("first_moves", "moves"),
}

_K = Knob("k", 2.0, 150.0, log=True)
_FIRST = Knob("first_advantage", -50.0, 150.0)
_SCALE = Knob("scale_points", 250.0, 800.0, log=True)
_START = Knob("initial_deviation", 60.0, 600.0, log=True)
_VOLATILITY = Knob("initial_volatility", 0.005, 0.3, log=True)
_TAU = Knob("tau", 0.05, 1.5, log=True)
_IDLE = Knob("idle_days", 1.0, 1000.0, log=True)
_PRIOR = Knob("prior_deviation", 50.0, 500.0, log=True)
_WEIGHT = Knob("weight", 0.1, 4.0, log=True)
_ELO = SystemEntry(
    "elo",
    "Elo's system with the logistic curve",
    "elo:Elo",
    (_K, _SCALE, _FIRST),
    title="Elo's system",
)
_ERROR_RATES = SystemEntry(
    "vandendoel",
    "van den Doel's formula on the errors of earlier matches of backgammon",
    "yardstone.backgammon.error_system:ErrorRates",
    (
        Knob("factor", 0.25, 2.5, log=True),
        Knob("epm_weight", 5.0, 500.0, log=True),
        Knob("epc_weight", 5.0, 500.0, log=True),
    ),
    uses=("length", "errors"),
    title="van den Doel's formula",
    needs="first_epm",
)
_EGF = SystemEntry(
    "egf",
    "the European Go Federation's system since 2021, one game at a time",
    "egf:EGF",
    (Knob("initial", 500.0, 2700.0), _WEIGHT, _FIRST),
    {"period": "game", "initial": 2000.0},
    uses=("grade", "rating", "handicap", "class"),
    title="the European Go Federation's system",
)
_NORMAL = "Elo's system with his normal curve"
_ENTRIES = (
    _ELO,
    replace(_ELO, name="elo-normal", about=_NORMAL, title=_NORMAL, fixed={"curve": "normal"}),
    SystemEntry(
        "glicko",
        "Glickman's Glicko, one game at a time",
        "glicko:Glicko",
        (
            _START,
            Knob("drift", 1.0, 200.0, log=True),
            Knob("min_deviation", 10.0, 120.0, log=True),
            _FIRST,
        ),
        uses=("time",),
        title="Glicko",
    ),
    SystemEntry(
        "glicko2",
        "Glickman's Glicko-2, one game at a time",
        "glicko:Glicko2",
        (_START, _VOLATILITY, _TAU, _IDLE, _FIRST),
        title="Glicko-2",
    ),
    SystemEntry(
        "fusion",
        "Glicko-2 in which the moves of earlier games say where a player of Go starts",
        "yardstone.strength.fusion:Fusion",
        (
            _START,
            _VOLATILITY,
            _TAU,
            _IDLE,
            _FIRST,
            Knob("slope", 5.0, 300.0, log=True),
            Knob("noise", 30.0, 1000.0, log=True),
            Knob("half_moves", 5.0, 1000.0, log=True),
        ),
        uses=("moves",),
        title="Glicko-2 from moves and results",
        needs="first_moves",
    ),
    SystemEntry(
        "ogs",
        "Glicko-2 as used by the Online Go Server",
        "glicko:OGS",
        (_START, Knob("initial_volatility", 0.01, 0.15, log=True), _TAU, _IDLE, _FIRST),
        title="the Online Go Server's Glicko-2",
    ),
    _EGF,
    replace(
        _EGF,
        name="egf-old",
        about="the European Go Federation's system until 2021, one game at a time",
        home="egf:EGFOld",
        knobs=(Knob("initial", 500.0, 2600.0), _WEIGHT, _FIRST),
        title="the European Go Federation's old system",
    ),
    SystemEntry(
        "fibs",
        "the system of the First Internet Backgammon Server, for matches of any length",
        "fibs:FIBS",
        (
            Knob("k", 1.0, 20.0, log=True),
            Knob("scale_points", 800.0, 5000.0, log=True),
            Knob("first_factor", 1.0, 15.0, log=True),
        ),
        uses=("length",),
        title="the FIBS system",
        needs="length",
    ),
    _ERROR_RATES,
    replace(
        _ERROR_RATES,
        name="vandendoel-people",
        about="the same, with the weights fitted to people's matches",
        fixed={"formula": "people"},
        title="van den Doel's formula, fitted to people",
    ),
    replace(
        _ERROR_RATES,
        name="vandendoel-refit",
        about="the same, with the weights fitted to matches of programs",
        fixed={"formula": "refit"},
        title="van den Doel's formula, refitted",
    ),
    SystemEntry(
        "skt-lr",
        "Goldis' log ratings of Go players, from results and margins",
        "sktlr:SktLr",
        (
            Knob("start_deviation", 50.0, 1000.0, log=True),
            Knob("margin_deviation", 5.0, 80.0, log=True),
            Knob("drift", 0.5, 50.0, log=True),
        ),
        uses=("time", "grade", "handicap", "komi", "margin"),
        title="Goldis' log ratings",
    ),
    SystemEntry(
        "grades",
        "declared grades that never move, with a model of winning in Go",
        "grades:DeclaredGrades",
        uses=("grade", "handicap", "komi"),
        title="the model of declared grades",
        needs="first_grade",
    ),
    SystemEntry(
        "ratings",
        "the ratings in the file as they stand, with the logistic law",
        "grades:DeclaredRatings",
        (_SCALE, _FIRST),
        uses=("rating",),
        title="the forecast from the ratings in the file",
        needs="first_rating",
    ),
    SystemEntry(
        "decaying-bradley-terry",
        "Bradley-Terry with weights that decay with age",
        "decay:DecayingBradleyTerry",
        (Knob("half_life", 20.0, 5000.0, log=True), _PRIOR, _FIRST),
        kind="both",
        uses=("time",),
        title="Bradley-Terry with decaying weights",
    ),
    SystemEntry(
        "whr",
        "whole-history rating, learning from each game as it comes",
        "whole_history:WholeHistory",
        (Knob("w2", 0.3, 300.0, log=True), _PRIOR, _FIRST),
        {"window": 60},
        kind="both",
        uses=("time",),
        title="whole-history rating",
    ),
    SystemEntry(
        "bradley-terry",
        "all results at once, as `rate` does: for lists, not over time",
        "bradley_terry:BradleyTerry",
        fixed={"method": "likelihood", "first_advantage": "auto", "draw_rate": "auto"},
        kind="joint",
        title="Bradley-Terry",
    ),
)
SYSTEMS: Mapping[str, SystemEntry] = MappingProxyType({entry.name: entry for entry in _ENTRIES})
#: Names of the systems that replay games: what can be compared, and kept over time.
SEQUENTIAL = tuple(entry.name for entry in _ENTRIES if entry.sequential)


@checked_arguments()
def find_system(name: str) -> SystemEntry:
    """Return the entry of that name that replays games, built in or of a plug-in.

    `UsageError` lists those there are.
    """
    entry = SYSTEMS.get(name) or _added(name)
    if entry is not None and entry.sequential:
        return entry
    if entry is not None:
        raise UsageError(
            f"{name} rates all games at once, so it has no ratings over time: take "
            "decaying-bradley-terry or whr"
        )
    from yardstone.plugins import SYSTEMS as GROUP
    from yardstone.plugins import declared

    raise UsageError(no_such("system", name, (*SEQUENTIAL, *declared(GROUP))))


def _added(name: str) -> SystemEntry | None:
    """Load the system that a plug-in adds: its entry, or its class with what that shows."""
    from yardstone.plugins import SYSTEMS as GROUP
    from yardstone.plugins import declared, load

    if name not in declared(GROUP):
        return None
    value = load(GROUP, name)
    if isinstance(value, SystemEntry):
        return value
    about = (getdoc(value) or name).partition("\n")[0].rstrip(".")
    replays, fits = hasattr(value, "replay"), hasattr(value, "fit")
    kind: Kind = "both" if replays and fits else "sequential" if replays else "joint"
    return SystemEntry(name, about, value, kind=kind, title=name)


def __getattr__(name: str) -> Any:
    for entry in _ENTRIES:
        if str(entry.home).endswith(f":{name}"):
            return entry.system_class()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
