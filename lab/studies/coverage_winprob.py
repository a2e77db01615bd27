"""How often intervals of `winprob` hold the truth: ``python -m lab.studies.coverage_winprob``.

Games are drawn from a known model, fitted, and the intervals compared with the truth:
coefficients and probabilities by profile likelihood, least squares by simulated tables,
colour and handicap, players' strengths, and the gains of cross-validation. The table is
written to ``docs/studies/coverage-winprob-tables.md``.
"""

from __future__ import annotations

import argparse
import platform
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lab.studies.winning.selection import fit_with_strengths
from lab.studies.winning.simulation import european_games, simulate_mcmahon, simulate_statistics
from yardstone import parallel
from yardstone.errors import ModelError
from yardstone.grades import usual_komi
from yardstone.winprob.games import GameColumns
from yardstone.winprob.kaniuk import INITIAL, PUBLISHED, TABLE_1, GradeModel, Kaniuk
from yardstone.winprob.likelihood import (
    GradedGames,
    LikelihoodFit,
    fit_likelihood,
    parameter_shortfall,
    probability_interval,
)
from yardstone_lab.kaniuk import (
    CANDIDATES,
    cross_validate,
    game_log_loss,
)
from yardstone_lab.least_squares import Profile, fit_least_squares, simulated_reach

if TYPE_CHECKING:
    from numpy.random import Generator

TABLE = Path(__file__).resolve().parents[2] / "docs" / "studies" / "coverage-winprob-tables.md"
#: u3 is at its edge: zero.
EDGE = Kaniuk.from_parameters(dict(PUBLISHED.parameters) | {"u3": 0.0})
#: Results that no grades explain, which the fitted form does not know.
LAPSES = GradeModel(PUBLISHED, {"lapse": 0.02})
PAIRS = ((1, 3), (-10, -9), (-4, -2))
NORMAL_95, CHI_SQUARED_95 = 1.959964, 3.841459
Rows = list[tuple[str, int, int]]


def holds(interval: tuple[float, float] | None, truth: float) -> tuple[int, int]:
    """Intervals that hold the truth, and intervals: one or none of either."""
    if interval is None:
        return 0, 0
    return int(interval[0] <= truth <= interval[1]), 1


def near(fit: LikelihoodFit, name: str, truth: float) -> tuple[int, int]:
    """Whether a profile interval holds the truth, without looking for its ends."""
    return int(2.0 * parameter_shortfall(fit, name, truth) <= CHI_SQUARED_95), 1


def _seed(generator: Generator) -> int:
    return int(generator.integers(1 << 31))


def likelihood(generator: Generator, *, games: int, truth: Kaniuk | GradeModel) -> Rows:
    """Coefficients of the likelihood fit, and one probability."""
    made = simulate_statistics(truth, european_games(games), seed=_seed(generator))
    fit = fit_likelihood(GradedGames.from_statistics(made))
    rows: Rows = []
    if isinstance(truth, Kaniuk):
        rows += [(name, *near(fit, name, truth.parameters[name])) for name in fit.names]
    one, two = PAIRS[int(generator.integers(len(PAIRS)))]
    p = float(truth.probability(one, two))
    rows.append(("probabilities", *holds(probability_interval(fit, one, two), p)))
    return rows


def squares(generator: Generator, *, games: int, truth: Kaniuk) -> Rows:
    """Coefficients of the published fit, by 39 simulated tables."""
    made = simulate_statistics(truth, european_games(games), seed=_seed(generator))
    try:
        fit = fit_least_squares(made)
        reach = simulated_reach(fit, made, samples=39, seed=_seed(generator))
        inside = [
            Profile(fit, made, name)(truth.parameters[name]) <= most
            for name, most in zip(fit.names, reach, strict=True)
        ]
    except ModelError:
        return [("no fit", 0, 1)]
    return [(name, int(each), 1) for name, each in zip(fit.names, inside, strict=True)]


def all_games(generator: Generator, *, games: int) -> Rows:
    """Colour, handicap and lapses."""
    extras = {"lapse": 0.1, "black": 0.1, "stone": 0.8}
    columns = drawn_games(generator, games, GradeModel(PUBLISHED, extras), events=1, spread=0.0)
    start = GradeModel(INITIAL, {"stone": 1.0})
    fit = fit_likelihood(columns.graded(), free=(*TABLE_1, *extras), start=start)
    return [(name, *near(fit, name, value)) for name, value in extras.items()]


def drawn_games(
    generator: Generator, size: int, model: GradeModel, *, events: int, spread: float
) -> GameColumns:
    """Games of events in each of which grades mean something else, by `spread` grades a colour."""
    first = generator.integers(-18, 6, size).astype(np.float64)
    second = np.clip(first + generator.integers(-4, 5, size), -20, 6).astype(np.float64)
    handicap = np.where(generator.random(size) < 0.2, np.maximum(second - first, 0.0), 0.0)
    event = generator.integers(0, events, size)
    shift = generator.normal(0.0, 1.0, events)[event] * spread
    komi = usual_komi(handicap)
    p = model.probability(first + shift, second, handicap=handicap, komi=komi)
    return GameColumns(first, second, handicap, komi, generator.random(size) < p, event)


