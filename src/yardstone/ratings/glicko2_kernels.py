"""The steps of Glicko-2 (Glickman, "Example of the Glicko-2 system", 2022).

All on the paper's own scale: mu = (r - 1500)/s and phi = RD/s with s = 400/ln 10.
"""

from __future__ import annotations

from math import exp, log, pi, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from yardstone.kernels import inlined_kernel, kernel
from yardstone.ratings.batches import batch_kernel
from yardstone.ratings.glicko_kernels import Sums, add_up, taken
from yardstone.winprob.logistic_kernels import fast_exp, logistic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.ratings.sequential import Place, Record, Rounds

    Floats = NDArray[np.float64]

__all__ = [
    "Clock",
    "Glicko2Players",
    "Glicko2Rule",
    "aged",
    "new_volatility",
    "replay",
    "shrink",
    "update",
]

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


class Clock(NamedTuple):
    """How deviations age.

    `time` is that of each rating period in periods (empty: nobody ages), of which
    `active` belong to a player's last one itself; `oldest` is the phi squared to which
    idleness raises at most.
    """

    time: Floats
    active: float
    oldest: float


class Glicko2Rule(NamedTuple):
    """What the parameters say.

    `ratio` (empty: none) multiplies the distance of `first` from `zero`, the mu of rating
    0, where the opponent and the prediction look at it, and divides that of `second` where
    `first` looks at it. `limits` are the lowest and highest mu, phi squared and volatility.
    """

    tau: float
    clock: Clock
    limits: Floats
    ratio: Floats
    zero: float


class Glicko2Players(NamedTuple):
    """mu, phi squared, volatility and the last period of each player, and room for sums."""

    mu: Floats
    phi2: Floats
    volatility: Floats
    last: Floats
    sums: Sums


@inlined_kernel
def aged(clock: Clock, players: Any, p: int, period: int) -> float:
    """Phi squared of a player before a period, after some without games.

    `players` have phi squared, volatility and last period, as in `Glicko2Players`.
    """
    phi2 = players.phi2[p]
    if len(clock.time) == 0:
        return float(phi2)
    idle = clock.time[period] - players.last[p] - clock.active
    if idle <= 0.0:
        return float(phi2)
    return float(max(phi2, min(phi2 + idle * players.volatility[p] ** 2, clock.oldest)))


@inlined_kernel
def _predict(
    rounds: Rounds, rule: Glicko2Rule, players: Glicko2Players, record: Record, at: Place
) -> None:
    g, slot = at.game, at.slot
    i, j = rounds.first[g], rounds.second[g]
    mu_i, mu_j = players.mu[i], players.mu[j]
    phi2_i = aged(rule.clock, players, i, at.period)
    phi2_j = aged(rule.clock, players, j, at.period)
    two = mu_i - mu_j + rounds.ahead[g]
    one = two
    if len(rule.ratio) > 0:
        one += (mu_i - rule.zero) * (rule.ratio[g] - 1.0)
        two += (mu_j - rule.zero) * (1.0 - 1.0 / rule.ratio[g])
    record.before[g, 0], record.before[g, 1] = mu_i, sqrt(phi2_i)
    record.before[g, 2], record.before[g, 3] = mu_j, sqrt(phi2_j)
    record.expected[g] = logistic(shrink(phi2_i + phi2_j) * one)
    g_i, g_j = shrink(phi2_i), shrink(phi2_j)
    e_i, e_j = logistic(g_j * two), logistic(-g_i * one)
    record.change[slot, 0] = g_j * (rounds.score[g] - e_i)
    record.change[slot, 1] = g_i * (1.0 - rounds.score[g] - e_j)
    record.change[slot, 2] = g_j * g_j * e_i * (1.0 - e_i)
    record.change[slot, 3] = g_i * g_i * e_j * (1.0 - e_j)


@inlined_kernel
def _settle(
    rounds: Rounds, rule: Glicko2Rule, players: Glicko2Players, record: Record, at: Place
) -> None:
    limits = rule.limits
    for side in range(2):
        p = rounds.first[at.game] if side == 0 else rounds.second[at.game]
        learns, gain, information = taken(rounds, players.sums, record, p, side)
        if not learns:
            continue
        phi2 = aged(rule.clock, players, p, at.period)
        if len(rule.clock.time) > 0:
            players.last[p] = rule.clock.time[at.period]
        mu, phi2, volatility = update(
            players.mu[p], phi2, players.volatility[p], gain, information, rule.tau
        )
        players.mu[p] = min(max(mu, limits[0]), limits[1])
        players.phi2[p] = min(max(phi2, limits[2]), limits[3])
        players.volatility[p] = min(max(volatility, limits[4]), limits[5])


replay = batch_kernel(_predict, add_up, settle=_settle)
