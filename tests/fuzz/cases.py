"""Readers, what they are tried with and may take; one input for one reader, and what is a fault.

A fault is: an exception that is not Yardstone's own, any other package's warning, a file left
open, more time or memory than the target may take, time that grows faster than the input, and
a message that is long or has control characters in it.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
import unicodedata
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from yardstone.errors import YardstoneError, YardstoneWarning

#: The folder of the fuzzers, with the corpus.
FUZZ = Path(__file__).resolve().parent
ROOT = FUZZ.parent.parent
EXAMPLES = ROOT / "src/yardstone/examples"
#: The modules of readers.
MODULES = sorted(path.stem for path in (FUZZ / "readers").glob("*.py"))


class Wrong(Exception):
    """What a reader gave is wrong: not finite, not what another reader reads, not closed."""


def finite(values: ArrayLike) -> None:
    if not np.isfinite(values).all():
        raise Wrong("a number is not finite")


@dataclass(frozen=True)
class Target:
    name: str  #: Its folder in the corpus, and how the command names it.
    #: Reads a file as Yardstone does. It may say by `Wrong` that what was read is wrong; whatever
    #: it raises besides Yardstone's own errors is a fault.
    read: Callable[[Path], object]
    suffix: str = ""
    #: Further examples by name, of formats that a program writes better than a repository keeps.
    made: Callable[[], Mapping[str, bytes | Callable[[Path], object]]] = dict
    save: Callable[[Path], object] | None = None  #: Writes an example.
    words: tuple[str, ...] = ()  #: What mutations would not find by chance.
    #: Of changing an input, once or twice, where most of it must stay as it is; none grows.
    ways: tuple[str, ...] = ()
    seconds: float = 2.0  #: The processor's time that one input may take.
    megabytes: int = 512

    def examples(self) -> dict[str, bytes]:
        result, made = contents(FUZZ / "corpus" / self.name), dict(self.made())
        if self.save is not None:
            made["saved"] = self.save
        for name, each in made.items():
            result[name] = each if isinstance(each, bytes) else self._saved(each)
        return result

    def _saved(self, save: Callable[[Path], object]) -> bytes:
        with TemporaryDirectory() as folder:
            save(Path(folder) / f"file{self.suffix}")
            (data,) = contents(Path(folder)).values()
            return data

    def seeds(self) -> dict[str, bytes]:
        if self.ways:  # what is damaged already is not damaged once more
            return self.examples()
        return contents(FUZZ / "regressions" / self.name) | self.examples()


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*")) if path.is_file()}


def copied(path: Path, *parts: str) -> Path:
    place = path.parent.joinpath(*parts)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(path.read_bytes())
    return place


def group(module: str) -> dict[str, Target]:
    return {each.name: each for each in import_module(f"tests.fuzz.readers.{module}").TARGETS}


@cache
def targets() -> dict[str, Target]:
    return {name: each for module in MODULES for name, each in sorted(group(module).items())}


def target(name: str) -> Target:
    """The target of this name, without the imports of all the others."""
    for module in MODULES:
        text = (FUZZ / "readers" / f"{module}.py").read_text("utf-8")
        if f'"{name}"' in text and name in (found := group(module)):
            return found[name]
    raise SystemExit(f"no target {name!r}")


LONGEST_MESSAGE = 800
#: An input is stopped once it has taken so many times what it may take.
_PATIENCE = 10
#: Seconds below which growth is not worth a look.
_FLOOR = 0.25
#: Quadratic growth takes 16 times as long for 4 times the input, sorting 5 times.
_MOST = 8.0


class Fault(NamedTuple):
    signature: str  #: The same for inputs that show the same fault.
    text: str  #: The traceback, or what was measured.


class _TooLong(BaseException):
    """The time is over."""


def run_case(target: Target, data: bytes, folder: Path, *, slack: float = 1.0) -> Fault | None:
    """Return the fault of these bytes; `slack` multiplies the time that they may take."""
    path = folder / f"input{target.suffix}"
    path.write_bytes(data)
    limit = target.seconds * slack
    with suppress(OSError):  # the peak is measured anew
        Path("/proc/self/clear_refs").write_text("5")
    memory, begin = _peak(), time.process_time()
    fault = _outcome(target, path, limit)
    seconds, taken = time.process_time() - begin, _peak() - memory
    if fault is None and seconds > limit:
        return Fault("time", f"{seconds:.1f} s for {len(data)} bytes")
    if fault is None and taken > target.megabytes:
        return Fault("memory", f"{taken:.0f} MB for {len(data)} bytes")
    return fault


def growth_fault(target: Target, data: bytes, folder: Path) -> Fault | None:
    """The fault if a long input takes far longer than the quarter of it does."""

    def timed(part: bytes) -> tuple[Fault | None, float]:
        begin = time.process_time()
        return run_case(target, part, folder), time.process_time() - begin

    fault, long = timed(data)
    if fault is not None or long < _FLOOR:
        return fault
    quarter = data[: len(data) // 4]
    if (end := quarter.rfind(b"\n") + 1) > len(quarter) // 2:  # a line cut short is another input
        quarter = quarter[:end]
    short = max(timed(quarter)[1], 1e-3)
    if long < _MOST * short or (again := timed(data)[1]) < _MOST * short:
        return None
    return Fault("growth", f"{short:.2f} s for {len(quarter)} bytes, {again:.2f} for {len(data)}")


def smaller(target: Target, data: bytes, folder: Path, seconds: float = 20.0) -> bytes:
    fault = run_case(target, data, folder)
    if fault is None or fault.signature in ("time", "memory"):
        return data
    end = time.monotonic() + seconds
    size, place = len(data) // 2, 0
    while size and time.monotonic() < end:
        shorter = data[:place] + data[place + size :]
        now = run_case(target, shorter, folder)
        if now is not None and now.signature == fault.signature:
            data = shorter
        else:
            place += size
        if place >= len(data):
            size, place = size // 2, 0
    return data


def bad_message(text: str) -> str | None:
    if len(text) > LONGEST_MESSAGE:
        return "long message"
    hidden = any(unicodedata.category(each) in ("Cc", "Cs", "Cf") for each in text if each != "\n")
    return "control character in a message" if hidden else None


def _outcome(target: Target, path: Path, limit: float) -> Fault | None:
    problems: list[BaseException | None] = []
    said: list[tuple[str, str]] = []
    # Told there: a file that was left open.
    hook, sys.unraisablehook = sys.unraisablehook, lambda args: problems.append(args.exc_value)
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
                said.append((str(error), _place(error)))
            except _TooLong as error:
                return Fault("time", f"more than {limit * _PATIENCE:.0f} s\n{_trace(error)}")
            except Exception as error:
                problems.insert(0, error)
    finally:
        sys.unraisablehook = hook
    for problem in filter(None, problems):
        what = f" {str(problem)[:40]}" if isinstance(problem, Wrong) else ""
        return Fault(f"{type(problem).__name__}{what}: {_place(problem)}", _trace(problem))
    for text, place in [*said, *((str(each.message), "a warning") for each in given)]:
        # Without the folder of the file, whose length is no reader's doing.
        if (bad := bad_message(text.replace(str(path.parent), ""))) is not None:
            return Fault(f"{bad}: {place}", repr(text[: 2 * LONGEST_MESSAGE]))
    return None


def _place(error: BaseException) -> str:
    frames = [(frame.filename, frame.name) for frame in traceback.extract_tb(error.__traceback__)]
    split = [(file.partition("/src/yardstone/")[2], name) for file, name in frames]
    others = [(Path(file).name, name) for file, name in frames]
    return " ".join([("?", ""), *others, *(each for each in split if each[0])][-1])


def _trace(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))[-6000:]


@contextmanager
def _stopped_after(seconds: float) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise _TooLong

    # Ignored afterwards: one that comes late would end a process that has no handler.
    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.signal(signal.SIGPROF, signal.SIG_IGN)
        signal.setitimer(signal.ITIMER_PROF, 0)


def _peak() -> float:
    """The most memory that this process had, in megabytes; 0 where the system does not say."""
    try:
        return int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0]) / 1024
    except OSError:
        return 0.0
