"""Go: board, rules, network inputs and network files, judging a position.

The names below are loaded when they are used, so that importing this package costs
nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yardstone.facade import lazy_names

if TYPE_CHECKING:
    from yardstone.go.analysis import AnalysedGames as AnalysedGames
    from yardstone.go.analysis import GameAnalysis as GameAnalysis
    from yardstone.go.analysis import JudgedGames as JudgedGames
    from yardstone.go.analysis import Judgement as Judgement
    from yardstone.go.analysis import Phases as Phases
    from yardstone.go.analysis import Total as Total
    from yardstone.go.analysis import analyse as analyse
    from yardstone.go.analysis import analyse_files as analyse_files
    from yardstone.go.analysis import analyse_games as analyse_games
    from yardstone.go.analysis import game_totals as game_totals
    from yardstone.go.analysis import judge_files as judge_files
    from yardstone.go.analysis import judge_games as judge_games
    from yardstone.go.analysis import player_totals as player_totals
    from yardstone.go.board import Board as Board
    from yardstone.go.evaluator import Assessment as Assessment
    from yardstone.go.evaluator import Evaluator as Evaluator
    from yardstone.go.evaluator import NetworkAnswer as NetworkAnswer
    from yardstone.go.evaluator import NetworkQuestion as NetworkQuestion
    from yardstone.go.feature_store import FeatureStore as FeatureStore
    from yardstone.go.features import ExtractionSettings as ExtractionSettings
    from yardstone.go.features import extract_features as extract_features
    from yardstone.go.inputs import Encoded as Encoded
    from yardstone.go.inputs import encode_game as encode_game
    from yardstone.go.losses import LossEffort as LossEffort
    from yardstone.go.losses import Losses as Losses
    from yardstone.go.nets.network import Network as Network
    from yardstone.go.nets.network import load_network as load_network
    from yardstone.go.positions import evaluate_file as evaluate_file
    from yardstone.go.positions import evaluate_lines as evaluate_lines
    from yardstone.go.rules import Rules as Rules
    from yardstone.go.rules import parse_rules as parse_rules


__dir__, __getattr__ = lazy_names(__name__)
