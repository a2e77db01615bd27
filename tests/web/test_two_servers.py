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
from tests.web.serving import LEAGUE, SGF, Server, serving, small_results
from yardstone.records.sgf import read_games
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


def test_a_result_is_the_same_from_both(pair: Pair) -> None:
    job = pair.send(files=[("league.csv", LEAGUE)])
    waiting = pair.second.job(job["id"])
    assert waiting["status"] == "queued"
    assert pair.second.worker.work(), "the second machine's worker finds it"
    assert pair.first.job(job["id"])["status"] == "done"
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
    files = [path for path in pair.first.settings.data.rglob("*") if path.is_file()]
    assert files == [], "nothing stays in the folder of a server"


def test_the_owner_of_a_job_is_known_to_both(pair: Pair) -> None:
    job = pair.send()
    reader = requests.delete(pair.second.url + job["url"], timeout=60)
    assert reader.status_code == 403
    link = requests.get(pair.second.url + job["owner_page"], timeout=60, allow_redirects=False)
    assert job["owner"] in link.headers["Set-Cookie"]
    assert pair.second.request("POST", f"{job['url']}/cancel").json()["status"] == "cancelled"
    assert not pair.first.worker.work(), "it is cancelled"
    assert pair.second.request("DELETE", job["url"]).status_code == 204
    assert pair.first.get(job["url"]).status_code == 404


@pytest.mark.parametrize("action", ["cancel", "delete"])
def test_what_one_server_stops_a_worker_elsewhere_gives_up(pair: Pair, action: str) -> None:
    job = pair.send()
    taken = pair.first.worker.store.claim("elsewhere")
    assert taken is not None
    method, path = ("POST", "/cancel") if action == "cancel" else ("DELETE", "")
    assert pair.second.request(method, job["url"] + path).status_code in (200, 202, 204)
    assert not pair.first.worker.store.heartbeat(taken)
    assert not pair.first.worker.store.finish(taken, "done", result="{}")


def test_a_request_that_comes_again_to_the_other_is_the_same_job(pair: Pair) -> None:
    headers = {"Idempotency-Key": "once"}
    answers = [each.send(RESULTS, headers=headers) for each in (pair.first, pair.second)]
    assert {answer.status_code for answer in answers} == {202}
    bodies = [answer.json() for answer in answers]
    assert {body["id"] for body in bodies} == {bodies[0]["id"]}
    assert bodies[0]["owner"] == bodies[1]["owner"]
    # At the same moment too.
    headers = {"Idempotency-Key": "at once"}
    with ThreadPoolExecutor(8) as threads:
        ids = threads.map(
            lambda number: (pair.first, pair.second)[number % 2].send(RESULTS, headers=headers),
            range(8),
        )
        assert len({answer.json()["id"] for answer in ids}) == 1


def test_a_player_is_chosen_at_the_other(pair: Pair, tmp_path: Path) -> None:
    job = pair.send(files=[("game.sgf", SGF)])
    asked = pair.second.done(job["id"])
    assert asked["status"] == "needs_player"
    (tmp_path / "game.sgf").write_bytes(SGF)
    name = next(iter(read_games(tmp_path / "game.sgf"))).white
    chosen = pair.second.request("PUT", f"{job['url']}/player", json={"player": name})
    assert chosen.status_code == 202
    result = pair.first.job(job["id"])
    assert (result["status"], result["options"]["player"]) == ("queued", name)


def test_events_tell_what_a_worker_elsewhere_does(pair: Pair) -> None:
    job = pair.send()
    with pair.second.get(f"{job['url']}/events", stream=True) as stream:
        lines = stream.iter_lines()
        assert next(lines) == b"event: state"
        assert b'"status":"queued"' in next(lines)
        assert pair.first.worker.work()
        rest = b"\n".join(lines)
    assert b'"status":"done"' in rest
    assert b"event: end" in rest


def test_a_batch_is_one_at_both(pair: Pair) -> None:
    fields = [("player", "Park Junghwan"), ("player", "Jin Siyoung")]
    made = pair.send(files=[("game.sgf", SGF)], path="/api/batches", fields=fields)
    first, second = (each.get(made["url"]) for each in (pair.first, pair.second))
    assert len(first.json()["jobs"]) == 2
    assert first.content == second.content
    assert pair.second.request("DELETE", made["url"]).status_code == 204
    assert pair.first.get(made["url"]).status_code == 404


def test_the_queue_is_one_however_many_servers_fill_it(tmp_path: Path, postgres_url: str) -> None:
    limits = {"queue_client": 5, "uploads_client": 20}
    with pair_of(tmp_path, postgres_url, postgres_url, limits=limits) as pair:
        with ThreadPoolExecutor(12) as threads:
            answers = list(
                threads.map(
                    lambda number: (pair.first, pair.second)[number % 2].send(RESULTS), range(12)
                )
            )
        codes = sorted(answer.status_code for answer in answers)
        assert codes == [202] * 5 + [429] * 7
        refused = next(answer for answer in answers if answer.status_code == 429)
        assert refused.json()["error"]["code"] == "queue_client"
        assert refused.headers["Retry-After"]


def test_health_and_numbers_are_those_of_all(pair: Pair) -> None:
    pair.send()
    numbers = [jobs_of(each) for each in (pair.first, pair.second)]
    assert numbers[0] == numbers[1]
    assert 'yardstone_jobs{status="queued"} 1' in numbers[0]


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
        begun = time.monotonic()
        health = requests.get(pair.first.url + "/health", timeout=60)
        assert health.status_code == 503
        assert time.monotonic() - begun < 5.0
        begun = time.monotonic()
        before = pair.first.get(job["url"])
        sent = pair.first.send(RESULTS)
        page = pair.first.get(job["page"], headers=HTML)
        assert time.monotonic() - begun < 5.0
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
    end = time.monotonic() + 30.0
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
        lost_commit(line, lambda: pair.first.send(RESULTS, headers={"Idempotency-Key": "yours"}))
        again = pair.second.send(RESULTS, headers={"Idempotency-Key": "mine"})
        assert again.status_code == 202
        if answer.status_code == 202:
            assert again.json()["id"] == answer.json()["id"]
        assert pair.second.send(RESULTS, headers={"Idempotency-Key": "yours"}).status_code == 202
        assert line.losses == 2
        assert 'yardstone_jobs{status="queued"} 2' in jobs_of(pair.second)


def lost_commit(line: Line, action: Callable[[], object]) -> None:
    """Do something with the answer to its commit lost."""
    line.lose_answer(to=b"COMMIT")
    action()


@pytest.mark.parametrize("commits", range(5))
def test_a_job_is_finished_once_when_answers_are_lost(
    tmp_path: Path, postgres_url: str, line: Line, commits: int
) -> None:
    """One commit of a worker after the other is done without the worker learning it."""
    with pair_of(tmp_path, line.address(postgres_url), postgres_url) as pair:
        job = pair.send()
        line.lose_answer(to=b"COMMIT", skip=commits)
        for _ in range(5):
            with suppress(DatabaseAway):
                pair.first.worker.work()
        eventually(lambda: _ended(pair, job["url"]))
        assert 'yardstone_jobs_ended_total{kind="results",status="done"} 1' in jobs_of(pair.second)


def _ended(pair: Pair, url: str) -> bool:
    pair.second.worker.work()
    return bool(pair.second.get(url).json()["status"] == "done")
