"""The loops of Glicko-2 (Glickman, "Example of the Glicko-2 system", 2022).

All on the paper's own scale: mu = (r - 1500)/s and phi = RD/s with s = 400/ln 10.
"""

from __future__ import annotations

from math import exp, log, pi, sqrt
from typing import TYPE_CHECKING

import numpy as np

from yardstone._kernel import kernel
from yardstone.ratings._logistic import fast_exp, logistic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int32]

__all__ = ["aged", "new_volatility", "replay", "shrink", "update"]

_THREE_OVER_PI_SQUARED = 3.0 / pi**2
#: ln(sigma^2) is found to within this.
_TOLERANCE = 1e-10
_NEWTON_STEPS = 10
_ILLINOIS_STEPS = 200


@kernel
def shrink(variance: float) -> float:
    """g of step 3, from phi squared."""
    return 1.0 / sqrt(1.0 + _THREE_OVER_PI_SQUARED * variance)


@kernel
def _f(x: float, delta2: float, phi2_v: float, a: float, per_tau2: float) -> tuple[float, float]:
    """f of step 5 and its slope; `phi2_v` is phi^2 + v."""
    y = fast_exp(x)
    total = phi2_v + y
    half = 0.5 * y / (total * total)
    value = half * (delta2 - total) - (x - a) * per_tau2
    slope = half * (delta2 * (phi2_v - y) - phi2_v * total) / total - per_tau2
    return value, slope


@kernel
def _illinois(delta2: float, phi2_v: float, a: float, per_tau2: float, tau: float) -> float:
    """Root of f by the Illinois method, as step 5 has it."""
    high = a
    if delta2 > phi2_v:
        low = log(delta2 - phi2_v)
    else:
        low = a - tau
        while _f(low, delta2, phi2_v, a, per_tau2)[0] < 0.0:
            low -= tau
    at_high, at_low = (
        _f(high, delta2, phi2_v, a, per_tau2)[0],
        _f(low, delta2, phi2_v, a, per_tau2)[0],
    )
    for _ in range(_ILLINOIS_STEPS):
        if abs(low - high) <= _TOLERANCE or at_low == at_high:
            break
        middle = high + (high - low) * at_high / (at_low - at_high)
        value = _f(middle, delta2, phi2_v, a, per_tau2)[0]
        if value * at_low <= 0.0:
            high, at_high = low, at_low
        else:
            at_high *= 0.5
        low, at_low = middle, value
    return high


@kernel
def new_volatility(phi2: float, volatility: float, v: float, delta: float, tau: float) -> float:
    """Step 5: the volatility after a period.

    Newton's method from the old volatility, which takes two or three steps where the
    Illinois method of the paper takes ten; where f is not safely falling, the latter.
    """
    if tau <= 0.0:
        return volatility
    a = 2.0 * log(volatility)
    delta2, phi2_v, per_tau2 = delta * delta, phi2 + v, 1.0 / (tau * tau)
    x = a
    for _ in range(_NEWTON_STEPS):
        value, slope = _f(x, delta2, phi2_v, a, per_tau2)
        if slope > -0.5 * per_tau2:
            break
        step = value / slope
        x -= step
        if abs(step) <= _TOLERANCE:
            return exp(0.5 * x)
    return exp(0.5 * _illinois(delta2, phi2_v, a, per_tau2, tau))


@kernel
def update(
    mu: float, phi2: float, volatility: float, gain: float, information: float, tau: float
) -> tuple[float, float, float]:
    """Steps 4 to 7: new mu, phi squared and volatility.

    `gain` is the sum of g(s - E) over the games, `information` that of g^2 E(1 - E),
    which is 1/v.
    """
    if information <= 0.0:  # games without any doubt teach nothing
        return mu, phi2 + volatility * volatility, volatility
    v = 1.0 / information
    volatility = new_volatility(phi2, volatility, v, v * gain, tau)
    phi2 = 1.0 / (1.0 / (phi2 + volatility * volatility) + information)
    return mu + phi2 * gain, phi2, volatility


@kernel
def aged(phi2: float, volatility: float, idle: float, most: float) -> float:
    """Phi squared after `idle` periods without games; not raised beyond `most`."""
    if idle <= 0.0:
        return phi2
    return max(phi2, min(phi2 + idle * volatility * volatility, most))


