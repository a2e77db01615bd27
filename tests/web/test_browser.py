"""The pages in a real browser, against the real application: what only a browser shows."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.web.browsing import PHONE, fits, opened, readable
from tests.web.made_results import SCRIPT, go_result, results_csv, store_result
from tests.web.serving import SGF, small_results
from tests.web.sites import Site, serving
from yardstone.web.pages.job_pages import sample_result

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    limits = {"file_bytes": 100_000, "files": 3}
    with serving(tmp_path_factory.mktemp("browser"), limits) as result:
        yield result


def drop(page: Page, files: dict[str, bytes]) -> None:
    """Drop files on the page, as a hand would."""
    made = """(files) => files.reduce((made, [name, bytes]) =>
        (made.items.add(new File([new Uint8Array(bytes)], name)), made), new DataTransfer())"""
    listed = [[name, list(data)] for name, data in files.items()]
    transfer = page.evaluate_handle(made, listed)
    for event in ("dragover", "drop"):
        page.dispatch_event(".drop", event, {"dataTransfer": transfer})


def players(page: Page) -> list[str]:
    found = page.locator("table.searched tr[data-row] > :nth-child(2)").all_inner_texts()
    return [text.strip() for text in found]


def test_from_files_to_a_result_and_its_end(browser: Browser, server: Site) -> None:
    with opened(browser, server.url, accept_downloads=True) as page:
        drop(page, {"results.csv": results_csv(), "more.csv": small_results()})
        page.get_by_role("button", name="Remove more.csv").click()
        page.get_by_role("button", name="Measure").click()
        page.wait_for_url("**/r/*")
        page.locator(".words", has_text="You are next.").wait_for()
        server.worker.work()
        page.get_by_role("heading", name="Rating list").wait_for()
        # The page changed in place: the reader is told, and stands at its beginning.
        focused = page.evaluate("document.activeElement.textContent.trim()")
        assert focused == page.locator("#said").inner_text() == "Rating list"
        names = players(page)
        page.get_by_role("columnheader", name="Player").first.get_by_role("button").click()
        order = page.locator("table.searched th[aria-sort]").first.get_attribute("aria-sort")
        assert (order, players(page) == names) == ("ascending", False)
        page.get_by_label("Find a player").fill("engine 0")
        assert page.locator(".search [role=status]").inner_text() == f"8 of {len(names)} players"
        page.get_by_role("link", name="Engine 03").first.click()
        page.get_by_role("heading", name="Engine 03 against each opponent").wait_for()
        assert page.title().startswith("Rating list")  # the script in a name stayed text
        with page.expect_download() as download:
            page.get_by_role("link", name="JSON").click()
        assert json.loads(Path(download.value.path()).read_text("utf-8"))["games"] == 163
        page.get_by_text("Delete this result").press("Enter")
        page.get_by_role("button", name="Delete for good").click()
        page.get_by_role("heading", name="Deleted").wait_for()


def test_the_player_is_chosen_and_the_moves_are_measured(browser: Browser, server: Site) -> None:
    store, file = server.worker.store, {"name": "a.sgf", "mimeType": "", "buffer": SGF}
    with opened(browser, server.url) as page:
        page.set_input_files("#files", file)  # type: ignore[arg-type]
        page.get_by_role("button", name="Measure").click()
        page.locator(".words", has_text="You are next.").wait_for()
        server.worker.work()
        page.get_by_role("button", name="Park Junghwan").click()
        page.locator(".words", has_text="You are next.").wait_for()
        job = store.claim("tests/3")
        assert job is not None
        store.heartbeat(job, stage="analysing", done=60, total=274)
        page.locator(".words", has_text="Analysing: 60 of 274 positions.").wait_for()
        assert float(page.get_by_role("progressbar").get_attribute("value") or 0) > 0.2
        store.finish(job, "done", result=json.dumps(go_result(3)))
        page.get_by_role("link", name="3", exact=True).click()
        assert page.url.endswith("#game-3")
        page.reload()
        page.locator("#game-3 svg:visible").first.wait_for()  # a link opens what is folded


def test_trouble_is_told_around_sending(browser: Browser, server: Site, tmp_path: Path) -> None:
    (tmp_path / "games/2024").mkdir(parents=True)
    (tmp_path / "games/2024/a.sgf").write_bytes(SGF)
    (tmp_path / "games/notes.docx").write_bytes(b"x")
    with opened(browser, server.url, calm=False) as page:
        alert, measure = page.get_by_role("alert"), page.get_by_role("button", name="Measure")
        measure.click()
        assert alert.inner_text() == "Choose the records of some games first."
        drop(page, {"large.pgn": bytes(100_001), **{f"{number}.csv": b"a" for number in range(4)}})
        assert "large.pgn has 98 kB; a file may have 98 kB" in alert.inner_text()
        page.get_by_role("button", name="Remove large.pgn").click()
        assert "4 files" in alert.inner_text()
        page.get_by_role("button", name="Remove 3.csv").click()
        assert not alert.is_visible()
        page.reload()
        page.set_input_files("#folder", str(tmp_path / "games"))
        assert page.locator(".file-name").all_inner_texts() == ["games/2024/a.sgf"]
        assert "1 file of other kinds left out" in page.locator("#said").inner_text()
        page.reload()
        drop(page, {SCRIPT.replace("/", ""): b"\x7fELF" + bytes(40)})
        measure.click()
        page.get_by_text("This is a program.").wait_for()
        assert "owned" not in page.title()


def test_boards_are_stepped_through_and_printed(browser: Browser, server: Site) -> None:
    result = sample_result("go")
    steps = 3 * len(result["costliest_moves"])
    path = "/r/" + store_result(server.worker.store, "go", result)
    with opened(browser, server.url, path, color_scheme="dark", **PHONE) as page:
        stepper = page.locator(".stepper").first
        caption, title = stepper.locator("figcaption:visible"), stepper.locator("h3:visible")
        back = stepper.get_by_role("button", name="Previous")
        onward = stepper.get_by_role("button", name="Next")
        first = title.inner_text()
        assert stepper.locator("svg:visible").count() == 1
        assert back.get_attribute("aria-disabled") == "true"
        assert caption.inner_text().startswith("Before the move")
        onward.tap()
        assert caption.inner_text().startswith("After ")
        onward.press("Enter")
        assert caption.inner_text().startswith("The network’s choice")
        page.keyboard.press("ArrowRight")
        assert title.inner_text() != first
        assert f"4 of {steps}" in stepper.locator(".controls").inner_text()
        page.keyboard.press("End")
        assert onward.get_attribute("aria-disabled") == "true"
        for key in ("ArrowRight", "Home", "ArrowLeft"):
            page.keyboard.press(key)
        assert title.inner_text() == first
        page.emulate_media(media="print")
        assert stepper.locator("svg:visible").count() == steps
        for hidden in (back, page.locator(".keep"), page.locator(".top")):
            assert not hidden.is_visible()
    with opened(browser, server.url, path, java_script_enabled=False) as page:
        assert page.locator(".stepper").first.locator("svg:visible").count() == steps


def test_estimates_are_compared_in_the_browser_alone(browser: Browser, server: Site) -> None:
    store, result = server.worker.store, sample_result("go")
    earlier = json.loads(json.dumps(result))
    for part in earlier["scales"].values():
        part.update(rating=part["rating"] * 0.9, low=part["rating"] * 0.8, high=None)
    for game in earlier["by_game"]:
        game["date"] = "2016-01-05"
    made = (earlier, result, {**result, "player": SCRIPT})
    before, now, stranger = ("/r/" + store_result(store, "go", each) for each in made)
    kept = "localStorage['yardstone-estimates']"
    with opened(browser, server.url, before) as page:
        past = page.locator(".past")
        keep = past.get_by_role("button", name="Remember this estimate")
        assert page.evaluate("localStorage.length") == 0  # nothing without being asked
        keep.click()
        assert past.locator("tbody tr").count() == 1
        page.goto(server.url + now)
        label = past.get_by_role("img").get_attribute("aria-label") or ""
        assert label.startswith("Estimates over time. Jan 5, 2016: 8.4, interval above ")
        # The scale and the player are switched in place.
        page.get_by_role("navigation", name="Scale").get_by_role("link", name="EGF").click()
        page.locator(".answer", has_text="EGF rating").wait_for()
        keep.click()
        page.get_by_role("link", name="Jin Siyoung").first.click()
        page.get_by_role("heading", name="Jin Siyoung").wait_for()
        page.reload()
        page.locator(".answer", has_text="EGF rating").wait_for()
        page.go_back()
        page.get_by_role("heading", name="Park Junghwan").wait_for()
        page.goto(server.url + stranger)
        assert past.locator("svg").count() == 0  # of another player
        keep.click()
        assert page.title().startswith(SCRIPT)
        strange = {"player": "Park Junghwan", "address": "javascript:alert(1)", "games": 1}
        more = json.dumps([{**strange, "scales": {}}, None, 7, "<b>"])
        page.evaluate(f"{kept} = JSON.stringify([...JSON.parse({kept}), ...{more}])")
        page.goto(server.url + now)
        assert past.locator("tbody tr").count() == 2
        past.get_by_role("link", name="Jan 5, 2016").click()
        page.wait_for_url("**" + before)
        past.get_by_role("button", name="Remove the estimate of Jan 5, 2016").click()
        assert len(json.loads(page.evaluate(kept))) == 2


def test_contrast_width_and_size(browser: Browser, server: Site) -> None:
    store, job = server.store, server.done([("a.csv", results_csv())])
    names = [{"name": name, "games": 3} for name in ("Anna", SCRIPT)]
    error = {"message": "no game can be used", "hint": "send even games", "file": "a.sgf"}
    jobs = [
        f"{job['id']}?player=Engine+03", store_result(store, "go", go_result(3)),
        store_result(store, "go", status="needs_player", players=names),
        store_result(store, "go", status="failed", error=error),
        server.send([("b.csv", small_results())]).json()["id"],
    ]  # fmt: skip
    with opened(browser, server.url, reduced_motion="reduce") as page:
        for path in ("/", "/example/backgammon", *(f"/r/{each}" for each in jobs)):
            page.goto(server.url + path)
            for summary in page.locator("summary").all()[:3]:
                summary.click()
            readable(page, path)
            fits(page, path)
            for each in page.locator("button, .button, summary, select").all():
                box = each.bounding_box()
                assert box is None or box["height"] <= 1 or min(box["height"], box["width"]) >= 24
    server.ask(f"/api/jobs/{jobs[-1]}/cancel", "POST")


def test_a_server_that_does_not_answer_is_asked_again(browser: Browser, server: Site) -> None:
    job = server.send([("a.csv", small_results())]).json()
    with opened(browser, server.url, f"/r/{job['id']}", calm=False) as page:
        page.route("**/state", lambda route: route.abort())
        page.locator(".words", has_text="No answer from the server at the moment").wait_for()
        page.unroute("**/state")
        worker = threading.Thread(target=server.worker.work)
        worker.start()
        page.get_by_role("heading", name="Rating list").wait_for()
        worker.join()
