"""Which games are learned from and which are scored: by counting as one would by hand."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tests.evaluation.games import InPieces, played
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.evaluation import splits
from yardstone.evaluation.splits import Labels, earlier_games, rating_labels
from yardstone.pool import Pool, stored_games
from yardstone.ratings.elo import Elo
from yardstone.ratings.glicko import Glicko2
from yardstone_lab.neubauer.experiment.sets import agree_with_score, draw_sets


def dated(*days: str | int, columns: dict[str, np.ndarray] | None = None) -> Pool:
    """Games of A against B on days of January 2020, or on days in words."""
    words = [f"2020-01-{day:02d}" if isinstance(day, int) else day for day in days]
    number = len(words)
    time = np.array(words, "datetime64[s]")
    return Pool.from_names("A" * number, "B" * number, [1] * number, time=time, columns=columns)


@given(st.lists(st.integers(1, 9), min_size=2, max_size=12).map(sorted), st.floats(0.01, 0.99))
def test_a_share_of_the_games_and_a_date(days: list[int], share: float) -> None:
    """Games of the moment of the cut are later ones; each side has a game, or it is said."""
    pool, number = dated(*days), len(days)
    place = min(max(round(share * number), 1), number - 1)
    timeless = replace(pool, time=None)
    assert splits.earlier_number(timeless, share=share) == place
    moment = days[place]
    for options in ({"share": share}, {"until": np.datetime64(f"2020-01-{moment:02d}")}):
        before = sum(day < moment for day in days)
        if before:
            assert splits.earlier_number(pool, **options) == before
            assert len(splits.first_games(pool, before)) == before
        else:
            with pytest.raises(UsageError, match="no earlier game"):
                splits.earlier_number(pool, **options)


def test_wrong_splits() -> None:
    day, two = np.datetime64("2020-01-02"), dated(1, 2)
    timeless = replace(two, time=None)
    for pool, options, error, match in [
        (two, {}, UsageError, "either"),
        (two, {"share": 0.5, "until": day}, UsageError, "either"),
        (two, {"share": 1.0}, UsageError, "between 0 and 1"),
        (two, {"share": 0.0}, UsageError, "between 0 and 1"),
        (two, {"until": day + 1}, UsageError, "no later game: nothing can be scored"),
        (two, {"until": day - 1}, UsageError, "no earlier game: nothing can be learned"),
        (timeless, {"until": day}, UsageError, "no times"),
        (dated("NaT", "NaT"), {"until": day}, UsageError, "no times"),
        (dated(1), {"share": 0.5}, NoGamesError, "at least two"),
    ]:
        with pytest.raises(error, match=match):
            splits.earlier_number(pool, **options)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="no times"):
        splits.since(timeless, day)


def test_order_of_time_is_stable_and_complete() -> None:
    pool = dated(2, 1, 2, columns={"number": np.arange(3)})
    assert splits.in_time_order(pool).columns["number"].tolist() == [1, 0, 2]
    ordered = dated(1, 2)
    assert splits.in_time_order(ordered) is ordered
    with pytest.raises(InputError, match="1 of 2 games have no time"):
        splits.in_time_order(dated(1, "NaT"))
    assert splits.in_time_order(dated("NaT", "NaT")).time is None


@pytest.mark.parametrize("stored", [False, True])
def test_games_that_cannot_be_judged_are_left_out_and_said(stored: bool) -> None:
    time = np.array(["2020-01-03", "NaT", "2020-01-01", "2020-01-02"], "datetime64[s]")
    pool = Pool.from_names("ABAC", "BCCC", [1, 0, 0.5, 1], time=time)

    def judged(pool: Pool) -> tuple[Pool, list[str]]:
        return splits.judged_games(stored_games(InPieces(pool, 3)) if stored else pool)

    games, notes = judged(pool)
    assert games.score[:].tolist() == [0.5, 1.0]
    assert notes == [
        "1 game of a player against himself was left out.",
        "1 game without a date was left out.",
    ]
    undated = replace(pool, time=np.full(4, np.datetime64("NaT", "s")))
    games, notes = judged(undated)
    assert games.score[:].tolist() == [1.0, 0.0, 0.5]
    assert notes[1] == "No game has a date: the games are taken in the order in which they stand."
    assert judged(replace(pool, time=None))[1] == notes[:1]
    twice = Pool.from_names("AABB", "AABA", [1, 1, 1, 0], time=dated(1, 2, 3, 4).time)
    assert judged(twice)[1] == ["3 games of a player against himself were left out."]


def test_systems_that_need_even_games_leave_handicap_out_by_name() -> None:
    stones = {"handicap": np.array([0, 3, 0])}
    pool = Pool.from_names("ABA", "BCC", [1, 0, 1], columns=stones)
    assert len(splits.judged_games(pool)[0]) == 3
    for even, whom in ((["elo"], "elo cannot"), (["elo", "ogs", "x"], "elo and 2 other systems")):
        games, notes = splits.judged_games(pool, even)
        assert games.score.tolist() == [1.0, 1.0]
        assert notes[-1].startswith(f"1 game with a handicap was left out: {whom}")


@given(st.integers(0, 40), st.integers(2, 6), st.integers(0, 1000), st.integers(0, 3))
def test_earlier_games_are_counted_as_one_would(
    games: int, players: int, seed: int, most: int
) -> None:
    pool = played(games, players, seed)
    seen: Counter[int] = Counter()
    first, second = splits.earlier_games(pool)
    for game in range(games):
        a, b = int(pool.first[game]), int(pool.second[game])
        assert (first[game], second[game]) == (seen[a], seen[b])
        seen.update((a, b))
    newcomers = splits.newcomers(pool, most)
    assert newcomers.tolist() == ((first <= most) & (second <= most)).tolist()


def test_usual_parts_of_the_games() -> None:
    pool = played(60, 5, 1)
    assert pool.time is not None
    moment = pool.time[20]
    parts = splits.usual_subsets(pool, since_dates=[moment], group_by="event")
    first, second = splits.earlier_games(pool)
    assert parts[0].name == "newcomers"
    assert parts[0].games.tolist() == ((first <= 4) & (second <= 4)).tolist()  # the thesis' 4
    assert parts[0].number == int(parts[0].games.sum())
    assert parts[1].games.tolist() == (pool.time >= moment).tolist()
    assert [part.name for part in parts[2:]] == sorted(f"event event {k}" for k in range(12))
    assert [part.number for part in parts[2:]] == [5] * 12
    assert len(splits.usual_subsets(pool)) == 1
    with pytest.raises(InputError, match="no column 'place'"):
        splits.usual_subsets(pool, group_by="place")
    many = replace(pool, columns={"round": np.arange(60) % 50, "place": np.arange(60) % 51})
    stored = stored_games(InPieces(many, 20))
    assert len(splits.usual_subsets(stored, group_by="round")) == 51
    with pytest.raises(InputError, match="more than 50 values"):
        splits.usual_subsets(stored, group_by="place")


def test_distances_of_ratings() -> None:
    parts = splits.rating_gap_subsets(
        np.array([0.0, 50.0, -199.0, 900.0]), np.array([49.0, 0.0, 0.0, 700.0]), [50.0, 200.0]
    )
    assert [part.name for part in parts] == ["gap 0-50", "gap 50-200", "gap 200+"]
    assert [np.flatnonzero(part.games).tolist() for part in parts] == [[0], [1, 2], [3]]


# ------------------------------------------------------------------- labels


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


def test_labels_look_ten_games_ahead_and_are_normalised_by_those_chosen() -> None:
    pool = played(200, 3, 0)
    labels = rating_labels(pool, Elo().replay(pool))
    assert (labels.advance, labels.first_ahead.max()) == (10, 10)
    some = np.arange(200) % 3 == 0
    values = np.concatenate([labels.first[some], labels.second[some]])
    assert_allclose(labels.normalisation(some), [values.mean(), values.std(ddof=1)])
    assert labels.normalisation(np.arange(200) == 0)[1] > 0.0
    with pytest.raises(UsageError, match="two labels"):
        labels.normalisation(np.zeros(200, np.bool_))
    with pytest.raises(UsageError, match="look ahead"):
        rating_labels(pool, Elo().replay(pool), advance=-1)
    with pytest.raises(InputError, match="not of this pool"):
        rating_labels(pool.select(np.arange(5)), Elo().replay(pool))


def test_sets_of_the_experiment_keep_their_rules_and_share_no_game() -> None:
    pool = played(4000, 150, 3)
    replay = Glicko2().replay(pool)
    labels = rating_labels(pool, replay)
    numbers: dict[str, Any] = {"training": 800, "validation": 300, "test": 300, "exhibition": 40}
    sets, again = (draw_sets(pool, labels, **numbers, seed=5) for _ in range(2))
    assert np.array_equal(sets.mark, again.mark)
    assert [int(sets.of(letter).sum()) for letter in "TVEX"] == [800, 300, 300, 40]
    training = sets.of("T")
    assert (
        np.sign(labels.first - labels.second)[training].tolist()
        == (2.0 * pool.score[training] - 1.0).tolist()
    )
    assert (labels.first_ahead[training] == 10).all()
    assert (labels.second_ahead[training] == 10).all()
    first, second = earlier_games(pool)
    assert max(first[sets.of("X")].max(), second[sets.of("X")].max()) <= 4
    assert sets.applied_to(pool).columns["set"].tolist() == sets.mark.tolist()
    nothing: dict[str, Any] = {"training": 0, "validation": 0, "exhibition": 0, "test": 0}
    for options, message in (
        ({}, r"only \d+ games can be in the exhibition set, 5000"),
        ({**nothing, "test": 1, "eligible": training & False}, "only 0 games can be in the test"),
    ):
        with pytest.raises(UsageError, match=message):
            draw_sets(pool, labels, **options)
    with pytest.raises(UsageError, match="no set 'Q'"):
        sets.of("Q")


def test_agreement_of_labels_with_the_score() -> None:
    one, other = np.array([2.0, 2.0, 2.0, 1.0, 1.0]), np.array([1.0, 1.0, 1.0, 1.0, 2.0])
    labels = Labels(one, other, np.zeros(5, np.int64), np.zeros(5, np.int64), 0)
    agrees = agree_with_score(labels, np.array([1, 0, 0.5, 1, 0]))
    assert agrees.tolist() == [True, False, False, False, True]
