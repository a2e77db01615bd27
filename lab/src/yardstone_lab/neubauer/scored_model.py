"""From scores of sides of games, by whatever kind of model, to a model of strength.

Scores of sides whose players the scorer has not seen are brought down to a few directions, those
in which Fox groups lie apart most and the one in which OGS ranks grow; what is usual along
them makes the scales.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.strength.evidence import PHASES
from yardstone.strength.model import StrengthModel
from yardstone.strength.model_scale import ModelScale
from yardstone.strength.site_scales import EDGES, RANKS
from yardstone_lab.neubauer.rank.intervals import with_intervals
from yardstone_lab.neubauer.rank.pool import RankPool
from yardstone_lab.neubauer.rank.rated import (
    RatedSettings,
    RatedSides,
    TrainedScale,
    fit_rated_scale,
)
from yardstone_lab.neubauer.rank.spread import discriminant_directions, fit_spread
from yardstone_lab.neubauer.rank.training import OutOfFold, TrainedRank
from yardstone_lab.neubauer.set_model.sides import SetSides

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.strength.model_scale import ScoreSpread
    from yardstone.strength.scorers import Scorer

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]

__all__ = ["ScoredModel", "model_of_scores", "pool_of"]

#: So many moves without a say are added to those of each side.
_PRIOR_MOVES = 30.0
#: The regression of the OGS rank, and the size of its score, as of those of the groups.
_RIDGE, _SIZE = 1e-2, 10.0


@dataclass(frozen=True, slots=True, eq=False)
class ScoredModel:
    """A model, and what is said of players whom its scorer has not seen.

    Attributes
    ----------
    model : StrengthModel
        With the scale of Fox, and that of OGS if there were sides of OGS; its scores are
        `width` for the groups of Fox, and then one for the ranks of OGS.
    fold : int64 [s]
        The fold of each side: its scorer has seen the other folds alone.
    fox : OutOfFold
        The scores of the sides of Fox, by the scorers of their folds, with the models
        to judge them by.
    ogs : TrainedScale or None
        The scale of OGS, with the scores of the sides of OGS in the same way.
    """

    model: StrengthModel
    fold: Ints
    fox: OutOfFold
    ogs: TrainedScale | None


def model_of_scores(
    sides: SetSides,
    outside: Array,
    fold: Ints,
    scorer: Callable[[Array], Scorer],
    about: Mapping[str, Any],
    *,
    seed: int,
    width: int = 3,
    weak: float | None = None,
) -> ScoredModel:
    """A model with the scales of Fox and, if there are sides of OGS, of OGS.

    Parameters
    ----------
    sides : SetSides
        Those of Fox groups, and perhaps some with OGS ranks.
    outside : float64 [s, phases, m]
        Summed scores of each side, by a scorer that has not seen its player.
    fold : int64 [s]
        The fold of each side.
    scorer : callable
        Takes directions [m, k] of such scores, gives a scorer with k scores along them.
    about : mapping
        The card.
    seed : int
        Of the games that are drawn for intervals.
    width : int
        Directions for the groups of Fox.
    weak : float, optional
        People of lower OGS ranks than this stand with the weakest group of Fox when
        directions are chosen, though not in what is usual there: along them the weak are
        weak on either scale.
    """
    fox, ogs = np.flatnonzero(sides.fox), np.flatnonzero(~sides.fox)
    pool = pool_of(sides, fox)
    width, folds = min(width, outside.shape[2]), int(fold.max()) + 1
    mean = outside.sum(axis=1) / (sides.counts.sum(axis=1) + _PRIOR_MOVES)[:, None]

    def directions(without: int | None) -> tuple[Array, ScoreSpread]:
        own, people = fold[fox] != without, ogs[fold[ogs] != without]
        basis, scores = np.eye(outside.shape[2]), outside[fox][own]
        if weak is not None:
            members = np.concatenate([fox[own], people[sides.rank[people] < weak]])
            group = np.maximum(sides.group[members], 0)
            basis = discriminant_directions(mean[members], group, width)
        turned, spread = fit_spread(scores @ basis, pool.select(own), _PRIOR_MOVES, width)
        basis = basis @ turned
        if len(ogs):
            along = _rank_direction(mean[people], sides.select(people))
            basis = np.concatenate([basis, along], axis=1)
        return basis, spread

    whole, spread = directions(None)
    scored = scorer(whole)
    scores = np.zeros((len(sides), PHASES, whole.shape[1]))
    models = []
    for number in range(folds):
        along, own_spread = directions(number)
        rows = np.flatnonzero(fold == number)
        scores[rows] = outside[rows] @ along
        models.append(StrengthModel(scored, [_fox_scale(own_spread)], about))
    held_out = OutOfFold(pool.counts, scores[fox], fold[fox], tuple(models))
    model = StrengthModel(scored, [_fox_scale(spread)], about)
    model = with_intervals(TrainedRank(model, held_out), pool, seed)
    if not len(ogs):
        return ScoredModel(model, fold, held_out, None)
    rated = fit_rated_scale(
        model,
        pool_of(sides, ogs),
        RatedSides(sides.rank[ogs], sides.sure[ogs]),
        "ogs",
        RatedSettings(folds=folds, seed=seed),
        scores[ogs],
        fold[ogs],
    )
    return ScoredModel(rated.model, fold, held_out, rated)


def pool_of(sides: SetSides, rows: Ints) -> RankPool:
    """Some of the sides, without what a rank model sees of their moves."""
    nothing = np.zeros((len(rows), PHASES, 0), np.float32)
    return RankPool(
        values=nothing,
        lifted=nothing,
        counts=sides.counts[rows],
        group=sides.group[rows],
        game=sides.game[rows],
        colour=sides.colour[rows],
        player=sides.player[rows],
        opponent=sides.opponent[rows],
        year=np.zeros(len(rows), np.int64),
    )


def _fox_scale(spread: ScoreSpread) -> ModelScale:
    return ModelScale("fox", EDGES, np.full(len(RANKS), 1.0 / len(RANKS)), spread)


def _rank_direction(mean: Array, sides: SetSides) -> Array:
    """The direction in which OGS ranks grow: [m, 1]."""
    _, person = np.unique(sides.player, return_inverse=True)
    weight = sides.sure / np.sqrt(np.bincount(person))[person]
    weight /= weight.sum()
    away = mean - weight @ mean
    products = away.T @ (away * weight[:, None])
    products += _RIDGE * np.trace(products) / len(products) * np.eye(len(products))
    slope = np.linalg.solve(products, away.T @ (weight * (sides.rank - weight @ sides.rank)))
    left = sides.rank - sides.rank.mean() - away @ slope
    return np.asarray(_SIZE * slope / np.sqrt(weight @ left**2))[:, None]
