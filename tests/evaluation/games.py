"""Games made up for tests of evaluation: from true strengths, with times."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from yardstone.pool import Pool

START = np.datetime64("2020-01-01", "s")


def played(
    games: int,
    players: int,
    seed: int,
    *,
    spread: float = 200.0,
    draws: float = 0.0,
    groups: int = 1,
    days: float = 365.0,
) -> Pool:
    """Games of players with normally distributed strengths, in order of time.

    With several groups, players only meet within their own.
    """
    generator = np.random.default_rng(seed)
    group = generator.integers(0, groups, games)
    first = generator.integers(0, players, games)
    second = (first + 1 + generator.integers(0, players - 1, games)) % players
    strength = generator.normal(0.0, spread, (groups, players))
    difference = strength[group, first] - strength[group, second]
    wins = generator.random(games) < 1.0 / (1.0 + 10.0 ** (-difference / 400.0))
    score = np.where(generator.random(games) < draws, 0.5, wins)
    seconds = np.sort(generator.integers(0, int(days * 86_400), games))
    return Pool.from_names(
        [f"{g}.{p}" for g, p in zip(group, first, strict=True)],
        [f"{g}.{p}" for g, p in zip(group, second, strict=True)],
        score,
        time=START + seconds,
        columns={"event": np.char.add("event ", (np.arange(games) // 5).astype(str))},
    )


def davidson(p: NDArray[np.float64], rate: float) -> NDArray[np.float64]:
    """Chances of a draw: D² = (2 d / (1 - d))² W L, and W + D/2 is expected."""
    u = (1.0 - rate) / rate
    return np.asarray(4 * p * (1 - p) / (1 + np.sqrt(1 + 4 * (u * u - 1) * p * (1 - p))))


class InPieces:
    """A pool given in batches, as a reader gives games."""

    def __init__(self, pool: Pool, size: int) -> None:
        self.pool, self.size = pool, size
        self.players, self.skipped, self.ordered = pool.players, pool.skipped, pool.ordered

    def __iter__(self) -> Iterator[Pool]:
        for start in range(0, len(self.pool), self.size):
            yield self.pool.select(np.arange(start, min(start + self.size, len(self.pool))))
