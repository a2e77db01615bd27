"""Each call of the database fails once: what was to be done is done once, or not at all.

The call is refused (somebody else writes, the disk is ill), the line breaks before it is made,
or the line breaks when a transaction has ended and before the answer has come.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import OperationalError

from tests.web.serving import settings_for
from yardstone.web.database import METADATA, Job
from yardstone.web.problems import DatabaseAway
from yardstone.web.service import cancel_job, delete_job, retry_job
from yardstone.web.store import JobStore
from yardstone.web.upkeep import sweep

NOW = 1_000_000.0
#: Columns whose values differ between any two runs.
RANDOM = {"id", "batch", "mark"}
#: Faults, and whether the same call may be made again at once.
FAULTS = {"busy": True, "ill": False, "lost before": True, "lost after": True}


class Fault:
    """Lets the call of the given number fail, and no other."""

    def __init__(self, kind: str, number: int) -> None:
        self.kind, self.left = kind, number

    def due(self) -> bool:
        self.left -= 1
        return self.left == 0

    def statement(self, *_: Any) -> None:
        if self.kind != "lost after" and self.due():
            raise self.error()

    def error(self) -> Exception:
        error = sqlite3.OperationalError("made up")
        error.sqlite_errorcode = {
            "busy": sqlite3.SQLITE_BUSY, "ill": sqlite3.SQLITE_IOERR,
        }.get(self.kind, sqlite3.SQLITE_MISUSE)  # fmt: skip
        if self.kind.startswith("lost"):
            return OperationalError("", None, error, connection_invalidated=True)
        return error


@contextmanager
def failing(store: JobStore, fault: Fault) -> Iterator[None]:
    engine = store.database._engine
    commit = engine.dialect.do_commit

    def lose_answer(connection: Any) -> None:
        commit(connection)
        if fault.kind == "lost after" and fault.due():
            raise fault.error()

    sa.event.listen(engine, "do_execute", fault.statement)
    engine.dialect.do_commit = lose_answer  # type: ignore[assignment, method-assign]
    try:
        yield
    finally:
        engine.dialect.do_commit = commit  # type: ignore[method-assign]
        sa.event.remove(engine, "do_execute", fault.statement)


def content(store: JobStore) -> dict[str, list[dict[str, Any]]]:
    """All rows of all tables."""
    return {
        table.name: sorted(
            (
                {name: value for name, value in row._mapping.items() if name not in RANDOM}
                for row in store.database.rows(sa.select(table))
            ),
            key=repr,
        )
        for table in METADATA.sorted_tables
    }


def add(store: JobStore) -> list[str]:
    path = store.settings.data / "sent"
    path.write_bytes(b"abc" * 200_000)
    file = {"name": "a.csv", "size": 600_000, "format": "csv"}
    return store.add("results", "ann", "upload", [file], [{}, {}], stored={0: path}, key="k")


def added(store: JobStore) -> str:
    return add(store)[0]


def claimed(store: JobStore) -> Job:
    add(store)
    job = store.claim("w")
    assert job is not None
    return job


def failed(store: JobStore) -> str:
    job = claimed(store)
    assert store.finish(job, "failed", error={"code": "worker_died"}, keep_seconds=100.0)
    return job.id


def expired(store: JobStore) -> None:
    add(store)
    store.clock = lambda: NOW + 1e9


Step = tuple[Callable[[JobStore], Any], Callable[[JobStore, Any], object]]
STEPS: dict[str, Step] = {
    "add": (lambda _: None, lambda store, _: add(store)),
    "claim": (added, lambda store, _: store.claim("w")),
    "heartbeat": (claimed, lambda store, job: store.heartbeat(job, stage="rating", done=1)),
    "finish": (claimed, lambda store, job: store.finish(job, "done", result="{}")),
    "retry": (failed, retry_job),
    "cancel": (added, cancel_job),
    "delete": (added, delete_job),
    "sweep": (expired, lambda store, _: sweep(store)),
    "secret": (lambda _: None, lambda store, _: len(store.secret("client"))),
}


def fresh(folder: Path, step: Step) -> tuple[JobStore, Any]:
    store = JobStore(settings_for(folder), lambda: NOW)
    return store, step[0](store)


@pytest.mark.parametrize("kind", FAULTS)
@pytest.mark.parametrize("name", STEPS)
def test_each_call_fails_once(name: str, kind: str, tmp_path: Path) -> None:
    step = STEPS[name]
    store, given = fresh(tmp_path / "whole", step)
    before = content(store)
    step[1](store, given)
    whole = content(store)
    store.close()
    number, there = 0, True
    while there:
        number += 1
        store, given = fresh(tmp_path / str(number), step)
        fault = Fault(kind, number)
        went_on = True
        with failing(store, fault):
            try:
                step[1](store, given)
            except DatabaseAway:
                went_on = False
        there = fault.left <= 0
        what = f"{name}: {kind} at call {number}"
        assert went_on or not FAULTS[kind], what
        if not went_on:
            if name != "sweep":  # of several transactions
                assert content(store) == before, what
            step[1](store, given)
        found = content(store)
        if name == "secret":  # random bytes
            found["secrets"] = whole["secrets"]
        assert found == whole, what
        store.close()
    assert number > 1
