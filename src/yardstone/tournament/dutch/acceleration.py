"""Baku acceleration (FIDE Handbook C.04.5.1)."""

from __future__ import annotations

from collections.abc import Sequence

from yardstone.tournament.rules import Acceleration

__all__ = ["baku"]


def baku(seeding: Sequence[int], rounds: int) -> tuple[Acceleration, ...]:
    """Virtual points for the first half of the list in the first half of the rounds.

    Parameters
    ----------
    seeding : sequence of int
        Numbers of the players in the initial order.
    rounds : int

    Examples
    --------
    >>> [(len(each.players), each.first, each.last, each.points) for each in baku(range(161), 9)]
    [(82, 1, 3, 1.0), (82, 4, 5, 0.5)]
    """
    group = frozenset(seeding[: 2 * -(-len(seeding) // 4)])
    accelerated = -(-rounds // 2)
    whole = -(-accelerated // 2)
    stages = [Acceleration(group, 1, whole, 1.0)] if whole else []
    if accelerated > whole:
        stages.append(Acceleration(group, whole + 1, accelerated, 0.5))
    return tuple(stages)
