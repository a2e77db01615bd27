"""Pools drawn from a known truth."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from yardstone.pool import Pool
from yardstone.winprob.laws import points_per_logit, win_draw_loss, win_probability

POINTS = points_per_logit()


def simulated_pool(
    rating: NDArray[np.float64],
    games: int,
    generator: np.random.Generator,
    *,
    advantage: float = 0.0,
    draw_rate: float = 0.3,
) -> Pool:
    """Games between random pairs of players of the given true ratings."""
    players = len(rating)
    first = generator.integers(players, size=games)
    second = (first + generator.integers(1, players, size=games)) % players
    expected = win_probability(rating[first] + advantage - rating[second], points_per_logit=POINTS)
    win, draw, _ = win_draw_loss(expected, draw_rate)
    luck = generator.random(games)
    score = np.where(luck < win, 1.0, np.where(luck < win + draw, 0.5, 0.0))
    names = tuple(f"P{number:03d}" for number in range(players))
    return Pool(names, first.astype(np.int32), second.astype(np.int32), score)
