"""Draws by Davidson's law, in the form Ordo uses.

The expected score p fixes W + D/2; the draw rate of equal opponents fixes how
much of it is draws, through D^2 = nu^2 W L with nu constant (Ordo 1.2.6 manual,
equations 13 to 33; its nu is 1/phi, not phi^-2). With u = (1 - d0)/d0 and
a = u^2 - 1, equation 30 gives D = 4pq / (1 + sqrt(1 + 4apq)), a form that is
also right at d0 = 1/2, where equation 36 reads 0/0 and D = 2pq.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["draw_probability", "win_draw_loss"]


def _root(expected: NDArray[np.float64], spread: NDArray[np.float64]) -> NDArray[np.float64]:
    """sqrt(1 + 4apq) with a = spread - 1, free of cancellation."""
    root: NDArray[np.float64] = np.sqrt(
        (1.0 - 2.0 * expected) ** 2 + 4.0 * spread * expected * (1.0 - expected)
    )
    return root


def draw_probability(expected: ArrayLike, draw_rate: ArrayLike) -> NDArray[np.float64]:
    """Probability of a draw between players of the given expected score.

    Parameters
    ----------
    expected : array_like
        Expected score of either player, 0 to 1.
    draw_rate : array_like
        Draw rate of equal opponents, 0 to 1. Shapes broadcast.

    Returns
    -------
    float64 array
        Ordo manual, equation 36.
    """
    p = np.asarray(expected, np.float64)
    d0 = np.asarray(draw_rate, np.float64)
    variance = p * (1.0 - p)
    with np.errstate(divide="ignore", invalid="ignore"):
        draw = 4.0 * variance / (1.0 + _root(p, ((1.0 - d0) / d0) ** 2))
    return np.where(d0 > 0.0, draw, 0.0)


def win_draw_loss(
    expected: ArrayLike, draw_rate: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Probabilities of win, draw and loss; they sum to 1 and W + D/2 is `expected`.

    The smaller of win and loss is computed without cancellation, so that it
    stays positive at any difference of strength. Arguments as in
    `draw_probability`; Ordo manual, equations 19 and 31 to 33.
    """
    p, d0 = np.broadcast_arrays(np.asarray(expected, np.float64), np.asarray(draw_rate, np.float64))
    q = 1.0 - p
    draw = draw_probability(p, d0)
    small = np.minimum(p, q)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = ((1.0 - d0) / d0) ** 2
        root = _root(p, spread)
        rest = small * 4.0 * spread * p * q / ((1.0 + root) * (root + np.abs(p - q)))
    rest = np.where(d0 > 0.0, np.where(np.isnan(rest), 0.0, rest), small)
    other = 1.0 - draw - rest
    return np.where(p >= q, other, rest), draw, np.where(p >= q, rest, other)
