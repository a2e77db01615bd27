"""What is done with the files of one job: in a process of its own, which is a cell.

The worker has the database and the network; this has neither. It is given the files in a
folder, tells how far it is, and gives the result. Its process is forked from one that has loaded
what takes long, sees no other job, and ends with its own.
"""

from __future__ import annotations

import json
import logging
import multiprocessing
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from yardstone import cell
from yardstone.errors import InputError, ModelError, UsageError, WorkerError, YardstoneError
from yardstone.parallel import Progress, context
from yardstone.pool import Skipped, SkipReport
from yardstone.web.kinds import KINDS, NeedsPlayer, Task
from yardstone.web.problems import RequestProblem, described, refusal
from yardstone.web.sent_files import Unpacked, unpack
from yardstone.web.settings import Settings, configure_log

if TYPE_CHECKING:
    from yardstone.go.nets.network import Network

#: Seconds between two tellings of progress, and between two looks whether the job is still ours.
PAUSE = 0.5
#: What work says that it does, and what visitors are told; of the rest they hear nothing.
_STAGES = {
    **{stage: stage for stage in ("fetching", "reading", "analysing", "searching", "rating")},
    "looking at positions": "analysing",
}
#: Bytes of a message from the process of a job.
_LONGEST = 1 << 30
#: Bytes of a file that a job writes, beyond what it may unpack.
_FILE = 1 << 30
#: Seconds that a job has to end by itself when nobody waits for it any more.
_PATIENCE = 5.0
#: The status of a process where the one that it was forked from has ended before it, as when all
#: are told to end.
_ENDED_BEFORE = 255
_INTERNAL = refusal("internal/job").as_dict()
_LOGGER = logging.getLogger("yardstone.web.job")

Ended = dict[str, Any]


class Stopped(Exception):
    """The job is no longer this worker's."""


class LoadedNetwork:
    """KataGo's network, loaded once by a process."""

    def __init__(self, settings: Settings, threads: int) -> None:
        self._settings = settings
        self._threads = threads
        self._network: Network | None = None

    def __call__(self) -> Network:
        """Return the network; raises RequestProblem where there is none."""
        from yardstone.strength.model import default_model
        from yardstone.strength.players import model_network

        if self._network is None:
            net = self._settings.net or None
            try:
                self._network = model_network(
                    default_model(self._settings.model or None, net),
                    net,
                    threads=self._threads,
                    cache=False,  # nothing of an upload outlives it
                    device=self._settings.device,
                )
            except YardstoneError as error:
                _LOGGER.error("no network: %s", error)
                raise refusal("no_network") from None
        return self._network


@dataclass(frozen=True, slots=True)
class Work:
    """A job as it is done: its files lie in ``sent`` in its folder, or were `imported`."""

    settings: Settings
    kind: str
    options: dict[str, Any]
    sent: list[dict[str, Any]]
    imported: list[Unpacked] | None
    folder: Path
    threads: int

    def result(self, network: Callable[[], Network], skipped: SkipReport) -> Ended:
        """Do it: how it ended, as `JobStore.finish` takes it; raises what `outcome` knows."""
        kind, files = KINDS[self.kind], self.imported
        if files is None:
            sent, limits = self.folder / "sent", self.settings.limits
            files = unpack(sent, self.sent, kind.takes, self.folder, limits, skipped)
            shutil.rmtree(sent)
        task = Task(self.options, files, self.settings, network, skipped)
        # Numbers that JSON lacks are an error.
        plain = json.dumps(
            kind.result(task), ensure_ascii=False, allow_nan=False, separators=(",", ":")
        )
        return {"status": "done", "result": plain}


def outcome(settings: Settings, work: Callable[[], Ended]) -> Ended:
    """How some work on a job ended, whatever it raises but `Stopped`."""
    try:
        return work()
    except NeedsPlayer as question:
        keep = 3600.0 * settings.keep_choice_hours
        return {"status": "needs_player", "players": question.players, "keep_seconds": keep}
    except (RequestProblem, InputError, ModelError, UsageError) as error:
        ours = isinstance(error, RequestProblem) and error.status >= 500
        told = described(error)
        file = str(told["file"] or "")
        if str(settings.data) in json.dumps(told) or file.startswith("/"):
            _LOGGER.error("a job failed: %s", error)
            told = _INTERNAL  # what is the server's own is not theirs to know
        return _failed(settings, told, ours=ours)
    except MemoryError:
        return _failed(settings, refusal("too_heavy").as_dict(), ours=False)
    except (Stopped, WorkerLost):
        raise
    except Exception:
        _LOGGER.exception("a job failed")
        return _failed(settings, _INTERNAL, ours=True)


