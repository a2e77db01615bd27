"""The desk in a real browser: two helpers, a phone, a killed server, and what scripts do."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.web.browsing import PHONE, fits, opened, readable
from tests.web.desks import PASSWORD, DeskProcess, DeskServer, copied, served
from yardstone.tournament.files import read_tournament
from yardstone.tournament.model import Result

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Game = tuple[int, str, str, str]
UNNAMED = """() => [...document.querySelectorAll("input:not([type=hidden]), select, textarea")]
    .filter((each) => !each.labels.length).map((each) => each.name)"""


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[DeskServer]:
    with served(copied(tmp_path)) as result:
        result.helper().pair(5)
        yield result


@contextmanager
def signed_in(
    browser: Browser, url: str, path: str, name: str = "Ann", **more: Any
) -> Iterator[Page]:
    """A page of a helper."""
    with opened(browser, url, f"/sign-in?next={path}", **more) as page:
        page.get_by_label("Password of the helpers").fill(PASSWORD)
        page.get_by_label("Your name").fill(name)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(f"{url}{path}*")
        yield page


def tap(page: Page, game: Game) -> None:
    """Tap the winner, and do not wait for the answer."""
    table, first, second, result = game
    winner = first if result == "1-0" else second
    row = page.locator(".board").filter(has_text=first).filter(has_text=second)
    row.get_by_role("button", name=f"Table {table}: {winner}").click()


def test_two_helpers_lose_nothing_when_the_desk_dies(browser: Browser, tmp_path: Path) -> None:
    file = copied(tmp_path)
    with (
        DeskProcess(file) as server,
        signed_in(browser, server.url, "/pair/5", calm=False) as ann,
        signed_in(browser, server.url, "/players", "Bob", calm=False, **PHONE) as bob,
        opened(browser, server.url, "/standings", calm=False, **PHONE) as player,
    ):
        ann.get_by_role("button", name="Propose boards").click()
        ann.get_by_role("button", name="Accept these 6 boards").click()
        ann.get_by_role("heading", name="Round 5").wait_for()
        for page in (ann, bob):
            page.goto(f"{server.url}/results/5")
        names = DeskServer(file, server.url).names(5)
        entered = [(k + 1, *names[k], ("1-0", "0-1")[k % 2]) for k in range(6)]
        for number, game in enumerate(entered):
            if number == 2:
                server.end(signal.SIGKILL)
                read_tournament(file)  # whatever had arrived, the file is whole
            elif number == 4:
                ann.get_by_text("Not saved yet").wait_for()
                server.start()
            tap((ann, bob)[number % 2], game)
        for page in (ann, bob):
            page.get_by_text("All 6 results are in").wait_for()
        wanted = [Result.first_wins, Result.second_wins] * 3
        assert [game.result for game in read_tournament(file).round_games(5)] == wanted
        player.get_by_role("heading", name="Standings after round 5").wait_for()
        # A wrong tap on a game that has a result: shown, and nothing changes.
        tap(bob, (*entered[0][:3], "0-1"))
        bob.get_by_text("Table 1 has a result already.").wait_for()
        bob.get_by_role("link", name="Leave it as it is").click()
        assert [game.result for game in read_tournament(file).round_games(5)] == wanted
        status, text = server.end(signal.SIGINT)
    assert (status, server.url in text) == (0, True)


def test_what_another_helper_does_is_seen_while_writing(browser: Browser, desk: DeskServer) -> None:
    helper, games = desk.helper("Cleo"), desk.names(5)
    with signed_in(browser, desk.url, "/results/5", calm=False) as page:
        written = page.get_by_label("Table and result, or a name")
        written.fill("adler")
        assert page.locator(".board:visible").count() == 1
        helper.result(5, *games[3], "1-0")
        page.get_by_text("5 of 6 to come").wait_for()
        # What is being written stays, and where it is written keeps the focus.
        assert written.input_value() == "adler"
        assert page.evaluate("document.activeElement.id") == "quick"
        written.fill("1 w")
        page.keyboard.press("Enter")
        page.get_by_text("4 of 6 to come").wait_for()
        assert desk.result(5, games[0][0]) is Result.second_wins
        page.get_by_label("Only those to come").check()
        assert page.locator(".board:visible").count() == 4
        page.get_by_label("Only those to come").uncheck()
        tap(page, (4, *games[3], "0-1"))
        page.get_by_text("Table 4 has a result already.").wait_for()
        helper.result(5, *games[5], "1-0")  # meanwhile somebody else goes on
        page.get_by_text("3 of 6 to come").wait_for()
        page.get_by_role("button", name="Change it to 0–1").click()
        page.locator(".clash").wait_for(state="detached")
        assert desk.result(5, games[3][0]) is Result.second_wins
        # By keyboard, to the other results of a table.
        page.get_by_role("button", name=f"Table 2: {games[1][0]}").focus()
        for key in ("ArrowDown", "Tab", "Tab", "Enter"):
            page.keyboard.press(key)
        page.get_by_role("button", name="Both lose").click()
        page.get_by_text("2 of 6 to come").wait_for()
        assert desk.result(5, games[2][0]) is Result.both_lose
        page.keyboard.press("/")
        assert page.evaluate("document.activeElement.id") == "quick"


def test_pages_are_readable_fit_and_are_printed(browser: Browser, desk: DeskServer) -> None:
    desk.helper().result(5, *desk.names(5)[0], "1-0")
    sheets = ("/round/5", "/round/5?by=name", "/standings")
    others = "/ /players /player/1 /results/5 /pair/5 /here/5 /enter /more /prizes /settings"
    with signed_in(browser, desk.url, "/more") as page:
        for path in (*sheets, *others.split()):
            page.goto(desk.url + path)
            readable(page, path)
            fits(page, path)
            assert page.evaluate(UNNAMED) == [], path
        for path in sheets:
            page.goto(desk.url + path)
            page.emulate_media(media="print")
            hidden = page.locator("header.top, footer, .rounds, [data-print]")
            assert not any(each.is_visible() for each in hidden.all())
            assert page.pdf(format="A4").count(b"/Type /Page\n") == 1  # one sheet each
