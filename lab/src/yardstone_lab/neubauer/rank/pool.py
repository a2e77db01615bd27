"""Players with their ranks and moves, put in folds, and the ridge regression between them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.arrays import ArrayFile
from yardstone.errors import UsageError
from yardstone.go.points import BLACK, WHITE
from yardstone.parallel import Track
from yardstone.strength.evidence import PHASES, evidence_of_store, phases_of
from yardstone.strength.rank_scorer import MoveScorer, in_chunks

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from yardstone.go.feature_store import FeatureStore
    from yardstone.strength.evidence import Evidence
    from yardstone.strength.rank_scorer import Lift

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float32]
    Array = NDArray[np.float64]

__all__ = [
    "components",
    "player_folds",
    "RankPool",
    "join_pools",
    "pool_store",
    "sample_sides",
    "without_years",
    "Regression",
]


def components(first: NDArray[Any], second: NDArray[Any]) -> Ints:
    """Which connected part of the graph of pairings each game lies in.

    Args:
        first, second (str array [n]): Who played each game.

    Returns:
        int64 [n]: Numbers from 0 in order of appearance; two games have the same if players lead
            from one to the other.
    """
    parent: dict[Any, Any] = {}

    def root(name: Any) -> Any:
        while parent.setdefault(name, name) != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    pairs = list(zip(first.tolist(), second.tolist(), strict=True))
    for one, other in pairs:
        parent[root(one)] = root(other)
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(root(one), len(numbers)) for one, _ in pairs], np.int64)


def player_folds(
    first: NDArray[Any], second: NDArray[Any], group: Ints, folds: int, seed: int
) -> Ints:
    """The fold of each game: nobody's games, nor those of any opponent, are in two.

    Large connected parts are dealt out first, each to the fold that holds the fewest
    games of its groups; equal seeds give equal folds.
    """
    part = components(first, second)
    random = np.random.default_rng(seed)
    kinds = int(group.max(initial=0)) + 1
    size = np.zeros((int(part.max(initial=-1)) + 1, kinds))
    np.add.at(size, (part, group), 1.0)
    held = np.zeros((folds, kinds))
    fold_of = np.zeros(len(size), np.int64)
    order = np.argsort(-(size.sum(axis=1) + random.random(len(size))), kind="stable")
    for number in order:
        fold = int(np.argmin(held @ size[number]))
        fold_of[number] = fold
        held[fold] += size[number]
    return fold_of[part]


_FILE = ArrayFile("pool of a rank model", compressed=False)

_GAMES = 25


@dataclass(frozen=True, slots=True, eq=False)
class RankPool:
    """Sums over the moves of s sides of games, by phase."""

    values: Floats  #: [s, phases, v]: standardised values (`Lift`), summed.
    lifted: Floats  #: [s, phases, e]: lifted values, summed.
    counts: Ints  #: [s, phases]: number of moves.
    group: Ints  #: [s]: rank group of the game, 0 to 10.
    game: Ints  #: [s]: which game; two sides of one game have the same.
    colour: Ints  #: [s]: 1 Black, 2 White.
    player: NDArray[np.str_]
    opponent: NDArray[np.str_]
    year: Ints  #: [s]: 0 if it is not known.

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
) -> RankPool:
    """Sum up what the moves of a store's games say.

    Args:
        store: With the kinds of features that `Evidence` needs.
        groups (int array [games]): Rank group of each game, 0 to 10; -1 leaves the game out.
        sides (bool array [games, 2]): Which sides count (Black's, White's): both by default. So a
            player's moves can be left out and the opponent's kept.
        players (str array [games, 2]): Who had Black and White, where the names in the records
            cannot be trusted.

    Raises:
        UsageError: There is not a group for each game, or not the features that are needed.
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
    track = Track("learning", len(chosen))
    for start in range(0, len(chosen), _GAMES):
        part = chosen[start : start + _GAMES]
        evidence = evidence_of_store(store, part)
        for _, piece, own in in_chunks(evidence):
            x, more = lift(piece)
            key = (piece.game.astype(np.int64) * PHASES + phases_of(piece.number))[own]
            _add(counts[start:], values[start:], lifted[start:], key, x[own], more[own])
        track(start + len(part))
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


_TINY = 1e-9
_RARE = 1e-4


