"""How often intervals over time hold the truth: ``python -m lab.studies.coverage_forecasts``.

Ratings over time (`history`, `predict`), metrics (`evaluate`) and places
(`tournament simulate`), from simulated worlds whose truth is known. Writes
``docs/studies/coverage-forecasts.md``.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from platform import python_version
from typing import TYPE_CHECKING

import numpy as np

from yardstone.clusters import mean_error, t_quantile
from yardstone.evaluation.interval_scale import World, drawn_results, interval_scale
from yardstone.evaluation.ledger import Ledger
from yardstone.evaluation.rated_games import whole_history
from yardstone.files import write_text
from yardstone.pool import Pool
from yardstone.ratings.glicko import POINTS
from yardstone.tournament.field import entry_spread, synthetic_field, winning_law
from yardstone.tournament.forecast import final_criteria, places_of, simulate
from yardstone.tournament.model import Game, Result
from yardstone.tournament.simulation import SimulationPlan, play, state_after, tournament_of
from yardstone.tournament.standings_table import criterion

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator

    from yardstone.evaluation.rated_games import RatedGames
    from yardstone.tournament.standings_table import Scores

TABLE = Path(__file__).resolve().parents[2] / "docs/studies/coverage-forecasts.md"
NORMAL_95 = 1.959963984540054
#: A player with fewer games is a newcomer in the tables.
SETTLED = 5
#: Worlds: Glicko-2's own, a narrow and a wide one, and two that nobody's model has.
WORLDS = {
    "Glicko-2's own: newcomers 350, 10.4 a game": World(350.0, "game", 10.4),
    "narrow: newcomers 100, no drift": World(100.0, "game", 0.0),
    "wide: newcomers 250, 4 a day": World(250.0, "day", 4.0),
    "unlike all: two camps 400 apart, leaps of 150": World(60.0, "leaps", 150.0),
}
WHOLE = (100,)
SIZES = ((2, 6), (8, 100), (30, 200), (200, 2000))


def pairings(players: int, games: int, rng: Generator) -> Pool:
    """Games of players of unequal activity over half a year, without results."""
    share = rng.gamma(1.0, 1.0, players) + 0.2
    share /= share.sum()
    first = rng.choice(players, games, p=share)
    second = rng.choice(players, games, p=share)
    same = first == second
    second[same] = (first[same] + 1 + rng.integers(0, players - 1, int(same.sum()))) % players
    day = np.sort(rng.integers(0, 180, games)).astype("datetime64[D]").astype("datetime64[s]")
    return Pool(
        tuple(f"player {row}" for row in range(players)),
        first.astype(np.int32),
        second.astype(np.int32),
        np.zeros(games),
        day,
    )


def played_in(world: World, pool: Pool, rng: Generator) -> tuple[Pool, np.ndarray]:
    """Results, and the strength of each player at his last game."""
    if world.walk != "leaps":
        made, _, _, last = drawn_results(pool, world, rng, draw_rate=0.2)
        return made, last
    n = len(pool.players)
    strength = rng.choice([-200.0, 200.0], n) + rng.normal(0.0, world.spread, n)
    score = np.zeros(len(pool))
    for game in range(len(pool)):
        for row in (pool.first[game], pool.second[game]):
            if rng.random() < 0.01:
                strength[row] += rng.normal(0.0, world.step)
        difference = strength[pool.first[game]] - strength[pool.second[game]]
        score[game] = rng.random() < 1.0 / (1.0 + np.exp(-difference / POINTS))
    last = np.where(pool.played() > 0, strength, np.nan)
    return Pool(pool.players, pool.first, pool.second, score, pool.time), last


def rated_by(system: str, pool: Pool) -> RatedGames:
    return whole_history(pool) if system == "whr" else Ledger.begin(system, pool)


@dataclass
class Count:
    """How many intervals held the truth, of how many."""

    inside: int = 0
    number: int = 0

    def add(self, held: np.ndarray) -> None:
        """Count some more."""
        self.inside += int(held.sum())
        self.number += held.size

    def __str__(self) -> str:
        if not self.number:
            return "–"
        return f"{100.0 * self.inside / self.number:.1f} % of {self.number:,}"


def history_lines(
    pools: int, seed: int, systems: tuple[str, ...], sizes: Sequence[tuple[int, int]] = SIZES
) -> list[str]:
    """Ratings, and differences of ratings, now."""
    heads = ["system", "world", "players, games", "pools", "ratings, 1.96 deviations",
             "ratings", "of newcomers", "differences", "of newcomers"]  # fmt: skip
    lines = [f"| {' | '.join(heads)} |", f"|---|---|---|{'---:|' * 6}"]
    for system in systems:
        for world in WORLDS:
            for players, games in sizes:
                if system == "whr" and games not in WHOLE:
                    continue  # six games may all be drawn, and thousands take long
                number = max(pools * 100 // max(games, 100) // (4 if system == "whr" else 1), 4)
                row = ratings_row(system, world, players, games, number, seed)
                lines.append(f"| {' | '.join(row)} |")
                print(lines[-1], file=sys.stderr, flush=True)
    return lines


def ratings_row(
    system: str, world: str, players: int, games: int, number: int, seed: int
) -> list[str]:
    plain, all_of, new, difference, new_difference = (Count() for _ in range(5))
    for replicate in range(number):
        rng = np.random.default_rng([seed, players, games, replicate])
        pool, last = played_in(WORLDS[world], pairings(players, games, rng), rng)
        rated = rated_by(system, pool)
        scale = interval_scale(rated, seed=replicate)
        assert scale is not None
        played = rated.pool.played()
        known = np.flatnonzero(played > 0)
        order = [rated.ratings.players.index(rated.pool.players[row]) for row in known]
        rating, deviation = rated.ratings.rating[order], rated.ratings.deviation[order]
        truth = last[[pool.players.index(rated.pool.players[row]) for row in known]]
        count = played[known]
        off = rating - truth - float(np.mean(rating - truth))
        plain.add(np.abs(off) <= NORMAL_95 * deviation)
        held = np.abs(off) <= scale.reach(count) * deviation
        all_of.add(held)
        new.add(held[count < SETTLED])
        for _ in range(2 * len(known)):
            a, b = rng.choice(len(known), 2, replace=False)
            few = int(min(count[a], count[b]))
            width = scale.reach_of_difference(few) * np.hypot(deviation[a], deviation[b])
            inside = np.array([abs(off[a] - off[b]) <= width])
            difference.add(inside)
            if few < SETTLED:
                new_difference.add(inside)
    cells = [plain, all_of, new, difference, new_difference]
    return [system, world, f"{players}, {games}", str(number), *map(str, cells)]


def metric_lines(pools: int, seed: int) -> list[str]:
    """Means over games of players with effects of their own."""
    lines = ["| players | activity | players' effects | held | of |", "|---:|---|---:|---:|---:|"]
    for players in (4, 6, 8, 12, 20, 50):
        for activity in ("even", "unequal"):
            for effect in (0.0, 0.3, 1.0):
                inside = number = 0
                for replicate in range(pools):
                    rng = np.random.default_rng([seed, players, replicate])
                    share = np.ones(players)
                    if activity == "unequal":
                        share = 1.0 / np.arange(1.0, players + 1.0)
                    sides = rng.choice(players, (2, 400), p=share / share.sum())
                    first, second = sides[:, sides[0] != sides[1]][:, :200].astype(np.int32)
                    each = rng.normal(0.0, effect, players)
                    values = each[first] + each[second] + rng.normal(size=len(first))
                    error, freedom = mean_error(values, first, second)
                    if np.isfinite(error):
                        number += 1
                        inside += abs(values.mean()) <= t_quantile(0.975, freedom) * error
                held = f"{100.0 * inside / number:.1f} %" if number else "no interval"
                lines.append(f"| {players} | {activity} | {effect:g} | {held} | {number:,} |")
    return lines


def place_lines(tournaments: int, seed: int) -> list[str]:
    """Places after all rounds, forecast before the first and after the second."""
    counts = {(begun, spread): Count() for begun in (0, 2) for spread in (True, False)}
    chance_of_winner: dict[tuple[int, bool], list[float]] = {key: [] for key in counts}
    for replicate in range(tournaments):
        rng = np.random.default_rng([seed, replicate])
        entered = synthetic_field(16, rng, lowest=-5, highest=4, spread=0.0)
        grades = entered.strength
        sigma = entry_spread(grades)
        strength = grades + sigma * rng.standard_normal(16)
        whole = tournament_of(entered, rounds=5, bar=4)
        chance = winning_law("kaniuk")
        truth = SimulationPlan(whole, strength, chance)
        criteria = final_criteria(truth, None)
        scores, _ = play(truth, rng)
        state = state_after(scores, 5)
        values = [criterion(name, whole.system).values(state) for name in criteria]
        first, shared = places_of(np.column_stack(values))
        for begun, spread in counts:
            known = replace(whole, games=games_of(scores, begun))
            plan = SimulationPlan(known, grades, chance, deviation=sigma if spread else 0.0)
            result = simulate(plan, 100, seed=replicate)
            reach = result.place_range(0.9)
            # A shared place counts as its middle.
            place = first + 1 + (shared - 1) / 2.0
            counts[begun, spread].add((reach[:, 0] <= place) & (place <= reach[:, 1]))
            chance_of_winner[begun, spread].append(float(result.first[first == 0].mean()))
    lines = ["| rounds over | strengths | places held | first |", "|---:|---|---:|---:|"]
    for (begun, spread), count in counts.items():
        what = "uncertain (the default)" if spread else "exact (`--deviation 0`)"
        mean = 100.0 * float(np.mean(chance_of_winner[begun, spread]))
        lines.append(f"| {begun} | {what} | {count} | {mean:.1f} % |")
    return lines


def games_of(scores: Scores, rounds: int) -> tuple[Game, ...]:
    """The games of the first rounds of a replay."""
    results = {2: Result.first_wins, 1: Result.draw, 0: Result.second_wins}
    return tuple(
        Game(
            round=column + 1,
            first=row,
            second=int(scores.opponent[row, column]),
            table=table + 1,
            result=results[int(scores.points2[row, column])],
        )
        for column in range(rounds)
        for table, row in enumerate(np.flatnonzero(scores.first[:, column] == 1).tolist())
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pools", type=int, default=40, help="of 100 games; fewer of more")
    parser.add_argument("--tournaments", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--systems", nargs="*", default=["glicko2", "whr"])
    options = parser.parse_args()
    begun = time.perf_counter()
    parts = [
        "# Do intervals over time hold?",
        f"Made by `python -m lab.studies.coverage_forecasts --pools {options.pools} --seed "
        f"{options.seed} --tournaments {options.tournaments}` on {datetime.now(UTC).date()}; "
        f"Python {python_version()}, numpy {np.__version__}. All intervals promise 95 %. Each "
        "cell says how many held the truth, and of how many.",
        "## Ratings over time",
        "*1.96 deviations* is what the system itself would promise; the columns after it are "
        "what `yardstone history` and `yardstone predict` print "
        "(`yardstone.evaluation.interval_scale`). The interval of an expected score is that of "
        f"the difference. *Newcomers* have fewer than {SETTLED} games; of a difference one of the "
        "two. Ratings of one pool depend on each other, so a cell of 80 to 400 has an error of 2 "
        "to 4 points, one of 600 and more of 1.",
        "\n".join(history_lines(options.pools, options.seed, tuple(options.systems))),
        "## Means over games (`evaluate`)",
        "200 games; each player adds an effect of his own (in deviations of a single game) to "
        "all of his games. *Unequal*: the k-th player plays 1/k as often as the first. Without "
        "effects the intervals are wider than they need be, for it cannot be known that there "
        "are none.",
        "\n".join(metric_lines(5 * options.pools, options.seed)),
    ]
    parts += [
        "## Places (`tournament simulate`)",
        "Tournaments of 16 players from 5 kyu to 5 dan, five rounds, whose true strengths lie "
        "about their grades as measured in real tournaments; each is forecast from the grades "
        "alone and again after two rounds, and 90 % of places are promised (the least range of "
        "whole places with at most 5 % on either side, so somewhat more must be held). *First*: "
        "mean chance given to the players who won; higher is better.",
        "\n".join(place_lines(options.tournaments, options.seed)),
    ]
    write_text(TABLE, "\n\n".join(parts) + "\n")
    print(f"{TABLE}: {time.perf_counter() - begun:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
