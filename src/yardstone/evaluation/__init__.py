"""Which system predicts best, and ratings over time.

Names are loaded when they are first used, so that importing this package costs nothing.

>>> from yardstone.evaluation import measure
>>> round(measure([1, 0, 1], [0.7, 0.4, 0.6]).accuracy, 2)
1.0
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yardstone.facade import lazy_names

if TYPE_CHECKING:
    from yardstone.evaluation.backtest import evaluate
    from yardstone.evaluation.comparison import Evaluation, Prediction, Ranking, compare, tune
    from yardstone.evaluation.findings import Findings, examine
    from yardstone.evaluation.history import RatingCurve, RatingHistory, rating_history
    from yardstone.evaluation.interval_scale import GameForecast
    from yardstone.evaluation.ledger import Ledger, load_ledger, save_ledger
    from yardstone.evaluation.metrics import CalibrationCurve, Measures, calibrate, measure
    from yardstone.evaluation.prediction import compare_table, predict, read_predictions
    from yardstone.evaluation.rated_games import RatedGames, whole_history
    from yardstone.evaluation.splits import Labels, Subset, expected_from_ratings, rating_labels
    from yardstone.evaluation.uncertainty import MeanInterval

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
    "Subset",
    "calibrate",
    "compare",
    "compare_table",
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

__getattr__ = lazy_names(
    __name__,
    {
        "backtest": ("evaluate",),
        "uncertainty": ("MeanInterval",),
        "metrics": ("CalibrationCurve", "calibrate", "Measures", "measure"),
        "comparison": ("compare", "Evaluation", "Prediction", "Ranking", "tune"),
        "history": ("RatingCurve", "RatingHistory", "rating_history"),
        "findings": ("Findings", "examine"),
        "interval_scale": ("GameForecast",),
        "prediction": ("predict", "compare_table", "read_predictions"),
        "splits": ("Labels", "expected_from_ratings", "rating_labels", "Subset"),
        "ledger": ("Ledger", "load_ledger", "save_ledger"),
        "rated_games": ("RatedGames", "whole_history"),
    },
)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
