"""The loops of the Elo system."""

from __future__ import annotations

from math import erfc
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from yardstone.kernels import inlined_kernel
from yardstone.ratings.batches import batch_kernel
from yardstone.winprob.logistic_kernels import logistic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.ratings.sequential import Place, Record, Rounds

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int32]

__all__ = ["EloPlayers", "EloRule", "add_changes", "replay", "replay_by_rule"]


class EloRule(NamedTuple):
    """`steepness` is 1/scale, for the normal curve over the root of 2; `k` one for all.

    `numbers` are those of `KFactor`, for `replay_by_rule`.
    """

    steepness: float
    normal: bool
    furthest: float
    k: float
    numbers: Floats


class EloPlayers(NamedTuple):
    """Ratings, and what `KFactor` looks at.

    `present` counts a player's games in the period `period`.
    """

    rating: Floats
    played: Ints
    top: NDArray[np.bool_]
    present: Ints
    period: NDArray[np.int64]


@inlined_kernel
def _surprise(
    rounds: Rounds, rule: EloRule, players: EloPlayers, record: Record, at: Place
) -> float:
    """Points of `first` above what is expected, which it records."""
    g = at.game
    i, j = rounds.first[g], rounds.second[g]
    one, other = players.rating[i], players.rating[j]
    difference = min(max(one - other + rounds.ahead[g], -rule.furthest), rule.furthest)
    if rule.normal:
        chance = 0.5 * erfc(-difference * rule.steepness)
    else:
        chance = logistic(difference * rule.steepness)
    record.expected[g] = chance
    record.before[g, 0], record.before[g, 1] = one, other
    return float(rounds.score[g] - chance)


@inlined_kernel
def _predict(rounds: Rounds, rule: EloRule, players: EloPlayers, record: Record, at: Place) -> None:
    change = rule.k * _surprise(rounds, rule, players, record, at)
    record.change[at.slot, 0], record.change[at.slot, 1] = change, -change


@inlined_kernel
def add_changes(
    rounds: Rounds, rule: EloRule, players: EloPlayers, record: Record, at: Place
) -> None:
    """Learn: add the changes of a game to both ratings."""
    players.rating[rounds.first[at.game]] += record.change[at.slot, 0]
    players.rating[rounds.second[at.game]] += record.change[at.slot, 1]


@inlined_kernel
def _count(rounds: Rounds, rule: EloRule, players: EloPlayers, record: Record, at: Place) -> None:
    for p in (rounds.first[at.game], rounds.second[at.game]):
        if players.period[p] != at.period:
            players.period[p] = at.period
            players.present[p] = 0
        players.present[p] += 1


@inlined_kernel
def _factor(rule: EloRule, players: EloPlayers, p: int) -> float:
    """K by games and rating, less if K times the games of the period is too much."""
    number = rule.numbers
    if players.played[p] < number[1]:
        k = number[0]
    elif players.top[p] or players.rating[p] >= number[4]:
        k = number[3]
    else:
        k = number[2]
    return float(min(k, number[5] / players.present[p]))


@inlined_kernel
def _predict_by_rule(
    rounds: Rounds, rule: EloRule, players: EloPlayers, record: Record, at: Place
) -> None:
    surprise = _surprise(rounds, rule, players, record, at)
    record.change[at.slot, 0] = _factor(rule, players, rounds.first[at.game]) * surprise
    record.change[at.slot, 1] = -_factor(rule, players, rounds.second[at.game]) * surprise


@inlined_kernel
def _learn_by_rule(
    rounds: Rounds, rule: EloRule, players: EloPlayers, record: Record, at: Place
) -> None:
    add_changes(rounds, rule, players, record, at)
    players.played[rounds.first[at.game]] += 1
    players.played[rounds.second[at.game]] += 1


@inlined_kernel
def _note_top(
    rounds: Rounds, rule: EloRule, players: EloPlayers, record: Record, at: Place
) -> None:
    for p in (rounds.first[at.game], rounds.second[at.game]):
        players.top[p] = players.top[p] or players.rating[p] >= rule.numbers[4]


#: With one K for all, and with K by games and rating.
replay = batch_kernel(_predict, add_changes)
replay_by_rule = batch_kernel(_predict_by_rule, _learn_by_rule, enter=_count, settle=_note_top)
