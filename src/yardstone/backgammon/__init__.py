"""Backgammon: GNU Backgammon as a separate program, error rates and ratings.

Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yardstone.facade import lazy_names

if TYPE_CHECKING:
    from yardstone.backgammon.analysis import (
        ListedPlayers,
        MatchAnalysis,
        RatingRule,
        analyse_matches,
    )
    from yardstone.backgammon.analysis_file import AnalysisFile
    from yardstone.backgammon.error_rates import Errors
    from yardstone.backgammon.error_system import ErrorRates
    from yardstone.backgammon.file_analysis import AnalysisSettings, FileAnalysis
    from yardstone.backgammon.formulas import PUBLISHED, Formula
    from yardstone.backgammon.gnubg import find_gnubg
    from yardstone.backgammon.match_files import MatchFiles
    from yardstone.backgammon.position_evaluation import PositionEvaluation, evaluate_position
    from yardstone.backgammon.positions import Position, read_position
    from yardstone.backgammon.rating import RatingAnswer, RatingQuestion, rating_answer
    from yardstone.backgammon.summary import PlayerSummary

__all__ = [
    "PUBLISHED",
    "AnalysisFile",
    "AnalysisSettings",
    "ErrorRates",
    "Errors",
    "FileAnalysis",
    "Formula",
    "ListedPlayers",
    "MatchAnalysis",
    "MatchFiles",
    "PlayerSummary",
    "Position",
    "PositionEvaluation",
    "RatingAnswer",
    "RatingQuestion",
    "RatingRule",
    "analyse_matches",
    "evaluate_position",
    "find_gnubg",
    "rating_answer",
    "read_position",
]

__getattr__ = lazy_names(
    __name__,
    {
        "analysis": (
            "ListedPlayers",
            "MatchAnalysis",
            "RatingRule",
            "analyse_matches",
        ),
        "analysis_file": ("AnalysisFile",),
        "error_rates": ("Errors",),
        "error_system": ("ErrorRates",),
        "file_analysis": (
            "AnalysisSettings",
            "FileAnalysis",
        ),
        "formulas": (
            "PUBLISHED",
            "Formula",
        ),
        "gnubg": ("find_gnubg",),
        "match_files": ("MatchFiles",),
        "position_evaluation": (
            "PositionEvaluation",
            "evaluate_position",
        ),
        "positions": (
            "Position",
            "read_position",
        ),
        "rating": (
            "RatingAnswer",
            "RatingQuestion",
            "rating_answer",
        ),
        "summary": ("PlayerSummary",),
    },
)
