"""Which system predicts best, and ratings over time.

Names are loaded when they are first used, so that importing this package costs nothing.

>>> from yardstone.evaluation import measure
>>> round(measure([1, 0, 1], [0.7, 0.4, 0.6]).accuracy, 2)
1.0
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from yardstone.evaluation.backtest import evaluate
    from yardstone.evaluation.bootstrap import MeanInterval
    from yardstone.evaluation.calibration import CalibrationCurve, calibrate
    from yardstone.evaluation.comparison import compare
    from yardstone.evaluation.curves import RatingCurve
    from yardstone.evaluation.findings import Findings, examine
    from yardstone.evaluation.forecast import GameForecast
    from yardstone.evaluation.history import RatingHistory, rating_history
    from yardstone.evaluation.labels import Labels, expected_from_ratings, rating_labels
    from yardstone.evaluation.ledger import Ledger
    from yardstone.evaluation.ledger_file import load_ledger, save_ledger
    from yardstone.evaluation.metrics import Measures, measure
    from yardstone.evaluation.prediction import predict
    from yardstone.evaluation.prediction_table import compare_table, read_predictions
    from yardstone.evaluation.rated_games import RatedGames, whole_history
    from yardstone.evaluation.result import Evaluation, Prediction, Ranking
    from yardstone.evaluation.sets import Sets, draw_sets
    from yardstone.evaluation.splits import Subset
    from yardstone.evaluation.tuning import tune

_HOMES = {
    "backtest": ("evaluate",),
    "bootstrap": ("MeanInterval",),
    "calibration": ("CalibrationCurve", "calibrate"),
    "comparison": ("compare",),
    "curves": ("RatingCurve",),
    "findings": ("Findings", "examine"),
    "forecast": ("GameForecast",),
    "prediction": ("predict",),
    "history": ("RatingHistory", "rating_history"),
    "labels": ("Labels", "expected_from_ratings", "rating_labels"),
    "ledger": ("Ledger",),
    "ledger_file": ("load_ledger", "save_ledger"),
    "metrics": ("Measures", "measure"),
    "prediction_table": ("compare_table", "read_predictions"),
    "rated_games": ("RatedGames", "whole_history"),
    "result": ("Evaluation", "Prediction", "Ranking"),
    "sets": ("Sets", "draw_sets"),
    "splits": ("Subset",),
    "tuning": ("tune",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}
__all__ = [
    "CalibrationCurve",
    "Evaluation",
    "Findings",
    "GameForecast",
    "Labels",
    "Ledger",
    "MeanInterval",
    "Measures",
    "Prediction",
    "Ranking",
    "RatedGames",
    "RatingCurve",
    "RatingHistory",
    "Sets",
    "Subset",
    "calibrate",
    "compare",
    "compare_table",
    "draw_sets",
    "evaluate",
    "examine",
    "expected_from_ratings",
    "load_ledger",
    "measure",
    "predict",
    "rating_history",
    "rating_labels",
    "read_predictions",
    "save_ledger",
    "tune",
    "whole_history",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'yardstone.evaluation' has no attribute {name!r}")
    value = getattr(import_module(f"yardstone.evaluation.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
