"""Runs the command with a fault at a chosen moment, without starting Python each time.

A process that has imported what commands import waits for orders, a line of JSON each, and
forks for each. In the fork an audit hook counts the moments at which the command makes,
renames, changes or removes a file in the folder of the case, and at the one that is asked for
does what is asked for: it kills itself, sends itself a signal, sets its clock back, or lets the
system refuse. The process has its own table of mounted disks where the machine allows that.
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
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

_OUT, _ERR, _COUNT, _CALLS = "out", "err", "moments", "calls"
#: Variable by which the forks know the library that lets calls fail.
_SHIM = "YARDSTONE_TEST_SHIM"
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_NEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGES = frozenset(
    "os.rename os.remove os.mkdir os.rmdir os.chmod os.truncate os.link os.symlink".split()
)
#: Signals at a moment, by the name of the fault.
SIGNALS = {"kill": signal.SIGKILL, "term": signal.SIGTERM, "int": signal.SIGINT}
#: Seconds by which the clock is set back.
CLOCK = 6 * 3600
_REFUSALS = {"full": errno.ENOSPC, "read-only": errno.EROFS}
#: What programs of the system see: the true clock.
_SYSTEM = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}
#: Seconds until a command hangs.
_PATIENCE = 120
#: What the process imports before it forks.
_IMPORTED = """
numpy duckdb typer rich.console jinja2 scipy.optimize scipy.special matplotlib.figure
yardstone.cli.commands yardstone.ratings.rating_list yardstone.reports.page
yardstone.records.formats yardstone.tournament.event
""".split()


@dataclass(frozen=True, kw_only=True)
class Order:
    """A command to run, and the fault.

    Attributes:
        folder: Where it runs.
        logs: Folder for what it prints.
        cache: The size of the cache of what networks say.
        clock: File that tells the time, for a server with a clock.
        fault: ``kill``, ``term``, ``int``: a signal. ``full``, ``read-only``: what the system
            answers from then on to all that makes or changes a file. ``call``: that one call of
            the system fails (`Done.calls`), and no other. ``limit``: no file grows
            beyond `moment` bytes. ``closed``, ``device``, ``pipe``: standard output. ``deaf``:
            standard error is closed. ``clock``: the clock is set back by `CLOCK` seconds.
        moment: Which change it is; from 1 on.
        later: Python's calls of C functions between the moment and the fault.
    """

    words: list[str]
    folder: str
    logs: str
    cache: str = "off"
    clock: str = ""
    fault: str = ""
    moment: int = 0
    later: int = 0


@dataclass(frozen=True, kw_only=True)
class Done:
    """How it ended.

    Attributes:
        status: The exit status; negative for the signal that ended it.
        moments: Changes that were counted until then.
        calls: A letter for each call of the system that changes a file, as in ``calls.c``; empty
            without a C compiler.
    """

    status: int
    out: str
    err: str
    moments: int
    calls: str


@functools.cache
def own_disks() -> tuple[str, ...]:
    """What a process is started by that may mount disks which nobody else sees; () if nothing."""
    program = shutil.which("unshare")
    if program is None:
        return ()
    with tempfile.TemporaryDirectory() as folder:
        for options in (["--mount"], ["--map-root-user", "--mount"]):
            mount = f"mount -t tmpfs none '{folder}' && mount -o remount,bind,ro '{folder}'"
            words = [program, *options, "sh", "-c", mount]
            if subprocess.run(words, capture_output=True, check=False).returncode == 0:
                return (program, *options)
    return ()


@functools.cache
def shim() -> Path | None:
    """Build the library that lets calls of the system fail; None without a C compiler for Linux."""
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
    """The process that forks.

    Args:
        faketime: The library that gives its forks a clock which can be set.

    Attributes:
        disks: Whether it can mount disks.
        clock: File with the seconds that its clock is ahead.
    """

    def __init__(self, faketime: Path | None = None) -> None:
        self.disks = bool(own_disks())
        self.clock: Path | None = None
        values = dict(os.environ)
        if faketime is not None:
            handle, name = tempfile.mkstemp(prefix="clock-")
            os.close(handle)
            self.clock = Path(name)
            self.set_clock(0)
            values |= {"LD_PRELOAD": str(faketime), "FAKETIME_TIMESTAMP_FILE": name}
            names = (
                "FAKETIME_NO_CACHE FAKETIME_DONT_FAKE_MONOTONIC DONT_FAKE_MONOTONIC NO_FAKE_STAT"
            )
            values |= dict.fromkeys(names.split(), "1")
        elif (library := shim()) is not None:
            values |= {"LD_PRELOAD": str(library), _SHIM: str(library)}
        self._process = subprocess.Popen(
            [*own_disks(), sys.executable, "-m", "tests.faults.victim"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).resolve().parents[2],
            env=values,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()
        if self.clock is not None:
            self.clock.unlink()

    def set_clock(self, ahead: int) -> None:
        """Set the clock of the commands so many seconds ahead of the machine's."""
        assert self.clock is not None
        self.clock.write_text(f"{ahead:+d}\n")

    def system(self, *words: str | Path) -> None:
        """Run a program that sees the disks of this process."""
        status, said = self._asked({"system": [str(word) for word in words]})
        assert status == 0, f"{words}: {said}"

    def run(self, *orders: Order) -> list[Done]:
        """Run commands at the same time."""
        statuses = self._asked([asdict(order) for order in orders])
        return [_done(order, status) for order, status in zip(orders, statuses, strict=True)]

    def _asked(self, what: object) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(what) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


