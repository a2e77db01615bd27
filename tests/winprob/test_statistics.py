from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lab.studies.winning.simulation import european_games, simulate_pool, simulate_statistics
from yardstone.errors import InputError, NoGamesError, SkippedWarning, UsageError
from yardstone.pool import Pool
from yardstone.reports.files import document_csv
from yardstone.reports.winprob import statistics_document
from yardstone.winprob.games import GameColumns, implausible_events
from yardstone.winprob.kaniuk import PUBLISHED
from yardstone.winprob.statistics import (
    WinningStatistics,
    as_published,
    read_graded_games,
    read_statistics,
    statistics_of_files,
)
from yardstone_lab.kaniuk import resampled, windows


def small_pool() -> Pool:
    # Black 2k beats 1d; Black 1d loses to 3k; equals; a jigo; a handicap game; no grade.
    columns = {
        "first_grade": np.array([-2.0, 0.0, -1.0, -2.0, -2.0, np.nan]),
        "second_grade": np.array([0.0, -3.0, -1.0, 0.0, 0.0, 0.0]),
        "handicap": np.array([0, 0, 0, 0, 2, 0]),
    }
    days = ["2001-03-01", "2006-12-31", "2007-01-01"] + ["2008-01-01"] * 3
    score, time = [1.0, 0.0, 1.0, 0.5, 1.0, 1.0], np.array(days, "datetime64[s]")
    return Pool.from_names(["a"] * 6, ["b"] * 6, score, time=time, columns=columns)


def test_wins_of_the_weaker_player_are_counted_in_a_period() -> None:
    pool = small_pool()
    result = WinningStatistics.from_pool(pool)
    assert result.games.sum() == 2
    assert result.games[-2 + 20, 1] == result.wins[-2 + 20, 1] == 1
    assert result.games[-3 + 20, 2] == result.wins[-3 + 20, 2] == 1
    for begin, end, games in (
        (None, "2006-12-31", 2), ("2006-12-31", None, 1), (None, "2006-12-30", 1),
        ("2001-03-01", "2001-03-01", 1), ("2001-03-02", "2006-12-30", 0),
    ):  # fmt: skip
        counted = WinningStatistics.from_pool(pool, begin=begin, end=end)
        assert counted.games.sum() == games, (begin, end)
    with pytest.raises(UsageError, match="no dates"):
        WinningStatistics.from_pool(replace(pool, time=None), begin="2001-01-01")
    with pytest.raises(UsageError, match="is not a date"):
        WinningStatistics.from_pool(pool, begin="soon")
    with pytest.raises(InputError, match="first_grade"):
        WinningStatistics.from_pool(Pool.from_names(["a"], ["b"], [1]))


def test_only_whole_grades_within_reach_are_counted() -> None:
    first = np.array([-20, -21, 6, 7, 0, 0, 0, 0.5, 0], float)
    second = np.array([-19, -20, 5, 6, 4, 5, 0, 1.5, 0.5], float)
    result = WinningStatistics.from_games(first, second, np.ones(9, bool))
    counted = {(int(r) - 20, int(c) + 1): result.wins[r, c] for r, c in np.argwhere(result.games)}
    assert counted == {(-20, 1): 1.0, (5, 1): 0.0, (0, 4): 1.0}
    assert result.games.shape == (27, 4)
    zeros, ones = np.zeros((2, 2)), np.ones((2, 2))
    for wins, games, message in ((ones, zeros, "more wins"), (ones, np.ones((2, 3)), "one shape")):
        with pytest.raises(InputError, match=message):
            WinningStatistics(-20, wins, games)
    with pytest.raises(UsageError, match="same grades"):
        WinningStatistics(-19, zeros, ones) + WinningStatistics(-20, zeros, ones)
    errors = result.standard_error()
    assert errors[0, 0] == pytest.approx(np.sqrt(2 / 3 * 1 / 3 / 3))  # one more of each added
    assert np.isnan(errors[1, 0])


def test_implausible_events_and_weights_of_groups() -> None:
    """Black won 25 of 25: five deviations, which is the most; a lone game is never implausible."""
    sizes = {"all": (25, 25), "more": (26, 26), "even": (30, 15), "lone": (1, 1), "none": (26, 0)}
    event, won = [], []
    for name, (games, wins) in sizes.items():
        event += [name] * games
        won += [1.0] * wins + [0.0] * (games - wins)
    number = len(event)
    columns = {"event": np.array(event), "handicap": np.zeros(number)}
    pool = Pool.from_names(["a"] * number, ["b"] * number, won, columns=columns)
    assert implausible_events(pool) == ["more", "none"]
    assert implausible_events(pool, deviations=4.99) == ["all", "more", "none"]
    assert implausible_events(replace(pool, columns={**columns, "handicap": np.ones(number)})) == []
    none = np.zeros(number)
    columns_of = GameColumns(none, none, none, none, none > 0.0, np.array(event))
    weights = dict(zip(event, columns_of.group_weights(10.0), strict=True))
    assert weights == pytest.approx({n: 1 / (1 + size / 10) for n, (size, _) in sizes.items()})


