"""The database: made once, taken over from older versions, shared, lost and found again."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, func, select, text, update

from tests.web.line import Line
from tests.web.postgres import Postgres
from tests.web.serving import settings_for
from yardstone.errors import InputError, UsageError
from yardstone.web import database, upkeep
from yardstone.web.database import (
    PIECE,
    VERSION,
    Database,
    Job,
    chunks,
    counters,
    fetch_files,
    jobs,
    uploads,
)
from yardstone.web.notices import QUEUED, Listener
from yardstone.web.problems import DatabaseAway, RequestProblem
from yardstone.web.service import delete_job
from yardstone.web.settings import Settings, load_settings
from yardstone.web.store import JobStore, new_id

BYTES = bytes(range(256)) * 3000
FILE = {"name": "a.csv", "size": len(BYTES), "format": "csv"}


@pytest.fixture
def line(postgres: Postgres) -> Iterator[Line]:
    with Line(postgres.port) as result:
        yield result


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


def at_once(number: int, action: Callable[[int], object]) -> None:
    """Do something in as many threads, which all begin at the same moment."""
    ready = threading.Barrier(number)
    errors: list[BaseException] = []

    def run(place: int) -> None:
        ready.wait()
        try:
            action(place)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(place,)) for place in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


# Made, and taken over


def test_many_that_start_at_once_make_the_tables_once(
    stores: Callable[..., JobStore], postgres_url: str
) -> None:
    secrets: list[bytes] = []
    at_once(6, lambda _: secrets.append(stores(postgres_url).secret("client")))
    assert len(set(secrets)) == 1
    assert len(secrets) == 6


def test_a_later_version_is_refused(
    stores: Callable[..., JobStore], postgres_url: str, tmp_path: Path
) -> None:
    later = text(f"UPDATE version SET number = {VERSION + 1}")
    stores(postgres_url).database.write(lambda connection: connection.execute(later))
    with pytest.raises(InputError, match="knows"):
        stores(postgres_url)
    stores().close()
    with closing(sqlite3.connect(tmp_path / "machine1" / "served" / "jobs.sqlite")) as table:
        table.execute(f"PRAGMA user_version = {VERSION + 1}")
    with pytest.raises(InputError, match="another folder"):
        JobStore(settings_for(tmp_path / "machine1"))


def test_uploads_in_folders_of_an_older_version_are_taken_over(tmp_path: Path) -> None:
    settings = settings_for(tmp_path)
    store = JobStore(settings)
    files = [FILE, {"name": "b.zip", "size": 3, "format": "zip"}]
    (address,) = store.add("results", "ann", "older", files, [{}])
    store.close()
    with closing(sqlite3.connect(settings.data / "jobs.sqlite")) as table, table:
        table.execute("DROP TABLE chunks")
        table.execute("PRAGMA user_version = 2")
    folder = settings.uploads / "older"
    folder.mkdir()
    (folder / "0000").write_bytes(BYTES)
    (folder / "0001.zip").write_bytes(b"zip")
    store = JobStore(settings)
    assert not folder.exists()
    job = take(store)
    assert job.id == address
    sent = tmp_path / "sent"
    sent.mkdir()
    fetch_files(store.database, job.upload, job.files, sent)
    assert (sent / "0000").read_bytes() == BYTES
    assert (sent / "0001.zip").read_bytes() == b"zip"
    store.close()


# Files


@pytest.mark.parametrize("size", [0, 1, PIECE - 1, PIECE, 2 * PIECE, 2 * PIECE + 1])
def test_files_come_back_as_they_were(
    stores: Callable[..., JobStore], postgres_url: str, tmp_path: Path, size: int
) -> None:
    for number, address in enumerate(("", postgres_url)):
        store = stores(address)
        put(store, data=(BYTES * 2)[:size])
        job = take(store)
        folder = tmp_path / f"fetched{number}"
        folder.mkdir()
        fetch_files(store.database, job.upload, job.files, folder)
        assert (folder / "0000").read_bytes() == (BYTES * 2)[:size]
        assert upkeep.state(store)["upload_bytes"] == size


def test_files_that_are_gone_are_missed(stores: Callable[..., JobStore], tmp_path: Path) -> None:
    store = stores()
    put(store)
    job = take(store)
    delete_job(store, job.id)
    upkeep.drop_uploads(store)
    with pytest.raises(RequestProblem, match="not there"):
        fetch_files(store.database, job.upload, job.files, tmp_path)
    left = [store.database.rows(select(table)) for table in (uploads, chunks)]
    assert left == [[], []]


# Many at once


def test_workers_who_claim_at_once_take_turns_of_clients(
    stores: Callable[..., JobStore], postgres_url: str
) -> None:
    store = stores(postgres_url)
    for client in ("greedy",) * 4 + ("modest", "late"):
        put(store, client, b"a")
    taken: list[Job] = []
    at_once(3, lambda number: taken.append(take(store, f"w{number}")))
    assert sorted(job.client for job in taken) == ["greedy", "late", "modest"]


def test_no_queue_is_longer_than_it_may_be(
    stores: Callable[..., JobStore], postgres_url: str
) -> None:
    limits = {"limits": {"queue_client": 3}}
    machines = [stores(postgres_url, **limits) for _ in range(2)]
    outcomes: list[str] = []

    def send(number: int) -> None:
        try:
            put(machines[number % 2])
            outcomes.append("taken")
        except RequestProblem as problem:
            outcomes.append(problem.code)

    at_once(8, send)
    assert outcomes.count("taken") == 3
    assert outcomes.count("queue_client") == 5
    assert upkeep.state(machines[0])["uploads"] == 3


def test_the_same_request_at_once_makes_one_job(
    stores: Callable[..., JobStore], postgres_url: str
) -> None:
    machines = [stores(postgres_url) for _ in range(2)]
    made: list[str] = []
    at_once(6, lambda number: made.append(put(machines[number % 2], key="the same")))
    assert len(made) == 6
    assert len(set(made)) == 1
    assert upkeep.state(machines[0])["uploads"] == 1


def test_several_who_tend_the_jobs_at_once_count_each_once(
    stores: Callable[..., JobStore], postgres_url: str
) -> None:
    machines = [stores(postgres_url) for _ in range(3)]
    store = machines[0]
    for number in range(6):
        put(store, data=b"a")
        take(store, f"w{number}")
    late = update(jobs).values(lease=1.0)
    store.database.write(lambda connection: connection.execute(late))
    recovered: list[int] = []
    at_once(3, lambda number: recovered.append(upkeep.recover(machines[number])))
    assert sum(recovered) == 6
    old = update(jobs).values(expires=1.0)
    store.database.write(lambda connection: connection.execute(old))
    at_once(3, lambda number: upkeep.sweep(machines[number]))
    upkeep.sweep(store)
    assert upkeep.state(store)["jobs"] == {}
    assert upkeep.state(store)["uploads"] == 0


# The clock


class Clock:
    """A clock that is set."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        self.now += 0.001
        return self.now


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_clock_that_is_set_back_holds_no_job(
    tmp_path: Path, kind: str, request: pytest.FixtureRequest
) -> None:
    clock = Clock()
    url = request.getfixturevalue("postgres_url") if kind == "postgresql" else ""
    store = JobStore(settings_for(tmp_path, database=url), clock)
    address = put(store)
    upkeep.enter_worker(store, "dead", 1)
    alive = take(store, "alive")
    put(store, "bob")
    dead = take(store, "dead")
    clock.now -= 3 * 86_400.0
    assert store.get(address).status == "running"
    assert upkeep.recover(store) == 0
    for _ in range(5):
        clock.now += 0.4 * store.settings.lease
        assert store.heartbeat(alive)
        upkeep.recover(store)
    assert store.get(dead.id).status == "queued"
    assert store.finish(alive, "done", result="{}")
    assert not store.heartbeat(dead)
    clock.now += 60.0
    assert upkeep.alive_workers(store) == []
    store.close()


