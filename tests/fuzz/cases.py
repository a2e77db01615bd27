"""One input for one reader, and what counts as a fault.

A fault is: an exception that is not Yardstone's own, any other package's warning, a file
left open, more time or memory than the target may take, and a message that is long or has
control characters in it.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
import unicodedata
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from tests.fuzz.targets import Target, Wrong
from yardstone.errors import YardstoneError, YardstoneWarning

if sys.platform != "win32":
    import resource

__all__ = ["LONGEST_MESSAGE", "Fault", "bad_message", "run_case"]

LONGEST_MESSAGE = 800
#: An input is stopped once it has taken so many times what it may take.
_PATIENCE = 10
_SOURCE = "/src/yardstone/"


@dataclass(frozen=True)
class Fault:
    """What went wrong.

    Attributes:
        signature: The same for inputs that show the same fault.
        text: The traceback, or what was measured.
    """

    signature: str
    text: str


class _TooLong(BaseException):
    """The time is over."""


def run_case(target: Target, data: bytes, folder: Path, *, slack: float = 1.0) -> Fault | None:
    """Read these bytes; the fault that this shows, if any.

    `slack` multiplies the time that it may take, for slower ways to run.
    """
    path = folder / f"input{target.suffix}"
    path.write_bytes(data)
    limit = target.seconds * slack
    memory = _new_peak()
    begin = time.process_time()
    fault = _outcome(target, path, limit)
    seconds = time.process_time() - begin
    if fault is not None:
        return fault
    if seconds > limit:
        return Fault("time", f"{seconds:.1f} s for {len(data)} bytes")
    if (taken := _peak() - memory) > target.megabytes:
        return Fault("memory", f"{taken:.0f} MB for {len(data)} bytes")
    return None


def bad_message(text: str) -> str | None:
    """What is wrong with a message, if anything."""
    if len(text) > LONGEST_MESSAGE:
        return "long message"
    if any(unicodedata.category(letter) in ("Cc", "Cs", "Cf") for letter in text if letter != "\n"):
        return "control character in a message"
    return None


def _outcome(target: Target, path: Path, limit: float) -> Fault | None:
    unraised: list[BaseException] = []
    hook, sys.unraisablehook = sys.unraisablehook, lambda args: _keep(unraised, args.exc_value)
    try:
        with (
            warnings.catch_warnings(record=True) as given,
            Path(os.devnull).open("w", encoding="utf-8") as nowhere,
            redirect_stdout(nowhere),
            redirect_stderr(nowhere),
        ):
            warnings.simplefilter("error")
            warnings.simplefilter("always", YardstoneWarning)
            try:
                with _stopped_after(limit * _PATIENCE):
                    target.read(path)
            except YardstoneError as error:
                fault = _of_message(_without(path, str(error)), error)
            except _TooLong as error:
                return Fault("time", f"more than {limit * _PATIENCE:.0f} s\n{_trace(error)}")
            except Exception as error:
                return Fault(_signature(error), _trace(error))
            else:
                fault = None
        for warning in given:
            fault = fault or _of_message(_without(path, str(warning.message)), None)
        for problem in unraised:
            fault = fault or Fault(_signature(problem), _trace(problem))
        return fault
    finally:
        sys.unraisablehook = hook


def _keep(problems: list[BaseException], error: BaseException | None) -> None:
    if error is not None:
        problems.append(error)


def _without(path: Path, text: str) -> str:
    """A message without the folder of the file, whose length is no reader's doing."""
    return text.replace(str(path.parent), "")


def _of_message(text: str, error: BaseException | None) -> Fault | None:
    if (bad := bad_message(text)) is None:
        return None
    place = "a warning" if error is None else _place(error)
    return Fault(f"{bad}: {place}", repr(text[: 2 * LONGEST_MESSAGE]))


def _signature(error: BaseException) -> str:
    what = f" {str(error)[:40]}" if isinstance(error, Wrong) else ""
    return f"{type(error).__name__}{what}: {_place(error)}"


def _place(error: BaseException) -> str:
    """The innermost function of Yardstone's that an error went through."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if _SOURCE in frame.filename.replace("\\", "/")]
    if not (ours or frames):
        return "?"
    frame = (ours or frames)[-1]
    name = frame.filename.replace("\\", "/").partition(_SOURCE)[2] or Path(frame.filename).name
    return f"{name} {frame.name}"


def _trace(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))[-6000:]


@contextmanager
def _stopped_after(seconds: float) -> Iterator[None]:
    """Stop what runs inside once the processor has worked so long on it."""
    if sys.platform == "win32":
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise _TooLong

    # Ignored afterwards: one that comes late would end a process that has no handler.
    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.signal(signal.SIGPROF, signal.SIG_IGN)
        signal.setitimer(signal.ITIMER_PROF, 0)


def _new_peak() -> float:
    """The memory of this process now, from which its peak is measured anew, in megabytes.

    Where the system cannot do that: the most that it ever had, or its parent before it.
    """
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return _peak()


def _peak() -> float:
    """The most memory that this process had since then, in megabytes."""
    if sys.platform == "win32":
        return 0.0
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / (1 << 10)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)
