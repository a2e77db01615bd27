"""From a difference of strength to the probability of each result.

Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yardstone.facade import lazy_names

if TYPE_CHECKING:
    from yardstone.grades import format_grade, parse_grade
    from yardstone.winprob.kaniuk import PUBLISHED, GradeModel, Kaniuk
    from yardstone.winprob.laws import rating_difference, win_probability
    from yardstone.winprob.likelihood import GradedGames, LikelihoodFit, fit_likelihood
    from yardstone.winprob.model import MODELS, WinningModel, winning_model
    from yardstone.winprob.players import (
        HandicapAdvice,
        PairProbability,
        advise_handicap,
        opponent_for,
        probability_between,
    )
    from yardstone.winprob.statistics import WinningStatistics, statistics_of_files

__all__ = [
    "PUBLISHED",
    "MODELS",
    "GradeModel",
    "GradedGames",
    "HandicapAdvice",
    "Kaniuk",
    "LikelihoodFit",
    "PairProbability",
    "WinningModel",
    "WinningStatistics",
    "advise_handicap",
    "fit_likelihood",
    "format_grade",
    "opponent_for",
    "parse_grade",
    "probability_between",
    "rating_difference",
    "statistics_of_files",
    "win_probability",
    "winning_model",
]

__getattr__ = lazy_names(
    __name__,
    {
        "kaniuk": ("GradeModel", "PUBLISHED", "Kaniuk"),
        ".grades": (
            "format_grade",
            "parse_grade",
        ),
        "players": (
            "HandicapAdvice",
            "advise_handicap",
            "PairProbability",
            "opponent_for",
            "probability_between",
        ),
        "likelihood": (
            "GradedGames",
            "LikelihoodFit",
            "fit_likelihood",
        ),
        "laws": (
            "rating_difference",
            "win_probability",
        ),
        "model": (
            "MODELS",
            "WinningModel",
            "winning_model",
        ),
        "statistics": ("WinningStatistics", "statistics_of_files"),
    },
)
