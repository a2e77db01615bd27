"""A cell: a process that reads files of strangers may do nothing else.

`enter` confines the process that calls it, and all that it starts, for good: it opens the files
it was given and those of Python and the system's libraries, writes where it was told, reaches no
network and no other process, and has limits of memory, processor time and files. `run` is for
commands: the work is done in a cell, while the process that called waits outside, takes what
is to be written (`hand_over`) and says which limit was struck.

What holds depends on the system (`lacking`):

- Linux: Landlock (5.13) for files, seccomp for the network, both without any rights of root;
- elsewhere with `resource`, such as macOS: the limits alone;
- Windows: nothing.
"""

from __future__ import annotations

import ctypes
import errno
import glob
import json
import os
import platform
import re
import shutil
import signal
import socket
import stat
import struct
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from yardstone.choices import plural
from yardstone.errors import InputError
from yardstone.files import HANDED_OVER, cache_folder, replaced, scratch_folder


@dataclass(frozen=True, slots=True)
class CellLimits:
    """What each process in a cell may use; no limit that held before becomes larger."""

    memory: int = 4 << 30  #: Bytes of data.
    seconds: int = 3600  #: Of processor time.
    file_bytes: int = 16 << 30  #: Of a file that is written.
    files: int = 1024  #: Open at the same time.


#: The limits as the system calls them.
_KINDS = {"memory": "DATA", "seconds": "CPU", "file_bytes": "FSIZE", "files": "NOFILE"}

# What Landlock calls the ways to use a file (linux/landlock.h).
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_TRUNCATE = 1 << 14
_READING = _READ_FILE | _READ_DIR
#: Those that a file can have, not only a folder.
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE
#: Rights that each version of Landlock knows, from the first; later ones know no more.
_KNOWN = ((1 << 13) - 1, (1 << 14) - 1, (1 << 15) - 1, (1 << 15) - 1, (1 << 16) - 1)
#: Versions that keep signals and sockets of the kernel's own names within the cell, and how.
_SCOPES, _SCOPED = 6, 3
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same on all processors
_NO_NEW_PRIVILEGES, _SET_SECCOMP, _FILTER = 38, 22, 2  # linux/prctl.h
#: The version of the interface of capabilities, and those to own, read and write any file.
_CAPABILITIES, _OF_ROOT = 0x2008_0522, 0b1111

#: Refused calls by processor: its number for seccomp; socket, ptrace, process_vm_readv,
#: process_vm_writev, open_by_handle_at, bpf, userfaultfd, unshare, setns, keyctl, pidfd_getfd,
#: io_uring_setup.
_REFUSED = {
    "x86_64": (0xC000003E, 41, 101, 310, 311, 304, 321, 323, 272, 308, 250, 438, 425),
    "aarch64": (0xC00000B7, 198, 117, 270, 271, 265, 280, 282, 97, 268, 219, 438, 425),
}
#: On x86-64 the calls of a second convention begin here.
_SECOND_CONVENTION = 0x4000_0000
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06  # linux/bpf_common.h
_ALLOW, _ERROR = 0x7FFF_0000, 0x0005_0000  # linux/seccomp.h

#: What every program reads: libraries, time zones, what the machine is; and what GNU Backgammon.
_SYSTEM = (
    "/usr", "/lib", "/lib64", "/bin", "/sbin", "/nix/store", "/proc", "/sys/bus", "/sys/devices",
    "/sys/fs/cgroup", "/etc/ld.so.cache", "/etc/localtime", "/etc/ssl/openssl.cnf", "/dev/urandom",
    "/var/lib/gnubg",
)  # fmt: skip
#: Variables that name programs and networks.
_NAMING = ("YARDSTONE_FAKETIME", "YARDSTONE_GNUBG", "YARDSTONE_NET")
#: Seconds of processor time between the signal that a process is given and its end.
_GRACE = 5
#: The exit status of a process that had no memory left.
NO_MEMORY = 99
_QUOTED = re.compile(r"'([^']+)'")
#: Where a pattern of files begins to be one.
_MAGIC = re.compile(r"[*?[]")


def _landlock() -> int:
    """The version of Landlock; 0 where there is none."""
    if sys.platform != "linux":
        return 0
    return max(_call("syscall", _CREATE_RULESET, None, 0, 1), 0)