def test_the_clock_of_the_database_counts(
    stores: Callable[..., JobStore], postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = time.time()
    monkeypatch.setattr(time, "time", lambda: real - 1e6)
    store = stores(postgres_url)
    job = store.get(put(store))
    assert abs(job.created - real) < 60.0
    assert abs(store.database.row(select(store.moment()))[0] - real) < 60.0
    taken = take(store)
    assert abs((taken.lease or 0.0) - real - store.settings.lease) < 60.0


# Lost and found again


def counter(store: JobStore, name: str) -> float:
    row = store.database.row(select(counters.c.value).where(counters.c.name == name))
    return 0.0 if row is None else float(row.value)


def test_when_the_answer_to_a_commit_is_lost_nothing_is_done_twice(
    stores: Callable[..., JobStore], postgres_url: str, line: Line
) -> None:
    store = stores(line.address(postgres_url))

    def losing(action: Callable[[], Any]) -> Any:
        before = line.losses
        line.lose_answer(b"COMMIT")
        result = action()
        assert line.losses == before + 1
        return result

    address = losing(lambda: put(store))
    state = upkeep.state(store)
    assert (state["jobs"], state["uploads"]) == ({"queued": 1}, 1)
    assert counter(store, "uploads") == 1.0
    job = losing(lambda: take(store))
    assert (job.id, job.attempts) == (address, 1)
    assert losing(lambda: store.heartbeat(job, stage="rating", done=1, total=2))
    losing(lambda: store.finish(job, "done", result='{"a": 1}'))
    result = store.get(address)
    assert (result.status, result.result) == ("done", '{"a": 1}')
    assert counter(store, "jobs_results_done") == 1.0
    losing(lambda: upkeep.sweep(store))
    losing(lambda: delete_job(store, put(store)))


def test_what_is_counted_once_is_not_tried_again(
    stores: Callable[..., JobStore], postgres_url: str, line: Line
) -> None:
    store = stores(line.address(postgres_url))
    line.lose_answer(b"COMMIT")
    with pytest.raises(DatabaseAway):
        store.count("jobs_stopped")
    assert counter(store, "jobs_stopped") == 1.0


def test_a_database_that_is_not_there_yet_is_waited_for(
    stores: Callable[..., JobStore], postgres_url: str, line: Line
) -> None:
    line.cut()
    store = stores(line.address(postgres_url))
    store.database.patience = 0.2
    with pytest.raises(DatabaseAway):
        store.secret("client")
    assert store.database.contact.seconds == 0.0
    line.restore()
    store.database.patience = 20.0
    assert len(store.secret("client")) == 32
    assert store.database.contact.seconds > 0.0


def test_a_short_outage_is_only_a_pause(
    stores: Callable[..., JobStore], postgres_url: str, line: Line
) -> None:
    store = stores(line.address(postgres_url))
    address = put(store)
    line.cut()
    back = threading.Timer(0.5, line.restore)
    back.start()
    begun = time.monotonic()
    assert store.get(address).status == "queued"
    assert time.monotonic() - begun > 0.3
    back.join()


def test_a_line_that_says_nothing_is_given_up(
    stores: Callable[..., JobStore],
    postgres_url: str,
    line: Line,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(database, "_SILENCE", 0.5)
    monkeypatch.setattr(database, "_CONNECT", 2)
    store = stores(line.address(postgres_url))
    store.database.patience = 0.0
    address = put(store)
    line.stall(forget=True)
    begun = time.monotonic()
    with pytest.raises(DatabaseAway):
        store.get(address)
    assert time.monotonic() - begun < 10.0
    begun = time.monotonic()
    with pytest.raises(DatabaseAway):
        store.get(address)
    assert time.monotonic() - begun < 0.3, "who comes later is told at once"
    line.restore()
    store.database.patience = 20.0
    assert store.get(address).status == "queued"


def test_who_gave_up_holds_no_lock(stores: Callable[..., JobStore], postgres_url: str) -> None:
    """The database itself ends the transaction of a client that vanished, and whatever lasts."""
    names = {
        "idle_in_transaction_session_timeout": "20s",
        "statement_timeout": "5s",
        "lock_timeout": "3s",
        "tcp_keepalives_idle": "10",
        "default_transaction_isolation": "read committed",
    }
    shown = stores(postgres_url).database.row(select(*map(func.current_setting, names)))
    assert tuple(shown) == tuple(names.values())


def test_a_transaction_that_meets_another_is_done_again(
    stores: Callable[..., JobStore], postgres_url: str
) -> None:
    """Two who wait for each other: the database ends one, which tries again."""
    store = stores(postgres_url)
    first, second = put(store), put(store, "bob")
    meet = threading.Barrier(2)
    tries: list[int] = []

    def change(number: int) -> None:
        order = (first, second) if number else (second, first)
        met = False

        def work(connection: Connection) -> None:
            nonlocal met
            tries.append(number)
            for address in order:
                connection.execute(
                    update(jobs).where(jobs.c.id == address).values(done=jobs.c.done + 1)
                )
                if not met:
                    met = True
                    meet.wait()

        store.database.write(work)

    at_once(2, change)
    assert [store.get(address).done for address in (first, second)] == [2, 2]
    assert len(tries) == 3


def test_a_worker_that_lost_its_job_gets_another(stores: Callable[..., JobStore]) -> None:
    """What it could not finish comes back by its lease, and counts as an attempt."""
    store = stores()
    first, second = put(store), put(store, "bob")
    assert [take(store).id, take(store).id] == [first, second]


def test_addresses_with_a_zero_lead_nowhere(
    stores: Callable[..., JobStore], postgres_url: str
) -> None:
    for place in ("", postgres_url):
        store = stores(place)
        for ask in (store.get, store.batch):
            with pytest.raises(RequestProblem) as result:
                ask("abc\0def")
            assert result.value.status == 404


# Notices


def test_a_job_wakes_workers_of_other_machines(
    stores: Callable[..., JobStore], postgres_url: str, line: Line
) -> None:
    sender, other = stores(postgres_url), stores(line.address(postgres_url))
    listener = Listener(other.database, QUEUED)
    assert listener.wait(0.0) is None, "it begins to listen: something may have come before"
    longest = listener.longest
    begun = time.monotonic()
    threading.Timer(0.2, lambda: put(sender)).start()
    listener.wait(30.0)
    assert time.monotonic() - begun < 10.0
    line.cut()
    listener.wait(5.0)
    assert listener.longest < longest, "one looks more often where nothing is told"
    line.restore()
    end = time.monotonic() + 30.0
    while listener.longest < longest and time.monotonic() < end:
        listener.wait(0.1)
    put(sender, "bob")
    begun = time.monotonic()
    assert listener.wait(30.0) == [""]
    assert time.monotonic() - begun < 10.0
    listener.close()


# Addresses


@pytest.mark.parametrize(
    "address",
    ["mysql://a:secret@b/c", "postgresql://a:secret@b", "postgresql+asyncpg://a:secret@b/c", ":"],
)
def test_addresses_that_are_none(tmp_path: Path, address: str) -> None:
    def use() -> None:
        load = load_settings(options={"database": address, "data": tmp_path}, environment={})
        Database(tmp_path / "x", tmp_path, load.database)

    with pytest.raises((UsageError, InputError)) as result:
        use()
    assert "secret" not in str(result.value)


def test_an_address_comes_from_a_file_or_the_environment(tmp_path: Path) -> None:
    address = "postgresql://a:secret@b/c"
    file = tmp_path / "database"
    file.write_text(address + "\n")
    result = load_settings(options={"database": str(file)}, environment={})
    assert result.database == address
    assert "secret" not in repr(result)
    environment = {"YARDSTONE_SERVE_DATABASE": address}
    assert load_settings(environment=environment).database == address
    assert Settings.of_plain(result.as_plain()) == result


def test_a_database_that_refuses_is_an_error_without_the_password(
    stores: Callable[..., JobStore], postgres: Postgres
) -> None:
    url = f"postgresql://yardstone:secret@127.0.0.1:{postgres.port}/nothing"
    with pytest.raises(InputError, match="does not exist") as result:
        stores(url)
    assert "secret" not in str(result.value)
    assert f"127.0.0.1:{postgres.port}/nothing" in str(result.value)
