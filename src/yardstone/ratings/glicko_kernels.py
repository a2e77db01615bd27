"""The steps of Glicko (Glickman, "The Glicko system", 1995), and what Glicko-2 has of them."""

from __future__ import annotations

from math import pi, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from yardstone.kernels import inlined_kernel, kernel
from yardstone.ratings.batches import batch_kernel
from yardstone.winprob.logistic import ELO_POINTS_PER_LOGIT
from yardstone.winprob.logistic_kernels import logistic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.ratings.sequential import Place, Record, Rounds

    Floats = NDArray[np.float64]

__all__ = ["GlickoPlayers", "GlickoRule", "Sums", "add_up", "no_sums", "replay", "taken"]

_Q = 1.0 / ELO_POINTS_PER_LOGIT
_THREE_Q2_OVER_PI2 = 3.0 * _Q**2 / pi**2


class GlickoRule(NamedTuple):
    """`drift` is c^2, `oldest` and `lowest` limit the squared deviation.

    `clock` is the time of each period (empty: nobody ages).
    """

    clock: Floats
    drift: float
    oldest: float
    lowest: float


class Sums(NamedTuple):
    """What the games of a period say to each player; all zero between periods."""

    gain: Floats
    information: Floats
    waiting: NDArray[np.bool_]


class GlickoPlayers(NamedTuple):
    """Ratings, squared deviations, the last period of each, and room for sums."""

    rating: Floats
    variance: Floats
    last: Floats
    sums: Sums


def no_sums(players: int) -> Sums:
    """Room for the sums of so many players."""
    return Sums(np.zeros(players), np.zeros(players), np.zeros(players, np.bool_))


@kernel
def _shrink(variance: float) -> float:
    """g, from a squared deviation."""
    return 1.0 / sqrt(1.0 + _THREE_Q2_OVER_PI2 * variance)


@inlined_kernel
def _aged(rule: GlickoRule, players: GlickoPlayers, p: int, period: int) -> float:
    """Step 1: squared deviation at the onset of a period."""
    variance = players.variance[p]
    idle = rule.clock[period] - players.last[p] if len(rule.clock) > 0 else 0.0
    if idle <= 0.0:
        return float(variance)
    return float(max(variance, min(variance + rule.drift * idle, rule.oldest)))


@inlined_kernel
def _predict(
    rounds: Rounds, rule: GlickoRule, players: GlickoPlayers, record: Record, at: Place
) -> None:
    g, slot = at.game, at.slot
    i, j = rounds.first[g], rounds.second[g]
    variance_i = _aged(rule, players, i, at.period)
    variance_j = _aged(rule, players, j, at.period)
    difference = players.rating[i] - players.rating[j] + rounds.ahead[g]
    record.before[g, 0], record.before[g, 1] = players.rating[i], sqrt(variance_i)
    record.before[g, 2], record.before[g, 3] = players.rating[j], sqrt(variance_j)
    record.expected[g] = logistic(_Q * _shrink(variance_i + variance_j) * difference)
    g_i, g_j = _shrink(variance_i), _shrink(variance_j)
    e_i, e_j = logistic(_Q * g_j * difference), logistic(-_Q * g_i * difference)
    record.change[slot, 0] = _Q * g_j * (rounds.score[g] - e_i)
    record.change[slot, 1] = _Q * g_i * (1.0 - rounds.score[g] - e_j)
    record.change[slot, 2] = (_Q * g_j) ** 2 * e_i * (1.0 - e_i)
    record.change[slot, 3] = (_Q * g_i) ** 2 * e_j * (1.0 - e_j)


@inlined_kernel
def add_up(rounds: Rounds, rule: Any, players: Any, record: Record, at: Place) -> None:
    """Learn: add gains and informations of a game to the sums of both players.

    A game that is a period by itself needs no sums.
    """
    if len(rounds.start) == 0:
        return
    sums = players.sums
    for side in range(2):
        p = rounds.first[at.game] if side == 0 else rounds.second[at.game]
        sums.gain[p] += record.change[at.slot, side]
        sums.information[p] += record.change[at.slot, 2 + side]
        sums.waiting[p] = True


@inlined_kernel
def taken(
    rounds: Rounds, sums: Sums, record: Record, p: int, side: int
) -> tuple[bool, float, float]:
    """Whether a player learns now, once a period; and the gain and information of the period."""
    if len(rounds.start) == 0:
        return True, record.change[0, side], record.change[0, 2 + side]
    waiting, gain, information = sums.waiting[p], sums.gain[p], sums.information[p]
    sums.gain[p] = sums.information[p] = 0.0
    sums.waiting[p] = False
    return waiting, gain, information


@inlined_kernel
def _settle(
    rounds: Rounds, rule: GlickoRule, players: GlickoPlayers, record: Record, at: Place
) -> None:
    for side in range(2):
        p = rounds.first[at.game] if side == 0 else rounds.second[at.game]
        learns, gain, information = taken(rounds, players.sums, record, p, side)
        if learns:
            variance = 1.0 / (1.0 / _aged(rule, players, p, at.period) + information)
            players.rating[p] += variance * gain
            players.variance[p] = max(variance, rule.lowest)
            if len(rule.clock) > 0:
                players.last[p] = rule.clock[at.period]


replay = batch_kernel(_predict, add_up, settle=_settle)
