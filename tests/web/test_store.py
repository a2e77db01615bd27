"""The table of jobs: fair, finished once, nothing lost, nothing left, all to the second."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from tests.web.serving import settings_for
from tests.web.tables import DAY, JobTable, at_once, refused
from yardstone.errors import InputError
from yardstone.web import upkeep
from yardstone.web.database import METADATA, Job, chunks, clients, gone, workers
from yardstone.web.service import cancel_job, delete_job, retry_job
from yardstone.web.store import JobStore, new_key

LEASE, SECONDS, ATTEMPTS = 30.0, 100, 2
FREE = {"worker": None, "lease": None, "deadline": None}
#: Makes the store of a test, with limits of its own.
Make = Callable[..., JobTable]


@pytest.fixture(params=["sqlite", "postgresql"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    wanted = request.param == "postgresql"
    url = str(request.getfixturevalue("postgres_url")) if wanted else ""
    made: list[JobTable] = []

    def new(**limits: Any) -> JobTable:
        limits = {"attempts": ATTEMPTS, "seconds": SECONDS, **limits}
        made.append(JobTable(settings_for(tmp_path, limits, database=url, lease=LEASE)))
        return made[-1]

    yield new
    for each in made:
        each.close()


@pytest.fixture
def table(make: Make) -> JobTable:
    return make()


def check(table: JobTable, job: str, **expected: Any) -> None:
    """Compare some values of a job."""
    found = table.get(job)
    assert {name: getattr(found, name) for name in expected} == expected


def everything(table: JobTable) -> bytes:
    """All bytes below the folder, and all values in the tables of PostgreSQL."""
    tables = METADATA.sorted_tables if table.database.shared else ()
    rows = [repr(table.all(each)).encode() for each in tables]
    files = [path.read_bytes() for path in table.settings.data.rglob("*") if path.is_file()]
    return b"".join([*rows, *files])


def test_clients_take_turns_and_the_place_in_the_line_says_so(table: JobTable) -> None:
    names = {table.put(client)[0]: f"{client}{n}" for n, client in enumerate("gggggmml")}
    assert upkeep.state(table)["oldest_queued_seconds"] == 7.0
    line = ["g0", "m5", "l7", "g1", "m6", "g2", "g3", "g4"]
    ahead = {names[job]: table.ahead(table.get(job)) for job in names}
    assert ahead == {name: place for place, name in enumerate(line)}
    order = []
    while (job := table.claim("w")) is not None:
        order.append(names[job.id])
        assert table.ahead(table.get(job.id)) is None
        table.clock.now += 1.0
        table.finish(job, "done", result="{}")
    assert order == line


def test_who_has_a_job_running_waits_for_the_others(table: JobTable) -> None:
    first, second, other = (table.put(client)[0] for client in ("ann", "ann", "bob"))
    assert table.take("w1").id == first
    table.clock.now += 50.0
    assert [table.ahead(table.get(job)) for job in (other, second)] == [0, 1]
    assert [table.take(worker).id for worker in ("w2", "w3")] == [other, second]
    late = table.put("eve")[0]
    assert table.take("w3").id == late, "a worker that lost its job gets another"
    table.set(table.put("eve")[0], expires=table.clock.now)
    assert table.claim("w4") is None, "what has expired is not begun"


def test_what_many_do_at_once_is_done_once(make: Make) -> None:
    machines = [make(queue_client=3) for _ in range(2)]
    table = machines[0]
    made: list[str] = []
    at_once(6, lambda number: made.extend(machines[number % 2].put(key="the same")))
    assert (len(made), len(set(made)), upkeep.state(table)["uploads"]) == (6, 1, 1)
    outcomes: list[Any] = []
    at_once(8, lambda number: outcomes.append(refused(machines[number % 2].put, "greedy")))
    assert (outcomes.count(None), outcomes.count((429, "queue_client", 30))) == (3, 5)
    table.put("late")
    taken: list[Job] = []
    at_once(3, lambda number: taken.append(machines[number % 2].take(f"w{number}")))
    assert sorted(job.client for job in taken) == ["ann", "greedy", "late"]
    for job in taken:
        table.set(job.id, lease=1.0)
    recovered: list[int] = []
    at_once(3, lambda number: recovered.append(upkeep.recover(machines[number % 2])))
    assert sum(recovered) == 3
    for each in machines:
        each.clock.now += 99.0 * DAY
    at_once(3, lambda number: upkeep.sweep(machines[number % 2]))
    upkeep.sweep(table)
    assert (upkeep.state(table)["jobs"], upkeep.state(table)["uploads"]) == ({}, 0)


def test_a_job_from_its_start_to_its_end(table: JobTable) -> None:
    (address,) = table.put()
    created = table.clock.now
    assert table.get(address).expires == created + 30.0 * DAY
    upkeep.enter_worker(table, "w", 7)
    table.set(address, skipped_total=3, done=8, total=9, stage="x", error={"code": "old"}, keep=1.0)
    begun = table.clock.now = created + 10.0
    job = table.take("w")
    assert job == replace(table.get(address), result=None)
    empty = dict.fromkeys(("error", "players", "skipped", "keep", "finished", "result"))
    check(
        table, address, status="running", worker="w", created=created, stage="reading", done=0,
        total=0, skipped_total=0, started=begun, lease=begun + LEASE, deadline=begun + SECONDS,
        attempts=1, **empty,
    )  # fmt: skip
    entry = {"name": "w", "pid": 7, "started": created, "seen": begun, "job": address}
    assert table.all(workers) == [{**entry, "attempt": 1, "finished": 0}]
    assert table.all(clients) == [{"client": "ann", "served": begun}]
    assert table.heartbeat(job, stage="rating", done=3, total=9)
    beat = table.clock.now = begun + 25.0
    assert table.heartbeat(job)
    check(table, address, stage="rating", done=3, total=9, lease=beat + LEASE)
    for done, total, fraction in ((3, 9, 1 / 3), (3, 0, 0.0), (10, 9, 1.0)):
        plain = replace(table.get(address), done=done, total=total).as_dict()
        assert plain["progress"]["fraction"] == fraction
    end = table.clock.now = begun + 40.0
    given: dict[str, Any] = {"result": '{"a": 1}', "skipped": [{"file": "a"}], "skipped_total": 4}
    assert table.finish(job, "done", keep_seconds=9.0, **given)
    given |= {"finished": end, "keep": end + 9.0, "done": 9, "total": 9, "stage": "finished"}
    check(table, address, status="done", **given, **FREE)
    state = upkeep.state(table)
    counted = {"jobs_results_done": 1.0, "seconds_results": 40.0}
    assert state["counters"] == {**counted, "uploads": 1.0, "upload_bytes": 5.0}
    entry |= {"seen": beat, "job": None, "attempt": None, "finished": 1}
    assert table.all(workers) == [entry]
    assert not table.finish(job, "failed"), "what is done stays done"
    assert (table.all(workers), table.status(address)) == ([entry], "done")


def test_a_question_leaves_a_job_unfinished(table: JobTable) -> None:
    table.put()
    job = table.take()
    before = table.get(job.id)
    for other in (replace(job, worker="v"), replace(job, attempts=2), replace(job, id="x")):
        assert not table.heartbeat(other, stage="rating", done=1, total=1)
        assert not table.finish(other, "done", result="{}")
        assert table.get(job.id) == before, "who does not hold it changes nothing"
    assert "jobs_results_done" not in upkeep.state(table)["counters"]
    table.heartbeat(job, stage="analysing", done=9, total=4)  # more than was thought
    players = [{"name": "Ann", "games": 1}]
    assert table.finish(job, "needs_player", players=players)
    check(table, job.id, finished=None, stage="waiting", players=players, keep=None, done=9, **FREE)
    assert not table.heartbeat(job)


def test_a_lease_ends_at_its_second(table: JobTable) -> None:
    (address,) = table.put()
    dead = table.take("dead")
    table.clock.now += LEASE - 0.5
    assert upkeep.recover(table) == 0
    assert table.heartbeat(dead)
    table.clock.now += LEASE - 0.5
    assert upkeep.recover(table) == 0, "it was renewed"
    table.set(address, done=3, total=4)
    table.clock.now += 0.5
    assert upkeep.recover(table) == 1
    check(table, address, status="queued", stage="waiting", done=0, total=0, attempts=1, **FREE)
    assert upkeep.recover(table) == 0
    alive = table.take("alive")
    assert (alive.id, alive.attempts) == (address, 2)
    assert not table.heartbeat(dead), "the dead one learns it if it was not"
    assert not table.finish(dead, "done", result='{"from": "dead"}')
    assert table.finish(alive, "done", result='{"from": "alive"}')
    assert table.get(address).result == '{"from": "alive"}'


def test_attempts_are_counted_unless_the_worker_was_asked_to_end(table: JobTable) -> None:
    (address,) = table.put()
    for worker, innocent, released, status, attempts in (
        ("another", True, 0, "running", 1), ("w", True, 1, "queued", 0),
        ("w", False, 1, "queued", 1), ("w", False, 1, "failed", 2),
    ):  # fmt: skip
        if table.status(address) == "queued":
            table.take("w")
        assert upkeep.release(table, worker, innocent=innocent) == released
        assert (table.status(address), table.get(address).attempts) == (status, attempts)
    now = table.clock.now
    assert "2 times" in (table.get(address).error or {})["message"]
    check(table, address, stage="finished", finished=now, keep=now + 3600.0, **FREE)
    assert upkeep.state(table)["counters"]["jobs_results_failed"] == 1.0
    retry_job(table, address)
    assert table.take().attempts == 1


def test_a_late_job_is_ended_at_its_second_and_its_worker_is_a_stray(table: JobTable) -> None:
    upkeep.enter_worker(table, "w", 1)
    (address,) = table.put()
    job = table.take("w")
    assert upkeep.stray_workers(table) == set()
    table.clock.now += SECONDS - 0.5
    assert table.heartbeat(job), "it lives, but"
    assert upkeep.end_late(table) == 0
    table.clock.now += 0.5
    assert upkeep.end_late(table) == 1
    assert (table.get(address).error or {})["message"] == "This job took longer than 100 seconds."
    now = table.clock.now
    check(table, address, status="failed", stage="finished", keep=None, finished=now, **FREE)
    assert upkeep.stray_workers(table) == {"w"}
    assert not table.finish(job, "done", result="{}")
    assert upkeep.stray_workers(table) == set()
    heavy = table.put()[0]
    job = table.take("w")
    assert [upkeep.end_heavy(table, name) for name in ("another", "w")] == [0, 1]
    assert (table.get(heavy).error or {})["code"] == "too_heavy"
    assert not table.heartbeat(job)


def test_whose_job_is_no_longer_its_own_is_a_stray(table: JobTable) -> None:
    changes: list[dict[str, Any]] = [{"status": "cancelled"}, {"worker": "v"}, {"attempts": 2}]
    acts: list[Callable[[str], None]] = [partial(table.set, **each) for each in changes]
    acts += [partial(cancel_job, table), partial(delete_job, table)]
    for number, act in enumerate(acts):
        worker = f"w{number}"
        upkeep.enter_worker(table, worker, 1)
        (address,) = table.put()
        job = table.take(worker)
        act(address)
        assert worker in upkeep.stray_workers(table)
        assert not table.heartbeat(job)
        assert not table.finish(job, "done", result="{}")


def test_a_clock_that_is_set_back_holds_no_job(table: JobTable) -> None:
    """By more than a minute, that is: then leases, deadlines and signs of life begin anew."""
    upkeep.enter_worker(table, "dead", 1)
    (address,) = table.put()
    job = table.take("dead")
    later = table.clock.now

    def seen(now: float) -> list[float]:
        table.clock.now = now
        assert upkeep.recover(table) == 0
        state = table.get(address)
        return [state.lease or 0.0, state.deadline or 0.0, table.all(workers)[0]["seen"],
                table.all(clients)[0]["served"]]  # fmt: skip

    assert seen(later - 60.0) == [later + LEASE, later + SECONDS, later, later]
    now = later - 60.5
    assert seen(now) == [now + LEASE, now + SECONDS, now, now]
    table.set(address, lease=now, deadline=now + SECONDS + 61.0)  # either is enough
    assert seen(now)[:2] == [now + LEASE, now + SECONDS]
    assert table.heartbeat(job)
    table.clock.now += LEASE
    assert upkeep.recover(table) == 1


def test_workers_live_for_a_lease_and_are_forgotten_after_ten(table: JobTable) -> None:
    upkeep.enter_worker(table, "w", 1)
    begun = table.clock.now
    table.clock.now += LEASE - 0.5
    assert upkeep.alive_workers(table) == ["w"]
    table.clock.now += 0.5
    assert upkeep.alive_workers(table) == []
    upkeep.enter_worker(table, "w", 1)  # it shows itself again
    assert [(row["started"], row["seen"]) for row in table.all(workers)] == [(begun, begun + LEASE)]
    for later, left in ((10.0 * LEASE - 0.5, 1), (0.5, 0)):
        table.clock.now += later
        upkeep.recover(table)
        assert len(table.all(workers)) == left


def test_a_failure_of_ours_can_be_tried_again_for_a_while(table: JobTable) -> None:
    (address,), error = table.put(), {"code": "internal", "message": "m"}
    assert refused(retry_job, table, address) == (409, "not_failed", None)
    table.finish(table.take(), "failed", error=error, keep_seconds=10.0)
    table.clock.now += 9.5
    assert table.get(address).can_retry
    upkeep.drop_uploads(table)
    retry_job(table, address)
    check(table, address, status="queued", attempts=0, stage="waiting", error=None, keep=None)
    table.finish(table.take(), "failed", error=error, keep_seconds=10.0)
    table.clock.now += 10.0
    assert not table.get(address).can_retry
    assert refused(retry_job, table, address) == (409, "files_gone", None)
    table.set(address, keep=table.clock.now + 99.0)
    table.database.write(lambda connection: connection.execute(METADATA.tables["uploads"].delete()))
    assert refused(retry_job, table, address) == (409, "files_gone", None)
    table.set(address, status="done")
    assert refused(retry_job, table, address) == (409, "not_failed", None)


def test_what_changed_is_not_queued(table: JobTable, monkeypatch: pytest.MonkeyPatch) -> None:
    (address,) = table.put()
    table.finish(table.take(), "failed", keep_seconds=10.0)
    stale = table.get(address)
    table.set(address, status="done")
    monkeypatch.setattr(table, "get", lambda *_, **__: stale)
    assert refused(retry_job, table, address) == (409, "changed", None)
    table.set(address, status="queued")  # as when the answer to the first try was lost
    retry_job(table, address)


def test_a_job_is_stopped_once(table: JobTable) -> None:
    for status in ("queued", "running", "needs_player"):
        (address,) = table.put()
        table.set(address, status=status, worker="w", lease=1.0, deadline=1.0, keep=1.0)
        now = table.clock.now
        for _ in range(2):
            cancel_job(table, address)
            table.clock.now += 5.0
            check(table, address, status="cancelled", finished=now, keep=None, **FREE)


def test_a_batch_has_one_address_and_is_deleted_at_once(table: JobTable) -> None:
    together, alone = table.put(name="Sam.csv", number=3), table.put()
    batch = table.get(together[0]).batch or ""
    assert [job.id for job in table.batch(batch)] == together
    assert table.get(alone[0]).batch is None
    assert {len(address) for address in (batch, *together)} == {24}, "of 144 bits"
    delete_job(table, batch)
    for ask in (table.batch, table.get):
        for address in (batch, together[0], "abc\0def"):
            assert refused(ask, address) == (404, "not_found", None)
    assert refused(delete_job, table, batch) == (404, "not_found", None)
    upkeep.drop_uploads(table)
    assert [text in everything(table) for text in (b"Sam.csv", b"a.csv")] == [False, True]
    assert table.status(alone[0]) == "queued"


def test_the_same_request_makes_one_job(table: JobTable) -> None:
    first = table.put(key="one")
    assert (table.known("one"), table.known("two")) == (first, [])
    assert table.put(key="two") != first
    again = table.put(upload="same")
    assert table.put(upload="same") == again, "also after a transaction whose end was not heard of"
    assert upkeep.state(table)["counters"]["uploads"] == 3.0
    secret = table.secret("client")
    assert (len(secret), table.secret("client")) == (32, secret)
    assert table.secret("other") != secret
    keys = [new_key(each, request) for each in (b"a", b"b") for request in ("x", "y", "x")]
    assert (len(set(keys)), {len(key) for key in keys}) == (4, {36})
    assert new_key(b"a") != new_key(b"a")


def test_the_queue_has_an_end(make: Make) -> None:
    table = make(queue=5, queue_client=3)
    table.put("ann", number=3)
    assert refused(table.put, "ann") == (429, "queue_client", 30)
    assert refused(table.check_room, "ann", None) == (429, "queue_client", 30)
    table.put("bob", number=2, key="known")
    assert refused(table.put, "eve") == (503, "queue", 60)
    assert refused(table.check_room, "eve", "new") == (503, "queue", 60)
    table.check_room("eve", "known")
    job = table.take("w")
    assert refused(table.put, "eve") == (503, "queue", 60), "what runs counts"
    table.finish(job, "needs_player", players=[], keep_seconds=9.0)
    table.check_room("eve", None)
    assert refused(table.put, "eve", 2) == (503, "queue", 60)
    table.put("eve")


def test_the_disk_has_an_end(make: Make) -> None:
    table = make(disk_bytes=100, request_bytes=90)
    for _ in range(3):  # of five bytes each: the third fits exactly
        table.check_room("ann", None)
        table.put("ann")
    assert refused(table.put, "bob") == (503, "disk", 60)


def test_nothing_is_left_of_what_expired(table: JobTable) -> None:
    secret = "Secretive-Sam"
    done, waiting = (table.put(name=f"{secret}.csv", number=n)[0] for n in (1, 2))
    batch, (kept,) = table.get(waiting).batch or "", table.put()
    table.finish(table.take(), "done", result=f'{{"player": "{secret}"}}')
    assert secret.encode() in everything(table)
    end = table.clock.now + 30.0 * DAY
    table.set(kept, expires=end + 100 * DAY)
    for later, served in ((DAY - 0.5, 1), (0.5, 0)):
        table.clock.now += later
        upkeep.sweep(table)
        assert len(table.all(clients)) == served, "clients are forgotten after a day"
    table.clock.now = table.get(done).expires - 0.5
    upkeep.sweep(table)
    assert table.status(done) == "done"
    table.clock.now = end
    late = (done, waiting, batch)
    for _ in range(2):
        assert [refused(table.get, each) for each in late] == [(410, "expired", None)] * 3
        upkeep.sweep(table)
    data = everything(table)
    assert not [each for each in (secret, *late) if each.encode() in data]
    assert table.status(kept) == "queued"
    table.clock.now = end + 30.0 * DAY - 0.5
    upkeep.sweep(table)
    assert refused(table.get, done) == (410, "expired", None)
    table.clock.now += 0.5
    upkeep.sweep(table)
    assert refused(table.get, done) == (404, "not_found", None), "that is not remembered for ever"
    assert table.all(gone) == []


def test_uploads_stay_while_they_are_needed(table: JobTable) -> None:
    one, two = table.put(number=2)

    def uploads() -> int:
        upkeep.drop_uploads(table)
        kept = table.database.rows(select(chunks.c.upload).distinct())
        assert upkeep.state(table)["uploads"] == len(kept)
        return len(kept)

    assert uploads() == 1
    job = table.take()
    assert uploads() == 1
    table.finish(job, "done", result="{}")
    assert uploads() == 1, "the second job of the batch needs it"
    players = [{"name": "Ann", "games": 1}]
    table.finish(table.take(), "needs_player", players=players, keep_seconds=3600.0)
    for later, left, status in ((3599.5, 1, "needs_player"), (0.5, 0, "failed")):
        table.clock.now += later
        upkeep.sweep(table)
        assert (uploads(), table.status(two)) == (left, status)
    check(table, two, finished=table.clock.now, players=None)
    assert (table.get(two).error or {})["code"] == "not_chosen"
    assert table.status(one) == "done"
    table.put()
    table.finish(table.take(), "failed", keep_seconds=10.0)
    for later, left in ((9.5, 1), (0.5, 0)):
        table.clock.now += later
        assert uploads() == left, "until then it may be tried again"


def test_old_folders_of_nobody_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = JobTable(settings_for(tmp_path, {"upload_seconds": 300}, lease=LEASE))
    now = 2_000_000_000
    monkeypatch.setattr("yardstone.web.upkeep.time.time", lambda: float(now))
    upkeep.enter_worker(table, "host/1-a", 1)
    ages = {"uploads/new": 360, "uploads/old": 361, "work/new": 90, "work/old": 91}
    for name, age in {**ages, "work/host_1-a": 9999}.items():
        folder = table.settings.data / name
        folder.mkdir(parents=True)
        os.utime(folder, (now - age, now - age))
    upkeep.sweep(table)
    left = {str(path.relative_to(table.settings.data)) for path in table.settings.data.glob("*/*")}
    assert left == {"uploads/new", "work/new", "work/host_1-a"}
    upkeep.leave_worker(table, "host/1-a")
    assert not (table.settings.data / "work/host_1-a").exists()
    assert table.all(workers) == []
    table.close()


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    settings = settings_for(tmp_path)
    settings.data.mkdir()
    file = settings.data / "jobs.sqlite"
    file.write_text("this is no database, not at all" * 100)
    with pytest.raises(InputError, match="cannot be used"):
        JobStore(settings)
    for version in (-1, 4):
        file.unlink()
        with closing(sqlite3.connect(file)) as connection:
            connection.execute(f"PRAGMA user_version = {version}")
        with pytest.raises(InputError, match=f"its version is {version}") as result:
            JobStore(settings)
        assert result.value.hint == "name another folder with --data"
