from __future__ import annotations

import base64
import hashlib
import json
import re
from typing import Any

from tests.web.reading import PageReader
from yardstone.pool import Pool
from yardstone.ratings.bradley_terry import BradleyTerry
from yardstone.ratings.rating_list import RatingList, summarise
from yardstone.reports.document import Document, Lines, Section, Table
from yardstone.reports.page import document_fragment, document_page
from yardstone.reports.rating_list import rating_list_document


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


def test_games_are_embedded_as_data(report: RatingList) -> None:
    main, lone = details(html_list(report))
    assert lone["head"] == ["Opponent", "Rating", "Games", "W–D–L", "Score %"]
    names = [record["player"] for record in report.records()[-2:]]
    (opponent,) = lone["of"][str(names.index("Lone A"))]["rows"]
    assert (opponent[0], opponent[2:]) == ("Lone B", ["2", "1–1–0", "75.0"])
    entries = [one for part in (main, lone) for one in part["of"].values()]
    assert sum(int(row[2]) for one in entries for row in one["rows"]) == 2 * 506
    # Only the most played opponents are listed.
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
    even = Table.of_cells(["d", "value"], [["a", "1.5"], ["b", "2.5"]])
    assert digit not in document_fragment(Document("", sections=[Section("", [even])]))
