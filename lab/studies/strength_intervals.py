"""Do intervals of strength hold on strangers? ``python -m lab.studies.strength_intervals``.

The players are the 499 that the part ``testing_by_player`` of the Fox games lists, each with
15 games or more: the shipped model has seen none of them, nor anybody whom they met. Its
intervals are fitted to nine tenths of them, for every number of games by itself, and looked
at on the last tenth, ten times over. ``--stores`` names a folder with stores of their games,
``fox_*``, made by ``yardstone go features --komi 6.5 --features pick,after,candidates,mean``;
those that are not complete are left out. What the model makes of every side is kept in
``lab/tests/strength/data/listed_sides.npz``, from which everything else follows, and with which
the study runs where no stores are given. The tables go to
``docs/studies/strength-intervals-tables.md``, and the model with intervals fitted to all of
the players to ``rank_model_calibrated.npz`` in ``--folder``; ``--ship`` puts it in place of
the one that comes with Yardstone.
"""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Iterator, Mapping
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lab.studies.rank.facts import Facts
from lab.studies.rank.listed import Sides, read_sides
from yardstone.errors import YardstoneError
from yardstone.go.analysis import PHASES as GAME_PHASES
from yardstone.go.feature_store import read_about
from yardstone.strength.intervals import Interval
from yardstone.strength.model import StrengthModel
from yardstone.strength.site_scales import EDGES, RANKS
from yardstone.strength.strengths import PARTS, phase_means
from yardstone_lab.neubauer.rank.intervals import (
    UNLIKELY,
    Coverage,
    Unseen,
    calibrated,
    coverage,
    draw_unseen,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

ROOT = Path(__file__).resolve().parents[2]
TABLES = ROOT / "docs" / "studies" / "strength-intervals-tables.md"
KEPT = ROOT / "lab" / "tests" / "strength" / "data" / "listed_sides.npz"
SHIPPED = ROOT / "src" / "yardstone" / "strength" / "data" / "rank.npz"
CALIBRATED = "rank_model_calibrated.npz"
LEVELS = (0.5, 0.8, 0.9, 0.95)
#: Games of one player that are put together, how often, and how many folds of players.
GAMES = (1, 2, 3, 5, 7, 10, 15)
DRAWS, FOLDS = 4, 10
#: Groups of ranks whose intervals are looked at by themselves.
BANDS = (("3-5k and 1-2k", 0, 1), ("1d to 4d", 2, 5), ("5d to 8d", 6, 9), ("9d", 10, 10))
#: Standard errors of an interval of 95 %.
_REACH = 1.96


def complete_stores(folder: Path) -> list[Path]:
    """The stores of features in a folder that are complete."""
    return [path for path in sorted(folder.glob("fox_*")) if read_about(path).get("complete")]


def draw_parts(sides: Sides, model: StrengthModel, seed: int, draws: int) -> dict[str, Unseen]:
    """Estimates of the listed players from whole games and from each phase."""
    listed = sides.select(sides.listed)
    player = listed.player.astype(np.int64)
    parts = {}
    for part in PARTS:
        phase = None if part == "whole" else GAME_PHASES.index(part)
        parts[part] = draw_unseen(
            model.scale("fox"),
            listed.statistics(phase),
            listed.group.astype(np.int64),
            player,
            player % FOLDS,
            games=GAMES,
            draws=draws,
            random=np.random.default_rng(seed),
        )
    return parts


def crossed(unseen: Unseen, levels: tuple[float, ...] = LEVELS) -> dict[float, list[Interval]]:
    """Intervals at some levels, each fitted to the players of the other folds."""
    intervals: dict[float, list[Interval]] = {
        level: [(None, None)] * len(unseen) for level in levels
    }
    moves = unseen.moves
    for fold in np.unique(unseen.fold):
        table = unseen.select(unseen.fold != fold).table(EDGES)
        for row in np.flatnonzero(unseen.fold == fold):
            for level in levels:
                ends = table.interval(unseen.density[row], int(moves[row]), level)
                intervals[level][row] = ends
    return intervals


def held(
    unseen: Unseen, intervals: list[Interval], level: float, rows: NDArray[np.bool_]
) -> Coverage:
    """Coverage of some of the estimates."""
    chosen = np.flatnonzero(rows)
    return coverage(
        [intervals[row] for row in chosen],
        unseen.group[chosen],
        level=level,
        edges=EDGES,
        players=unseen.player[chosen],
    )


def row(name: str, part: Coverage) -> str:
    """A line of a table."""
    low, high = part.held - _REACH * part.error, part.held + _REACH * part.error
    return (
        f"| {name} | {part.players:,} | {part.count:,} | {100 * part.held:.1f} % "
        f"({100 * low:.1f} to {100 * min(high, 1.0):.1f}) | {100 * part.reach:.1f} % "
        f"| {part.width:.1f} | {100 * part.bounds:.0f} % |"
    )


def head(first: str) -> Iterator[str]:
    """The head of a table."""
    yield f"| {first} | players | estimates | held (95 %) | reach the group | width | bounds |"
    yield "|---|--:|--:|--:|--:|--:|--:|"


def lines(
    sides: Sides, parts: Mapping[str, Unseen], model: StrengthModel, seed: int
) -> Iterator[str]:
    """The tables as Markdown."""
    whole = parts["whole"]
    of_whole = crossed(whole)
    yield "Intervals of 90 %, by the number of games of one player:"
    yield ""
    yield from head("games")
    for games in GAMES:
        if (rows := whole.games == games).any():
            yield row(str(games), held(whole, of_whole[0.9], 0.9, rows))
    yield ""
    yield "At other levels, by the number of games: share held, and its standard error."
    yield ""
    yield "| games | " + " | ".join(f"{100 * level:g} %" for level in LEVELS) + " |"
    yield "|---|" + "--:|" * len(LEVELS)
    for games in GAMES:
        if (rows := whole.games == games).any():
            cells = [held(whole, of_whole[level], level, rows) for level in LEVELS]
            shown = " | ".join(f"{100 * c.held:.1f} ± {100 * c.error:.1f}" for c in cells)
            yield f"| {games} | {shown} |"
    yield ""
    yield "Intervals of 90 %, by the player's true group, from any number of games:"
    yield ""
    yield from head("group")
    for name, first, last in BANDS:
        rows = (whole.group >= first) & (whole.group <= last)
        if rows.any():
            yield row(name, held(whole, of_whole[0.9], 0.9, rows))
    yield ""
    yield "Intervals of 90 % from the moves of one phase:"
    yield ""
    yield from head("phase, games")
    for name in GAME_PHASES:
        part = parts[name]
        of_part = crossed(part, (0.9,))
        for games in GAMES:
            if (rows := part.games == games).any():
                yield row(f"{name}, {games}", held(part, of_part[0.9], 0.9, rows))
    yield ""
    yield from phase_lines(sides, model, seed)
    yield ""
    yield from likeness_lines(whole)
    yield ""
    players = len(np.unique(sides.player[sides.listed]))
    games = len(np.unique(sides.game))
    yield (
        f"`python -m lab.studies.strength_intervals --seed {seed}`, {date.today():%Y-%m-%d}; "
        f"{players} listed players, {games:,} games; Yardstone {version('yardstone')}, model "
        f"{model.card['name']}, numpy {version('numpy')}, Python {platform.python_version()}."
    )


def phase_lines(sides: Sides, model: StrengthModel, seed: int) -> Iterator[str]:
    """Ratings of phases against the true group, and against the rating of the whole."""
    yield (
        "Ratings of phases: how far off the middle of the true group (mean, for groups between "
        "the outermost), and for how many players the rating of all moves lies between those of "
        "the phases."
    )
    yield ""
    yield f"| games | {' | '.join(GAME_PHASES)} | all moves | between |"
    yield "|---|" + "--:|" * (len(GAME_PHASES) + 2)
    listed = sides.select(sides.listed)
    by_phase = np.stack([listed.statistics(phase) for phase in range(len(GAME_PHASES))], axis=1)
    whole = listed.statistics()
    random = np.random.default_rng(seed)
    middle = 0.5 * (EDGES[:-1] + EDGES[1:])
    for games in GAMES:
        away, between = [], []
        for player in np.unique(listed.player):
            own = np.flatnonzero(listed.player == player)
            if len(own) < games:
                continue
            drawn = random.choice(own, games, replace=False)
            all_moves = whole[drawn].sum(axis=0)
            means = phase_means(model.scale("fox"), by_phase[drawn].sum(axis=0), all_moves)
            mean = float(model.posterior(all_moves)[0])
            between.append(means.min() - 0.05 <= mean <= means.max() + 0.05)
            group = int(listed.group[own[0]])
            if 0 < group < len(RANKS) - 1:
                away.append([*means - middle[group], mean - middle[group]])
        if between:
            cells = " | ".join(f"{value:+.1f}" for value in np.mean(away, axis=0))
            yield f"| {games} | {cells} | {100 * np.mean(between):.1f} % |"


def likeness_lines(whole: Unseen) -> Iterator[str]:
    """How many listed players look unlikely, by what was fitted to the others."""
    flagged = np.zeros(len(whole))
    for fold in np.unique(whole.fold):
        here = whole.fold == fold
        flagged[here] = whole.distance[here] > whole.select(~here).farthest()
    yield (
        "Of the same players so many look unlikely, by a limit fitted to the others, which "
        f"{100 * UNLIKELY:g} % of those exceed:"
    )
    yield ""
    yield f"| games | {' | '.join(str(games) for games in GAMES)} | all |"
    yield "|---|" + "--:|" * (len(GAMES) + 1)
    shares = [100 * flagged[whole.games == games].mean() for games in GAMES]
    shown = " | ".join(f"{share:.1f} %" for share in (*shares, 100 * flagged.mean()))
    yield f"| unlikely | {shown} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--stores", type=Path, help="folder with stores of features")
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "strength-intervals")
    parser.add_argument("--draws", type=int, default=DRAWS, help="for each player and number")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--ship", action="store_true", help="replace the model that is shipped")
    options = parser.parse_args()
    model = StrengthModel.load("rank")
    if options.stores is not None:
        result = read_sides(complete_stores(options.stores), model, Facts(options.shared))
        result.save(KEPT)
    sides = Sides.load(KEPT)
    parts = draw_parts(sides, model, options.seed, options.draws)
    whole = calibrated(model, "fox", parts)
    options.folder.mkdir(parents=True, exist_ok=True)
    whole.save(options.folder / CALIBRATED)
    if options.ship:
        whole.save(SHIPPED)
    TABLES.write_text("\n".join(lines(sides, parts, model, options.seed)) + "\n", "utf-8")
    print(TABLES.read_text("utf-8"))


if __name__ == "__main__":
    try:
        main()
    except YardstoneError as error:
        sys.exit(str(error))
