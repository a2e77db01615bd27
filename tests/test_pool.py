"""The table of games."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from yardstone.errors import InputError
from yardstone.pool import MAX_SKIPPED_DETAILS, Pool, Skipped, SkipReport
from yardstone.records.options import skipped_line

GAMES = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 5), st.sampled_from([0.0, 0.5, 1.0])), max_size=50
)


@given(GAMES)
def test_pair_counts_add_up_the_games(games: list[tuple[int, int, float]]) -> None:
    columns = zip(*games, strict=True) if games else ((), (), ())
    first, second, score = (np.array(column) for column in columns)
    pool = Pool(tuple("abcdef"), first, second, score)
    counts = pool.pair_counts()
    expected: dict[tuple[int, int], list[int]] = {}
    for i, j, s in games:
        expected.setdefault((i, j), [0, 0, 0])[int(2 - 2 * s)] += 1
    table = [counts.first, counts.second, counts.wins, counts.draws, counts.losses]
    got = [tuple(row) for row in np.array(table).T.tolist()]
    assert got == [(*pair, *numbers) for pair, numbers in sorted(expected.items())]
    assert counts.player_totals().sum() == pool.played().sum() == 2 * len(games)


def test_a_pool_is_frozen_and_a_part_keeps_players_and_columns() -> None:
    pool = Pool.from_names("ABC", "BCA", [1, 0.5, 0], columns={"komi": [6.5, 7.5, 0.5]})
    with pytest.raises(ValueError, match="read-only"):
        pool.score[0] = 0
    assert repr(pool) == "<Pool: 3 games of 3 players>"
    part = pool.select(pool.score > 0)
    assert part.players == pool.players
    assert part.columns["komi"].tolist() == [6.5, 7.5]


@pytest.mark.parametrize(
    ("first", "second", "score", "says"),
    [
        ([0, 1], [1, 2], [1, 0], "outside 0 to 1"),
        ([0], [1], [0.7], "1, 0.5 or 0"),
        ([0, 1], [1], [1, 0], "shape"),
        ([-1], [1], [1], "outside"),
    ],
)
def test_nonsense_is_refused(
    first: list[int], second: list[int], score: list[float], says: str
) -> None:
    with pytest.raises(InputError, match=says):
        Pool(("A", "B"), np.array(first), np.array(second), np.array(score))


def test_skip_report_counts_all_and_keeps_the_first() -> None:
    report = SkipReport(Skipped("f.pgn", line, "odd") for line in range(1, 2001))
    report.merge(SkipReport([Skipped("g.pgn", 0, "empty")]))
    assert len(report) == 2001
    assert report.reasons == {"odd": 2000, "empty": 1}
    assert len(report.details) == MAX_SKIPPED_DETAILS
    assert str(report.details[0]) == "f.pgn:1: odd"
    assert str(Skipped("g.pgn", 0, "empty")) == "g.pgn: empty"
    many = SkipReport(Skipped("g.pgn", line, f"odd {line}") for line in range(10))
    assert skipped_line(report) == "2,001 records were skipped: 2,000 odd, 1 empty"
    assert skipped_line(many).endswith(", 1 odd 7 and 2 other reasons")
