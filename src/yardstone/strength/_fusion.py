"""The steps of Glicko-2 with priors from moves, on the paper's scale as in `glicko2_kernels`."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

from yardstone.arrays import Floats, Ints
from yardstone.kernels import inlined_kernel, kernel
from yardstone.ratings._steps import Clock, aged, batch_kernel, new_volatility, shrink
from yardstone.winprob.laws import fast_logistic

if TYPE_CHECKING:
    from yardstone.ratings.sequential import Place, Record, Rounds


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
def earlier_moves(
    first: Ints,
    second: Ints,
    number: Floats,
    strength: Floats,
    shown: Floats,
    before: Floats,
) -> None:
    """Fill in what the moves of earlier games say of both players of each game.

    Args:
        first, second (int32 [g]): The players of each game, in order of time.
        number, strength (float64 [g, 2]): Of the moves of each game itself.
        shown (float64 [players, 2]): Moves before the first game, and their strengths added up;
            brought up to the last.
        before (float64 [g, 2, 2]): Takes for each side moves and added strengths from the games
            before.
    """
    for g in range(len(first)):
        for side in range(2):
            p = first[g] if side == 0 else second[g]
            before[g, side, 0], before[g, side, 1] = shown[p, 0], shown[p, 1]
        for side in range(2):
            p = first[g] if side == 0 else second[g]
            shown[p, 0] += number[g, side]
            shown[p, 1] += number[g, side] * strength[g, side]


class Priors(NamedTuple):
    """What is known of players beside their results.

    `beliefs` has for each game mean and variance of the first player's prior, then of the
    second's (NaN: none): shape (games, 4).
    """

    tau: float
    clock: Clock
    beliefs: Floats


class FusedPlayers(NamedTuple):
    """As in `Glicko2Players`, with priors.

    `base` holds mean and variance of the prior that `mu` and `phi2` contain, `moves` what
    the last prior said beyond it (precision, and it times the mean), each of shape
    (players, 2).
    """

    mu: Floats
    phi2: Floats
    volatility: Floats
    last: Floats
    base: Floats
    moves: Floats


@inlined_kernel
def _enter(rounds: Rounds, rule: Priors, players: FusedPlayers, record: Record, at: Place) -> None:
    for side in range(2):
        p = rounds.first[at.game] if side == 0 else rounds.second[at.game]
        players.moves[p, 0], players.moves[p, 1] = extra_information(
            rule.beliefs[at.game, 2 * side],
            rule.beliefs[at.game, 2 * side + 1],
            players.base[p, 0],
            players.base[p, 1],
        )


@inlined_kernel
def _predict(
    rounds: Rounds, rule: Priors, players: FusedPlayers, record: Record, at: Place
) -> None:
    g, before = at.game, record.before
    for side in range(2):
        p = rounds.first[g] if side == 0 else rounds.second[g]
        idle = aged(rule.clock, players, p, at.period)
        variance = 1.0 / (1.0 / idle + players.moves[p, 0])
        before[g, 2 * side] = variance * (players.mu[p] / idle + players.moves[p, 1])
        before[g, 2 * side + 1] = sqrt(variance)
        record.change[at.slot, side], record.change[at.slot, 2 + side] = idle, variance
    ahead = before[g, 0] - before[g, 2] + rounds.ahead[g]
    variance = record.change[at.slot, 2] + record.change[at.slot, 3]
    record.expected[g] = fast_logistic(shrink(variance) * ahead)


@inlined_kernel
def _learn(rounds: Rounds, rule: Priors, players: FusedPlayers, record: Record, at: Place) -> None:
    g = at.game
    ahead = record.before[g, 0] - record.before[g, 2] + rounds.ahead[g]
    for side in range(2):
        p = rounds.first[g] if side == 0 else rounds.second[g]
        idle, variance = record.change[at.slot, side], record.change[at.slot, 2 + side]
        g_other = shrink(record.change[at.slot, 3 - side])
        mine = rounds.score[g] if side == 0 else 1.0 - rounds.score[g]
        e = fast_logistic(g_other * (ahead if side == 0 else -ahead))
        gain, information = g_other * (mine - e), g_other * g_other * e * (1.0 - e)
        if len(rule.clock.time) > 0:
            players.last[p] = rule.clock.time[at.period]
        if information <= 0.0:  # as in `update` of Glicko-2
            players.phi2[p] = idle + players.volatility[p] ** 2
            continue
        v = 1.0 / information
        volatility = new_volatility(variance, players.volatility[p], v, v * gain, rule.tau)
        players.volatility[p] = volatility
        # The result was linearised where the moves had put the player, and is kept
        # apart from them: their word will be another one before the next game.
        pull = gain + information * (record.before[g, 2 * side] - players.mu[p])
        players.phi2[p] = 1.0 / (1.0 / (idle + volatility * volatility) + information)
        players.mu[p] += players.phi2[p] * pull


replay = batch_kernel(_predict, _learn, enter=_enter)
