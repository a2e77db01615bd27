"""Sides of games made from random numbers, to train rank models on."""

from __future__ import annotations

import numpy as np

from tests.strength.rank_cases import random_evidence
from yardstone.strength.evidence import PHASES
from yardstone.strength.rank_features import SCALARS
from yardstone.strength.rank_scorer import Lift
from yardstone.strength.site_scales import RANKS
from yardstone_lab.neubauer.rank.pool import RankPool
from yardstone_lab.neubauer.rank.training import random_lift

__all__ = ["simulated_pool"]


def simulated_pool(
    games: int,
    *,
    seed: int = 0,
    channels: int = 2,
    strength: float = 0.3,
    player: float = 0.0,
    sides: int = 2,
) -> tuple[RankPool, Lift]:
    """Sides of games whose values grow with the rank, with so many games a group.

    Each player has three games in a row; `player` is the deviation of what is the
    player's own. Numbers of moves know nothing of the rank.
    """
    random = np.random.default_rng(seed)
    count = 4 * channels + len(SCALARS)
    evidence = random_evidence([25, 25], seed, channels)
    lift = random_lift(evidence, pick_units=3, units=4, random=random)
    group = np.repeat(np.arange(len(RANKS)), games * sides)
    game = np.repeat(np.arange(len(RANKS) * games), sides)
    colour = np.tile(np.arange(1, sides + 1), len(RANKS) * games)
    number = 2 * (game // 3) + colour
    counts = random.integers(5, 25, (len(group), PHASES))
    own = random.normal(0.0, player, (number.max() + 1, count))
    slope = random.normal(size=count)
    mean = strength * (group[:, None] - 5.0) / 5.0 * slope + own[number]
    noise = random.normal(size=(len(group), PHASES, count))
    values = counts[..., None] * mean[:, None] + np.sqrt(counts)[..., None] * noise
    lifted = np.sqrt(counts)[..., None] * random.normal(size=(len(group), PHASES, lift.lifted))
    names = np.array([f"player {each}" for each in number])
    others = np.array([f"player {2 * (g // 3) + 3 - c}" for g, c in zip(game, colour, strict=True)])
    pool = RankPool(
        values=values.astype(np.float32),
        lifted=lifted.astype(np.float32),
        counts=counts,
        group=group,
        game=game,
        colour=colour,
        player=names,
        opponent=others,
        year=2017 + game % 3,
    )
    return pool, lift
