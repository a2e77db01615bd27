"""The pages in a real browser, Debian's chromium, against the real application."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select

from tests.browser import chromium
from tests.shared import shared_path
from tests.web.made_results import SCRIPT, backgammon_result, go_result, results_csv, store_result
from tests.web.serving import SGF, Server, serving, small_results
from yardstone.web.database import jobs
from yardstone.web.pages.job_pages import sample_result
from yardstone.web.service import cancel_job

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FilePayload, Page

CONTRAST = (Path(__file__).parent / "contrast.js").read_text("utf-8")
#: Milliseconds that a page may take on a busy machine.
PATIENCE = 30_000


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as result:
        yield result


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("browser"), {"file_bytes": 100_000}) as result:
        yield result


@pytest.fixture(autouse=True)
def empty_queue(server: Server) -> Iterator[None]:
    """Leave no job that a worker of the next test would take."""
    yield
    store = server.worker.store
    for (address,) in store.database.rows(select(jobs.c.id)):
        cancel_job(store, address)


@contextmanager
def opened(browser: Browser, url: str, path: str = "/", **more: Any) -> Iterator[Page]:
    """A page that must neither complain nor ask anyone but its server."""
    more.setdefault("viewport", {"width": 1280, "height": 900})
    context = browser.new_context(**more)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    asked: list[str] = []
    page.goto(url + path)
    yield page
    assert complaints == []
    assert [each for each in asked if not each.startswith(url + "/")] == []
    context.close()


def payload(name: str, data: bytes) -> FilePayload:
    """A file to choose."""
    return {"name": name, "mimeType": "", "buffer": data}


def drop(page: Page, files: dict[str, bytes]) -> None:
    """Drop files on the page, as a hand would."""
    plain = [[name, list(data)] for name, data in files.items()]
    transfer = page.evaluate_handle(
        """(files) => {
            const transfer = new DataTransfer();
            for (const [name, bytes] of files) {
                transfer.items.add(new File([new Uint8Array(bytes)], name));
            }
            return transfer;
        }""",
        plain,
    )
    for event in ("dragover", "drop"):
        page.dispatch_event(".drop", event, {"dataTransfer": transfer})


def cells(page: Page, place: int) -> list[str]:
    result = page.locator(f"table.searched tr[data-row] > :nth-child({place})")
    return [text.strip() for text in result.all_inner_texts()]


def focused(page: Page) -> str:
    text: str = page.evaluate(
        "(document.activeElement.getAttribute('aria-label') || document.activeElement.textContent)"
        ".trim()"
    )
    return text


def test_from_files_to_a_result_and_its_end(browser: Browser, server: Server) -> None:
    with opened(browser, server.url, accept_downloads=True) as page:
        drop(page, {"results.csv": results_csv(), "more.csv": small_results()})
        assert page.locator(".files li").count() == 2
        page.get_by_role("button", name="Remove more.csv").click()
        assert page.locator(".total").inner_text().startswith("1 file, ")
        page.get_by_role("button", name="Measure").click()
        page.wait_for_url("**/r/*")
        page.locator(".words", has_text="You are next.").wait_for()
        assert page.get_by_role("progressbar").count() == 1
        server.worker.work()
        page.get_by_role("heading", name="Rating list").wait_for()
        # The page changed in place: the reader is told, and stands at its beginning.
        assert focused(page) == "Rating list"
        assert page.locator("#said").inner_text() == "Rating list"
        names = cells(page, 2)
        page.get_by_role("columnheader", name="Player").first.get_by_role("button").click()
        assert page.locator("table.searched th[aria-sort]").first.get_attribute("aria-sort") == (
            "ascending"
        )
        assert sorted(names) == sorted(cells(page, 2))
        assert cells(page, 2) != names
        page.get_by_label("Find a player").fill("engine 0")
        assert page.locator(".search [role=status]").inner_text() == f"8 of {len(names)} players"
        page.get_by_role("link", name="Engine 03").first.click()
        page.get_by_role("heading", name="Engine 03 against each opponent").wait_for()
        assert page.title().startswith("Rating list")  # the script in a name stayed text
        with page.expect_download() as download:
            page.get_by_role("link", name="JSON").click()
        stored = json.loads(Path(download.value.path()).read_text("utf-8"))
        assert stored["games"] == 163
        with page.expect_download() as download:
            page.get_by_role("link", name="CSV").click()
        assert "Engine 03" in Path(download.value.path()).read_text("utf-8")
        address = page.get_by_label("Address for sharing").input_value()
        with opened(browser, server.url, address.removeprefix(server.url)) as again:
            assert again.get_by_role("heading", name="Rating list").is_visible()
        page.get_by_text("Delete this result").click()
        page.get_by_role("button", name="Delete for good").click()
        page.get_by_role("heading", name="Deleted").wait_for()
    assert server.get("/api/jobs/" + address.rpartition("/")[2]).status_code == 404


def test_the_player_is_chosen_and_the_moves_are_measured(browser: Browser, server: Server) -> None:
    store = server.worker.store
    with opened(browser, server.url) as page:
        page.set_input_files("#files", payload("a.sgf", SGF))
        page.get_by_role("button", name="Measure").click()
        page.locator(".words", has_text="You are next.").wait_for()
        server.worker.work()
        page.get_by_role("button", name="Park Junghwan").click()
        page.locator(".words", has_text="You are next.").wait_for()
        job = store.claim("tests/3")
        assert job is not None
        assert job.options["player"] == "Park Junghwan"
        store.heartbeat(job, stage="analysing", done=60, total=274)
        page.locator(".words", has_text="Analysing: 60 of 274 positions.").wait_for()
        assert float(page.get_by_role("progressbar").get_attribute("value") or 0) > 0.2
        store.finish(job, "done", result=json.dumps(go_result(3)))
        page.get_by_role("heading", name="Park Junghwan").wait_for()
        assert page.locator("article svg").count() == 4
        assert page.locator("article svg:visible").count() == 2  # one of each group at a time
        assert page.locator("details[open] svg[role=img]:visible").count() == 1
        page.get_by_text("Game 2: Black against Opponent 2").click()
        assert page.locator("#game-2 svg[role=img]").first.is_visible()
        page.get_by_role("link", name="3", exact=True).click()
        assert page.url.endswith("#game-3")


def test_the_keyboard_alone_is_enough(browser: Browser, server: Server) -> None:
    with opened(browser, server.url) as page:
        page.keyboard.press("Tab")
        assert focused(page) == "Skip to the content"
        for _ in range(20):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.id") == "files":
                break
        ring = page.evaluate("getComputedStyle(document.querySelector('.drop')).outlineStyle")
        assert ring == "solid"
        with page.expect_file_chooser() as chooser:
            # Asked after the browser has been told to hand choosers over, and answered first.
            assert page.evaluate("document.activeElement.id") == "files"
            page.keyboard.press("Space")
        chooser.value.set_files(payload("a.csv", results_csv()))
        for _ in range(20):
            page.keyboard.press("Tab")
            if focused(page) == "Measure":
                break
        page.keyboard.press("Enter")
        page.locator(".words", has_text="You are next.").wait_for()
        server.worker.work()
        page.get_by_role("heading", name="Rating list").wait_for()
        for _ in range(20):
            page.keyboard.press("Tab")
            if focused(page) == "Rating":
                break
        page.keyboard.press("Space")
        sorted_by = page.locator("table.searched th[aria-sort]").first
        assert (sorted_by.inner_text().strip(), sorted_by.get_attribute("aria-sort")) == (
            "Rating",
            "descending",
        )
        assert "Sorted by Rating, descending" in page.locator("#said").inner_text()
        for _ in range(60):
            page.keyboard.press("Tab")
            if focused(page) == "Delete this result":
                break
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        assert focused(page) == "Delete for good"
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="Deleted").wait_for()


def test_trouble_is_told_before_and_after_sending(browser: Browser, server: Server) -> None:
    with opened(browser, server.url) as page:
        alert = page.get_by_role("alert")
        page.get_by_role("button", name="Measure").click()
        assert alert.inner_text() == "Choose the records of some games first."
        drop(page, {"large.pgn": bytes(100_001)})
        assert "large.pgn has 98 kB; a file may have 98 kB" in alert.inner_text()
        page.get_by_role("button", name="Remove large.pgn").click()
        assert not alert.is_visible()
        drop(page, {f"{number}.csv": small_results() for number in range(201)})
        assert "201 files" in alert.inner_text()
        page.reload()
    # The browser itself says in its console that a request was refused.
    with browser.new_page() as page:
        page.goto(server.url)
        drop(page, {SCRIPT.replace("/", ""): b"\x7fELF" + bytes(40)})
        page.get_by_role("button", name="Measure").click()
        page.get_by_text("This is a program.").wait_for()
        assert page.get_by_role("button", name="Measure").is_enabled()
        assert "owned" not in page.title()


def test_a_folder_gives_its_records_only(browser: Browser, server: Server, tmp_path: Path) -> None:
    folder = tmp_path / "games"
    (folder / "2024").mkdir(parents=True)
    (folder / "2024" / "a.sgf").write_bytes(SGF)
    (folder / "notes.docx").write_bytes(b"x")
    with opened(browser, server.url) as page:
        page.set_input_files("#folder", str(folder))
        assert page.locator(".file-name").all_inner_texts() == ["games/2024/a.sgf"]
        assert "1 file of other kinds left out" in page.locator("#said").inner_text()


def test_without_scripts(browser: Browser, server: Server) -> None:
    with opened(browser, server.url, java_script_enabled=False) as page:
        page.set_input_files("#files", payload("a.csv", results_csv()))
        page.get_by_role("button", name="Measure").click()
        page.locator(".words", has_text="You are next.").wait_for()
        server.worker.work()
        page.get_by_role("heading", name="Rating list").wait_for()  # it asked again by itself
        page.get_by_role("link", name="Engine 02").first.click()
        page.get_by_text("Delete this result").click()
        page.get_by_role("button", name="Delete for good").click()
        page.get_by_role("heading", name="Deleted").wait_for()


def test_the_scale_and_the_player_are_switched(browser: Browser, server: Server) -> None:
    path = "/r/" + store_result(server.worker.store, "go", sample_result("go"))
    for scripts in (True, False):
        with opened(browser, server.url, path, java_script_enabled=scripts) as page:
            page.get_by_role("navigation", name="Scale").get_by_role(
                "link", name=re.compile(r"^OGS(?! 2020)")
            ).click()
            page.locator(".answer", has_text="OGS rating").wait_for()
            page.get_by_role("link", name="Jin Siyoung").first.click()
            page.get_by_role("heading", name="Jin Siyoung").wait_for()
            assert "OGS rating" in page.locator(".answer").inner_text()
            assert "scale=ogs" in page.url
            page.reload()
            current = page.get_by_role("navigation", name="Scale").locator("[aria-current]")
            assert current.inner_text().startswith("OGS")
            page.go_back()
            page.get_by_role("heading", name="Park Junghwan").wait_for()


def test_one_upload_measures_both_players_with_the_real_network(
    browser: Browser, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    net = shared_path("nets/g170-b6c96-s175395328-d26788732.bin.gz")
    monkeypatch.setenv("YARDSTONE_NET", str(net))
    with opened(browser, server.url) as page:
        page.set_input_files("#files", payload("a.sgf", SGF))
        page.get_by_role("button", name="Measure", exact=True).click()
        page.locator(".words", has_text="You are next.").wait_for()
        server.worker.work()
        page.get_by_role("button", name="Park Junghwan").click()
        page.locator(".words", has_text="You are next.").wait_for()
        server.worker.work()
        page.locator(".answer", has_text="from 137 moves in 1 game").wait_for()
        page.get_by_role("link", name="Jin Siyoung").first.click()
        page.locator(".answer", has_text="from 136 moves in 1 game").wait_for()
        assert page.get_by_role("heading", level=1).inner_text() == "Jin Siyoung"
        page.get_by_role("link", name="EGF").click()
        page.locator(".answer", has_text="EGF rating").wait_for()


def test_boards_are_stepped_through(browser: Browser, server: Server) -> None:
    result = sample_result("go")
    steps, typical = (3 * len(result["costliest_moves"]), 2 * len(result["indicative_moves"]))
    path = "/r/" + store_result(server.worker.store, "go", result)
    phone: dict[str, Any] = {"viewport": {"width": 390, "height": 800}, "has_touch": True}
    for more in ({}, phone):
        with opened(browser, server.url, path, **more) as page:
            stepper = page.locator(".stepper").first
            caption = stepper.locator("figcaption:visible")
            back = stepper.get_by_role("button", name="Previous")
            onward = stepper.get_by_role("button", name="Next")
            title = stepper.locator("h3:visible")
            first = title.inner_text()
            assert stepper.locator("svg:visible").count() == 1
            assert back.get_attribute("aria-disabled") == "true"
            assert caption.inner_text().startswith("Before the move")
            onward.tap() if more else onward.click()
            assert caption.inner_text().startswith("After ")
            onward.focus()
            page.keyboard.press("Enter")
            assert caption.inner_text().startswith("The network’s choice")
            assert title.inner_text() == first
            page.keyboard.press("ArrowRight")
            assert caption.inner_text().startswith("Before the move")
            assert title.inner_text() != first
            assert f"4 of {steps}" in stepper.locator(".controls").inner_text()
            assert title.inner_text() in page.locator("#said").inner_text()
            page.keyboard.press("End")
            assert onward.get_attribute("aria-disabled") == "true"
            page.keyboard.press("ArrowRight")
            page.keyboard.press("Home")
            assert title.inner_text() == first
            page.keyboard.press("ArrowLeft")
            assert stepper.locator("svg:visible").count() == 1
            # The other group stays where it is.
            other = page.locator(".stepper").nth(1)
            assert f"1 of {typical}" in other.locator(".controls").inner_text()
            page.emulate_media(media="print")
            assert stepper.locator("svg:visible").count() == steps
            assert not back.is_visible()
    with opened(browser, server.url, path, java_script_enabled=False) as page:
        assert page.locator(".stepper").first.locator("svg:visible").count() == steps


def test_costliest_moves_name_their_game_on_a_phone(browser: Browser, server: Server) -> None:
    """In the table and above each board, all of it within the width of the phone."""
    result = go_result(3)
    path = "/r/" + store_result(server.worker.store, "go", result)
    with opened(browser, server.url, path, viewport={"width": 390, "height": 844}) as page:
        costly = page.locator("#costly")
        heads = costly.locator("table th").all()
        (game,) = [k for k, head in enumerate(heads) if head.inner_text().startswith("Game")]
        for row, move in zip(
            costly.locator("tbody tr").all(), result["costliest_moves"], strict=True
        ):
            cell = row.locator("th, td").nth(game)
            box = cell.bounding_box()
            assert cell.inner_text() == str(move["game"] + 1)
            assert box is not None
            assert 0 <= box["x"] <= box["x"] + box["width"] <= 390
        opponent = result["by_game"][result["costliest_moves"][0]["game"]]["opponent"]
        named = costly.locator(".stepper").get_by_text(f"against {opponent}").first
        named.scroll_into_view_if_needed()
        box = named.bounding_box()
        assert named.is_visible()
        assert box is not None
        assert 0 <= box["x"] <= box["x"] + box["width"] <= 390


def test_a_link_opens_the_folded_part_that_it_leads_to(browser: Browser, server: Server) -> None:
    with opened(browser, server.url) as page:
        assert not page.locator("dl.limits").is_visible()
        page.get_by_role("link", name="Limits").click()
        page.locator("dl.limits").wait_for()
    path = "/r/" + store_result(server.worker.store, "go", go_result(3)) + "#game-2"
    with opened(browser, server.url, path) as page:
        assert page.locator("#game-2 svg").first.is_visible()


def test_estimates_are_compared_in_the_browser_alone(browser: Browser, server: Server) -> None:
    store, result = server.worker.store, sample_result("go")
    earlier = json.loads(json.dumps(result))
    for part in earlier["scales"].values():
        part.update(rating=part["rating"] * 0.9, low=part["rating"] * 0.8, high=None)
    for game in earlier["by_game"]:
        game["date"] = "2016-01-05"
    paths = ["/r/" + store_result(store, "go", each) for each in (earlier, result)]
    other = {**result, "player": SCRIPT}
    stranger = "/r/" + store_result(store, "go", other)
    with opened(browser, server.url, paths[0]) as page:
        past = page.locator(".past")
        keep = past.get_by_role("button", name="Remember this estimate")
        assert page.evaluate("localStorage.length") == 0  # nothing without being asked
        assert past.locator("svg, table").count() == 0
        keep.click()
        assert not keep.is_visible()
        assert past.locator("tbody tr").count() == 1
        page.goto(server.url + paths[1])
        chart = past.get_by_role("img")
        label = chart.get_attribute("aria-label") or ""
        assert label.startswith("Estimates over time. Jan 5, 2016: 8.4, interval above ")
        assert past.locator("svg circle").count() == 2
        assert past.locator("svg .interval").count() == 2
        page.get_by_role("navigation", name="Scale").get_by_role("link", name="EGF").click()
        page.locator(".answer", has_text="EGF rating").wait_for()
        assert "on the scale of EGF" in past.inner_text()
        keep.click()
        page.goto(server.url + stranger)
        assert past.locator("svg").count() == 0  # of another player
        keep.click()
        assert page.title().startswith(SCRIPT)
        page.evaluate(
            """() => localStorage.setItem("yardstone-estimates", JSON.stringify([
                ...JSON.parse(localStorage.getItem("yardstone-estimates")),
                {player: "Park Junghwan", address: "javascript:alert(1)", games: 1, scales: {}},
                null, 7, "<b>"]))"""
        )
        page.goto(server.url + paths[1])
        assert past.locator("tbody tr").count() == 2
        past.get_by_role("link", name="Jan 5, 2016").click()
        page.wait_for_url("**" + paths[0])
        past.get_by_role("button", name="Remove the estimate of Jan 5, 2016").click()
        assert keep.is_visible()
        assert len(json.loads(page.evaluate("localStorage['yardstone-estimates']"))) == 2
    # Another browser knows nothing of it.
    with opened(browser, server.url, paths[1]) as page:
        assert page.locator(".past tbody tr").count() == 0


def paths(server: Server) -> dict[str, str]:
    """A page of each kind."""
    store = server.worker.store
    files = [{"name": "a.sgf", "size": 1, "format": "sgf"}]
    names = [{"name": "Anna", "games": 3}, {"name": SCRIPT, "games": 3}]
    error = {"message": "no game can be used", "hint": "send even games", "file": "a.sgf"}
    address = server.accepted([("a.csv", results_csv())])
    server.done(address)
    return {
        "start": "/",
        "example": "/example/go?scale=ogs",
        "example list": "/example/results",
        "example match": "/example/backgammon",
        "sample": "/r/" + store_result(store, "go", sample_result("go")),
        "go": "/r/" + store_result(store, "go", go_result(22)),
        "results": f"/r/{address}?player=Engine+03",
        "backgammon": "/r/" + store_result(store, "backgammon", backgammon_result()),
        "choose": "/r/" + store_result(store, "go", status="needs_player", players=names),
        "failed": "/r/" + store_result(store, "go", status="failed", error=error),
        "working": "/r/" + store.add("go", "tests", "working", files, [{}])[0],
    }


def test_contrast_width_and_size(browser: Browser, server: Server) -> None:
    with opened(browser, server.url, reduced_motion="reduce") as page:
        for name, path in paths(server).items():
            page.set_viewport_size({"width": 1280, "height": 900})
            page.goto(server.url + path)
            for summary in page.locator("summary").all()[:3]:
                summary.click()
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)
                result = page.evaluate(CONTRAST)
                assert len(result) > 8
                weak = [each for each in result if each["ratio"] < (3.0 if each["large"] else 4.5)]
                assert weak == [], name
            for width in (1280, 390, 320):
                page.set_viewport_size({"width": width, "height": 900})
                assert page.evaluate("document.documentElement.scrollWidth") <= width, name
            small = page.evaluate(
                """() => [...document.querySelectorAll("button, .button, summary, select, input")]
                    .filter((node) => node.type !== "file")
                    .map((node) => [node.textContent || node.id, node.getBoundingClientRect()])
                    .filter(([, box]) => box.height > 1 && (box.height < 24 || box.width < 24))
                    .map(([text]) => text)"""
            )
            assert small == [], name


def test_paper_gets_the_result_alone(browser: Browser, server: Server) -> None:
    path = "/r/" + store_result(server.worker.store, "go", go_result(2))
    with opened(browser, server.url, path, color_scheme="dark") as page:
        page.emulate_media(media="print")
        assert page.get_by_role("heading", name="Park Junghwan").is_visible()
        assert not page.locator(".keep").is_visible()
        assert not page.locator(".top").is_visible()
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert colour == "rgb(255, 255, 255)"


def test_the_command_serves_with_workers_of_its_own(browser: Browser, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "yardstone", "serve", "--port", "0", "--data", str(tmp_path)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            result = re.search(r"http://[^ ]+", line)
            assert result is not None, line
            with opened(browser, result[0].rstrip("/")) as page:
                drop(page, {"a.csv": results_csv()})
                page.get_by_role("button", name="Measure").click()
                page.wait_for_url("**/r/*", timeout=10 * PATIENCE)
                page.get_by_role("heading", name="Rating list").wait_for(timeout=10 * PATIENCE)
                assert len(cells(page, 2)) == 12
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)


def test_a_server_that_does_not_answer_is_asked_again(browser: Browser, server: Server) -> None:
    address = server.accepted([("a.csv", small_results())])
    page = browser.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(f"{server.url}/r/{address}")
    page.route("**/state", lambda route: route.abort())
    page.locator(".words", has_text="No answer from the server at the moment").wait_for()
    page.unroute("**/state")
    worker = threading.Thread(target=server.worker.work)
    worker.start()
    page.get_by_role("heading", name="Rating list").wait_for()
    worker.join()
    page.close()
