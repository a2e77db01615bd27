"""The steps of ratings by the errors of earlier matches."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from yardstone.arrays import Floats
from yardstone.kernels import inlined_kernel
from yardstone.ratings._steps import batch_kernel
from yardstone.winprob.laws import fast_logistic

if TYPE_CHECKING:
    from yardstone.ratings.sequential import Place, Record, Rounds


class ErrorRule(NamedTuple):
    """What a match costs and counts.

    `weights`, shape (n, 2): points for an error of one, of moves and of the cube, at each match's
    length; `steepness`, (n): log odds of a point; `loss` and `decisions`, (n, 2, 2): of both
    players and kinds; `usual` and `share`, (2): mean error rate of people and what it is worth, in
    decisions; `players`: so many the usual mean counts as; `perfect`: rating of perfect play.
    """

    weights: Floats
    steepness: Floats
    loss: Floats
    decisions: Floats
    usual: Floats
    share: Floats
    players: float
    perfect: float


class ErrorPlayers(NamedTuple):
    """What is kept of players.

    `loss` and `decisions` are sums by player and kind; of each kind `rates` is the sum of
    the players' own rates, and `number` how many they are.
    """

    loss: Floats
    decisions: Floats
    rates: Floats
    number: Floats


@inlined_kernel
def expected_rate(rule: ErrorRule, players: ErrorPlayers, p: int, kind: int) -> float:
    """A player's error rate: that of earlier matches, drawn towards the players' mean."""
    known = rule.players + players.number[kind]
    mean = (rule.players * rule.usual[kind] + players.rates[kind]) / known
    decisions = players.decisions[p, kind] + rule.share[kind]
    return float((players.loss[p, kind] + rule.share[kind] * mean) / decisions)


@inlined_kernel
def _predict(
    rounds: Rounds, rule: ErrorRule, players: ErrorPlayers, record: Record, at: Place
) -> None:
    g = at.game
    for side in range(2):
        p = rounds.first[g] if side == 0 else rounds.second[g]
        cost = 0.0
        for kind in range(2):
            cost += rule.weights[g, kind] * expected_rate(rule, players, p, kind)
        record.before[g, side] = rule.perfect - cost
    ahead = record.before[g, 0] - record.before[g, 1]
    record.expected[g] = fast_logistic(ahead * rule.steepness[g])


@inlined_kernel
def _learn(
    rounds: Rounds, rule: ErrorRule, players: ErrorPlayers, record: Record, at: Place
) -> None:
    g = at.game
    for side in range(2):
        p = rounds.first[g] if side == 0 else rounds.second[g]
        for kind in range(2):
            new = rule.decisions[g, side, kind]
            if new > 0.0:
                old = players.decisions[p, kind]
                if old > 0.0:
                    players.rates[kind] -= players.loss[p, kind] / old
                    players.number[kind] -= 1.0
                players.loss[p, kind] += rule.loss[g, side, kind]
                players.decisions[p, kind] = old + new
                players.rates[kind] += players.loss[p, kind] / players.decisions[p, kind]
                players.number[kind] += 1.0


replay = batch_kernel(_predict, _learn)
