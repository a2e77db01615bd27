"""A store of jobs whose clock stands still until it is set."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from sqlalchemy import Table, select, update

from yardstone.web.database import Job, jobs
from yardstone.web.problems import RequestProblem
from yardstone.web.settings import Settings
from yardstone.web.store import JobStore, new_id

DAY = 86_400.0


class Clock:
    """Time in seconds, which others move."""

    def __init__(self, now: float = 1_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


class Time(Clock):
    """What a module asks of `time`: to sleep is to let time pass."""

    def __init__(self) -> None:
        super().__init__(1000.0)
        self.slept: list[float] = []
        self.monotonic = self

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


class JobTable(JobStore):
    """A store with helpers: each job is sent a second after the last one."""

    clock: Clock

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings, Clock())

    def put(
        self, client: str = "ann", number: int = 1, name: str = "a.csv", text: str = "", **more: Any
    ) -> list[str]:
        """Send a file, whose text is its name by default, for so many jobs; their addresses."""
        self.clock.now += 1.0
        files = [{"name": name, "size": len(text or name), "format": "csv"}]
        path = self.settings.data / f"sent-{threading.get_ident()}"
        path.write_text(text or name)
        given = {"stored": {0: path}, "batch": number > 1, "upload": new_id(), **more}
        made = self.add("results", client, given.pop("upload"), files, [{}] * number, **given)
        path.unlink()
        return made

    def take(self, worker: str = "w") -> Job:
        """Begin the next job."""
        job = self.claim(worker)
        assert job is not None
        return job

    def status(self, job: str) -> str:
        return self.get(job).status

    def set(self, job: str, **values: Any) -> None:
        """Change a job behind everybody's back."""
        changed = update(jobs).where(jobs.c.id == job).values(values)
        self.database.write(lambda connection: connection.execute(changed))

    def all(self, table: Table) -> list[dict[str, Any]]:
        """All rows of a table."""
        return [dict(row._mapping) for row in self.database.rows(select(table))]


def refused(action: Callable[..., object], *given: Any) -> tuple[int, str, int | None] | None:
    """What a program sees of a refusal; None without one."""
    try:
        action(*given)
    except RequestProblem as problem:
        return problem.status, problem.code, problem.retry_after
    return None


def at_once(number: int, action: Callable[[int], object]) -> None:
    """Do something in as many threads, which all begin at the same moment."""
    ready = threading.Barrier(number)

    def run(place: int) -> None:
        ready.wait()
        action(place)

    with ThreadPoolExecutor(number) as threads:
        for each in [threads.submit(run, place) for place in range(number)]:
            each.result()
