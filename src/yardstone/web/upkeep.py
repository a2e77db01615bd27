"""What keeps the jobs going: lost ones taken up again, late ones ended, leftovers removed."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from yardstone.web.database import Lock, chunks, clients, counters, gone, jobs, uploads, workers
from yardstone.web.notices import QUEUED
from yardstone.web.problems import RequestProblem, refusal
from yardstone.web.settings import Settings
from yardstone.web.store import DAY, OF_NOBODY, JobStore, mark_of

#: Days for which an address is remembered as expired.
_REMEMBERED_DAYS = 30.0
#: Seconds after which a folder that no job knows is a leftover.
_LEFTOVER = 60.0
#: Seconds that a moment may lie further ahead than it was set.
_AHEAD = 60.0


def enter_worker(store: JobStore, name: str, pid: int) -> None:
    """Say that a worker lives; again and again while it waits for work."""

    def work(connection: sa.Connection) -> None:
        now = store.moment()
        entered = {"name": name, "pid": pid, "started": now, "seen": now}
        store.database.put(connection, workers, entered, seen=now)

    store.database.write(work)


def work_folder(settings: Settings, worker: str) -> Path:
    """Where a worker unpacks the files of its job."""
    return settings.data / "work" / worker.replace("/", "_")


def leave_worker(store: JobStore, name: str) -> None:
    """Say that a worker is gone, and remove what it left."""
    shutil.rmtree(work_folder(store.settings, name), ignore_errors=True)
    store.database.change(sa.delete(workers).where(workers.c.name == name))


def alive_workers(store: JobStore, *, patience: float | None = None) -> list[str]:
    """Names of the workers who live: seen within a lease's time."""
    alive = sa.select(workers.c.name).where(workers.c.seen > store.moment() - store.settings.lease)
    return [str(row.name) for row in store.database.rows(alive, patience=patience)]


def release(store: JobStore, worker: str, *, innocent: bool) -> int:
    """Put back the jobs of a worker that ended; how many there were.

    A job counts the attempt unless the worker is `innocent`, because it was asked to end.
    """
    return _put_back(store, jobs.c.worker == worker, innocent=innocent)


def recover(store: JobStore) -> int:
    """Put back the jobs whose lease ran out; how many there were."""
    now, lease, most = store.moment(), store.settings.lease, store.settings.limits.seconds
    # What lies too far ahead was left by the dead, because the clock was set back.
    ahead = (jobs.c.status == "running") & sa.or_(
        jobs.c.lease > now + lease + _AHEAD, jobs.c.deadline > now + most + _AHEAD
    )
    mended = sa.update(jobs).where(ahead).values(lease=now + lease, deadline=now + most)
    store.database.change(mended)
    for moment in (workers.c.seen, clients.c.served):
        late = sa.update(moment.table).where(moment > now + _AHEAD)
        store.database.change(late.values({moment.name: now}))
    dead = workers.c.seen <= store.moment() - 10.0 * lease
    store.database.change(sa.delete(workers).where(dead))
    return _put_back(store, jobs.c.lease <= store.moment(), innocent=False)


def _put_back(store: JobStore, which: sa.ColumnElement[bool], *, innocent: bool) -> int:
    again = {"status": "queued", "stage": "waiting", "done": 0, "total": 0}
    again["attempts"] = jobs.c.attempts - int(innocent)

    def values(row: Any) -> dict[str, Any]:
        if innocent or row.attempts < store.settings.limits.attempts:
            return again
        keep = store.moment() + 3600.0 * store.settings.keep_retry_hours
        return _failed(store, refusal("gave_up", times=row.attempts)) | {"keep": keep}

    return _change_running(store, which, values)


def _failed(store: JobStore, error: RequestProblem) -> dict[str, Any]:
    """What a running job is that failed; its files are not kept for another try."""
    now, plain = store.moment(), error.as_dict()
    return {"status": "failed", "stage": "finished", "finished": now, "error": plain, "keep": None}


def _change_running(
    store: JobStore, which: sa.ColumnElement[bool], values: Callable[[Any], dict[str, Any]]
) -> int:
    """Have some running jobs be nobody's and what `values` says; callers get different ones."""
    columns = (jobs.c.id, jobs.c.batch, jobs.c.kind, jobs.c.attempts)
    chosen = sa.select(*columns).where(jobs.c.status == "running", which).order_by(jobs.c.id)

    def work(connection: sa.Connection) -> int:
        rows = connection.execute(chosen.with_for_update(skip_locked=True)).fetchall()
        for row in rows:
            changed = OF_NOBODY | values(row)
            connection.execute(sa.update(jobs).where(jobs.c.id == row.id).values(changed))
            if changed["status"] == "queued":
                store.database.notify(connection, QUEUED)
            else:
                store.count_in(connection, f"jobs_{row.kind}_failed")
            store.tell_change(connection, row.id, row.batch)
        return len(rows)

    return store.database.write(work) if store.database.row(chosen) is not None else 0