@kernel
def replay(
    first: Ints,
    second: Ints,
    score: Floats,
    advantage: Floats,
    first_advantage: float,
    ratio: Floats,
    zero: float,
    clock: Floats,
    active: float,
    start: NDArray[np.int64],
    actions: NDArray[np.int64],
    tau: float,
    oldest: float,
    limits: Floats,
    mu: Floats,
    phi2: Floats,
    volatility: Floats,
    last: Floats,
    expected: Floats,
    found: Floats,
) -> None:
    """Predict and learn, batch after batch.

    `advantage` (empty: none) and `first_advantage` are added to the rating of `first`.
    `ratio` (empty: none) multiplies its distance from `zero`, the mu of rating 0, where
    the opponent and the prediction look at it, and divides that of `second` where
    `first` looks at it. `clock` is the time of each batch in periods (empty: nobody ages),
    of which `active` belong to a player's last batch itself. `limits` are the lowest
    and highest mu, phi squared and volatility. `found` gets the columns mu and phi
    of both players: shape (games, 4).
    """
    single = len(start) == 0
    batches = len(first) if single else len(start) - 1
    by_turns = len(actions) == 0
    kept = 1 if single else len(first)
    gains, informations = np.zeros((kept, 2)), np.zeros((kept, 2))
    players = 0 if single else len(mu)
    total_gain, total_information = np.zeros(players), np.zeros(players)
    waiting = np.zeros(players, np.bool_)
    ages = len(clock) > 0
    varies, stretches = len(advantage) > 0, len(ratio) > 0
    for step in range(2 * batches):
        action = step if by_turns else actions[step]
        batch = action >> 1
        now = clock[batch] if ages else 0.0
        low, high = (batch, batch + 1) if single else (start[batch], start[batch + 1])
        if action & 1 == 0:
            for g in range(low, high):
                i, j = first[g], second[g]
                phi2_i, phi2_j = phi2[i], phi2[j]
                if ages:
                    phi2_i = aged(phi2_i, volatility[i], now - last[i] - active, oldest)
                    phi2_j = aged(phi2_j, volatility[j], now - last[j] - active, oldest)
                two = mu[i] - mu[j] + first_advantage
                if varies:
                    two += advantage[g]
                one = two
                if stretches:
                    one += (mu[i] - zero) * (ratio[g] - 1.0)
                    two += (mu[j] - zero) * (1.0 - 1.0 / ratio[g])
                found[g, 0], found[g, 1] = mu[i], sqrt(phi2_i)
                found[g, 2], found[g, 3] = mu[j], sqrt(phi2_j)
                expected[g] = logistic(shrink(phi2_i + phi2_j) * one)
                g_i, g_j = shrink(phi2_i), shrink(phi2_j)
                e_i, e_j = logistic(g_j * two), logistic(-g_i * one)
                slot = 0 if single else g
                gains[slot, 0] = g_j * (score[g] - e_i)
                gains[slot, 1] = g_i * (1.0 - score[g] - e_j)
                informations[slot, 0] = g_j * g_j * e_i * (1.0 - e_i)
                informations[slot, 1] = g_i * g_i * e_j * (1.0 - e_j)
            continue
        if not single:
            for g in range(low, high):
                i, j = first[g], second[g]
                total_gain[i] += gains[g, 0]
                total_gain[j] += gains[g, 1]
                total_information[i] += informations[g, 0]
                total_information[j] += informations[g, 1]
                waiting[i] = waiting[j] = True
        for g in range(low, high):
            for side in range(2):
                p = first[g] if side == 0 else second[g]
                if single:
                    gain, information = gains[0, side], informations[0, side]
                elif waiting[p]:
                    gain, information = total_gain[p], total_information[p]
                    total_gain[p] = total_information[p] = 0.0
                    waiting[p] = False
                else:
                    continue
                variance = phi2[p]
                if ages:
                    variance = aged(variance, volatility[p], now - last[p] - active, oldest)
                    last[p] = now
                m, variance, sigma = update(mu[p], variance, volatility[p], gain, information, tau)
                mu[p] = min(max(m, limits[0]), limits[1])
                phi2[p] = min(max(variance, limits[2]), limits[3])
                volatility[p] = min(max(sigma, limits[4]), limits[5])
