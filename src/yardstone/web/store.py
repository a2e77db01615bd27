"""The store of jobs, which is also their queue: who owns them, who is next."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import sqlalchemy as sa

from yardstone.web.database import (
    Database,
    Job,
    Lock,
    clients,
    counters,
    gone,
    insert_chunks,
    jobs,
    secret_values,
    uploads,
    workers,
)
from yardstone.web.notices import CHANGED, QUEUED
from yardstone.web.problems import refusal
from yardstone.web.settings import Limits, Settings

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response


STATUSES = ("queued", "running", "needs_player", "done", "failed", "cancelled")
#: Random bytes of an address and of a key.
_BYTES = 18


def new_id() -> str:
    """A new private address of 144 random bits."""
    return secrets.token_urlsafe(_BYTES)


def mark_of(address: str) -> str:
    """What is remembered of an address that expired; it cannot be turned back."""
    return hashlib.sha256(b"expired:" + address.encode()).hexdigest()


def _check_address(address: str) -> str:
    """An address, if it can be one: PostgreSQL takes no text with a zero in it."""
    if "\0" in address:
        raise refusal("not_found")
    return address


OWNER_COOKIE = "yardstone_owner"
_SCHEME = "bearer "


def new_key(secret: bytes, request: str | None = None) -> str:
    """A key of 144 bits: random, or always the same for a request that may come again.

    Such a `request` is known by its sender and ``Idempotency-Key``, and the server's secret.
    """
    if request is None:
        return new_id()
    return hmac.new(secret, b"owner:" + request.encode(), hashlib.sha256).hexdigest()[:36]


def key_mark(key: str) -> str:
    """What the table keeps of a key; it cannot be turned back."""
    return hashlib.sha256(b"owner:" + key.encode()).hexdigest()


def sent_key(request: Request) -> str:
    """The key that comes with a request: ``Authorization: Bearer KEY``, or the cookie."""
    header = request.headers.get("authorization", "")
    if header.lower().startswith(_SCHEME):
        return header[len(_SCHEME) :].strip()
    return request.cookies.get(OWNER_COOKIE, "")


def remember_key(
    request: Request,
    response: Response,
    key: str,
    path: str,
    seconds: float,
    cookie: str = OWNER_COOKIE,
) -> None:
    """Leave the key with a browser, which sends it to this path only."""
    response.set_cookie(
        cookie,
        key,
        max_age=max(int(seconds), 1),
        path=path,
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="lax",
    )


def is_owner(job: Job, key: str) -> bool:
    """Whether this is the key of the job."""
    return job.owner is not None and hmac.compare_digest(job.owner, key_mark(key))


def check_owner(job: Job, key: str, *, ownerless: bool = False) -> None:
    """Refuse by a RequestProblem to change a job without its owner's key.

    With `ownerless`, a job that was made before jobs had owners passes.
    """
    if is_owner(job, key) or (ownerless and job.owner is None):
        return
    if job.owner is None:
        raise refusal("no_owner")
    raise refusal("not_owner")


def _line(now: sa.ColumnElement[float]) -> sa.Subquery:
    """The jobs that wait, each with the turn of its client in which it comes."""
    # The first job of a client that has none running comes in the first turn: two workers who look
    # at the same moment, of whom one finds it taken, so go on to the next client.
    running = (
        sa.select(jobs.c.client, sa.func.count().label("number"))
        .where(jobs.c.status == "running")
        .group_by(jobs.c.client)
        .subquery()
    )
    place = sa.func.row_number().over(
        partition_by=jobs.c.client, order_by=(jobs.c.created, jobs.c.id)
    )
    turn = place + sa.func.coalesce(running.c.number, 0)
    return (
        sa.select(
            jobs.c.id,
            turn.label("turn"),
            sa.func.coalesce(clients.c.served, 0).label("served"),
            jobs.c.created,
        )
        .outerjoin(running, running.c.client == jobs.c.client)
        .outerjoin(clients, clients.c.client == jobs.c.client)
        .where(jobs.c.status == "queued", jobs.c.expires > now)
        .subquery("line")
    )


def _next_job(now: sa.ColumnElement[float]) -> sa.Select[str]:
    """The job to take next, locked; those that another transaction takes are passed over."""
    line = _line(now)
    return (
        sa.select(jobs.c.id)
        .join(line, line.c.id == jobs.c.id)
        .where(jobs.c.status == "queued")
        .order_by(line.c.turn, line.c.served, line.c.created, jobs.c.id)
        .limit(1)
        .with_for_update(of=jobs, skip_locked=True)
    )


def _room_taken(client: str) -> sa.Select[int, int, int]:
    """How many jobs wait or run, how many of them are a client's, and bytes of uploads."""
    own = sa.case((jobs.c.client == client, 1), else_=0)
    used = sa.select(sa.func.coalesce(sa.func.sum(uploads.c.bytes), 0)).scalar_subquery()
    return sa.select(
        sa.func.count().label("whole"),
        sa.func.coalesce(sa.func.sum(own), 0).label("own"),
        used.label("used"),
    ).where(jobs.c.status.in_(("queued", "running")))


