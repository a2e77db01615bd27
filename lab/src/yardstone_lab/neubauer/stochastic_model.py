"""The stochastic model of Neubauer 2024 (section 4.3) as a model of strength."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.strength.evidence import PHASES, evidence_of_store, phases_of
from yardstone.strength.scorers import LossScorer, loss_moments
from yardstone_lab.neubauer.scored_model import ScoredModel, model_of_scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from yardstone_lab.neubauer.set_model.sides import SetSides, StoreSides

    Array = NDArray[np.float64]

__all__ = ["summed_losses", "train_stochastic_model"]

_GAMES = 40


def summed_losses(parts: Sequence[StoreSides]) -> Array:
    """Points lost and their squares, summed over the moves of each phase: [s, phases, 2]."""
    sums = []
    for part in parts:
        pairs = list(zip(part.game.tolist(), part.colour.tolist(), strict=True))
        for start in range(0, len(pairs), _GAMES):
            few = pairs[start : start + _GAMES]
            evidence = evidence_of_store(part.store, few)
            each = np.zeros((len(few), PHASES, 2))
            place = (evidence.game, phases_of(evidence.number))
            np.add.at(each, place, loss_moments(evidence))
            sums.append(each)
    return np.concatenate(sums)


def train_stochastic_model(
    parts: Sequence[StoreSides],
    sides: SetSides,
    *,
    folds: int = 5,
    seed: int = 0,
    card: Mapping[str, Any] | None = None,
) -> ScoredModel:
    """What losses are usual at each rank, of the sides of some stores.

    Parameters
    ----------
    parts : sequence of StoreSides
    sides : SetSides
        The same sides, read by `read_sides`.
    folds, seed : int
        Of the players.
    card : mapping, optional
        What the model is to say of itself.
    """
    fold = sides.folds(folds, seed)
    about = {"folds": folds, **(card or {})}
    return model_of_scores(sides, summed_losses(parts), fold, LossScorer, about, seed=seed)
