from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

from yardstone.pool import Pool
from yardstone.ratings.bradley_terry import BradleyTerry
from yardstone.ratings.rating_list import RatingList, summarise
from yardstone.reports import page
from yardstone.reports.page import html_list


class _Reader(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_the_page_is_well_formed_and_has_every_player(report: RatingList) -> None:
    read = _Reader(html_list(report, title="A <b>title</b>", version="1"))
    assert read.open == []
    rows = [element for element in read.elements if element[1].get("class") == "player"]
    assert len(rows) == 18
    assert "A <b>title</b>" in read.text
    assert sum(tag == "table" for tag, _ in read.elements) == 2
    assert sum(tag == "svg" for tag, _ in read.elements) == 18


def test_the_bar_of_a_perfect_score_ends_at_its_limit(report: RatingList) -> None:
    record = next(each for each in report.records() if each["player"] == "Hopeless")
    assert record["high"] > record["rating"] + 50.0
    labels = re.findall(r'aria-label="(at most[^"]*)"', html_list(report))
    assert labels == [f"at most {record['high']:.0f}"]


def test_nothing_comes_from_elsewhere(report: RatingList) -> None:
    text = html_list(report)
    assert not re.search(r"https?://|@import|url\(", text)
    read = _Reader(text)
    assert not any({"src", "href"} & attributes.keys() for _, attributes in read.elements)
    assert {tag for tag, _ in read.elements}.isdisjoint({"link", "img", "iframe", "base", "form"})


def test_the_policy_names_exactly_the_style_and_the_script(report: RatingList) -> None:
    text = html_list(report)
    policy = next(
        attributes["content"]
        for tag, attributes in _Reader(text).elements
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy is not None
    assert "unsafe" not in policy
    for pattern in (r"<style>(.*?)</style>", r"<script>(.*?)</script>"):
        (found,) = re.findall(pattern, text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(found.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy


def test_names_are_escaped_everywhere(report: RatingList) -> None:
    text = html_list(report)
    assert "<script>document" not in text
    assert text.count("<script") == 2
    assert "<b>1</b>" not in text  # from a skipped record


def test_games_are_embedded_as_data(report: RatingList) -> None:
    text = html_list(report)
    (data,) = re.findall(r'id="games">(.*?)</script>', text, re.DOTALL)
    found = json.loads(data)
    row = str(report.ratings.players.index("Lone A"))
    other = report.ratings.players.index("Lone B")
    assert found["games"][row] == {"opponents": [[other, 1, 1, 0]], "more": 0}
    assert found["players"][str(other)][0] == "Lone B"
    assert sum(sum(o[1:]) for g in found["games"].values() for o in g["opponents"]) == 2 * 506


def test_only_the_most_played_opponents_are_listed() -> None:
    first = ["Centre"] * 130
    second = [f"P{number % 65}" for number in range(130)]
    pool = Pool.from_names(first, second, [1, 0] * 65)
    text = html_list(summarise(BradleyTerry().fit(pool), pool))
    (data,) = re.findall(r'id="games">(.*?)</script>', text, re.DOTALL)
    entry = json.loads(data)["games"]["0"]
    assert len(entry["opponents"]) == page.OPPONENTS
    assert entry["more"] == 65 - page.OPPONENTS
    assert "the 50 most played" in text


def test_a_large_page_stays_small(large: RatingList) -> None:
    assert len(html_list(large)) < 700_000
