"""The table of jobs: fair, finished once, nothing lost, nothing left."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from tests.web.serving import settings_for
from yardstone.errors import InputError
from yardstone.web import upkeep
from yardstone.web.database import METADATA, Job, chunks, jobs
from yardstone.web.problems import RequestProblem
from yardstone.web.service import cancel_job, delete_job, retry_job
from yardstone.web.store import JobStore, new_id


class Clock:
    """Time that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        self.now += 0.001
        return self.now


class Table(JobStore):
    """A store with helpers."""

    clock: Clock

    def put(self, client: str = "ann", number: int = 1, name: str = "a.csv") -> list[str]:
        files = [{"name": name, "size": len(name), "format": "csv"}]
        path = self.settings.data / "sent"
        path.write_text(name)
        result = self.add(
            "results", client, new_id(), files, [{}] * number, stored={0: path}, batch=number > 1
        )
        path.unlink()
        return result

    def take(self, worker: str = "w") -> Job:
        job = self.claim(worker)
        assert job is not None
        return job

    def status(self, job: str) -> str:
        return self.get(job).status


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> str:
    """What the setting says of the database."""
    wanted = request.param == "postgresql"
    return str(request.getfixturevalue("postgres_url")) if wanted else ""


@pytest.fixture
def table(tmp_path: Path, database: str) -> Iterator[Table]:
    limits = {"attempts": 2, "seconds": 100}
    result = Table(settings_for(tmp_path, limits, database=database), Clock())
    yield result
    result.close()


def test_clients_take_turns(table: Table) -> None:
    greedy = [table.put("greedy")[0] for _ in range(5)]
    modest = [table.put("modest")[0] for _ in range(2)]
    late = table.put("late")[0]
    order = []
    while (job := table.claim("w")) is not None:
        order.append(job.id)
        table.finish(job, "done", result="{}")
    assert sorted(order[:3]) == sorted([greedy[0], modest[0], late])
    assert set(order[3:5]) == {greedy[1], modest[1]}
    assert order[5:] == greedy[2:]


def test_who_has_a_job_running_waits_for_the_others(table: Table) -> None:
    first, second = table.put("ann")[0], table.put("ann")[0]
    other = table.put("bob")[0]
    assert table.take("w1").id == first
    table.clock.now += 100.0
    assert table.take("w2").id == other
    assert table.take("w3").id == second


def test_the_place_in_the_queue_is_that_of_the_claims(table: Table) -> None:
    jobs = [table.put(client)[0] for client in ("a", "a", "b", "a", "c", "b")]
    ahead = {job: table.ahead(table.get(job)) or 0 for job in jobs}
    order = []
    while (job := table.claim("w")) is not None:
        order.append(job.id)
        table.finish(job, "done", result="{}")
    assert sorted(jobs, key=lambda job: ahead[job]) == order
    assert sorted(ahead.values()) == list(range(6))


