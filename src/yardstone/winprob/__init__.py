"""From a difference of strength to the probability of each result.

Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yardstone.facade import lazy_names

if TYPE_CHECKING:
    from yardstone.grades import format_grade as format_grade
    from yardstone.grades import parse_grade as parse_grade
    from yardstone.winprob.kaniuk import PUBLISHED as PUBLISHED
    from yardstone.winprob.kaniuk import GradeModel as GradeModel
    from yardstone.winprob.kaniuk import Kaniuk as Kaniuk
    from yardstone.winprob.laws import rating_difference as rating_difference
    from yardstone.winprob.laws import win_probability as win_probability
    from yardstone.winprob.likelihood import GradedGames as GradedGames
    from yardstone.winprob.likelihood import LikelihoodFit as LikelihoodFit
    from yardstone.winprob.likelihood import fit_likelihood as fit_likelihood
    from yardstone.winprob.model import MODELS as MODELS
    from yardstone.winprob.model import WinningModel as WinningModel
    from yardstone.winprob.model import winning_model as winning_model
    from yardstone.winprob.players import HandicapAdvice as HandicapAdvice
    from yardstone.winprob.players import PairProbability as PairProbability
    from yardstone.winprob.players import advise_handicap as advise_handicap
    from yardstone.winprob.players import opponent_for as opponent_for
    from yardstone.winprob.players import probability_between as probability_between
    from yardstone.winprob.statistics import WinningStatistics as WinningStatistics
    from yardstone.winprob.statistics import statistics_of_files as statistics_of_files


__dir__, __getattr__ = lazy_names(__name__)
