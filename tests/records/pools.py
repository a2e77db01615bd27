"""Pools as plain lists."""

from __future__ import annotations

from yardstone.pool import Pool

__all__ = ["Game", "games", "skipped"]

Game = tuple[str, str, float]


def games(pool: Pool) -> list[Game]:
    """Return names and score of each game."""
    rows = zip(pool.first.tolist(), pool.second.tolist(), pool.score.tolist(), strict=True)
    return [(pool.players[a], pool.players[b], score) for a, b, score in rows]


def skipped(pool: Pool) -> list[tuple[int, str]]:
    """Return line and reason of each record that was left out."""
    return [(record.line, record.reason) for record in pool.skipped.details]
