"""Backgammon: GNU Backgammon as a separate program, error rates and ratings.

Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yardstone.facade import lazy_names

if TYPE_CHECKING:
    from yardstone.backgammon.analysis import ListedPlayers as ListedPlayers
    from yardstone.backgammon.analysis import MatchAnalysis as MatchAnalysis
    from yardstone.backgammon.analysis import RatingRule as RatingRule
    from yardstone.backgammon.analysis import analyse_matches as analyse_matches
    from yardstone.backgammon.error_rates import Errors as Errors
    from yardstone.backgammon.error_system import ErrorRates as ErrorRates
    from yardstone.backgammon.file_analysis import AnalysisFile as AnalysisFile
    from yardstone.backgammon.file_analysis import AnalysisSettings as AnalysisSettings
    from yardstone.backgammon.file_analysis import FileAnalysis as FileAnalysis
    from yardstone.backgammon.file_analysis import PositionEvaluation as PositionEvaluation
    from yardstone.backgammon.file_analysis import evaluate_position as evaluate_position
    from yardstone.backgammon.file_analysis import match_files as match_files
    from yardstone.backgammon.formulas import PUBLISHED as PUBLISHED
    from yardstone.backgammon.formulas import Formula as Formula
    from yardstone.backgammon.gnubg import find_gnubg as find_gnubg
    from yardstone.backgammon.matches import PlayerSummary as PlayerSummary
    from yardstone.backgammon.positions import Position as Position
    from yardstone.backgammon.positions import read_position as read_position
    from yardstone.backgammon.rating import RatingAnswer as RatingAnswer
    from yardstone.backgammon.rating import RatingQuestion as RatingQuestion
    from yardstone.backgammon.rating import rating_answer as rating_answer


__dir__, __getattr__ = lazy_names(__name__)
