"""How often the intervals of ``--formula refit`` hold: ``python -m lab.studies.coverage_refit``.

Simulated studies: the project's matches are drawn anew in each setting, their luck-adjusted
results moved so that a known formula is true; it is fitted, and its intervals of rating
differences are held against the truth. Matches left out: the formula is fitted without one
match length, or to one half of the matches of each setting, and its intervals, with the
error of the mean result, are held against the settings left out. Needs no GNU Backgammon;
writes ``docs/studies/coverage-refit-tables.md``.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri

from lab.studies.backgammon.formula_fit import fit_formula
from yardstone import parallel
from yardstone.backgammon.formulas import REFIT, Formula
from yardstone.files import write_text
from yardstone.winprob import fibs
from yardstone_lab.vandendoel.choices import CloseRule, StudyModel
from yardstone_lab.vandendoel.tables import (
    Cells,
    StudyTable,
    is_part_one,
    is_part_two,
    make_cells,
    own_table,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

TABLE = Path(__file__).resolve().parents[2] / "docs/studies/coverage-refit-tables.md"
LEVELS = (0.90, 0.95)
#: Draws for the covariance of a fit to what is not left out.
LEFT_OUT_DRAWS = 100
LENGTHS = (1, 3, 5, 7, 11, 15, 23)
#: Differences of error rates whose rating differences are asked for: EPM and EPC, and EPD.
RATES = ((0.005, 0.0), (0.01, 0.02), (0.0, 0.02))
EPD = 0.0075


def true_results(table: StudyTable, formula: Formula) -> StudyTable:
    """The same matches with each setting's mean result moved to what a formula says."""
    cells = make_cells(table, CloseRule.new)
    expected = chances(cells, formula)[0]
    moves = dict(zip(cells.settings, expected - cells.chance, strict=True))
    move = np.array([moves.get(setting, 0.0) for setting in table.settings])
    return replace(table, luck_adjusted=table.luck_adjusted + move[table.setting])


def chances(cells: Cells, formula: Formula) -> tuple[Floats, Floats]:
    """The first player's chance in each cell by a formula, and its standard error."""
    one = cells.belongs(StudyModel.decision)
    move, cube = cells.terms(StudyModel.bilinear).T
    length = cells.length
    rating = np.where(
        one,
        formula.decision(length) * cells.depd,
        formula.move(length) * move + formula.cube(length) * cube,
    )
    errors = (formula.decision_error(cells.depd, length), formula.loss_error(move, cube, length))
    zero = np.zeros(len(cells))
    error = np.where(one, *(zero if each is None else each for each in errors))
    chance = fibs.probability(rating, 0.0, length)
    return chance, fibs.steepness(length) * chance * (1.0 - chance) * error


def simulated(table: StudyTable, repetitions: int, draws: int, seed: int) -> Iterator[str]:
    """Rows: how often intervals from simulated studies held the truth."""
    table = true_results(table, REFIT)
    order = np.argsort(table.setting, kind="stable")
    sizes = np.bincount(table.setting, minlength=len(table.settings))
    first = np.repeat(np.cumsum(sizes) - sizes, sizes)
    held: dict[str, list[Floats]] = {"chequer play and cube": [], "all decisions": []}
    for generator in parallel.spawn_generators(seed, repetitions):
        places = first + np.floor(generator.random(len(table)) * np.repeat(sizes, sizes))
        again = table.take(order[places.astype(int)])
        result = fit_formula(again, "again", draws=draws, seed=int(generator.integers(2**31)))
        result = result.with_one_point()
        rows = {"chequer play and cube": [], "all decisions": []}
        for length in LENGTHS:
            for epm, epc in RATES:
                if length > 1 or not epc:
                    off = result.loss(epm, epc, length) - REFIT.loss(epm, epc, length)
                    rows["chequer play and cube"].append(off / result.loss_error(epm, epc, length))
            off = result.loss_of_decisions(EPD, length) - REFIT.loss_of_decisions(EPD, length)
            rows["all decisions"].append(off / result.decision_error(EPD, length))
        for name, values in rows.items():
            held[name].append(np.abs(np.array(values)))
    for name, values in held.items():
        yield row(f"simulated studies, {name}", np.concatenate(values), f"{repetitions} studies")


def left_out(table: StudyTable, draws: int, seed: int) -> Iterator[str]:
    """Rows: how often intervals held mean results of settings that the fit had not seen."""
    length = np.array([setting.length for setting in table.settings])[table.setting]
    half = table.number % 2 == 0
    every = np.unique(length).tolist()
    shortest = {True: 1, False: 3}
    ways = {
        "without a length between others or the longest": [
            (length != n, length == n, n) for n in every
        ],
        "without the shortest length": [(length != n, length == n, n) for n in every],
        "without half of the matches": [(half, ~half, 0), (~half, half, 0)],
    }
    for name, splits in ways.items():
        off: dict[bool, list[Floats]] = {True: [], False: []}
        for seen, judged, left in splits:
            wanted = [
                part for part in (True, False)
                if not left or (left == shortest[part]) == name.endswith("shortest length")
            ]  # fmt: skip
            if not wanted:
                continue
            formula = fit_formula(table.take(seen), "seen", draws=draws, seed=seed)
            cells = make_cells(table.take(judged), CloseRule.new)
            chance, error = chances(cells, formula)
            values = np.abs(cells.chance - chance) / np.hypot(cells.chance_error, error)
            one = cells.belongs(StudyModel.decision)
            for part in wanted:
                off[part].append(values[one == part])
        for part, title in ((True, "Part I"), (False, "Part II")):
            values = np.concatenate(off[part])
            yield row(f"{name}, {title}", values, f"{len(values)} mean results")


def row(name: str, off: Floats, number: str) -> str:
    cells = [f"{100 * np.mean(off < ndtri(0.5 + level / 2)):.1f}" for level in LEVELS]
    return f"| {name} | {number} | {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repetitions", type=int, default=100)
    parser.add_argument("--draws", type=int, default=60, help="for the covariance of each fit")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    table = own_table()
    parts = [is_part_one(s) or is_part_two(s) for s in table.settings]
    table = table.take(np.array(parts)[table.setting])
    names = " | ".join(f"held at {100 * level:.0f} %" for level in LEVELS)
    lines = [
        f"| intervals | of | {names} |",
        "| --- | --: | --: | --: |",
        *simulated(table, arguments.repetitions, arguments.draws, arguments.seed),
        *left_out(table, LEFT_OUT_DRAWS, arguments.seed),
        "",
        f"`python -m lab.studies.coverage_refit --repetitions {arguments.repetitions} --draws "
        f"{arguments.draws} --seed {arguments.seed}`, {date.today():%Y-%m-%d}; Yardstone "
        f"{version('yardstone')}, numpy {np.__version__}, Python {platform.python_version()}. "
        f"{len(table):,} matches. Per cent of intervals that held the truth.",
    ]
    write_text(TABLE, "\n".join(lines) + "\n")
    print(TABLE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
