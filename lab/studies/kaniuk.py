"""Kaniuk's figures and the checks of his model: ``python -m lab.studies.kaniuk GAMES.csv``.

Figures go to ``docs/explanation/papers/figures``, tables to ``docs/studies``. GAMES is a table
of real tournament games with grades (``go/tournaments/games.csv.gz`` of the shared data).
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from importlib.metadata import version
from pathlib import Path

import numpy as np

from lab.studies.winning.selection import SelectionFit, fit_with_strengths
from lab.studies.winning.simulation import (
    european_games,
    simulate_mcmahon,
    simulate_pool,
    simulate_statistics,
)
from yardstone.pool import Pool
from yardstone.reports import winprob as charts
from yardstone.winprob.fit import rms_by_difference
from yardstone.winprob.games import GameColumns, read_games_csv
from yardstone.winprob.kaniuk import INITIAL, PUBLISHED, TABLE_1, GradeModel
from yardstone.winprob.likelihood import (
    GradedGames,
    fit_likelihood,
    parameter_interval,
    parameter_shortfall,
)
from yardstone.winprob.statistics import WinningStatistics
from yardstone_lab.kaniuk import cross_validate, trace
from yardstone_lab.least_squares import fit_least_squares, simulated_intervals

DOCS = Path(__file__).resolve().parents[2] / "docs"
FIGURES = DOCS / "explanation" / "papers" / "figures"
TABLES = DOCS / "studies"
#: Simulated games in place of the database's half million.
GAMES = 400_000
CHI_SQUARED_95 = 3.841459
TRUTH = np.array([PUBLISHED.parameters[name] for name in TABLE_1])
SIMULATED = "Simulated games from the published model; the real counts by year are not at hand."


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return [*lines, *("| " + " | ".join(row) + " |" for row in rows), ""]


def with_ends(value: float, ends: tuple[float, float], digits: int) -> str:
    """A value with its interval."""
    return f"{value:.{digits}f} ({ends[0]:.{digits}f} to {ends[1]:.{digits}f})"


def figures(pool: Pool, seed: int) -> None:
    real = WinningStatistics.from_pool(pool)
    made = simulate_statistics(PUBLISHED, european_games(GAMES), seed=seed)
    fit = fit_likelihood(GradedGames.from_statistics(real)).model.core
    drawn = {
        "kaniuk-1-real": charts.curves_chart(
            real, fit, title="Real tournament games (3,934) and the model fitted to them"
        ),
        "kaniuk-1-simulated": charts.curves_chart(
            made, PUBLISHED, title="400,000 simulated games and the published model"
        ),
        "kaniuk-2": charts.gap_chart(made, title="Λ: simulated games and the published model"),
        "kaniuk-6": charts.contour_chart(),
    }
    dated = simulate_pool(PUBLISHED, european_games(GAMES), seed=seed)
    followed = trace(dated)
    drawn["kaniuk-3"] = charts.probability_trace_chart(
        followed, modelled=False, title="Measured, windows of five years", note=SIMULATED
    )
    drawn["kaniuk-4"] = charts.coefficient_trace_chart(
        followed, title="Coefficients, windows of five years", note=SIMULATED
    )
    drawn["kaniuk-5"] = charts.probability_trace_chart(
        followed, modelled=True, title="Model, windows of five years", note=SIMULATED
    )
    FIGURES.mkdir(parents=True, exist_ok=True)
    for name, figure in drawn.items():
        figure.save(FIGURES / f"{name}.png")


def recovery(seed: int, repeats: int) -> Iterator[str]:
    """Fits to games of the published model: errors, coverage, steps."""
    games = european_games(GAMES)
    least, most = [], []
    steps: list[int] = []
    searches: list[int] = []
    inside = np.zeros(len(TABLE_1))
    for k in range(repeats):
        statistics = simulate_statistics(PUBLISHED, games, seed=seed + k)
        by_squares = fit_least_squares(statistics)
        by_likelihood = fit_likelihood(GradedGames.from_statistics(statistics))
        least.append((by_squares.values, by_squares.standard_errors))
        most.append((by_likelihood.values, by_likelihood.standard_errors))
        steps.append(by_squares.minimum.steps)
        if k < 10:
            conjugate = fit_least_squares(statistics, method="conjugate")
            searches.append(conjugate.minimum.steps)
        inside += [
            2.0 * parameter_shortfall(by_likelihood, name, value) <= CHI_SQUARED_95
            for name, value in zip(TABLE_1, TRUTH.tolist(), strict=True)
        ]
    rows = []
    for j, name in enumerate(TABLE_1):
        row = [name, f"{TRUTH[j]:.6g}"]
        for fits in (least, most):
            values = np.array([v[j] for v, _ in fits])
            errors = np.array([e[j] for _, e in fits])
            z = np.abs(values - TRUTH[j]) / errors
            row += [
                f"{values.mean():.5f}",
                f"{values.std(ddof=1):.5f}",
                f"{np.nanmean(errors):.5f}",
                f"{100 * np.nanmean(z < 1.959964):.0f} %",
            ]
        rows.append([*row, f"{100 * inside[j] / repeats:.0f} %"])
    head = ["", "truth", "mean", "spread", "mean s.e.", "covered"]
    head += ["mean", "spread", "mean s.e.", "covered", "covered by profile"]
    yield f"### {repeats} sets of {GAMES:,} games from the published model"
    yield ""
    yield "Least squares (left), likelihood (right). Covered: by two standard errors either way,"
    yield "which is why those are not printed as intervals, and by the profile of the likelihood."
    yield ""
    yield from table(head, rows)
    yield f"Newton steps of least squares: {min(steps)} to {max(steps)}. Conjugate gradient:"
    yield f"{min(searches)} to {max(searches)} line searches, that is"
    yield f"{-(-min(searches) // 5)} to {-(-max(searches) // 5)} rounds of five."
    yield ""
    statistics = simulate_statistics(PUBLISHED, games, seed=seed)
    fit = fit_least_squares(statistics)
    result = simulated_intervals(fit, statistics, samples=200, seed=seed)
    rms, chance = rms_by_difference(statistics, fit.model)
    yield "One of these sets, least squares, with intervals from 200 simulated tables:"
    yield ""
    yield from table(
        ["", "value", "95 % (simulated tables)"],
        [
            [name, f"{fit.values[j]:.5f}", "{:.4f} to {:.4f}".format(*result[j])]
            for j, name in enumerate(TABLE_1)
        ],
    )
    yield from table(
        ["d", "RMS error, 12 kyu to 7 dan", "by chance"],
        [[str(d + 1), f"{rms[d]:.4f}", f"{chance[d]:.4f}"] for d in range(4)],
    )


def real(pool: Pool, seed: int) -> Iterator[str]:
    """Fits to real games, and their scores on games left out."""
    statistics = WinningStatistics.from_pool(pool)
    squares = fit_least_squares(statistics)
    likely = fit_likelihood(GradedGames.from_statistics(statistics))
    yield f"### Real games: {statistics.games.sum():.0f} even games at differences of 1 to 4"
    yield ""
    yield from table(
        ["", "published", "least squares", "likelihood", "95 % (profile)"],
        [
            [
                name,
                f"{TRUTH[j]:.5f}",
                f"{squares.values[j]:.4f}",
                f"{likely.values[j]:.4f}",
                "{:.4f} to {:.4f}".format(*parameter_interval(likely, name)),
            ]
            for j, name in enumerate(TABLE_1)
        ],
    )
    everything = GameColumns.from_pool(pool)
    names = (*TABLE_1, "lapse", "black", "stone")
    full = fit_likelihood(
        everything.graded(), free=names, start=GradeModel(INITIAL, {"stone": 1.0})
    )
    yield f"All {len(everything)} games with colour and handicap, 95 % by profiles: " + ", ".join(
        f"{name} {with_ends(value, parameter_interval(full, name), 3)}"
        for name, value in zip(full.names, full.values, strict=True)
    )
    yield ""
    for group, what in ((None, "single games"), ("event", "whole events")):
        games = GameColumns.from_pool(pool, group=group)
        result = cross_validate(games, seed=seed)
        even = games.handicap == 0
        apart = np.abs(games.first - games.second)
        parts = {
            "all": np.ones(len(games), np.bool_),
            "even, 1 to 4": even & (apart >= 1) & (apart <= 4),
            "even, 5 to 9": even & (apart >= 5) & (apart <= 9),
            "even, 10 and more": even & (apart >= 10),
            "even, below 12 kyu": even & (np.minimum(games.first, games.second) < -12),
            "handicap": ~even,
        }
        yield f"### Ten-fold cross-validation, {what} left out (log loss a game)"
        yield ""
        means = {part: result.mean(where) for part, where in parts.items()}
        near = even & (apart <= 9)
        rows = []
        for name in result.names:
            gain, _ = result.gain(name, "published", near)
            ends = result.gain_interval(name, "published", near)
            mark = " (chosen)" if name == result.chosen else ""
            rows.append(
                [
                    name + mark,
                    *(f"{means[part][name][0]:.4f}" for part in parts),
                    f"{gain:+.4f}" if ends is None else with_ends(gain, ends, 4),
                ]
            )
        counted = [f"{part} ({int(where.sum())})" for part, where in parts.items()]
        yield from table(["form", *counted, "gain over published, even to 9 (95 %)"], rows)
    yield "A handicap stone counts as a grade where it is not fitted. The intervals of the first"
    yield "table take the games as independent, those of the second the events."
    yield ""


def selection(pool: Pool, seed: int) -> Iterator[str]:
    """McMahon tournaments: the naive fit, the truth, and the fit with strengths."""
    yield "### The selection effect of McMahon pairing"
    yield ""
    for deviation in (1.0, 2.0):
        made = simulate_mcmahon(
            PUBLISHED, tournaments=15, players=100, rounds=8, deviation=deviation, seed=seed
        )
        statistics = WinningStatistics.from_pool(made)
        free = ("u0", "v0", "u1", "K")
        naive = fit_likelihood(GradedGames.from_statistics(statistics), free=free)
        result = fit_with_strengths(made, free=free)
        empty = np.zeros(0)
        truth = SelectionFit(GradeModel(PUBLISHED), (), deviation, 0.0, (), empty, empty)
        yield f"Simulated: {len(made)} games, strengths {deviation:g} about the grades (fitted:"
        yield f"{result.deviation:.2f}). Probability of the weaker, for unselected players:"
        yield ""
        yield from table(
            ["", "truth", "fit to ratios", "fit with strengths"],
            [
                [
                    f"{name} against {d} stronger",
                    *(
                        f"{100 * float(p):.1f} %"
                        for p in (
                            truth.probability(grade, grade + d),
                            naive.model.probability(grade, grade + d),
                            result.probability(grade, grade + d),
                        )
                    ),
                ]
                for name, grade in (("9k", -9), ("4k", -4), ("1d", 0))
                for d in (1, 2, 3)
            ],
        )
    congress = pool.select(pool.columns["event"] == "EGC 2011 Main Tournament")
    naive = fit_likelihood(
        GradedGames.from_statistics(WinningStatistics.from_pool(congress)), free=("u0", "u1", "K")
    )
    result = fit_with_strengths(congress, free=("u0", "u1", "K"))
    yield f"European Congress 2011, {len(congress)} games: strengths scatter {result.deviation:.2f}"
    yield "grades about the declared grade."
    yield ""
    yield from table(
        ["", "published", "fit to ratios", "fit with strengths, unselected", "equal to grade"],
        [
            [
                f"{name} against {d} stronger",
                *(
                    f"{100 * float(p):.1f} %"
                    for p in (
                        PUBLISHED.probability(grade, grade + d),
                        naive.model.probability(grade, grade + d),
                        result.probability(grade, grade + d),
                        result.model.probability(grade, grade + d),
                    )
                ),
            ]
            for name, grade in (("4k", -4), ("1d", 0), ("3d", 2))
            for d in (1, 2)
        ],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", type=Path)
    parser.add_argument("--repeats", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=["figures", "recovery", "real", "selection"])
    given = parser.parse_args()
    pool = read_games_csv(given.games)
    if given.only in (None, "figures"):
        figures(pool, given.seed)
    sections: dict[str, Callable[[], Iterator[str]]] = {
        "recovery": lambda: recovery(given.seed, given.repeats),
        "real": lambda: real(pool, given.seed),
        "selection": lambda: selection(pool, given.seed),
    }
    for name, section in sections.items():
        if given.only not in (None, name):
            continue
        repeats = f" --repeats {given.repeats}" if name == "recovery" else ""
        lines = [
            *section(),
            f"`python -m lab.studies.kaniuk GAMES --only {name} --seed {given.seed}{repeats}`, "
            f"{date.today().isoformat()}; Python {platform.python_version()}, "
            f"numpy {version('numpy')}, scipy {version('scipy')}.",
        ]
        TABLES.mkdir(parents=True, exist_ok=True)
        path = TABLES / f"kaniuk-{name}.md"
        path.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
