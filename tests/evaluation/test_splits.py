from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evaluation.games import played
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.evaluation import splits
from yardstone.pool import Pool


def dated(days: list[str], columns: dict[str, np.ndarray] | None = None) -> Pool:
    number = len(days)
    return Pool.from_names(
        ["A"] * number, ["B"] * number, [1] * number, time=np.array(days, "datetime64[s]"),
        columns=columns,
    )  # fmt: skip


def test_games_of_one_moment_stay_on_one_side() -> None:
    pool = dated(["2020-01-01", "2020-01-02", "2020-01-02", "2020-01-02", "2020-01-03"])
    assert splits.earlier_number(pool, share=0.6) == 1


def test_split_at_a_date_and_without_times() -> None:
    pool = dated(["2020-01-01", "2020-01-02", "2020-01-03"])
    until = np.datetime64("2020-01-02")
    assert splits.earlier_number(pool, until=until) == 1
    timeless = replace(pool, time=None)
    assert splits.earlier_number(timeless, share=0.6) == 2


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({}, "either"),
        ({"share": 0.5, "until": np.datetime64("2020-01-01")}, "either"),
        ({"share": 1.0}, "between 0 and 1"),
        ({"until": np.datetime64("2030-01-01")}, "no later game"),
        ({"until": np.datetime64("2000-01-01")}, "no earlier game"),
    ],
)
def test_wrong_splits(options: dict[str, object], match: str) -> None:
    with pytest.raises(UsageError, match=match):
        splits.earlier_number(dated(["2020-01-01", "2020-01-02"]), **options)  # type: ignore[arg-type]


def test_too_few_games_or_no_times_to_split() -> None:
    with pytest.raises(NoGamesError):
        splits.earlier_number(dated(["2020-01-01"]), share=0.5)
    timeless = replace(dated(["2020-01-01", "2020-01-02"]), time=None)
    with pytest.raises(UsageError, match="no times"):
        splits.earlier_number(timeless, until=np.datetime64("2020-01-02"))
    with pytest.raises(UsageError, match="no times"):
        splits.since(timeless, np.datetime64("2020-01-02"))
    with pytest.raises(UsageError, match="no earlier game"):
        splits.earlier_number(dated(["2020-01-01"] * 3), share=0.5)


def test_order_of_time_is_stable() -> None:
    pool = dated(["2020-01-02", "2020-01-01", "2020-01-02"], {"number": np.arange(3)})
    assert splits.in_time_order(pool).columns["number"].tolist() == [1, 0, 2]
    ordered = dated(["2020-01-01", "2020-01-02"])
    assert splits.in_time_order(ordered) is ordered


def test_times_that_are_unknown() -> None:
    with pytest.raises(InputError, match="1 of 2 games have no time"):
        splits.in_time_order(dated(["2020-01-01", "NaT"]))
    assert splits.in_time_order(dated(["NaT", "NaT"])).time is None


@given(st.integers(0, 40), st.integers(2, 6), st.integers(0, 1000))
def test_earlier_games_are_counted_as_one_would(games: int, players: int, seed: int) -> None:
    pool = played(games, players, seed)
    seen: Counter[int] = Counter()
    first, second = splits.earlier_games(pool)
    for game in range(games):
        a, b = int(pool.first[game]), int(pool.second[game])
        assert (first[game], second[game]) == (seen[a], seen[b])
        seen.update((a, b))
    newcomers = splits.newcomers(pool, 2)
    assert newcomers.tolist() == ((first <= 2) & (second <= 2)).tolist()


def test_distances_of_ratings() -> None:
    parts = splits.rating_gap_subsets(np.array([0.0, 100.0, 900.0]), np.zeros(3), [50.0, 200.0])
    assert [part.name for part in parts] == ["gap 0-50", "gap 50-200", "gap 200+"]
    assert [part.games.tolist() for part in parts] == np.eye(3, dtype=bool).tolist()
