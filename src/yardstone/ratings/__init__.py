"""From results to strengths: joint fits of all games, and systems that follow time.

Names are loaded when they are first used: loops come with their systems, which
`yardstone.ratings.systems` lists.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yardstone.facade import lazy_names

if TYPE_CHECKING:
    from yardstone.ratings.egf import Handicap as Handicap
    from yardstone.ratings.elo import FIDE as FIDE
    from yardstone.ratings.elo import KFactor as KFactor
    from yardstone.ratings.joint import PlayerPriors as PlayerPriors
    from yardstone.ratings.joint import Prior as Prior
    from yardstone.ratings.joint import Relation as Relation
    from yardstone.ratings.rating_list import RatingList as RatingList
    from yardstone.ratings.rating_list import rate as rate
    from yardstone.ratings.rating_list import rate_list as rate_list
    from yardstone.ratings.result import Estimate as Estimate
    from yardstone.ratings.result import JointRatings as JointRatings
    from yardstone.ratings.result import JointSystem as JointSystem
    from yardstone.ratings.result import Ratings as Ratings
    from yardstone.ratings.result import Replay as Replay
    from yardstone.ratings.result import SequentialSystem as SequentialSystem
    from yardstone.ratings.result import Status as Status
    from yardstone.ratings.sequential import State as State
    from yardstone.ratings.systems import *  # noqa: F403
    from yardstone.ratings.whole_history import Curve as Curve
    from yardstone.ratings.whole_history import WholeHistoryRatings as WholeHistoryRatings


__dir__, __getattr__ = lazy_names(__name__)
