"""Runs the command with a fault at a chosen call, without starting Python each time.

A process that has imported what commands import forks for each order, a line of JSON. In the fork
a library counts the calls of the system by which the command changes a file in the folder of the
case, and at the one that is asked for sends a signal, or refuses. Where the machine allows it the
process has its own table of mounted disks.
"""

from __future__ import annotations

import atexit
import ctypes
import errno
import functools
import importlib
import io
import json
import os
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

_OUT, _ERR, _CALLS, _MODULES = "out", "err", "calls", "modules"
#: Variable by which the forks know the library that disturbs calls.
_SHIM = "YARDSTONE_TEST_SHIM"
_NEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_LAST = sys.maxsize
_ALL = "wfruomtc"
#: To which call a fault goes on from its own, which calls it meets, and what they answer, or the
#: signal below 0.
_FAULTS = {
    "kill": (0, _ALL, -signal.SIGKILL),
    "term": (0, _ALL, -signal.SIGTERM),
    "int": (0, _ALL, -signal.SIGINT),
    "clock": (0, _ALL, -signal.SIGUSR1),
    "call": (0, _ALL, errno.EIO),
    "full": (_LAST, "womt", errno.ENOSPC),
    "read-only": (_LAST, "omruct", errno.EROFS),
}
#: Seconds by which the clock is set back.
CLOCK = 6 * 3600
#: What programs of the system see: the true clock.
_SYSTEM = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}
#: Seconds until a command hangs.
_PATIENCE = 120
#: What the process imports before it forks; what an undisturbed fork needs besides, it learns.
_IMPORTED = """
numpy duckdb typer rich.console jinja2 scipy.optimize scipy.special matplotlib.figure
yardstone.cli.commands yardstone.ratings.rating_list yardstone.reports.page
yardstone.records.formats yardstone.tournament.event
""".split()


@dataclass(frozen=True)
class Order:
    """A command to run, and the fault.

    ``kill``, ``term``, ``int``: a signal. ``full``, ``read-only``: what is answered from then on.
    ``call``: that call fails alone. ``limit``: no file grows beyond `call` bytes. ``closed``,
    ``device``, ``pipe``: standard output. ``deaf``: standard error. ``clock``: it is set back.
    """

    words: list[str]
    folder: str
    logs: str  #: Folder for what it prints.
    cache: str = "off"  #: The size of the cache of what networks say.
    clock: str = ""  #: File that tells the time, for a server with a clock.
    fault: str = ""
    call: int = 0  #: Which call it meets; from 1 on.


class Done(NamedTuple):
    status: int  #: The exit status; negative for the signal that ended it.
    out: str
    err: str
    calls: str  #: A letter for each call of the system that changes a file, as in ``calls.c``.


@functools.cache
def own_disks() -> tuple[str, ...]:
    """What a process is started by that may mount disks which nobody else sees; () if nothing."""
    program = shutil.which("unshare")
    with tempfile.TemporaryDirectory() as folder:
        mount = f"mount -t tmpfs none '{folder}' && mount -o remount,bind,ro '{folder}'"
        for options in (["--mount"], ["--map-root-user", "--mount"]) if program else ():
            words = [str(program), *options]
            tried = subprocess.run([*words, "sh", "-c", mount], capture_output=True, check=False)
            if tried.returncode == 0:
                return tuple(words)
    return ()


