"""The recent moves of players, and sets of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yardstone.errors import InputError, UsageError
from yardstone.pool import Pool
from yardstone_lab.neubauer.moves import Labelled, MoveSets, Pieces, ranges, recent_moves


def made(games: int, players: int, seed: int) -> tuple[Pool, Pieces]:
    """A pool whose games have some moves each, in rows that lie anywhere."""
    generator = np.random.default_rng(seed)
    pairs = np.array([generator.choice(players, 2, replace=False) for _ in range(games)])
    pool = Pool(
        tuple(f"p{k}" for k in range(players)),
        pairs[:, 0],
        pairs[:, 1],
        generator.integers(0, 2, games).astype(float),
    )
    known = generator.random(games) < 0.9
    length = np.where(known[:, None], generator.integers(0, 6, (games, 2)), 0)
    order = generator.permutation(2 * games)
    start = np.empty(2 * games, np.int64)
    start[order] = np.concatenate([[0], np.cumsum(length.ravel()[order])[:-1]])
    return pool, Pieces(start.reshape(-1, 2), length, known)


def slow(
    pool: Pool, pieces: Pieces, game: int, side: int, window: int, last: int | None
) -> list[int]:
    """Definition 2 as it is written: all past moves of the player, of which the latest."""
    player = (pool.first, pool.second)[side][game]
    past: list[list[int]] = []
    for earlier in range(game):
        for other in (0, 1):
            if (pool.first, pool.second)[other][earlier] == player:
                begin = pieces.start[earlier, other]
                past.append(list(range(begin, begin + pieces.length[earlier, other])))
    seen = past if last is None else past[max(len(past) - last, 0) :]
    return [move for moves in seen for move in moves][-window:]


@given(st.integers(0, 10_000), st.integers(1, 40), st.sampled_from([None, 0, 1, 3]))
@settings(max_examples=40, deadline=None)
def test_recent_moves_are_those_of_the_definition(seed: int, window: int, last: int | None) -> None:
    pool, pieces = made(25, 5, seed)
    chosen = np.random.default_rng(seed).permutation(25)[:7]
    rows, starts = recent_moves(pool, pieces, chosen, window=window, last_games=last)
    for k, game in enumerate(chosen.tolist()):
        for side in (0, 1):
            result = rows[starts[2 * k + side] : starts[2 * k + side + 1]].tolist()
            assert result == slow(pool, pieces, game, side, window, last)


def test_what_cannot_be_asked_for() -> None:
    pool, pieces = made(4, 3, 0)
    zero, known = np.zeros((1, 2), int), np.ones(1, bool)
    with pytest.raises(UsageError, match="at least 1 move"):
        recent_moves(pool, pieces, window=0)
    with pytest.raises(UsageError, match="cannot be taken"):
        recent_moves(pool, pieces, last_games=-1)
    with pytest.raises(InputError, match="not of this pool"):
        recent_moves(pool.select(np.array([0])), pieces)
    for length, words in ((zero - 1, "fewer than no moves"), (np.zeros((2, 2), int), "same games")):
        with pytest.raises(InputError, match=words):
            Pieces(zero, length, known)
    assert ranges(np.zeros(0, int), np.zeros(0, int)).tolist() == []
    features = np.zeros((3, 2), np.float32)
    for rows, starts, words in (
        ([0], [0, 1], "do not go"), ([0, 9], [0, 1, 2], "outside"), ([0], [0, 2, 1], "fewer"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=words):
            MoveSets(features, np.array(rows), np.array(starts))


def some_sets(seed: int = 3) -> MoveSets:
    generator = np.random.default_rng(seed)
    features = generator.normal(size=(30, 4)).astype(np.float16)
    return MoveSets(features, generator.integers(0, 30, 33), np.array([0, 5, 5, 8, 20, 21, 33]))


def test_padded_sets_hold_the_latest_moves() -> None:
    sets = some_sets()
    assert (len(sets), sets.width, sets.lengths().tolist()) == (3, 4, [5, 0, 3, 12, 1, 12])
    features, present = sets.padded(np.array([1, 3, 4]), window=7)
    assert features.shape == (3, 7, 4)
    assert features.dtype == np.float32
    assert present.sum(axis=1).tolist() == [0, 7, 1]
    assert np.array_equal(features[1], sets.features[sets.rows[13:20]].astype(np.float32))
    assert not features[~present].any()
    nothing, absent = sets.padded(np.array([1]))
    assert nothing.shape == (1, 1, 4)
    assert not absent.any()
    with pytest.raises(UsageError, match="at least 1 move"):
        sets.padded(np.array([0]), window=0)


def test_means_and_parts_of_sets() -> None:
    sets = some_sets()
    means = sets.means()
    for side in range(6):
        rows = sets.rows[sets.starts[side] : sets.starts[side + 1]]
        mean = sets.features[rows].astype(float).mean(axis=0) if len(rows) else np.zeros(4)
        assert means[side] == pytest.approx(mean, abs=1e-12)
    latest = sets.features[sets.rows[17:20]].astype(float).mean(axis=0)
    assert sets.means(window=3)[3] == pytest.approx(latest, abs=1e-12)
    part = sets.select(np.array([2, 0]))
    assert part.lengths().tolist() == [1, 12, 5, 0]
    assert part.means() == pytest.approx(means[[4, 5, 0, 1]])
    packed = part.compact()
    assert len(packed.features) == len(np.unique(part.rows))
    assert np.array_equal(packed.features[packed.rows], part.features[part.rows])
    assert len(sets.select(np.array([True, False, True]))) == 2


def test_labels_are_normalised_and_joined() -> None:
    sets = some_sets()
    labels = np.array([[1500.0, 1600.0], [1400.0, 1700.0], [1500.0, 1500.0]])
    games = Labelled(sets, np.array([1.0, 0.0, 0.5], np.float32), labels)
    mean, deviation = games.normalisation()
    assert mean == pytest.approx(1533.3333)
    assert deviation == pytest.approx(labels.std(ddof=1))
    plain = games.normalised(mean, deviation).labels
    assert plain.mean() == pytest.approx(0.0)
    assert plain.std(ddof=1) == pytest.approx(1.0)
    both = Labelled.joined([games.select(np.array([1])), games.select(np.array([0, 2]))])
    assert both.labels.tolist() == labels[[1, 0, 2]].tolist()
    assert both.moves.lengths().tolist() == [3, 12, 5, 0, 1, 12]
    with pytest.raises(UsageError, match="deviation"):
        games.normalised(0.0, 0.0)
    with pytest.raises(UsageError, match="share"):
        Labelled.joined([games, Labelled(some_sets(4), games.score, labels)])
    with pytest.raises(InputError, match="do not go"):
        Labelled(sets, games.score[:1], labels)
