"""Two servers that share nothing but a database: visitors may ask either."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.web.line import Line
from tests.web.postgres import Postgres
from tests.web.serving import LEAGUE, Server, serving, small_results
from yardstone.web import database
from yardstone.web.problems import DatabaseAway

HTML = {"Accept": "text/html"}
RESULTS = [("r.csv", small_results())]


class Pair:
    """Two servers, each with a worker of its own that works when it is told to."""

    def __init__(self, first: Server, second: Server) -> None:
        self.first = first
        self.second = second
        second.keys = first.keys  # whoever sent to one asks the other as the owner too

    def send(self, *, files: Any = RESULTS, **more: Any) -> dict[str, Any]:
        answer = self.first.send(files, **more)
        assert answer.status_code == 202, answer.text
        made: dict[str, Any] = answer.json()
        return made


@pytest.fixture(scope="module")
def shared(postgres: Postgres) -> Iterator[str]:
    with postgres.database() as url:
        yield url


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory, shared: str) -> Iterator[Pair]:
    with pair_of(tmp_path_factory.mktemp("two"), shared, shared) as result:
        yield result


@pytest.fixture
def pair(two: Pair, postgres: Postgres, shared: str) -> Pair:
    """Two servers whose tables are empty."""
    tables = ("jobs", "uploads", "clients", "counters")
    for table in tables:
        postgres.execute(f"DELETE FROM yardstone.{table}", shared.rpartition("/")[2])
    return two


def pair_of(folder: Path, *databases: str, limits: dict[str, Any] | None = None) -> _Pairs:
    return _Pairs(folder, databases, limits)


class _Pairs(ExitStack):
    def __init__(self, folder: Path, databases: tuple[str, ...], limits: Any) -> None:
        super().__init__()
        self._folder = folder
        self._databases = databases
        self._limits = limits

    def __enter__(self) -> Pair:  # type: ignore[override]
        super().__enter__()
        servers = []
        for number, url in enumerate(self._databases):
            folder = self._folder / f"machine{number}"
            servers.append(self.enter_context(serving(folder, self._limits, database=url)))
        return Pair(*servers)


def test_visitors_may_ask_either(pair: Pair) -> None:
    job = pair.send(files=[("league.csv", LEAGUE)])
    with pair.second.get(f"{job['url']}/events", stream=True) as stream:
        lines = stream.iter_lines()
        assert next(lines) == b"event: state"
        assert b'"status":"queued"' in next(lines)
        assert pair.second.worker.work(), "the second machine's worker finds it"
        rest = b"\n".join(lines)
    assert b'"status":"done"' in rest
    assert b"event: end" in rest
    for path in ("", "/result.json", "/result.csv"):
        first, second = (each.get(f"{job['url']}{path}") for each in (pair.first, pair.second))
        assert first.status_code == 200
        assert first.content == second.content
    pages = [
        each.get(job["page"], headers=HTML).text.replace(each.url, "")
        for each in (pair.first, pair.second)
    ]
    assert pages[0] == pages[1]
    assert "112 games" in pages[0]
    numbers = [jobs_of(each) for each in (pair.first, pair.second)]
    assert numbers[0] == numbers[1]
    assert 'yardstone_jobs{status="done"} 1' in numbers[0]
    assert requests.delete(pair.second.url + job["url"], timeout=60).status_code == 403
    assert pair.second.request("DELETE", job["url"]).status_code == 204
    assert pair.first.get(job["url"]).status_code == 404
    files = [path for path in pair.first.settings.data.rglob("*") if path.is_file()]
    assert files == [], "nothing stays in the folder of a server"
    # What one server stops a worker elsewhere gives up.
    job = pair.send()
    taken = pair.first.worker.store.claim("elsewhere")
    assert taken is not None
    assert pair.second.request("POST", job["url"] + "/cancel").status_code == 200
    assert not pair.first.worker.store.heartbeat(taken)


def test_a_request_that_comes_again_to_the_other_is_the_same_job(pair: Pair) -> None:
    headers = {"Idempotency-Key": "at once"}
    with ThreadPoolExecutor(8) as threads:
        answers = threads.map(
            lambda number: (pair.first, pair.second)[number % 2].send(RESULTS, headers=headers),
            range(8),
        )
        made = {(answer.json()["id"], answer.json()["owner"]) for answer in answers}
    assert len(made) == 1


def jobs_of(server: Server) -> list[str]:
    text = requests.get(server.url + "/metrics", timeout=60).text
    return [line for line in text.splitlines() if line.startswith(("yardstone_job", "yardstone_w"))]


# When the database does not answer


@pytest.fixture
def line(postgres: Postgres) -> Iterator[Line]:
    with Line(postgres.port) as result:
        yield result


@pytest.mark.parametrize("how", ["cut", "stall", "forget"])
def test_while_the_database_is_away_visitors_are_told_so(
    tmp_path: Path, postgres_url: str, line: Line, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "_SILENCE", 1.0)  # seconds; so that nobody waits for long here
    monkeypatch.setattr(database, "_CONNECT", 2)
    monkeypatch.setattr(database, "PATIENCE", 1.0)
    ways: dict[str, Callable[[], None]] = {
        "cut": line.cut,
        "stall": line.stall,
        "forget": partial(line.stall, forget=True),
    }
    with pair_of(tmp_path, line.address(postgres_url), postgres_url) as pair:
        job = pair.send()
        requests.get(pair.first.url + "/health", timeout=60)
        ways[how]()
        health = requests.get(pair.first.url + "/health", timeout=60)
        assert (health.status_code, health.json()["status"]) == (503, "no_database")
        before = pair.first.get(job["url"])
        sent = pair.first.send(RESULTS)
        page = pair.first.get(job["page"], headers=HTML)
        for answer in (before, sent, page):
            assert answer.status_code == 503
            assert int(answer.headers["Retry-After"]) > 0
        assert before.json()["error"]["code"] == "storage"
        assert "<h1" in page.text
        assert "Traceback" not in page.text
        assert pair.second.job(job["id"])["status"] == "queued", "the other goes on"
        line.restore()
        eventually(lambda: pair.first.get(job["url"]).status_code == 200)
        assert pair.first.worker.work()
        assert pair.second.job(job["id"])["status"] == "done"


def eventually(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 600.0
    while not true():
        assert time.monotonic() < end
        time.sleep(0.1)


def test_a_job_is_made_once_when_the_answer_is_lost(
    tmp_path: Path, postgres_url: str, line: Line
) -> None:
    """The line is cut between the commit and its answer."""
    with pair_of(tmp_path, line.address(postgres_url), postgres_url) as pair:
        line.lose_answer(to=b"INSERT INTO")
        answer = pair.first.send(RESULTS, headers={"Idempotency-Key": "mine"})
        line.lose_answer(to=b"COMMIT")
        pair.first.send(RESULTS, headers={"Idempotency-Key": "yours"})
        again = pair.second.send(RESULTS, headers={"Idempotency-Key": "mine"})
        assert again.status_code == 202
        if answer.status_code == 202:
            assert again.json()["id"] == answer.json()["id"]
        assert pair.second.send(RESULTS, headers={"Idempotency-Key": "yours"}).status_code == 202
        assert line.losses == 2
        assert 'yardstone_jobs{status="queued"} 2' in jobs_of(pair.second)


def test_a_job_is_finished_once_when_answers_are_lost(
    tmp_path: Path, postgres_url: str, line: Line
) -> None:
    """One commit of a worker after the other is done without the worker learning it."""
    with pair_of(tmp_path, line.address(postgres_url), postgres_url) as pair:
        for commits in range(5):
            job = pair.send()
            line.lose_answer(to=b"COMMIT", skip=commits)
            for _ in range(5):
                with suppress(DatabaseAway):
                    pair.first.worker.work()
            eventually(partial(_ended, pair, job["url"]))
            done = f'yardstone_jobs_ended_total{{kind="results",status="done"}} {commits + 1}'
            assert done in jobs_of(pair.second)


def _ended(pair: Pair, url: str) -> bool:
    pair.second.worker.work()
    return bool(pair.second.get(url).json()["status"] == "done")
