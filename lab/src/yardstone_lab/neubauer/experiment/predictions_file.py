"""The predictions of an experiment on disk: exact as npz, and readable as CSV."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.arrays import ArrayFile, StoredArrays
from yardstone_lab.neubauer.experiment.predictions import ExperimentPredictions
from yardstone_lab.neubauer.experiment.questions import EVERYTHING, Questions

if TYPE_CHECKING:
    from yardstone.pool import Pool

__all__ = ["load_predictions", "predictions_csv", "save_predictions"]

_FILE = ArrayFile("file of predictions")


def save_predictions(predictions: ExperimentPredictions, pool: Pool, path: Path) -> None:
    """Write predictions to one file (numpy's npz)."""
    questions = predictions.questions
    about = {
        "systems": list(predictions.expected),
        "rated": list(predictions.ratings),
        "about": predictions.about,
    }
    kept: dict[str, Any] = {
        "about": np.array(json.dumps(about | {"about": dict(predictions.about)})),
        "game": questions.game,
        "letter": questions.letter,
        "last": questions.last,
        "score": predictions.score,
        "labels": predictions.labels,
        "players": predictions.players,
    }
    kept |= {f"expected_{k}": values for k, values in enumerate(predictions.expected.values())}
    kept |= {f"rating_{k}": values for k, values in enumerate(predictions.ratings.values())}
    _FILE.write(path, kept)


def load_predictions(path: Path) -> ExperimentPredictions:
    """Read what `save_predictions` wrote.

    Raises
    ------
    InputError
        It is something else, or damaged.
    """
    return _FILE.read(path, _predictions)


def _predictions(kept: StoredArrays, _: object) -> ExperimentPredictions:
    about = json.loads(str(kept["about"]))
    return ExperimentPredictions(
        Questions(kept["game"], kept["letter"], kept["last"]),
        kept["score"],
        kept["labels"],
        kept["players"],
        {name: kept[f"expected_{k}"] for k, name in enumerate(about["systems"])},
        {name: kept[f"rating_{k}"] for k, name in enumerate(about["rated"])},
        about["about"],
    )


def predictions_csv(predictions: ExperimentPredictions, pool: Pool) -> str:
    """A row a question: set, games seen, the game, labels, predictions and ratings."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    rated = [name for name in predictions.ratings if name in predictions.expected]
    writer.writerow(
        ["set", "games_seen", "game", "time", "black", "white", "score"]
        + ["black_label", "white_label", *predictions.expected]
        + [f"{name} {side}" for name in rated for side in ("black", "white")]
    )
    questions = predictions.questions
    keys = pool.columns["key"]
    for row, game in enumerate(questions.game.tolist()):
        last = int(questions.last[row])
        time = "" if pool.time is None else str(pool.time[game])
        black, white = (pool.players[number] for number in predictions.players[row])
        writer.writerow(
            [questions.letter[row], "all" if last == EVERYTHING else last, keys[game], time]
            + [black, white, f"{predictions.score[row]:g}"]
            + [f"{value:.1f}" for value in predictions.labels[row]]
            + [f"{values[row]:.5f}" for values in predictions.expected.values()]
            + [f"{value:.1f}" for name in rated for value in predictions.ratings[name][row]]
        )
    return out.getvalue()
