"""From results to strengths: joint fits of all games, and systems that follow time.

Names are loaded when they are first used: kernels come with their systems, which
`yardstone.ratings.systems` lists.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from yardstone.ratings import systems

if TYPE_CHECKING:
    from yardstone.ratings.elo import FIDE, KFactor
    from yardstone.ratings.handicap import Handicap
    from yardstone.ratings.history import Curve, WholeHistoryRatings
    from yardstone.ratings.priors import PlayerPriors, Prior, Relation
    from yardstone.ratings.rating_list import RatingList, rate, rate_list
    from yardstone.ratings.replay import JointSystem, Replay, SequentialSystem
    from yardstone.ratings.result import Estimate, JointRatings, Ratings, Status
    from yardstone.ratings.state import State
    from yardstone.ratings.systems import *  # noqa: F403

__all__ = [
    "FIDE",
    "Curve",
    "Estimate",
    "Handicap",
    "JointRatings",
    "JointSystem",
    "KFactor",
    "PlayerPriors",
    "Prior",
    "RatingList",
    "Ratings",
    "Relation",
    "Replay",
    "SequentialSystem",
    "State",
    "Status",
    "WholeHistoryRatings",
    "rate",
    "rate_list",
]
__all__ += systems.__all__

_HOMES = {
    "elo": ("FIDE", "KFactor"),
    "handicap": ("Handicap",),
    "history": ("Curve", "WholeHistoryRatings"),
    "priors": ("PlayerPriors", "Prior", "Relation"),
    "replay": ("JointSystem", "Replay", "SequentialSystem"),
    "rating_list": ("RatingList", "rate", "rate_list"),
    "result": ("Estimate", "JointRatings", "Ratings", "Status"),
    "state": ("State",),
    "systems": tuple(systems.__all__),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
