"""The database: made once, taken over from older versions, shared, lost and found again."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, func, select, text
from sqlalchemy.exc import IntegrityError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as NoneFree

from tests.web.line import Line
from tests.web.postgres import Postgres
from tests.web.serving import settings_for
from tests.web.tables import Time, at_once
from yardstone.errors import InputError, UsageError
from yardstone.web import database, notices, upkeep
from yardstone.web.database import Database, Job, chunks, fetch_files, uploads
from yardstone.web.notices import QUEUED, Changes, Listener
from yardstone.web.problems import DatabaseAway, RequestProblem
from yardstone.web.service import cancel_job, delete_job
from yardstone.web.settings import Settings, load_settings
from yardstone.web.store import JobStore, new_id

PIECE = 1 << 18
BYTES = bytes(range(256)) * 3000
FILE = {"name": "a.csv", "size": len(BYTES), "format": "csv"}
Stores = Callable[..., JobStore]


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[Callable[..., JobStore]]:
    """Makes stores, as processes of their own have them."""
    made: list[JobStore] = []

    def new(database: str = "", **more: Any) -> JobStore:
        settings = settings_for(tmp_path / f"machine{len(made)}", database=database, **more)
        made.append(JobStore(settings))
        return made[-1]

    yield new
    for store in made:
        store.close()


def put(store: JobStore, client: str = "ann", data: bytes = BYTES, **more: Any) -> str:
    path = store.settings.data / f"sent{threading.get_ident()}"
    path.write_bytes(data)
    file = {**FILE, "size": len(data)}
    return store.add("results", client, new_id(), [file], [{}], stored={0: path}, **more)[0]


def take(store: JobStore, worker: str = "w") -> Job:
    job = store.claim(worker)
    assert job is not None
    return job


def test_many_that_start_at_once_make_the_tables_once(stores: Stores, postgres_url: str) -> None:
    secrets: list[bytes] = []
    at_once(6, lambda _: secrets.append(stores(postgres_url).secret("client")))
    assert (len(secrets), len(set(secrets))) == (6, 1)
    later = text("UPDATE version SET number = 4")
    stores(postgres_url).database.write(lambda connection: connection.execute(later))
    with pytest.raises(InputError, match="its version is 4, and this Yardstone knows 3") as result:
        stores(postgres_url)
    assert result.value.hint == "name another --database"


@pytest.mark.parametrize(("version", "owner"), [(1, None), (2, "ann")])
def test_older_versions_are_taken_over(
    version: int, owner: str | None, stores: Stores, tmp_path: Path
) -> None:
    store = stores()
    files = [FILE, {"name": "b.zip", "size": 3, "format": "zip"}]
    (address,) = store.add("results", "ann", "older", files, [{}])
    store.close()
    with closing(sqlite3.connect(store.settings.data / "jobs.sqlite")) as table, table:
        table.execute("DROP TABLE chunks")
        table.execute("UPDATE jobs SET owner = 'ann'")
        if version == 1:
            table.execute("ALTER TABLE jobs DROP COLUMN owner")
        table.execute(f"PRAGMA user_version = {version}")
    folder, sent = store.settings.uploads / "older", tmp_path / "sent"
    folder.mkdir()
    sent.mkdir()
    (folder / "0000").write_bytes(BYTES)
    (folder / "0001.zip").write_bytes(b"zip")
    store = JobStore(store.settings)
    assert not folder.exists()
    job = take(store)
    assert (job.id, job.owner) == (address, owner)
    fetch_files(store.database, job.upload, job.files, sent)
    assert {path.name: path.read_bytes() for path in sent.iterdir()} == {
        "0000": BYTES, "0001.zip": b"zip",
    }  # fmt: skip
    store.close()


def test_files_come_back_as_they_were(stores: Stores, postgres_url: str, tmp_path: Path) -> None:
    for number, address in enumerate(("", postgres_url)):
        store = stores(address)
        for size in (0, PIECE - 1, PIECE, 2 * PIECE + 1):
            put(store, data=BYTES[:size])
            job = take(store)
            folder = tmp_path / f"{number}-{size}"
            folder.mkdir()
            unknown = {**FILE, "format": "unknown"}
            fetch_files(store.database, job.upload, [*job.files, unknown], folder)
            assert [path.name for path in folder.iterdir()] == ["0000"]
            assert (folder / "0000").read_bytes() == BYTES[:size]
            assert upkeep.state(store)["upload_bytes"] == size
            pieces = store.database.rows(select(chunks.c.data).order_by(chunks.c.place))
            assert all(len(row.data) == PIECE for row in pieces[:-1])
            delete_job(store, job.id)
            upkeep.drop_uploads(store)
            with pytest.raises(RequestProblem, match="not there") as result:
                fetch_files(store.database, job.upload, [FILE], folder)
            assert (result.value.code, result.value.status) == ("files_gone", 500)
        assert [store.database.rows(select(table)) for table in (uploads, chunks)] == [[], []]


def test_whose_clock(stores: Stores, postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = time.time()
    monkeypatch.setattr(time, "time", lambda: real - 1e6)
    store = stores(postgres_url)
    put(store)
    taken = take(store)
    assert abs(taken.created - real) < 3600.0
    assert abs((taken.lease or 0.0) - real) < 3600.0
    assert abs(stores().database.row(select(stores().moment()))[0] - (real - 1e6)) < 1.0


class Broken(Exception):
    """What a driver raises."""

    def __init__(self, state: str = "", code: int = 0) -> None:
        self.sqlstate, self.sqlite_errorcode = state, code


def broken(*given: Any, statement: str | None = "x", lost: bool = False) -> SQLAlchemyError:
    return OperationalError(statement, {}, Broken(*given), connection_invalidated=lost)


IN_VAIN = [*map(broken, ("23505", "", "0A000")), SQLAlchemyError(),
           IntegrityError("x", {}, Broken()),
           OperationalError(None, {}, sqlite3.OperationalError("unable to open"))]  # fmt: skip
PASSING = [*map(broken, ("40001", "40P01", "55P03", "57014")), NoneFree(),
           *(broken("", code) for code in (5, 6, 5 | 2 << 8))]  # fmt: skip
AWAY = "25006 25P03 53300 57P01 57P02 57P03 57P05 08000 08006"
LOST = [*map(broken, AWAY.split()), broken(lost=True), broken(statement=None)]
FULL = [*map(broken, ("53100", "53200")), *(broken("", code) for code in (13, 10, 10 | 3 << 8))]
#: Seconds between tries within five.
PAUSES = [0.05, 0.1, 0.2, 0.4, 0.8, 1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("errors", "pauses", "once", "loses"),
    [(IN_VAIN, None, False, False), (PASSING, PAUSES, False, False), (LOST, PAUSES, False, True),
     (PASSING, PAUSES, True, False), (LOST, [], True, True), (FULL, [], False, False)],
)  # fmt: skip
def test_what_errors_of_the_database_mean(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    errors: list[SQLAlchemyError], pauses: list[float] | None, once: bool, loses: bool,
) -> None:  # fmt: skip
    own, clock, lost, tries = Database(tmp_path / "x", tmp_path), Time(), [0][:0], [0][:0]
    monkeypatch.setattr(database, "time", clock)
    monkeypatch.setattr("yardstone.web.database.random.uniform", lambda low, high: high)
    monkeypatch.setattr(own.contact, "lose", lambda: lost.append(1))
    for error in errors:
        for counted in (clock.slept, lost, tries):
            counted.clear()

        def work(connection: Connection, error: SQLAlchemyError = error) -> None:
            tries.append(1)
            raise error

        with pytest.raises((DatabaseAway, SQLAlchemyError)) as result:
            own.write(work, once=once)
        assert (result.value is error) == (pauses is None)
        assert (clock.slept, len(tries)) == (pauses or [], len(pauses or []) + 1)
        assert len(lost) == (len(tries) if loses else 0)
    own.close()


def test_a_lost_answer_does_nothing_twice(stores: Stores, postgres_url: str, line: Line) -> None:
    store = stores(line.address(postgres_url))
    line.lose_answer(b"COMMIT")
    address = put(store)
    assert upkeep.state(store)["jobs"] == {"queued": 1}
    line.lose_answer(b"COMMIT")
    job = take(store)
    assert (job.id, job.attempts) == (address, 1)
    line.lose_answer(b"COMMIT")
    store.finish(job, "done", result='{"a": 1}')
    assert store.get(address).result == '{"a": 1}'
    store = stores(line.address(postgres_url))
    line.lose_answer(b"COMMIT")
    with pytest.raises(DatabaseAway):  # what is counted once is not tried again
        store.count("jobs_stopped")
    counted = {"jobs_results_done": 1.0, "uploads": 1.0, "jobs_stopped": 1.0}
    assert upkeep.state(store)["counters"].items() >= counted.items()
    assert line.losses == 4


def test_an_outage_is_only_a_pause(
    stores: Stores, postgres_url: str, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "_SILENCE", 0.5)
    monkeypatch.setattr(database, "_CONNECT", 2)
    line.cut()
    store = stores(line.address(postgres_url))
    store.database.patience = 600.0
    back = threading.Timer(0.2, line.restore)
    back.start()
    address = put(store)
    back.join()
    # A line that says nothing is given up, and who comes later is told at once.
    store.database.patience = 0.0
    line.stall(forget=True)
    with pytest.raises(DatabaseAway):
        store.get(address)
    assert store.database.contact.seconds == 0.0
    with monkeypatch.context() as patch:
        patch.setattr(store.database, "_asked", None)
        with pytest.raises(DatabaseAway):
            store.get(address)
    line.restore()
    store.database.patience = 600.0
    assert store.get(address).status == "queued"
    assert store.database.contact.seconds > 0.0
    # The database itself ends the transaction of a client that vanished, and whatever lasts.
    names = {"idle_in_transaction_session_timeout": "20s", "statement_timeout": "5s",
             "lock_timeout": "3s", "tcp_keepalives_idle": "10",
             "default_transaction_isolation": "read committed"}  # fmt: skip
    shown = stores(postgres_url).database.row(select(*map(func.current_setting, names)))
    assert tuple(shown) == tuple(names.values())


def test_a_job_wakes_workers_elsewhere(stores: Stores, postgres_url: str, line: Line) -> None:
    sender, other = stores(postgres_url), stores(line.address(postgres_url))
    listener = Listener(other.database, QUEUED)
    assert listener.wait(0.0) is None, "it begins to listen: something may have come before"
    put(sender)
    assert listener.wait(600.0) == [""]
    line.cut()
    assert (listener.wait(600.0), listener.is_listening) == ([], False)


def test_a_change_elsewhere_wakes_who_waits_here(
    stores: Stores, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("_LOOKS", "_LOOKS_LISTENING"):
        monkeypatch.setattr(notices, name, 3600.0)
    sender, changes = stores(postgres_url), Changes(stores(postgres_url).database)
    job = put(sender)

    async def main() -> None:
        begins = partial(changes.start, asyncio.get_running_loop())  # something may have come
        for act in (begins, partial(cancel_job, sender, job)):
            waiting = asyncio.ensure_future(changes.wait(job))
            await asyncio.sleep(0)
            act()
            await asyncio.wait_for(waiting, 600.0)

    asyncio.run(main())
    changes.stop()


def test_addresses_and_their_passwords(tmp_path: Path, stores: Stores, postgres: Postgres) -> None:
    none = f"postgresql://yardstone:secret@127.0.0.1:{postgres.port}/nothing"
    wrong = ("mysql://a:secret@b/c", "postgresql://a:secret@b", ":", "postgresql+asyncpg://a:s@b/c")
    for address in (*wrong, none):
        options = {"database": address, "data": tmp_path}
        with pytest.raises((UsageError, InputError)) as result:
            stores(load_settings(options=options, environment={}).database)
        assert "secret" not in str(result.value)
    assert f"{postgres.port}/nothing" in str(result.value)
    address = "postgresql://a:secret@b/c"
    file = tmp_path / "database"
    file.write_text(address + "\n")
    made = load_settings(options={"database": str(file)}, environment={})
    assert made.database == address
    assert "secret" not in repr(made)
    environment = {"YARDSTONE_SERVE_DATABASE": address}
    assert load_settings(environment=environment).database == address
    assert Settings.of_plain(made.as_plain()) == made
