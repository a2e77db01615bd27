"""Measures playing strength: exact and fast ratings of pools of games.

>>> import yardstone
>>> pool = yardstone.Pool.from_names("AABBCC", "BCACAB", [1, 0.5, 0, 1, 0.5, 0])
>>> ratings = yardstone.BradleyTerry(average=0).fit(pool)
>>> ratings["A"].value > ratings["C"].value
True

Public names are loaded when they are first used, so that importing the package
takes no time.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from yardstone.errors import (
        ConnectionWarning,
        ConvergenceError,
        IgnoredWarning,
        IllegalMove,
        InputError,
        MissingExtraError,
        ModelError,
        NoGamesError,
        NotConnectedError,
        PerfectScoreWarning,
        SkippedWarning,
        StrictError,
        UsageError,
        WorkerError,
        YardstoneError,
        YardstoneWarning,
    )
    from yardstone.pool import PairCounts, Pool, Skipped, SkipReport
    from yardstone.ratings.bradley_terry import BradleyTerry
    from yardstone.ratings.matches import Interval, Match, elo, normalized_elo
    from yardstone.ratings.matches import superiority as match_superiority
    from yardstone.ratings.pairs import PairedGames, pentanomial
    from yardstone.ratings.priors import Prior, Relation
    from yardstone.ratings.rating_list import RatingList, rate, rate_list
    from yardstone.ratings.result import Estimate, JointRatings, Ratings, Status
    from yardstone.ratings.simulation import simulate
    from yardstone.ratings.sprt import Sprt, SprtState
    from yardstone.ratings.superiority import superiority
    from yardstone.records import query, read

__all__ = [
    # Reading games
    "read",
    "query",
    "Pool",
    "PairCounts",
    "Skipped",
    "SkipReport",
    # Rating them
    "rate",
    "rate_list",
    "RatingList",
    "BradleyTerry",
    "Prior",
    "Relation",
    "Ratings",
    "JointRatings",
    "Estimate",
    "Status",
    "simulate",
    "superiority",
    # Matches
    "Match",
    "Interval",
    "elo",
    "normalized_elo",
    "match_superiority",
    "Sprt",
    "SprtState",
    "PairedGames",
    "pentanomial",
    # Errors and warnings
    "YardstoneError",
    "InputError",
    "IllegalMove",
    "NoGamesError",
    "StrictError",
    "UsageError",
    "ModelError",
    "NotConnectedError",
    "ConvergenceError",
    "WorkerError",
    "MissingExtraError",
    "YardstoneWarning",
    "SkippedWarning",
    "ConnectionWarning",
    "PerfectScoreWarning",
    "IgnoredWarning",
    "__version__",
]

_HOMES = {
    "yardstone.records": ("read", "query"),
    "yardstone.pool": ("Pool", "PairCounts", "Skipped", "SkipReport"),
    "yardstone.ratings.bradley_terry": ("BradleyTerry",),
    "yardstone.ratings.rating_list": ("rate", "rate_list", "RatingList"),
    "yardstone.ratings.priors": ("Prior", "Relation"),
    "yardstone.ratings.result": ("Ratings", "JointRatings", "Estimate", "Status"),
    "yardstone.ratings.simulation": ("simulate",),
    "yardstone.ratings.superiority": ("superiority",),
    "yardstone.ratings.matches": ("Match", "Interval", "elo", "normalized_elo"),
    "yardstone.ratings.sprt": ("Sprt", "SprtState"),
    "yardstone.ratings.pairs": ("PairedGames", "pentanomial"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        value: Any = version("yardstone")
    elif name == "match_superiority":
        value = import_module("yardstone.ratings.matches").superiority
    elif name in __all__:
        value = getattr(import_module(_HOME.get(name, "yardstone.errors")), name)
    else:
        raise AttributeError(f"module 'yardstone' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
