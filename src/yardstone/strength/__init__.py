"""Strength from moves: what the moves of a few games of Go say about a player.

The names below are loaded when they are used, so that importing this package costs
nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yardstone.facade import lazy_names

if TYPE_CHECKING:
    from yardstone.strength.calibration import Calibration as Calibration
    from yardstone.strength.calibration import ScoreCost as ScoreCost
    from yardstone.strength.calibration import fit_calibration as fit_calibration
    from yardstone.strength.calibration import score_cost as score_cost
    from yardstone.strength.estimation import Estimates as Estimates
    from yardstone.strength.estimation import PlayerEstimate as PlayerEstimate
    from yardstone.strength.estimation import StrengthEstimate as StrengthEstimate
    from yardstone.strength.estimation import estimate_player as estimate_player
    from yardstone.strength.estimation import estimate_players as estimate_players
    from yardstone.strength.evidence import Evidence as Evidence
    from yardstone.strength.evidence import evidence_of_games as evidence_of_games
    from yardstone.strength.evidence import evidence_of_store as evidence_of_store
    from yardstone.strength.fusion import Fusion as Fusion
    from yardstone.strength.fusion import GlickoFromMoves as GlickoFromMoves
    from yardstone.strength.fusion import MovesPrior as MovesPrior
    from yardstone.strength.fusion import Sides as Sides
    from yardstone.strength.fusion import fit_moves_prior as fit_moves_prior
    from yardstone.strength.fusion import fuse as fuse
    from yardstone.strength.fusion_moves import GameMoves as GameMoves
    from yardstone.strength.fusion_moves import read_moves as read_moves
    from yardstone.strength.fusion_moves import with_moves as with_moves
    from yardstone.strength.fusion_priors import fit_fusion as fit_fusion
    from yardstone.strength.intervals import IntervalTable as IntervalTable
    from yardstone.strength.listed_moves import CostlyMove as CostlyMove
    from yardstone.strength.listed_moves import IndicativeMove as IndicativeMove
    from yardstone.strength.model import RankScore as RankScore
    from yardstone.strength.model import StrengthModel as StrengthModel
    from yardstone.strength.players import AmbiguousPlayerError as AmbiguousPlayerError
    from yardstone.strength.players import find_player as find_player
    from yardstone.strength.site_scales import RANKS as RANKS
    from yardstone.strength.site_scales import SITE_SCALES as SITE_SCALES
    from yardstone.strength.site_scales import SiteScale as SiteScale
    from yardstone.strength.site_scales import fox_rank as fox_rank
    from yardstone.strength.strengths import Rated as Rated
    from yardstone.strength.strengths import RatedGame as RatedGame
    from yardstone.strength.style import StyleModel as StyleModel
    from yardstone.strength.style import StyleTable as StyleTable
    from yardstone.strength.style import Validation as Validation
    from yardstone.strength.style import cross_validate as cross_validate
    from yardstone.strength.style import fit_style as fit_style
    from yardstone.strength.style import read_style as read_style


__dir__, __getattr__ = lazy_names(__name__)
