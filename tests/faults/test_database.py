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
    from yardstone.web.store import JobStore

NOW = 1_000_000.0
#: Faults, and what SQLite says.
FAULTS = {
    "busy": sqlite3.SQLITE_BUSY,
    "ill": sqlite3.SQLITE_IOERR,
    "lost before": sqlite3.SQLITE_MISUSE,
    "lost after": sqlite3.SQLITE_MISUSE,
}
#: Columns whose values differ between any two runs.
HIDDEN = {"secrets": {"id", "batch", "mark", "value"}}


@contextmanager
def failing(store: JobStore, kind: str, number: int) -> Iterator[list[int]]:
    import sqlalchemy as sa

    engine, calls = store.database._engine, list[int]()
    commit = engine.dialect.do_commit

    def call(*_: Any) -> None:
        calls.append(len(calls) + 1)
        if calls[-1] == number:
            error = sqlite3.OperationalError("made up")
            error.sqlite_errorcode = FAULTS[kind]
            if kind.startswith("lost"):
                raise sa.exc.OperationalError("", None, error, connection_invalidated=True)
            raise error

    def lose_answer(connection: Any) -> None:
        commit(connection)
        call()

    with pytest.MonkeyPatch.context() as patch:
        if kind == "lost after":
            patch.setattr(engine.dialect, "do_commit", lose_answer)
            yield calls
        else:
            sa.event.listen(engine, "do_execute", call)
            yield calls
            sa.event.remove(engine, "do_execute", call)


def content(store: JobStore) -> dict[str, list[str]]:
    import sqlalchemy as sa

    from yardstone.web.database import METADATA

    return {
        table.name: sorted(
            repr([each for each in row._mapping.items() if each[0] not in hidden])
            for row in store.database.rows(sa.select(table))
        )
        for table in METADATA.sorted_tables
        if (hidden := HIDDEN.get(table.name, {"id", "batch", "mark"}))
    }


def added(store: JobStore, _: object = None) -> str:
    path = store.settings.data / "sent"
    path.write_bytes(b"abc" * 200_000)
    file = {"name": "a.csv", "size": 600_000, "format": "csv"}
    return store.add("results", "ann", "upload", [file], [{}, {}], stored={0: path}, key="k")[0]


def claimed(store: JobStore) -> Any:
    added(store)
    job = store.claim("w")
    assert job is not None
    return job


def failed(store: JobStore) -> str:
    job = claimed(store)
    assert store.finish(job, "failed", error={"code": "worker_died"}, keep_seconds=100.0)
    return str(job.id)


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
    "add": (lambda _: None, added),
    "claim": (added, lambda store, _: store.claim("w")),
    "heartbeat": (claimed, lambda store, job: store.heartbeat(job, stage="rating", done=1)),
    "finish": (claimed, lambda store, job: store.finish(job, "done", result="{}")),
    "retry": (failed, of_service("retry")),
    "cancel": (added, of_service("cancel")),
    "delete": (added, of_service("delete")),
    "sweep": (expired, of_service("sweep")),
    "secret": (lambda _: None, lambda store, _: len(store.secret("client"))),
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
        what = f"{name}: {kind} at call {number}"
        with failing(store, kind, number) as calls:
            try:
                step(store, given)
            except DatabaseAway:
                assert kind == "ill", what  # else the same call is made again at once
                away = True
            else:
                away = False
        there = len(calls) >= number
        if away:
            assert name == "sweep" or content(store) == before, what  # a sweep is many transactions
            step(store, given)
        whole = whole or content(store)
        assert content(store) == whole, what
        store.close()
    assert number > 1
