"""From a difference of strength to the probability of each result.

Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yardstone.facade import lazy_names

if TYPE_CHECKING:
    from yardstone.winprob.grade_model import GradeModel
    from yardstone.winprob.grades import format_grade, parse_grade
    from yardstone.winprob.handicap_advice import HandicapAdvice, advise_handicap
    from yardstone.winprob.kaniuk import PUBLISHED, Kaniuk
    from yardstone.winprob.likelihood import GradedGames, LikelihoodFit, fit_likelihood
    from yardstone.winprob.logistic import rating_difference, win_probability
    from yardstone.winprob.models import MODELS, WinningModel, winning_model
    from yardstone.winprob.players import PairProbability, opponent_for, probability_between
    from yardstone.winprob.statistics import WinningStatistics
    from yardstone.winprob.statistics_files import statistics_of_files

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
        "grade_model": ("GradeModel",),
        "grades": (
            "format_grade",
            "parse_grade",
        ),
        "handicap_advice": (
            "HandicapAdvice",
            "advise_handicap",
        ),
        "kaniuk": (
            "PUBLISHED",
            "Kaniuk",
        ),
        "likelihood": (
            "GradedGames",
            "LikelihoodFit",
            "fit_likelihood",
        ),
        "logistic": (
            "rating_difference",
            "win_probability",
        ),
        "models": (
            "MODELS",
            "WinningModel",
            "winning_model",
        ),
        "players": (
            "PairProbability",
            "opponent_for",
            "probability_between",
        ),
        "statistics": ("WinningStatistics",),
        "statistics_files": ("statistics_of_files",),
    },
)
