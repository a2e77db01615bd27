from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tests.evaluation.games import played
from yardstone.errors import InputError, ModelError, UsageError
from yardstone.evaluation.splits import earlier_games, rating_labels
from yardstone.pool import Pool
from yardstone.ratings.elo import Elo
from yardstone.ratings.glicko import Glicko2
from yardstone.winprob.laws import win_probability
from yardstone_lab.neubauer.description import deviations_by_games, ratings_by_games
from yardstone_lab.neubauer.experiment.sets import agree_with_score, draw_sets


@given(st.integers(1, 40), st.integers(2, 5), st.integers(0, 12), st.integers(0, 999))
def test_labels_are_ratings_after_the_tenth_game_ahead(
    games: int, players: int, advance: int, seed: int
) -> None:
    """The definition of section 4.7.1, followed word by word."""
    pool = played(games, players, seed)
    system = Elo(k=30.0)
    result = rating_labels(pool, system.replay(pool), advance=advance)
    state = system.start(pool.players)
    after = []
    for game in range(games):
        state, _ = system.advance(state, pool.select(np.array([game])))
        after.append(system.ratings(state).rating.copy())
    for player in range(len(pool.players)):
        history = np.flatnonzero((pool.first == player) | (pool.second == player))
        for i, game in enumerate(history.tolist()):
            j = min(i + advance, len(history) - 1)
            first = pool.first[game] == player
            label = result.first[game] if first else result.second[game]
            ahead = result.first_ahead[game] if first else result.second_ahead[game]
            assert_allclose(label, after[history[j]][player], rtol=1e-12)
            assert ahead == j - i


def test_agreement_with_the_score() -> None:
    pool = Pool.from_names(["A"] * 5, ["B"] * 5, [1, 0, 0.5, 1, 0])
    labels = rating_labels(pool, Elo().replay(pool))
    stronger = replace(
        labels,
        first=np.array([2.0, 2.0, 2.0, 1.0, 1.0]),
        second=np.array([1.0, 1.0, 1.0, 1.0, 2.0]),
    )
    assert agree_with_score(stronger, pool.score).tolist() == [True, False, False, False, True]


def test_wrong_use_of_labels() -> None:
    pool = played(10, 3, 0)
    replay = Elo().replay(pool)
    with pytest.raises(UsageError, match="look ahead"):
        rating_labels(pool, replay, advance=-1)
    with pytest.raises(InputError, match="not of this pool"):
        rating_labels(pool.select(np.arange(5)), replay)


def test_sets_keep_their_rules_and_share_no_game() -> None:
    pool = played(4000, 150, 3)
    labels = rating_labels(pool, Glicko2().replay(pool))
    sets, again = (
        draw_sets(pool, labels, training=800, validation=300, test=300, exhibition=40, seed=5)
        for _ in range(2)
    )
    assert np.array_equal(sets.mark, again.mark)
    assert [int(sets.of(letter).sum()) for letter in "TVEX"] == [800, 300, 300, 40]
    training = sets.of("T")
    assert agree_with_score(labels, pool.score)[training].all()
    assert (labels.first_ahead[training] == 10).all()
    assert (labels.second_ahead[training] == 10).all()
    first, second = earlier_games(pool)
    assert max(first[sets.of("X")].max(), second[sets.of("X")].max()) <= 4
    marked = sets.applied_to(pool)
    assert marked.columns["set"].tolist() == sets.mark.tolist()
    mean, deviation = labels.normalisation(training)
    values = np.concatenate([labels.first[training], labels.second[training]])
    assert_allclose([mean, deviation], [values.mean(), values.std(ddof=1)])


def test_the_bound_is_better_than_the_honest_system() -> None:
    """Future Glicko-2 knows the result: on the training set it is always right."""
    from yardstone.evaluation.metrics import correct, log_likelihood

    pool = played(4000, 100, 4)
    replay = Glicko2().replay(pool)
    labels = rating_labels(pool, replay)
    sets = draw_sets(pool, labels, training=500, validation=500, test=0, exhibition=0)
    future = win_probability(labels.first - labels.second)
    training, validation = sets.of("T"), sets.of("V")
    assert correct(pool.score[training], future[training]).all()
    assert log_likelihood(pool.score[validation], future[validation]) > log_likelihood(
        pool.score[validation], replay.expected[validation]
    )


def test_sets_that_are_too_large_say_how_many_games_there_are() -> None:
    pool = played(100, 10, 0)
    labels = rating_labels(pool, Elo().replay(pool))
    with pytest.raises(UsageError, match=r"only \d+ games can be in the exhibition set, 5000"):
        draw_sets(pool, labels)
    none = np.zeros(len(pool), np.bool_)
    with pytest.raises(UsageError, match="only 0 games can be in the test set"):
        draw_sets(pool, labels, training=0, validation=0, test=1, exhibition=0, eligible=none)
    with pytest.raises(UsageError, match="no set 'Q'"):
        draw_sets(pool, labels, training=0, validation=0, test=0, exhibition=0).of("Q")


def test_deviations_fall_with_games() -> None:
    pool = played(3000, 100, 6)
    result = deviations_by_games(pool, Glicko2().replay(pool), most=30, sample=20)
    assert_allclose(result.mean[0], 350.0, rtol=1e-12)
    assert np.all(np.diff(result.mean) < 0.0)
    assert result.players[0] == 100
    assert result.sample.shape == (31, 20)
    assert not np.isnan(result.sample[:10]).any()
    with pytest.raises(ModelError, match="no deviations"):
        deviations_by_games(pool, Elo().replay(pool))


def test_distribution_of_ratings_by_games() -> None:
    pool = played(3000, 100, 7)
    replay = Glicko2().replay(pool)
    result = ratings_by_games(pool, replay, np.linspace(500, 2500, 21), most=20)
    assert_allclose(result.share.sum(axis=1), 1.0)
    assert result.players[0] == 100
    centres = 0.5 * (result.edges[1:] + result.edges[:-1])
    first = pool.first[0]
    assert replay.first_rating[0] == 1500.0
    spread = [float(np.sqrt(row @ (centres - row @ centres) ** 2)) for row in result.share[[0, -1]]]
    assert spread[0] != spread[1]
    assert first == 0
    halves = ratings_by_games(pool, replay, np.array([0.0, 1.0, 2.0]), convert=lambda r: r / 1500.0)
    assert halves.share.shape == (50, 2)
