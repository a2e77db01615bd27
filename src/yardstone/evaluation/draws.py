"""Draws for systems that predict none: Davidson's law with one rate, fitted before.

So that all systems can be scored on wins, draws and losses alike, a system that
gives only an expected score is completed with the draw rate of equal opponents
that makes the *earlier* games likeliest, given its own predictions of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.disk import pieces, taken
from yardstone.evaluation.metrics import three_way_log_likelihoods
from yardstone.winprob.davidson import draw_probability

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["draw_rate_of", "fit_draw_rate", "groups_of_outcomes", "outcome_table"]

#: A fitted rate stays this far from 0 and 1.
_EDGE = 1e-4
#: It is found to this.
_CLOSE = 1e-7
_GOLDEN = (5.0**0.5 - 1.0) / 2.0
#: Predictions are fitted in so many groups: the rate depends on them smoothly.
_GROUPS = 2000


def fit_draw_rate(score: ArrayLike, expected: ArrayLike) -> float:
    """Draw rate of equal opponents that makes results likeliest; 0 without any draw.

    Parameters
    ----------
    score, expected : array_like
        Results of games and the expected scores predicted for them.
    """
    return draw_rate_of(outcome_table(score, expected))


def draw_rate_of(table: NDArray[np.float64]) -> float:
    """The same from what `outcome_table` counted."""
    if not table[:, 2].any():
        return 0.0
    cells, counts = groups_of_outcomes(table)

    def loss(rate: float) -> float:
        total = 0.0
        for value, weights in counts.items():
            draw = np.minimum(draw_probability(cells, rate), 2.0 * np.minimum(cells, 1.0 - cells))
            logs = three_way_log_likelihoods(np.full(len(cells), value), cells, draw)
            total -= float(np.sum(weights * np.maximum(logs, -700.0)))
        return total

    return _lowest(loss, _EDGE, 1.0 - _EDGE)


def _lowest(loss: Callable[[float], float], low: float, high: float) -> float:
    """Where a function with one minimum has it, by the golden section.

    To import what scipy has for it takes as long as all else that a small history needs.
    """
    near, far = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_near, at_far = loss(near), loss(far)
    while high - low > _CLOSE:
        if at_near <= at_far:
            high, far, at_far = far, near, at_near
            near = high - _GOLDEN * (high - low)
            at_near = loss(near)
        else:
            low, near, at_near = near, far, at_far
            far = low + _GOLDEN * (high - low)
            at_far = loss(far)
    return 0.5 * (low + high)


def outcome_table(score: Any, expected: Any) -> NDArray[np.float64]:
    """Of groups of predictions their sum, and the numbers of losses, draws and wins.

    The tables of several sets of games are added. Columns may lie on disk.
    """
    table = np.zeros((_GROUPS, 4))
    for at in pieces(len(score)):
        s, p = (np.asarray(taken(each, at), np.float64) for each in (score, expected))
        group = np.minimum((p * _GROUPS).astype(np.int64), _GROUPS - 1)
        table[:, 0] += np.bincount(group, p, _GROUPS)
        for column, value in enumerate((0.0, 0.5, 1.0), 1):
            table[:, column] += np.bincount(group[s == value], minlength=_GROUPS)
    return table


def groups_of_outcomes(
    table: NDArray[np.float64],
) -> tuple[NDArray[np.float64], dict[float, NDArray[np.float64]]]:
    """Middle predictions of groups, and in each the numbers of losses, draws and wins."""
    table = table[table[:, 1:].any(axis=1)]
    middle = table[:, 0] / table[:, 1:].sum(axis=1)
    counts = {value: table[:, column] for column, value in enumerate((0.0, 0.5, 1.0), 1)}
    return np.clip(middle, 1e-12, 1.0 - 1e-12), counts
