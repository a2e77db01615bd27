"""From results to strengths: joint fits of all games, and systems that follow time.

Names are loaded when they are first used: kernels come with their systems, which
`yardstone.ratings.systems` lists.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yardstone.facade import lazy_names
from yardstone.ratings import systems

if TYPE_CHECKING:
    from yardstone.ratings.egf import Handicap
    from yardstone.ratings.elo import FIDE, KFactor
    from yardstone.ratings.joint import PlayerPriors, Prior, Relation
    from yardstone.ratings.rating_list import RatingList, rate, rate_list
    from yardstone.ratings.result import (
        Estimate,
        JointRatings,
        JointSystem,
        Ratings,
        Replay,
        SequentialSystem,
        Status,
    )
    from yardstone.ratings.sequential import State
    from yardstone.ratings.systems import *  # noqa: F403
    from yardstone.ratings.whole_history import Curve, WholeHistoryRatings

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

__getattr__ = lazy_names(
    __name__,
    {
        "elo": ("FIDE", "KFactor"),
        "egf": ("Handicap",),
        "whole_history": ("Curve", "WholeHistoryRatings"),
        "joint": ("PlayerPriors", "Prior", "Relation"),
        "rating_list": ("RatingList", "rate", "rate_list"),
        "result": (
            *("Estimate", "JointRatings", "JointSystem", "Ratings"),
            *("Replay", "SequentialSystem", "Status"),
        ),
        "sequential": ("State",),
        "systems": systems.__all__,
    },
)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
