"""Games laid out for whole-history rating: players, their days, the games of each day.

A *node* is a player on a day on which he played; its unknown is his strength that day. Nodes of a
player stand together in order of time. An *entry* is a game seen by one of its players; the entries
of a player stand together in order of time too, so every game has two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from yardstone.arrays import Floats, Ints, Longs


class DayGames(NamedTuple):
    """Games in order of time, with the day of each."""

    first: Ints
    second: Ints
    score: Floats
    day: Floats


class Layout(NamedTuple):
    """Where everything stands: nodes and entries of each player, and of each node its first entry.

    Of each entry the opponent's node, the player's `score`, his `side` (1 for who moved first,
    else -1) and the `shift` of handicap (logits); `own` has both entries of each game.
    """

    node_start: Longs
    node_day: Floats
    entry_start: Longs
    node_entry: Longs
    opponent: Ints
    score: Floats
    side: Floats
    shift: Floats
    own: Longs


def lay_out(games: DayGames, shift: Floats, players: int) -> Layout:
    """Lay out games whose days are NaN-free and do not fall.

    `shift` is what handicap adds to the rating of `first`, in logits.
    """
    entries, everybody = 2 * len(games.first), np.arange(players + 1)
    seats = np.column_stack([games.first, games.second]).ravel()
    order = np.argsort(seats, kind="stable")
    player, game, moved = seats[order], order // 2, order % 2 == 0
    day, score = games.day[game], games.score[game]
    begins = np.ones(entries, np.bool_)
    begins[1:] = (player[1:] != player[:-1]) | (day[1:] > day[:-1])
    node = np.cumsum(begins, dtype=np.int32) - np.int32(1)
    place = np.empty(entries, np.int64)
    place[order] = np.arange(entries)
    return Layout(
        np.searchsorted(player[begins], everybody),
        day[begins],
        np.searchsorted(player, everybody),
        np.append(np.flatnonzero(begins), entries),
        node[place[order ^ 1]],
        np.where(moved, score, 1.0 - score),
        np.where(moved, 1.0, -1.0),
        np.where(moved, shift[game], -shift[game]),
        place.reshape(-1, 2),
    )


class Forecasts(NamedTuple):
    """Expected scores, and strength and variance of both players and tau: shape (games, 5)."""

    expected: Floats
    before: Floats

    @classmethod
    def of(cls, games: int) -> Forecasts:
        """Room for those of so many games."""
        return cls(np.empty(games), np.empty((games, 5)))
