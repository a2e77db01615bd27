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

from typing import TYPE_CHECKING, Any

from yardstone.facade import lazy_names

if TYPE_CHECKING:
    from yardstone.backgammon.error_system import ErrorRates as ErrorRates
    from yardstone.display import Plot as Plot
    from yardstone.errors import *  # noqa: F403
    from yardstone.evaluation.backtest import evaluate as evaluate
    from yardstone.evaluation.comparison import Evaluation as Evaluation
    from yardstone.evaluation.history import PresentRating as PresentRating
    from yardstone.evaluation.history import RatingHistory as RatingHistory
    from yardstone.evaluation.history import rating_history as history
    from yardstone.evaluation.prediction import predict as predict
    from yardstone.pool import PairCounts as PairCounts
    from yardstone.pool import Pool as Pool
    from yardstone.pool import Skipped as Skipped
    from yardstone.pool import SkipReport as SkipReport
    from yardstone.ratings.joint import Prior as Prior
    from yardstone.ratings.joint import Relation as Relation
    from yardstone.ratings.match import Interval as Interval
    from yardstone.ratings.match import Match as Match
    from yardstone.ratings.match import PairedGames as PairedGames
    from yardstone.ratings.match import elo as elo
    from yardstone.ratings.match import normalized_elo as normalized_elo
    from yardstone.ratings.match import pentanomial as pentanomial
    from yardstone.ratings.match import superiority as match_superiority
    from yardstone.ratings.rating_list import GameForecast as GameForecast
    from yardstone.ratings.rating_list import PlayerRating as PlayerRating
    from yardstone.ratings.rating_list import RatingList as RatingList
    from yardstone.ratings.rating_list import rate as rate
    from yardstone.ratings.rating_list import rate_list as rate_list
    from yardstone.ratings.result import Estimate as Estimate
    from yardstone.ratings.result import JointRatings as JointRatings
    from yardstone.ratings.result import Ratings as Ratings
    from yardstone.ratings.result import Status as Status
    from yardstone.ratings.simulation import simulate as simulate
    from yardstone.ratings.sprt import MatchJudgement as MatchJudgement
    from yardstone.ratings.sprt import Sprt as Sprt
    from yardstone.ratings.sprt import SprtState as SprtState
    from yardstone.ratings.sprt import match as match
    from yardstone.ratings.systems import *  # noqa: F403
    from yardstone.ratings.uncertainty import superiority as superiority
    from yardstone.records import query as query
    from yardstone.records import read as read
    from yardstone.strength.estimation import StrengthEstimate as StrengthEstimate
    from yardstone.strength.estimation import estimate as estimate
    from yardstone.strength.fusion import Fusion as Fusion

    __version__: str
    __all__ = ["__version__", "history", "match_superiority"]

_, _load = lazy_names(__name__)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("yardstone")
    return _load(name)


def __dir__() -> list[str]:
    return sorted(_load("__all__"))