def test_games_for_a_fit_are_decided_and_between_known_grades() -> None:
    columns = {
        "first_grade": np.array([-30, -30.5, 8, 8.5, np.nan, 0, 0, 0, 0]),
        "second_grade": np.zeros(9),
        "handicap": np.array([0, 0, 0, 0, 0, 0, -1, 2, 0]),
        "komi": np.array([6.5, 0, 0, 0, 0, 0, 0, 6.5, np.nan]),
    }
    score = [1.0, 1, 0, 1, 1, 0.5, 1, 1, 0]
    games = GameColumns.from_pool(Pool.from_names(["a"] * 9, ["b"] * 9, score, columns=columns))
    assert games.first.tolist() == [-30.0, 8.0, 0.0, 0.0]
    assert games.first_won.tolist() == [True, False, True, False]
    assert games.komi.tolist() == [6.5, 0.0, 0.0, 7.0]  # none with stones, 7 where none is named
    assert games.group.tolist() == [0, 2, 7, 8]
    assert not games.rated.any()
    with pytest.raises(InputError, match="no column 'place'"):
        GameColumns.from_pool(small_pool(), group="place")


def test_extension_by_equation_1_and_weights_from_19_kyu() -> None:
    made = simulate_statistics(PUBLISHED, european_games(50_000), seed=1)
    table, ratio = made.extended(), made.ratio()
    assert np.all(table[:, 4] == 0.5)
    assert table[15, 4 + 3] == ratio[15, 2]
    assert table[15, 4 - 3] == 1.0 - ratio[12, 2]
    assert np.isnan(table[2, 4 - 3])  # nobody three grades below 18 kyu is counted
    assert np.isnan(table[-1, 5])  # nobody above 7 dan
    games = made.games.sum(axis=1)
    wanted = np.append(0.0, games[1:].cumsum() / games[1:].sum())
    np.testing.assert_allclose(made.weights(), wanted, rtol=1e-12)
    with pytest.raises(NoGamesError):
        WinningStatistics(-20, np.zeros((27, 4)), np.zeros((27, 4))).weights()


def test_moving_windows() -> None:
    pool = simulate_pool(PUBLISHED, european_games(5_000), begin="1996-01-01", seed=2)
    result = dict(windows(pool, years=5))
    assert list(result) == list(range(2000, 2011))
    assert result[2004].label == "2000 to 2004"
    everything = WinningStatistics.from_pool(pool)
    disjoint = result[2000] + result[2005] + result[2010]
    assert np.array_equal(disjoint.games, everything.games)
    assert np.array_equal(disjoint.wins, everything.wins)
    with pytest.raises(UsageError, match="at least one year"):
        next(windows(pool, years=0))
    with pytest.raises(UsageError, match="no dates"):
        next(windows(replace(pool, time=None)))
    drawn = resampled(everything, np.random.default_rng(0))
    assert drawn.games.sum() == everything.games.sum()
    assert np.all(drawn.wins <= drawn.games)


def test_the_published_layout_and_csv_both_ways(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    games = rng.integers(0, 40, (27, 4)).astype(float) * (rng.random((27, 4)) < 0.7)
    made = WinningStatistics(-20, np.floor(games * rng.random((27, 4))), games, "some years")
    published = as_published(made)
    path = tmp_path / "table"
    for text in (
        published, f"<html><pre>{published}</pre>", document_csv(statistics_document(made)),
    ):  # fmt: skip
        path.write_text(text)
        result = read_statistics(path)
        assert result.lowest == -20
        assert np.array_equal(result.games, made.games)
        assert np.array_equal(result.wins, made.wins)
    wrong = "nothing", "grade,difference,wins,games\n5k,one,2,3\n", "grade,difference\n5k,0\n"
    for text in wrong:
        path.write_text(text)
        with pytest.raises(InputError):
            read_statistics(path)
    path.write_text(  # a page with other tables
        "<h2>x</h2><pre><b>Winning Statistics - Even Games</b>\n"
        " 5k    701  1547   45.3    287   785   36.6\n"
        " 7d      0     0    0.0\n</pre><pre>Statistics of Handicap Games - strong side all\n"
        " 5k    999  1999   45.3\n</pre>"
    )
    result = read_statistics(path, path)
    assert (result.games.sum(), result.wins[15, 1]) == (2 * (1547 + 785), 2 * 287)


def test_each_game_that_does_not_count_is_told_with_its_first_reason(tmp_path: Path) -> None:
    rows = [
        "3k,2d,0,B+R", "3k,1k,0,W+R", "3k,2k,0,W+R",  # four, two and one grades apart
        "3k,1k,0,jigo", "3k,1k,2,jigo",  # drawn comes before the stones
        "3k,9p,0,B+R", ",1k,0,B+R",
        "3k,1k,2,B+R", "3k,3k,2,B+R",  # stones come before equal grades
        "3k,3k,0,B+R", "3k,5d,0,B+R", "25k,23k,0,B+R",
        "25k,15k,0,B+R",  # far apart comes before weak
    ]  # fmt: skip
    path = tmp_path / "games.csv"
    path.write_text(
        "black,white,b_rank,w_rank,handicap,result\n" + "".join(f"A,B,{row}\n" for row in rows)
    )
    with pytest.warns(SkippedWarning) as of_fit:
        assert len(read_graded_games(path)) == 9
    assert str(of_fit[0].message) == "games left out: 2 drawn, 2 without two grades from 30k to 9d"
    with pytest.warns(SkippedWarning) as of_statistics:
        assert statistics_of_files([path]).games.sum() == 3
    assert str(of_statistics[0].message) == (
        "games left out: 2 drawn, 2 without two grades from 30k to 9d, 2 with a handicap, "
        "2 more than 4 grades apart, 1 between equal grades, 1 with a grade beyond 20k to 7d"
    )
    with pytest.warns(SkippedWarning, match="5 more than 1 grade apart"):
        statistics_of_files([path], differences=1)
