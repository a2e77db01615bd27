"""How well a model of sets names the groups of Fox games."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone_lab.neubauer.rank.intervals import (
    Accuracy,
    accuracy,
    draw_games,
    judged_by_fold,
    knot_probabilities,
)
from yardstone_lab.neubauer.scored_model import pool_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone_lab.neubauer.scored_model import ScoredModel
    from yardstone_lab.neubauer.sides import SetSides

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]

__all__ = ["fox_accuracy"]


def fox_accuracy(
    trained: ScoredModel, sides: SetSides, games: int, *, draws: int = 500, seed: int = 0
) -> Accuracy:
    """How often the group of some Fox games is named, by networks that saw none of them.

    Args:
        sides: What it was trained on.
        games: Both sides of so many games are drawn from one group.
        draws: For each group, over all folds.
    """
    pool, held_out = pool_of(sides, np.flatnonzero(sides.fox)), trained.fox
    random = np.random.default_rng(seed)
    statistics = held_out.statistics()

    def drawn(rows: Ints) -> tuple[Array, Ints]:
        return draw_games(
            statistics[rows],
            pool.group[rows],
            pool.game[rows],
            games=games,
            draws=draws // len(held_out.models),
            random=random,
        )

    def judge(number: int, sums: Array) -> Array:
        return knot_probabilities(held_out.models[number].scale(), sums)

    return accuracy(*judged_by_fold(drawn, judge, held_out.fold))
