"""The supervisor: starts the server and the workers, tells them what to do, and wakes them."""

from __future__ import annotations

import json
import logging
import os
import secrets
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from yardstone.errors import InputError, UsageError
from yardstone.memory import memory_of
from yardstone.web import upkeep
from yardstone.web.problems import DatabaseAway
from yardstone.web.settings import Settings, log_event
from yardstone.web.store import JobStore


def orders(end: Callable[[], object], patience: float) -> dict[str, Any]:
    """The plain values that stand on the first line of standard input.

    The input stays open while the supervisor lives. Once it closes, `end` is called, and
    after so many seconds of `patience` the process ends whatever it does.
    """
    words: dict[str, Any] = json.loads(sys.stdin.readline())

    def wait() -> None:
        while sys.stdin.buffer.read(1):
            continue
        end()
        time.sleep(patience)
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
    return words


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; raises InputError if nothing can."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    both = ":" in host and socket.has_dualstack_ipv6()
    try:
        return socket.create_server(
            (host, port), family=family, backlog=_BACKLOG, dualstack_ipv6=both
        )
    except OSError as error:
        # Of its words those of the system alone: the address is said already.
        reason = (error.strerror or str(error)).partition(" (while")[0]
        hint = "name another --port or --host"
        raise InputError(f"nothing can listen at {host}:{port}: {reason}", hint=hint) from None


class Bell:
    """A pipe with one ring a job.

    Another process may have made its `ends`, to read and to write; without them nobody rings.
    """

    #: Seconds between two looks at most: workers of another supervisor do not hear it.
    longest = 0.25

    def __init__(self, ends: tuple[int, int] | None = None) -> None:
        self.ends = ends

    @classmethod
    def new(cls) -> Bell:
        """A bell whose ends can be handed to other processes."""
        ends = os.pipe()
        for end in ends:
            os.set_blocking(end, False)
        return cls(ends)

    def ring(self, jobs: int = 1) -> None:
        """Wake as many as there are new jobs."""
        if self.ends is not None:
            with suppress(BlockingIOError, BrokenPipeError):  # it is full: nobody sleeps
                os.write(self.ends[1], b"." * jobs)

    def wait(self, seconds: float) -> None:
        """Wait for a ring, and so many seconds at most."""
        if self.ends is None:
            time.sleep(seconds)
        elif select.select([self.ends[0]], [], [], seconds)[0]:
            with suppress(BlockingIOError):  # another worker was quicker
                os.read(self.ends[0], 1)

    def close(self) -> None:
        """Close the pipe."""
        for end in self.ends or ():
            os.close(end)
        self.ends = None


#: Seconds between two looks at everything, and between two sweeps.
_TICK = 0.5
_SWEEP = 20.0
#: Seconds that a worker has to notice that its job is no longer its own.
_GRACE = 8.0
#: Seconds that processes have to end when they are asked to.
_FAREWELL = 10.0
#: Pauses before a process is started again, in seconds.
_FIRST_PAUSE, _LONGEST_PAUSE, _STEADY = 0.2, 30.0, 60.0
_BACKLOG = 1024


@dataclass(eq=False)
class _Child:
    label: str
    module: str
    orders: Callable[[], dict[str, Any]]
    name: str = ""
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    pause: float = 0.0
    next: float = 0.0

    def start(self) -> None:
        orders = self.orders()
        self.name = str(orders.get("name", ""))
        self.process = subprocess.Popen(
            [sys.executable, "-m", self.module],
            stdin=subprocess.PIPE,
            pass_fds=[*orders["bell"], *filter(None, [orders.get("socket")])],
            start_new_session=True,  # a Ctrl-C reaches the supervisor alone
        )
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps(orders).encode() + b"\n")
            self.process.stdin.flush()
        self.started = time.monotonic()

    def ended(self) -> bool:
        """Whether it has ended; then it may start again after a pause."""
        if self.process is None or self.process.poll() is None:
            return False
        if self.process.stdin is not None:
            with suppress(OSError):
                self.process.stdin.close()
        now = time.monotonic()
        steady = now - self.started > _STEADY
        self.pause = _FIRST_PAUSE if steady else min(max(2 * self.pause, 0.2), _LONGEST_PAUSE)
        self.next = now + self.pause
        self.process = None
        return True

    def signal(self, number: int) -> None:
        if self.process is not None and self.process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)


