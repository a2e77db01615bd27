"""Tries a command with a fault, and judges what it leaves: nothing, or the whole result.

Or something from which the same command goes on to the whole result.
"""

from __future__ import annotations

import fnmatch
import io
import json
import os
import re
import shutil
import sys
import time
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from tests.faults.cases import Case
from tests.faults.victim import CLOCK, Done, Order, Server

__all__ = ["DISKS", "Trial", "tree"]

#: Faults of a real disk: room for some pages only, for some names only, and none to write to.
DISKS = ("small disk", "few names", "locked disk")
#: Bytes that a disk in memory gives at once.
_PAGE = os.sysconf("SC_PAGE_SIZE")

#: Of every case, and nobody's result.
_OURS = (
    "tmp",
    "tmp/*",
    "cache/matplotlib/*",
    "cache/fontconfig/*",
    "cache/Microsoft/*",
    "matplotlib*",
)
#: A temporary file, which a killed command may leave until the next one.
_TEMPORARY = re.compile(r"(^|/)\..*\.part\d*(\.|$)")
_STATUS = {"kill": {-9}, "term": {143}, "int": {130}}


def tree(folder: Path) -> dict[str, bytes]:
    """All files below a folder, without what differs between any two runs."""
    files = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_dir() or any(fnmatch.fnmatch(name, pattern) for pattern in _OURS):
            continue
        data = path.read_bytes().replace(str(folder).encode(), b"FOLDER")
        files[name] = _plain(name, data)
    return files


def _plain(name: str, data: bytes) -> bytes:
    """The content without times."""
    if _TEMPORARY.search(name):
        return data
    if name.endswith(".undo"):
        step = json.loads(data.splitlines()[-1])
        return json.dumps([step["what"], step["before"], step["after"]]).encode()
    if name.endswith(".sqlite"):  # pages lie as they were written; what they say, results show
        return data[:16]
    if name.endswith("checkpoint.npz"):  # how long each epoch took is in it
        return b""
    if name.endswith((".npz", ".ratings")):
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            parts = {each: file.read(each) for each in file.namelist()}
        return repr({k: re.sub(rb"[0-9]", b"0", v) if b"second" in v else v
                     for k, v in parts.items()}).encode()  # fmt: skip
    if name.endswith((".json", ".jsonl", "/epochs.csv", "/runs.csv")):
        data = re.sub(rb'"seconds": ?[0-9.e-]+', b'"seconds":0', data)
    if name == "results.jsonl":  # a match per line, in the order in which they end
        return b"\n".join(sorted(data.splitlines()))
    if name.endswith(("epochs.csv", "runs.csv")):
        return b"\n".join(sorted(re.sub(rb"[0-9.e-]+", b"", data).splitlines()))
    return data


