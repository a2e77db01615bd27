"""Ranks of people whom the network has not learnt from, by several kinds of evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lab.studies.own.choices import side_key
from lab.studies.rank.stages import note
from yardstone.strength.evidence import PHASES
from yardstone.strength.model import StrengthModel
from yardstone.strength.model_scale import ModelScale
from yardstone.strength.site_scales import EDGES, RANKS
from yardstone_lab.neubauer.rank.pool import pool_store
from yardstone_lab.neubauer.rank.scales import fit_spread
from yardstone_lab.neubauer.rank.training import OutOfFold, PoolTrainer, RankSettings, make_lift

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lab.studies.own.choices import Choices
    from lab.studies.rank.facts import Facts
    from yardstone.go.feature_store import FeatureStore
    from yardstone.strength.rank_scorer import Lift
    from yardstone_lab.neubauer.rank.pool import RankPool

    Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sides:
    """Sides of Fox games as one network sees them, in the order of their keys."""

    pool: RankPool
    lift: Lift
    key: NDArray[np.str_]

    def select(self, keys: NDArray[np.str_]) -> Sides:
        """Those of some keys, all of which are there, in their order."""
        rows = np.searchsorted(self.key, keys)
        return Sides(self.pool.select(rows), self.lift, self.key[rows])

    def trainer(self, settings: RankSettings) -> PoolTrainer:
        """What trains models on them."""
        return PoolTrainer(
            self.pool,
            self.lift,
            prior_moves=settings.prior_moves,
            folds=settings.folds,
            seed=settings.seed,
        )


def read_sides(
    store: FeatureStore, keys: Sequence[str], facts: Facts, settings: RankSettings
) -> Sides:
    """Some sides of the games of a store."""
    note(f"pooling {store.path}")
    lift = make_lift(store, settings)
    group, players, _ = facts.of(store)
    wanted = set(keys)
    files = store.games["file"]
    sides = np.array([[side_key(file, colour) in wanted for colour in (1, 2)] for file in files])
    pool = pool_store(store, group, lift, sides=sides, players=players)
    key = np.array([side_key(files[g], c) for g, c in zip(pool.game, pool.colour, strict=True)])
    order = np.argsort(key)
    # A game is called by its key: the same number in every store.
    _, game = np.unique([each.rpartition(" ")[0] for each in key[order]], return_inverse=True)
    return Sides(replace(pool.select(order), game=game.astype(np.int64)), lift, key[order])


@dataclass(frozen=True)
class _Stack:
    """A scorer of sides that were scored already."""

    width: int
    channels: int = 0


def stacked(scores: Array, pool: RankPool, fold: NDArray[Any], settings: RankSettings) -> OutOfFold:
    """Models of scores side by side, of which each fold's has not seen the fold.

    Args:
        scores (float64 [s, phases, m]): Of each side, by models that have not seen it.
        fold: int64 [s].
    """
    small = np.empty((len(pool), PHASES, 0), np.float32)
    light = replace(pool, values=small, lifted=small)
    prior = np.full(len(RANKS), 1.0 / len(RANKS))
    models = []
    turned = np.empty((len(pool), PHASES, settings.width))
    for number in range(settings.folds):
        own = fold == number
        directions, spread = fit_spread(
            scores[~own], light.select(~own), settings.prior_moves, settings.width
        )
        scale = ModelScale("fox", EDGES, prior, spread)
        models.append(StrengthModel(_Stack(settings.width), [scale], {}))
        turned[own] = scores[own] @ directions
    return OutOfFold(pool.counts, turned, fold, tuple(models))


#: What ranks are told from, in the order of the tables.
KINDS = ("g170-b6c96", "ours", "ours and what it says of the choices", "both networks")


def outside(one: Sides, own: Sides, choices: Choices, settings: RankSettings) -> list[OutOfFold]:
    """Models of each of `KINDS` in cross-validation, players apart."""
    trainers = [each.trainer(settings) for each in (one, own)]
    first, second = (each.scores_outside(settings) for each in trainers)
    pool, fold = own.pool, trainers[0].fold
    kinds = (
        first,
        second,
        np.concatenate([second, choices.scores], axis=2),
        np.concatenate([first, second, choices.scores], axis=2),
    )
    return [stacked(scores, pool, fold, settings) for scores in kinds]
