"""Finds GNU Backgammon and runs scripts in it: a program of its own, kept at arm's length.

Each process has a folder, a home and a clock of its own, and runs one script for one job, or
for many jobs one after another (`Processes`). Whatever happens to it (a crash, a hang, endless
output) costs the job at hand alone.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, Self

from yardstone.cell import CellLimits, limit_process
from yardstone.errors import InputError, WorkerError
from yardstone.files import scratch_folder
from yardstone.signals import kill_group

#: Names the program, where it is not on the path.
PROGRAM_VARIABLE = "YARDSTONE_GNUBG"
#: Names libfaketime, where it is in none of the usual folders.
CLOCK_VARIABLE = "YARDSTONE_FAKETIME"
#: Debian keeps games out of the path of many users.
_USUAL_FOLDERS = ("/usr/games", "/usr/local/bin", "/usr/local/games", "/opt/homebrew/bin")
_CLOCK_PLACES = (
    "usr/lib/*/faketime/libfaketime.so.1",
    "usr/lib/faketime/libfaketime.so.1",
    "usr/lib64/faketime/libfaketime.so.1",
    "usr/local/lib/faketime/libfaketime.so.1",
)
#: Seconds a job may take unless told otherwise.
TIMEOUT = 600.0
#: Bytes of each of the two streams that are kept; a job that writes more is killed.
STREAM_LIMIT = 32 * 2**20
#: Bytes a job may write to one file, and bytes of address space it may have.
_FILE_LIMIT = 512 * 2**20
_MEMORY_LIMIT = 4 * 2**30
#: Names in the folder of a process: the script, its data, its answer and what it says; what runs
#: the script, and what that leaves after each job.
_SCRIPT, _DATA, _RESULT = "script.py", "data.json", "result.json"
_STREAMS = ("output", "errors")
_SERVER, _ENDED = "server.py", "ended"
#: Runs the script for each line that comes, and leaves the processor seconds used so far.
#: GNU Backgammon itself finds nothing to read.
_SERVE = f"""
import os, sys, time, traceback
jobs = os.fdopen(os.dup(0), "rb")
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
with open({_SCRIPT!r}, encoding="utf-8") as file:
    code = compile(file.read(), {_SCRIPT!r}, "exec")
while jobs.readline():
    try:
        exec(code, {{"__name__": "__main__"}})
    except Exception:
        traceback.print_exc()
    sys.stdout.flush()
    with open("ending", "w") as file:
        file.write(str(time.process_time()))
    os.replace("ending", {_ENDED!r})
