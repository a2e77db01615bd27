"""How well does style alone tell a rank? ``python -m lab.studies.style_features [SHARED]``.

SHARED (else YARDSTONE_SHARED, else ``shared`` beside the project) is the folder with
``data/go/kgs_style``: features of 3,120 samples of players of KGS, 120 of each rank from
20 kyu to 6 dan, by Moudřík, Baudiš and Neruda (jmoudrik/gostyle). Ten-fold
cross-validation of `yardstone.strength.style`, with all features and with each file's
alone, of a straight line on the same normal scores, and of the mean. The table goes to
``docs/studies/style-features-tables.md``.
"""

from __future__ import annotations

import argparse
import platform
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lab.studies.order import ROOT, require, shared_folder
from yardstone.parallel import context
from yardstone.strength.style import (
    PUBLISHED,
    StyleTable,
    Validation,
    cross_validate,
    folds_of,
    normal_scores,
    read_style,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

TABLE = ROOT / "docs" / "studies" / "style-features-tables.md"
GROUPS = {
    1: "who answers whom (local sequences)",
    2: "distance from the border",
    3: "captures",
    4: "how games ended",
    5: "points at the end",
}
FOLDS = 10
#: Of the straight line, chosen within each training part.
PENALTIES = (0.1, 1.0, 10.0, 100.0, 1000.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("shared", nargs="?", type=Path, default=shared_folder())
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=None)
    options = parser.parse_args()
    require("style_features", options.shared)
    files = sorted((options.shared / "data/go/kgs_style").glob("feature_*.tab.gz"))
    everything = read_style(*files)
    rows = []
    with context(workers=options.workers):
        result = cross_validate(everything, folds=FOLDS, seed=options.seed)
    rows.append(row("all features", everything, result))
    for number, file in enumerate(files, start=1):
        table = read_style(file)
        with context(workers=options.workers):
            one = cross_validate(table, folds=FOLDS, seed=options.seed)
        rows.append(row(GROUPS[number], table, one))
        print(rows[-1], flush=True)
    line = straight_line(everything, options.seed)
    error = float(np.sqrt(np.mean(np.square(line - everything.strength))))
    rows.append(f"| all, a straight line | {len(everything.names)} | {error:.2f} |  |  |")
    rows.append(f"| none: the mean rank | 0 | {result.baseline_error:.2f} |  |  |")
    text = [
        "| features | number | error (95 %) | mean distance | in their 90 % interval |",
        "|---|--:|--:|--:|--:|",
        *rows,
        "",
        f"Errors are standard deviations in ranks; the published one, with features of "
        f"patterns besides, is {PUBLISHED}. `python -m lab.studies.style_features --seed "
        f"{options.seed}`, {date.today()}; Yardstone {version('yardstone')}, numpy "
        f"{version('numpy')}, scipy {version('scipy')}, Python {platform.python_version()}.",
    ]
    TABLE.write_text("\n".join(text) + "\n", encoding="utf-8")
    print("\n".join(text))


def row(name: str, table: StyleTable, validation: Validation) -> str:
    """A line of the table."""
    low, high = validation.interval()
    return (
        f"| {name} | {len(table.names)} | {validation.error:.2f} ({low:.2f} to {high:.2f}) "
        f"| {validation.absolute_error:.2f} | {100 * validation.coverage():.1f} % |"
    )


def straight_line(table: StyleTable, seed: int) -> Array:
    """Ridge regression on normal scores, its penalty by cross-validation inside each part."""
    fold = folds_of(table.strength, FOLDS, seed)
    predicted = np.empty(len(table))
    for number in range(FOLDS):
        train, test = table.select(fold != number), fold == number
        inner = folds_of(train.strength, FOLDS, seed + 1)
        errors = []
        for penalty in PENALTIES:
            guess = np.empty(len(train))
            for part in range(FOLDS):
                here = inner == part
                guess[here] = ridge(train.select(~here), train.features[here], penalty)
            errors.append(float(np.mean(np.square(guess - train.strength))))
        best = PENALTIES[int(np.argmin(errors))]
        predicted[test] = ridge(train, table.features[test], best)
    return predicted


def ridge(train: StyleTable, features: Array, penalty: float) -> Array:
    """Predictions of a straight line on the places of features among the training players."""
    ordered = np.sort(train.features, axis=0)
    known, new = (normal_scores(each, ordered) for each in (train.features, features))
    mean = float(train.strength.mean())
    gram = known.T @ known + penalty * np.eye(known.shape[1])
    weights = np.linalg.solve(gram, known.T @ (train.strength - mean))
    return np.asarray(mean + new @ weights)


if __name__ == "__main__":
    main()