def end_late(store: JobStore) -> int:
    """End the jobs that took too long; how many there were."""
    error = refusal("too_long", seconds=store.settings.limits.seconds)
    late = jobs.c.deadline <= store.moment()
    return _change_running(store, late, lambda row: _failed(store, error))


def end_heavy(store: JobStore, worker: str) -> int:
    """End the job of a worker that takes too much memory; how many there were."""
    error = refusal("too_heavy")
    return _change_running(store, jobs.c.worker == worker, lambda row: _failed(store, error))


def stray_workers(store: JobStore) -> set[str]:
    """Workers that still compute a job which is no longer theirs."""
    own = sa.exists().where(
        jobs.c.id == workers.c.job,
        jobs.c.status == "running",
        jobs.c.worker == workers.c.name,
        jobs.c.attempts == workers.c.attempt,
    )
    rows = store.database.rows(sa.select(workers.c.name).where(workers.c.job.is_not(None), ~own))
    return {str(row.name) for row in rows}


def _expire(store: JobStore) -> int:
    def work(connection: sa.Connection) -> int:
        if not store.database.is_alone(connection, Lock.SWEEP):
            return 0  # somebody else is at it
        now = store.moment()
        late = sa.delete(jobs).where(jobs.c.expires <= now).returning(jobs.c.id, jobs.c.batch)
        rows = connection.execute(late).fetchall()
        marks = {mark_of(address) for row in rows for address in row if address}
        for mark in sorted(marks):
            marked = {"mark": mark, "until": now + _REMEMBERED_DAYS * DAY}
            store.database.put(connection, gone, marked)
        connection.execute(sa.delete(gone).where(gone.c.until <= now))
        connection.execute(sa.delete(clients).where(clients.c.served <= now - DAY))
        error = refusal("not_chosen").as_dict()
        unanswered = (jobs.c.status == "needs_player") & (jobs.c.keep <= now)
        ended = {"status": "failed", "finished": now, "players": None, "error": error}
        connection.execute(sa.update(jobs).where(unanswered).values(ended))
        return len(rows)

    number = store.database.write(work)
    store.database.forget()
    return number


def drop_uploads(store: JobStore) -> None:
    """Delete the uploads that no job needs any more, each in a transaction of its own."""
    going = jobs.c.status.in_(("queued", "running", "needs_player"))
    again = (jobs.c.status == "failed") & (jobs.c.keep > store.moment())
    needed = sa.exists().where(jobs.c.upload == uploads.c.id, sa.or_(going, again))
    unneeded = store.database.rows(sa.select(uploads.c.id).where(~needed))

    def drop(connection: sa.Connection, upload: str) -> None:
        store.database.lock(connection, Lock.ROOM)  # nobody comes to need it meanwhile
        gone_now = sa.delete(uploads).where(uploads.c.id == upload, ~needed)
        if connection.execute(gone_now).rowcount:
            connection.execute(sa.delete(chunks).where(chunks.c.upload == upload))

    for row in unneeded:
        store.database.write(partial(drop, upload=row.id))
    if unneeded:
        store.database.forget()


def sweep(store: JobStore) -> None:
    """Remove what has expired, uploads that nobody needs, and folders that were left."""
    _expire(store)
    drop_uploads(store)
    settings = store.settings
    _remove_old(settings.uploads, set(), settings.limits.upload_seconds + _LEFTOVER)
    alive = {work_folder(settings, worker).name for worker in alive_workers(store)}
    _remove_old(settings.data / "work", alive, settings.lease + _LEFTOVER)


def _remove_old(folder: Path, known: set[str], seconds: float) -> None:
    """Remove the folders in a folder that nobody knows, unless they are new."""
    late = time.time() - seconds
    for path in folder.iterdir() if folder.is_dir() else ():
        try:
            if path.name not in known and path.stat().st_mtime < late:
                shutil.rmtree(path, ignore_errors=True)
        except FileNotFoundError:
            continue


def state(store: JobStore, *, patience: float | None = None) -> dict[str, Any]:
    """Numbers about the jobs, for those who run the server."""
    rows = partial(store.database.rows, patience=patience)
    waits = sa.case((jobs.c.status == "queued", jobs.c.created))
    grouped = sa.select(jobs.c.status, sa.func.count(), store.moment() - sa.func.min(waits))
    statuses = rows(grouped.group_by(jobs.c.status))
    kept = rows(
        sa.select(sa.func.count(uploads.c.id), sa.func.coalesce(sa.func.sum(uploads.c.bytes), 0))
    )[0]
    counted = sa.select(counters.c.name, counters.c.value).order_by(counters.c.name)
    return {
        "jobs": {row[0]: row[1] for row in statuses},
        "oldest_queued_seconds": max((row[2] or 0.0 for row in statuses), default=0.0),
        "uploads": kept[0],
        "upload_bytes": int(kept[1]),
        "workers": len(alive_workers(store, patience=patience)),
        "counters": {row.name: row.value for row in rows(counted)},
    }
