"""What the store of the server costs: jobs made, taken and read, and files kept and fetched.

    python -m benchmarks.web_store [--jobs 1000] [--mebibytes 32] [--database URL]

In a file of SQLite and in PostgreSQL: that of `--database`, which must be empty, else one that
is started for it and waits for the disk as anyone's does.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

from tests.web.postgres import Postgres
from tests.web.serving import settings_for
from yardstone.web import upkeep
from yardstone.web.database import Job, fetch_files
from yardstone.web.service import delete_job
from yardstone.web.settings import Settings
from yardstone.web.store import JobStore, new_id

ROUNDS = 5
CLIENTS = 20
WORKERS = 4
LIMITS = {"queue": 10**6, "queue_client": 10**6, "disk_bytes": 2**40}
SMALL = 2000


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--jobs", type=int, default=1000)
    options.add_argument("--mebibytes", type=int, default=32)
    options.add_argument("--database", default="")
    given = options.parse_args()
    measured: dict[str, dict[str, str]] = {}
    with postgres(given.database) as url, tempfile.TemporaryDirectory() as folder:
        for name, address in (("SQLite", ""), ("PostgreSQL", url)):
            settings = settings_for(Path(folder) / name, LIMITS, database=address)
            measured[name] = dict(figures(settings, given.jobs, given.mebibytes << 20))
    print("| | " + " | ".join(measured) + " |")
    print("|---|" + "--:|" * len(measured))
    for what in next(iter(measured.values())):
        print(f"| {what} | " + " | ".join(each[what] for each in measured.values()) + " |")


@contextmanager
def postgres(url: str) -> Iterator[str]:
    """The address of an empty database."""
    if url:
        yield url
        return
    server = Postgres(durable=True)
    try:
        with server.database() as own:
            yield own
    finally:
        server.remove()


def figures(settings: Settings, jobs: int, size: int) -> Iterator[tuple[str, str]]:
    """What is measured, and how much it is."""
    store = JobStore(settings)
    data = settings.data / "sent"
    data.write_bytes(os.urandom(SMALL))
    made = [add(store, data, number) for number in range(jobs)]
    yield "jobs made by one process, a second", rate(made)
    address = store.get(made[-1][1], result=False)
    reads = [timed(lambda: (store.get(address.id), store.ahead(address))) for _ in range(200)]
    yield f"a job read, with its place among {jobs:,}, ms", milliseconds(reads)
    alone = [(seconds, None) for _, seconds in work(settings, jobs // 2)]
    yield "jobs taken and finished by one worker, a second", rate(alone)
    with ProcessPoolExecutor(WORKERS, get_context("spawn")) as pool:
        done = list(pool.map(work, [settings] * WORKERS, [jobs] * WORKERS))
    number = sum(map(len, done))
    assert number == jobs - jobs // 2, "each once"
    first = min(start for each in done for start, _ in each)
    last = max(start + taken for each in done for start, taken in each)
    yield f"the same by {WORKERS} workers", f"{number / (last - first):,.0f}"
    data.write_bytes(os.urandom(size))
    large = [add(store, data, 0) for _ in range(ROUNDS)]
    yield f"{size >> 20} MiB kept, ms", milliseconds(large)
    fetched = []
    for _ in range(ROUNDS):
        job = store.claim("large")
        assert job is not None
        fetched.append(timed(partial(fetch, store, job)))
        store.finish(job, "done", result="{}")
    yield f"{size >> 20} MiB fetched, ms", milliseconds(fetched)
    yield "their deletion, ms", milliseconds([timed(lambda: upkeep.drop_uploads(store))])
    deleted = [timed(partial(delete_job, store, job)) for _, job in large]
    yield "a job deleted, ms", milliseconds(deleted)
    store.close()


def timed(action: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds, and what came of it."""
    begun = time.perf_counter()
    result = action()
    return time.perf_counter() - begun, result


def milliseconds(runs: list[tuple[float, Any]]) -> str:
    return f"{1000.0 * median(seconds for seconds, _ in runs):,.1f}"


def rate(runs: list[tuple[float, Any]]) -> str:
    return f"{len(runs) / sum(seconds for seconds, _ in runs):,.0f}"


def add(store: JobStore, data: Path, number: int) -> tuple[float, str]:
    """Make a job of a file."""
    file = {"name": "a.csv", "size": data.stat().st_size, "format": "csv"}
    client = f"client {number % CLIENTS}"
    return timed(lambda: store.add("results", client, new_id(), [file], [{}], stored={0: data})[0])


def fetch(store: JobStore, job: Job) -> None:
    with tempfile.TemporaryDirectory() as folder:
        fetch_files(store.database, job.upload, job.files, Path(folder))


def work(settings: Settings, most: int) -> list[tuple[float, float]]:
    """Take and finish jobs, so many at most; when each was begun, and seconds."""
    store = JobStore(settings)
    name = f"worker {os.getpid()}"
    done: list[tuple[float, float]] = []
    while len(done) < most:
        begun = time.perf_counter()
        job = store.claim(name)
        if job is None:
            break
        store.finish(job, "done", result="{}")
        done.append((begun, time.perf_counter() - begun))
    store.close()
    return done


if __name__ == "__main__":
    main()
