"""What the network of our own is worth: ``python -m lab.studies.own_ranks``.

Everything is said of people of Fox and OGS whom the network of `lab.studies.own_network` has not
learnt from (`lab.studies.own.games`), beside g170-b6c96, which has learnt from nobody: how well
each foretells their moves; the rank under which their moves are likeliest; and how well ranks are
told by models that look through one network or both, in cross-validation with players apart.
The stores of features of both networks are made first, in half an hour of two cores.

The tables go to ``docs/studies/own-ranks-tables.md``.
"""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lab.studies.order import ROOT, shared_folder
from lab.studies.own.choices import band_name, policy_of_store, side_key
from lab.studies.own.material import OTHER, Material
from lab.studies.own.ranks import KINDS, outside, read_sides
from lab.studies.own_network import FOLDER, NAME
from lab.studies.rank.stages import note
from lab.studies.symmetries import resampled, right, side_likelihood
from yardstone.errors import YardstoneError
from yardstone.files import write_text
from yardstone_lab.imitation.games import BANDS
from yardstone_lab.neubauer.rank.intervals import draw_games

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lab.studies.own.ranks import Sides

    Array = NDArray[np.float64]

TABLES = ROOT / "docs" / "studies" / "own-ranks-tables.md"
GAMES = (1, 5, 10, 20)
_DRAWS = 1000


def move_lines(material: Material, random: np.random.Generator) -> Iterator[str]:
    """How well each network foretells the moves of people of each rank."""
    yield (
        f"| rank | sides | people | first choice right, %: {OTHER} | ours | more | "
        f"log-loss of the move: {OTHER} | ours | less |"
    )
    yield "|---|--:|--:|--:|--:|--:|--:|--:|--:|"
    rows = []
    for source in ("fox", "ogs"):
        choices = material.choices(source)
        names = _players(material, source)
        other = policy_of_store(material.store(source, OTHER))
        for k, key in enumerate(choices.key):
            moves, top, likelihood = other[str(key)]
            rows.append(
                (
                    choices.band[k], names[str(key)], choices.moves[k], choices.top[k],
                    choices.own[k], moves, top, likelihood,
                )
            )  # fmt: skip
    band = np.array([row[0] for row in rows])
    name = np.array([row[1] for row in rows])
    figures = np.array([row[2:] for row in rows], np.float64)
    for title, own in [
        *((band_name(k), band == k) for k in range(1, len(BANDS))),
        ("all", band > 0),
    ]:
        if own.any():
            yield _move_row(title, figures[own], name[own], random)


def _players(material: Material, source: str) -> dict[str, str]:
    """Who had each side."""
    store = material.store(source, OTHER)
    result = {}
    if source == "fox":
        _, players, _ = material.facts.of(store)
    else:
        players = np.column_stack([store.games["black"], store.games["white"]])
    for game, file in enumerate(store.games["file"]):
        for colour in (1, 2):
            result[side_key(file, colour)] = f"{source} {players[game, colour - 1]}"
    return result


def _move_row(
    title: str, figures: Array, name: NDArray[np.str_], random: np.random.Generator
) -> str:
    people, person = np.unique(name, return_inverse=True)
    sums = np.array([np.bincount(person, column) for column in figures.T]).T

    def said(total: Array) -> Array:
        moves, top, own, moves_other, top_other, other = np.moveaxis(total, -1, 0)
        return np.stack(
            [top_other / moves_other, top / moves, -other / moves_other, -own / moves], axis=-1
        )

    one = said(sums.sum(axis=0))
    drawn = random.integers(0, len(people), (_DRAWS, len(people)))
    times = np.array([np.bincount(row, minlength=len(people)) for row in drawn])
    each = said(times @ sums)
    more = _interval(100.0 * (each[:, 1] - each[:, 0]), 1)
    less = _interval(each[:, 2] - each[:, 3], 3)
    return (
        f"| {title} | {len(figures)} | {len(people)} | {100 * one[0]:.1f} | {100 * one[1]:.1f} "
        f"| {100 * (one[1] - one[0]):+.1f} {more} | {one[2]:.3f} | {one[3]:.3f} "
        f"| {one[2] - one[3]:.3f} {less} |"
    )


def _interval(values: Array, digits: int) -> str:
    low, high = np.quantile(values, (0.025, 0.975))
    return f"({low:.{digits}f} to {high:.{digits}f})"


