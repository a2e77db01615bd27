"""What keeps the jobs going: lost ones taken up again, late ones ended, leftovers removed."""

from __future__ import annotations

import json
import shutil
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from yardstone.web.settings import Settings
from yardstone.web.store import DAY, JobStore, mark_of

__all__ = [
    "WorkerState",
    "alive_workers",
    "drop_uploads",
    "end_heavy",
    "end_late",
    "enter_worker",
    "expire",
    "leave_worker",
    "recover",
    "release",
    "state",
    "stray_workers",
    "sweep",
    "work_folder",
]

_SEND_AGAIN = "Send the files again."
#: Days for which an address is remembered as expired.
_REMEMBERED_DAYS = 30.0
#: Seconds after which a folder that no job knows is a leftover.
_LEFTOVER = 60.0
_AGAIN = (
    "UPDATE jobs SET status = 'queued', worker = NULL, lease = NULL, deadline = NULL, "
    "stage = 'waiting', done = 0, total = 0, attempts = attempts - ? WHERE id = ?"
)
_ENDED = (
    "UPDATE jobs SET status = 'failed', finished = ?, error = ?, keep = ?, worker = NULL, "
    "lease = NULL, deadline = NULL, stage = 'finished' WHERE id = ?"
)


@dataclass(frozen=True, slots=True)
class WorkerState:
    """A worker as it last showed itself.

    Attributes
    ----------
    name : str
    pid : int
    seen : float
        When, in seconds since 1970.
    job : str or None
        What it works on.
    """

    name: str
    pid: int
    seen: float
    job: str | None


def enter_worker(store: JobStore, name: str, pid: int) -> None:
    """Say that a worker lives; again and again while it waits for work."""
    now = store.clock()
    with store.database.writing() as table:
        table.execute(
            "INSERT INTO workers (name, pid, started, seen) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (name) DO UPDATE SET seen = excluded.seen",
            (name, pid, now, now),
        )


def work_folder(settings: Settings, worker: str) -> Path:
    """Where a worker unpacks the files of its job."""
    return settings.data / "work" / worker.replace("/", "_")


def leave_worker(store: JobStore, name: str) -> None:
    """Say that a worker is gone, and remove what it left."""
    with store.database.writing() as table:
        table.execute("DELETE FROM workers WHERE name = ?", (name,))
    shutil.rmtree(work_folder(store.settings, name), ignore_errors=True)


def alive_workers(store: JobStore) -> list[WorkerState]:
    """The workers that showed themselves within the time of a lease."""
    rows = store.database.connection().execute(
        "SELECT name, pid, seen, job FROM workers WHERE seen > ? ORDER BY name",
        (store.clock() - store.settings.lease,),
    )
    return [WorkerState(*row) for row in rows]


def release(store: JobStore, worker: str, *, innocent: bool) -> int:
    """Put back the jobs of a worker that ended; how many there were.

    A job counts the attempt unless the worker is `innocent`, because it was asked
    to end.
    """
    return _put_back(store, "worker = ?", worker, innocent=innocent)


def recover(store: JobStore) -> int:
    """Put back the jobs whose lease ran out; how many there were."""
    now = store.clock()
    with store.database.writing() as table:
        table.execute("DELETE FROM workers WHERE seen <= ?", (now - 10.0 * store.settings.lease,))
    return _put_back(store, "lease <= ?", now, innocent=False)


def _put_back(store: JobStore, where: str, value: object, *, innocent: bool) -> int:
    with store.database.writing() as table:
        rows = _running(table, where, value)
        for row in rows:
            if innocent or row["attempts"] < store.settings.limits.attempts:
                table.execute(_AGAIN, (int(innocent), row["id"]))
                continue
            error = _error(
                "gave_up",
                f"This job ended its worker {row['attempts']} times and was given up.",
                "Send fewer or other files.",
            )
            keep = store.clock() + 3600.0 * store.settings.keep_retry_hours
            _end(store, table, row, error, keep)
    return len(rows)


def _running(table: sqlite3.Connection, where: str, value: object) -> list[sqlite3.Row]:
    query = f"SELECT id, kind, attempts FROM jobs WHERE status = 'running' AND {where}"
    return table.execute(query, (value,)).fetchall()


def _end(
    store: JobStore,
    table: sqlite3.Connection,
    row: sqlite3.Row,
    error: str,
    keep: float | None = None,
) -> None:
    """Have a running job failed; its files may be kept for another try."""
    table.execute(_ENDED, (store.clock(), error, keep, row["id"]))
    store.count_in(table, f"jobs_{row['kind']}_failed")


def _error(code: str, message: str, hint: str) -> str:
    return json.dumps({"code": code, "message": message, "hint": hint, "file": None, "line": None})