def gains(generator: Generator, *, games: int, events: int) -> Rows:
    """What cross-validation says one form gains over another."""
    truth = GradeModel(PUBLISHED, {"lapse": 0.05, "stone": 0.8})
    by_event = events < games
    spread = 1.0 if by_event else 0.0
    made = drawn_games(generator, games, truth, events=events if by_event else 1, spread=spread)
    if not by_event:
        made = replace(made, group=np.arange(games))
    forms = [each for each in CANDIDATES if each.name in ("published", "plain logistic", "lapse")]
    result = cross_validate(made, candidates=forms, folds=5, seed=_seed(generator))
    fresh = drawn_games(generator, 20_000, truth, events=2_000 if by_event else 1, spread=spread)
    loss = {form.name: float(game_log_loss(form.fit(made), fresh).mean()) for form in forms}
    rows = []
    for form in forms[1:]:
        ends = result.gain_interval(form.name, "published")
        rows.append(("gains", *holds(ends, loss["published"] - loss[form.name])))
    return rows


def strengths(generator: Generator, *, tournaments: int) -> Rows:
    """Players' strengths about their grades, in McMahon tournaments."""
    made = simulate_mcmahon(
        PUBLISHED, tournaments=tournaments, players=40, rounds=5, deviation=1.0,
        seed=_seed(generator),
    )  # fmt: skip
    fit = fit_with_strengths(made, free=("u0", "u1"), start=GradeModel(PUBLISHED))
    truth: dict[str, float] = {}
    for side, who in (("first", made.first), ("second", made.second)):
        offset = made.columns[f"{side}_strength"] - made.columns[f"{side}_grade"]
        truth |= {made.players[int(p)]: float(x) for p, x in zip(who, offset, strict=True)}
    error = fit.offset - np.array([truth[name] for name in fit.players])
    inside = int((np.abs(error) <= NORMAL_95 * fit.offset_deviation).sum())
    return [("strengths", inside, len(error))]


Work = Callable[["Generator"], Rows]
#: What is fitted to what, the share of the repetitions it gets, and how.
SETTINGS: tuple[tuple[str, float, Work], ...] = (
    *(
        (f"likelihood, {n:,} games", 1.0, partial(likelihood, games=n, truth=PUBLISHED))
        for n in (2_000, 20_000, 400_000)
    ),
    ("likelihood, 20,000 games, u3 = 0", 1.0, partial(likelihood, games=20_000, truth=EDGE)),
    (
        "likelihood, 20,000 games, 2 % lapses unknown to it",
        0.5,
        partial(likelihood, games=20_000, truth=LAPSES),
    ),
    *(
        (f"least squares, {n:,} games", 0.5, partial(squares, games=n, truth=PUBLISHED))
        for n in (20_000, 400_000)
    ),
    ("all games, 8,000 with lapse 0.1", 0.5, partial(all_games, games=8_000)),
    ("cross-validation, 2,000 single games", 1.0, partial(gains, games=2_000, events=2_000)),
    ("cross-validation, 12 events", 1.0, partial(gains, games=2_000, events=12)),
    ("cross-validation, 60 events", 1.0, partial(gains, games=2_000, events=60)),
    ("players of 5 tournaments of 40", 0.1, partial(strengths, tournaments=5)),
)


HEAD = ["| what | interval of | held | of | per cent |", "|---|---|--:|--:|--:|"]


def lines(title: str, work: Work, repetitions: int, seed: int) -> list[str]:
    """A line for each kind of interval of one setting."""
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for rows in parallel.map(work, parallel.spawn_generators(seed, repetitions), workers=1):
        for name, inside, number in rows:
            sums[name][0] += inside
            sums[name][1] += number
    return [
        f"| {title} | {name} | {inside:,} | {number:,} | {100 * inside / number:.1f} |"
        for name, (inside, number) in sums.items()
        if number
    ]


def kept(title: str) -> list[str]:
    """The lines of a setting that the table has."""
    if not TABLE.is_file():
        return []
    return [
        line for line in TABLE.read_text("utf-8").splitlines() if line.startswith(f"| {title} |")
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repetitions", type=int, default=200)
    parser.add_argument("--only", default="", help="settings with this in their title; others stay")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    made = (
        f"`python -m lab.studies.coverage_winprob`, a part at a time with `--only` and the "
        f"`--repetitions` that the counts show, seed {given.seed}, {date.today():%Y-%m-%d}; "
        "Yardstone "
        f"{version('yardstone')}, numpy {np.__version__}, Python {platform.python_version()}. "
        "Promised: 95 %. A profile interval counts as holding the truth where the profile there "
        "is short by no more than the quantile."
    )
    for title, share, work in SETTINGS:
        if given.only not in title:
            continue
        result = lines(title, work, max(2, round(share * given.repetitions)), given.seed)
        print("\n".join(result), flush=True)
        table = [
            line for each, _, _ in SETTINGS for line in (result if each == title else kept(each))
        ]
        TABLE.write_text("\n".join([*HEAD, *table, "", made]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
