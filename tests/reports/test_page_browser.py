"""The page in a real browser: Debian's chromium."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from tests.browser import chromium
from tests.reports.conftest import SCRIPT
from yardstone.ratings.rating_list import RatingList
from yardstone.reports.document import Document, Section, Table
from yardstone.reports.page import document_page
from yardstone.reports.rating_list import rating_list_document

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as result:
        yield result


@pytest.fixture
def opened(browser: Browser, report: RatingList, tmp_path: Path) -> Iterator[Page]:
    """The page, which must neither complain nor ask for anything."""
    file = tmp_path / "list.html"
    file.write_text(document_page(rating_list_document(report, title="List")), encoding="utf-8")
    page = browser.new_page(viewport={"width": 1100, "height": 900})
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: complaints.append(request.url))
    page.goto(file.as_uri())
    yield page
    assert complaints == [file.as_uri()]
    page.close()


def column(page: Page, place: int, part: str = "") -> list[str]:
    cells = page.locator("table").first.locator(f"{part} tr[data-row] > :nth-child({place})")
    return [text.strip() for text in cells.all_inner_texts()]


def test_a_click_sorts_and_another_turns(opened: Page) -> None:
    ranked = "tbody:first-of-type"  # players of whom only a bound is known stay below
    names = column(opened, 2, ranked)
    header = opened.locator("th", has_text="Player").first
    header.locator("button").click()
    assert header.get_attribute("aria-sort") == "ascending"
    ascending = column(opened, 2, ranked)
    assert sorted(names) == sorted(ascending)
    assert ascending.index("Engine 01") < ascending.index("Engine 09")
    header.locator("button").click()
    assert header.get_attribute("aria-sort") == "descending"
    assert column(opened, 2, ranked) == ascending[::-1]
    assert opened.locator("table").first.locator("th[aria-sort]").count() == 1
    # Numbers sort as numbers, with unknown ones last.
    opened.locator("th", has_text="Games").first.locator("button").click()
    games = [int(text) for text in column(opened, 7)]
    assert games == sorted(games, reverse=True)
    button = opened.locator("th", has_text="±").first.locator("button")
    for _ in range(2):
        button.click()
        assert column(opened, 4)[-2:] == ["–", "–"]


def test_a_player_is_found_and_opens_to_the_opponents(opened: Page) -> None:
    find = opened.get_by_label("Find a player")
    for text, shown in (("LONE", 2), ("陳 o", 1), ("", 18)):
        find.fill(text)
        assert opened.locator("tr[data-row]:visible").count() == shown
    button = opened.get_by_role("button", name="Lone A")
    button.click()
    assert button.get_attribute("aria-expanded") == "true"
    assert "1–1–0" in opened.locator("tr.opened").inner_text()
    opened.locator("table").nth(1).locator("th button").first.click()
    following = opened.locator("tr.opened").evaluate(
        "row => row.previousElementSibling.querySelector('.name').textContent.trim()"
    )
    assert following == "Lone A"
    button.click()
    assert opened.locator("tr.opened").count() == 0
    # A script in a name stays text, in the list and among the opponents.
    for name in (SCRIPT, "Engine 05"):
        opened.get_by_role("button", name=name).click()
    said = opened.locator("tr.opened").all_inner_texts()
    assert any(SCRIPT in each for each in said)
    assert (opened.title(), opened.locator("script").count()) == ("List", 3)


#: The contrast of what is written with the page.
CONTRAST = """() => {
    const light = (colour) => {
        const [r, g, b] = colour.match(/\\d+/g).map((v) => {
            const share = v / 255;
            return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const page = light(getComputedStyle(document.body).backgroundColor);
    return [...document.querySelectorAll("body, .quiet, td button")].map((node) => {
        const text = light(getComputedStyle(node).color);
        return (Math.max(page, text) + 0.05) / (Math.min(page, text) + 0.05);
    });
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_only_a_wide_table_scrolls_and_its_names_stay(
    browser: Browser, opened: Page, tmp_path: Path, scheme: Literal["light", "dark"]
) -> None:
    opened.emulate_media(color_scheme=scheme)
    opened.set_viewport_size({"width": 390, "height": 800})
    opened.get_by_role("button", name="Engine 05").click()
    assert opened.evaluate("document.documentElement.scrollWidth") <= 390
    assert min(opened.evaluate(CONTRAST)) >= 4.5
    heads = ["Rank", "Player", *(f"Column {number}" for number in range(12))]
    rows = [[f"{k}", f"Engine {k}", *(f"{k}.{j}" for j in range(12))] for k in range(1, 6)]
    table = Table.of_cells(heads, rows, left=0)
    columns = [replace(each, left=place == 1) for place, each in enumerate(table.columns)]
    file = tmp_path / "wide.html"
    document = Document("Wide", sections=[Section("", [replace(table, columns=columns)])])
    file.write_text(document_page(document), encoding="utf-8")
    page = browser.new_page(viewport={"width": 390, "height": 800}, color_scheme=scheme)
    page.goto(file.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") == 390

    def edges(part: Locator) -> tuple[float, float]:
        box = part.bounding_box()
        assert box is not None
        return box["x"], box["x"] + box["width"]

    area, name = page.locator(".wide"), page.locator("tbody .name").first
    area.evaluate("(node) => { node.scrollLeft = 10000 }")
    last = page.locator("tbody tr").first.locator("td").last
    assert edges(name)[0] == pytest.approx(edges(area)[0], abs=1.0)
    assert edges(last)[1] <= edges(area)[1] + 1.0
    opaque = name.evaluate("(node) => getComputedStyle(node).backgroundColor")
    assert opaque == page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.emulate_media(media="print")
    assert name.evaluate("(node) => getComputedStyle(node).position") == "static"
    page.close()
