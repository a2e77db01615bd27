"""Do intervals of strength hold on players never seen? ``python -m studies.strength_intervals``.

Reads what ``python -m studies.rank_from_moves`` kept in its folder: for each side of the
training games what a model says that has not seen its player nor anybody the player met,
and what the whole model says of the sides held back, whose players it has not seen either.
The intervals of one fold's players are fitted to the players of the other folds, so that
neither model nor intervals have seen them. The tables go to
``docs/studies/strength-intervals-tables.md``; the model with intervals fitted to the
players of all folds goes to ``rank_model_calibrated.npz`` in that folder.
"""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from studies.rank.stages import MODEL, scored_file

from yardstone.errors import InputError
from yardstone.strength.estimate.intervals import Coverage, coverage, fit_intervals
from yardstone.strength.rank.intervals import calibrated, drawn_players
from yardstone.strength.rank.model import RankModel
from yardstone.strength.rank.protocol import draw_players
from yardstone.strength.rank.scorer import PHASES
from yardstone.strength.rank.training import OutOfFold

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]

ROOT = Path(__file__).resolve().parent.parent
TABLES = ROOT / "docs" / "studies" / "strength-intervals-tables.md"
CALIBRATED = "rank_model_calibrated.npz"
LEVELS = (0.5, 0.8, 0.9, 0.95)
EVERY = (0,)
EDGES = (0, 20, 50, 100, 200, 400, 800, 1600)
#: Games of one player held back that are put together.
GAMES = (1, 2, 3, 5, 7, 10, 15)
#: A game, or most of one.
MANY = 50
#: Groups of ranks whose intervals are looked at by themselves.
BANDS = (("3-5k and 1-2k", 0, 1), ("1d to 4d", 2, 5), ("5d to 8d", 6, 9), ("9d", 10, 10))


@dataclass(frozen=True)
class Unseen:
    """Estimates of players never seen: from a phase, from a game, from several."""

    density: Array
    group: Ints
    moves: Ints
    fold: Ints

    def select(self, rows: NDArray[np.bool_]) -> Unseen:
        """Some of the estimates."""
        return Unseen(self.density[rows], self.group[rows], self.moves[rows], self.fold[rows])

    def and_also(self, other: Unseen) -> Unseen:
        """These and others."""
        names = ("density", "group", "moves", "fold")
        pairs = [(getattr(self, name), getattr(other, name)) for name in names]
        return Unseen(*map(np.concatenate, pairs))


def read(folder: Path, seed: int) -> Unseen:
    """What the other study kept, as estimates of each player."""
    path = folder / "out_of_fold.npz"
    if not path.exists():
        raise InputError(
            "there is no such file", file=str(path), mend="run python -m studies.rank_from_moves"
        )
    with np.load(path, allow_pickle=False) as found:
        arrays = {name: found[name] for name in found.files}
    models = tuple(
        RankModel.load(folder / f"fold-{number}.npz") for number in range(arrays["fold"].max() + 1)
    )
    outside = OutOfFold(arrays["counts"], arrays["scores"], arrays["fold"], models)
    return Unseen(
        *drawn_players(outside, arrays["group"], arrays["player"], np.random.default_rng(seed))
    )


def held_back(model: RankModel, folder: Path, folds: int, seed: int) -> Unseen:
    """What the model says of the players held back, from several games where they have them."""
    parts = []
    for path in sorted(folder.glob(scored_file(folder, "*").name)):
        with np.load(path, allow_pickle=False) as found:
            parts.append({name: found[name] for name in ("statistics", "group", "player")})
    if not parts:
        raise InputError(
            "no players held back were scored with its model",
            file=str(folder),
            mend="run python -m studies.rank_from_moves with their stores",
        )
    whole = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    random = np.random.default_rng(seed)
    sums, groups, people = [], [], []
    for games in GAMES:
        drawn, group, who = draw_players(
            whole["statistics"],
            whole["group"],
            whole["player"],
            games=games,
            draws=1,
            random=random,
        )
        sums.append(drawn)
        groups.append(group)
        people.append(who)
    statistics = np.concatenate(sums)
    moves = statistics[:, :PHASES].sum(axis=1).astype(np.int64)
    fold = np.concatenate(people) % folds
    return Unseen(model.density(statistics), np.concatenate(groups), moves, fold)


