"""Sides of games made from random numbers, to train rank models on."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.strength.rank_cases import random_evidence
from yardstone.strength.evidence import PHASES
from yardstone.strength.rank_features import SCALARS
from yardstone.strength.rank_scorer import Lift
from yardstone.strength.site_scales import RANKS
from yardstone_lab.neubauer.rank.pool import RankPool
from yardstone_lab.neubauer.rank.training import random_lift

__all__ = ["pool_of", "simulated_pool"]


def pool_of(
    mean: Any, lift: Lift, random: np.random.Generator, player: Any, **more: Any
) -> RankPool:
    """Sides whose moves have these means; numbers of moves know nothing of them."""
    shape = (len(mean), PHASES)
    counts = random.integers(5, 25, shape)
    root = np.sqrt(counts)[..., None]
    values = counts[..., None] * mean[:, None] + root * random.normal(size=(*shape, lift.values))
    lifted = root * random.normal(size=(*shape, lift.lifted))
    game = np.arange(len(mean))
    facts: dict[str, Any] = {
        "values": values.astype(np.float32), "lifted": lifted.astype(np.float32),
        "counts": counts, "group": 0 * game, "game": game, "colour": 1 + game % 2,
        "player": np.array([f"player {each}" for each in player]),
        "opponent": np.full(len(game), "program"), "year": 2017 + game % 3,
    }  # fmt: skip
    return RankPool(**(facts | more))


def simulated_pool(
    games: int, *, seed: int = 0, strength: float = 0.3, own: float = 0.0, sides: int = 2
) -> tuple[RankPool, Lift]:
    """Sides of games whose values grow with the rank, with so many games a group.

    Each player has three games in a row; `own` is the deviation of what is the player's own.
    """
    random = np.random.default_rng(seed)
    lift = random_lift(random_evidence([25, 25], seed, 2), pick_units=3, units=4, random=random)
    group = np.repeat(np.arange(len(RANKS)), games * sides)
    game = np.repeat(np.arange(len(RANKS) * games), sides)
    colour = np.tile(np.arange(1, sides + 1), len(RANKS) * games)
    number = 2 * (game // 3) + colour
    slope = random.normal(size=8 + len(SCALARS))
    mean = strength * (group[:, None] - 5.0) / 5.0 * slope
    mean += random.normal(0.0, own, (number.max() + 1, len(slope)))[number]
    others = np.array([f"player {each}" for each in 2 * (game // 3) + 3 - colour])
    facts = {"group": group, "game": game, "colour": colour, "opponent": others}
    return pool_of(mean, lift, random, number, **facts, year=2017 + game % 3), lift
