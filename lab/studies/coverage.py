"""How often the intervals of ``rate`` and ``match`` hold: ``python -m lab.studies.coverage``.

Pools and matches are drawn from known strengths, judged as the commands do it, and what
would be printed is compared with the truth. Lines that are done are kept in
``--keep`` and not measured again, so a study that was stopped goes on. The table is written
to ``docs/studies/coverage-lists-tables.md``.
"""

from __future__ import annotations

import argparse
import json
import platform
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lab.studies.lists.matches import MATCH_LINES
from yardstone import parallel
from yardstone.errors import ModelError, YardstoneWarning
from yardstone.pool import Pool
from yardstone.ratings import BradleyTerry, Prior, Relation, Status, uncertainty
from yardstone.ratings.bradley_terry import fit_widely
from yardstone.ratings.rating_list import RatingList, summarise
from yardstone.ratings.simulation import simulate
from yardstone.winprob.laws import points_per_logit, win_draw_loss, win_probability

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

TABLE = Path(__file__).resolve().parents[2] / "docs" / "studies" / "coverage-lists-tables.md"
ADVANTAGE, DRAWS = 30.0, 0.4
KINDS = ("players", "newcomers", "differences", "first move", "draw rate", "ranges")

Counts = dict[str, tuple[int, int]]


@dataclass(frozen=True)
class World:
    """Where pools come from.

    `players` of normal strengths of deviation `spread` meet each other `rounds` times with
    either side; each of `newcomers` plays `own` games with random ones of them. `games`, if
    not 0, are drawn between random pairs instead of the rounds. With `pairs` each game is
    played twice with sides swapped, the luck of the two correlated by `correlation`. What is
    slightly wrong with the model: `law`, share of all games drawn whatever the difference,
    in place of Davidson's; `drift`, points that each strength wanders (a deviation) from the
    first game to the last; `noise`, deviation in points of each game's own difference.
    """

    players: int = 20
    spread: float = 150.0
    rounds: int = 2
    newcomers: int = 0
    own: int = 0
    games: int = 0
    draws: float = DRAWS
    groups: int = 1
    pairs: bool = False
    correlation: float = 0.0
    law: float = 0.0
    drift: float = 0.0
    noise: float = 0.0

    def schedule(self, generator: np.random.Generator) -> tuple[Any, Any]:
        """Who moves first in each game (or pair), and who second, in random order."""
        n = self.players
        if self.games:
            first = generator.integers(n, size=self.games)
            second = (first + generator.integers(1, n, size=self.games)) % n
        else:
            first, second = np.triu_indices(n, 1)
            together = first * self.groups // n == second * self.groups // n
            first, second = (np.repeat(ends[together], self.rounds) for ends in (first, second))
            if not self.pairs:
                first, second = np.append(first, second), np.append(second, first)
        for number in range(n, n + self.newcomers):
            rivals = generator.choice(n, self.own, replace=self.own > n)
            moved = generator.random(self.own) < 0.5
            first = np.append(first, np.where(moved, number, rivals))
            second = np.append(second, np.where(moved, rivals, number))
        order = generator.permutation(len(first))
        return first[order], second[order]

    def draw(self, generator: np.random.Generator) -> tuple[Floats, Pool]:
        """True ratings around 0, and the games."""
        from scipy.special import ndtr

        truth = generator.normal(0.0, self.spread, self.players + self.newcomers)
        first, second = self.schedule(generator)
        opening = np.arange(len(first))
        luck = generator.standard_normal(len(first))
        if self.pairs:
            common, rest = self.correlation**0.5, (1.0 - self.correlation) ** 0.5
            luck = np.append(
                common * luck + rest * generator.standard_normal(len(first)),
                common * luck + rest * generator.standard_normal(len(first)),
            )
            first, second = np.append(first, second), np.append(second, first)
            opening = np.append(opening, opening)
        when = np.linspace(-0.5, 0.5, len(first))
        wander = generator.normal(0.0, self.drift, len(truth)) if self.drift else 0.0 * truth
        gap = truth[first] - truth[second] + (wander[first] - wander[second]) * when + ADVANTAGE
        gap = gap + (generator.normal(0.0, self.noise, len(gap)) if self.noise else 0.0)
        expected = win_probability(gap, points_per_logit=points_per_logit())
        if self.law:
            draws = 2.0 * self.law * np.minimum(expected, 1.0 - expected)
            wins = expected - 0.5 * draws
        else:
            wins, draws, _ = win_draw_loss(expected, self.draws)
        place = ndtr(luck)
        score = np.where(place < wins, 1.0, np.where(place < wins + draws, 0.5, 0.0))
        names = tuple(f"P{number}" for number in range(len(truth)))
        return truth, Pool(
            names,
            first.astype(np.int32),
            second.astype(np.int32),
            score,
            columns={"opening": opening},
        )


