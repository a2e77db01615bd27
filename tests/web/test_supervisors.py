"""What keeps the processes going: under a clock set back, a full disk, two in one folder."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import requests

from tests.web.processes import Served, until
from tests.web.serving import small_results


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "served"
    log = tmp_path / "served.log"
    print(log.read_text()[-3000:] if log.exists() else "")


def results(name: str) -> list[tuple[str, bytes]]:
    return [("r.csv", small_results(name))]


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
    """The clock of the day, that is: what measures time goes on, as it does in any system."""
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
        first = served.send(results("Ann"))
        before = served.done(first)
        set_clock(-7.0)
        second = served.send(results("Eve"))
        after = served.done(second)
        assert after["finished"] < before["created"], "the clock was set back"
        served.kill("worker")
        assert served.done(served.send(results("Bob")))["attempts"] == 1
        set_clock(1.0)
        assert served.done(served.send(results("Joe")))["attempts"] == 1
        assert served.job(first)["status"] == "done", "it expires by its day"
        until(lambda: served.get("/health").status_code == 200, "the worker shows itself again")
        numbers = served.get("/metrics").text
        assert 'yardstone_jobs_ended_total{kind="results",status="done"} 4' in numbers
        values = [line.split()[-1] for line in numbers.splitlines() if not line.startswith("#")]
        assert all(float(value) >= 0.0 for value in values)
    assert '"trace"' not in data.with_name("served.log").read_text()


def test_a_full_disk_refuses_and_loses_nothing(data: Path) -> None:
    """No process may write a file beyond some bytes, as when nothing is left."""
    with Served(data, "--workers", "1") as served:
        kept = served.send(results("Ann"))
        served.done(kept)
        going = served.send([("r.csv", many_results())])
        # Its files are read by then: without a place for them a job fails, to be tried again.
        until(lambda: served.job(going)["progress"]["stage"] == "rating", "the job computes")
        processes = [*served.children("server"), *served.children("worker"), served.process.pid]
        fill(processes, 1000)
        refused = requests.post(
            served.url + "/api/jobs", files=[("files", results("Eve")[0])], timeout=60
        )
        assert refused.status_code == 503
        assert refused.json()["error"]["code"] == "storage"
        assert int(refused.headers["Retry-After"]) > 0
        assert served.job(kept)["status"] == "done", "what is there can be read"
        time.sleep(3.0)
        assert served.job(going)["status"] == "running", "the result finds no place"
        fill(processes, resource.RLIM_INFINITY)
        job = until(lambda: sent(served, "Eve"), "there is room again")
        assert served.done(job)["result"]["games"] == 4
        assert served.done(going)["attempts"] <= 2
        assert 'status="done"} 3' in served.get("/metrics").text, "each is counted once"
        assert '"trace"' not in data.with_name("served.log").read_text()


def many_results() -> bytes:
    """Results of 800 players: a job that takes its time."""
    rows = [f"p{n % 800},p{(7 * n + 1) % 800},{n % 2}" for n in range(6000)]
    return "\n".join(["white,black,score", *rows]).encode() + b"\n"


def fill(processes: list[int], size: int) -> None:
    for number in processes:
        _, most = resource.prlimit(number, resource.RLIMIT_FSIZE)
        resource.prlimit(number, resource.RLIMIT_FSIZE, (size, most))


def sent(served: Served, name: str) -> str | None:
    """The job, if it was taken."""
    answer = requests.post(
        served.url + "/api/jobs", files=[("files", results(name)[0])], timeout=60
    )
    return str(answer.json()["id"]) if answer.status_code == 202 else None


def test_two_supervisors_share_a_folder(data: Path) -> None:
    """Two of the same command, by mistake or not: each job is done once, by either."""
    with ExitStack() as stack:
        # On a busy machine a worker's first job may keep it from renewing its lease for seconds.
        first = stack.enter_context(Served(data, "--workers", "1", lease=20.0))
        second = stack.enter_context(Served(data, "--workers", "1", lease=20.0))
        jobs = [(first, second)[n % 2].send(results(f"Ann {n}")) for n in range(6)]
        for place, job in enumerate(jobs):
            assert (second, first)[place % 2].done(job)["attempts"] == 1
        first.process.kill()
        job = second.send(results("Eve"))
        assert second.done(job)["result"]["games"] == 4
        assert 'status="done"} 7' in second.get("/metrics").text
        assert second.end() == 0
    assert not [path for path in (data / "work").iterdir() if any(path.iterdir())]
    assert not any((data / "uploads").iterdir())