def likeliest_lines(material: Material, random: np.random.Generator) -> Iterator[str]:
    """The group under whose choices the moves are likeliest, against the true one."""
    yield "| scale | games | draws | right, % | within one, % | mean error |"
    yield "|---|--:|--:|--:|--:|--:|"
    for source, scale in (("fox", "Fox"), ("ogs", "OGS")):
        choices = material.choices(source)
        columns = [k for k, (name, _) in enumerate(BANDS) if name == source]
        group = choices.band - columns[0]
        likelihood = choices.likelihood[:, columns]
        _, game = np.unique([str(k).rpartition(" ")[0] for k in choices.key], return_inverse=True)
        for games in GAMES:
            if games == 1:
                sums, truth = likelihood, group
            elif source == "fox":
                sums, truth = draw_games(
                    likelihood, group, game, games=games, draws=500, random=random
                )
            else:
                continue
            away = np.abs(sums.argmax(axis=1) - truth)
            yield (
                f"| {scale} | {games if games > 1 else 'one side of one'} | {len(truth):,} | "
                f"{100 * (away == 0).mean():.1f} | {100 * (away <= 1).mean():.1f} "
                f"| {away.mean():.2f} |"
            )


def rank_lines(
    material: Material, sides: dict[str, Sides], options: argparse.Namespace
) -> Iterator[str]:
    """How well ranks of Fox are told."""
    settings = material.settings
    choices = material.choices("fox")
    choices = choices.select(np.searchsorted(choices.key, sides[NAME].key))
    results = []
    for number in range(options.partitions):
        note(f"partition {number + 1} of {options.partitions}")
        chosen = replace(settings, seed=settings.seed + number)
        results.append(outside(sides[OTHER], sides[NAME], choices, chosen))
    pool = sides[NAME].pool
    random = np.random.default_rng(options.seed)
    samples = [resampled(pool, random) for _ in range(options.replicates)]
    everything = np.arange(len(pool))
    yield f"| games of a group | {' | '.join(f'{kind}, % right' for kind in KINDS)} |"
    yield "|--:" + "|--:" * len(KINDS) + "|"
    for games in GAMES:
        note(f"{games} games")
        whole = np.array(
            [[right(k, pool, everything, games, options.draws) for k in each] for each in results]
        ).mean(axis=0)
        drawn = np.array(
            [
                [right(k, pool, rows, games, options.draws) for k in results[n % len(results)]]
                for n, rows in enumerate(samples)
            ]
        )
        cells = [f"{100 * whole[0]:.1f}"]
        for number in range(1, len(KINDS)):
            change = _interval(100.0 * (drawn[:, number] - drawn[:, 0]), 1)
            cells.append(
                f"{100 * whole[number]:.1f}, {100 * (whole[number] - whole[0]):+.1f} {change}"
            )
        yield f"| {games} | {' | '.join(cells)} |"
    each = np.array([[side_likelihood(k, pool) for k in result] for result in results]).mean(axis=0)
    _, person = np.unique(pool.player, return_inverse=True)
    size = np.bincount(person)
    times = random.integers(0, len(size), (_DRAWS, len(size)))
    words = [f"{KINDS[0]} {each[0].mean():.3f}"]
    for kind, own in zip(KINDS[1:], each[1:], strict=True):
        sums = np.bincount(person, own - each[0])
        change = sums[times].sum(axis=1) / size[times].sum(axis=1)
        words.append(
            f"{kind} {own.mean():.3f}, {(own - each[0]).mean():+.3f} {_interval(change, 3)}"
        )
    yield ""
    yield f"Log-likelihood of the group from one side of one game: {'; '.join(words)}."


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--shared", type=Path, default=shared_folder())
    parser.add_argument("--folder", type=Path, default=FOLDER, help="of studies.own_network")
    parser.add_argument("--partitions", type=int, default=3)
    parser.add_argument("--draws", type=int, default=200, help="for each group and part")
    parser.add_argument("--replicates", type=int, default=20, help="of the players")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    material = Material(options)
    random = np.random.default_rng(options.seed)
    settings = material.settings
    lines = ["## Moves", "", *move_lines(material, random), ""]
    lines += ["## The likeliest group", "", *likeliest_lines(material, random), ""]
    keys = material.choices("fox").key.tolist()
    sides = {
        name: read_sides(material.store("fox", name), keys, material.facts, settings)
        for name in material.networks
    }
    games = len(np.unique(sides[NAME].pool.game))
    people = len(np.unique(sides[NAME].pool.player))
    lines += [
        "## Ranks at Fox",
        "",
        f"{len(keys):,} sides of {games:,} games, {people:,} people; mean over "
        f"{options.partitions} partitions of the people into {settings.folds} parts; 95 % "
        "intervals of the difference from g170-b6c96 from drawing the people anew.",
        "",
        *rank_lines(material, sides, options),
        "",
    ]
    lines.append(
        f"`python -m lab.studies.own_ranks --partitions {options.partitions} "
        f"--draws {options.draws} --replicates {options.replicates} --seed {options.seed}`, "
        f"yardstone {version('yardstone')}, numpy {version('numpy')}, "
        f"Python {platform.python_version()}."
    )
    write_text(TABLES, "\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    try:
        main()
    except YardstoneError as error:
        sys.exit(str(error))
