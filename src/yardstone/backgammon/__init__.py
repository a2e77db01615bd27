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
    from yardstone.backgammon.error_rates import Errors
    from yardstone.backgammon.error_system import ErrorRates
    from yardstone.backgammon.file_analysis import (
        AnalysisFile,
        AnalysisSettings,
        FileAnalysis,
        MatchFiles,
        PositionEvaluation,
        evaluate_position,
    )
    from yardstone.backgammon.formulas import PUBLISHED, Formula
    from yardstone.backgammon.gnubg import find_gnubg
    from yardstone.backgammon.matches import PlayerSummary
    from yardstone.backgammon.positions import Position, read_position
    from yardstone.backgammon.rating import RatingAnswer, RatingQuestion, rating_answer

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
        "file_analysis": (
            "AnalysisFile",
            "AnalysisSettings",
            "FileAnalysis",
            "MatchFiles",
            "PositionEvaluation",
            "evaluate_position",
        ),
        "error_rates": ("Errors",),
        "error_system": ("ErrorRates",),
        "formulas": (
            "PUBLISHED",
            "Formula",
        ),
        "gnubg": ("find_gnubg",),
        "positions": (
            "Position",
            "read_position",
        ),
        "rating": (
            "RatingAnswer",
            "RatingQuestion",
            "rating_answer",
        ),
        "matches": ("PlayerSummary",),
    },
)
