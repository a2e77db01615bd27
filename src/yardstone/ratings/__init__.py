"""From results to strengths: joint fits of all games, and systems that follow time.

Names are loaded when they are first used: kernels come with their systems.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from yardstone.ratings.bradley_terry import BradleyTerry
    from yardstone.ratings.decay import DecayingBradleyTerry
    from yardstone.ratings.egf import EGF
    from yardstone.ratings.egf_old import EGFOld
    from yardstone.ratings.elo import FIDE, Elo, KFactor
    from yardstone.ratings.fibs import FIBS
    from yardstone.ratings.glicko import Glicko
    from yardstone.ratings.glicko2 import Glicko2
    from yardstone.ratings.handicap import Handicap
    from yardstone.ratings.history import Curve, WholeHistoryRatings
    from yardstone.ratings.ogs import OGS
    from yardstone.ratings.priors import PlayerPriors, Prior, Relation
    from yardstone.ratings.replay import Replay, SequentialSystem
    from yardstone.ratings.result import Estimate, JointRatings, Ratings, Status
    from yardstone.ratings.sktlr import SktLr
    from yardstone.ratings.state import State
    from yardstone.ratings.whr import WholeHistory

__all__ = [
    "EGF",
    "FIBS",
    "FIDE",
    "OGS",
    "BradleyTerry",
    "Curve",
    "DecayingBradleyTerry",
    "EGFOld",
    "Elo",
    "Estimate",
    "Glicko",
    "Glicko2",
    "Handicap",
    "JointRatings",
    "KFactor",
    "PlayerPriors",
    "Prior",
    "Ratings",
    "Relation",
    "Replay",
    "SequentialSystem",
    "SktLr",
    "State",
    "Status",
    "WholeHistory",
    "WholeHistoryRatings",
]

#: Modules whose names are not that of the class in small letters.
_HOMES = {
    "BradleyTerry": "bradley_terry",
    "Curve": "history",
    "DecayingBradleyTerry": "decay",
    "EGFOld": "egf_old",
    "Estimate": "result",
    "FIDE": "elo",
    "JointRatings": "result",
    "KFactor": "elo",
    "PlayerPriors": "priors",
    "Prior": "priors",
    "Ratings": "result",
    "Relation": "priors",
    "SequentialSystem": "replay",
    "Status": "result",
    "WholeHistory": "whr",
    "WholeHistoryRatings": "history",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES.get(name, name.lower())}"), name)
