"""The rating list: its groups and ranks, what is said of it, and its tables for people."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import numpy as np
from rich.cells import cell_len
from rich.console import Console

from yardstone.pool import Pool
from yardstone.ratings.bradley_terry import BradleyTerry
from yardstone.ratings.rating_list import RatingList, summarise
from yardstone.ratings.result import JointRatings, Status
from yardstone.reports import rating_list as statements
from yardstone.reports import words
from yardstone.reports.document import Table
from yardstone.reports.rating_list import BOUNDS, list_document, plain_list, rating_list_document
from yardstone.reports.text import document_text, print_document


def text_list(report: RatingList, *, top: int | None = None) -> str:
    return document_text(rating_list_document(report, top=top))


def shown(report: RatingList, width: int, top: int | None = 40) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width, highlight=False)
    print_document(rating_list_document(report), console, limit=top)
    return out.getvalue()


def rated(first: str | list[str], second: str | list[str], score: list[float]) -> RatingList:
    pool = Pool.from_names(first, second, score)
    return summarise(BradleyTerry(average=0).fit(pool), pool)


def test_groups_come_largest_first_and_players_strongest_first(report: RatingList) -> None:
    large, small = report.groups
    assert (large.number, small.number, large.games, small.games) == (1, 2, 504, 2)
    ranked, bounds = list(large.rows[: large.ranked]), list(large.rows[large.ranked :])
    assert (np.diff(report.ratings.rating[ranked]) <= 0).all()
    bound = report.ratings.status != Status.NORMAL
    assert (len(large.rows), bound[bounds].all(), bound[ranked].any()) == (16, True, False)
    assert report.rank[ranked].tolist() == list(range(1, large.ranked + 1))
    assert not report.rank[bound].any()
    assert {report.ratings.players[row] for row in small.rows} == {"Lone A", "Lone B"}
    assert small.joined == "no game links it to another group"
    assert report.rank[list(small.rows)].tolist() == [1, 2]
    known = report.rank_high > 0
    assert known.tolist() == (~bound).tolist()
    assert (report.rank_low[known] <= report.rank[known]).all()
    assert (report.rank[known] <= report.rank_high[known]).all()
    kinds = {record["player"]: record["status"] for record in report.records()}
    assert (kinds["Hopeless"], kinds["Engine 00"]) == ("at most", "rated")
    for number, names in ((2, "a and b"), (3, "a, b and c"), (1002, "a, b and 1,000 more")):
        assert words.join_names(["a", "b", "c"][: 3 if number == 3 else 2], number) == names
    assert words.join_names(list("abcdef"), 6) == "a, b, c, d and 2 more"


def test_options_of_a_list(pool: Pool, ratings: JointRatings) -> None:
    report = summarise(ratings, pool, minimum_games=10)
    assert (len(report.rows), report.unlisted) == (12, 6)
    assert any("6 players with fewer games" in line for line in statements.caveats(report))
    assert report.rank[report.rows].tolist() == list(range(1, 13))
    report = summarise(replace(ratings, covariance=None), pool)
    assert not report.rank_high.any()
    assert report.suggestions == ()
    assert not any("Range" in line for line in statements.basis(report))
    report = summarise(ratings, pool, simulations=100)
    assert any("100 simulated replays" in line for line in statements.basis(report))


def test_statements_tell_every_trap(report: RatingList) -> None:
    text = "\n".join(statements.caveats(report))
    for said in (
        "2 groups", "Group 2 (Lone A and Lone B): no game links it", "won every game",
        "Hopeless lost every game", "Met only one opponent", "fewer than 10 games",
        '"Engine 00" and "engine 00" differ only in capitals',
    ):  # fmt: skip
        assert said in text
    options = "\n".join(statements.remedies(report))
    assert ("--join" in options, "--synonyms" in options) == (True, True)
    lines = statements.advice(report)
    assert lines[0].startswith("To join groups: ")
    assert any("ten games would reduce" in line for line in lines)
    lines = statements.skipped(report)
    assert lines[:2] == ["Skipped: 8 records", "  8 × no White tag"]
    assert (lines[3], lines[-1]) == ("  games.pgn:10: no <b>1</b>", "  … and 3 others")


def test_groups_joined_by_wins_only_gauntlets_and_anchors_are_told() -> None:
    # A and B won against C and D, who won against E and F.
    joined = {group.joined for group in rated("ABCDEFAC", "BADCFECE", [1] * 8).groups}
    assert "against each other group it has only won or only lost" in joined
    names = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"  # 13 pairs
    caveats = statements.caveats(rated(names, [names[k ^ 1] for k in range(26)], [0.5] * 26))
    assert any(line.endswith("other groups: the same.") for line in caveats)
    first, second = rated("ABCDACA", "BADCCDB", [1, 1, 1, 1, 1, 0.5, 0.5]).groups
    assert first.joined == ""
    assert re.fullmatch("it only (lost|won) against other groups", second.joined)
    report = rated(["Centre"] * 30, [f"P{k % 5}" for k in range(30)], [1, 0.5, 0] * 10)
    caveats = statements.caveats(report)
    assert any(line.startswith("Centre alone links 4 players") for line in caveats)
    pool = Pool.from_names(["A"] * 50 + ["B"] * 50, ["B"] * 50 + ["A"] * 50, [1, 0.5] * 50)
    anchors = {"A": 2000.0, "B": 2400.0}
    report = summarise(BradleyTerry(anchors=anchors).fit(pool), pool, anchors=anchors)
    assert sum("does not fit the games" in line for line in statements.caveats(report)) == 2
    assert report.relative_to == "the anchors"
    one = {"A": 2000.0}
    report = summarise(BradleyTerry(anchors=one).fit(pool), pool, anchors=one, anchor="A")
    assert report.relative_to == "the anchor, A"


def test_text_is_plain_and_aligned_and_bounds_stand_below(report: RatingList) -> None:
    small = text_list(rated("ABCABC", "BCACAB", [1, 0.5, 0.5, 0.5, 0, 0.5]))
    assert small.splitlines()[:6] == [
        "6 games of 3 players",
        "",
        "Rank  Player  Rating      ±  Range  Games  Score %  Draws %",
        "   1  A        132.5  190.4    1–3      4     75.0     50.0",
        "   2  C          0.0  173.6    1–3      4     50.0    100.0",
        "   3  B       -132.5  190.4    1–3      4     25.0     50.0",
    ]
    text = text_list(report)
    assert "\x1b" not in text
    assert not any(line != line.rstrip() for line in text.splitlines())
    table = text.split("\n\n")[1].splitlines()[1:]
    apart = table.index(BOUNDS)
    assert len({cell_len(line) for line in table if line != BOUNDS}) == 1
    assert len(table) == 18
    assert [line.split()[0] for line in table[1:apart]] == [str(n) for n in range(1, apart)]
    assert all(re.search(r"^ *–.* [<>]\d", line) for line in table[apart + 1 :])
    assert "… and 13 more players (--top 0 shows all)" in text_list(report, top=3)


def test_the_table_fits_the_terminal(report: RatingList, large: RatingList) -> None:
    for width in (40, 60, 120):
        text = shown(report, width)
        assert max(cell_len(line) for line in text.splitlines()) <= width
        assert ("Rating" in text, "Draws %" in text) == (True, width > 40)
    text = shown(large, 100)
    assert len(text.splitlines()) < 70
    assert "… and 25 more players (--top 0 shows all)" in text
    assert len(shown(large, 100, top=None).splitlines()) > 60
    name = "[bold]x[/bold]"
    assert name in shown(rated([name, "B"], ["B", name], [1, 0.5]), 100)
    # Ranges are shown though the first group has none.
    plain = plain_list(report)
    records = list(plain["ratings"])
    plain["ratings"] = [{**records[0], "rank": None, "rank_high": None}, *records]
    first = {"number": 9, "players": 1, "ranked": 0, "games": 1}
    plain["components"] = [first, *plain["components"]]
    (table,) = list_document(plain).sections[0].blocks
    assert isinstance(table, Table)
    assert "Range" in [column.heading for column in table.shown]
