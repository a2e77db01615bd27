"""The steps of the rating system of FIBS."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from yardstone.kernels import inlined_kernel
from yardstone.ratings.batches import batch_kernel
from yardstone.winprob.logistic_kernels import logistic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.ratings.sequential import Place, Record, Rounds

    Floats = NDArray[np.float64]

__all__ = ["FibsPlayers", "FibsRule", "replay"]


class FibsRule(NamedTuple):
    """`root` is that of each match's length, `steepness` the log odds of a point at length 1."""

    root: Floats
    steepness: float
    unit: float
    first_factor: float
    ramp: float


class FibsPlayers(NamedTuple):
    """Ratings, and the sums of the lengths played."""

    rating: Floats
    experience: Floats


@inlined_kernel
def _predict(
    rounds: Rounds, rule: FibsRule, players: FibsPlayers, record: Record, at: Place
) -> None:
    g = at.game
    i, j, root = rounds.first[g], rounds.second[g], rule.root[g]
    one, other = players.rating[i], players.rating[j]
    chance = logistic((one - other) * root * rule.steepness)
    record.expected[g] = chance
    record.before[g, 0], record.before[g, 1] = one, other
    moved = rule.unit * root * (rounds.score[g] - chance)
    for side in range(2):
        played = players.experience[i if side == 0 else j] + root * root
        factor = max(1.0, rule.first_factor - played / rule.ramp)
        record.change[at.slot, side] = (moved if side == 0 else -moved) * factor


@inlined_kernel
def _learn(rounds: Rounds, rule: FibsRule, players: FibsPlayers, record: Record, at: Place) -> None:
    root = rule.root[at.game]
    for side in range(2):
        p = rounds.first[at.game] if side == 0 else rounds.second[at.game]
        players.rating[p] += record.change[at.slot, side]
        players.experience[p] += root * root


replay = batch_kernel(_predict, _learn)
