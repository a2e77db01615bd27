"""Training of a `StrengthModel` on games between players whose rank group is known.

Two steps, as in stacking (Wolpert 1992). A ridge regression of the group's indicators
on the mean values and lifted values of the moves of one side of a game gives a score for
each group; that is linear discriminant analysis with a shrunk covariance (Hastie, Buja and
Tibshirani 1995, Penalized discriminant analysis). Then what such scores look like is
measured on games of players whom the regression has not seen, from folds that have no
player's name in common (`yardstone_lab.neubauer.rank.scales`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import NoGamesError, UsageError
from yardstone.go.nets.network import NetworkView
from yardstone.strength.evidence import PHASES
from yardstone.strength.model import StrengthModel
from yardstone.strength.model_scale import ModelScale
from yardstone.strength.rank_features import (
    SCALARS,
    SPELL,
    column,
    goes_on,
    move_values,
    standardised,
)
from yardstone.strength.rank_scorer import LATER, Lift, pairs_of, spells_of
from yardstone.strength.site_scales import EDGES, RANKS
from yardstone_lab.neubauer.rank.intervals import with_intervals
from yardstone_lab.neubauer.rank.pool import (
    RankPool,
    Regression,
    join_pools,
    player_folds,
    pool_store,
    sample_sides,
)
from yardstone_lab.neubauer.rank.scales import as_statistics, fit_spread

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from yardstone.go.feature_store import FeatureStore
    from yardstone.strength.evidence import Evidence

    Array = NDArray[np.float64]
    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]

__all__ = [
    "OutOfFold",
    "PoolTrainer",
    "RankSettings",
    "TrainedRank",
    "make_lift",
    "random_lift",
    "train_on_pool",
    "train_rank_model",
]

#: Fewer games of a group than this teach nothing about it.
_FEWEST = 10


@dataclass(frozen=True, slots=True)
class RankSettings:
    """How a rank model is made."""

    ridge: float = 0.02  #: Penalty of the regression, as a share of the variance of a value.
    #: `by_phase`, `lifted`: weight of the values by phase, and of each kind of lifted values,
    #: beside those of the whole game, which is 1: the smaller, the more they are shrunk.
    by_phase: float = 0.2
    lifted: float = 0.5
    prior_moves: float = 30.0  #: So many moves without a say are added to those of each side.
    #: Scores of a move that are kept: the directions that tell the groups apart best.
    width: int = 3
    #: `pick_units`, `units`: random projections of the trunk at a point, and of all values.
    pick_units: int = 256
    units: int = 256
    folds: int = 5  #: Into how many the players are divided.
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse settings that cannot be."""
        if not (self.ridge > 0 and self.by_phase > 0 and self.lifted > 0):
            raise UsageError("ridge, by_phase and lifted must be above 0")
        if self.prior_moves < 0 or not 1 <= self.width < len(RANKS) or self.folds < 2:
            raise UsageError(
                f"prior_moves must not be below 0, width 1 to {len(RANKS) - 1}, folds at least 2"
            )
        if self.pick_units < 1 or self.units < 1:
            raise UsageError("pick_units and units must be at least 1")


@dataclass(frozen=True, slots=True, eq=False)
class OutOfFold:
    """What models say of sides of games whose players they have not seen."""

    counts: Ints  #: [s, phases]: moves of each side.
    scores: Array  #: [s, phases, width]: their summed scores by the model of `fold`.
    fold: Ints  #: [s]: the fold of each side: its model has seen the other folds alone.
    models: tuple[StrengthModel, ...]  #: The model of each fold, to judge sums of its rows.

    def statistics(self, phases: Sequence[int] = range(PHASES)) -> Array:
        """Rows as `StrengthModel.game_statistics` gives them, from some phases alone."""
        keep = np.isin(np.arange(PHASES), phases)
        return as_statistics(self.counts * keep, self.scores * keep[:, None])


@dataclass(frozen=True, slots=True, eq=False)
class TrainedRank:
    """A rank model, and what models like it say of players they have not seen."""

    model: StrengthModel
    out_of_fold: OutOfFold


def make_lift(store: FeatureStore, settings: RankSettings | None = None) -> Lift:
    """The random features of a model, standardised on moves of a store."""
    chosen = RankSettings() if settings is None else settings
    random = np.random.default_rng(chosen.seed)
    evidence = sample_sides(store, 400, random)
    if not len(evidence):
        raise NoGamesError("there is no move to learn from", file=str(store.path))
    return random_lift(
        evidence,
        pick_units=chosen.pick_units,
        units=chosen.units,
        random=random,
    )


