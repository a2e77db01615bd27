"""Do van den Doel's weights hold for people? ``python -m lab.studies.backgammon_people``.

Fits the weights of errors to 1,191 matches between people and compares the fits with
the published formulas on matches that were left out. The matches are the archive
``human_matches.tar.gz`` of lassehjorthmadsen/backgammon (MIT), analysed by GNU
Backgammon 1.07.001 at 0 plies with ::

    yardstone backgammon analyse human_matches.tar.gz --ledger people.jsonl --table people.csv

The table is kept beside this file, so that the fits need no GNU Backgammon. The result
is written to ``docs/studies/backgammon-people-tables.md``.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Iterator
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from yardstone.backgammon.formulas import PUBLISHED, REFIT
from yardstone_lab.vandendoel.comparison import (
    Target,
    WeightFit,
    WeightModel,
    cross_validate,
    fit_weights,
    folds_by_player,
    rarer_player,
)
from yardstone_lab.vandendoel.tables import MatchTable, read_match_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

HERE = Path(__file__).resolve().parent
MATCHES = HERE / "backgammon_people.csv.gz"
TABLE = HERE.parent / "docs" / "studies" / "backgammon-people-tables.md"
FOLDS = 10
TARGETS: tuple[Target, ...] = ("luck-adjusted", "won")
MODELS: dict[str, WeightModel] = {
    "published, times a number": "scaled",
    "EPM and EPC, one weight each": "moves-and-cube-constant",
    "EPM and EPC, weights by length": "moves-and-cube",
    "EPD, weight by length": "decisions",
}


def coefficients(fit: WeightFit) -> str:
    """All of a fit with the errors of the sandwich and of the bootstrap."""
    digits = 3 if fit.model == "scaled" else 0
    spread = fit.bootstrap.std(axis=0, ddof=1)
    return ", ".join(
        f"{name} = {value:.{digits}f} ± {error:.{digits}f} ({drawn:.{digits}f})"
        for name, value, error, drawn in zip(fit.names, fit.values, fit.errors, spread, strict=True)
    )


def fits(
    table: MatchTable, rule: str, clusters: NDArray[np.int64], samples: int, seed: int
) -> Iterator[str]:
    """A line for each fit."""
    for target in TARGETS:
        for name, model in MODELS.items():
            fit = fit_weights(
                table, model=model, target=target, clusters=clusters, samples=samples, seed=seed
            )
            yield f"| {rule} | {target} | {name} | {coefficients(fit)} |"


def predictions(table: MatchTable, clusters: NDArray[np.int64], seed: int) -> Iterator[str]:
    """A line for each formula: log scores of matches left out."""
    folds = folds_by_player(table, FOLDS, seed)
    result = {
        test: cross_validate(
            table,
            {
                "published, EPM and EPC": PUBLISHED,
                "published, EPD": PUBLISHED,
                "refit to programs, EPM and EPC": REFIT,
                "refit to programs, EPD": REFIT,
            },
            MODELS,
            folds,
            test=test,
            by_decisions=frozenset({"published, EPD", "refit to programs, EPD"}),
        )
        for test in TARGETS
    }
    for place, prediction in enumerate(result["won"]):
        cells = [prediction.name]
        for test in ("won", "luck-adjusted"):
            gain, error = result[test][place].ahead_of(result[test][1], clusters)
            cells.append(f"{result[test][place].mean:.4f}")
            cells.append("" if place == 1 else f"{1000 * gain:+.1f} ± {1000 * error:.1f}")
        yield f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--table", type=Path, default=MATCHES)
    parser.add_argument("--samples", type=int, default=1000, help="of the bootstrap")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    table = read_match_table(arguments.table)
    clusters = rarer_player(table)
    lines = [
        "| close decisions | fitted to | model | weights ± standard error (bootstrap) |",
        "|---|---|---|---|",
    ]
    for rule, close in (("1.07", "close"), ("2003", "close_2003")):
        counted = read_match_table(arguments.table, close=close)
        lines += fits(counted, rule, clusters, arguments.samples, arguments.seed)
    lines += [
        "",
        "| formula | won: log score | gain | luck-adjusted: log score | gain |",
        "|---|--:|--:|--:|--:|",
        *predictions(table, clusters, arguments.seed),
    ]
    lengths, numbers = np.unique(table.length, return_counts=True)
    by_length = ", ".join(
        f"{number} to {length:g}" for length, number in zip(lengths, numbers, strict=True)
    )
    made = (
        f"`python -m lab.studies.backgammon_people --samples {arguments.samples} --seed "
        f"{arguments.seed}`, {date.today():%Y-%m-%d}; Yardstone {version('yardstone')}, numpy "
        f"{np.__version__}, Python {platform.python_version()}, GNU Backgammon 1.07.001 at 0 "
        f"plies. {len(table)} matches with a winner ({by_length} points) of "
        f"{len(np.unique(table.players)):,} people. m is the weight of EPM, c of EPC, d of EPD: "
        "m0 + m1/N in matches to N points. Gains are in thousandths of a nat a match over the "
        f"published formula by EPM and EPC, fits to luck-adjusted results of {FOLDS - 1} of "
        f"{FOLDS} parts; all matches of a person's opponent are in one part, and standard "
        "errors keep them together."
    )
    TABLE.write_text("\n".join(lines) + f"\n\n{made}\n", encoding="utf-8")
    print(TABLE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