def _call(name: str, *words: Any) -> int:
    whole = [ctypes.c_long(each) if isinstance(each, int) else each for each in words]
    return int(getattr(ctypes.CDLL(None, use_errno=True), name)(*whole))


def lacking() -> list[str]:
    """What a cell cannot hold on this system, in words."""
    known = sys.platform == "linux" and platform.machine() in _REFUSED
    words = [*([] if _landlock() else ["other files"]), *([] if known else ["the network"])]
    return [*words, "memory", "processor time"] if sys.platform == "win32" else words


def enter(
    read: Iterable[str | os.PathLike[str]] = (),
    write: Iterable[str | os.PathLike[str]] = (),
    limits: CellLimits | None = None,
) -> None:
    """Confine this process, and whatever it starts, for good.

    Args:
        read: Files and folders, with all below, that are read, besides those of Python and the
            system. What is not there is left out.
        write: Folders in which everything may be done but to run a program; temporary files
            and caches go to the first.
        limits: What each process may use.

    Raises:
        OSError: The system has cells, but refuses this one; or there are other threads, which
            would stay outside.
    """
    _set_limits(limits or CellLimits())
    folders = [Path(each).absolute() for each in write]
    places = [*_own_places(), *_SYSTEM]
    files = [*(os.fspath(each) for each in read), str(cache_folder() / "nets")]
    if folders:
        tempfile.tempdir = os.environ["TMPDIR"] = str(folders[0])
        # Libraries have caches too, and complain where they can write none.
        with suppress(OSError):
            (folders[0] / "yardstone").symlink_to(cache_folder())
            os.environ["XDG_CACHE_HOME"] = str(folders[0])
    if sys.platform == "linux":
        import psutil

        if psutil.Process().num_threads() > 1:
            raise OSError(errno.EBUSY, "no cell can be entered: there are other threads")
        _checked(_call("prctl", _NO_NEW_PRIVILEGES, 1, 0, 0, 0))
        if version := _landlock():
            rights = [(each, _READING | _EXECUTE) for each in places]
            rights += [(each, _READING) for each in files]
            rights.append((os.devnull, _READING | _WRITE_FILE | _TRUNCATE))
            _confine_files(version, rights + [(str(each), ~_EXECUTE) for each in folders])
        _drop_rights()
        _confine_calls()


def _set_limits(limits: CellLimits) -> None:
    if sys.platform == "win32":
        return
    import resource

    for name, value in (*_effective(limits).items(), ("CORE", 0)):
        which = getattr(resource, f"RLIMIT_{_KINDS.get(name, name)}")
        hard = resource.getrlimit(which)[1]
        late = value + _GRACE * (name == "seconds")
        with suppress(ValueError):  # macOS refuses some
            resource.setrlimit(which, (value, late if hard < 0 else min(late, hard)))


def _effective(limits: CellLimits) -> dict[str, int]:
    """The limits, or those that hold already where they are lower."""
    values = {name: getattr(limits, name) for name in _KINDS}
    if sys.platform != "win32":
        import resource

        for name, kind in _KINDS.items():
            there = resource.getrlimit(getattr(resource, f"RLIMIT_{kind}"))[0]
            if there >= 0:  # without a limit it is -1
                values[name] = min(values[name], there)
    return values


def limit_process(pid: int, limits: CellLimits) -> None:
    """Bound addresses, files and processor time of another process, where the system can.

    Its processor time can be made more again.
    """
    if sys.platform == "linux":
        import resource

        with suppress(ProcessLookupError, PermissionError, ValueError):
            resource.prlimit(pid, resource.RLIMIT_AS, (limits.memory, limits.memory))
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (limits.file_bytes, limits.file_bytes))
            hard = resource.prlimit(pid, resource.RLIMIT_CPU)[1]
            resource.prlimit(pid, resource.RLIMIT_CPU, (limits.seconds, hard))


def _checked(answer: int) -> int:
    if answer < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"no cell can be entered: {os.strerror(number)}")
    return answer


