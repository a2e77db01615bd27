"""Two models that know one scale, as one model that believes both."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import UsageError
from yardstone.go.nets.network import NetworkView
from yardstone.strength.model import JoinedScorer, StrengthModel
from yardstone.strength.model_scale import ModelScale
from yardstone_lab.neubauer.rank.intervals import calibrated
from yardstone_lab.neubauer.rank.scales import (
    RatedSettings,
    RatedSides,
    TrainedScale,
    unseen_people,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.strength.scorers import Scorer
    from yardstone_lab.neubauer.rank.pool import RankPool

__all__ = ["join_scales"]


def join_scales(
    one: TrainedScale,
    other: TrainedScale,
    pool: RankPool,
    rated: RatedSides,
    name: str,
    settings: RatedSettings,
) -> TrainedScale:
    """A model whose density on a scale is the mean of what two models say.

    On its other scales it is the first of them.

    Args:
        one, other: Learnt from the same sides, in the same order.
        pool, rated, name, settings: As in `yardstone_lab.neubauer.rank.scales.fit_rated_scale`.

    Returns:
        Its folds are those who are in the same fold of both.

    Raises:
        UsageError: They look through different networks, or at different sides.
    """
    if NetworkView.of(one.model.card) != NetworkView.of(other.model.card):
        raise UsageError("the models look through different networks")
    if len(one.fold) != len(other.fold) or len(pool) != len(one.fold):
        raise UsageError("the models were not learnt from the same sides")
    width = one.model.scorer.width
    scorer = JoinedScorer((*_members(one.model.scorer), *_members(other.model.scorer)))
    scales = [
        _joined(scale, other.model.scale(name), width) if scale.name == name else scale
        for scale in one.model.scales.values()
    ]
    model = StrengthModel(scorer, scales, one.model.card)
    pairs, fold = _pairs(one.fold, other.fold)
    by_fold = tuple(_joined(one.scales[a], other.scales[b], width) for a, b in pairs)
    scores = np.concatenate([one.scores, other.scores], axis=2)
    unseen = unseen_people(pool, rated, scores, fold, by_fold, settings)
    fitted = calibrated(model, name, unseen, settings.near)
    return TrainedScale(fitted, unseen, scores, fold, by_fold, settings.near)


def _members(scorer: Scorer) -> tuple[Scorer, ...]:
    return scorer.members if isinstance(scorer, JoinedScorer) else (scorer,)


def _joined(one: ModelScale, other: ModelScale, width: int) -> ModelScale:
    """One scale with what another says, whose scores come after so many."""
    spreads = [replace(each, columns=each.columns + width) for each in other.spreads]
    return replace(one, further=(*one.further, *spreads))


def _pairs(
    one: NDArray[np.int64], other: NDArray[np.int64]
) -> tuple[list[tuple[int, int]], NDArray[np.int64]]:
    """The pairs of folds that occur, and which each side has."""
    both = np.column_stack([one, other])
    pairs: Any
    pairs, number = np.unique(both, axis=0, return_inverse=True)
    return [(int(a), int(b)) for a, b in pairs], np.asarray(number, np.int64).ravel()
