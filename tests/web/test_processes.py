"""Processes that are killed in the middle of their work, and what becomes of the jobs."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import pytest

from tests.web.processes import PATIENCE, Served, until
from tests.web.serving import LEAGUE, small_results


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "served"


@contextmanager
def caught(served: Served) -> Iterator[tuple[str, int, sqlite3.Connection]]:
    """A job that runs, which cannot end within, its process, and the table, which is ours alone."""
    path = served.data / "jobs.sqlite"
    with closing(sqlite3.connect(path, timeout=60.0, isolation_level=None)) as table:
        for seed in range(1, 100):  # 800 players: a job that takes its time
            rows = [f"p{n % 800},p{(7 * n + seed) % 800},{n % 2}" for n in range(6000)]
            text = "\n".join(["white,black,score", *rows, ""])
            job = served.send([("r.csv", text.encode())])
            until(lambda: served.job(job)["status"] != "queued", "the job begins")  # noqa: B023
            table.execute("BEGIN IMMEDIATE")
            row = table.execute("SELECT pid FROM workers WHERE job = ?", (job,)).fetchone()
            if row is not None:
                yield job, int(row[0]), table
                table.execute("COMMIT")
                return
            table.execute("COMMIT")  # it is over already: another one


def alive(number: int) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_whatever_is_killed_nothing_is_lost(data: Path) -> None:
    with Served(data, "--workers", "1") as served:
        with caught(served) as (long, worker, _):
            os.kill(worker, signal.SIGKILL)
            server = served.kill("server")
        # The socket stays open: a request only waits for the new server.
        jobs = [served.send([("r.csv", LEAGUE)]), served.send([("r.csv", small_results())])]
        assert served.done(long)["attempts"] == 2, "it was begun anew"
        done = [served.done(job) for job in jobs]
        assert [(job["attempts"], job["result"]["games"]) for job in done] == [(1, 112), (1, 4)]
        assert server not in served.children("server")
        assert worker not in served.children("worker")
        # A stopped process stands for one that computes without ever looking up.
        with caught(served) as (job, worker, table):
            os.kill(worker, signal.SIGSTOP)
            table.execute("UPDATE jobs SET deadline = started WHERE id = ?", (job,))
        until(lambda: served.job(job)["status"] == "failed", "it is ended")
        assert served.job(job)["error"]["code"] == "too_long"
        until(lambda: not alive(worker), "its worker is killed")
        with caught(served) as (job, _, _table):
            waiting = served.children("worker") + served.children("server")
            assert len(waiting) == 2
            served.process.kill()
        until(lambda: not any(map(alive, waiting)), "no process outlives its supervisor")
    with Served(data, "--workers", "1") as served:
        assert served.done(job)["result"]["games"] == 6000
        assert served.end() == 0
    assert not list((data / "work").iterdir())


def test_a_process_whose_end_hangs_ends_all_the_same() -> None:
    code = "import time; from yardstone.web.supervisor import orders; "
    code += "orders(lambda: None, 0.1); time.sleep(600)"
    words = [sys.executable, "-c", code]
    assert subprocess.run(words, input=b"{}\n", check=False, timeout=PATIENCE).returncode == 1


#: Read by every Python at its start: its clock is off by the seconds that stand in a file.
CLOCK = """
import os, time
true = time.time
def shifted():
    with open(os.environ["YARDSTONE_TEST_CLOCK"]) as file:
        return true() + float(file.read())
time.time = shifted
"""


def test_a_clock_that_is_set_back_stops_nothing(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, code = tmp_path / "clock", tmp_path / "code"

    def set_clock(days: float) -> None:
        new = clock.with_suffix(".new")
        new.write_text(str(86_400.0 * days))
        new.replace(clock)

    set_clock(0.0)
    code.mkdir()
    (code / "sitecustomize.py").write_text(CLOCK)
    monkeypatch.setenv("YARDSTONE_TEST_CLOCK", str(clock))
    monkeypatch.setenv("PYTHONPATH", str(code), prepend=os.pathsep)
    with Served(data, "--workers", "1") as served:
        first = served.send([("r.csv", small_results("Ann"))])
        before = served.done(first)
        set_clock(-7.0)
        after = served.done(served.send([("r.csv", small_results("Eve"))]))
        assert after["finished"] < before["created"], "the clock was set back"
        served.kill("worker")
        assert served.done(served.send([("r.csv", small_results("Bob"))]))["attempts"] == 1
        set_clock(1.0)
        assert served.done(served.send([("r.csv", small_results("Joe"))]))["attempts"] == 1
        assert served.job(first)["status"] == "done", "it expires by its day"
        until(lambda: served.get("/health").status_code == 200, "the worker shows itself again")
        numbers = served.get("/metrics").text
        assert 'yardstone_jobs_ended_total{kind="results",status="done"} 4' in numbers
        assert not re.search(r" -\d", numbers)
    assert '"trace"' not in data.with_name("served.log").read_text()


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


def test_nothing_is_lost_or_done_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two servers and three workers, each on a line of its own to the database: each fault once."""
    from benchmarks import web_cluster
    from benchmarks.web_trouble import Trouble

    for name, seconds in (("LOOK", 0.3), ("CALM", 0.3), ("PAUSE", 0.3)):
        monkeypatch.setattr(web_cluster, name, seconds)
    monkeypatch.setattr(web_cluster, "Trouble", partial(Trouble, seconds=1.0))
    _, wrong = web_cluster.together(tmp_path, visitors=4, seconds=0.0, faults=True, seed=1)
    assert wrong == []