_LEAST_DEVIATION = 1e-3


def random_lift(
    evidence: Evidence, *, pick_units: int, units: int, random: np.random.Generator
) -> Lift:
    """A lift with random weights for moves like some.

    `evidence`: whole sides of some games. `pick_units`, `units`: projections of the trunk at a
    point, and of all values.
    """

    def kept(values: NDArray[Any]) -> Floats:
        # The weights have the precision that they are kept in.
        return values.astype(np.float16).astype(np.float32)

    def weights(rows: int, columns: int) -> tuple[Floats, Floats]:
        drawn = random.normal(size=(rows, columns)) / np.sqrt(rows)
        return kept(drawn), kept(random.normal(size=columns) / 2.0)

    values = move_values(evidence).astype(np.float64)
    known = ~np.isnan(values)
    number = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, values, 0.0).sum(axis=0) / number
    variance = (np.where(known, values - mean, 0.0) ** 2).sum(axis=0) / number
    plain = Lift(
        kept(mean),
        kept(np.maximum(np.sqrt(variance), _LEAST_DEVIATION)),
        *weights(evidence.channels, pick_units),
        *weights(values.shape[1], units),
        pairs=np.zeros((len(LATER), len(SCALARS)), np.float32),
        spell=np.zeros(len(SCALARS), np.float32),
    )
    x = standardised(values.astype(np.float32), plain.mean, plain.deviation)
    x = x[:, column("scalars", evidence.channels)]

    def usual(values: Floats, steps: int) -> Floats:
        number = max(int(goes_on(evidence, steps).sum()), 1)
        return kept(values.sum(axis=0, dtype=np.float64) / number)

    pairs = zip(pairs_of(x, evidence, plain.pairs), LATER, strict=True)
    return replace(
        plain,
        pairs=np.stack([usual(products, steps) for products, steps in pairs]),
        spell=usual(spells_of(x, evidence, plain.spell), SPELL - 1),
    )


def train_rank_model(
    stores: Sequence[FeatureStore],
    groups: Sequence[ArrayLike],
    settings: RankSettings | None = None,
    *,
    sides: Sequence[ArrayLike] | None = None,
    players: Sequence[ArrayLike] | None = None,
    name: str = "rank-model",
) -> TrainedRank:
    """Train a rank model on stores of features.

    Args:
        stores: All made with one network.
        groups (sequence of int arrays [games]): For each store the rank group of each game, 0 to 10
            (`RANKS`); -1 leaves a game out.
        sides (sequence of bool arrays [games, 2]): For each store which sides count.
        players (sequence of str arrays [games, 2]): For each store who had Black and White, where
            its names cannot be trusted.
        name: Of the model, on its card.

    Raises:
        UsageError: The stores are of different networks, or groups do not fit them.
        NoGamesError: A group has too few games.
    """
    chosen = RankSettings() if settings is None else settings
    if not stores:
        raise NoGamesError("there are no games to learn from")
    views = {NetworkView.of(store.settings) for store in stores}
    if len(views) > 1:
        raise UsageError("the stores were made with different networks or numbers of symmetries")
    lift = make_lift(stores[0], chosen)
    pools = [
        pool_store(
            store,
            group,
            lift,
            sides=None if sides is None else sides[k],
            players=None if players is None else players[k],
        )
        for k, (store, group) in enumerate(zip(stores, groups, strict=True))
    ]
    card = {"name": name, **views.pop().card()}
    pool = join_pools(pools)
    trained = train_on_pool(pool, lift, chosen, card)

    return replace(trained, model=with_intervals(trained, pool, chosen.seed))


