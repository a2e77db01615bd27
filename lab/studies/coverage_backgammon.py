"""How often intervals of `backgammon` hold: ``python -m lab.studies.coverage_backgammon``.

Matches are drawn with replacement from those of one person, whose mean over all of them is
the truth, and from simulated persons; a few matches at a time are rated as `backgammon
analyse` does. The number that `--formula people` multiplies the published weights by is
fitted to matches simulated from it. Needs no GNU Backgammon; writes
``docs/studies/coverage-backgammon-tables.md``.
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

from yardstone.backgammon.formulas import PEOPLE_SCALE, PUBLISHED
from yardstone.backgammon.rating import (
    MatchEstimate,
    loss_interval,
    luck_adjusted_difference,
    mean_interval,
    ratio_interval,
)
from yardstone.winprob import fibs
from yardstone_lab.vandendoel.comparison import fit_weights, rarer_player
from yardstone_lab.vandendoel.tables import MatchTable, read_match_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

HERE = Path(__file__).resolve().parent
MATCHES = HERE / "backgammon_people.csv.gz"
TABLE = HERE.parent / "docs" / "studies" / "coverage-backgammon-tables.md"
NUMBERS = (2, 3, 5, 10, 20, 50)
LEVELS = (0.9, 0.95)
#: Spread of a match's loss over its mean, of simulated persons.
SPREADS = (0.4, 0.6, 0.8)


def of_person(table: MatchTable, name: str) -> list[Floats]:
    """Length, chequer errors, moves, cube errors, close decisions, luck-adjusted, of one person."""
    columns = []
    for side in (0, 1):
        at = np.char.lower(table.players[:, side].astype(str)) == name
        adjusted = table.luck_adjusted[at]
        columns.append(
            np.array(
                [
                    table.length[at],
                    table.chequer[at, side],
                    table.unforced[at, side],
                    table.cube[at, side],
                    table.close[at, side],
                    adjusted if side == 0 else 1.0 - adjusted,
                ]
            )
        )
    result = np.concatenate(columns, axis=1)
    return list(result[:, result[2] > 0.0])


def parts_of(columns: list[Floats]) -> list[tuple[Floats, Floats]]:
    length, chequer, moves, cube, close, _ = columns
    return [(PUBLISHED.move(length) * chequer, moves), (PUBLISHED.cube(length) * cube, close)]


def losses_of(columns: list[Floats]) -> Floats:
    """Points below perfect play that each match says."""
    parts = [
        np.divide(above, below, out=np.zeros_like(above), where=below > 0.0)
        for above, below in parts_of(columns)
    ]
    return np.asarray(sum(parts), np.float64)


def person(
    title: str, columns: list[Floats], repetitions: int, rng: np.random.Generator
) -> Iterator[str]:
    """Lines for the matches of one person."""
    losses = losses_of(columns)
    whole = ratio_interval(parts_of(columns)).value
    score = float(columns[5].mean())
    points = luck_adjusted_difference(columns[5], columns[0]).value
    for number in NUMBERS:
        drawn = rng.integers(0, len(losses), (repetitions, number))
        for level in LEVELS:
            inside = np.zeros(5, np.int64)
            for rows in drawn:
                chosen = [column[rows] for column in columns]
                result = (
                    (loss_interval(losses[rows], level), float(losses.mean())),
                    (mean_interval(losses[rows], level), float(losses.mean())),
                    (ratio_interval(parts_of(chosen), level), whole),
                    (mean_interval(chosen[5], level), score),
                    (luck_adjusted_difference(chosen[5], chosen[0], level), points),
                )
                inside += [holds(interval, truth) for interval, truth in result]
            yield row(title, number, level, repetitions, inside)


def simulated(spread: float, repetitions: int, rng: np.random.Generator) -> Iterator[str]:
    """Lines for simulated persons, whose losses have gamma distributions."""
    for number in NUMBERS:
        for level in LEVELS:
            made = rng.gamma(spread**-2, 150.0 * spread**2, (repetitions, number))
            inside = [
                sum(holds(interval(losses, level), 150.0) for losses in made)
                for interval in (loss_interval, mean_interval)
            ]
            yield row(f"simulated, spread {spread:g}", number, level, repetitions, inside)


def holds(estimate: MatchEstimate, truth: float) -> int:
    return int(estimate.low <= truth <= estimate.high)


def row(title: str, number: int, level: float, of: int, inside: object) -> str:
    cells = [f"{100.0 * each / of:.1f}" for each in np.asarray(inside)]
    cells += [""] * (5 - len(cells))
    return f"| {title} | {number} | {100 * level:g} | {of:,} | {' | '.join(cells)} |"


def weights(table: MatchTable, repetitions: int, rng: np.random.Generator) -> str:
    """How often the interval of the people's number holds that from which results were drawn."""
    clusters = rarer_player(table)
    gap = PUBLISHED.loss(table.epm, table.epc, table.length[:, None])
    chance = fibs.probability(PEOPLE_SCALE * (gap[:, 1] - gap[:, 0]), 0.0, table.length)
    inside = 0
    for _ in range(repetitions):
        won = (rng.random(len(table)) < chance).astype(np.float64)
        fit = fit_weights(
            replace(table, score=won), model="scaled", target="won", clusters=clusters, samples=0
        )
        inside += abs(fit.values[0] - PEOPLE_SCALE) <= 1.959964 * fit.errors[0]
    return (
        f"The number of the people's formula, fitted to who won in {repetitions:,} tables of "
        f"{len(table)} matches drawn from {PEOPLE_SCALE}: its 95 % interval held in {inside:,} "
        f"({100.0 * inside / repetitions:.1f} %)."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repetitions", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    rng = np.random.default_rng(given.seed)
    table = read_match_table(MATCHES)
    lines = [
        "| matches of | drawn | promised | draws | rating | rating by Student's t | pooled "
        "| luck-adjusted score | luck-adjusted points |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for name in ("lasse", "llabba"):
        columns = of_person(table, name)
        title = f"{name} ({len(columns[0])})"
        lines += person(title, columns, given.repetitions, rng)
    for spread in SPREADS:
        lines += simulated(spread, given.repetitions, rng)
    made = (
        f"`python -m lab.studies.coverage_backgammon --repetitions {given.repetitions} --seed "
        f"{given.seed}`, {date.today():%Y-%m-%d}; Yardstone {version('yardstone')}, numpy "
        f"{np.__version__}, Python {platform.python_version()}. Per cent of draws whose interval "
        "held the mean over all matches of the person."
    )
    lines += ["", weights(table, given.repetitions // 4, rng), "", made]
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
