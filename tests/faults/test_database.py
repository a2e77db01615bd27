"""Each call of the database fails once: what was to be done is done once, or not at all.

The call is refused (somebody else writes, the disk is ill), the line breaks before it is made,
or the line breaks when a transaction has ended and before the answer has come.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from yardstone.web.database import Job
    from yardstone.web.store import JobStore

NOW = 1_000_000.0
#: Faults, and what SQLite says.
FAULTS = {
    "busy": sqlite3.SQLITE_BUSY,
    "ill": sqlite3.SQLITE_IOERR,
    "lost before": sqlite3.SQLITE_MISUSE,
    "lost after": sqlite3.SQLITE_MISUSE,
}


class Fault:
    """Lets the call of the given number fail, and no other."""

    def __init__(self, kind: str, number: int) -> None:
        self.kind, self.left = kind, number

    def call(self, *_: Any) -> None:
        from sqlalchemy.exc import OperationalError

        self.left -= 1
        if self.left == 0:
            error = sqlite3.OperationalError("made up")
            error.sqlite_errorcode = FAULTS[self.kind]
            if self.kind.startswith("lost"):
                raise OperationalError("", None, error, connection_invalidated=True)
            raise error


@contextmanager
def failing(store: JobStore, fault: Fault) -> Iterator[None]:
    import sqlalchemy as sa

    engine = store.database._engine
    commit = engine.dialect.do_commit

    def lose_answer(connection: Any) -> None:
        commit(connection)
        fault.call()

    with pytest.MonkeyPatch.context() as patch:
        if fault.kind == "lost after":
            patch.setattr(engine.dialect, "do_commit", lose_answer)
            yield
        else:
            sa.event.listen(engine, "do_execute", fault.call)
            yield
            sa.event.remove(engine, "do_execute", fault.call)


def content(store: JobStore) -> dict[str, list[str]]:
    """All rows of all tables."""
    import sqlalchemy as sa

    from yardstone.web.database import METADATA

    return {
        table.name: sorted(
            repr([each for each in row._mapping.items() if each[0] not in _hidden(table.name)])
            for row in store.database.rows(sa.select(table))
        )
        for table in METADATA.sorted_tables
    }


def _hidden(table: str) -> set[str]:
    """The columns whose values differ between any two runs."""
    return {"id", "batch", "mark", "value"} if table == "secrets" else {"id", "batch", "mark"}


def nothing(store: JobStore) -> None:
    pass


def added(store: JobStore, _: object = None) -> str:
    path = store.settings.data / "sent"
    path.write_bytes(b"abc" * 200_000)
    file = {"name": "a.csv", "size": 600_000, "format": "csv"}
    return store.add("results", "ann", "upload", [file], [{}, {}], stored={0: path}, key="k")[0]


def claimed(store: JobStore) -> Job:
    added(store)
    job = store.claim("w")
    assert job is not None
    return job


def failed(store: JobStore) -> str:
    job = claimed(store)
    assert store.finish(job, "failed", error={"code": "worker_died"}, keep_seconds=100.0)
    return job.id


def expired(store: JobStore) -> None:
    added(store)
    store.clock = lambda: NOW + 1e9


def of_service(name: str) -> Callable[[JobStore, Any], object]:
    def act(store: JobStore, job: object) -> object:
        from yardstone.web import service, upkeep

        if name == "sweep":
            upkeep.sweep(store)
            return None
        return getattr(service, f"{name}_job")(store, job)

    return act


#: What is there before, and what is done with it.
STEPS: dict[str, tuple[Callable[[JobStore], Any], Callable[[JobStore, Any], object]]] = {
    "add": (nothing, added),
    "claim": (added, lambda store, _: store.claim("w")),
    "heartbeat": (claimed, lambda store, job: store.heartbeat(job, stage="rating", done=1)),
    "finish": (claimed, lambda store, job: store.finish(job, "done", result="{}")),
    "retry": (failed, of_service("retry")),
    "cancel": (added, of_service("cancel")),
    "delete": (added, of_service("delete")),
    "sweep": (expired, of_service("sweep")),
    "secret": (nothing, lambda store, _: len(store.secret("client"))),
}


@pytest.mark.parametrize("kind", FAULTS)
@pytest.mark.parametrize("name", STEPS)
def test_each_call_fails_once(name: str, kind: str, tmp_path: Path) -> None:
    from tests.web.serving import settings_for
    from yardstone.web.problems import DatabaseAway
    from yardstone.web.store import JobStore

    prepare, step = STEPS[name]
    whole: dict[str, list[str]] = {}
    number, there = -1, True
    while there:
        number += 1  # the first time without a fault
        store = JobStore(settings_for(tmp_path / str(number)), lambda: NOW)
        given = prepare(store)
        before = content(store)
        fault = Fault(kind, number)
        went_on = True
        with failing(store, fault):
            try:
                step(store, given)
            except DatabaseAway:
                went_on = False
        there = fault.left <= 0
        what = f"{name}: {kind} at call {number}"
        assert went_on or kind == "ill", what  # else the same call is made again at once
        if not went_on:
            if name != "sweep":  # of several transactions
                assert content(store) == before, what
            step(store, given)
        whole = whole or content(store)
        assert content(store) == whole, what
        store.close()
    assert number > 1