class PoolTrainer:
    """Trains rank models with different settings on one pool.

    What does not depend on the settings (folds, and the moments of each) is done once.

    Args:
        pool: Sums that `pool_store` made.
        lift: That made them.
        seed: Of the folds.

    Attributes:
        fold (int64 [s]): The fold of each side.

    Raises:
        NoGamesError: A group has too few games.
    """

    def __init__(
        self, pool: RankPool, lift: Lift, *, prior_moves: float, folds: int, seed: int
    ) -> None:
        games = np.bincount(pool.group, minlength=len(RANKS)) / 2.0
        if len(games) > len(RANKS):
            raise UsageError(f"there is a group {len(games) - 1}: the last is {len(RANKS) - 1}")
        if games.min() < _FEWEST:
            worst = int(np.argmin(games))
            raise NoGamesError(
                f"{RANKS[worst]} has {games[worst]:g} games: each group needs {_FEWEST} at least"
            )
        self.pool = pool
        self.fold = player_folds(pool.player, pool.opponent, pool.group, folds, seed)
        for k in range(folds):
            there = np.bincount(pool.group[self.fold != k], minlength=len(RANKS))
            if there.min() == 0:
                raise NoGamesError(
                    f"the players of {RANKS[int(np.argmin(there))]} cannot be divided: nearly "
                    "all of them are connected by games"
                )
        self._games = games
        self._common = (prior_moves, folds, seed)
        size = np.bincount(pool.group, minlength=len(RANKS))
        weight = len(pool) / (len(RANKS) * size[pool.group])  # every group counts alike
        target = np.eye(len(RANKS))[pool.group]
        self._regression = Regression(pool, lift, prior_moves, target, weight)
        self._parts = [self._regression.moments(self.fold == k) for k in range(folds)]

    def train(self, settings: RankSettings, card: Mapping[str, Any]) -> TrainedRank:
        """Train with some settings, which must have the trainer's moves, folds and seed."""
        everything, weights, outside = self._outside(settings)
        full = {**card, "settings": asdict(settings), "games": self._games.tolist()}
        models = []
        scores = np.empty((len(self.pool), PHASES, settings.width))
        for k in range(settings.folds):
            rows = self.fold == k
            model, directions = self._finished(weights[k], outside, ~rows, settings, full)
            models.append(model)
            scores[rows] = outside[rows] @ directions
        everywhere = np.ones(len(self.pool), bool)
        model, _ = self._finished(everything, outside, everywhere, settings, full)
        return TrainedRank(model, OutOfFold(self.pool.counts, scores, self.fold, tuple(models)))

    def scores_outside(self, settings: RankSettings) -> Array:
        """What the regression says of each side, learnt from the other folds alone.

        Returns:
            float64 [s, phases, groups]: A score for each group of ranks, summed over the moves.
        """
        return self._outside(settings)[2]

    def _outside(
        self, settings: RankSettings
    ) -> tuple[tuple[Floats, Floats], list[tuple[Floats, Floats]], Array]:
        """Weights from all sides, from those outside each fold, and what the latter say."""
        if self._common != (settings.prior_moves, settings.folds, settings.seed):
            raise UsageError("prior_moves, folds and seed are those of the trainer")
        gram = np.sum([part[0] for part in self._parts], axis=0)
        cross = np.sum([part[1] for part in self._parts], axis=0)
        outside = np.empty((len(self.pool), PHASES, len(RANKS)))
        weights = []
        for k, part in enumerate(self._parts):
            weights.append(self._solve(gram - part[0], cross - part[1], settings))
            rows = self.fold == k
            outside[rows] = self._regression.phase_scores(weights[k], rows)
        return self._solve(gram, cross, settings), weights, outside

    def _solve(self, gram: Floats, cross: Floats, settings: RankSettings) -> tuple[Floats, Floats]:
        return self._regression.solve(
            gram,
            cross,
            ridge=settings.ridge,
            by_phase=settings.by_phase,
            lifted=settings.lifted,
        )

    def _finished(
        self,
        weights: tuple[Floats, Floats],
        outside: Array,
        rows: NDArray[np.bool_],
        settings: RankSettings,
        card: dict[str, Any],
    ) -> tuple[StrengthModel, Array]:
        """A model with some weights that is calibrated on some sides, and its directions."""
        directions, spread = fit_spread(
            outside[rows], self.pool.select(rows), settings.prior_moves, settings.width
        )
        prior = np.full(len(RANKS), 1.0 / len(RANKS))
        scale = ModelScale("fox", EDGES, prior, spread)
        scorer = self._regression.scorer(weights, directions)
        return StrengthModel(scorer, [scale], card), directions


def train_on_pool(
    pool: RankPool, lift: Lift, settings: RankSettings, card: Mapping[str, Any]
) -> TrainedRank:
    """Train on sums that `pool_store` made with a lift; see `PoolTrainer`."""
    trainer = PoolTrainer(
        pool,
        lift,
        prior_moves=settings.prior_moves,
        folds=settings.folds,
        seed=settings.seed,
    )
    return trainer.train(settings, card)
