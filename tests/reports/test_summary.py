from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from yardstone.pool import Pool
from yardstone.ratings.bradley_terry import BradleyTerry
from yardstone.ratings.rating_list import RatingList, summarise
from yardstone.ratings.result import JointRatings, Status
from yardstone.reports import rating_list as statements
from yardstone.reports import words


def test_groups_come_largest_first_and_players_strongest_first(report: RatingList) -> None:
    large, small = report.groups
    assert (large.number, small.number) == (1, 2)
    assert len(large.rows) == 16
    rating = report.ratings.rating[list(large.rows[: large.ranked])]
    assert (np.diff(rating) <= 0).all()
    bound = report.ratings.status != Status.NORMAL
    assert large.ranked == 16 - int(bound[list(large.rows)].sum()) < 16
    assert bound[list(large.rows[large.ranked :])].all()
    assert report.rank[list(large.rows[: large.ranked])].tolist() == list(
        range(1, large.ranked + 1)
    )
    assert not report.rank[bound].any()
    assert {report.ratings.players[row] for row in small.rows} == {"Lone A", "Lone B"}
    assert large.games == 504
    assert small.games == 2
    assert small.joined == "no game links it to another group"
    assert report.rank[list(small.rows)].tolist() == [1, 2]


def test_fewer_games_than_asked_for_are_not_listed(pool: Pool, ratings: JointRatings) -> None:
    report = summarise(ratings, pool, minimum_games=10)
    assert len(report.rows) == 12
    assert report.unlisted == 6
    assert any("6 players with fewer games" in line for line in statements.caveats(report))
    assert report.rank[report.rows].tolist() == list(range(1, 13))


def test_without_a_covariance_there_are_no_ranges(pool: Pool, ratings: JointRatings) -> None:
    report = summarise(replace(ratings, covariance=None), pool)
    assert not report.rank_high.any()
    assert report.suggestions == ()
    assert not any("Range" in line for line in statements.basis(report))


def test_statements_tell_every_trap(report: RatingList) -> None:
    text = "\n".join(statements.caveats(report))
    assert "2 groups" in text
    assert "Group 2 (Lone A and Lone B): no game links it" in text
    assert "won every game" in text
    assert "Hopeless lost every game" in text
    assert "Met only one opponent" in text
    assert '"Engine 00" and "engine 00" differ only in capitals' in text
    assert "fewer than 10 games" in text
    options = "\n".join(statements.remedies(report))
    assert "--join" in options
    assert "--synonyms" in options


def test_groups_joined_by_wins_only_say_so() -> None:
    pool = Pool.from_names(
        ["A", "B", "C", "D", "A", "C", "A"],
        ["B", "A", "D", "C", "C", "D", "B"],
        [1, 1, 1, 1, 1, 0.5, 0.5],
    )
    report = summarise(BradleyTerry().fit(pool), pool)
    assert report.groups[0].joined == ""
    assert report.groups[1].joined in {
        "it only lost against other groups",
        "it only won against other groups",
    }


def test_an_anchor_against_the_results_is_told() -> None:
    pool = Pool.from_names(["A"] * 50 + ["B"] * 50, ["B"] * 50 + ["A"] * 50, [1, 0.5] * 50)
    anchors = {"A": 2000.0, "B": 2400.0}
    ratings = BradleyTerry(anchors=anchors).fit(pool)
    report = summarise(ratings, pool, anchors=anchors)
    caveats = [line for line in statements.caveats(report) if "does not fit the games" in line]
    assert len(caveats) == 2
    assert report.relative_to == "the anchors"


def test_a_gauntlet_is_told() -> None:
    first = ["Centre"] * 30
    second = [f"P{number % 5}" for number in range(30)]
    pool = Pool.from_names(first, second, [1, 0.5, 0] * 10)
    report = summarise(BradleyTerry().fit(pool), pool)
    assert any(
        line.startswith("Centre alone links 4 players") for line in statements.caveats(report)
    )


@pytest.mark.parametrize(
    ("names", "total", "text"),
    [
        (["a"], 1, "a"),
        (["a", "b"], 2, "a and b"),
        (["a", "b", "c"], 3, "a, b and c"),
        (list("abcdef"), 6, "a, b, c, d and 2 more"),
        (["a", "b"], 1002, "a, b and 1,000 more"),
    ],
)
def test_names_in_a_sentence(names: list[str], total: int, text: str) -> None:
    assert words.join_names(names, total) == text


def test_skipped_records_are_counted_and_placed(report: RatingList) -> None:
    lines = statements.skipped(report)
    assert lines[0] == "Skipped: 8 records"
    assert lines[1] == "  8 × no White tag"
    assert lines[3] == "  games.pgn:10: no <b>1</b>"
    assert lines[-1] == "  … and 3 others"