"""
#: Jobs after which a process ends, so that it cannot grow for ever.
_MOST_JOBS = 100
#: Bytes that the disk must have left where a job gave no result.
_ROOM = 1 << 16
#: Seconds between two looks at a job: this part of its time so far, within bounds.
_LOOK_PART, _LOOK_BOUNDS = 0.05, (0.001, 0.05)


@dataclass(frozen=True, slots=True)
class Completed:
    """What a job left: exit status (0 even after an error of the script), streams, and `result`.

    That is what the script wrote to ``result.json``, decoded; None if nothing.
    """

    status: int
    output: str
    errors: str
    result: Any

    @property
    def last_words(self) -> str:
        """The end of what it said of errors."""
        return " ".join(self.errors.split())[-200:] or "it said nothing"


def find_gnubg(path: str | Path | None = None) -> Path:
    """Where GNU Backgammon is.

    Looks at `path`, then at the variable ``YARDSTONE_GNUBG``, then at the
    folders of programs and of games.

    Raises:
        InputError: There is none, or what was named is no program; says how to install it.
    """
    named = path or os.environ.get(PROGRAM_VARIABLE)
    folders = os.pathsep.join([os.environ.get("PATH", os.defpath), *_USUAL_FOLDERS])
    program = shutil.which("gnubg", path=folders) if named is None else shutil.which(named)
    if program is not None:
        return Path(program).absolute()
    if named is not None:
        raise InputError("there is no such program", file=str(named), hint="name the program gnubg")
    raise InputError(
        "GNU Backgammon is not installed",
        hint=f"apt-get install gnubg, or name the program by {PROGRAM_VARIABLE}",
    )


def find_clock() -> Path | None:
    """Where libfaketime is, which gives a job a clock that stands still; None if nowhere."""
    named = os.environ.get(CLOCK_VARIABLE)
    if named is not None:
        path = Path(named)
        return path.absolute() if path.is_file() else None
    paths = (path for pattern in _CLOCK_PLACES for path in sorted(Path("/").glob(pattern)))
    return next(paths, None)


@lru_cache(maxsize=8)
def gnubg_version(program: Path) -> str:
    """Version that the program names itself, such as ``1.07.001 20230103``; InputError without."""
    done = run_script("", program=program, timeout=60.0)
    first = done.output.lstrip().partition("\n")[0].split()
    if first[:2] != ["GNU", "Backgammon"]:
        raise InputError("this program is not GNU Backgammon", file=str(program))
    return " ".join(first[2:])


def same_gnubg(version: str, path: str | Path | None = None) -> Path:
    """Where GNU Backgammon of this version is on this machine; InputError if it is not there."""
    program = find_gnubg(path)
    own = gnubg_version(program)
    if own != version:
        raise InputError(
            f"GNU Backgammon {own} on {platform.node()} is not {version}, as where the work "
            "comes from",
            file=str(program),
            hint="install the same on all machines",
        )
    return program


@cache
def inside(call: str) -> str:
    """The script that runs `_gnubg` inside GNU Backgammon, and ends with a call or more."""
    return resources.files(__package__).joinpath("_gnubg.py").read_text("utf-8") + f"\n\n{call}\n"


class Processes:
    """GNU Backgammons that stay for further jobs of their script, until the ``with`` block ends.

    Safe to use from several threads: each job has a process to itself. A copy that goes to
    another process keeps none.
    """

    def __init__(self) -> None:
        self._folders = ExitStack()
        self._base: Path | None = None
        self._lock = threading.Lock()
        self._idle: list[_Process] = []

    def __reduce__(self) -> tuple[type[Processes], tuple[()]]:
        """What is sent: a new one, which is not entered."""
        return Processes, ()

    def __enter__(self) -> Self:
        self._base = self._folders.enter_context(scratch_folder())
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._base = None
            idle, self._idle = self._idle, []
        for process in idle:
            process.close()
        self._folders.close()

    def take(self, source: str, program: Path) -> _Process | None:
        """A process that waits, or a new one; None where none may stay."""
        with self._lock:
            if self._base is None:
                return None
            for process in self._idle:
                if (process.source, process.program) == (source, program):
                    self._idle.remove(process)
                    return process
            folder = Path(tempfile.mkdtemp(dir=self._base))
            return _Process(folder, source, program, _environment(folder, None))

    def put(self, process: _Process) -> None:
        """Have a process wait for the next job, or end it."""
        with self._lock:
            if self._base is not None and process.waits and process.jobs < _MOST_JOBS:
                self._idle.append(process)
                return
        process.close()


def run_script(
    source: str,
    *,
    data: Any = None,
    files: Mapping[str, bytes] | None = None,
    program: Path | None = None,
    timeout: float = TIMEOUT,
    clock: int | None = None,
    stop: threading.Event | None = None,
    processes: Processes | None = None,
    sound: Callable[[Completed], bool] = lambda done: done.result is not None,
) -> Completed:
    """Run a Python script inside GNU Backgammon, in a folder of its own.

    The script finds its data in ``data.json``, and leaves its answer as JSON in
    ``result.json``. It runs in the interpreter of GNU Backgammon, where
    ``import gnubg`` works; nothing of Yardstone can be imported there. The settings
    of the user are not read, and none are written.

    Args:
        source: The script.
        data: Anything that JSON can hold.
        files: Files that the script reads: the name each has in its folder, and its bytes.
        program: GNU Backgammon; by default whatever `find_gnubg` finds.
        timeout: Seconds until the job is killed.
        clock: Seconds since 1970 at which the clock of the job stands still. GNU Backgammon seeds
            its noise by the clock, so that this repeats a match.
        stop: Once it is set, the job is killed.
        processes: Take a process from here, and leave it here for the next job with this script;
            for scripts that set all they depend on, without `clock`. By default the process ends.
        sound: Whether a process that left this may stay in `processes`. If not, it ends, and a job
            that had others before it is done again in a new process. One that raises is not.

    Raises:
        InputError: The program or libfaketime is missing; the disk is full.
        WorkerError: The job took too long, wrote too much, could not start, or was stopped.
    """
    program = find_gnubg() if program is None else program
    work = (json.dumps(data), files or {}, timeout, stop)
    keep = processes if clock is None else None
    while keep is not None and (process := keep.take(source, program)) is not None:
        try:
            done = process.run(*work)
            good = sound(done)
        except BaseException:
            process.close()
            raise
        if good:
            keep.put(process)
            return done
        process.close()
        if process.jobs == 1:
            return done
    with scratch_folder() as folder:
        environment = _environment(folder, clock)
        with closing(_Process(folder, source, program, environment)) as process:
            return process.run(*work)


def _environment(folder: Path, clock: int | None) -> dict[str, str]:
    """What the job sees: nothing of the user's settings, English, UTC, a clock of its own."""
    values = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    if clock is not None:
        library = find_clock()
        if library is None:
            raise InputError(
                "libfaketime is not installed, without which noise cannot be repeated",
                hint=f"apt-get install faketime, or name libfaketime.so.1 by {CLOCK_VARIABLE}",
            )
        values["LD_PRELOAD"] = str(library)
        values["FAKETIME"] = datetime.fromtimestamp(clock, UTC).strftime("%Y-%m-%d %H:%M:%S")
    return values


