"""Measures playing strength: exact and fast ratings of pools of games.

>>> import yardstone
>>> pool = yardstone.Pool.from_names("AABBCC", "BCACAB", [1, 0.5, 0, 1, 0.5, 0])
>>> ratings = yardstone.rate(pool, average=0)
>>> [player.player for player in ratings]
['A', 'B', 'C']

Public names are loaded when they are first used, so that importing the package
takes no time.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from yardstone.ratings import systems as _systems

if TYPE_CHECKING:
    from yardstone.backgammon.error_system import ErrorRates
    from yardstone.display import Plot
    from yardstone.errors import (
        ConnectionWarning,
        ConvergenceError,
        IgnoredWarning,
        IllegalMove,
        InputError,
        MissingExtraError,
        MissingFileError,
        ModelError,
        NoGamesError,
        NotConnectedError,
        PerfectScoreWarning,
        SkippedWarning,
        StrictError,
        UnknownPlayerError,
        UsageError,
        WorkerError,
        WrongTypeError,
        YardstoneError,
        YardstoneWarning,
    )
    from yardstone.evaluation.backtest import evaluate
    from yardstone.evaluation.comparison import Evaluation
    from yardstone.evaluation.history import PresentRating, RatingHistory
    from yardstone.evaluation.history import rating_history as history
    from yardstone.evaluation.prediction import predict
    from yardstone.pool import PairCounts, Pool, Skipped, SkipReport
    from yardstone.ratings.joint import Prior, Relation
    from yardstone.ratings.match import (
        Interval,
        Match,
        PairedGames,
        elo,
        normalized_elo,
        pentanomial,
    )
    from yardstone.ratings.match import superiority as match_superiority
    from yardstone.ratings.rating_list import (
        GameForecast,
        PlayerRating,
        RatingList,
        rate,
        rate_list,
    )
    from yardstone.ratings.result import Estimate, JointRatings, Ratings, Status
    from yardstone.ratings.simulation import simulate
    from yardstone.ratings.sprt import MatchJudgement, Sprt, SprtState, match
    from yardstone.ratings.systems import *  # noqa: F403
    from yardstone.ratings.uncertainty import superiority
    from yardstone.records import query, read
    from yardstone.strength.estimation import StrengthEstimate, estimate
    from yardstone.strength.fusion import Fusion

    __version__: str

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
    "PlayerRating",
    "Prior",
    "Relation",
    "Ratings",
    "JointRatings",
    "Estimate",
    "Status",
    "simulate",
    "superiority",
    # Over time
    "history",
    "RatingHistory",
    "PresentRating",
    "predict",
    "GameForecast",
    # Comparing systems, and strength from moves
    "evaluate",
    "Evaluation",
    "ErrorRates",
    "Fusion",
    "estimate",
    "StrengthEstimate",
    "Plot",
    # Matches
    "match",
    "MatchJudgement",
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
    "MissingFileError",
    "UnknownPlayerError",
    "IllegalMove",
    "NoGamesError",
    "StrictError",
    "UsageError",
    "WrongTypeError",
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
__all__ += _systems.__all__

_HOMES = {
    "yardstone.backgammon.error_system": ("ErrorRates",),
    "yardstone.strength.fusion": ("Fusion",),
    "yardstone.records": ("read", "query"),
    "yardstone.pool": ("Pool", "PairCounts", "Skipped", "SkipReport"),
    "yardstone.evaluation.backtest": ("evaluate",),
    "yardstone.evaluation.comparison": ("Evaluation",),
    "yardstone.evaluation.history": ("RatingHistory", "PresentRating"),
    "yardstone.evaluation.prediction": ("predict",),
    "yardstone.ratings.rating_list": (
        "GameForecast",
        "RatingList",
        "PlayerRating",
        "rate",
        "rate_list",
    ),
    "yardstone.ratings.sprt": ("match", "MatchJudgement", "Sprt", "SprtState"),
    "yardstone.display": ("Plot",),
    "yardstone.strength.estimation": ("estimate", "StrengthEstimate"),
    "yardstone.ratings.systems": tuple(_systems.__all__),
    "yardstone.ratings.joint": ("Prior", "Relation"),
    "yardstone.ratings.result": ("Ratings", "JointRatings", "Estimate", "Status"),
    "yardstone.ratings.simulation": ("simulate",),
    "yardstone.ratings.uncertainty": ("superiority",),
    "yardstone.ratings.match": (
        "Match",
        "Interval",
        "elo",
        "normalized_elo",
        "PairedGames",
        "pentanomial",
    ),
}
#: Names that are others at home.
_ALIASES = {
    "match_superiority": ("yardstone.ratings.match", "superiority"),
    "history": ("yardstone.evaluation.history", "rating_history"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        value: Any = version("yardstone")
    elif name in _ALIASES:
        module, there = _ALIASES[name]
        value = getattr(import_module(module), there)
    elif name in __all__:
        value = getattr(import_module(_HOME.get(name, "yardstone.errors")), name)
    else:
        raise AttributeError(f"module 'yardstone' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