class Supervisor:
    """Server and workers of one machine; without `serve` only workers.

    Raises InputError if the folder cannot be used, or nothing can listen at the address.
    """

    def __init__(self, settings: Settings, *, serve: bool = True) -> None:
        if not serve and not settings.workers:
            raise UsageError("there is nothing to start: give --workers a number")
        if not hasattr(os, "killpg"):
            raise UsageError(
                "the server hands open connections to its processes, which Windows cannot: "
                "start it under Linux, macOS, or the Windows Subsystem for Linux"
            )
        self.settings = settings
        settings.tls()
        try:
            settings.data.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise InputError(
                f"this folder cannot be used: {error.strerror}", file=str(settings.data)
            ) from None
        self.store = JobStore(settings)
        self.store.database.patience = 0.0  # it comes back to everything
        self.bell = Bell.new()
        self.socket = listen(settings.host, settings.port) if serve else None
        self._mark = f"{socket.gethostname()[:40]}/{secrets.token_hex(4)}"
        self._stop = threading.Event()
        self._stray: dict[str, float] = {}
        self._swept = 0.0
        self._dead: set[str] = set()
        self._answers = True
        self._logger = logging.getLogger("yardstone.web.supervisor")
        self.children = [
            _Child(f"worker {number}", "yardstone.web.worker", partial(self._for_worker, number))
            for number in range(1, settings.workers + 1)
        ]
        if self.socket is not None:
            listening = partial(self._orders, socket=self.socket.fileno())
            self.children.insert(0, _Child("server", "yardstone.web.server", listening))

    @property
    def place(self) -> str:
        """Where the jobs are: the folder, or the database without its password."""
        return self.store.database.place if self.settings.database else str(self.settings.data)

    @property
    def address(self) -> str:
        """Where the server answers."""
        if self.socket is None:
            return ""
        return self.settings.url(*self.socket.getsockname()[:2])

    def _orders(self, **more: Any) -> dict[str, Any]:
        return {"settings": self.settings.as_plain(), "bell": self.bell.ends, **more}

    def _for_worker(self, number: int) -> dict[str, Any]:
        cores = self.settings.cores or os.cpu_count() or 1
        threads = max(1, cores // max(self.settings.workers, 1))
        return self._orders(name=f"{self._mark}/{number}-{secrets.token_hex(3)}", threads=threads)

    def stop(self) -> None:
        """Let `run` come to its end."""
        self._stop.set()

    def run(self) -> None:
        """Keep everything going until `stop` is called."""
        try:
            while not self._stop.is_set():
                self._tick()
                self._stop.wait(_TICK)
        finally:
            self._end()

    def _tick(self) -> None:
        now = time.monotonic()
        for child in self.children:
            if child.ended():
                log_event(self._logger, "ended", process=child.label, again_in=child.pause)
                if child.name:
                    self._dead.add(child.name)
            if child.process is None and now >= child.next:
                child.start()
                log_event(self._logger, "started", process=child.label)
        for name in sorted(self._dead):
            self._quietly(partial(self._bury, name, innocent=False))
        self._quietly(self._tend)
        if now - self._swept > _SWEEP:
            self._swept = now
            self._quietly(partial(upkeep.sweep, self.store))

    def _bury(self, worker: str, *, innocent: bool) -> None:
        """A worker has ended: its job is done again."""
        upkeep.release(self.store, worker, innocent=innocent)
        upkeep.leave_worker(self.store, worker)
        self._dead.discard(worker)

    def _tend(self) -> None:
        database = self.store.database
        # After an outage who lives renews its lease first.
        if not database.shared or database.contact.seconds > self.settings.lease / 2.0:
            upkeep.recover(self.store)
        upkeep.end_late(self.store)
        for child in self.children:
            process, most = child.process, self.settings.limits.memory << 20
            if child.name and process is not None and memory_of(process.pid) > most:
                upkeep.end_heavy(self.store, child.name)
                log_event(self._logger, "too heavy", process=child.label)
                child.signal(signal.SIGKILL)
        now, own = time.monotonic(), {child.name: child for child in self.children if child.name}
        strays = upkeep.stray_workers(self.store) & own.keys()
        self._stray = {name: self._stray.get(name, now) for name in strays}
        for name, since in self._stray.items():
            if now - since > _GRACE:
                log_event(self._logger, "killed", process=own[name].label)
                own[name].signal(signal.SIGKILL)

    def _quietly(self, action: Callable[[], object]) -> None:
        """Do something that may fail now and will be done again."""
        try:
            action()
        except DatabaseAway:
            if self._answers:
                log_event(self._logger, "database away")
            self._answers = False
        except Exception:
            self._logger.exception("could not tend the jobs")
        else:
            if not self._answers:
                log_event(self._logger, "database back")
            self._answers = True

    def _end(self) -> None:
        for child in self.children:
            child.signal(signal.SIGTERM)
        late = time.monotonic() + _FAREWELL
        for child in self.children:
            if child.process is None:
                continue
            try:
                child.process.wait(max(late - time.monotonic(), 0.1))
            except subprocess.TimeoutExpired:
                child.signal(signal.SIGKILL)
                child.process.wait()
            if child.process.stdin is not None:
                child.process.stdin.close()
            if child.name:
                self._quietly(partial(self._bury, child.name, innocent=True))
        self.bell.close()
        self.store.close()
        if self.socket is not None:
            self.socket.close()
