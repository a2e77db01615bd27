"""Runs a command and notes what it takes, says, opens and connects to (Linux only)."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.cases import ROOT, bad_message

#: What a stranger's file may cost: seconds of processor, and MB of all processes together.
SECONDS, MEGABYTES = 10.0, 1000.0
#: A command is killed once it has taken so many times that, or so many seconds on the clock.
_PATIENCE, _CLOCK = 2.0, 150.0
_PAUSE = 0.03
#: What Python, its libraries and the C library open for themselves.
_SYSTEM = r"/(usr|lib|lib64|proc|sys)/|/dev/(null|u?random|shm/)|/etc/(ld\.so\.|local|ssl/)"
_TICKS = os.sysconf("SC_CLK_TCK")
_CALL = re.compile(r"(open\w*|connect)\((.*)\) = \d+(?:<(.*)>)?")


@dataclass
class Watched:
    """How a command ended."""

    status: int = 0  #: of the process; negative for a signal
    seconds: float = 0.0  #: of processor, of all processes
    megabytes: float = 0.0  #: resident at the worst moment, of all processes
    output: str = ""
    said: list[str] = field(default_factory=list)  #: lines on standard error
    strange: list[str] = field(default_factory=list)  #: files and addresses that are none of its

    @property
    def line(self) -> str:
        """The last line it said, or printed."""
        return next(iter([*reversed(self.said), *reversed(self.output.split("\n")), ""]), "")

    def faults(self, says: str) -> list[str]:
        """What is wrong with it, when this is what it should say."""
        text = "\n".join([self.output, *self.said])
        wrong = {
            f"{self.seconds:.0f} s": self.seconds > SECONDS,
            f"{self.megabytes:,.0f} MB": self.megabytes > MEGABYTES,
            "traceback": "Traceback" in text,
            f"status {self.status}": self.status not in (0, 1, 2),
            f"{len(self.said)} lines": self.status and len(self.said) > _LINES,
            "control characters": bad_message("\n".join(self.said)) == _CONTROL,
            "another line": says not in text,
            "opens " + ", ".join(self.strange[:3]): self.strange,
        }
        return [what for what, holds in wrong.items() if holds]


_LINES = 3
_CONTROL = bad_message("\x1b")


YARDSTONE = (sys.executable, "-m", "yardstone")


def run(command: Sequence[str], folder: Path, *, strace: str | None = None) -> Watched:
    """Run a command in a folder; without `strace` nobody sees what it opens."""
    home, trace = folder.parent / "home", folder.parent / "trace"
    (home / "tmp").mkdir(parents=True, exist_ok=True)
    own = {"HOME": str(home), "XDG_CACHE_HOME": str(home), "TMPDIR": str(home / "tmp")}
    own |= {"PYTHONPATH": os.pathsep.join([f"{ROOT}/src", f"{ROOT}/lab/src"]), "COLUMNS": "200"}
    if strace is not None:
        calls = ["-f", "-y", "--seccomp-bpf", "-qq", "-e", "trace=open,openat,openat2,connect"]
        command = [strace, *calls, "-o", str(trace), *command]
    result, out, err = Watched(), home / "out", home / "err"
    with out.open("wb") as output, err.open("wb") as errors:
        process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=errors,
            env={**os.environ, **own}, start_new_session=True,
        )  # fmt: skip
        _watch(process, result)
    result.status = process.returncode
    result.output = out.read_text("utf-8", "replace").strip()
    result.said = err.read_text("utf-8", "replace").strip().splitlines()
    if strace is not None:
        result.strange = list(_strange(trace, folder.parent))
    return result


def _watch(process: subprocess.Popen[bytes], result: Watched) -> None:
    end = time.monotonic() + _CLOCK
    while True:
        # Left for wait4, which alone tells the time of processes that are gone.
        if os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            break
        numbers = list(_descendants(process.pid))
        peaks = [_megabytes(number) for number in numbers]
        together, alone = sum(now for now, _ in peaks), max([peak for _, peak in peaks], default=0)
        result.megabytes = max(result.megabytes, together, alone)
        # Of those that are killed `wait4` does not tell.
        result.seconds = max(result.seconds, sum(map(_seconds, numbers)))
        over = result.seconds > _PATIENCE * SECONDS or result.megabytes > _PATIENCE * MEGABYTES
        if over or time.monotonic() > end:
            for number in (*numbers, process.pid):
                with suppress(OSError):
                    os.kill(number, signal.SIGKILL)
        time.sleep(_PAUSE)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    result.seconds = max(result.seconds, usage.ru_utime + usage.ru_stime)


def _descendants(number: int) -> Iterator[int]:
    """The processes that a process has begun, and they, without itself if it is strace."""
    with suppress(OSError):
        if "strace" not in Path(f"/proc/{number}/comm").read_text():
            yield number
        for task in Path(f"/proc/{number}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from _descendants(int(child))


def _megabytes(number: int) -> tuple[float, float]:
    """Of a process: resident now, and at most so far."""
    with suppress(OSError):
        text = Path(f"/proc/{number}/status").read_text()
        sizes = {key: int(size) for key, size in re.findall(r"(VmHWM|VmRSS):\s*(\d+)", text)}
        return sizes.get("VmRSS", 0) / 1000, sizes.get("VmHWM", 0) / 1000
    return 0.0, 0.0


def _seconds(number: int) -> float:
    with suppress(OSError):
        parts = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
        return (int(parts[11]) + int(parts[12])) / _TICKS
    return 0.0


def _strange(trace: Path, home: Path) -> Iterator[str]:
    """What was opened or connected to, and is neither the case's nor the system's."""
    places = {os.path.realpath(each) for each in (*sys.path, sys.prefix, sys.base_prefix) if each}
    own = (str(home), *(place for place in places if place != "/"), str(ROOT))
    seen = set[str]()
    for line in trace.read_text("utf-8", "replace").splitlines():
        connected = "connect(" in line
        if (call := _CALL.search(line)) is None and not connected:
            continue
        place = line.partition("connect(")[2] if connected else str(call and call[3])
        ours = place.startswith(own) or re.match(_SYSTEM, place)
        if place not in seen and (connected or not ours):
            seen.add(place)
            yield place
