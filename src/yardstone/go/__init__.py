"""Go: board, rules, network inputs and network files, judging a position.

The names below are loaded when they are used, so that importing this package costs
nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yardstone.facade import lazy_names

if TYPE_CHECKING:
    from yardstone.go.analysis import (
        AnalysedGames,
        GameAnalysis,
        JudgedGames,
        Judgement,
        Phases,
        Total,
        analyse,
        analyse_files,
        analyse_games,
        game_totals,
        judge_files,
        judge_games,
        player_totals,
    )
    from yardstone.go.board import Board
    from yardstone.go.evaluator import Assessment, Evaluator, NetworkAnswer, NetworkQuestion
    from yardstone.go.feature_store import FeatureStore
    from yardstone.go.features import ExtractionSettings, extract_features
    from yardstone.go.inputs import Encoded, encode_game
    from yardstone.go.losses import LossEffort, Losses
    from yardstone.go.nets.network import Network, load_network
    from yardstone.go.positions import evaluate_file, evaluate_lines
    from yardstone.go.rules import Rules, parse_rules

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
        "analysis": (
            "GameAnalysis",
            "Phases",
            "analyse",
            "analyse_games",
            "AnalysedGames",
            "JudgedGames",
            "analyse_files",
            "judge_files",
            "Judgement",
            "judge_games",
            "Total",
            "game_totals",
            "player_totals",
        ),
        "board": ("Board",),
        "evaluator": ("NetworkAnswer", "Evaluator", "NetworkQuestion", "Assessment"),
        "features": ("extract_features", "ExtractionSettings"),
        "feature_store": ("FeatureStore",),
        "inputs": ("Encoded", "encode_game"),
        "losses": ("LossEffort", "Losses"),
        "nets.network": ("Network", "load_network"),
        "positions": ("evaluate_file", "evaluate_lines"),
        "rules": ("Rules", "parse_rules"),
    },
)
