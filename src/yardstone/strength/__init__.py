"""Strength from moves: what the moves of a few games of Go say about a player.

The names below are loaded when they are used, so that importing this package costs
nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yardstone.facade import lazy_names

if TYPE_CHECKING:
    from yardstone.strength.calibration import Calibration, ScoreCost, fit_calibration, score_cost
    from yardstone.strength.estimation import (
        Estimates,
        PlayerEstimate,
        StrengthEstimate,
        estimate_player,
        estimate_players,
    )
    from yardstone.strength.evidence import Evidence, evidence_of_games, evidence_of_store
    from yardstone.strength.fusion import (
        Fusion,
        GlickoFromMoves,
        MovesPrior,
        Sides,
        fit_moves_prior,
        fuse,
    )
    from yardstone.strength.fusion_moves import GameMoves, read_moves, with_moves
    from yardstone.strength.fusion_priors import fit_fusion
    from yardstone.strength.intervals import IntervalTable
    from yardstone.strength.listed_moves import CostlyMove, IndicativeMove
    from yardstone.strength.model import RankScore, StrengthModel
    from yardstone.strength.players import AmbiguousPlayerError, find_player
    from yardstone.strength.site_scales import RANKS, SITE_SCALES, SiteScale, fox_rank
    from yardstone.strength.strengths import Rated, RatedGame
    from yardstone.strength.style import (
        StyleModel,
        StyleTable,
        Validation,
        cross_validate,
        fit_style,
        read_style,
    )

__all__ = [
    "RANKS",
    "SITE_SCALES",
    "AmbiguousPlayerError",
    "Calibration",
    "CostlyMove",
    "Estimates",
    "Evidence",
    "Fusion",
    "GameMoves",
    "GlickoFromMoves",
    "IndicativeMove",
    "IntervalTable",
    "MovesPrior",
    "PlayerEstimate",
    "RankScore",
    "Rated",
    "RatedGame",
    "ScoreCost",
    "Sides",
    "SiteScale",
    "StrengthEstimate",
    "StrengthModel",
    "StyleModel",
    "StyleTable",
    "Validation",
    "cross_validate",
    "estimate_player",
    "estimate_players",
    "evidence_of_games",
    "evidence_of_store",
    "find_player",
    "fit_calibration",
    "fit_fusion",
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
        "calibration": ("Calibration", "ScoreCost", "fit_calibration", "score_cost"),
        "estimation": (
            "Estimates",
            "PlayerEstimate",
            "StrengthEstimate",
            "estimate_player",
            "estimate_players",
        ),
        "evidence": ("Evidence", "evidence_of_games", "evidence_of_store"),
        "fusion": ("Fusion", "GlickoFromMoves", "MovesPrior", "Sides", "fit_moves_prior", "fuse"),
        "fusion_moves": ("GameMoves", "read_moves", "with_moves"),
        "fusion_priors": ("fit_fusion",),
        "intervals": ("IntervalTable",),
        "listed_moves": ("CostlyMove", "IndicativeMove"),
        "model": ("RankScore", "StrengthModel"),
        "players": ("AmbiguousPlayerError", "find_player"),
        "site_scales": ("RANKS", "SITE_SCALES", "SiteScale", "fox_rank"),
        "strengths": ("Rated", "RatedGame"),
        "style": (
            "StyleModel",
            "StyleTable",
            "Validation",
            "cross_validate",
            "fit_style",
            "read_style",
        ),
    },
)
