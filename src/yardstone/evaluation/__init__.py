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
    from yardstone.evaluation.backtest import evaluate as evaluate
    from yardstone.evaluation.comparison import Evaluation as Evaluation
    from yardstone.evaluation.comparison import Prediction as Prediction
    from yardstone.evaluation.comparison import Ranking as Ranking
    from yardstone.evaluation.comparison import compare as compare
    from yardstone.evaluation.comparison import tune as tune
    from yardstone.evaluation.findings import Findings as Findings
    from yardstone.evaluation.findings import examine as examine
    from yardstone.evaluation.history import RatingCurve as RatingCurve
    from yardstone.evaluation.history import RatingHistory as RatingHistory
    from yardstone.evaluation.history import rating_history as rating_history
    from yardstone.evaluation.ledger import Ledger as Ledger
    from yardstone.evaluation.ledger import load_ledger as load_ledger
    from yardstone.evaluation.ledger import save_ledger as save_ledger
    from yardstone.evaluation.metrics import CalibrationCurve as CalibrationCurve
    from yardstone.evaluation.metrics import Measures as Measures
    from yardstone.evaluation.metrics import calibrate as calibrate
    from yardstone.evaluation.metrics import measure as measure
    from yardstone.evaluation.prediction import compare_table as compare_table
    from yardstone.evaluation.prediction import predict as predict
    from yardstone.evaluation.prediction import read_predictions as read_predictions
    from yardstone.evaluation.rated_games import RatedGames as RatedGames
    from yardstone.evaluation.rated_games import whole_history as whole_history
    from yardstone.evaluation.splits import Labels as Labels
    from yardstone.evaluation.splits import Subset as Subset
    from yardstone.evaluation.splits import rating_labels as rating_labels
    from yardstone.evaluation.uncertainty import MeanInterval as MeanInterval
    from yardstone.ratings.rating_list import GameForecast as GameForecast


__dir__, __getattr__ = lazy_names(__name__)