def _own_places() -> Iterator[str]:
    """Where Python and Yardstone lie, and what the environment names."""
    yield from (sys.prefix, sys.base_prefix, sys.exec_prefix, os.path.realpath(sys.executable))
    here = os.path.realpath(os.curdir)
    # The folder one stands in is among them where a module was started by name.
    yield from (path for path in sys.path if path and os.path.realpath(path) != here)
    for name, module in list(sys.modules.items()):
        if name.startswith("yardstone") and "." not in name and module.__file__:
            yield str(Path(module.__file__).parent)
    yield from (os.environ[name] for name in _NAMING if name in os.environ)


def _confine_files(version: int, rights: Iterable[tuple[str, int]]) -> None:
    known = _KNOWN[min(version, len(_KNOWN)) - 1]
    scoped = _SCOPED if version >= _SCOPES else 0
    ruleset = struct.pack("QQQ", known, 0, scoped)[: 24 if version >= _SCOPES else 8]
    handle = _checked(_call("syscall", _CREATE_RULESET, ruleset, len(ruleset), 0))
    try:
        for path, allowed in rights:
            _allow(handle, path, allowed & known)
        _checked(_call("syscall", _RESTRICT_SELF, handle, 0))
    finally:
        os.close(handle)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (OSError, ValueError):
        return  # what is not there needs no rule
    try:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            rights &= _OF_FILES
        _checked(_call("syscall", _ADD_RULE, ruleset, 1, struct.pack("=Qi", rights, place), 0))
    finally:
        os.close(place)


def _drop_rights() -> None:
    """Leave root only its way with files: the rest leads to other processes and out of limits."""
    if os.geteuid() == 0:
        whole = struct.pack("IIIIII", _OF_ROOT, _OF_ROOT, 0, 0, 0, 0)
        _checked(_call("capset", struct.pack("Ii", _CAPABILITIES, 0), whole))


def _confine_calls() -> None:
    """Refuse new sockets, whatever they lead to, and what reaches into other processes."""
    if platform.machine() not in _REFUSED:
        return
    here, *numbers = _REFUSED[platform.machine()]
    refuse = len(numbers) + 1  # instructions from the first comparison to the refusal
    lines = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, here), (_RETURN, 0, 0, _ERROR | 1), (_LOAD, 0, 0, 0)]
    lines.append((_AT_LEAST, refuse, 0, _SECOND_CONVENTION))
    lines += [(_EQUAL, refuse - place, 0, each) for place, each in enumerate(numbers, 1)]
    lines += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _ERROR | 13)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in lines))
    program = struct.pack("HP", len(lines), ctypes.addressof(code))
    _checked(_call("prctl", _SET_SECCOMP, _FILTER, program, 0, 0))


def struck(status: int, limits: Mapping[str, int], file: str | None) -> InputError | None:
    """The error that says which limit ended a process, by its exit status (negative: a signal).

    None where it ended by itself. `limits` are the fields of `CellLimits`.
    """
    hint = "if you trust it, leave out --untrusted"
    if status == NO_MEMORY:
        words = f"takes more than {limits['memory'] >> 20:,} MiB of memory"
    elif -status in (signal.SIGKILL, getattr(signal, "SIGXCPU", None)):
        words = f"takes more than {plural(limits['seconds'], 'second')} of processor time"
        words += "" if status != -signal.SIGKILL else ", or the system had no memory left"
    elif status < 0:
        words = f"what read it crashed ({signal.Signals(-status).name})"
        hint = "it is damaged, or made to do harm"
    else:
        return None
    return InputError(words, file=file, hint=hint)


@dataclass(slots=True)
class _Inside:
    """What a process that `run` started knows: the way out, and where it can work."""

    way: socket.socket
    folder: Path

    def say(self, line: str, *handles: int) -> None:
        """Send a line, and wait until it was heeded; OSError if it could not be."""
        socket.send_fds(self.way, [line.encode() + b"\n"], handles)
        if error := int(self.way.recv(16) or errno.EIO):
            raise OSError(error, os.strerror(error))

    def hand_over(self, number: int, source: Path) -> None:
        """Have the file of this number written with what stands in another."""
        with source.open("rb") as file:
            self.say(str(number), file.fileno())


_inside: _Inside | None = None