class _Process:
    """A GNU Backgammon that runs one script for one job after another; it starts with the first."""

    def __init__(
        self, folder: Path, source: str, program: Path, environment: dict[str, str]
    ) -> None:
        self.source = source
        self.program = program
        self.jobs = 0
        self._folder = folder
        self._environment = environment
        self._used = 0.0  # processor seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._streams = [folder / name for name in _STREAMS]

    @property
    def waits(self) -> bool:
        """Whether it is there for another job."""
        return self._process is not None and self._process.poll() is None

    def run(
        self, data: str, files: Mapping[str, bytes], timeout: float, stop: threading.Event | None
    ) -> Completed:
        """Run the script for one job: as `run_script`."""
        folder, result, mark = self._folder, self._folder / _RESULT, self._folder / _ENDED
        for short, content in files.items():
            (folder / short).write_bytes(content)
        (folder / _DATA).write_text(data, encoding="utf-8")
        self.jobs += 1
        process = self._process = self._process or self._start()
        seconds = int(self._used + timeout) + 10
        limit_process(process.pid, CellLimits(_MEMORY_LIMIT, seconds, _FILE_LIMIT))
        if process.stdin is not None:
            with suppress(BrokenPipeError):  # it has ended, or closed its input
                os.write(process.stdin.fileno(), b"\n")
        ended = _wait(process, mark, timeout, stop, self._streams)
        if _too_much(self._streams):
            raise WorkerError(
                f"GNU Backgammon wrote more than {STREAM_LIMIT >> 20} MiB of messages"
            )
        if not ended:
            raise WorkerError(f"GNU Backgammon was stopped after {timeout:g} seconds")
        output, errors = (path.read_bytes().decode("utf-8", "replace") for path in self._streams)
        answer = None
        if result.is_file() and result.stat().st_size <= _FILE_LIMIT:
            with suppress(ValueError):  # the job died while it wrote
                answer = json.loads(result.read_bytes())
        if answer is None:
            # Perhaps the job found no room for it: that is no fault of the job.
            (folder / _DATA).write_bytes(bytes(_ROOM))
        status = process.poll() or 0
        if self.waits:
            self._used = float(mark.read_text("ascii"))
            for path in self._streams:
                os.truncate(path, 0)
        for path in (result, mark, *(folder / short for short in files)):
            path.unlink(missing_ok=True)
        return Completed(status, output, errors, answer)

    def _start(self) -> subprocess.Popen[bytes]:
        (self._folder / _SCRIPT).write_text(self.source, encoding="utf-8")
        (self._folder / _SERVER).write_text(_SERVE, encoding="utf-8")
        with ExitStack() as stack:
            output, errors = (stack.enter_context(path.open("ab")) for path in self._streams)
            try:
                return subprocess.Popen(
                    [str(self.program), "-t", "-q", "-r", "-p", _SERVER],
                    cwd=self._folder,
                    env=self._environment,
                    stdin=subprocess.PIPE,
                    stdout=output,
                    stderr=errors,
                    start_new_session=True,  # Ctrl-C is ours to answer
                )
            except OSError as error:
                reason = error.strerror or error
                raise WorkerError(f"{self.program} could not start: {reason}") from error

    def close(self) -> None:
        """End it, with whatever it started, and remove its folder."""
        if self._process is not None:
            if self._process.poll() is None:
                kill_group(self._process)
                self._process.wait()
            if self._process.stdin is not None:
                self._process.stdin.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def _wait(
    process: subprocess.Popen[bytes],
    mark: Path,
    timeout: float,
    stop: threading.Event | None,
    streams: list[Path],
) -> bool:
    """Whether the job, or the process, ended by itself in time, before it had said too much."""
    start = time.monotonic()
    least, most = _LOOK_BOUNDS
    while (past := time.monotonic() - start) < timeout and not _too_much(streams):
        if mark.exists() or process.poll() is not None:
            return True
        if stop is not None and stop.is_set():
            raise WorkerError("GNU Backgammon was stopped: the run was interrupted")
        time.sleep(min(max(least, past * _LOOK_PART), most, timeout - past))
    return False


def _too_much(streams: list[Path]) -> bool:
    return any(path.stat().st_size > STREAM_LIMIT for path in streams)
