"""Processes that are killed in the middle of their work, and what becomes of the jobs."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.backgammon.gnubg_here import real_gnubg
from tests.web.processes import Served, until
from tests.web.serving import LEAGUE, MATCH, small_results


def matches(number: int) -> list[tuple[str, bytes]]:
    """Different matches, so that each is analysed: a job that takes its time."""
    real_gnubg()
    return [(f"{each}.mat", MATCH + b"\n" * each) for each in range(number)]


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "served"
    log = tmp_path / "served.log"
    print(log.read_text()[-3000:] if log.exists() else "")


def test_a_killed_worker_and_a_killed_server_lose_nothing(data: Path) -> None:
    with Served(data, "--workers", "2") as served:
        long = served.send(matches(3))
        jobs = [long, *(served.send([("r.csv", small_results(f"Ann {n}"))]) for n in range(4))]
        until(lambda: served.job(long)["status"] == "running", "the job runs")
        name = _worker_of(data, long)
        os.kill(name, signal.SIGKILL)
        server = served.kill("server")
        # The socket stays open: a request only waits for the new server.
        jobs.append(served.send([("r.csv", LEAGUE)]))
        result = [served.done(job) for job in jobs]
        assert result[0]["attempts"] == 2, "it was begun anew"
        assert all(job["attempts"] == 1 for job in result[3:])
        assert len(result[0]["result"]["matches"]) == 3
        assert result[-1]["result"]["games"] == 112
        assert server not in served.children("server")
        assert name not in served.children("worker")
        ended = dict(
            line.rsplit(" ", 1)
            for line in served.get("/metrics").text.splitlines()
            if line.startswith("yardstone_jobs_ended_total")
        )
        assert ended['yardstone_jobs_ended_total{kind="results",status="done"}'] == "5"
        assert ended['yardstone_jobs_ended_total{kind="backgammon",status="done"}'] == "1"
        assert served.end() == 0
    assert not list((data / "work").iterdir())


def _worker_of(data: Path, job: str) -> int:
    with closing(sqlite3.connect(data / "jobs.sqlite")) as table:
        row = table.execute("SELECT pid FROM workers WHERE job = ?", (job,)).fetchone()
    return int(row[0])


def alive(number: int) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_what_was_ended_or_killed_goes_on_at_the_next_start(data: Path) -> None:
    with Served(data, "--workers", "1") as served:
        job = served.send(matches(12))
        waiting = served.send([("r.csv", small_results())])
        until(lambda: served.job(job)["status"] == "running", "the job runs")
        assert served.end(signal.SIGINT) == 0
    with closing(sqlite3.connect(data / "jobs.sqlite")) as table:
        rows = table.execute("SELECT status, attempts FROM jobs").fetchall()
        assert table.execute("SELECT count(*) FROM workers").fetchone() == (0,)
    assert rows == [("queued", 0), ("queued", 0)], "an ordinary end costs no attempt"
    with Served(data, "--workers", "1") as served:
        until(lambda: served.job(job)["status"] == "running", "the job runs")
        children = served.children("worker") + served.children("server")
        assert len(children) == 2
        served.process.kill()
        until(lambda: not any(map(alive, children)), "no process outlives its supervisor")
    with Served(data, "--workers", "1") as served:
        result = served.done(job)
        assert len(result["result"]["matches"]) == 12
        assert served.done(waiting)["result"]["games"] == 4


def test_a_job_without_end_is_killed(data: Path) -> None:
    """A stopped process stands for one that computes without ever looking up."""
    with Served(data, "--workers", "1", lease=60.0) as served:
        job = served.send(matches(1))
        until(lambda: served.job(job)["status"] == "running", "the job runs")
        worker = _worker_of(data, job)
        os.kill(worker, signal.SIGSTOP)
        with closing(sqlite3.connect(data / "jobs.sqlite", timeout=30.0)) as table:
            table.execute("UPDATE jobs SET deadline = started")
            table.commit()
        until(lambda: served.job(job)["status"] == "failed", "it is ended")
        assert served.job(job)["error"]["code"] == "too_long"
        until(lambda: not alive(worker), "its worker is killed")
        assert served.done(served.send([("r.csv", small_results())]))["result"]["games"] == 4


def test_a_worker_that_takes_too_much_memory_is_killed(data: Path) -> None:
    """A worker that has loaded nothing yet takes more than this."""
    server = Served(data, "--workers", "1", "--set", "memory=20")
    try:
        log = data.parent / "served.log"
        until(lambda: '"event": "too heavy"' in log.read_text(), "it is noticed")
        until(lambda: log.read_text().count('"event": "ended"'), "it is killed")
        assert server.get("/api/limits").json()["memory"] == 20, "the server goes on"
    finally:
        server.end()


def test_workers_elsewhere_find_what_waits(data: Path) -> None:
    """No bell rings for workers of another supervisor: they look by themselves."""
    server = Served(data, "--workers", "0")
    try:
        job = until(lambda: server.send([("r.csv", small_results())]), "the server answers")
        assert server.get("/health").status_code == 503, "there is no worker"
        workers, errors = Served.start(data, "--only-workers", "--workers", "1")
        try:
            assert server.done(job)["result"]["games"] == 4
            again = server.send([("r.csv", small_results("Eve"))])
            assert server.done(again)["result"]["games"] == 4
        finally:
            workers.terminate()
            assert workers.wait(60.0) == 0
            errors.close()
            assert workers.stdout is not None
            workers.stdout.close()
    finally:
        server.end()
