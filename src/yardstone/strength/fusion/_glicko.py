"""The loop of Glicko-2 with priors from moves, on the paper's scale as in `_glicko2`."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from yardstone._kernel import kernel
from yardstone.ratings._glicko2 import aged, new_volatility, shrink
from yardstone.ratings._logistic import logistic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int32]

__all__ = ["extra_information", "replay"]


@kernel
def extra_information(
    mean: float, variance: float, base_mean: float, base_variance: float
) -> tuple[float, float]:
    """What a prior says beyond the one whose place it takes: precision, and it times the mean.

    The quotient of two normal densities. A prior that says less than the base, or is
    not known (NaN), says nothing.
    """
    precision = 1.0 / variance - 1.0 / base_variance
    if not precision > 0.0:
        return 0.0, 0.0
    return precision, mean / variance - base_mean / base_variance


@kernel
def replay(
    first: Ints,
    second: Ints,
    score: Floats,
    advantage: Floats,
    first_advantage: float,
    clock: Floats,
    told: Floats,
    tau: float,
    oldest: float,
    base: Floats,
    mu: Floats,
    phi2: Floats,
    volatility: Floats,
    last: Floats,
    moves: Floats,
    expected: Floats,
    found: Floats,
) -> None:
    """Predict and learn, game after game.

    `told` has for each game mean and variance of the first player's prior, then of the
    second's (NaN: none): shape (games, 4). `base` holds mean and variance of the prior
    that `mu` and `phi2` contain, `moves` what the last prior said beyond it (precision,
    and it times the mean), each of shape (players, 2). The other arguments are as in
    `yardstone.ratings._glicko2.replay`.
    """
    ages, varies = len(clock) > 0, len(advantage) > 0
    mean, variance, idle = np.zeros(2), np.zeros(2), np.zeros(2)
    for g in range(len(first)):
        for s in range(2):
            p = first[g] if s == 0 else second[g]
            moves[p, 0], moves[p, 1] = extra_information(
                told[g, 2 * s], told[g, 2 * s + 1], base[p, 0], base[p, 1]
            )
        for s in range(2):
            p = first[g] if s == 0 else second[g]
            idle[s] = phi2[p]
            if ages:
                idle[s] = aged(phi2[p], volatility[p], clock[g] - last[p], oldest)
            variance[s] = 1.0 / (1.0 / idle[s] + moves[p, 0])
            mean[s] = variance[s] * (mu[p] / idle[s] + moves[p, 1])
            found[g, 2 * s], found[g, 2 * s + 1] = mean[s], sqrt(variance[s])
        ahead = mean[0] - mean[1] + first_advantage
        if varies:
            ahead += advantage[g]
        expected[g] = logistic(shrink(variance[0] + variance[1]) * ahead)
        for s in range(2):
            p = first[g] if s == 0 else second[g]
            g_other = shrink(variance[1 - s])
            mine = score[g] if s == 0 else 1.0 - score[g]
            e = logistic(g_other * (ahead if s == 0 else -ahead))
            gain, information = g_other * (mine - e), g_other * g_other * e * (1.0 - e)
            if ages:
                last[p] = clock[g]
            if information <= 0.0:  # as in `_glicko2.update`
                phi2[p] = idle[s] + volatility[p] * volatility[p]
                continue
            v = 1.0 / information
            volatility[p] = new_volatility(variance[s], volatility[p], v, v * gain, tau)
            # The result was linearised where the moves had put the player, and is kept
            # apart from them: their word will be another one before the next game.
            pull = gain + information * (mean[s] - mu[p])
            phi2[p] = 1.0 / (1.0 / (idle[s] + volatility[p] * volatility[p]) + information)
            mu[p] += phi2[p] * pull
