"""Pools with moves made from random numbers, for tests of the fusion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from yardstone.pool import Pool
from yardstone.ratings.glicko import Glicko2
from yardstone.strength.fusion import MOVE_COLUMNS, Sides, sides_before

__all__ = ["made_pool", "shown", "sides_of"]


def made_pool(*, players: int = 60, games: int = 600, seed: int = 3, dated: bool = True) -> Pool:
    """Players of strengths ± 250 points, whose moves show them in ranks of 60 points.

    A game has 50 to 150 moves a side and tells of the rank to ± 3; half of the games have
    moves.
    """
    generator = np.random.default_rng(seed)
    strength = generator.normal(1500.0, 250.0, players)
    first = generator.integers(0, players, games)
    second = (first + generator.integers(1, players, games)) % players
    chance = 1.0 / (1.0 + 10.0 ** ((strength[second] - strength[first]) / 400.0))
    score = (generator.random(games) < chance).astype(np.float64)
    ranks = (strength[np.column_stack([first, second])] - 1500.0) / 60.0
    number = generator.integers(50, 150, (games, 2)).astype(np.float64)
    number[generator.random(games) < 0.5] = 0.0
    rank = np.where(number > 0.0, ranks + generator.normal(0.0, 3.0, (games, 2)), np.nan)
    time = np.datetime64("2024-01-01", "s") + np.arange(games) * np.timedelta64(3600, "s")
    return Pool(
        tuple(f"P{player}" for player in range(players)),
        first.astype(np.int32),
        second.astype(np.int32),
        score,
        time if dated else None,
        dict(zip(MOVE_COLUMNS, np.stack([number, rank], -1).reshape(games, 4).T, strict=True)),
    )


def shown(pool: Pool, game: int, strength: float) -> Pool:
    """The pool in which the first player's moves in a game show this strength."""
    columns = {name: np.array(column) for name, column in pool.columns.items()}
    columns[MOVE_COLUMNS[0]][game] = 100.0
    columns[MOVE_COLUMNS[1]][game] = strength
    return replace(pool, columns=columns)


def sides_of(pool: Pool, system: Glicko2) -> Sides:
    """What results and moves say of both players before each game."""
    strength, number = sides_before(pool)
    replay = system.replay(pool)
    assert replay.first_deviation is not None
    assert replay.second_deviation is not None
    return Sides(
        np.column_stack([replay.first_rating, replay.second_rating]),
        np.column_stack([replay.first_deviation, replay.second_deviation]),
        strength,
        number.astype(np.int64),
    )
