"""Servers and workers on one database, each with a folder of its own, as on machines apart.

A machine is a supervisor and its processes. It can lose one of them, or all at once.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from tests.web.processes import Served, until

__all__ = ["Cluster", "Machine", "cluster"]

#: Seconds without a sign of life after which a worker counts as dead.
LEASE = 4.0


class Machine(Served):
    """A supervisor with its server or its workers, and a folder that no other machine sees.

    Args:
        folder: Of the machine; made here.
        database: What it shares with the others.
        *options: More of `yardstone serve`.
        serves: Whether it answers visitors; else it has workers alone.
    """

    def __init__(
        self, folder: Path, database: str, *options: str, serves: bool, lease: float = LEASE
    ) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.serves = serves
        self._options = ("--database", database, *options)
        self._lease = lease
        self._port = 0
        self.on()

    def on(self) -> None:
        """Start it, at the same port as before."""
        port = ("--port", str(self._port))
        kind = port if self.serves else ("--only-workers",)
        self.data = self.folder / "data"
        self.process, self.errors = self.start(self.data, *kind, *self._options, lease=self._lease)
        if self.serves:
            self.url = self.told()
            self._port = urlsplit(self.url).port or 0

    def off(self) -> None:
        """Lose all its processes at once, as by a loss of power."""
        lost = [self.process.pid, *self.children("server"), *self.children("worker")]
        # The supervisor first: it must not notice.
        for number in lost:
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        self.end()

    @property
    def log(self) -> str:
        """What its processes said."""
        return self.folder.joinpath("data.log").read_text()


class Cluster:
    """Machines that share a database."""

    def __init__(self, servers: list[Machine], workers: list[Machine]) -> None:
        self.servers = servers
        self.workers = workers

    @property
    def urls(self) -> list[str]:
        """Where the servers answer."""
        return [server.url for server in self.servers]

    @property
    def machines(self) -> list[Machine]:
        """All machines."""
        return [*self.servers, *self.workers]

    def well(self) -> None:
        """Wait until all servers answer and all workers live."""
        number = len(self.workers)
        for server in self.servers:
            until(partial(_has_workers, server, number), f"{number} workers live")

    def complaints(self) -> list[str]:
        """Lines of the logs that no fault explains."""
        return [
            line
            for machine in self.machines
            for line in machine.log.splitlines()
            if "Traceback" in line or '"trace"' in line
        ]


def _has_workers(server: Machine, number: int) -> bool:
    return f"yardstone_workers {number}" in server.get("/metrics").text.splitlines()


@contextmanager
def cluster(
    folder: Path,
    databases: Sequence[str],
    *options: str,
    servers: int = 2,
    workers: int = 3,
    lease: float = LEASE,
) -> Iterator[Cluster]:
    """Servers without workers, and workers of machines of their own.

    Args:
        folder: Where the machines have their folders.
        databases: The address of the database for each machine in turn, the servers first: all lead
            to one database, each maybe by a line of its own.
        *options: More of `yardstone serve`, for all machines.
    """
    with ExitStack() as stack:
        result = Cluster([], [])
        for number in range(servers + workers):
            serves = number < servers
            machine = Machine(
                folder / f"machine{number + 1}",
                databases[number % len(databases)],
                *("--workers", "0" if serves else "1", *options),
                serves=serves,
                lease=lease,
            )
            stack.callback(machine.end)
            (result.servers if serves else result.workers).append(machine)
        yield result
