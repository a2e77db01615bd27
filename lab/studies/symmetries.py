"""What looking twice is worth: ``python -m lab.studies.symmetries --one FOLDER --several FOLDER``.

The rank model on the same games twice: on features of one look at each position, and on those
averaged over several symmetries of the board. Both folders hold stores ``fox_*`` of the Fox
games of Kuboki and others, made with ``yardstone go features`` (g170-b6c96, bf16, komi 6.5,
``--features pick,after,candidates,mean``), those of ``--several`` with ``--symmetries 2`` as
well; if there is none, it is made first, in hours. Games that only one of the folders has are
left out, and so are players held back.

Ranks are told in cross-validation, players apart, by several partitions into five parts. The
table goes to ``docs/studies/symmetries-tables.md``.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lab.studies.rank.facts import Facts
from lab.studies.rank.stages import note, outside_probabilities
from yardstone.errors import NoGamesError, YardstoneError
from yardstone.files import write_text
from yardstone.go.feature_store import FeatureStore
from yardstone_lab.neubauer.rank.intervals import (
    accuracy,
    draw_games,
    judged_by_fold,
    knot_probabilities,
)
from yardstone_lab.neubauer.rank.pool import RankPool, join_pools, pool_store
from yardstone_lab.neubauer.rank.training import OutOfFold, PoolTrainer, RankSettings, make_lift

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

ROOT = Path(__file__).resolve().parents[2]
TABLES = ROOT / "docs" / "studies" / "symmetries-tables.md"
SEVERAL = ROOT / "build" / "features-2"
GAMES = (1, 5, 10, 20)


@dataclass(frozen=True, slots=True, eq=False)
class Looks:
    """The sides of the games, in one order whatever the stores are."""

    pool: RankPool
    trainer: tuple[PoolTrainer, ...]


def games_of(folder: Path) -> tuple[list[FeatureStore], list[list[str]]]:
    """Stores of a folder, and the names of their games in the archive."""
    stores = [FeatureStore.open(path) for path in sorted(folder.glob("fox_*"))]
    if not stores:
        raise NoGamesError("there are no stores fox_*", file=str(folder))
    names = [["/".join(Path(file).parts[-4:]) for file in store.games["file"]] for store in stores]
    return stores, names


def looks(
    stores: Sequence[FeatureStore],
    names: Sequence[Sequence[str]],
    wanted: set[str],
    facts: Facts,
    settings: Sequence[RankSettings],
) -> Looks:
    """The wanted games of the stores, for training under each of the settings."""
    lift = make_lift(stores[0], settings[0])
    pools, order = [], []
    for store, keys in zip(stores, names, strict=True):
        group, players, held = facts.of(store)
        inside = np.isin(keys, list(wanted)) & ~held
        group = np.where(inside, group, -1)
        free = ~np.isin(players, list(facts.held_back))
        note(f"pooling {store.path}")
        pools.append(pool_store(store, group, lift, sides=free, players=players))
        usable = free & inside[:, None]
        order += [f"{keys[game]} {side}" for game, side in np.argwhere(usable).tolist()]
    place = np.argsort(np.array(order), kind="stable")
    pool = join_pools(pools).select(place)
    _, game = np.unique([order[row].rpartition(" ")[0] for row in place], return_inverse=True)
    pool = replace(pool, game=game)
    trainers = tuple(
        PoolTrainer(pool, lift, prior_moves=each.prior_moves, folds=each.folds, seed=each.seed)
        for each in settings
    )
    return Looks(pool, trainers)


def side_likelihood(held_out: OutOfFold, pool: RankPool) -> Array:
    """Log-likelihood of the group of each side, from that side alone."""
    chances = outside_probabilities(held_out, pool)
    return np.asarray(np.log(chances[np.arange(len(pool)), pool.group]))


def right(
    held_out: OutOfFold, pool: RankPool, rows: NDArray[np.int64], games: int, draws: int
) -> float:
    """How often the group is named from so many games, drawn from some of the sides.

    A side may stand among them several times, in as many games.
    """
    statistics = held_out.statistics()[rows]
    group, game, fold = pool.group[rows], pool.game[rows], held_out.fold[rows]
    random = np.random.default_rng(games)
    # The copies of a game are games of their own.
    order = np.lexsort((pool.colour[rows], game))
    copy = np.zeros(len(rows), np.int64)
    _, first, size = np.unique(
        np.stack([game[order], pool.colour[rows][order]]),
        axis=1,
        return_index=True,
        return_counts=True,
    )
    copy[order] = np.arange(len(rows)) - np.repeat(first, size)
    game = game * (int(copy.max()) + 1) + copy

    def drawn(chosen: NDArray[np.int64]) -> tuple[Array, NDArray[np.int64]]:
        return draw_games(
            statistics[chosen],
            group[chosen],
            game[chosen],
            games=games,
            draws=draws,
            random=random,
        )

    def judge(number: int, sums: Array) -> Array:
        return knot_probabilities(held_out.models[number].scale(), sums)

    return accuracy(*judged_by_fold(drawn, judge, fold)).exact


def resampled(pool: RankPool, random: np.random.Generator) -> NDArray[np.int64]:
    """Rows of the sides of games between players who were drawn anew.

    Everybody counts a Poisson number of times, and a game as often as its two players in
    product: cautious, since a game's chance is taken for that of both of them.
    """
    names, number = np.unique(np.concatenate([pool.player, pool.opponent]), return_inverse=True)
    count = random.poisson(1.0, len(names))[number]
    return np.repeat(np.arange(len(pool)), count[: len(pool)] * count[len(pool) :])


def rows_of(one: Looks, several: Looks, symmetries: int, options: argparse.Namespace) -> list[str]:
    """The lines of the table."""
    pool = one.pool
    pairs = [
        (mine.train(settings, {}).out_of_fold, other.train(settings, {}).out_of_fold)
        for mine, other, settings in zip(
            one.trainer, several.trainer, partitions(options), strict=True
        )
    ]
    random = np.random.default_rng(options.seed)
    samples = [resampled(pool, random) for _ in range(options.replicates)]
    everything = np.arange(len(pool))
    lines = [
        f"| games of a group | one look, % right | {symmetries} symmetries | more |",
        "|--:|--:|--:|--:|",
    ]
    for games in GAMES:
        note(f"{games} games")
        values = np.array(
            [[right(result, pool, everything, games, options.draws) for result in p] for p in pairs]
        )
        changes = [
            right(pair[1], pool, rows, games, options.draws)
            - right(pair[0], pool, rows, games, options.draws)
            for rows, pair in zip(samples, pairs * len(samples), strict=False)
        ]
        mean = 100.0 * values.mean(axis=0)
        low, high = 100.0 * np.quantile(changes, (0.025, 0.975))
        lines.append(
            f"| {games} | {mean[0]:.1f} | {mean[1]:.1f} | {mean[1] - mean[0]:+.1f} "
            f"({low:+.1f} to {high:+.1f}) |"
        )
    sides = np.array([[side_likelihood(result, pool) for result in pair] for pair in pairs])
    own, other = sides.mean(axis=0)
    _, person = np.unique(pool.player, return_inverse=True)
    sums = np.bincount(person, other - own), np.bincount(person)
    drawn = random.integers(0, len(sums[0]), (1000, len(sums[0])))
    change = sums[0][drawn].sum(axis=1) / sums[1][drawn].sum(axis=1)
    low, high = np.quantile(change, (0.025, 0.975))
    lines += [
        "",
        f"Log-likelihood of the group from one side of one game: {own.mean():.3f} and "
        f"{other.mean():.3f}, {(other - own).mean():+.3f} ({low:+.3f} to {high:+.3f}).",
    ]
    return lines


def partitions(options: argparse.Namespace) -> list[RankSettings]:
    """Settings that differ in how the players are divided."""
    return [RankSettings(seed=options.seed + number) for number in range(options.partitions)]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--one", type=Path, default=ROOT / "build" / "features")
    parser.add_argument("--several", type=Path, default=SEVERAL)
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared")
    parser.add_argument("--partitions", type=int, default=3)
    parser.add_argument("--draws", type=int, default=400, help="for each group and part")
    parser.add_argument("--replicates", type=int, default=60, help="of the players")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if not list(options.several.glob("fox_*")) and options.several == SEVERAL:
        command = [sys.executable, "-m", "lab.studies.features", "--only", "fox_games"]
        subprocess.run([*command, "--shared", str(options.shared), "--symmetries", "2"], check=True)
    facts = Facts(options.shared)
    kinds = [games_of(options.one), games_of(options.several)]
    names = [{name for keys in every for name in keys} for _, every in kinds]
    wanted = names[0] & names[1]
    symmetries = int(kinds[1][0][0].settings["symmetries"])
    one, several = (looks(*kind, wanted, facts, partitions(options)) for kind in kinds)
    lines = [
        f"{len(np.unique(one.pool.game)):,} games, {len(one.pool):,} sides of "
        f"{len(np.unique(one.pool.player)):,} players; mean over {options.partitions} partitions "
        "of the players into five parts; 95 % intervals from drawing the players anew.",
        "",
        *rows_of(one, several, symmetries, options),
        "",
        f"`python -m lab.studies.symmetries --seed {options.seed} "
        f"--partitions {options.partitions} --draws {options.draws} "
        f"--replicates {options.replicates}`.",
    ]
    write_text(TABLES, "\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    try:
        main()
    except YardstoneError as error:
        sys.exit(str(error))