class Regression:
    """Ridge regression whose moments are summed by fold, so that each is made once.

    Targets are regressed on the mean values of a side's moves: of the whole game, by phase,
    and lifted.

    Args:
        lift: That made the pool.
        prior_moves: Moves without a say, added to those of each side.
        target (float [s, t]): Of each side: indicators of its rank group, or its rank.
        weight (float [s]): How much each side counts; 1 on average.
    """

    def __init__(
        self, pool: RankPool, lift: Lift, prior_moves: float, target: Array, weight: Array
    ) -> None:
        self._lift = lift
        self._weight = weight.astype(np.float32)
        counts = pool.counts.astype(np.float32)
        share = self._weight[:, None] * counts
        self._mean = np.zeros((2, PHASES, lift.values + lift.lifted), np.float32)
        self._values, self._lifted = pool.values.copy(), pool.lifted.copy()
        for colour in (0, 1):
            rows = pool.colour == colour + 1
            total = np.maximum(share[rows].sum(axis=0), 1.0)[:, None]
            own = self._weight[rows, None, None]
            mean_values = (own * pool.values[rows]).sum(axis=0, dtype=np.float64) / total
            mean_lifted = (own * pool.lifted[rows]).sum(axis=0, dtype=np.float64) / total
            self._mean[colour] = np.concatenate([mean_values, mean_lifted], axis=1)
            here = counts[rows][:, :, None]
            self._values[rows] -= here * mean_values.astype(np.float32)
            self._lifted[rows] -= here * mean_lifted.astype(np.float32)
        whole = 1.0 / (counts.sum(axis=1) + np.float32(prior_moves))[:, None]
        parts = [
            self._values.sum(axis=1),
            *(self._values[:, phase] for phase in range(PHASES)),
            self._lifted.sum(axis=1),
        ]
        width = (1 + PHASES) * lift.values + lift.lifted
        self._design = np.empty((len(pool), width), np.float32)
        self._scale = np.empty(width, np.float32)
        begin = 0
        for sums in parts:
            columns = slice(begin, begin + sums.shape[1])
            x = sums * whole
            deviation = x.std(axis=0, dtype=np.float64)
            # What hardly ever happens must not become large.
            least = _RARE * float(np.abs(x).max(initial=0.0)) + _TINY
            self._scale[columns] = 1.0 / (deviation + least)
            np.multiply(x, self._scale[columns], out=self._design[:, columns])
            begin = columns.stop
        mean = np.average(target, axis=0, weights=weight)
        self._target = (target - mean).astype(np.float32)

    def moments(self, rows: NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """Weighted products of the design with itself and with the target, over some sides."""
        x = self._design[rows]
        weighted = (x * self._weight[rows, None]).T
        return np.asarray(weighted @ x), np.asarray(weighted @ self._target[rows], np.float32)

    def solve(
        self, gram: Floats, cross: Floats, *, ridge: float, by_phase: float, lifted: float
    ) -> tuple[Floats, Floats]:
        """Weights from summed moments.

        Args:
            gram, cross: Sums of what `moments` gave.
            ridge: Penalty of the values of the whole game, as a share of a value's variance.
            by_phase, lifted: How much weaker the values by phase, and each kind of lifted values,
                count before the penalty: theirs is ``ridge`` divided by the square.

        Returns:
            float32 [phases, v, t]: Of the values, by phase.
            float32 [e, t]: Of the lifted values.
        """
        from scipy.linalg import cho_factor, cho_solve

        regularised = gram.copy()
        values = self._lift.values
        blocks = np.array(self._lift.blocks)
        weight = np.concatenate(
            [
                np.ones(values),
                np.full(PHASES * values, by_phase),
                np.repeat(lifted * np.sqrt(self._lift.channels / blocks), blocks),
            ]
        )
        penalty = ridge * len(self._design) / weight**2
        regularised[np.diag_indices(len(gram))] += penalty.astype(np.float32)
        factor = cho_factor(regularised, lower=True, overwrite_a=True, check_finite=False)
        weights = cho_solve(factor, cross, check_finite=False) * self._scale[:, None]
        parts = weights[: (1 + PHASES) * values].reshape(1 + PHASES, values, -1)
        return (
            (parts[:1] + parts[1:]).astype(np.float32),
            weights[(1 + PHASES) * values :].astype(np.float32),
        )

    def phase_scores(self, weights: tuple[Floats, Floats], rows: NDArray[np.bool_]) -> Array:
        """Summed scores of the sides' moves by phase: float64 [s, phases, t]."""
        by_phase, lifted = weights
        scores = np.einsum("spv,pvk->spk", self._values[rows], by_phase, optimize=True)
        return np.asarray(scores + self._lifted[rows] @ lifted, np.float64)

    def scorer(self, weights: tuple[Floats, Floats], directions: Array) -> MoveScorer:
        """What scores moves with some weights, turned to other directions.

        Args:
            weights: From `solve`.
            directions: float64 [t, k].
        """
        turn = directions.astype(np.float32)
        linear, lifted = weights[0] @ turn, weights[1] @ turn
        values = self._lift.values
        centre = np.einsum("cpv,pvk->cpk", self._mean[..., :values], linear)
        centre += self._mean[..., values:] @ lifted
        return MoveScorer(self._lift, linear, lifted, centre.astype(np.float32))