def _check_room(limits: Limits, taken: Any, more: int) -> None:
    if taken.own + more > limits.queue_client:
        raise refusal("queue_client", own=taken.own, most=limits.queue_client)
    if taken.whole + more > limits.queue:
        raise refusal("queue")
    if taken.used + limits.request_bytes > limits.disk_bytes:
        raise refusal("disk")


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
    """All jobs of a server; the `clock`, of seconds since 1970, is the database's by default."""

    def __init__(self, settings: Settings, clock: Callable[[], float] | None = None) -> None:
        self.settings = settings
        self.clock = clock
        settings.uploads.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.database = Database(settings.data / "jobs.sqlite", settings.uploads, settings.database)

    def close(self) -> None:
        """Close the connections."""
        self.database.close()

    def moment(self) -> sa.ColumnElement[float]:
        """Now, for a statement."""
        return self.database.moment() if self.clock is None else sa.literal(self.clock(), sa.Double)

    def secret(self, name: str) -> bytes:
        """Random bytes that stay the same; made when first asked for."""
        new = secrets.token_bytes(32)

        def work(connection: sa.Connection) -> bytes:
            self.database.put(connection, secret_values, {"name": name, "value": new})
            known = sa.select(secret_values.c.value).where(secret_values.c.name == name)
            return bytes(connection.execute(known).scalar_one())

        return self.database.write(work)

    # Making jobs

    def check_room(self, client: str, key: str | None) -> None:
        """Refuse more jobs than fit the queue, or uploads than fit the disk, unless made before."""
        if key is None or not self.known(key):
            _check_room(self.settings.limits, self.database.row(_room_taken(client)), 1)

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

        No other upload has its name; `files` and `options` say what was sent and asked for, as a
        job tells it. Files in `stored`, by their numbers in `files`, are kept until the jobs are
        done. A `batch` shares an address. Where jobs of the same `key` are there already, these
        are given, and nothing is made. `owner` is the hash of the key with which they can be
        changed; without one nobody can.
        """
        made = [new_id() for _ in options]
        together = new_id() if batch else None
        size = sum(int(files[number]["size"]) for number in stored or ())

        def work(connection: sa.Connection) -> list[str]:
            known = jobs.c.upload == upload  # after a transaction whose end was not heard of
            if key is not None:
                known = sa.or_(known, jobs.c.key == key)
            if there := _addresses(connection, known):
                return there
            insert_chunks(connection, upload, stored or {})
            self.database.lock(connection, Lock.ROOM)  # others may have added since
            if there := _addresses(connection, known):
                raise _Known(there)
            taken = connection.execute(_room_taken(client)).one()
            _check_room(self.settings.limits, taken, len(options))
            now = self.moment()
            connection.execute(sa.insert(uploads).values(id=upload, created=now, bytes=size))
            rows = [
                {
                    "id": job,
                    "batch": together,
                    "kind": kind,
                    "status": "queued",
                    "client": client,
                    "upload": upload,
                    "options": dict(wanted),
                    "files": [dict(file) for file in files],
                    "created": now + 1e-6 * place,
                    "expires": now + self.settings.keep_days * DAY,
                    "key": key,
                    "owner": owner,
                }
                for place, (job, wanted) in enumerate(zip(made, options, strict=True))
            ]
            connection.execute(sa.insert(jobs).values(rows))
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

    def _chosen(self, *, result: bool) -> sa.Select[Any]:
        columns = [*_COLUMNS, jobs.c.result] if result else _COLUMNS
        now = self.moment()
        return sa.select(*columns, now.label("read")).where(jobs.c.expires > now)

    def get(self, job: str, *, result: bool = True, patience: float | None = None) -> Job:
        """The job at an address, if the database answers within so many seconds.

        Raises RequestProblem if there is none (404), or it expired (410).
        """
        chosen = self._chosen(result=result).where(jobs.c.id == _check_address(job))
        for row in self.database.rows(chosen, patience=patience):
            return Job.of_row(row)
        self.refuse_absent(job)

    def refuse_absent(self, address: str) -> NoReturn:
        """Say of an address that leads nowhere that it expired, or that there is nothing."""
        own = sa.or_(jobs.c.id == address, jobs.c.batch == address)
        late = sa.select(jobs.c.id).where(own, jobs.c.expires <= self.moment())
        mark = sa.select(gone.c.mark).where(gone.c.mark == mark_of(address))
        if self.database.rows(late.union_all(mark)):
            raise refusal("expired")
        raise refusal("not_found")

    def batch(self, batch: str) -> list[Job]:
        """The jobs of a batch in their order, with results."""
        chosen = self._chosen(result=True).where(jobs.c.batch == _check_address(batch))
        rows = self.database.rows(chosen.order_by(jobs.c.created, jobs.c.id))
        if not rows:
            self.refuse_absent(batch)
        return [Job.of_row(row) for row in rows]

    def ahead(self, job: Job) -> int | None:
        """How many queued jobs come before a queued one."""
        if job.status != "queued":
            return None
        line = _line(self.moment())
        others = line.alias("others")
        own, other = (
            sa.tuple_(each.c.turn, each.c.served, each.c.created, each.c.id)
            for each in (line, others)
        )
        before = sa.select(sa.func.count()).select_from(line.join(others, other < own))
        return int(self.database.row(before.where(line.c.id == job.id))[0])

    # What workers do

    def claim(self, worker: str) -> Job | None:
        """Take the next job: of the client least served, the one that waits longest."""
        if (
            self.database.row(sa.select(jobs.c.id).where(jobs.c.status == "queued").limit(1))
            is None
        ):
            return None  # looking for work keeps nobody from writing
        own = (jobs.c.status == "running") & (jobs.c.worker == worker)
        again = False

        def work(connection: sa.Connection) -> Job | None:
            nonlocal again
            now, job, begun = self.moment(), None, 0
            if again:  # the answer to the first try was lost: it may have had one
                job = connection.execute(sa.select(jobs.c.id).where(own).with_for_update()).scalar()
            if job is None:
                job, begun = connection.execute(_next_job(now)).scalar(), 1
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
            taken = sa.update(jobs).where(jobs.c.id == job).values(_BEGUN | begun_now)
            row = connection.execute(taken.returning(*_COLUMNS, now.label("read"))).one()
            taken_job = Job.of_row(row)
            served = {"client": taken_job.client, "served": now}
            self.database.put(connection, clients, served, served=now)
            connection.execute(
                sa.update(workers)
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

        def work(connection: sa.Connection) -> bool:
            now = self.moment()
            progress = {} if stage is None else {"stage": stage, "done": done, "total": total}
            renewed = {"lease": now + self.settings.lease, **progress}
            changed = connection.execute(_own(job).values(renewed)).rowcount
            alive = sa.update(workers).where(workers.c.name == job.worker)
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
        error: dict[str, Any] | None = None,
        players: list[dict[str, Any]] | None = None,
        skipped: Sequence[dict[str, Any]] = (),
        skipped_total: int = 0,
        keep_seconds: float = 0.0,
    ) -> bool:
        """Leave a job in its next status; False if it was not this worker's any more."""

        def work(connection: sa.Connection) -> bool:
            now = self.moment()
            asks = status == "needs_player"
            ended = OF_NOBODY | {
                "status": status,
                "finished": None if asks else now,
                "result": result,
                "error": error,
                "players": players,
                "skipped": skipped,
                "skipped_total": skipped_total,
                "keep": now + keep_seconds if keep_seconds else None,
                "done": sa.case((jobs.c.done > jobs.c.total, jobs.c.done), else_=jobs.c.total),
                "stage": "waiting" if asks else "finished",
            }
            changed = connection.execute(_own(job).values(ended)).rowcount
            done = sa.update(workers).where(
                workers.c.name == job.worker, workers.c.job.is_not(None)
            )
            number = workers.c.finished + 1
            connection.execute(done.values(job=None, attempt=None, finished=number))
            if changed:
                self.count_in(connection, f"jobs_{job.kind}_{status}")
                self.count_in(connection, f"seconds_{job.kind}", now - (job.started or 0.0))
                self.tell_change(connection, job.id, job.batch)
            return changed == 1

        return self.database.write(work)

    def tell_change(self, connection: sa.Connection, job: str, batch: str | None) -> None:
        """Tell who watches a job that it changes, once the transaction has happened."""
        self.database.notify(connection, CHANGED, f"{job} {batch or ''}".strip())

    def count_in(
        self, connection: sa.Connection, name: str, value: float | sa.ColumnElement[float] = 1.0
    ) -> None:
        """Add to a counter, as part of a transaction."""
        added = {"name": name, "value": value}
        self.database.put(connection, counters, added, value=counters.c.value + value)

    def count(self, name: str, value: float = 1.0) -> None:
        """Add to a counter that outlives the process."""
        self.database.write(lambda connection: self.count_in(connection, name, value), once=True)


class _Known(Exception):
    def __init__(self, jobs: list[str]) -> None:
        self.jobs = jobs


def _with(condition: sa.ColumnElement[bool]) -> sa.Select[str]:
    return sa.select(jobs.c.id).where(condition).order_by(jobs.c.created, jobs.c.id)


def _addresses(connection: sa.Connection, condition: sa.ColumnElement[bool]) -> list[str]:
    return [str(row.id) for row in connection.execute(_with(condition))]


def _own(job: Job) -> Any:
    """A change of a job that counts only while it is still its worker's."""
    return sa.update(jobs).where(
        jobs.c.id == job.id,
        jobs.c.status == "running",
        jobs.c.worker == job.worker,
        jobs.c.attempts == job.attempts,
    )
