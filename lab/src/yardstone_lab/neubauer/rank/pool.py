"""`RankPool`: what a rank model learns from, a row for each side of each game."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from yardstone.arrays import ArrayFile
from yardstone.errors import UsageError
from yardstone.go.points import BLACK, WHITE
from yardstone.strength.evidence import PHASES, evidence_of_store, phases_of
from yardstone.strength.rank_scorer import in_chunks

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from yardstone.go.feature_store import FeatureStore
    from yardstone.strength.evidence import Evidence
    from yardstone.strength.rank_scorer import Lift

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]

__all__ = ["RankPool", "join_pools", "pool_store", "sample_sides", "without_years"]

_FILE = ArrayFile("pool of a rank model", compressed=False)

_GAMES = 25


@dataclass(frozen=True, slots=True, eq=False)
class RankPool:
    """Sums over the moves of s sides of games, by phase.

    Attributes
    ----------
    values : float32 [s, phases, v]
        Standardised values (`Lift`), summed.
    lifted : float32 [s, phases, e]
        Lifted values, summed.
    counts : int64 [s, phases]
        Number of moves.
    group : int64 [s]
        Rank group of the game, 0 to 10.
    game : int64 [s]
        Which game; two sides of one game have the same.
    colour : int64 [s]
        1 Black, 2 White.
    player, opponent : str [s]
    year : int64 [s]
        0 if it is not known.
    """

    values: Floats
    lifted: Floats
    counts: Ints
    group: Ints
    game: Ints
    colour: Ints
    player: NDArray[np.str_]
    opponent: NDArray[np.str_]
    year: Ints

    def __len__(self) -> int:
        """Number of sides."""
        return len(self.group)

    def select(self, rows: NDArray[np.bool_] | Ints) -> RankPool:
        """Some of the sides."""
        return RankPool(*(getattr(self, field.name)[rows] for field in fields(self)))

    def phases_only(self, phases: Sequence[int]) -> RankPool:
        """The same sides with the moves of some phases alone."""
        keep = np.isin(np.arange(PHASES), phases)
        parts = {field.name: getattr(self, field.name) for field in fields(self)}
        for name in ("values", "lifted"):
            parts[name] = parts[name] * keep[:, None]
        parts["counts"] = parts["counts"] * keep
        return RankPool(**parts)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save it in numpy's format, whole or not at all."""
        arrays = {field.name: getattr(self, field.name) for field in fields(self)}
        _FILE.write(Path(path), arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> RankPool:
        """One that `save` made."""
        return _FILE.read(
            Path(path), lambda arrays, _: cls(*(arrays[field.name] for field in fields(cls)))
        )


def join_pools(pools: Sequence[RankPool]) -> RankPool:
    """The sides of several pools, none of whose games is in two of them."""
    parts = {
        field.name: np.concatenate([getattr(pool, field.name) for pool in pools])
        for field in fields(RankPool)
        if field.name != "game"
    }
    begin, games = 0, []
    for pool in pools:
        games.append(pool.game + begin)
        begin += int(pool.game.max(initial=-1)) + 1
    return RankPool(**parts, game=np.concatenate(games))


def without_years(pool: RankPool) -> RankPool:
    """The pool less what moves of the years say, whatever the group.

    For each colour and phase the mean value of a move is taken for the sum of a part of
    the group and one of the year, by least squares; the year's is taken off.
    """
    values, lifted = pool.values.copy(), pool.lifted.copy()
    years, year = np.unique(pool.year, return_inverse=True)
    group = np.eye(int(pool.group.max()) + 1)[pool.group]
    design = np.concatenate([group, np.eye(len(years))[year]], axis=1)
    for colour in (1, 2):
        rows = pool.colour == colour
        for phase in range(PHASES):
            x, count = design[rows], pool.counts[rows, phase].astype(np.float64)
            for sums in (values, lifted):
                effect = np.linalg.lstsq(
                    x.T @ (count[:, None] * x), x.T @ sums[rows, phase], rcond=1e-9
                )[0][group.shape[1] :]
                effect -= np.bincount(year[rows], count, len(years)) @ effect / count.sum()
                sums[rows, phase] -= (count[:, None] * effect[year[rows]]).astype(np.float32)
    return replace(pool, values=values, lifted=lifted)


def sample_sides(store: FeatureStore, number: int, random: np.random.Generator) -> Evidence:
    """The moves of one side of so many games drawn from a store."""
    games = random.choice(len(store), min(number, len(store)), replace=False)
    colours = random.integers(BLACK, WHITE + 1, len(games))
    return evidence_of_store(store, list(zip(games.tolist(), colours.tolist(), strict=True)))


def pool_store(
    store: FeatureStore,
    groups: ArrayLike,
    lift: Lift,
    *,
    sides: ArrayLike | None = None,
    players: ArrayLike | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> RankPool:
    """Sum up what the moves of a store's games say.

    Parameters
    ----------
    store : FeatureStore
        With the kinds of features that `Evidence` needs.
    groups : int array [games]
        Rank group of each game, 0 to 10; -1 leaves the game out.
    lift : Lift
    sides : bool array [games, 2], optional
        Which sides count (Black's, White's): both by default. So a player's moves can be
        left out and the opponent's kept.
    players : str array [games, 2], optional
        Who had Black and White, where the names in the records cannot be trusted.
    progress : callable, optional
        Called with the number of games that are done, and of all.

    Raises
    ------
    UsageError
        There is not a group for each game, or not the features that are needed.
    """
    group = np.asarray(groups, np.int64)
    if players is None:
        players = np.column_stack([store.games["black"], store.games["white"]])
    names = np.asarray(players).astype(str)
    usable = np.ones((len(store), 2), bool) if sides is None else np.asarray(sides, bool)
    if group.shape != (len(store),) or usable.shape != (len(store), 2):
        raise UsageError(f"the store has {len(store)} games, not {len(group)}")
    if names.shape != (len(store), 2):
        raise UsageError(f"the store has {len(store)} games, not names for {len(names)}")
    usable = usable & (group >= 0)[:, None]
    chosen = [(int(game), int(side) + 1) for game, side in np.argwhere(usable)]
    counts = np.zeros((len(chosen), PHASES), np.int64)
    values = np.zeros((len(chosen), PHASES, lift.values), np.float32)
    lifted = np.zeros((len(chosen), PHASES, lift.lifted), np.float32)
    for start in range(0, len(chosen), _GAMES):
        part = chosen[start : start + _GAMES]
        evidence = evidence_of_store(store, part)
        for _, piece, own in in_chunks(evidence):
            x, more = lift(piece)
            key = (piece.game.astype(np.int64) * PHASES + phases_of(piece.number))[own]
            _add(counts[start:], values[start:], lifted[start:], key, x[own], more[own])
        if progress is not None:
            progress(start + len(part), len(chosen))
    games = np.array([game for game, _ in chosen], np.int64)
    colour = np.array([side for _, side in chosen], np.int64)
    dates = store.games["date"]
    year = np.where(np.isnat(dates), 0, dates.astype("datetime64[Y]").astype(np.int64) + 1970)
    return RankPool(
        values=values,
        lifted=lifted,
        counts=counts,
        group=group[games],
        game=games,
        colour=colour,
        player=names[games, colour - 1],
        opponent=names[games, WHITE - colour],
        year=year[games],
    )


def _add(counts: Ints, values: Floats, lifted: Floats, key: Ints, x: Floats, more: Floats) -> None:
    """Add moves to the sums that their keys name; equal keys lie together."""
    places, first, number = np.unique(key, return_index=True, return_counts=True)
    side, phase = np.divmod(places, PHASES)
    counts[side, phase] += number
    values[side, phase] += np.add.reduceat(x, first, axis=0)
    lifted[side, phase] += np.add.reduceat(more, first, axis=0)