def _failed(settings: Settings, error: dict[str, Any], *, ours: bool) -> Ended:
    keep = 3600.0 * settings.keep_retry_hours if ours else 0.0
    return {"status": "failed", "error": error, "keep_seconds": keep}


def told_sometimes(tell: Progress) -> Progress:
    """Return a progress that tells visitors' stages alone, and seldom."""
    told_at = 0.0

    def sometimes(what: str, done: int, total: int) -> None:
        nonlocal told_at
        now, stage = time.monotonic(), _STAGES.get(what)
        if stage is not None and not (now - told_at < PAUSE and done):
            told_at = now
            tell(stage, done, total)

    return sometimes


class WorkerLost(WorkerError):
    """The process of a job died, for no fault that is known; `asked` if it was told to end."""

    def __init__(self, status: int) -> None:
        super().__init__(f"the process of a job ended with status {status}")
        self.asked = status in (-signal.SIGTERM, _ENDED_BEFORE)


if sys.platform == "win32":  # where only tests come by
    _PROCESSES = multiprocessing.get_context("spawn")
else:
    _PROCESSES = multiprocessing.get_context("forkserver")


def prepare() -> None:
    """Start what processes of jobs are forked from, with all that takes long to load."""
    from multiprocessing import forkserver

    modules = [__name__, *(module for kind in KINDS.values() for module in kind.warm)]
    _PROCESSES.set_forkserver_preload(modules)
    forkserver.ensure_running()


def done_apart(work: Work, tell: Progress, lost: Callable[[], bool], skipped: SkipReport) -> Ended:
    """Do a job in a cell of its own.

    Raises:
        Stopped: The job is `lost` meanwhile.
        WorkerLost: The process died.
    """
    work = replace(work, settings=replace(work.settings, database=""))  # which holds a password
    ours, theirs = _PROCESSES.Pipe()
    process = _PROCESSES.Process(target=_in_cell, args=(work, theirs))
    process.start()
    theirs.close()
    try:
        with ours:
            while True:
                while not ours.poll(PAUSE):
                    if lost():
                        raise Stopped
                # No pickle: whoever has taken the process must not take this one by it.
                message = json.loads(ours.recv_bytes(_LONGEST))
                if "tell" in message:
                    tell(*message["tell"])
                    continue
                for file, line, reason in message["skipped"]:
                    skipped.add(Skipped(file, line, reason))
                skipped.add_uncounted("more", message["total"] - len(message["skipped"]))
                return dict(message["ended"])
    except (EOFError, ConnectionError):
        process.join(_PATIENCE)
        if process.exitcode == -signal.SIGXCPU:
            error = refusal("too_long", seconds=work.settings.limits.seconds)
            return _failed(work.settings, error.as_dict(), ours=False)
        raise WorkerLost(process.exitcode or 0) from None
    finally:
        process.kill()
        process.join()
        process.close()


def _in_cell(work: Work, pipe: Connection) -> None:
    """What the process of a job does."""
    configure_log()
    settings = work.settings
    named = (settings.net, settings.model, settings.calibration, settings.gnubg)
    limits = settings.limits
    cell.enter(
        filter(None, named),
        [work.folder],
        cell.CellLimits(limits.memory << 20, limits.seconds, limits.unpacked_bytes + _FILE),
    )
    threading.Thread(target=_end_with, args=(pipe,), daemon=True).start()
    skipped = SkipReport()
    network = LoadedNetwork(settings, work.threads)

    def say(**words: Any) -> None:
        pipe.send_bytes(json.dumps(words).encode())

    with context(workers=work.threads, progress=told_sometimes(lambda *words: say(tell=words))):
        ended = outcome(settings, lambda: work.result(network, skipped))
    details = [(each.file, each.line, each.reason) for each in skipped.details]
    say(ended=ended, skipped=details, total=len(skipped))


def _end_with(pipe: Connection) -> None:
    """End this process when nobody waits for it any more."""
    with suppress(EOFError, OSError):
        pipe.recv_bytes()
    os._exit(1)