def _done(order: Order, status: int) -> Done:
    def read(name: str) -> str:
        path = Path(order.logs) / name
        return path.read_text(errors="replace") if path.exists() else ""

    moments = len(read(_COUNT))
    return Done(status=status, out=read(_OUT), err=read(_ERR), moments=moments, calls=read(_CALLS))


class _Fault:
    """The audit hook."""

    def __init__(self, order: Order) -> None:
        self._order = order
        self._folder = str(Path(order.folder).resolve())
        self._count = 0
        self._calls = order.later
        self._busy = False
        self._log = os.open(Path(order.logs) / _COUNT, _NEW, 0o600)

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self._busy or not self._changes(event, arguments):
            return
        self._count += 1
        os.write(self._log, b".")
        order, now = self._order, self._count == self._order.moment
        if order.fault in SIGNALS and now and order.later:
            sys.setprofile(self._profile)
        elif order.fault in SIGNALS and now:
            os.kill(os.getpid(), SIGNALS[order.fault])
        elif order.fault == "clock" and now:
            self._busy = True
            clock = Path(order.clock)
            clock.write_text(f"{int(clock.read_text()) - CLOCK:+d}\n")
            self._busy = False
        elif order.fault in _REFUSALS and self._count >= order.moment:
            if order.fault == "full" and event not in ("open", "os.mkdir"):
                return
            number = _REFUSALS[order.fault]
            raise OSError(number, os.strerror(number), os.fspath(arguments[0]))

    def _changes(self, event: str, arguments: tuple[Any, ...]) -> bool:
        """Whether the event changes something in the folder."""
        if event == "open":
            _, mode, flags = arguments
            writes = isinstance(flags, int) and bool(flags & _WRITING)
            if not writes and not (isinstance(mode, str) and set(mode) & set("wax+")):
                return False
        elif event not in _CHANGES:
            return False
        if not isinstance(arguments[0], str | bytes | os.PathLike):
            return False
        self._busy = True
        try:
            return os.path.realpath(os.fsdecode(arguments[0])).startswith(self._folder)
        finally:
            self._busy = False

    def _profile(self, _: object, event: str, __: object) -> None:
        self._calls -= event == "c_return"
        if self._calls <= 0:
            sys.setprofile(None)
            os.kill(os.getpid(), SIGNALS[self._order.fault])


def _streams(order: Order) -> None:
    """Give the fork its standard streams."""
    for number, name in ((1, _OUT), (2, _ERR)):
        handle = os.open(Path(order.logs) / name, _NEW, 0o600)
        os.dup2(handle, number)
        os.close(handle)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    if order.fault == "device":
        os.dup2(os.open("/dev/full", os.O_WRONLY), 1)
    if order.fault == "pipe":
        reading, writing = os.pipe()
        os.dup2(writing, 1)
        os.close(writing)
        os.close(reading)
    sys.stdin = sys.__stdin__ = io.TextIOWrapper(io.FileIO(0, closefd=False))  # type: ignore[misc]
    sys.stdout = sys.__stdout__ = io.TextIOWrapper(  # type: ignore[misc]
        io.BufferedWriter(io.FileIO(1, "w", closefd=False)), "utf-8"
    )
    sys.stderr = sys.__stderr__ = io.TextIOWrapper(  # type: ignore[misc]
        io.BufferedWriter(io.FileIO(2, "w", closefd=False)), "utf-8", line_buffering=True
    )
    if order.fault == "closed":
        os.close(1)
        sys.stdout = sys.__stdout__ = None  # type: ignore[misc]
    if order.fault == "deaf":
        os.close(2)
        sys.stderr = sys.__stderr__ = None  # type: ignore[misc]


def _run(order: Order) -> int:
    """Run the command as a process of its own would."""
    os.setpgid(0, 0)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(order.folder)
    os.environ |= {
        "TMPDIR": str(Path(order.folder) / "tmp"),
        "XDG_CACHE_HOME": str(Path(order.folder) / "cache"),
        "YARDSTONE_CACHE": order.cache,
        "COLUMNS": "80",
    }
    tempfile.tempdir = None
    _streams(order)
    sys.argv = ["yardstone", *order.words]
    sys.addaudithook(_Fault(order))
    if order.fault == "limit":
        resource.setrlimit(resource.RLIMIT_FSIZE, (order.moment, order.moment))
    from yardstone.cli.main import main

    if _SHIM in os.environ:
        log = os.open(Path(order.logs) / _CALLS, _NEW, 0o600)
        failing = ctypes.c_long(order.moment if order.fault == "call" else 0)
        folder = os.path.realpath(order.folder).encode()
        ctypes.CDLL(os.environ[_SHIM]).arm(folder, failing, errno.EIO, log)
    status = main()
    # What Python does at its end: it waits for threads that still put away their files,
    threading._shutdown()  # type: ignore[attr-defined]
    # sends what is left on its way, and complains in its own words.
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
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
    """Its exit status; a command that hangs is killed."""
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return -1000


def _slept(seconds: float) -> None:
    select.select([], [], [], seconds)


def _serve() -> None:
    """Wait for orders."""
    for name in _IMPORTED:
        importlib.import_module(name)
    if "FAKETIME_TIMESTAMP_FILE" in os.environ:
        # The library takes the clock that `sleep` asks for another one, and refuses.
        time.sleep = _slept  # type: ignore[assignment]
    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        asked = json.loads(line)
        if isinstance(asked, dict):
            done = subprocess.run(
                asked["system"], capture_output=True, text=True, check=False, env=_SYSTEM
            )
            answer = [done.returncode, done.stderr]
        else:
            processes = [_forked(Order(**order)) for order in asked]
            answer = [_ended(process) for process in processes]
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    _serve()