def crossed(
    found: Unseen, level: float, edges: Sequence[int], chosen: NDArray[np.bool_]
) -> list[Coverage]:
    """Coverage of the chosen estimates; the intervals are fitted to the other folds' players."""
    each: dict[int, list[Coverage]] = {}
    for fold in np.unique(found.fold):
        others, here = found.select(found.fold != fold), found.select((found.fold == fold) & chosen)
        table = fit_intervals(others.density, others.group, others.moves)
        place = np.searchsorted(np.asarray(edges), here.moves, side="right")
        for k in np.unique(place):
            part = here.select(place == k)
            each.setdefault(int(k), []).extend(
                coverage(table, part.density, part.group, part.moves, level=level, edges=EVERY)
            )
    return [joined(parts) for _, parts in sorted(each.items())]


def joined(parts: Sequence[Coverage]) -> Coverage:
    """Coverage over several folds."""
    count = np.array([part.count for part in parts])

    def mean(name: str) -> float:
        return float(np.array([getattr(part, name) for part in parts]) @ count / count.sum())

    return Coverage(
        least=min(part.least for part in parts),
        most=max(part.most for part in parts),
        count=int(count.sum()),
        level=parts[0].level,
        held=mean("held"),
        even=mean("even"),
        met=mean("met"),
        width=mean("width"),
    )


def row(name: str, part: Coverage) -> str:
    return (
        f"| {name} | {part.count:,} | {100 * part.held:.1f} % | {100 * part.even:.1f} % "
        f"| {100 * part.met:.1f} % | {part.width:.1f} |"
    )


def head(first: str) -> Iterator[str]:
    yield f"| {first} | estimates | held | if even within the group | reach the group | width |"
    yield "|---|--:|--:|--:|--:|--:|"


def lines(found: Unseen, seed: int) -> Iterator[str]:
    """The tables as Markdown."""
    all_rows = np.ones(len(found.group), bool)
    yield "Intervals of 90 %, by the player's moves that they rest upon:"
    yield ""
    yield from head("moves")
    for part in crossed(found, 0.9, EDGES, all_rows):
        yield row(f"{part.least:,} to {part.most:,}", part)
    enough = found.moves >= MANY
    yield ""
    yield f"From {MANY} moves or more, by the player's true group:"
    yield ""
    yield from head("group")
    for name, first, last in BANDS:
        chosen = enough & (found.group >= first) & (found.group <= last)
        yield row(name, crossed(found, 0.9, EVERY, chosen)[0])
    yield ""
    yield f"From {MANY} moves or more, at other levels:"
    yield ""
    yield from head("level")
    for level in LEVELS:
        yield row(f"{100 * level:g} %", crossed(found, level, EVERY, enough)[0])
    yield ""
    yield (
        f"`python -m studies.strength_intervals --seed {seed}`, {date.today():%Y-%m-%d}; Yardstone "
        f"{version('yardstone')}, numpy {version('numpy')}, Python {platform.python_version()}."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "rank-from-moves")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    try:
        found = read(options.folder, options.seed)
        model = RankModel.load(options.folder / MODEL)
        folds = int(found.fold.max()) + 1
        found = found.and_also(held_back(model, options.folder, folds, options.seed))
    except InputError as error:
        sys.exit(str(error))
    whole = calibrated(model, found.density, found.group, found.moves)
    whole.save(options.folder / CALIBRATED)
    TABLES.parent.mkdir(parents=True, exist_ok=True)
    TABLES.write_text("\n".join(lines(found, options.seed)) + "\n", "utf-8")
    print(TABLES.read_text("utf-8"))


if __name__ == "__main__":
    main()
