"""A PostgreSQL of the tests' own that may be killed; YARDSTONE_POSTGRES names its programs."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import psycopg

from tests.needed import missing

#: Signals that end it: at once but in order, and outright, as a loss of power would.
FAST, IMMEDIATE = signal.SIGINT, signal.SIGQUIT
_USER, _PATIENCE = "yardstone", 60.0
_SETTINGS = {
    "listen_addresses": "127.0.0.1", "unix_socket_directories": "", "max_connections": "200",
    "shared_buffers": "32MB", "autovacuum_naptime": "10s", "log_min_messages": "warning",
    "timezone": "UTC",
}  # fmt: skip


def programs() -> Path:
    """The folder of PostgreSQL's programs, or a skip."""
    named, on_path = os.environ.get("YARDSTONE_POSTGRES"), shutil.which("postgres")
    folders = [Path(named)] if named else sorted(Path("/usr/lib/postgresql").glob("*/bin"))[::-1]
    if on_path and not named:
        folders.insert(0, Path(on_path).resolve().parent)
    for folder in folders:
        if all((folder / name).is_file() for name in ("initdb", "postgres")):
            return folder
    missing("PostgreSQL is not installed", "apt-get install postgresql")


class Postgres:
    """A server of databases; one that is not `durable` survives all but a loss of power."""

    def __init__(self, *, durable: bool = False) -> None:
        self._programs = programs()
        self.folder = Path(tempfile.mkdtemp(prefix="yardstone-postgres-"))
        self._process: subprocess.Popen[Any] | None = None
        self._numbers = count(1)
        self.log, self._data, self.port = self.folder / "log", self.folder / "data", 0
        self._other: dict[str, Any] = {"stdin": subprocess.DEVNULL, "cwd": "/"}
        if os.geteuid() == 0:  # who may not run it
            self._other |= {"user": "nobody", "extra_groups": []}
            shutil.chown(self.folder, "nobody")
        options = ["--username", _USER, "--auth=trust", "--encoding=UTF8", "--locale=C"]
        command = [f"{self._programs}/initdb", "--pgdata", f"{self._data}", *options, "--no-sync"]
        made = subprocess.run(command, capture_output=True, check=False, **self._other)
        assert made.returncode == 0, made.stderr
        unsafe = () if durable else ("fsync", "synchronous_commit", "full_page_writes")
        settings = {**_SETTINGS, **dict.fromkeys(unsafe, "off")}
        with (self._data / "postgresql.conf").open("a") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in settings.items())
        self.start()

    def start(self) -> None:
        """Start it, and wait until it answers; at the same port as before."""
        for _ in range(5):  # somebody else may take the port first
            port = self.port or _free_port()
            command = [f"{self._programs}/postgres", "-D", f"{self._data}", "-p", str(port)]
            with self.log.open("ab") as log:  # a Ctrl-C reaches the tests alone
                self._process = subprocess.Popen(
                    command, stdout=log, stderr=log, start_new_session=True, **self._other
                )
            if self._answers(port):
                self.port = port
                return
        raise AssertionError(self.log.read_text())

    def _answers(self, port: int) -> bool:
        """Wait until it answers; not if it ended."""
        assert self._process is not None
        end = time.monotonic() + _PATIENCE
        while self._process.poll() is None:
            with contextlib.suppress(psycopg.OperationalError):
                psycopg.connect(_url(port, "postgres"), connect_timeout=5).close()
                return True
            assert time.monotonic() < end, self.log.read_text()
            time.sleep(0.02)
        return False

    def stop(self, number: int = FAST) -> None:
        """End it; what is connected loses its connection."""
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait(_PATIENCE)
            self._process = None

    def restart(self, number: int = FAST, *, pause: float = 0.0) -> None:
        """End it, and start it again after so many seconds."""
        self.stop(number)
        time.sleep(pause)
        self.start()

    def remove(self) -> None:
        """End it for good."""
        self.stop(IMMEDIATE)
        shutil.rmtree(self.folder)

    def execute(self, statement: str) -> None:
        """One statement, by a connection of its own."""
        with psycopg.connect(_url(self.port, "postgres"), autocommit=True) as connection:
            connection.execute(statement.encode())

    @contextlib.contextmanager
    def database(self) -> Iterator[str]:
        """The address of a new, empty database, which is removed in the end."""
        name = f"test_{next(self._numbers)}"
        self.execute(f"CREATE DATABASE {name}")
        try:
            yield _url(self.port, name)
        finally:
            self.execute(f"DROP DATABASE {name} WITH (FORCE)")


def _url(port: int, database: str) -> str:
    return f"postgresql://{_USER}@127.0.0.1:{port}/{database}"


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
    return port
