"""The rating list as text, page, CSV, JSON and Parquet, and what is said of it."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import re
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from rich.cells import cell_len
from rich.console import Console

from tests.web.reading import PageReader
from yardstone.pool import Pool
from yardstone.ratings.bradley_terry import BradleyTerry
from yardstone.ratings.rating_list import RatingList, summarise
from yardstone.ratings.result import JointRatings, Status
from yardstone.reports import rating_list as statements
from yardstone.reports import words
from yardstone.reports.document import Column, Document, Lines, Section, Table
from yardstone.reports.files import (
    csv_pieces,
    document_csv,
    document_json,
    json_pieces,
    write_parquet,
)
from yardstone.reports.page import document_fragment, document_page
from yardstone.reports.rating_list import (
    BOUNDS,
    FILE_COLUMNS,
    difference_table,
    list_document,
    plain_list,
    rating_list_document,
)
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
    options, advice = "\n".join(statements.remedies(report)), statements.advice(report)
    assert ("--join" in options, "--synonyms" in options) == (True, True)
    assert advice[0].startswith("To join groups: ")
    assert any("ten games would reduce" in line for line in advice)
    *lines, last = statements.skipped(report)
    assert lines[:2] == ["Skipped: 8 records", "  8 × no White tag"]
    assert (lines[3], last) == ("  games.pgn:10: no <b>1</b>", "  … and 3 others")


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
    plain = plain_list(report)  # ranges are shown though the first group has none
    plain["ratings"] = [
        {**next(iter(plain["ratings"])), "rank": None, "rank_high": None},
        *plain["ratings"],
    ]
    first = {"number": 9, "players": 1, "ranked": 0, "games": 1}
    plain["components"] = [first, *plain["components"]]
    (table,) = list_document(plain).sections[0].blocks
    assert isinstance(table, Table)
    assert "Range" in [column.heading for column in table.shown]


def html_list(report: RatingList, title: str = "Ratings") -> str:
    return document_page(rating_list_document(report, title=title))


def details(text: str) -> list[dict[str, Any]]:
    return [json.loads(data) for data in re.findall(r'class="details">(.*?)</script>', text, re.S)]


def test_the_page_is_well_formed_and_its_policy_names_its_style_and_script(
    report: RatingList,
) -> None:
    text = html_list(report, title="A <b>title</b>")
    reader = PageReader()
    reader.feed(text)
    page = reader.root
    assert reader.open == [page]
    assert page.one("title").text == "A <b>title</b>"
    assert sum("data-row" in row.attributes for row in page.all("tr")) == 18
    names = ("table", "svg", "link", "img", "iframe", "base", "form")
    assert [len(page.all(name)) for name in names] == [2, 18, 0, 0, 0, 0, 0]
    # The bar of a perfect score ends at its limit.
    record = next(each for each in report.records() if each["player"] == "Hopeless")
    labels = re.findall(r'aria-label="(at most[^"]*)"', text)
    assert labels == [f"at most {record['high']:.0f}"]
    # Nothing comes from elsewhere, and what comes from strangers is escaped.
    assert not re.search(r"https?://|@import|url\(|<[^>]*\s(src|href)=", text)
    assert "<script>document" not in text
    assert text.count("<script") == 3  # its own, and the details of two groups
    assert "<b>1</b>" not in text  # from a skipped record
    wanted = {"http-equiv": "Content-Security-Policy"}
    policy = page.one("meta", **wanted).attributes["content"]
    assert "unsafe" not in policy
    for pattern in (r"<style>(.*?)</style>", r"<script>(.*?)</script>"):
        (result,) = re.findall(pattern, text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(result.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy


def test_games_are_embedded_as_data_of_the_most_played_opponents(report: RatingList) -> None:
    parts = details(html_list(report))
    entries = [one for part in parts for one in part["of"].values()]
    assert sum(int(row[2]) for one in entries for row in one["rows"]) == 2 * 506
    (lone,) = [row for one in entries for row in one["rows"] if row[0] == "Lone B"]
    assert lone[2:] == ["2", "1–1–0", "75.0"]
    pool = Pool.from_names(["Centre"] * 130, [f"P{k % 65}" for k in range(130)], [1, 0] * 65)
    (data,) = details(html_list(summarise(BradleyTerry().fit(pool), pool)))
    entry = next(one for one in data["of"].values() if len(one["rows"]) > 1)
    assert (len(entry["rows"]), entry["more"]) == (50, "… and 15 more opponents with fewer games")


def test_numbers_stand_with_their_points_below_each_other() -> None:
    table = Table.of_cells(["d", "value"], [["a", "0.0337"], ["b", "12"], ["c", "3.5"], ["d", "–"]])
    lines = Lines(["Take `rate <x>` then `."])
    page = document_fragment(Document("", sections=[Section("", [table, lines])]))
    digit, point = "\u2007", "\u2008"
    for text in (">0.0337<", f">12{point}{4 * digit}<", f">3.5{3 * digit}<", ">–<"):
        assert text in page
    assert "<p>Take <code>rate &lt;x&gt;</code> then `.</p>" in page


class Many(list[Any]):
    """Records that are made when they are looked at."""

    def __init__(self, number: int) -> None:
        super().__init__([None] * number)

    def __iter__(self) -> Iterator[Any]:
        return ({"player": f"player {place}", "rating": 0.5} for place in range(len(self)))


def test_json_is_written_piece_by_piece_in_little_memory(report: RatingList) -> None:
    def as_json(value: Any) -> str:
        return json.dumps(value, ensure_ascii=False, indent=2) + "\n"

    plain = plain_list(report)
    whole = as_json({**plain, "ratings": list(plain["ratings"])})
    assert document_json(rating_list_document(report)) == whole
    for number in (0, 2):
        lazy = Document("", plain=partial(dict, a=[], ratings=Many(number), b={"c": [1]}))
        wanted = {"a": [], "ratings": [*Many(number)], "b": {"c": [1]}}
        assert document_json(lazy) == as_json(wanted)
    table = Table([Column("a", lambda row: row), Column("b", lambda row: float("nan"))], [1, 2])
    rows = [{"a": 1, "b": None}, {"a": 2, "b": None}]
    assert document_json(Document("", records=table)) == as_json(rows)
    assert document_json(Document("", records=replace(table, rows=[]))) == as_json([])
    document = Document("", plain=lambda: {"ratings": Many(4_000)})
    tracemalloc.start()
    size = sum(map(len, json_pieces(document)))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 240_000 < size > peak


def test_csv_and_parquet_hold_all_in_full_precision(report: RatingList, tmp_path: Path) -> None:
    document = rating_list_document(report)
    rows = list(csv.DictReader(io.StringIO(document_csv(document))))
    assert list(rows[0]) == list(FILE_COLUMNS)
    assert len(rows) == 18
    assert float(rows[0]["rating"]) == report.ratings.rating[report.rows[0]]
    unknown = next(row for row in rows if row["status"] == "at most")
    assert (unknown["deviation"], unknown["rank_low"]) == ("", "")
    name = 'a "b", c\'s\n<d>'
    columns = [Column("player"), Column("score", kind="number")]
    odd = Document("", records=Table(columns, [{"player": name, "score": None}]))
    path = tmp_path / "it's a list.parquet"
    with duckdb.connect() as connection:
        write_parquet(document, path)
        relation = connection.read_parquet(str(path))
        kinds = dict(zip(relation.columns, map(str, relation.types), strict=True))
        assert list(kinds) == list(FILE_COLUMNS)
        assert (kinds["player"], kinds["rating"], kinds["games"]) == ("VARCHAR", "DOUBLE", "BIGINT")
        plain = [tuple(record[each] for each in FILE_COLUMNS) for record in report.records()]
        assert relation.fetchall() == plain
        write_parquet(odd, path)
        assert connection.read_parquet(str(path)).fetchall() == [(name, None)]


def test_json_keeps_its_shape(report: RatingList) -> None:
    result = json.loads(document_json(rating_list_document(report)))
    names = "games players confidence relative_to scale points_per_logit simulations skipped "
    names += "first_advantage draw_rate effects components ratings caveats headline basis advice "
    assert set(result) == {*names.split(), "suggestions", "joining"}
    assert result["players"] == len(result["ratings"]) == 18
    assert set(result["ratings"][0]) == set(FILE_COLUMNS)
    assert result["components"][1] == {"number": 2, "players": 2, "ranked": 2, "games": 2}
    assert (result["skipped"]["total"], result["skipped"]["first"][1]["line"]) == (8, 10)
    assert all(each == each for record in result["ratings"] for each in record.values())  # no NaN
    rows = list(csv.DictReader(io.StringIO("".join(csv_pieces(difference_table(report))))))
    assert len(rows) == 14 * 13 // 2 + 1  # each pair of a group once, without perfect scorers
    for row in rows:
        assert 0.5 <= float(row["superiority"]) <= 1
        assert float(row["low"]) < float(row["difference"]) < float(row["high"])
    assert {row["other"] for row in rows if row["player"] == "Lone A"} == {"Lone B"}
