"""The table of jobs: made, claimed by workers in fair order, finished.

This table alone says what there is to do. A worker that claims a job gets a lease,
which it renews while it lives; a job whose lease ran out is taken up again. What a
worker reports counts only while the job is still its own, so that a job is finished
once even if two workers did it.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Double,
    Select,
    case,
    insert,
    literal,
    or_,
    select,
    update,
)

from yardstone.web.addresses import check_address, mark_of, new_id
from yardstone.web.database import Database, Lock
from yardstone.web.jobs import Job
from yardstone.web.notices import CHANGED, QUEUED
from yardstone.web.problems import RequestProblem, missing
from yardstone.web.queue_order import jobs_before, next_job
from yardstone.web.room import check_room, room_taken
from yardstone.web.settings import Settings
from yardstone.web.stored_files import insert_chunks
from yardstone.web.tables import clients, counters, gone, jobs, secret_values, uploads, workers

__all__ = ["DAY", "OF_NOBODY", "PATIENCE_FOR_NEW", "JobStore"]

#: Seconds.
DAY = 86_400.0
#: Seconds for which the database is asked again to take a job, whose files came with trouble.
PATIENCE_FOR_NEW = 15.0
#: What a job is that no worker has.
OF_NOBODY: dict[str, Any] = {"worker": None, "lease": None, "deadline": None}
#: What a job is that was just begun.
_BEGUN: dict[str, Any] = {
    "status": "running",
    "stage": "reading",
    **dict.fromkeys(("done", "total", "skipped_total"), 0),
    **dict.fromkeys(("error", "players", "skipped", "keep")),
}
_COLUMNS = [column for column in jobs.c if column.name not in ("result", "key")]


class JobStore:
    """All jobs of a server.

    Parameters
    ----------
    settings : Settings
    clock : callable, optional
        Seconds since 1970, in place of the database's clock.
    """

    def __init__(self, settings: Settings, clock: Callable[[], float] | None = None) -> None:
        self.settings = settings
        self.clock = clock
        settings.uploads.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.database = Database(settings.data / "jobs.sqlite", settings.uploads, settings.database)

    def close(self) -> None:
        """Close the connections."""
        self.database.close()

    def moment(self) -> ColumnElement[float]:
        """Now, for a statement."""
        return self.database.moment() if self.clock is None else literal(self.clock(), Double)

    def now(self) -> float:
        """Now, in seconds since 1970."""
        if self.clock is not None:
            return self.clock()
        row = self.database.row(select(self.database.moment()))
        assert row is not None
        return float(row[0])

    def secret(self, name: str) -> bytes:
        """Random bytes that stay the same; made when first asked for."""
        new = secrets.token_bytes(32)

        def work(connection: Connection) -> bytes:
            made = self.database.insert(secret_values).values(name=name, value=new)
            connection.execute(made.on_conflict_do_nothing())
            known = select(secret_values.c.value).where(secret_values.c.name == name)
            return bytes(connection.execute(known).scalar_one())

        return self.database.write(work)

    # Making jobs

    def check_room(self, client: str) -> None:
        """Refuse more jobs than fit the queue, or more uploads than fit the disk."""
        check_room(self.settings.limits, self.database.row(room_taken(client)), 1)

    def add(
        self,
        kind: str,
        client: str,
        upload: str,
        files: Sequence[Mapping[str, Any]],
        options: Sequence[Mapping[str, Any]],
        *,
        stored: Mapping[int, Path] | None = None,
        batch: bool = False,
        key: str | None = None,
        owner: str | None = None,
    ) -> list[str]:
        """Make jobs of one upload, one for each of `options`; gives their addresses.

        Parameters
        ----------
        kind, client : str
        upload : str
            Its name, which no other has.
        files, options : sequences of mappings
            What was sent and what was asked for, as a job tells it.
        stored : mapping of int to Path, optional
            Files to keep until the jobs are done, by their numbers in `files`.
        batch : bool
            Let the jobs share an address, that of the batch.
        key : str, optional
            Where jobs of the same key are there already, these are given, and nothing is made.
        owner : str, optional
            Hash of the key with which they can be changed; without one nobody can.
        """
        made = [new_id() for _ in options]
        together = new_id() if batch else None
        size = sum(int(files[number]["size"]) for number in stored or ())

        def work(connection: Connection) -> list[str]:
            known = jobs.c.upload == upload  # after a transaction whose end was not heard of
            if key is not None:
                known = or_(known, jobs.c.key == key)
            if there := _addresses(connection, known):
                return there
            insert_chunks(connection, upload, stored or {})
            self.database.lock(connection, Lock.ROOM)  # others may have added since
            if there := _addresses(connection, known):
                raise _Known(there)
            taken = connection.execute(room_taken(client)).one()
            check_room(self.settings.limits, taken, len(options))
            now = self.moment()
            connection.execute(insert(uploads).values(id=upload, created=now, bytes=size))
            rows = [
                {
                    "id": job,
                    "batch": together,
                    "kind": kind,
                    "status": "queued",
                    "client": client,
                    "upload": upload,
                    "options": json.dumps(dict(wanted)),
                    "files": json.dumps([dict(file) for file in files]),
                    "created": now + 1e-6 * place,
                    "expires": now + self.settings.keep_days * DAY,
                    "key": key,
                    "owner": owner,
                }
                for place, (job, wanted) in enumerate(zip(made, options, strict=True))
            ]
            connection.execute(insert(jobs).values(rows))
            self.count_in(connection, "uploads")
            self.count_in(connection, "upload_bytes", size)
            self.database.notify(connection, QUEUED)
            return made

        try:
            return self.database.write(work, patience=PATIENCE_FOR_NEW)
        except _Known as known:
            return known.jobs

    def known(self, key: str) -> list[str]:
        """The addresses of the jobs that were made with a key."""
        return [str(row.id) for row in self.database.rows(_with(jobs.c.key == key))]

    # Reading

    def _chosen(self, *, result: bool) -> Select[Any]:
        columns = [*_COLUMNS, jobs.c.result] if result else _COLUMNS
        now = self.moment()
        return select(*columns, now.label("read")).where(jobs.c.expires > now)

    def get(self, job: str, *, result: bool = True, patience: float | None = None) -> Job:
        """The job at an address, if the database answers within so many seconds.

        Raises
        ------
        RequestProblem
            There is none (404), or it expired (410).
        """
        chosen = self._chosen(result=result).where(jobs.c.id == check_address(job))
        row = next(iter(self.database.rows(chosen, patience=patience)), None)
        if row is None:
            self.check_expired(job)
            raise missing()
        return Job.of_row(row)

    def check_expired(self, address: str) -> None:
        """Say of an address that leads nowhere that it expired, if it did."""
        own = or_(jobs.c.id == address, jobs.c.batch == address)
        late = select(jobs.c.id).where(own, jobs.c.expires <= self.moment())
        mark = select(gone.c.mark).where(gone.c.mark == mark_of(address))
        if self.database.rows(late.union_all(mark)):
            raise RequestProblem(
                410,
                "expired",
                "This result has expired and was deleted.",
                "Send the files again for a new one.",
            )

    def batch(self, batch: str) -> list[Job]:
        """The jobs of a batch in their order, with results."""
        chosen = self._chosen(result=True).where(jobs.c.batch == check_address(batch))
        rows = self.database.rows(chosen.order_by(jobs.c.created, jobs.c.id))
        if not rows:
            self.check_expired(batch)
            raise missing()
        return [Job.of_row(row) for row in rows]

    def ahead(self, job: Job) -> int | None:
        """How many queued jobs come before a queued one."""
        if job.status != "queued":
            return None
        row = self.database.row(jobs_before(job.id, self.moment()))
        return None if row is None else int(row[0])

    # What workers do

    def claim(self, worker: str) -> Job | None:
        """Take the next job: of the client least served, the one that waits longest."""
        if self.database.row(select(jobs.c.id).where(jobs.c.status == "queued").limit(1)) is None:
            return None  # looking for work keeps nobody from writing
        own = (jobs.c.status == "running") & (jobs.c.worker == worker)
        again = False

        def work(connection: Connection) -> Job | None:
            nonlocal again
            now, job, begun = self.moment(), None, 0
            if again:  # the answer to the first try was lost: it may have had one
                job = connection.execute(select(jobs.c.id).where(own).with_for_update()).scalar()
            if job is None:
                job, begun = connection.execute(next_job(now)).scalar(), 1
            again = True
            if job is None:
                return None
            begun_now: dict[str, Any] = {
                "started": now,
                "attempts": jobs.c.attempts + begun,
                "worker": worker,
                "lease": now + self.settings.lease,
                "deadline": now + self.settings.limits.seconds,
            }
            taken = update(jobs).where(jobs.c.id == job).values(_BEGUN | begun_now)
            row = connection.execute(taken.returning(*_COLUMNS, now.label("read"))).one()
            taken_job = Job.of_row(row)
            served = self.database.insert(clients).values(client=taken_job.client, served=now)
            connection.execute(
                served.on_conflict_do_update(
                    index_elements=["client"], set_={"served": served.excluded.served}
                )
            )
            connection.execute(
                update(workers)
                .where(workers.c.name == worker)
                .values(job=taken_job.id, attempt=taken_job.attempts, seen=now)
            )
            self.tell_change(connection, taken_job.id, taken_job.batch)
            return taken_job

        return self.database.write(work)

    def heartbeat(
        self, job: Job, *, stage: str | None = None, done: int = 0, total: int = 0
    ) -> bool:
        """Renew the lease and tell the progress; whether the job is still this worker's."""

        def work(connection: Connection) -> bool:
            now = self.moment()
            progress = {} if stage is None else {"stage": stage, "done": done, "total": total}
            renewed = {"lease": now + self.settings.lease, **progress}
            changed = connection.execute(_own(job).values(renewed)).rowcount
            alive = update(workers).where(workers.c.name == job.worker)
            connection.execute(alive.values(seen=now))
            if changed and progress:
                self.tell_change(connection, job.id, job.batch)
            return changed == 1

        return self.database.write(work)

    def finish(
        self,
        job: Job,
        status: str,
        *,
        result: str | None = None,
        error: Mapping[str, Any] | None = None,
        players: Sequence[Mapping[str, Any]] | None = None,
        skipped: Sequence[Mapping[str, Any]] = (),
        skipped_total: int = 0,
        keep_seconds: float = 0.0,
    ) -> bool:
        """Leave a job in its next status; False if it was not this worker's any more."""

        def work(connection: Connection) -> bool:
            now = self.moment()
            asks = status == "needs_player"
            ended = OF_NOBODY | {
                "status": status,
                "finished": None if asks else now,
                "result": result,
                "error": None if error is None else json.dumps(dict(error)),
                "players": None if players is None else json.dumps([dict(p) for p in players]),
                "skipped": json.dumps([dict(each) for each in skipped]),
                "skipped_total": skipped_total,
                "keep": now + keep_seconds if keep_seconds else None,
                "done": case((jobs.c.done > jobs.c.total, jobs.c.done), else_=jobs.c.total),
                "stage": "waiting" if asks else "finished",
            }
            changed = connection.execute(_own(job).values(ended)).rowcount
            done = update(workers).where(workers.c.name == job.worker, workers.c.job.is_not(None))
            number = workers.c.finished + 1
            connection.execute(done.values(job=None, attempt=None, finished=number))
            if changed:
                self.count_in(connection, f"jobs_{job.kind}_{status}")
                self.count_in(connection, f"seconds_{job.kind}", now - (job.started or 0.0))
                self.tell_change(connection, job.id, job.batch)
            return changed == 1

        return self.database.write(work)

    def tell_change(self, connection: Connection, job: str, batch: str | None) -> None:
        """Tell who watches a job that it changes, once the transaction has happened."""
        self.database.notify(connection, CHANGED, f"{job} {batch or ''}".strip())

    def count_in(
        self, connection: Connection, name: str, value: float | ColumnElement[float] = 1.0
    ) -> None:
        """Add to a counter, as part of a transaction."""
        added = self.database.insert(counters).values(name=name, value=value)
        total = counters.c.value + added.excluded.value
        connection.execute(
            added.on_conflict_do_update(index_elements=["name"], set_={"value": total})
        )

    def count(self, name: str, value: float = 1.0) -> None:
        """Add to a counter that outlives the process."""
        self.database.write(lambda connection: self.count_in(connection, name, value), once=True)


class _Known(Exception):
    """The jobs are there already."""

    def __init__(self, jobs: list[str]) -> None:
        self.jobs = jobs


def _with(condition: ColumnElement[bool]) -> Select[str]:
    return select(jobs.c.id).where(condition).order_by(jobs.c.created, jobs.c.id)


def _addresses(connection: Connection, condition: ColumnElement[bool]) -> list[str]:
    return [str(row.id) for row in connection.execute(_with(condition))]


def _own(job: Job) -> Any:
    """A change of a job that counts only while it is still its worker's."""
    return update(jobs).where(
        jobs.c.id == job.id,
        jobs.c.status == "running",
        jobs.c.worker == job.worker,
        jobs.c.attempts == job.attempts,
    )
