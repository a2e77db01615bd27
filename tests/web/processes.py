"""The command itself, as processes that tests may kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Self

import requests

PATIENCE = 600.0


def until(ready: Callable[[], Any], what: str) -> Any:
    """Wait until something is true; its value."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        with suppress(requests.RequestException):
            if value := ready():
                return value
        time.sleep(0.1)
    raise AssertionError(f"waited in vain: {what}")


class Served:
    """`yardstone serve` on a folder of its own and a free port.

    No machine is so busy that a lease of this length runs out: who lives keeps its job.
    """

    def __init__(self, data: Path, *options: str, lease: float = 600.0) -> None:
        self.data = data
        self.process, self.errors = self.start(data, "--port", "0", *options, lease=lease)
        self.url = self.told()

    def told(self) -> str:
        """The address that it prints at its start."""
        assert self.process.stdout is not None
        words = self.process.stdout.readline().split()
        assert words, self.data.with_name(f"{self.data.name}.log").read_text()
        return next(word for word in words if word.startswith("http")).rstrip("/")

    @staticmethod
    def start(
        data: Path, *options: str, lease: float = 600.0
    ) -> tuple[subprocess.Popen[str], IO[bytes]]:
        """The process, and where its errors go."""
        errors = (data.parent / f"{data.name}.log").open("ab")
        own = {"YARDSTONE_SERVE_LEASE": str(lease), "OMP_NUM_THREADS": "1"}
        environment = {"YARDSTONE_SERVE_NICENESS": "0", **os.environ, **own}
        program = Path(sys.executable).parent / "yardstone"
        command = [str(program), "serve", "--data", str(data), "--set", "cores=1", *options]
        pipes: Any = {"stdout": subprocess.PIPE, "stderr": errors, "text": True}
        return subprocess.Popen(command, env=environment, **pipes), errors

    def __enter__(self) -> Self:
        until(lambda: self.get("/health").status_code == 200, "a worker lives")
        return self

    def __exit__(self, *error: object) -> None:
        self.end()

    def get(self, path: str) -> requests.Response:
        return requests.get(self.url + path, timeout=PATIENCE)

    def send(self, files: Sequence[tuple[str, bytes]]) -> str:
        parts = [("files", file) for file in files]
        answer = requests.post(f"{self.url}/api/jobs", files=parts, timeout=PATIENCE)
        assert answer.status_code == 202, answer.text
        return str(answer.json()["id"])

    def job(self, address: str) -> dict[str, Any]:
        answer = self.get(f"/api/jobs/{address}")
        assert answer.status_code == 200, answer.text
        result: dict[str, Any] = answer.json()
        return result

    def done(self, address: str) -> dict[str, Any]:
        """Wait until a job has ended well."""

        until(lambda: self.job(address)["status"] not in ("queued", "running"), "the job ends")
        job = self.job(address)
        assert job["status"] == "done", job
        return job

    def children(self, module: str) -> list[int]:
        """Processes of one kind: ``worker`` or ``server``."""
        listed = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        result = []
        for number in map(int, listed.split()):
            with suppress(OSError):
                if f"yardstone.web.{module}" in Path(f"/proc/{number}/cmdline").read_text():
                    result.append(number)
        return result

    def kill(self, module: str) -> int:
        """Kill a process of one kind outright; which one that was."""
        number: int = until(lambda: self.children(module), f"there is a {module}")[0]
        os.kill(number, signal.SIGKILL)
        return number

    def end(self, number: int = signal.SIGTERM) -> int:
        """End the whole; its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        status = self.process.wait(PATIENCE)
        if self.process.stdout is not None:
            self.process.stdout.close()
        self.errors.close()
        return status
