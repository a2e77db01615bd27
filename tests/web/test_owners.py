"""Reading and owning a result are two things: the address reads, the owner's key changes."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import requests

from tests.browser import chromium
from tests.web.made_results import go_result, results_csv, store_result
from tests.web.reading import check_page
from tests.web.serving import SGF, Server, serving, settings_for, small_results
from yardstone.web.problems import RequestProblem
from yardstone.web.store import JobStore

HTML = {"Accept": "text/html"}
RESULTS = [("r.csv", small_results())]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("owners"), {"queue_client": 400}) as result:
        yield result


def as_reader(server: Server, method: str, path: str, **more: object) -> requests.Response:
    """Ask with the address alone."""
    return requests.request(method, server.url + path, timeout=60, **more)  # type: ignore[arg-type]


def test_programs_need_the_key_to_change_a_job(server: Server) -> None:
    made = server.send(RESULTS).json()
    assert len(made["owner"]) >= 20
    assert made["owner"] not in made["url"] + made["page"]
    url = made["url"]
    refusals = [
        as_reader(server, "DELETE", url),
        as_reader(server, "POST", f"{url}/cancel"),
        as_reader(server, "POST", f"{url}/retry"),
        as_reader(server, "PUT", f"{url}/player", json={"player": "Ann"}),
        as_reader(server, "DELETE", url, headers={"Authorization": "Bearer " + "x" * 24}),
        as_reader(server, "DELETE", url, headers={"Authorization": f"Basic {made['owner']}"}),
    ]
    for refused in refusals:
        assert refused.status_code == 403
        assert refused.json()["error"]["code"] == "not_owner"
    assert as_reader(server, "GET", url).json()["status"] == "queued"
    assert "owner" not in as_reader(server, "GET", url).json()
    other = server.send(RESULTS).json()["owner"]
    wrong = as_reader(server, "DELETE", url, headers={"Authorization": f"Bearer {other}"})
    assert wrong.status_code == 403
    right = as_reader(server, "DELETE", url, headers={"Authorization": f"Bearer {made['owner']}"})
    assert right.status_code == 204
    assert as_reader(server, "GET", url).status_code == 404


def test_only_a_hash_of_the_key_is_kept(server: Server) -> None:
    key = server.send(RESULTS).json()["owner"]
    for file in server.settings.data.glob("jobs.sqlite*"):
        assert key.encode() not in file.read_bytes()


def test_a_request_that_comes_again_gets_the_same_key(server: Server) -> None:
    again = {"Idempotency-Key": "twice"}
    first, second = (server.send(RESULTS, headers=again).json() for _ in range(2))
    assert (first["id"], first["owner"]) == (second["id"], second["owner"])
    assert (
        server.send(RESULTS, headers={"Idempotency-Key": "other"}).json()["owner"]
        != (first["owner"])
    )
    assert server.request("DELETE", first["url"]).status_code == 204


def test_a_batch_has_one_key_for_all_its_jobs(server: Server) -> None:
    players = [("player", "Jin Siyoung"), ("player", "Park Junghwan")]
    batch = server.send([("game.sgf", SGF)], "/api/batches", players).json()
    assert as_reader(server, "DELETE", batch["url"]).status_code == 403
    assert as_reader(server, "DELETE", batch["jobs"][0]["url"]).status_code == 403
    page = check_page(as_reader(server, "GET", batch["page"], headers=HTML).text)
    assert page.all("form") == []
    browser = requests.Session()
    owned = browser.get(server.url + batch["owner_page"], headers=HTML, timeout=60)
    assert check_page(owned.text).one("form").attributes["action"] == batch["page"] + "/delete"
    job = browser.get(server.url + batch["jobs"][1]["page"], headers=HTML, timeout=60)
    assert "/delete" in job.text
    key = {"Authorization": f"Bearer {batch['owner']}"}
    assert as_reader(server, "DELETE", batch["jobs"][0]["url"], headers=key).status_code == 204
    assert as_reader(server, "DELETE", batch["url"], headers=key).status_code == 204


def test_a_browser_that_sent_the_files_is_known_by_a_cookie_for_that_address(
    server: Server,
) -> None:
    browser = requests.Session()
    answer = browser.post(
        server.url + "/send",
        files=[("files", RESULTS[0])],
        headers=HTML,
        timeout=60,
        allow_redirects=False,
    )
    path = answer.headers["Location"]
    cookie = answer.headers["Set-Cookie"]
    assert f"Path={path};" in cookie
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Secure" not in cookie, "there is no TLS here"
    while server.worker.work():
        pass
    owned = browser.get(server.url + path, headers=HTML, timeout=60)
    link = check_page(owned.text).one("input", id="owner-link").attributes["value"]
    read = check_page(as_reader(server, "GET", path, headers=HTML).text)
    assert read.all("form", action=path + "/delete") == []
    assert read.all("input", id="owner-link") == []
    assert "can delete" not in read.one("main").text
    assert as_reader(server, "POST", path + "/delete", headers=HTML).status_code == 403
    # From another browser, by the owner's link.
    other = requests.Session()
    assert other.get(link[:-1], headers=HTML, timeout=60).status_code == 403
    there = other.get(link, headers=HTML, timeout=60)
    assert there.url == server.url + path, "the key does not stay in the address"
    gone = other.post(f"{server.url}{path}/delete", headers=HTML, timeout=60)
    assert check_page(gone.text).one("h1").text == "Deleted"
    assert as_reader(server, "GET", path, headers=HTML).status_code == 404


def test_a_reader_sees_the_question_without_the_buttons(server: Server) -> None:
    path = "/r/" + store_result(
        server.worker.store, "go", status="needs_player", players=[{"name": "Ann", "games": 2}]
    )
    assert check_page(as_reader(server, "GET", path, headers=HTML).text).all("form") == []
    refused = as_reader(server, "POST", path + "/player", data={"player": "Ann"}, headers=HTML)
    assert refused.status_code == 403
    assert check_page(refused.text).one("h1").text == "That is for the owner alone"


def test_jobs_of_an_older_table_are_read_and_expire(tmp_path: Path) -> None:
    settings = settings_for(tmp_path)
    store = JobStore(settings)
    address = store_result(store, "go", go_result(1), owned=False)
    store.close()
    # As the first version had it.
    with closing(sqlite3.connect(settings.data / "jobs.sqlite")) as table, table:
        table.execute("ALTER TABLE jobs DROP COLUMN owner")
        table.execute("PRAGMA user_version = 1")
    with serving(tmp_path) as server:
        assert server.job(address)["status"] == "done"
        refused = server.request("DELETE", f"/api/jobs/{address}")
        assert refused.status_code == 403
        assert refused.json()["error"]["code"] == "no_owner"
        page = check_page(server.get(f"/r/{address}", headers=HTML).text)
        assert page.all("form", action=f"/r/{address}/delete") == []
        assert server.request("POST", f"/api/jobs/{address}/cancel").status_code == 200
        new = server.accepted(RESULTS)
        assert server.request("DELETE", f"/api/jobs/{new}").status_code == 204
        store = server.worker.store
        late = JobStore(settings, lambda: time.time() + 31 * 86_400.0)
        with pytest.raises(RequestProblem, match="expired"):
            late.get(address)
        late.close()


def test_in_a_browser_the_owner_deletes_and_a_reader_cannot(server: Server) -> None:
    with chromium() as browser:
        own, other = browser.new_context(), browser.new_context()
        page, reader = own.new_page(), other.new_page()
        page.goto(server.url)
        page.set_input_files("#files", {"name": "a.csv", "mimeType": "", "buffer": results_csv()})
        page.get_by_role("button", name="Measure").click()
        page.wait_for_url("**/r/*")
        while server.worker.work():
            pass
        page.get_by_role("heading", name="Rating list").wait_for()
        address = page.get_by_label("Address for sharing").input_value()
        assert page.url == address, "the address bar holds no key"
        reader.goto(address)
        reader.get_by_role("heading", name="Rating list").wait_for()
        assert reader.get_by_text("Delete this result").count() == 0
        assert reader.get_by_role("button", name="Delete for good").count() == 0
        refused = reader.request.post(address + "/delete")
        assert refused.status == 403
        page.reload()
        page.get_by_text("Delete this result").click()
        page.get_by_role("button", name="Delete for good").click()
        page.get_by_role("heading", name="Deleted").wait_for()
        reader.reload()
        reader.get_by_role("heading", name="Not found").wait_for()
        own.close()
        other.close()