def run(work: Callable[[], int]) -> int:
    """Do the work of a command in a cell, which it enters by `confine`; return its exit status.

    Raises:
        InputError: A limit was struck.
    """
    if sys.platform == "win32":
        return work()
    with scratch_folder() as folder:
        status, about = _run(work, folder)
    limits = about.get("limits") or _effective(CellLimits())
    if (error := struck(status, limits, about.get("file"))) is not None:
        raise error
    return status


def _run(work: Callable[[], int], folder: Path) -> tuple[int, dict[str, Any]]:
    """The exit status of the work, and what it said when it entered the cell."""
    ours, theirs = socket.socketpair()
    sys.stdout.flush()
    sys.stderr.flush()
    process = os.fork()
    if not process:
        ours.close()
        _work(work, _Inside(theirs, folder))
    theirs.close()
    about: dict[str, Any] = {}
    try:
        with ours:
            _attend(ours, about)
        return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), about
    except KeyboardInterrupt:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGTERM)
        os.waitpid(process, 0)
        raise


def _attend(way: socket.socket, about: dict[str, Any]) -> None:
    """Write what a process hands over, until it ends.

    The first line says what it may hand over; it comes before the process has read anything.
    """
    line = b""
    while True:
        data, handles, _, _ = socket.recv_fds(way, 1 << 16, 1)
        if not data:
            return
        line += data
        if not line.endswith(b"\n"):
            continue
        answer = 0
        if not about:
            about.update(json.loads(line))
        else:
            try:
                _write(Path(about["targets"][int(line)]), handles[0])
            except (InputError, LookupError, ValueError) as error:
                answer = getattr(error.__cause__, "errno", None) or errno.EIO
        for handle in handles:
            os.close(handle)
        line = b""
        with suppress(OSError):  # it has ended
            way.sendall(b"%d\n" % answer)


def _write(path: Path, handle: int) -> None:
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        raise InputError("only files are handed over")  # a device would never end
    with (
        replaced(path) as temporary,
        open(handle, "rb", closefd=False) as source,
        temporary.open("wb") as target,
    ):
        shutil.copyfileobj(source, target, 1 << 20)


def _work(work: Callable[[], int], inside: _Inside) -> NoReturn:
    global _inside
    _inside, status = inside, 1
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # what began before the cell would stay outside
    try:
        status = work()
        sys.stdout.flush()
    except MemoryError:
        status = NO_MEMORY
    except KeyboardInterrupt:
        status = 130
    except SystemExit as leave:  # as where a reader closes our output early
        status = leave.code if isinstance(leave.code, int) else 1
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        with suppress(Exception):
            sys.stderr.flush()
        os._exit(status)


def confine(given: Iterable[object], targets: Iterable[Path], limits: CellLimits) -> None:
    """Enter the cell of a command, in a process that `run` started; elsewhere nothing happens.

    Args:
        given: Words of the command: files that they name, also behind an equals sign or in
            quotes, can be read; where they are a pattern, the folder in which it begins.
        targets: Folders in which the process writes, and files, which it hands over.
        limits: What it may use.
    """
    if _inside is None:
        return
    inside, files = _inside, list(_named(given))
    whole = [each.absolute() for each in targets]
    folders = [each for each in whole if each.is_dir()]
    whole = [each for each in whole if each not in folders]
    HANDED_OVER.update((each, partial(inside.hand_over, place)) for place, each in enumerate(whole))
    about = {
        "targets": [str(each) for each in whole],
        "limits": _effective(limits),
        "file": ", ".join(each for each in files[:3] if Path(each).absolute() not in whole) or None,
    }
    inside.say(json.dumps(about))
    enter(files, [inside.folder, *folders], limits)


def _named(words: Iterable[object]) -> Iterator[str]:
    """The files and folders that some words name."""
    for word in words:
        if isinstance(word, list | tuple):
            yield from _named(word)
        elif isinstance(word, str | Path):
            text = str(word)
            for each in (text, text.rpartition("=")[2], *_QUOTED.findall(text)):
                with suppress(OSError, ValueError):
                    if Path(each).exists():
                        yield each
                    elif any(glob.iglob(each, recursive=True)):  # noqa: PTH207 (absolute patterns)
                        yield os.path.dirname(_MAGIC.split(each)[0]) or os.curdir  # noqa: PTH120
