"""The table of jobs: made, claimed by workers in fair order, finished.

This table alone says what there is to do. A worker that claims a job gets a lease,
which it renews while it lives; a job whose lease ran out is taken up again. What a
worker reports counts only while the job is still its own, so that a job is finished
once even if two workers did it.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from yardstone.web.database import Database
from yardstone.web.jobs import Job
from yardstone.web.problems import RequestProblem, missing
from yardstone.web.settings import Settings

__all__ = ["DAY", "OF_NOBODY", "JobStore", "mark_of", "new_id"]

#: Random bytes of an address.
_ADDRESS_BYTES = 18
#: Seconds.
DAY = 86_400.0
#: What a job is that no worker has.
OF_NOBODY = "worker = NULL, lease = NULL, deadline = NULL"
_COLUMNS = (
    "id, batch, kind, status, client, upload, options, files, created, started, finished, "
    "expires, attempts, worker, lease, deadline, stage, done, total, players, skipped, "
    "skipped_total, error, keep, owner"
)


def new_id() -> str:
    """A new private address of 144 random bits."""
    return secrets.token_urlsafe(_ADDRESS_BYTES)


def mark_of(job: str) -> str:
    """What is remembered of an address that expired; it cannot be turned back."""
    return hashlib.sha256(b"expired:" + job.encode()).hexdigest()


class JobStore:
    """All jobs of a server.

    Parameters
    ----------
    settings : Settings
    clock : callable
        Seconds since 1970.
    """

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.time) -> None:
        self.settings = settings
        self.clock = clock
        settings.uploads.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.database = Database(settings.data / "jobs.sqlite")

    def close(self) -> None:
        """Close the file."""
        self.database.close()

    def secret(self, name: str) -> bytes:
        """Random bytes that stay the same; made when first asked for."""
        with self.database.writing() as table:
            table.execute(
                "INSERT OR IGNORE INTO secrets VALUES (?, ?)", (name, secrets.token_bytes(32))
            )
            row = table.execute("SELECT value FROM secrets WHERE name = ?", (name,)).fetchone()
        return bytes(row["value"])

    # Making jobs

    def check_room(self, client: str, jobs: int = 1) -> None:
        """Refuse more jobs than fit the queue, or more uploads than fit the disk."""
        limits, table = self.settings.limits, self.database.connection()
        active = "status IN ('queued', 'running')"
        whole = table.execute(f"SELECT count(*) FROM jobs WHERE {active}").fetchone()[0]
        own = table.execute(
            f"SELECT count(*) FROM jobs WHERE client = ? AND {active}", (client,)
        ).fetchone()[0]
        if own + jobs > limits.queue_client:
            raise RequestProblem(
                429,
                "queue_client",
                f"You have {own} jobs waiting; at most {limits.queue_client} may wait.",
                "Wait until they are done.",
                retry_after=30,
            )
        if whole + jobs > limits.queue:
            raise RequestProblem(
                429, "queue", "Too many jobs are waiting.", "Try again later.", retry_after=60
            )
        used = table.execute("SELECT coalesce(sum(bytes), 0) FROM uploads").fetchone()[0]
        if used + limits.request_bytes > limits.disk_bytes:
            raise RequestProblem(
                429, "disk", "There is no room for more files.", "Try again later.", retry_after=60
            )

    def add(
        self,
        kind: str,
        client: str,
        upload: str,
        size: int,
        files: Sequence[Mapping[str, Any]],
        options: Sequence[Mapping[str, Any]],
        *,
        batch: bool = False,
        key: str | None = None,
        owner: str | None = None,
    ) -> list[str]:
        """Make jobs of one upload, one for each of `options`; gives their addresses.

        With `batch` they share an address too, that of the batch. Where jobs of the
        same `key` are there already, these are given, and nothing is made. `owner` is the hash
        of the key with which they can be changed; without one nobody can.
        """
        now = self.clock()
        expires = now + self.settings.keep_days * DAY
        together = new_id() if batch else None
        with self.database.writing() as table:
            if key is not None and (known := self._of_key(table, key)):
                return known
            self.check_room(client, len(options))
            table.execute("INSERT INTO uploads VALUES (?, ?, ?)", (upload, now, size))
            made = [new_id() for _ in options]
            for place, (job, wanted) in enumerate(zip(made, options, strict=True)):
                table.execute(
                    "INSERT INTO jobs (id, batch, kind, status, client, upload, options, files, "
                    "created, expires, key, owner) "
                    "VALUES (?, ?, ?, 'queued', ?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        job,
                        together,
                        kind,
                        client,
                        upload,
                        json.dumps(dict(wanted)),
                        json.dumps([dict(file) for file in files]),
                        now + 1e-6 * place,
                        expires,
                        key,
                        owner,
                    ),
                )
        return made

    @staticmethod
    def _of_key(table: sqlite3.Connection, key: str) -> list[str]:
        rows = table.execute("SELECT id FROM jobs WHERE key = ? ORDER BY created, rowid", (key,))
        return [str(row["id"]) for row in rows]

    def known(self, key: str) -> list[str]:
        """The addresses of the jobs that were made with a key."""
        return self._of_key(self.database.connection(), key)

    # Reading

    def get(self, job: str, *, result: bool = True) -> Job:
        """The job at an address.

        Raises
        ------
        RequestProblem
            There is none (404), or it expired (410).
        """
        columns = f"{_COLUMNS}, result" if result else _COLUMNS
        table = self.database.connection()
        row = table.execute(
            f"SELECT {columns} FROM jobs WHERE id = ? AND expires > ?", (job, self.clock())
        ).fetchone()
        if row is None:
            self.check_expired(job)
            raise missing()
        return Job.of_row(row)

    def check_expired(self, address: str) -> None:
        """Say of an address that leads nowhere that it expired, if it did."""
        table = self.database.connection()
        late = table.execute(
            "SELECT 1 FROM jobs WHERE (id = ? OR batch = ?) AND expires <= ?",
            (address, address, self.clock()),
        ).fetchone()
        row = (
            late
            or table.execute("SELECT 1 FROM gone WHERE mark = ?", (mark_of(address),)).fetchone()
        )
        if row is not None:
            raise RequestProblem(
                410,
                "expired",
                "This result has expired and was deleted.",
                "Send the files again for a new one.",
            )

    def batch(self, batch: str) -> list[Job]:
        """The jobs of a batch in their order, with results."""
        rows = (
            self.database.connection()
            .execute(
                f"SELECT {_COLUMNS}, result FROM jobs WHERE batch = ? AND expires > ? "
                "ORDER BY created, rowid",
                (batch, self.clock()),
            )
            .fetchall()
        )
        if not rows:
            self.check_expired(batch)
            raise missing()
        return [Job.of_row(row) for row in rows]

    def ahead(self, job: Job) -> int | None:
        """How many queued jobs come before a queued one."""
        if job.status != "queued":
            return None
        row = (
            self.database.connection()
            .execute(
                "WITH line AS (SELECT id, row_number() OVER (PARTITION BY jobs.client "
                "ORDER BY created, jobs.rowid) AS round, coalesce(served, 0) AS served, created "
                "FROM jobs LEFT JOIN clients USING (client) WHERE status = 'queued') "
                "SELECT count(*) FROM line, (SELECT * FROM line WHERE id = ?) AS own "
                "WHERE (line.round, line.served, line.created) "
                "< (own.round, own.served, own.created)",
                (job.id,),
            )
            .fetchone()
        )
        return int(row[0])

    # What workers do

    def claim(self, worker: str) -> Job | None:
        """Take the next job: of the client least served, the one that waits longest."""
        now, waiting = self.clock(), "SELECT 1 FROM jobs WHERE status = 'queued' LIMIT 1"
        if self.database.connection().execute(waiting).fetchone() is None:
            return None  # looking for work keeps nobody from writing
        with self.database.writing() as table:
            row = table.execute(
                "SELECT jobs.id FROM jobs LEFT JOIN clients USING (client) "
                "WHERE status = 'queued' AND expires > ? ORDER BY (SELECT count(*) FROM jobs "
                "AS other WHERE other.client = jobs.client AND other.status = 'running'), "
                "coalesce(served, 0), created, jobs.rowid LIMIT 1",
                (now,),
            ).fetchone()
            if row is None:
                return None
            table.execute(
                "UPDATE jobs SET status = 'running', started = ?, attempts = attempts + 1, "
                "worker = ?, lease = ?, deadline = ?, stage = 'reading', done = 0, total = 0, "
                "error = NULL, players = NULL, skipped = NULL, skipped_total = 0, keep = NULL "
                "WHERE id = ?",
                (
                    now,
                    worker,
                    now + self.settings.lease,
                    now + self.settings.limits.seconds,
                    row["id"],
                ),
            )
            job = Job.of_row(
                table.execute(f"SELECT {_COLUMNS} FROM jobs WHERE id = ?", (row["id"],)).fetchone()
            )
            table.execute("INSERT OR REPLACE INTO clients VALUES (?, ?)", (job.client, now))
            table.execute(
                "UPDATE workers SET job = ?, attempt = ?, seen = ? WHERE name = ?",
                (job.id, job.attempts, now, worker),
            )
        return job

    def heartbeat(
        self, job: Job, *, stage: str | None = None, done: int = 0, total: int = 0
    ) -> bool:
        """Renew the lease and tell the progress; whether the job is still this worker's."""
        now = self.clock()
        with self.database.writing() as table:
            changed = table.execute(
                "UPDATE jobs SET lease = ?, stage = coalesce(?, stage), "
                "done = CASE WHEN ? IS NULL THEN done ELSE ? END, "
                "total = CASE WHEN ? IS NULL THEN total ELSE ? END "
                "WHERE id = ? AND status = 'running' AND worker = ? AND attempts = ?",
                (now + self.settings.lease, stage, stage, done, stage, total, *_owned(job)),
            ).rowcount
            table.execute("UPDATE workers SET seen = ? WHERE name = ?", (now, job.worker))
        return changed == 1

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
        now = self.clock()
        with self.database.writing() as table:
            changed = table.execute(
                "UPDATE jobs SET status = ?, finished = ?, result = ?, error = ?, players = ?, "
                "skipped = ?, skipped_total = ?, keep = ?, done = max(done, total), "
                f"stage = ?, {OF_NOBODY} "
                "WHERE id = ? AND status = 'running' AND worker = ? AND attempts = ?",
                (
                    status,
                    None if status == "needs_player" else now,
                    result,
                    None if error is None else json.dumps(dict(error)),
                    None if players is None else json.dumps([dict(each) for each in players]),
                    json.dumps([dict(each) for each in skipped]),
                    skipped_total,
                    now + keep_seconds if keep_seconds else None,
                    "waiting" if status == "needs_player" else "finished",
                    *_owned(job),
                ),
            ).rowcount
            self._free_worker(table, job.worker)
            if changed:
                self.count_in(table, f"jobs_{job.kind}_{status}")
                self.count_in(table, f"seconds_{job.kind}", now - (job.started or now))
        return changed == 1

    @staticmethod
    def _free_worker(table: sqlite3.Connection, worker: str | None) -> None:
        table.execute(
            "UPDATE workers SET job = NULL, attempt = NULL, finished = finished + 1 WHERE name = ?",
            (worker,),
        )

    @staticmethod
    def count_in(table: sqlite3.Connection, name: str, value: float = 1.0) -> None:
        """Add to a counter, as part of a transaction."""
        table.execute(
            "INSERT INTO counters VALUES (?, ?) ON CONFLICT (name) "
            "DO UPDATE SET value = value + excluded.value",
            (name, value),
        )

    def count(self, name: str, value: float = 1.0) -> None:
        """Add to a counter that outlives the process."""
        with self.database.writing() as table:
            self.count_in(table, name, value)


def _owned(job: Job) -> tuple[str, str | None, int]:
    return job.id, job.worker, job.attempts
