"""A worker: one process that takes jobs, one after the other.

It fetches the files of a job, and has another process work on them (`yardstone.web.job`).
It tells the table every few seconds that it lives. It stops as soon as its job is no
longer its own (cancelled, deleted, or taken for dead), and ends when its supervisor
does. Whatever it is killed by, the table knows what is to be done again.
"""

from __future__ import annotations

import logging
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from sqlalchemy.exc import SQLAlchemyError

from yardstone.parallel import context
from yardstone.pool import SkipReport
from yardstone.web.database import Job, fetch_files
from yardstone.web.job import (
    LoadedNetwork,
    Stopped,
    Work,
    WorkerLost,
    done_apart,
    outcome,
    prepare,
    told_sometimes,
)
from yardstone.web.notices import QUEUED, Listener
from yardstone.web.problems import DatabaseAway
from yardstone.web.sent_files import import_games
from yardstone.web.settings import Settings, configure_log, log_event
from yardstone.web.store import JobStore
from yardstone.web.supervisor import Bell, orders
from yardstone.web.upkeep import drop_uploads, enter_worker, leave_worker, release, work_folder

T = TypeVar("T")

#: Seconds between two looks at an empty table at first, and after an error.
_FIRST, _TROUBLE = 0.02, 2.0
#: Seconds between two tries while the database does not answer.
_AWAY = 0.5
#: Skipped records that are listed with a job.
_LISTED = 100
#: Bytes that must be free where jobs unpack their files.
_ROOM = 1 << 20


class Worker:
    """Takes jobs from the table and does them, on so many `threads`; no other has its name.

    The work on the files is done `apart`, in a process that is a cell, or else in this one.
    """

    def __init__(
        self, settings: Settings, name: str, threads: int = 1, *, apart: bool = False
    ) -> None:
        self.settings = settings
        self.name = name
        self.threads = threads
        self.store = JobStore(settings)
        self.network = LoadedNetwork(settings, threads)
        self._apart = apart
        self._job: Job | None = None
        self._lost = False
        self._room = True
        self._logger = logging.getLogger("yardstone.web.worker")

    def work(self) -> bool:
        """Do the next job; whether there was one. While the disk is full there is none."""
        if not self._has_room():
            return False
        self._job, self._lost = self.store.claim(self.name), False
        if self._job is None:
            return False
        try:
            self._do(self._job)
        finally:
            self._job = None
        return True

    def _has_room(self) -> bool:
        places = {self.settings.data, Path(tempfile.gettempdir())}
        room = all(shutil.disk_usage(each).free >= _ROOM for each in places if each.exists())
        if self._room and not room:
            self._logger.error("the disk is full: jobs wait until it has room")
        self._room = room
        return room

    def run(self, bell: Bell | Listener) -> NoReturn:
        """Do one job after the other, for ever; looks are rarer while there is none."""
        pause = _FIRST
        while True:
            try:
                if self.work():
                    pause = _FIRST
                else:
                    bell.wait(pause)
                    pause = min(2.0 * pause, bell.longest)
            except DatabaseAway:
                time.sleep(_AWAY)
            except Exception:  # the lease brings the job back
                self._logger.exception("a worker could not go on")
                time.sleep(_TROUBLE)

    def live(self) -> None:
        """Show that this worker lives; whether its job is still its own is noted."""
        job = self._job
        if job is not None:
            self._lost = not self.store.heartbeat(job)
        else:
            enter_worker(self.store, self.name, os.getpid())

    def _do(self, job: Job) -> None:
        begun = time.monotonic()
        skipped = SkipReport()
        folder = work_folder(self.settings, self.name)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True, mode=0o700)
        try:
            ended = outcome(self.settings, lambda: self._attempt(job, folder, skipped))
        except Stopped:
            with suppress(DatabaseAway):
                self.store.count("jobs_stopped")
            return
        except WorkerLost as lost:
            self._logger.error("%s", lost)
            self._patiently(partial(release, self.store, self.name, innocent=lost.asked))
            return
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        if ended["status"] == "failed" and not self._has_room():
            # Perhaps for want of room, which it did not take itself: it is done again.
            self._patiently(partial(release, self.store, self.name, innocent=True))
            return
        details = [
            {"file": each.file, "line": each.line or None, "reason": each.reason}
            for each in skipped.details[:_LISTED]
        ]
        self._patiently(
            partial(self.store.finish, job, **ended, skipped=details, skipped_total=len(skipped))
        )
        with suppress(DatabaseAway):  # the next sweep will do
            drop_uploads(self.store)
        log_event(
            self._logger,
            "job",
            kind=job.kind,
            status=ended["status"],
            code=(ended.get("error") or {}).get("code"),
            seconds=round(time.monotonic() - begun, 3),
            attempt=job.attempts,
        )

    def _attempt(self, job: Job, folder: Path, skipped: SkipReport) -> dict[str, Any]:
        """Do a job; how it ended, as `JobStore.finish` takes it."""
        options, imported = dict(job.options), None
        tell = told_sometimes(partial(self._tell, job))
        with context(workers=self.threads, progress=tell):
            if options.get("ogs"):
                user, imported = import_games(self.settings, options["ogs"], folder, skipped)
                options["player"] = options["player"] or user
            else:
                sent = folder / "sent"
                sent.mkdir()
                fetch = partial(fetch_files, self.store.database, job.upload, job.files, sent)
                self._patiently(fetch)
            work = Work(self.settings, job.kind, options, job.files, imported, folder, self.threads)
            if self._apart:
                return done_apart(work, tell, lambda: self._lost, skipped)
            return work.result(self.network, skipped)

    def _patiently(self, action: Callable[[], T]) -> T:
        """Do something with the database, however long it is away; only our own jobs change."""
        while True:
            with suppress(DatabaseAway):
                return action()
            time.sleep(_AWAY)

    def _tell(self, job: Job, stage: str, done: int, total: int) -> None:
        if self._lost:
            raise Stopped
        with suppress(DatabaseAway):  # whose job it is, it will say when it is back
            if not self.store.heartbeat(job, stage=stage, done=done, total=total):
                raise Stopped


def main() -> int:
    """Work until the supervisor says or is at its end."""
    stop = threading.Event()
    words = orders(stop.set, 5.0)
    settings = Settings.of_plain(words["settings"])
    configure_log()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    with suppress(OSError, AttributeError):
        os.nice(settings.niceness)
    prepare()  # what takes long, before somebody waits for it
    worker = Worker(settings, words["name"], words["threads"], apart=True)
    threading.Thread(target=_live, args=(worker,), daemon=True).start()
    database = worker.store.database
    bell = Listener(database, QUEUED) if database.shared else Bell(tuple(words["bell"]))
    threading.Thread(target=worker.run, args=(bell,), daemon=True).start()
    stop.wait()
    with suppress(DatabaseAway, SQLAlchemyError):  # the lease will end
        release(worker.store, worker.name, innocent=True)
        leave_worker(worker.store, worker.name)
    sys.stdout.flush()
    os._exit(0)  # without waiting for a thread that still computes


def _live(worker: Worker) -> None:
    pause = min(worker.settings.lease / 5.0, 5.0)
    while True:
        with suppress(Exception):  # the next time will do
            worker.live()
        time.sleep(pause)


if __name__ == "__main__":
    sys.exit(main())
