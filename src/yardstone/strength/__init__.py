"""Strength from moves: what the moves of a few games of Go say about a player.

The names below are loaded when they are used, so that importing this package costs
nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yardstone.facade import lazy_names

if TYPE_CHECKING:
    from yardstone.strength.estimate.calibrate import (
        Calibration,
        ScoreCost,
        fit_calibration,
        score_cost,
    )
    from yardstone.strength.estimate.collection import Estimates, PlayerEstimate, estimate_players
    from yardstone.strength.estimate.coverage import Coverage, coverage
    from yardstone.strength.estimate.estimate import StrengthEstimate, estimate_player
    from yardstone.strength.estimate.interval_fit import fit_intervals
    from yardstone.strength.estimate.intervals import IntervalTable
    from yardstone.strength.estimate.listed_moves import CostlyMove, IndicativeMove
    from yardstone.strength.estimate.players import AmbiguousPlayerError, find_player
    from yardstone.strength.estimate.site_scales import SITE_SCALES, SiteScale, fox_rank
    from yardstone.strength.estimate.strengths import Rated, RatedGame
    from yardstone.strength.evidence import Evidence, evidence_of_games, evidence_of_store
    from yardstone.strength.fusion.combination import Combination, fit_combination
    from yardstone.strength.fusion.game_moves import GameMoves, read_moves
    from yardstone.strength.fusion.glicko import GlickoFromMoves, fuse
    from yardstone.strength.fusion.matching import with_moves
    from yardstone.strength.fusion.moves_prior import MovesPrior, Sides, fit_moves_prior
    from yardstone.strength.fusion.prior_fit import fit_fusion
    from yardstone.strength.fusion.system import Fusion
    from yardstone.strength.model import RankScore, StrengthModel
    from yardstone.strength.rank.ranks import RANKS
    from yardstone.strength.style.model import StyleModel, Validation, cross_validate, fit_style
    from yardstone.strength.style.table import StyleTable, read_style

__all__ = [
    "RANKS",
    "SITE_SCALES",
    "AmbiguousPlayerError",
    "Calibration",
    "Combination",
    "CostlyMove",
    "Coverage",
    "StrengthEstimate",
    "Estimates",
    "Evidence",
    "Fusion",
    "GameMoves",
    "GlickoFromMoves",
    "IndicativeMove",
    "IntervalTable",
    "MovesPrior",
    "PlayerEstimate",
    "StrengthModel",
    "RankScore",
    "Rated",
    "RatedGame",
    "ScoreCost",
    "Sides",
    "SiteScale",
    "StyleModel",
    "StyleTable",
    "Validation",
    "coverage",
    "cross_validate",
    "estimate_player",
    "estimate_players",
    "evidence_of_games",
    "evidence_of_store",
    "find_player",
    "fit_calibration",
    "fit_combination",
    "fit_fusion",
    "fit_intervals",
    "fit_moves_prior",
    "fit_style",
    "fox_rank",
    "fuse",
    "read_moves",
    "read_style",
    "score_cost",
    "with_moves",
]

__getattr__ = lazy_names(
    __name__,
    {
        "estimate.calibrate": ("Calibration", "ScoreCost", "fit_calibration", "score_cost"),
        "estimate.estimate": ("StrengthEstimate", "estimate_player"),
        "estimate.coverage": ("Coverage", "coverage"),
        "estimate.interval_fit": ("fit_intervals",),
        "estimate.intervals": ("IntervalTable",),
        "estimate.listed_moves": ("CostlyMove", "IndicativeMove"),
        "estimate.collection": ("Estimates", "PlayerEstimate", "estimate_players"),
        "estimate.players": ("AmbiguousPlayerError", "find_player"),
        "estimate.strengths": ("Rated", "RatedGame"),
        "estimate.site_scales": ("SITE_SCALES", "SiteScale", "fox_rank"),
        "evidence": ("Evidence", "evidence_of_games", "evidence_of_store"),
        "fusion.combination": ("Combination", "fit_combination"),
        "fusion.game_moves": ("GameMoves", "read_moves"),
        "fusion.glicko": ("GlickoFromMoves", "fuse"),
        "fusion.matching": ("with_moves",),
        "fusion.moves_prior": ("MovesPrior", "Sides", "fit_moves_prior"),
        "fusion.prior_fit": ("fit_fusion",),
        "fusion.system": ("Fusion",),
        "model": ("RankScore", "StrengthModel"),
        "rank.ranks": ("RANKS",),
        "style.model": ("StyleModel", "Validation", "cross_validate", "fit_style"),
        "style.table": ("StyleTable", "read_style"),
    },
)
