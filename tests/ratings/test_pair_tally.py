"""Counts of pairs that grow, and the same list from them as from games in memory."""

from __future__ import annotations

import numpy as np
import pytest

from tests.ratings.made_games import made_games
from yardstone.errors import UsageError
from yardstone.pool import PairCounts, Pool
from yardstone.ratings import bradley_terry, joint
from yardstone.ratings.bradley_terry import BradleyTerry, CountedGames, PairTally
from yardstone.ratings.rating_list import rate_list


def tallied(pool: Pool, size: int) -> PairCounts:
    tally = PairTally()
    for start in range(0, len(pool), size):
        tally.add(pool.select(np.arange(start, min(start + size, len(pool)))))
    return tally.counts(len(pool.players))


@pytest.mark.parametrize("size", [1, 7, 400, 5000])
def test_pieces_add_up_to_the_whole(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bradley_terry, "BUFFER", 90)
    pool = made_games(900, 12, draws=0.3)
    counts, whole = tallied(pool, size), pool.pair_counts()
    for name in ("first", "second", "wins", "draws", "losses"):
        assert np.array_equal(getattr(counts, name), getattr(whole, name))
        assert getattr(counts, name).dtype == getattr(whole, name).dtype
    # Many pairs are counted in bytes, which grow where they must.
    monkeypatch.setattr(bradley_terry, "MANY_PAIRS", 0)
    pool = made_games(3000, 3, draws=0.3)
    counts, whole = tallied(pool, max(size, 50)), pool.pair_counts()
    assert counts.wins.dtype == np.uint16
    assert np.array_equal(counts.wins, whole.wins)
    assert np.array_equal(counts.games, whole.games)
    assert counts.total() == 3000


def test_many_pairs_are_rated_as_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """With two who won and lost everything, so that some pairs take no part in the fit."""
    pool = made_games(1500, 40, draws=0.3)
    first, second, score = (
        np.append(side, more)
        for side, more in (
            (pool.first, [40, 40, 3]),
            (pool.second, [1, 2, 41]),
            (pool.score, [1.0, 1.0, 1.0]),
        )
    )
    pool = Pool((*pool.players, "best", "worst"), first, second, score)
    usual = rate_list(pool)
    for module in (bradley_terry, joint):
        monkeypatch.setattr(module, "MANY_PAIRS", 0)
    games = CountedGames(pool.players, tallied(pool, 500), pool.skipped)
    assert games.counts.wins.dtype == np.uint8
    many = rate_list(games)
    assert many.records() == usual.records()
    assert (many.draw_rate, many.traps) == (usual.draw_rate, usual.traps)
    with pytest.raises(UsageError, match="need the games themselves"):
        BradleyTerry(paired=("event",)).fit(games)
