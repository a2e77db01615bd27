"""The desk in a real browser: a weekend of 60 players, two helpers, phones, and a killed server."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser import chromium
from tests.web.desks import PASSWORD, DeskProcess, DeskServer, Helper, copied, served
from yardstone.grades import format_grade
from yardstone.tournament.event.file import create_file
from yardstone.tournament.event.settings import new_tournament
from yardstone.tournament.files import read_tournament
from yardstone.tournament.model import Result
from yardstone.tournament.standings_table import standings

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CONTRAST = (Path(__file__).parent / "contrast.js").read_text("utf-8")
PATIENCE = 30_000
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "is_mobile": True,
    "has_touch": True,
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as result:
        yield result


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[DeskServer]:
    with served(copied(tmp_path)) as result:
        yield result


@contextmanager
def opened(
    browser: Browser, url: str, path: str, name: str = "", *, calm: bool = True, **more: Any
) -> Iterator[Page]:
    """A page of a helper, or without a name of a reader, that asks nobody but its desk."""
    context = browser.new_context(**({"viewport": {"width": 1280, "height": 900}} | more))
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    complaints: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{url}/sign-in?next={path}" if name else url + path)
    if name:
        page.get_by_label("Password of the helpers").fill(PASSWORD)
        page.get_by_label("Your name").fill(name)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(f"{url}{path}*")
    yield page
    if calm:  # a browser complains by itself of a server that is gone
        assert complaints == []
    assert [each for each in complaints if each.startswith("error")] == []
    assert [each for each in asked if not each.startswith(url + "/")] == []
    context.close()


def entry_table(rng: random.Random) -> str:
    """60 players of a usual tournament, as a spreadsheet has them."""
    families = (
        "Adler Bianchi Claes Dahl Evans Fischer Garcia Hansen Ivanova Jensen Kovács Laine "
        "Moreau Novák Olsen Petrov Quint Rossi Silva Tanaka Urban Vogel Weber Xu Yılmaz Zeman "
        "Baranowska-Wiśniewska Müller Øster O'Brien"
    ).split()
    rows = ["Name\tFirst name\tGrade\tClub\tCountry"]
    for number in range(60):
        grade = format_grade(rng.choice([5, 4, 3, 3, 2, 2, 1, 0, -1, -2, -3, -5, -8, -12, -18]))
        given = ("Ruth", "Luca")[number // 30]
        club, country = rng.choice([("Köln", "DE"), ("Wien", "AT"), ("Bern", "CH"), ("Oslo", "NO")])
        rows.append(f"{families[number % 30]}\t{given}\t{grade}\t{club}\t{country}")
    return "\n".join(rows)


class Weekend:
    """What is entered, to compare with what the file says in the end."""

    def __init__(self, file: Path, rng: random.Random) -> None:
        self.file = file
        self.rng = rng
        self.entered: dict[tuple[int, str, str], str] = {}

    def drawn(self, number: int) -> list[tuple[int, str, str, str]]:
        """Table, players and a result for every game of a round."""
        made = read_tournament(self.file)
        games = []
        for game in made.round_games(number):
            names = [made.players[row].full_name for row in (game.first, game.second)]
            result = self.rng.choice(["1-0", "0-1"])
            self.entered[number, names[0], names[1]] = result
            games.append((game.table, names[0], names[1], result))
        return games

    def in_file(self) -> dict[tuple[int, str, str], str]:
        made = read_tournament(self.file)
        texts = {Result.first_wins: "1-0", Result.second_wins: "0-1", Result.unknown: "?"}
        names = [player.full_name for player in made.players]
        return {(g.round, names[g.first], names[g.second]): texts[g.result] for g in made.games}


def tap(page: Page, game: tuple[int, str, str, str]) -> None:
    """Tap the winner, and do not wait for the answer."""
    table, first, second, result = game
    winner = first if result == "1-0" else second
    row = page.locator(".board", has=page.locator(".table", has_text=str(table)).filter(
        has_text=str(table))).filter(has_text=first).filter(has_text=second)  # fmt: skip
    row.get_by_role("button", name=f"Table {table}: {winner}").click()


def test_a_weekend_of_60_players(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "weekend.xml"
    create_file(file, new_tournament("Weekend of Sixty", rounds=5, bar=3, floor=-10))
    rng = random.Random(60)
    with DeskProcess(file) as server:
        _play(browser, server, Weekend(file, rng))
        status, text = server.end()
    assert status == 0
    assert server.url in text
    made = read_tournament(file)
    assert (len(made.players), len(made.games), made.complete_rounds) == (61, 150, 5)
    assert len(standings(made)) == 61
    assert len({frozenset((g.first, g.second)) for g in made.games}) == 150  # nobody met twice


def _play(browser: Browser, server: DeskProcess, weekend: Weekend) -> None:
    url = server.url
    desk = Helper(url)
    desk.sign_in("Cleo")
    with (
        opened(browser, url, "/enter", "Ann", calm=False) as ann,
        opened(browser, url, "/players", "Bob", calm=False, **PHONE) as bob,
        opened(browser, url, "/standings", calm=False, **PHONE) as player,
    ):
        ann.get_by_label("Paste it here").fill(entry_table(weekend.rng))
        ann.get_by_role("button", name="Enter the table").click()
        ann.get_by_text("60 are entered now.").wait_for()
        ann.goto(f"{url}/pair/1")
        ann.get_by_role("button", name="Propose boards").click()
        ann.get_by_role("button", name="Accept these 30 boards").click()
        ann.get_by_role("heading", name="Round 1").wait_for()

        # Round 1: both at once, each half of the games, from the laptop and from the phone.
        ann.goto(f"{url}/results/1")
        bob.goto(f"{url}/results/1")
        games = weekend.drawn(1)
        for mine, theirs in zip(games[::2], games[1::2], strict=True):
            tap(ann, mine)
            tap(bob, theirs)
        for page in (ann, bob):
            page.get_by_text("All 30 results are in").wait_for()
        assert weekend.in_file() == weekend.entered
        player.get_by_role("heading", name="Standings after round 1").wait_for()

        # Round 2: the desk dies while results come in; what was tapped meanwhile is not lost.
        desk.pair(2)
        ann.goto(f"{url}/results/2")
        bob.goto(f"{url}/results/2")
        games = weekend.drawn(2)
        for mine, theirs in zip(games[:10:2], games[1:10:2], strict=True):
            tap(ann, mine)
            tap(bob, theirs)
        server.kill()
        assert weekend.in_file()  # whatever had arrived, the file is whole
        for mine, theirs in zip(games[10:14:2], games[11:14:2], strict=True):
            tap(ann, mine)
            tap(bob, theirs)
        ann.get_by_text("Not saved yet").wait_for()
        server.start()
        for mine, theirs in zip(games[14::2], games[15::2], strict=True):
            tap(ann, mine)
            tap(bob, theirs)
        for page in (ann, bob):
            page.get_by_text("All 30 results are in").wait_for()
        assert weekend.in_file() == weekend.entered

        # A wrong tap on a game that has a result: shown, and nothing changes.
        _, first, second, result = games[0]
        tap(bob, (games[0][0], first, second, "0-1" if result == "1-0" else "1-0"))
        bob.get_by_text(f"Table {games[0][0]} has a result already.").wait_for()
        assert bob.get_by_text("Ann,").is_visible()  # who entered what stands
        bob.get_by_role("link", name="Leave it as it is").click()
        assert bob.locator(".clash").count() == 0
        assert weekend.in_file() == weekend.entered

    # Rounds 3 to 5: the forms alone, two helpers in two threads.
    helpers = [desk, Helper(url)]
    helpers[1].sign_in("Dan")
    for number in (3, 4, 5):
        if number == 4:  # one goes home, one comes late
            name = read_tournament(server.file).players[7].full_name
            fields = {"who": name, "round": "4", "act": "withdraw"}
            assert desk.post("/player/8/rounds", fields).status_code == 200
            late = {"name": "Zhang", "first_name": "Wei", "grade": "2d", "first_round": "4"}
            assert desk.post("/enter", late).status_code == 200
        desk.pair(number)
        games = weekend.drawn(number)

        def enter(helper: Helper, mine: Any, number: int = number) -> None:
            for _, first, second, result in mine:
                assert helper.result(number, first, second, result) == 303

        threads = [
            threading.Thread(target=enter, args=(helper, games[at::2]))
            for at, helper in enumerate(helpers)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert weekend.in_file() == weekend.entered


def test_what_another_helper_does_is_seen_while_writing(browser: Browser, desk: DeskServer) -> None:
    helper = desk.helper("Cleo")
    helper.pair(5)
    games = desk.names(5)
    with opened(browser, desk.url, "/results/5", "Ann") as page:
        page.get_by_label("Table and result, or a name").fill("adler")
        assert page.locator(".board:visible").count() == 1
        helper.result(5, *games[3], "1-0")
        page.get_by_text("5 of 6 to come").wait_for()
        # What is being written stays, and where it is written keeps the focus.
        assert page.get_by_label("Table and result, or a name").input_value() == "adler"
        assert page.evaluate("document.activeElement.id") == "quick"
        page.get_by_label("Table and result, or a name").fill("1 w")
        page.keyboard.press("Enter")
        page.get_by_text("4 of 6 to come").wait_for()
        assert desk.result(5, games[0][0]) is Result.second_wins
        page.get_by_label("Only those to come").check()
        assert page.locator(".board:visible").count() == 4
    with opened(browser, desk.url, "/results/5", "Ann", calm=False) as page:
        tap(page, (4, *games[3], "0-1"))
        page.get_by_text("Table 4 has a result already.").wait_for()
        helper.result(5, *games[5], "1-0")  # meanwhile somebody else goes on
        page.get_by_text("3 of 6 to come").wait_for()
        assert page.get_by_text("Table 4 has a result already.").is_visible()
        page.get_by_role("button", name="Change it to 0–1").click()
        page.locator(".clash").wait_for(state="detached")
        assert desk.result(5, games[3][0]) is Result.second_wins
    with opened(browser, desk.url, "/player/1", "Ann") as page:
        page.get_by_label("Club").fill("Bonn")
        helper.post("/here/5", {"who": "nobody"})
        helper.result(5, *games[4], "1-0")
        assert page.get_by_label("Club").input_value() == "Bonn"
        page.get_by_role("button", name="Save").click()
        page.get_by_label("Club").wait_for()
        assert desk.tournament.players[0].club == "Bonn"


def test_results_by_keyboard(browser: Browser, desk: DeskServer) -> None:
    desk.helper().pair(5)
    games = desk.names(5)
    with opened(browser, desk.url, "/results/5", "Ann", calm=False) as page:
        page.get_by_role("button", name=f"Table 1: {games[0][0]}").focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.get_by_text("5 of 6 to come").wait_for()
        assert desk.result(5, games[1][0]) is Result.first_wins
        focused = "document.activeElement.textContent.replace(/\\s+/g, ' ').trim()"
        assert page.evaluate(focused).startswith(f"Table 2: {games[1][0]}")
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")  # the other results of the table
        page.get_by_role("button", name="Both lose").click()
        page.get_by_role("button", name="Change it to 0–0").click()
        page.locator(".clash").wait_for(state="detached")
        assert desk.result(5, games[1][0]) is Result.both_lose
        page.keyboard.press("/")
        assert page.evaluate("document.activeElement.id") == "quick"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_are_readable_and_fit(browser: Browser, desk: DeskServer, scheme: str) -> None:
    helper = desk.helper("Ann")
    helper.pair(5)
    helper.result(5, *desk.names(5)[0], "1-0")
    paths = ["/", "/round/5", "/round/5?by=name", "/standings", "/players", "/player/1",
             "/results/5", "/pair/5", "/here/5", "/enter", "/more", "/prizes", "/settings",
             "/chances"]  # fmt: skip
    more: dict[str, Any]
    for more in ({}, PHONE):
        with opened(browser, desk.url, "/", "Ann", color_scheme=scheme, **more) as page:
            for path in paths:
                page.goto(desk.url + path)
                weak = [
                    each
                    for each in page.evaluate(CONTRAST)
                    if each["ratio"] < (3.0 if each["large"] else 4.5)
                ]
                assert weak == [], (path, weak)
                width = page.evaluate("document.documentElement.scrollWidth")
                assert width <= page.viewport_size["width"], path  # type: ignore[index]
                unnamed = page.evaluate(
                    "() => [...document.querySelectorAll('input:not([type=hidden]), select, "
                    "textarea')].filter((each) => !each.labels.length).map((each) => each.name)"
                )
                assert unnamed == [], path
                assert page.locator("h1").count() == 1, path


def test_without_a_script(browser: Browser, desk: DeskServer) -> None:
    desk.helper().pair(5)
    first, second = desk.names(5)[0]
    with opened(
        browser, desk.url, "/results/5", "Ann", calm=False, java_script_enabled=False
    ) as page:
        page.get_by_role("button", name=f"Table 1: {second}").click()
        page.get_by_text("5 of 6 to come").wait_for()
        assert desk.result(5, first) is Result.second_wins
        page.get_by_role("button", name=f"Table 1: {first}").click()
        page.get_by_text("Table 1 has a result already.").wait_for()
        page.get_by_role("button", name="Change it to 1–0").click()
        page.get_by_role("heading", name="Results of round 5").wait_for()
        assert desk.result(5, first) is Result.first_wins


def test_sheets_for_the_wall(browser: Browser, desk: DeskServer, tmp_path: Path) -> None:
    desk.helper().pair(5)
    with opened(browser, desk.url, "/round/5", "Ann") as page:
        for path in ("/round/5", "/round/5?by=name", "/standings"):
            page.goto(desk.url + path)
            page.emulate_media(media="print")
            hidden = page.locator("header.top, footer, .rounds, [data-print]")
            assert not any(each.is_visible() for each in hidden.all())
            assert page.get_by_role("heading", level=1).inner_text().startswith("Harbour Open: ")
            data = page.pdf(format="A4")
            assert data.count(b"/Type /Page\n") == 1  # a small tournament: one sheet each


def test_marks_of_what_changes(desk: DeskServer) -> None:
    mark = json.loads(desk.helper().get("/state").text)["mark"]
    assert len(mark) == 16
