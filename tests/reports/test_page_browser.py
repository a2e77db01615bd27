"""The page in a real browser: Debian's chromium."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser import chromium
from tests.reports.conftest import SCRIPT
from tests.web.browsing import fits, opened, readable
from yardstone.ratings.rating_list import RatingList
from yardstone.reports.page import document_page
from yardstone.reports.rating_list import rating_list_document

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as result:
        yield result


@pytest.fixture
def page(browser: Browser, report: RatingList, tmp_path: Path) -> Iterator[Page]:
    html = document_page(rating_list_document(report, title="List"))
    (tmp_path / "list.html").write_text(html, encoding="utf-8")
    with opened(browser, tmp_path.as_uri(), "/list.html") as page:
        yield page


def column(page: Page, place: int, part: str = "") -> list[str]:
    cells = page.locator("table").first.locator(f"{part} tr[data-row] > :nth-child({place})")
    return [text.strip() for text in cells.all_inner_texts()]


def test_a_click_sorts_and_another_turns(page: Page) -> None:
    ranked = "tbody:first-of-type"  # players of whom only a bound is known stay below
    names = column(page, 2, ranked)
    header = page.locator("th", has_text="Player").first
    header.locator("button").click()
    assert header.get_attribute("aria-sort") == "ascending"
    ascending = column(page, 2, ranked)
    assert sorted(names) == sorted(ascending)
    assert ascending.index("Engine 01") < ascending.index("Engine 09")
    header.locator("button").click()
    assert header.get_attribute("aria-sort") == "descending"
    assert column(page, 2, ranked) == ascending[::-1]
    assert page.locator("table").first.locator("th[aria-sort]").count() == 1
    # Numbers sort as numbers, with unknown ones last.
    page.locator("th", has_text="Games").first.locator("button").click()
    games = [int(text) for text in column(page, 7)]
    assert games == sorted(games, reverse=True)
    button = page.locator("th", has_text="±").first.locator("button")
    for _ in range(2):
        button.click()
        assert column(page, 4)[-2:] == ["–", "–"]


def test_a_player_is_found_and_opens_to_the_opponents(page: Page) -> None:
    find = page.get_by_label("Find a player")
    for text, shown in (("LONE", 2), ("陳 o", 1), ("", 18)):
        find.fill(text)
        assert page.locator("tr[data-row]:visible").count() == shown
    button = page.get_by_role("button", name="Lone A")
    button.click()
    assert button.get_attribute("aria-expanded") == "true"
    assert "1–1–0" in page.locator("tr.opened").inner_text()
    page.locator("table").nth(1).locator("th button").first.click()
    following = page.locator("tr.opened").evaluate(
        "row => row.previousElementSibling.querySelector('.name').textContent.trim()"
    )
    assert following == "Lone A"
    button.click()
    assert page.locator("tr.opened").count() == 0
    # A script in a name stays text, in the list and among the opponents.
    for name in (SCRIPT, "Engine 05"):
        page.get_by_role("button", name=name).click()
    said = page.locator("tr.opened").all_inner_texts()
    assert any(SCRIPT in each for each in said)
    assert (page.title(), page.locator("script").count()) == ("List", 3)
    readable(page, "list")
    fits(page, "list")  # on a phone too