@dataclass(frozen=True)
class Line:
    """One line of the table: an option, a world, and how often it is drawn."""

    option: str
    world: World
    pools: int
    words: str
    system: Callable[[Floats, np.random.Generator], dict[str, Any]] = lambda truth, generator: {}
    confidence: float = 0.95
    simulations: int = 0
    sampled: bool = False
    kinds: tuple[str, ...] = KINDS
    fixed: tuple[int, ...] = field(default=())

    def measure(self, seed: int, share: float) -> dict[str, Any]:
        """Pools that could be rated, and intervals that held and all, by kind."""
        generator = np.random.default_rng([seed, *self.option.encode(), *self.words.encode()])
        total = {kind: np.zeros(2, int) for kind in KINDS}
        refused, pools = 0, max(round(self.pools * share), 2)
        for _ in range(pools):
            truth, pool = self.world.draw(generator)
            try:
                report = self._list(truth, pool, generator)
            except ModelError:
                refused += 1
                continue
            for kind, pair in held(report, truth, self.world.players, self.fixed).items():
                total[kind] += pair
        return {
            "pools": pools - refused,
            "held": {kind: pair.tolist() for kind, pair in total.items() if kind in self.kinds},
        }

    def _list(self, truth: Floats, pool: Pool, generator: np.random.Generator) -> RatingList:
        given = {"average": 0.0, "first_advantage": "auto", "draw_rate": "auto"}
        system = BradleyTerry(method="likelihood", **given | self.system(truth, generator))
        limit = uncertainty.FULL_MATRIX_LIMIT
        try:
            uncertainty.FULL_MATRIX_LIMIT = 50 if self.sampled else limit
            system, ratings, _ = fit_widely(system, pool)
        finally:
            uncertainty.FULL_MATRIX_LIMIT = limit
        if self.simulations:
            seed = int(generator.integers(2**31))
            counts = pool.pair_counts()
            with parallel.context(workers=1):
                result = simulate(system, counts, ratings, self.simulations, seed=seed)
            ratings = result.applied_to(ratings)
        return summarise(ratings, pool, confidence=self.confidence)


def held(report: RatingList, truth: Floats, players: int, fixed: tuple[int, ...]) -> Counts:
    """Intervals that hold the truth and all, by kind; bounds count as intervals."""
    ratings = report.ratings
    main = (ratings.component == 0) & (ratings.status != Status.NO_GAMES)
    rated = main & (ratings.status == Status.NORMAL)
    if ratings.reference == "mean" and rated.any():
        truth = truth - truth[rated].mean()
    records = {row: report.record(row) for row in np.flatnonzero(main).tolist()}
    result = {kind: [0, 0] for kind in KINDS}
    ranked = np.flatnonzero(main)
    best = ranked[np.argsort(-truth[ranked])].tolist()
    place = {row: number for number, row in enumerate(best, start=1)}
    for row, record in records.items():
        if row in fixed:
            continue
        low, high = record["low"], record["high"]
        kind = "players" if row < players else "newcomers"
        if low is not None or high is not None:
            inside = (low is None or low <= truth[row]) and (high is None or truth[row] <= high)
            result[kind][0] += inside
            result[kind][1] += 1
        if record["rank_low"] is not None and len(ranked) > 1:
            result["ranges"][0] += record["rank_low"] <= place[row] <= record["rank_high"]
            result["ranges"][1] += 1
    rows = np.flatnonzero(rated & np.isfinite(ratings.deviation))
    if ratings.covariance is not None and len(rows) > 1:
        one, other = (rows[ends] for ends in np.triu_indices(len(rows), 1))
        error = (ratings.rating - truth)[one] - (ratings.rating - truth)[other]
        spread = ratings.deviation_of_difference()[one, other]
        inside = np.abs(error) <= report.deviations * spread
        result["differences"] = [int(inside.sum()), len(inside)]
    if ratings.first_advantage.deviation > 0.0:
        low, high = report.advantage_interval
        result["first move"] = [int(low <= ADVANTAGE <= high), 1]
    if ratings.draw_rate.deviation != 0.0:
        low, high = report.draw_rate_interval
        result["draw rate"] = [int(low <= DRAWS <= high), 1]
    return {kind: (pair[0], pair[1]) for kind, pair in result.items()}


