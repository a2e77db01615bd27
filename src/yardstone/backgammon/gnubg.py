"""Finds GNU Backgammon and runs one script in it: a program of its own, kept at arm's length.

Each job is one process with a folder, a home and a clock of its own. Whatever
happens to it (a crash, a hang, endless output) costs that job alone.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

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
#: Name of the script, its data, its answer and what it says in the folder of a job.
_SCRIPT, _DATA, _RESULT = "script.py", "data.json", "result.json"
_STREAMS = ("output", "errors")
#: Bytes that the disk must have left where a job gave no result.
_ROOM = 1 << 16
#: Seconds between two looks at whether a job is to be stopped.
_LOOK = 0.1


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


def run_script(
    source: str,
    *,
    data: Any = None,
    files: Mapping[str, bytes] | None = None,
    program: Path | None = None,
    timeout: float = TIMEOUT,
    clock: int | None = None,
    stop: threading.Event | None = None,
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

    Raises:
        InputError: The program or libfaketime is missing; the disk is full.
        WorkerError: The job took too long, wrote too much, could not start, or was stopped.
    """
    program = find_gnubg() if program is None else program
    with scratch_folder() as folder:
        for short, content in (files or {}).items():
            (folder / short).write_bytes(content)
        (folder / _SCRIPT).write_text(source, encoding="utf-8")
        (folder / _DATA).write_text(json.dumps(data), encoding="utf-8")
        environment = _environment(folder, clock)
        status, output, errors = _run(program, folder, timeout, environment, stop)
        answer, result = None, folder / _RESULT
        if result.is_file() and result.stat().st_size <= _FILE_LIMIT:
            with suppress(ValueError):  # the job died while it wrote
                answer = json.loads(result.read_bytes())
        if answer is None:
            # Perhaps the job found no room for it: that is no fault of the job.
            (folder / _DATA).write_bytes(bytes(_ROOM))
        return Completed(status, output, errors, answer)


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


def _run(
    program: Path,
    folder: Path,
    timeout: float,
    environment: dict[str, str],
    stop: threading.Event | None,
) -> tuple[int, str, str]:
    command = [str(program), "-t", "-q", "-r", "-p", _SCRIPT]
    paths = [folder / name for name in _STREAMS]
    with ExitStack() as stack:
        output, errors = (stack.enter_context(path.open("wb")) for path in paths)
        try:
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                start_new_session=True,  # Ctrl-C is ours to answer
            )
        except OSError as error:
            raise WorkerError(f"{program} could not start: {error.strerror or error}") from error
    try:
        _limit(process.pid, timeout)
        ended = _wait(process, timeout, stop, paths)
    finally:
        if process.poll() is None:
            kill_group(process)  # with whatever it started
            process.wait()
    if _too_much(paths):
        raise WorkerError(f"GNU Backgammon wrote more than {STREAM_LIMIT >> 20} MiB of messages")
    if not ended:
        raise WorkerError(f"GNU Backgammon was stopped after {timeout:g} seconds")
    said, meant = (path.read_bytes().decode("utf-8", "replace") for path in paths)
    return process.returncode, said, meant


def _wait(
    process: subprocess.Popen[bytes],
    timeout: float,
    stop: threading.Event | None,
    streams: list[Path],
) -> bool:
    """Whether the process ended by itself in time, before it had said too much."""
    end = time.monotonic() + timeout
    while (left := end - time.monotonic()) > 0.0 and not _too_much(streams):
        with suppress(subprocess.TimeoutExpired):
            process.wait(min(left, _LOOK))
            return True
        if stop is not None and stop.is_set():
            raise WorkerError("GNU Backgammon was stopped: the run was interrupted")
    return False


def _too_much(streams: list[Path]) -> bool:
    return any(path.stat().st_size > STREAM_LIMIT for path in streams)


def _limit(pid: int, timeout: float) -> None:
    """Bound memory, files and processor time of a job, where the system can."""
    if sys.platform != "linux":
        return
    import resource

    seconds = int(timeout) + 10
    with suppress(ProcessLookupError, PermissionError, ValueError):
        resource.prlimit(pid, resource.RLIMIT_AS, (_MEMORY_LIMIT, _MEMORY_LIMIT))
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (_FILE_LIMIT, _FILE_LIMIT))
        resource.prlimit(pid, resource.RLIMIT_CPU, (seconds, seconds))
