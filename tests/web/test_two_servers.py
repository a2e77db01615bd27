"""Two servers that share nothing but a database: visitors may ask either."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests

from tests.web.line import Line
from tests.web.serving import LEAGUE, Server, serving, small_results
from yardstone.web import database

HTML = {"Accept": "text/html"}


@contextmanager
def pair_of(folder: Path, one: str, other: str) -> Iterator[tuple[Server, Server]]:
    """Two servers, each with a worker of its own that works when it is told to."""
    with (
        serving(folder / "machine1", database=one) as first,
        serving(folder / "machine2", database=other) as second,
    ):
        second.keys = first.keys  # whoever sent to one asks the other as the owner too
        yield first, second


def test_visitors_may_ask_either(tmp_path: Path, postgres_url: str) -> None:
    with pair_of(tmp_path, postgres_url, postgres_url) as (first, second):
        job = first.job(first.accepted([("league.csv", LEAGUE)]))
        with second.get(f"{job['url']}/events", stream=True) as stream:
            lines = stream.iter_lines()
            assert next(lines) == b"event: state"
            assert b'"status":"queued"' in next(lines)
            assert second.worker.work(), "the second machine's worker finds it"
            rest = b"\n".join(lines)
        assert (b'"status":"done"' in rest, b"event: end" in rest) == (True, True)
        for path in ("", "/result.json", "/result.csv"):
            answers = [each.get(f"{job['url']}{path}") for each in (first, second)]
            assert answers[0].status_code == 200
            assert answers[0].content == answers[1].content
        pages = [
            each.get(job["page"], headers=HTML).text.replace(each.url, "")
            for each in (first, second)
        ]
        assert pages[0] == pages[1]
        assert "112 games" in pages[0]
        for each in (first, second):
            assert 'yardstone_jobs{status="done"} 1' in requests.get(f"{each.url}/metrics").text
        assert requests.delete(second.url + job["url"], timeout=60).status_code == 403
        assert second.request("DELETE", job["url"]).status_code == 204
        assert first.get(job["url"]).status_code == 404
        files = [path for path in first.settings.data.rglob("*") if path.is_file()]
        assert files == [], "nothing stays in the folder of a server"
        # What one server stops a worker elsewhere gives up.
        address = first.accepted([("r.csv", small_results())])
        taken = first.worker.store.claim("elsewhere")
        assert taken is not None
        assert second.request("POST", f"/api/jobs/{address}/cancel").status_code == 200
        assert not first.worker.store.heartbeat(taken)


def test_while_the_database_is_away_visitors_are_told_so(
    tmp_path: Path, postgres_url: str, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "PATIENCE", 0.5)
    with pair_of(tmp_path, line.address(postgres_url), postgres_url) as (first, second):
        address = first.accepted([("r.csv", small_results())])
        line.cut()
        health = first.get("/health")
        assert (health.status_code, health.json()["status"]) == (503, "no_database")
        before = first.get(f"/api/jobs/{address}")
        sent = first.send([("r.csv", small_results())])
        page = first.get(f"/r/{address}", headers=HTML)
        for answer in (before, sent, page):
            assert answer.status_code == 503
            assert int(answer.headers["Retry-After"]) > 0
            assert "Traceback" not in answer.text
        assert before.json()["error"]["code"] == "storage"
        assert "<h1" in page.text
        assert second.job(address)["status"] == "queued", "the other goes on"
        line.restore()
        end = time.monotonic() + 600.0
        while first.get(f"/api/jobs/{address}").status_code != 200:
            assert time.monotonic() < end
            time.sleep(0.1)
        assert first.worker.work()
        assert second.job(address)["status"] == "done"
