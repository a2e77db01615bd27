"""Adding up the games of each ordered pair of players."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from yardstone.kernels import kernel


@kernel
def count_pairs(
    first: NDArray[np.int32], second: NDArray[np.int32], score: NDArray[np.float64], players: int
) -> tuple[
    NDArray[np.int32],
    NDArray[np.int32],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.float64],
]:
    """Distinct pairs in order of (first, second), with wins, draws and losses of `first`.

    Games are sorted into buckets by `first`; each bucket is added up in a table
    by `second`, of which only the touched entries are visited again.
    """
    games = len(first)
    start = np.zeros(players + 1, np.int64)
    for game in range(games):
        start[first[game] + 1] += 1
    for player in range(players):
        start[player + 1] += start[player]
    place = start[:-1].copy()
    order = np.empty(games, np.int32)
    for game in range(games):
        order[place[first[game]]] = game
        place[first[game]] += 1

    tally = np.zeros((players, 3), np.int32)
    touched = np.empty(players, np.int32)
    pair_first = np.empty(games, np.int32)
    pair_second = np.empty(games, np.int32)
    counts = np.empty((games, 3), np.int32)
    pairs = 0
    for player in range(players):
        met = 0
        for position in range(start[player], start[player + 1]):
            game = order[position]
            other = second[game]
            row = tally[other]
            if row[0] + row[1] + row[2] == 0:
                touched[met] = other
                met += 1
            row[int(2.0 * score[game])] += 1
        opponents = np.sort(touched[:met])
        for other in opponents:
            pair_first[pairs] = player
            pair_second[pairs] = other
            counts[pairs] = tally[other]
            tally[other] = 0
            pairs += 1
    return (
        pair_first[:pairs].copy(),
        pair_second[:pairs].copy(),
        counts[:pairs, 2].astype(np.float64),
        counts[:pairs, 1].astype(np.float64),
        counts[:pairs, 0].astype(np.float64),
    )