def end_late(store: JobStore) -> int:
    """End the jobs that took too long; how many there were."""
    seconds = store.settings.limits.seconds
    message = f"This job took longer than {seconds} seconds."
    return _end_all(store, "deadline <= ?", store.clock(), "too_long", message)


def end_heavy(store: JobStore, worker: str) -> int:
    """End the job of a worker that takes too much memory; how many there were."""
    return _end_all(store, "worker = ?", worker, "too_heavy", "This job took too much memory.")


def _end_all(store: JobStore, where: str, value: object, code: str, message: str) -> int:
    error = _error(code, message, "Send fewer games at a time.")
    with store.database.writing() as table:
        rows = _running(table, where, value)
        for row in rows:
            _end(store, table, row, error)
    return len(rows)


def stray_workers(store: JobStore) -> set[str]:
    """Workers that still compute a job which is no longer theirs."""
    rows = store.database.connection().execute(
        "SELECT name FROM workers WHERE job IS NOT NULL AND NOT EXISTS (SELECT 1 FROM jobs "
        "WHERE jobs.id = workers.job AND jobs.status = 'running' AND jobs.worker = workers.name "
        "AND jobs.attempts = workers.attempt)"
    )
    return {str(row["name"]) for row in rows}


def expire(store: JobStore) -> int:
    """Delete what has expired; how many jobs that were."""
    now = store.clock()
    with store.database.writing() as table:
        rows = table.execute("SELECT id, batch FROM jobs WHERE expires <= ?", (now,)).fetchall()
        marks = {
            mark_of(address) for row in rows for address in (row["id"], row["batch"]) if address
        }
        table.executemany(
            "INSERT OR REPLACE INTO gone VALUES (?, ?)",
            [(mark, now + _REMEMBERED_DAYS * DAY) for mark in sorted(marks)],
        )
        table.execute("DELETE FROM jobs WHERE expires <= ?", (now,))
        table.execute("DELETE FROM gone WHERE until <= ?", (now,))
        table.execute("DELETE FROM clients WHERE served <= ?", (now - DAY,))
        table.execute(
            "UPDATE jobs SET status = 'failed', finished = ?, players = NULL, error = ? "
            "WHERE status = 'needs_player' AND keep <= ?",
            (now, _error("not_chosen", "No player was chosen in time.", _SEND_AGAIN), now),
        )
    store.database.forget()
    return len(rows)


def _unneeded_uploads(store: JobStore) -> list[str]:
    """Uploads that no job needs any more; they leave the table."""
    with store.database.writing() as table:
        rows = table.execute(
            "DELETE FROM uploads WHERE id NOT IN (SELECT upload FROM jobs WHERE status IN "
            "('queued', 'running', 'needs_player') OR (status = 'failed' AND keep > ?)) "
            "RETURNING id",
            (store.clock(),),
        ).fetchall()
    return [str(row["id"]) for row in rows]


def _known_uploads(store: JobStore) -> set[str]:
    rows = store.database.connection().execute("SELECT id FROM uploads").fetchall()
    return {str(row["id"]) for row in rows}


def drop_uploads(store: JobStore) -> None:
    """Delete the uploads that no job needs any more."""
    for upload in _unneeded_uploads(store):
        shutil.rmtree(store.settings.uploads / upload, ignore_errors=True)


def sweep(store: JobStore) -> None:
    """Remove what has expired, and uploads that nobody needs."""
    expire(store)
    drop_uploads(store)
    settings = store.settings
    late = store.clock() - settings.limits.upload_seconds - _LEFTOVER
    _remove_old(settings.uploads, _known_uploads(store), late)
    alive = {work_folder(settings, worker.name).name for worker in alive_workers(store)}
    _remove_old(settings.data / "work", alive, store.clock() - settings.lease - _LEFTOVER)


def _remove_old(folder: Path, known: set[str], late: float) -> None:
    """Remove the folders in a folder that nobody knows, unless they are new."""
    for path in folder.iterdir() if folder.is_dir() else ():
        try:
            if path.name not in known and path.stat().st_mtime < late:
                shutil.rmtree(path, ignore_errors=True)
        except FileNotFoundError:
            continue


def state(store: JobStore) -> dict[str, Any]:
    """Numbers about the jobs, for those who run the server."""
    table = store.database.connection()
    statuses = dict(table.execute("SELECT status, count(*) FROM jobs GROUP BY status").fetchall())
    oldest = table.execute("SELECT min(created) FROM jobs WHERE status = 'queued'").fetchone()[0]
    uploads = table.execute("SELECT count(*), coalesce(sum(bytes), 0) FROM uploads").fetchone()
    return {
        "jobs": statuses,
        "oldest_queued_seconds": 0.0 if oldest is None else max(store.clock() - oldest, 0.0),
        "uploads": uploads[0],
        "upload_bytes": uploads[1],
        "workers": len(alive_workers(store)),
        "counters": dict(table.execute("SELECT name, value FROM counters ORDER BY name")),
    }
