"""A user's name in place of files: only where the operator allows it, and within limits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser import chromium
from tests.records.ogs_server import OgsServer, game_entry, ogs_server
from tests.web.reading import check_page
from tests.web.serving import Server, serving, settings_for, small_results
from yardstone.errors import UsageError
from yardstone.parallel import context
from yardstone.pool import SkipReport
from yardstone.web.sent_files import import_games

HTML = {"Accept": "text/html"}
RECORD = b"(;FF[4]GM[1]SZ[19]PB[Ann]PW[Bob]RE[B+R];B[pd];W[dd];B[pq];W[dp])\n"


@pytest.fixture
def ogs() -> Iterator[OgsServer]:
    with ogs_server() as result:
        result.players = {"Ann": 77}
        result.games = [game_entry(number, "Ann", "Bob") for number in (3, 2, 1)]
        result.records = dict.fromkeys(range(4), RECORD)
        yield result


@pytest.fixture
def server(ogs: OgsServer, tmp_path: Path) -> Iterator[Server]:
    limits = {"import_games": 2, "imports_hour": 4}
    with serving(tmp_path, limits, importer="ogs", importer_url=ogs.url) as result:
        yield result


def test_it_is_off_unless_switched_on(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        page = check_page(server.get("/", headers=HTML).text)
        assert page.all("input", id="ogs") == []
        assert server.get("/api/limits").json()["importers"] == []
        refused = server.send([], fields=[("ogs", "Ann")])
        assert refused.status_code == 422
        assert refused.json()["error"]["code"] == "no_importer"
    with pytest.raises(UsageError, match="no stable public interface"):
        settings_for(tmp_path, importer="ogs,fox")
    with pytest.raises(UsageError, match="is not an address"):
        settings_for(tmp_path, importer="ogs", importer_url="localhost")


def test_the_latest_games_are_fetched_by_the_worker(server: Server, ogs: OgsServer) -> None:
    page = check_page(server.get("/", headers=HTML).text)
    assert "2 latest public even games" in page.one("p", id="ogs-hint").text
    assert server.get("/api/limits").json()["importers"] == ["ogs"]
    answer = server.send([], fields=[("ogs", "ann")])
    assert answer.status_code == 202, answer.text
    assert (answer.json()["kind"], ogs.asked) == ("go", [])
    folder = server.settings.data / "fetched"
    skipped = SkipReport()
    calls: list[tuple[str, int, int]] = []
    with context(progress=lambda *state: calls.append(state)):
        user, files = import_games(server.settings, "ann", folder, skipped)
    assert user == "Ann"
    assert [file.name for file in files] == ["Ann-3.sgf", "Ann-2.sgf"]
    assert calls[-1] == ("fetching", 2, 2)
    job = server.done(answer.json()["id"])
    assert job["options"]["ogs"] == "ann"
    # The games are here; two moves of hers are too few for a rank.
    assert ogs.asked.count("/api/v1/games/3/sgf") == 2
    assert (job["status"], job["error"]["code"]) == ("failed", "input")
    assert job["error"]["message"] == "too few moves of Ann for a rank: 2"


def test_a_user_who_is_not_there(server: Server) -> None:
    address = server.accepted([], fields=[("ogs", "Nobody")])
    job = server.done(address)
    assert job["status"] == "failed"
    assert job["error"]["message"] == "OGS knows no user called 'Nobody'"


def test_what_does_not_go_together(server: Server) -> None:
    both = server.send([("r.csv", small_results())], fields=[("ogs", "Ann")])
    assert both.json()["error"]["code"] == "files_and_name"
    other = server.send([], "/api/ratings", [("ogs", "Ann")])
    assert other.status_code == 422
    long = server.send([], fields=[("ogs", "x" * 300)])
    assert long.json()["error"]["code"] == "bad_option"
    none = server.send([], fields=[("ogs", " ")])
    assert none.json()["error"]["code"] == "no_files"


def test_names_are_counted_by_the_hour(tmp_path: Path) -> None:
    with serving(tmp_path, {"imports_hour": 2}, importer="ogs") as server:
        for name in ("Ann", "Bob"):
            server.accepted([], fields=[("ogs", name)])
        refused = server.send([], fields=[("ogs", "Ann")])
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "1800")
    assert "2 times an hour" in refused.json()["error"]["message"]


def test_the_field_of_the_page(server: Server) -> None:
    with chromium() as browser:
        page = browser.new_page()
        page.goto(server.url)
        page.get_by_role("button", name="Measure").click()
        page.get_by_text("Choose the records of some games first.").wait_for()
        page.get_by_label("Or name a user of OGS").fill("Nobody")
        page.get_by_role("button", name="Measure").click()
        page.wait_for_url("**/r/*")
        server.worker.work()
        page.get_by_text("OGS knows no user called 'Nobody'").wait_for()
        page.close()