@dataclass
class Trial:
    """One case under faults, in a folder of its own."""

    case: Case
    home: Path
    server: Server
    number: int = 0

    @cached_property
    def input(self) -> Path:
        """The folder before the command."""
        folder = self.home / "input"
        self.case.fill(folder)
        return folder

    @cached_property
    def before(self) -> dict[str, bytes]:
        """What is in it."""
        return tree(self.input)

    @cached_property
    def undisturbed(self) -> tuple[Done, dict[str, bytes]]:
        """How the command ends without a fault, and what it leaves."""
        folder = self.fresh()
        done = self.run(folder)
        assert done.status == 0, f"{self.case}: {done.status}\n{done.out}{done.err}"
        files = tree(folder)
        shutil.rmtree(folder)
        assert files != self.before, f"{self.case}: writes nothing"
        return done, files

    def fresh(self) -> Path:
        """A new folder with the input."""
        self.number += 1
        folder = self.home / f"case{self.number}"
        # The same names, since reports name files, and times, since stages do.
        shutil.copytree(self.input, folder)
        return folder

    def order(self, folder: Path, **fault: str | int) -> Order:
        """The command in a folder."""
        logs = self.home / f"logs{folder.name}"
        return Order(
            words=self.case.words,
            folder=str(folder),
            logs=str(logs),
            environment=dict(self.case.environment),
            clock=str(self.server.clock or ""),
            **fault,  # type: ignore[arg-type]
        )

    def run(self, folder: Path, **fault: str | int) -> Done:
        """Run the command."""
        return self.server.run(self.order(folder, **fault))[0]

    def signalled(self, fault: str, moment: int, later: int = 0) -> bool:
        """End the command by a signal at a moment; whether it came before the end."""
        _, whole = self.undisturbed
        folder = self.fresh()
        done = self.run(folder, fault=fault, moment=moment, later=later)
        what = f"{self.case}: {fault} at change {moment}+{later}: {done.status}\n{done.err}"
        assert done.status in _STATUS[fault] | {0}, what
        assert "Traceback" not in done.err, what
        self.check(folder, whole, what, left=fault == "kill")
        self.check_again(folder, whole, what)
        shutil.rmtree(folder)
        return done.status != 0

    def refused(self, fault: str, moment: int) -> bool:
        """Let the system refuse from a moment on; whether the command failed."""
        folder = self.fresh()
        done = self.run(folder, fault=fault, moment=moment)
        what = f"{self.case}: {fault} from {moment} on: {done.status}\n{done.err}"
        # Where nothing can be removed any more a temporary file and a lock stay.
        return self._refused(folder, done, what, left=fault == "read-only" and moment > 1)

    def call_failed(self, number: int) -> bool:
        """Let one call of the system fail; whether the command failed for it."""
        calls = self.undisturbed[0].calls
        folder = self.fresh()
        done = self.run(folder, fault="call", moment=number)
        what = f"{self.case}: call {number} of {calls} fails: {done.status}\n{done.err}"
        # What cannot be removed stays.
        return self._refused(folder, done, what, left=calls[number - 1 : number] == "u")

    def _refused(self, folder: Path, done: Done, what: str, *, left: bool) -> bool:
        """Judge what is left where the system refused something."""
        _, whole = self.undisturbed
        assert "Traceback" not in done.err, what
        files = self.check(folder, whole, what, left=left)
        if done.status == 0:
            there = {name: data for name, data in files.items() if not self._lock(name, whole)}
            assert self.results(there) == self.results(whole), what
        else:
            assert done.status == 1, what
            self.check_message(done, what)
        if files != self.before:  # else it is as if nobody had run it
            self.check_again(folder, whole, what)
        shutil.rmtree(folder)
        return done.status != 0

    @staticmethod
    def _lock(name: str, whole: Mapping[str, bytes]) -> bool:
        return name.endswith(".lock") and name not in whole

    def on_disk(self, fault: str, room: int = 0) -> bool:
        """Run it on a disk of its own, and judge what it leaves there.

        Args:
            fault: One of `DISKS`. Where the machine lets nobody mount disks the system's refusal is
                made up instead, as in `refused`.
            room: So many pages are free, or so many names.
        """
        if not self.server.disks:
            print(f"{self.case}: no disk can be mounted here: {fault} is made up", file=sys.stderr)
            return self.refused("read-only" if fault == "locked disk" else "full", 1)
        entries = list(self.input.rglob("*"))
        # One for the disk itself, and one for the folder of temporary files.
        names = len(entries) + 2 + (room if fault == "few names" else 1_000)
        pages = sum(-(-path.stat().st_size // _PAGE) for path in entries if path.is_file())
        pages += room if fault == "small disk" else 10_000
        folder = self.fresh()
        away = folder.with_name(f"{folder.name}-away")
        system = self.server.system
        system("mount", "-t", "tmpfs", "-o", f"size={max(pages, 1) * _PAGE},nr_inodes={names}",
               "none", folder)  # fmt: skip
        try:
            system("cp", "-a", f"{self.input}/.", folder)
            system("mkdir", "-p", folder / "tmp")
            if fault == "locked disk":
                system("mount", "-o", "remount,bind,ro", folder)
            done = self.run(folder)
            system("cp", "-a", folder, away)
        finally:
            system("umount", "--lazy", folder)
        shutil.rmtree(folder)
        away.rename(folder)
        what = f"{self.case}: {fault}, {room} free: {done.status}\n{done.err}"
        return self._refused(folder, done, what, left=False)

    def most_pages(self) -> int:
        """With more pages than these a disk is surely large enough."""
        files = self.undisturbed[1]
        changed = [data for name, data in files.items() if self.before.get(name) != data]
        return 4 + sum(2 + 2 * len(data) // _PAGE for data in changed)

    def clock_set_back(self, fault: str, moment: int, later: int = 0) -> bool:
        """Set the clock back at a moment, or kill it there and go on with the clock set back.

        Args:
            fault: ``clock`` amid the run, or ``kill``, after which it is run again.
        """
        _, whole = self.undisturbed
        # What is written names days: both clocks show the same one.
        ahead = CLOCK if time.localtime().tm_hour < 12 else 0
        folder = self.fresh()
        times = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
        self.server.set_clock(ahead)
        try:
            done = self.run(folder, fault=fault, moment=moment, later=later)
            what = f"{self.case}: clock set back, {fault} at {moment}+{later}: {done.status}"
            what = f"{what}\n{done.err}"
            assert "Traceback" not in done.err, what
            if fault == "clock":
                assert done.status == 0, what
                files = self.check(folder, whole, what, left=False)
                assert self.results(files) == self.results(whole), what
            else:
                # Files have the time of the clock by which they were written.
                for path in folder.rglob("*"):
                    now = path.stat().st_mtime_ns
                    if times.get(path) != now:
                        shown = now + CLOCK * 1_000_000_000
                        os.utime(path, ns=(shown, shown))
                self.server.set_clock(ahead - CLOCK)
                self.check(folder, whole, what, left=True)
                self.check_again(folder, whole, what)
        finally:
            self.server.set_clock(0)
        shutil.rmtree(folder)
        return done.status != 0

    def fault(self, fault: str, moment: int, later: int = 0) -> bool:
        """Try any fault; whether the command noticed it."""
        if fault in DISKS:
            return self.on_disk(fault, moment)
        if fault in ("clock", "clock between"):
            return self.clock_set_back("clock" if fault == "clock" else "kill", moment, later)
        if fault in _STATUS:
            return self.signalled(fault, moment, later)
        if fault in ("full", "read-only", "limit"):
            return self.refused(fault, moment)
        if fault == "call":
            return self.call_failed(moment)
        if fault == "twins":
            return self.twins()
        return self.streams(fault)

    def streams(self, fault: str) -> bool:
        """Give it a standard stream that takes nothing: files are written whole all the same."""
        _, whole = self.undisturbed
        folder = self.fresh()
        done = self.run(folder, fault=fault)
        what = f"{self.case}: {fault}: {done.status}\n{done.err}"
        assert "Traceback" not in done.err, what
        assert done.status in (0, 1), what
        files = self.check(folder, whole, what, left=False)
        assert self.results(files) in (self.results(whole), self.before), what
        if done.status and fault in ("closed", "device"):
            assert done.err.count("standard output: cannot be written") == 1, what
        shutil.rmtree(folder)
        return done.status != 0

    def twins(self) -> bool:
        """Run it twice at once in one folder; whether one was refused."""
        _, whole = self.undisturbed
        folder = self.fresh()
        first = self.order(folder)
        second = replace(first, logs=f"{first.logs}-second")
        both = self.server.run(first, second)
        what = f"{self.case}: twice at once: {both}"
        assert not any("Traceback" in done.err for done in both), what
        assert {done.status for done in both} <= {0, 1}, what
        assert any(done.status == 0 for done in both), what
        files = self.check(folder, whole, what, left=False)
        if not self.case.once:
            assert self.results(files) == self.results(whole), what
        shutil.rmtree(folder)
        return any(done.status for done in both)

    @staticmethod
    def check_message(done: Done, what: str) -> None:
        """One line says what is wrong."""
        lines = [line for line in done.err.splitlines() if "error: " in line or "Error" in line]
        assert len(lines) == 1, what
        assert re.search(r"[\w.)/-]+: .*\w", lines[0]), what

    def results(self, files: Mapping[str, bytes]) -> dict[str, bytes]:
        """Without what the command keeps on its way."""
        return {name: data for name, data in files.items() if not self._kept(name)}

    def _kept(self, name: str) -> bool:
        if _TEMPORARY.search(name):
            return False
        return any(fnmatch.fnmatch(name, pattern) for pattern in self.case.keeps)

    def check(
        self, folder: Path, whole: Mapping[str, bytes], what: str, *, left: bool
    ) -> dict[str, bytes]:
        """Each file is as before, or as in the whole result; none besides, but for `left`."""
        files = tree(folder)
        for name in set(files) | set(self.before):
            if self._kept(name):
                continue
            allowed = [each[name] for each in (self.before, whole) if name in each]
            if name not in files:
                assert name not in self.before or name not in whole, f"{what}\n{name} is gone"
            elif not allowed:
                temporary = bool(_TEMPORARY.search(name)) or name.endswith(".lock")
                assert temporary, f"{what}\n{name} is left"
                assert left, f"{what}\n{name} is left behind"
            else:
                assert files[name] in allowed, f"{what}\n{name} is torn"
        if not left:
            scratch = sorted(path.name for path in (folder / "tmp").glob("*"))
            assert not [name for name in scratch if "scratch" in name], f"{what}\n{scratch}"
        return files

    def check_again(self, folder: Path, whole: Mapping[str, bytes], what: str) -> None:
        """The same command comes to the whole result, and leaves nothing else."""
        before = self.results(tree(folder))
        done = self.run(folder)
        assert "Traceback" not in done.err, f"{what}\nagain: {done.err}"
        if not self.case.once or not self._complete(before, whole):
            assert done.status == 0, f"{what}\nagain: {done.status} {done.err}"
        files = tree(folder)
        if self.case.once and done.status != 0:
            files = {n: d for n, d in files.items() if n in whole or n.endswith(".lock")}
        assert sorted(files) == sorted(whole), f"{what}\nagain: {sorted(set(files) ^ set(whole))}"
        different = [name for name in whole if files[name] != whole[name]]
        assert not different, f"{what}\nagain: {different} differ"

    def _complete(self, files: Mapping[str, bytes], whole: Mapping[str, bytes]) -> bool:
        return all(files.get(name) == data for name, data in self.results(whole).items())
