"""A PostgreSQL of the tests' own, that may be restarted and killed.

It runs from the programs of Debian's package `postgresql` in a folder of its own, without
passwords, on a free port of this machine alone. YARDSTONE_POSTGRES names the folder of other
programs; where that has none, the tests are skipped.
"""

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

__all__ = ["Postgres", "programs"]

#: Signals that end it: at once but in order, and outright, as a loss of power would.
FAST, IMMEDIATE = signal.SIGINT, signal.SIGQUIT
#: Who runs it where the tests run as root, who may not.
_OTHER_USER = "nobody"
_USER = "yardstone"
#: Seconds that it may take to start or to end, and starts with another port.
_PATIENCE, _STARTS = 60.0, 5
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "200",
    "shared_buffers": "32MB",
    "autovacuum_naptime": "10s",
    "log_min_messages": "warning",
    "timezone": "UTC",
}


def programs() -> Path:
    """The folder of PostgreSQL's programs, or a skip."""
    named = os.environ.get("YARDSTONE_POSTGRES")
    on_path = shutil.which("postgres")
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=_version, reverse=True)
    if named:
        folders = [Path(named)]
    elif on_path:
        folders.insert(0, Path(on_path).resolve().parent)
    for folder in folders:
        if all((folder / name).is_file() for name in ("initdb", "postgres")):
            return folder
    missing("PostgreSQL is not installed", "apt-get install postgresql")


def _version(folder: Path) -> int:
    name = folder.parent.name
    return int(name) if name.isdigit() else 0


class Postgres:
    """A server of databases.

    Args:
        durable: Wait until what is written is on the disk, as anyone's server does; without it
            tests are faster, and what was written survives a kill of the server all the same.
    """

    def __init__(self, *, durable: bool = False) -> None:
        self._programs = programs()
        self.folder = Path(tempfile.mkdtemp(prefix="yardstone-postgres-"))
        self._process: subprocess.Popen[bytes] | None = None
        self._numbers = count(1)
        self._other: dict[str, Any] = {}
        self.port = 0
        if os.geteuid() == 0:
            self._other = {"user": _OTHER_USER, "extra_groups": []}
            shutil.chown(self.folder, _OTHER_USER)
        command: list[str | Path] = [
            self._programs / "initdb",
            "--pgdata",
            self._data,
            "--username",
            _USER,
        ]
        options = ["--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"]
        self._run(*command, *options)
        settings = dict(_SETTINGS)
        if not durable:
            settings |= dict.fromkeys(("fsync", "synchronous_commit", "full_page_writes"), "off")
        lines = [f"{name} = '{value}'\n" for name, value in settings.items()]
        with (self._data / "postgresql.conf").open("a") as file:
            file.writelines(lines)
        self.start()

    @property
    def _data(self) -> Path:
        return self.folder / "data"

    @property
    def log(self) -> Path:
        """What the server says."""
        return self.folder / "log"

    def _run(self, *command: str | Path) -> None:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, cwd="/", **self._other
        )
        assert done.returncode == 0, done.stderr.decode()

    # Starting and ending

    def start(self) -> None:
        """Start it, and wait until it answers; at the same port as before."""
        for _ in range(_STARTS):
            port = self.port or _free_port()
            with self.log.open("ab") as log:
                self._process = subprocess.Popen(
                    [self._programs / "postgres", "-D", self._data, "-p", str(port)],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    cwd="/",
                    start_new_session=True,  # a Ctrl-C reaches the tests alone
                    **self._other,
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

    # Databases

    def execute(self, statement: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        """Rows of one statement, given by a connection of its own."""
        with psycopg.connect(_url(self.port, database), autocommit=True) as connection:
            rows = connection.execute(statement.encode())
            return rows.fetchall() if rows.description else []

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