def given(**options: Any) -> Callable[[Floats, np.random.Generator], dict[str, Any]]:
    """Options that are the same for every pool."""
    return lambda truth, generator: options


def anchored(number: int) -> Callable[[Floats, np.random.Generator], dict[str, Any]]:
    """The first players at their true ratings."""
    return lambda truth, generator: {
        "anchors": {f"P{row}": float(truth[row]) for row in range(number)}
    }


def believed(truth: Floats, generator: np.random.Generator) -> dict[str, Any]:
    """Two priors that are off by as much as they say."""
    return {
        "loose_anchors": {
            f"P{row}": Prior(float(truth[row] + generator.normal(0.0, 40.0)), 40.0)
            for row in range(2)
        }
    }


def related(truth: Floats, generator: np.random.Generator) -> dict[str, Any]:
    """A relation that is off by as much as it says, and its players' level."""
    gap = float(truth[0] - truth[1] + generator.normal(0.0, 30.0))
    return {"relations": (Relation("P0", "P1", gap, 30.0),)}


PAIRED = given(paired=("opening",))
NO_DRAWS = tuple(kind for kind in KINDS if kind != "draw rate")
LINES = (
    *(
        Line("default", World(players, 150.0, rounds), pools, f"{players} players, {games} games")
        for players, rounds, games, pools in (
            (2, 3, 6, 1500),
            (2, 10, 20, 1500),
            (4, 1, 12, 1500),
            (8, 1, 56, 1000),
            (20, 2, 760, 200),
        )
    ),
    *(
        Line(
            "default",
            World(20, spread, 2, newcomers=5, own=own),
            300,
            f"newcomers with {own} game{'s' * (own > 1)}, spread {spread:g}",
        )
        for spread in (80.0, 250.0)
        for own in (1, 2, 3, 5, 10)
    ),
    Line("default", World(500, 150.0, games=3000), 120, "500 players, 3,000 games"),
    Line("default", World(50, 150.0, games=10000), 20, "50 players, 10,000 games"),
    Line("default", World(4, 50.0, 3, draws=0.9), 1000, "nine games of ten drawn", kinds=NO_DRAWS),
    Line("default", World(6, 150.0, 2, draws=0.0), 800, "no draws", kinds=NO_DRAWS),
    Line("`--confidence 80`", World(8, 150.0, 1), 2000, "8 players, 56 games", confidence=0.80),
    Line("`--confidence 99`", World(8, 150.0, 1), 800, "8 players, 56 games", confidence=0.99),
    Line(
        "default, model wrong",
        World(12, 150.0, 4, law=0.35),
        300,
        "another law of draws",
        kinds=NO_DRAWS,
    ),
    Line("default, model wrong", World(12, 150.0, 4, drift=60.0), 300, "strengths drift by ± 60"),
    Line("default, model wrong", World(12, 150.0, 4, noise=60.0), 300, "each game's own ± 60"),
    Line(
        "default, sampled errors",
        World(100, 150.0, games=3000),
        40,
        "as for over 4,000 players",
        sampled=True,
    ),
    *(
        Line(
            "`--paired`",
            World(2, 100.0, n, pairs=True, correlation=c),
            800,
            f"2 players, {n} pairs, correlation {c:g}",
            PAIRED,
        )
        for n, c in ((10, 0.0), (10, 0.7), (50, 0.7))
    ),
    *(
        Line(
            "`--paired`",
            World(10, 100.0, 5, newcomers=4, own=own, pairs=True, correlation=c),
            200,
            f"newcomers with {own} pair{'s' * (own > 1)}, correlation {c:g}",
            PAIRED,
        )
        for c in (0.0, 0.7)
        for own in (1, 2, 5, 30)
    ),
    Line(
        "`--paired`, model wrong",
        World(6, 100.0, 20, pairs=True, correlation=0.5, drift=60.0),
        200,
        "strengths drift by ± 60",
        PAIRED,
    ),
    *(
        Line(
            f"`--join 300`{' `--simulate 200`' * (simulations > 0)}",
            World(players, spread, 1, groups=groups),
            replayed if simulations else pools,
            f"{players} players in {groups} group{'s' * (groups > 1)}, spread {spread:g}",
            given(join=300.0),
            simulations=simulations,
        )
        for simulations in (0, 200)
        for players, groups, spread, pools, replayed in (
            (4, 2, 300.0, 1500, 187),
            (12, 3, 300.0, 2000, 400),
            (12, 3, 200.0, 600, 75),
            (12, 3, 450.0, 600, 75),
        )
    ),
    Line("`--simulate 200`", World(8, 150.0, 2), 100, "8 players, 112 games", simulations=200),
    Line(
        "`--simulate 200`",
        World(12, 150.0, 2, newcomers=3, own=5),
        60,
        "newcomers with 5 games",
        simulations=200,
    ),
    Line("`--anchor`", World(8, 150.0, 2), 500, "one anchor", anchored(1), fixed=(0,)),
    Line("`--anchor`", World(8, 150.0, 2), 500, "two anchors", anchored(2), fixed=(0, 1)),
    Line("`--prior`", World(8, 150.0, 2), 500, "two priors of ± 40", believed),
    Line("`--relation`", World(8, 150.0, 2), 500, "one relation of ± 30", related),
    Line("`--first-advantage 30`", World(8, 150.0, 1), 500, "", given(first_advantage=30.0)),
    Line("`--draw-rate 40%`", World(8, 150.0, 1), 500, "", given(draw_rate=0.4)),
    Line(
        "`--draw-rate 40%±5%`",
        World(8, 150.0, 1),
        500,
        "",
        given(draw_rate=Prior(0.4, 0.05)),
        kinds=NO_DRAWS,
    ),
    Line(
        "`--first-advantage 30±10`",
        World(8, 150.0, 1),
        500,
        "",
        given(first_advantage=Prior(30.0, 10.0)),
    ),
)