def test_each_job_goes_to_one_worker_only(table: Table) -> None:
    jobs = {table.put(f"client {number % 7}")[0] for number in range(60)}
    taken: list[str] = []
    lock = threading.Lock()

    def work(name: str) -> None:
        while (job := table.claim(name)) is not None:
            with lock:
                taken.append(job.id)
            table.finish(job, "done", result="{}")

    threads = [threading.Thread(target=work, args=(f"w{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == sorted(jobs)


def test_a_job_of_a_dead_worker_is_taken_up_again(table: Table) -> None:
    address = table.put()[0]
    dead = table.take("dead")
    assert upkeep.recover(table) == 0
    table.clock.now += table.settings.lease + 1.0
    assert upkeep.recover(table) == 1
    assert table.status(address) == "queued"
    again = table.take("alive")
    assert (again.id, again.attempts) == (address, 2)
    assert not table.heartbeat(dead), "the dead one learns it if it was not"
    assert not table.finish(dead, "done", result='{"from": "dead"}')
    assert table.finish(again, "done", result='{"from": "alive"}')
    assert table.get(address).result == '{"from": "alive"}'
    assert not table.finish(again, "failed"), "what is done stays done"
    assert table.status(address) == "done"


def test_a_lease_that_is_renewed_is_kept(table: Table) -> None:
    table.put()
    job = table.take()
    for _ in range(5):
        table.clock.now += 0.7 * table.settings.lease
        assert table.heartbeat(job, stage="analysing", done=3, total=9)
        assert upkeep.recover(table) == 0
    result = table.get(job.id)
    assert (result.stage, result.done, result.total) == ("analysing", 3, 9)
    assert table.heartbeat(job)  # a mere sign of life
    assert table.get(job.id).done == 3


def test_a_job_that_kills_its_workers_is_given_up(table: Table) -> None:
    address = table.put()[0]
    for _ in range(2):
        table.take("w")
        assert table.status(address) == "running"
        assert upkeep.release(table, "w", innocent=False) == 1
    job = table.get(address)
    assert job.status == "failed"
    assert job.error is not None
    assert job.error["code"] == "gave_up"
    assert job.can_retry
    retry_job(table, address)
    assert table.take().attempts == 1


def test_a_worker_that_is_asked_to_end_costs_no_attempt(table: Table) -> None:
    address = table.put()[0]
    for _ in range(5):
        table.take("w")
        upkeep.release(table, "w", innocent=True)
    assert table.get(address).attempts == 0
    assert table.status(address) == "queued"


def test_a_late_job_is_ended_and_its_worker_is_a_stray(table: Table) -> None:
    upkeep.enter_worker(table, "w", 1)
    address = table.put()[0]
    job = table.take("w")
    assert upkeep.stray_workers(table) == set()
    table.clock.now += 101.0
    assert table.heartbeat(job), "it lives, but"
    assert upkeep.end_late(table) == 1
    result = table.get(address)
    assert result.error is not None
    assert result.error["code"] == "too_long"
    assert upkeep.stray_workers(table) == {"w"}
    assert not table.finish(job, "done", result="{}")
    assert upkeep.stray_workers(table) == set()


def test_a_heavy_worker_loses_its_job(table: Table) -> None:
    address = table.put()[0]
    job = table.take("w")
    upkeep.end_heavy(table, "another")
    assert table.heartbeat(job)
    upkeep.end_heavy(table, "w")
    result = table.get(address)
    assert result.error is not None
    assert result.error["code"] == "too_heavy"
    assert not table.heartbeat(job)


@pytest.mark.parametrize("action", [cancel_job, delete_job])
def test_a_job_that_is_stopped_is_no_longer_the_workers(
    table: Table, action: Callable[[JobStore, str], None]
) -> None:
    upkeep.enter_worker(table, "w", 1)
    address = table.put()[0]
    job = table.take("w")
    action(table, address)
    assert not table.heartbeat(job)
    assert upkeep.stray_workers(table) == {"w"}
    assert not table.finish(job, "done", result="{}")


def everything(table: Table) -> bytes:
    """All bytes below the folder, and all values in the tables of PostgreSQL."""
    rows = [
        repr(row).encode()
        for each in METADATA.sorted_tables
        for row in (table.database.rows(select(each)) if table.database.shared else ())
    ]
    files = [path.read_bytes() for path in table.settings.data.rglob("*") if path.is_file()]
    return b"".join([*rows, *files])


def test_nothing_is_left_of_what_expired(table: Table) -> None:
    secret = "Secretive-Sam"
    done, waiting = table.put(name=f"{secret}.csv")[0], table.put(name=f"{secret}.csv")[0]
    kept = table.put()[0]
    table.finish(table.take(), "done", result=f'{{"player": "{secret}"}}')
    assert secret.encode() in everything(table)
    table.clock.now += 86_400.0 * table.settings.keep_days - 100.0
    later = update(jobs).where(jobs.c.id == kept).values(expires=jobs.c.expires + 1e6)
    table.database.write(lambda connection: connection.execute(later))
    upkeep.sweep(table)
    assert table.status(done) == "done"
    table.clock.now += 200.0
    for address in (done, waiting):
        with pytest.raises(RequestProblem) as result:  # even before the sweep
            table.get(address)
        assert result.value.status == 410
    upkeep.sweep(table)
    data = everything(table)
    assert secret.encode() not in data
    assert done.encode() not in data
    assert table.status(kept) == "queued"
    with pytest.raises(RequestProblem) as result:
        table.get(done)
    assert result.value.code == "expired"
    table.clock.now += 31 * 86_400.0
    upkeep.sweep(table)
    with pytest.raises(RequestProblem) as result:
        table.get(done)
    assert result.value.status == 404, "not even that is remembered for ever"


def test_nothing_is_left_of_what_is_deleted(table: Table) -> None:
    address = table.put(name="Secretive-Sam.csv")[0]
    delete_job(table, address)
    upkeep.drop_uploads(table)
    assert b"Secretive-Sam" not in everything(table)


def test_uploads_stay_while_they_are_needed(table: Table) -> None:
    one, two = table.put(number=2)

    def uploads() -> int:
        upkeep.sweep(table)
        kept = table.database.rows(select(chunks.c.upload).distinct())
        assert upkeep.state(table)["uploads"] == len(kept)
        return len(kept)

    table.finish(table.take(), "done", result="{}")
    assert uploads() == 1, "the second job of the batch needs it"
    players = [{"name": "Ann", "games": 1}]
    table.finish(table.take(), "needs_player", players=players, keep_seconds=3600.0)
    assert uploads() == 1
    table.clock.now += 3601.0
    assert uploads() == 0
    assert table.status(one) == "done"
    job = table.get(two)
    assert job.error is not None
    assert job.error["code"] == "not_chosen"


@pytest.mark.parametrize("kind", ["uploads", "work"])
def test_folders_that_nobody_knows_are_removed_once_they_are_old(tmp_path: Path, kind: str) -> None:
    table = Table(settings_for(tmp_path), Clock())
    stray = table.settings.data / kind / "stray"
    stray.mkdir(parents=True)
    upkeep.sweep(table)
    assert stray.exists(), "it may be in use"
    os.utime(stray, (1e9, 1e9))
    upkeep.sweep(table)
    assert not stray.exists()
    table.close()


def test_a_failure_of_ours_can_be_tried_again_for_a_while(table: Table) -> None:
    address = table.put()[0]
    error = {"code": "internal", "message": "m", "hint": None, "file": None, "line": None}
    table.finish(table.take(), "failed", error=error, keep_seconds=10.0)
    assert table.get(address).can_retry
    retry_job(table, address)
    assert table.status(address) == "queued"
    table.finish(table.take(), "failed", error=error, keep_seconds=10.0)
    table.clock.now += 11.0
    with pytest.raises(RequestProblem, match="deleted"):
        retry_job(table, address)


def test_the_queue_has_an_end(tmp_path: Path, database: str) -> None:
    limits = {"queue": 4, "queue_client": 3}
    table = Table(settings_for(tmp_path, limits, database=database), Clock())
    for _ in range(3):
        table.put("ann")
    with pytest.raises(RequestProblem) as result:
        table.put("ann")
    assert (result.value.status, result.value.code) == (429, "queue_client")
    assert result.value.retry_after
    table.put("bob")
    with pytest.raises(RequestProblem) as result:
        table.put("eve")
    assert result.value.code == "queue"
    table.close()


def test_the_disk_has_an_end(tmp_path: Path, database: str) -> None:
    limits = {"disk_bytes": 100, "request_bytes": 94}
    table = Table(settings_for(tmp_path, limits, database=database), Clock())
    table.put("ann")
    table.put("ann")
    with pytest.raises(RequestProblem) as result:
        table.put("bob")
    assert result.value.code == "disk"
    table.close()


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    settings = settings_for(tmp_path)
    settings.data.mkdir()
    (settings.data / "jobs.sqlite").write_text("this is no database, not at all" * 100)
    with pytest.raises(InputError, match="cannot be used"):
        JobStore(settings)


def test_state_counts(table: Table) -> None:
    table.put()
    table.put()
    table.finish(table.take(), "done", result="{}")
    result: dict[str, Any] = upkeep.state(table)
    assert result["jobs"] == {"done": 1, "queued": 1}
    assert result["counters"]["jobs_results_done"] == 1.0
    assert result["oldest_queued_seconds"] > 0.0
    assert result["upload_bytes"] == 10