@functools.cache
def shim() -> Path | None:
    """Build the library that disturbs calls of the system; None without a C compiler for Linux."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or not sys.platform.startswith("linux"):
        return None
    library = Path(tempfile.mkdtemp(prefix="calls-")) / "calls.so"
    source = Path(__file__).with_name("calls.c")
    words = [compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(source), "-ldl"]
    if subprocess.run(words, capture_output=True, check=False).returncode != 0:
        return None  # a compiler without the headers of the system
    atexit.register(shutil.rmtree, library.parent, ignore_errors=True)
    return library


class Server:
    """The process that forks; with a library that gives its forks a clock which can be set."""

    def __init__(self, faketime: Path | None = None) -> None:
        self.disks = bool(own_disks())
        self.clock: Path | None = None
        library = str(shim())
        values = {**os.environ, "LD_PRELOAD": library, _SHIM: library}
        if faketime is not None:
            handle, name = tempfile.mkstemp(prefix="clock-")
            os.close(handle)
            self.clock = Path(name)
            set_clock(name, 0)
            values |= {"LD_PRELOAD": f"{library} {faketime}", "FAKETIME_TIMESTAMP_FILE": name}
            monotonic = "DONT_FAKE_MONOTONIC"
            names = (f"FAKETIME_{monotonic}", monotonic, "FAKETIME_NO_CACHE", "NO_FAKE_STAT")
            values |= dict.fromkeys(names, "1")
        words = [*own_disks(), sys.executable, "-m", "tests.faults.victim"]
        root, pipe = Path(__file__).resolve().parents[2], subprocess.PIPE
        self._process = subprocess.Popen(
            words, stdin=pipe, stdout=pipe, text=True, cwd=root, env=values
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()
        if self.clock is not None:
            self.clock.unlink()

    def system(self, *words: str | Path) -> None:
        status, said = self._asked({"system": [str(word) for word in words]})
        assert status == 0, f"{words}: {said}"

    def run(self, *orders: Order) -> list[Done]:
        done = []
        for order, status in zip(orders, self._asked([asdict(o) for o in orders]), strict=True):
            paths = [Path(order.logs) / name for name in (_OUT, _ERR, _CALLS)]
            said = (p.read_text(errors="replace") if p.exists() else "" for p in paths)
            done.append(Done(status, *said))
        return done

    def _asked(self, what: object) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(what) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


def set_clock(clock: str, ahead: int) -> None:
    Path(clock).write_text(f"{ahead:+d}\n")


def _streams(order: Order) -> None:
    for number, name in ((1, _OUT), (2, _ERR)):
        handle = os.open(Path(order.logs) / name, _NEW, 0o600)
        os.dup2(handle, number)
        os.close(handle)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    if order.fault == "device":
        os.dup2(os.open("/dev/full", os.O_WRONLY), 1)
    if order.fault == "pipe":
        ends = os.pipe()
        os.dup2(ends[1], 1)
        for end in ends:
            os.close(end)
    for number, name in ((0, "stdin"), (1, "stdout"), (2, "stderr")):
        raw = io.FileIO(number, "w" if number else "r", closefd=False)
        binary = io.BufferedWriter(raw) if number else raw
        stream = io.TextIOWrapper(binary, "utf-8", line_buffering=number == 2)
        if number == {"closed": 1, "deaf": 2}.get(order.fault):
            os.close(number)
            stream = None  # type: ignore[assignment]
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _run(order: Order) -> int:
    os.setpgid(0, 0)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)

    def set_back(*_: object) -> None:
        set_clock(order.clock, int(Path(order.clock).read_text()) - CLOCK)

    signal.signal(signal.SIGUSR1, set_back)
    os.chdir(order.folder)
    os.environ |= {"YARDSTONE_CACHE": order.cache, "COLUMNS": "80"}
    os.environ |= {"TMPDIR": f"{order.folder}/tmp", "XDG_CACHE_HOME": f"{order.folder}/cache"}
    tempfile.tempdir = None
    _streams(order)
    sys.argv = ["yardstone", *order.words]
    if order.fault == "limit":
        resource.setrlimit(resource.RLIMIT_FSIZE, (order.call, order.call))
    from yardstone.cli.main import main

    more, letters, answer = _FAULTS.get(order.fault, (0, "", 0))
    log = os.open(Path(order.logs) / _CALLS, _NEW, 0o600)
    first, last = ctypes.c_long(order.call), ctypes.c_long(max(order.call, more))
    folder = os.path.realpath(order.folder).encode()
    ctypes.CDLL(os.environ[_SHIM]).arm(folder, first, last, letters.encode(), answer, log)
    status = main()
    # What Python does at its end: it waits for threads that still put away their files,
    threading._shutdown()  # type: ignore[attr-defined]
    # sends what is left on its way, and complains in its own words.
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    if not order.fault:
        (Path(order.logs) / _MODULES).write_text("\n".join(sys.modules))
    return status


def _forked(order: Order) -> int:
    Path(order.logs).mkdir(parents=True, exist_ok=True)
    (Path(order.folder) / "tmp").mkdir(exist_ok=True)
    if process := os.fork():
        return process
    status = 70
    try:
        status = _run(order)
    except SystemExit as leave:
        status = leave.code if isinstance(leave.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def _ended(process: int) -> int:
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return -1000


def _learn(modules: Path) -> None:
    for name in modules.read_text().splitlines() if modules.exists() else ():
        with suppress(Exception):  # what is made while it runs has a name, and no file
            importlib.import_module(name)


def _serve() -> None:
    for name in _IMPORTED:
        importlib.import_module(name)
    if "FAKETIME_TIMESTAMP_FILE" in os.environ:
        # The library takes the clock that `sleep` asks for another one, and refuses.
        pause: Any = lambda seconds: select.select([], [], [], seconds)  # noqa: E731
        time.sleep = pause
    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        asked = json.loads(line)
        if isinstance(asked, dict):
            done = subprocess.run(asked["system"], capture_output=True, text=True, env=_SYSTEM)
            answer = [done.returncode, done.stderr]
        else:
            orders = [Order(**each) for each in asked]
            answer = [_ended(process) for process in [_forked(order) for order in orders]]
            for order in orders:
                _learn(Path(order.logs) / _MODULES)
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    _serve()
