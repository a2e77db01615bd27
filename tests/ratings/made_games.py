"""Games that are the same everywhere, without a library's random numbers."""

from __future__ import annotations

import numpy as np

from yardstone.pool import Pool

_DAY = 86_400


def lehmer(seed: int, number: int) -> list[float]:
    """Numbers between 0 and 1 from the generator of Park and Miller."""
    state, drawn = seed, []
    for _ in range(number):
        state = state * 48_271 % 2_147_483_647
        drawn.append(state / 2_147_483_647)
    return drawn


def no_games() -> Pool:
    """One player who has not played."""
    none = np.zeros(0, np.int32)
    return Pool(("A",), none, none, np.zeros(0), np.zeros(0, "datetime64[s]"))


def made_games(
    games: int, players: int, *, days: int = 100, draws: float = 0.0, seed: int = 1
) -> Pool:
    """Games in order of time between players of fixed strengths, a share of them drawn."""
    numbers = np.array(lehmer(seed, 4 * games)).reshape(games, 4)
    first = (numbers[:, 0] * players).astype(np.int32)
    second = ((first + 1 + numbers[:, 1] * (players - 1)).astype(np.int32)) % players
    strength = 3.0 * np.array(lehmer(seed + 1, players)) - 1.5
    chance = 1.0 / (1.0 + np.exp(strength[second] - strength[first] - 0.2))
    score = np.where(numbers[:, 2] < chance, 1.0, 0.0)
    score[numbers[:, 3] < draws] = 0.5
    time = (np.arange(games) * days // games * _DAY + 1_000_000_000).astype("datetime64[s]")
    return Pool(tuple(f"P{i}" for i in range(players)), first, second, score, time)
