"""Go: board, rules, network inputs and network files, judging a position.

The names below are loaded when they are used, so that importing this package costs
nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yardstone.facade import lazy_names

if TYPE_CHECKING:
    from yardstone.go.analysis import GameAnalysis, Phases, analyse, analyse_games
    from yardstone.go.board import Board
    from yardstone.go.evaluator import Evaluator, NetworkAnswer, NetworkQuestion
    from yardstone.go.extraction import extract_features
    from yardstone.go.extraction_batch import ExtractionSettings
    from yardstone.go.feature_store import FeatureStore
    from yardstone.go.game_files import AnalysedGames, JudgedGames, analyse_files, judge_files
    from yardstone.go.inputs import Encoded, encode_game
    from yardstone.go.judgement import Judgement, judge_games
    from yardstone.go.losses import LossEffort, Losses
    from yardstone.go.nets.network import Network, load_network
    from yardstone.go.position import Assessment
    from yardstone.go.position_lines import evaluate_file, evaluate_lines
    from yardstone.go.rules import Rules, parse_rules
    from yardstone.go.totals import Total, game_totals, player_totals

__all__ = [
    "AnalysedGames",
    "Assessment",
    "Board",
    "Encoded",
    "Evaluator",
    "ExtractionSettings",
    "FeatureStore",
    "GameAnalysis",
    "JudgedGames",
    "Judgement",
    "LossEffort",
    "Losses",
    "Network",
    "NetworkAnswer",
    "NetworkQuestion",
    "Phases",
    "Rules",
    "Total",
    "analyse",
    "analyse_files",
    "analyse_games",
    "encode_game",
    "evaluate_file",
    "evaluate_lines",
    "extract_features",
    "game_totals",
    "judge_files",
    "judge_games",
    "load_network",
    "parse_rules",
    "player_totals",
]

__getattr__ = lazy_names(
    __name__,
    {
        "analysis": ("GameAnalysis", "Phases", "analyse", "analyse_games"),
        "board": ("Board",),
        "evaluator": ("NetworkAnswer", "Evaluator", "NetworkQuestion"),
        "extraction": ("extract_features",),
        "extraction_batch": ("ExtractionSettings",),
        "feature_store": ("FeatureStore",),
        "game_files": ("AnalysedGames", "JudgedGames", "analyse_files", "judge_files"),
        "inputs": ("Encoded", "encode_game"),
        "judgement": ("Judgement", "judge_games"),
        "losses": ("LossEffort", "Losses"),
        "nets.network": ("Network", "load_network"),
        "position": ("Assessment",),
        "position_lines": ("evaluate_file", "evaluate_lines"),
        "rules": ("Rules", "parse_rules"),
        "totals": ("Total", "game_totals", "player_totals"),
    },
)