def cell(pair: list[int]) -> str:
    return f"{100.0 * pair[0] / pair[1]:.1f} ({pair[1]:,})" if pair[1] else ""


def table(done: dict[str, Any]) -> list[str]:
    """The lines of both tables."""
    lines = [
        "| option | pools | " + " | ".join(KINDS) + " | drawn |",
        "|---|---|" + "--:|" * (len(KINDS) + 1),
    ]
    for line in LINES:
        result = done[f"{line.option} {line.words}"]
        cells = [cell(result["held"].get(kind, [0, 0])) for kind in KINDS]
        lines.append(
            f"| {line.option} | {line.words} | {' | '.join(cells)} | {result['pools']:,} |"
        )
    lines += ["", "| `match` | results | held, or came true | of |", "|---|---|--:|--:|"]
    for option, words, _ in MATCH_LINES:
        text, number = done[f"{option} {words}"]
        lines.append(f"| {option} | {words} | {text} | {number:,} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--keep",
        type=Path,
        default=Path("coverage-lists.json"),
        help="file of the lines already measured (default: %(default)s)",
    )
    parser.add_argument(
        "--share", type=float, default=1.0, help="of the pools of each line (default 1)"
    )
    arguments = parser.parse_args()
    done: dict[str, Any] = {}
    if arguments.keep.exists():
        done = json.loads(arguments.keep.read_text(encoding="utf-8"))
    jobs: dict[str, Callable[[], Any]] = {
        f"{line.option} {line.words}": partial(line.measure, arguments.seed, arguments.share)
        for line in LINES
    }
    jobs |= {
        f"{option} {words}": partial(measure, arguments.seed)
        for option, words, measure in MATCH_LINES
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", YardstoneWarning)
        for name, measure in jobs.items():
            if name not in done:
                done[name] = measure()
                print(name, done[name], flush=True)
                arguments.keep.write_text(json.dumps(done), encoding="utf-8")
    made = (
        f"`python -m lab.studies.coverage --seed {arguments.seed} --share {arguments.share:g}`, "
        f"{date.today():%Y-%m-%d}; Yardstone {version('yardstone')}, numpy {np.__version__}, "
        f"Python {platform.python_version()}."
    )
    TABLE.write_text("\n".join([*table(done), "", made]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
