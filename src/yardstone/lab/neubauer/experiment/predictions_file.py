"""The predictions of an experiment on disk: exact as npz, and readable as CSV."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.arrays import ArrayFile, StoredArrays
from yardstone.lab.neubauer.experiment.predictions import ExperimentPredictions
from yardstone.lab.neubauer.experiment.questions import EVERYTHING, Questions

if TYPE_CHECKING:
    from yardstone.pool import Pool

__all__ = ["load_predictions", "predictions_csv", "save_predictions"]

_FILE = ArrayFile("file of predictions")


def save_predictions(found: ExperimentPredictions, pool: Pool, path: Path) -> None:
    """Write predictions to one file (numpy's npz)."""
    questions = found.questions
    about = {"systems": list(found.expected), "rated": list(found.ratings), "about": found.about}
    kept: dict[str, Any] = {
        "about": np.array(json.dumps(about | {"about": dict(found.about)})),
        "game": questions.game,
        "letter": questions.letter,
        "last": questions.last,
        "score": found.score,
        "labels": found.labels,
        "players": found.players,
    }
    kept |= {f"expected_{k}": values for k, values in enumerate(found.expected.values())}
    kept |= {f"rating_{k}": values for k, values in enumerate(found.ratings.values())}
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


def predictions_csv(found: ExperimentPredictions, pool: Pool) -> str:
    """A row a question: set, games seen, the game, labels, predictions and ratings."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    rated = [name for name in found.ratings if name in found.expected]
    writer.writerow(
        ["set", "games_seen", "game", "time", "black", "white", "score"]
        + ["black_label", "white_label", *found.expected]
        + [f"{name} {side}" for name in rated for side in ("black", "white")]
    )
    questions = found.questions
    keys = pool.columns["key"]
    for row, game in enumerate(questions.game.tolist()):
        last = int(questions.last[row])
        time = "" if pool.time is None else str(pool.time[game])
        black, white = (pool.players[number] for number in found.players[row])
        writer.writerow(
            [questions.letter[row], "all" if last == EVERYTHING else last, keys[game], time]
            + [black, white, f"{found.score[row]:g}"]
            + [f"{value:.1f}" for value in found.labels[row]]
            + [f"{values[row]:.5f}" for values in found.expected.values()]
            + [f"{value:.1f}" for name in rated for value in found.ratings[name][row]]
        )
    return out.getvalue()
