"""Tries a command with a fault: it leaves nothing, the whole result, or what it goes on from."""

from __future__ import annotations

import fnmatch
import io
import json
import os
import re
import shutil
import time
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from tests.faults.cases import Case
from tests.faults.victim import CLOCK, Done, Order, Server, set_clock

#: Faults of a real disk: room for some pages only, for some names only, and none to write to.
DISKS = ("small disk", "few names", "locked disk")
#: Bytes that a disk in memory gives at once.
_PAGE = os.sysconf("SC_PAGE_SIZE")
#: Of every case, and nobody's result.
_OURS = "tmp tmp/* cache/matplotlib/* cache/fontconfig/* cache/Microsoft/* matplotlib*".split()
#: A temporary file, which a killed command may leave until the next one.
_TEMPORARY = re.compile(r"(^|/)\..*\.part\d*(\.|$)")
#: How a signal ends the command.
SIGNALS = {"kill": -9, "term": 143, "int": 130}

Files = Mapping[str, bytes]


def tree(folder: Path) -> dict[str, bytes]:
    files = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if not path.is_dir() and not any(fnmatch.fnmatch(name, each) for each in _OURS):
            data = path.read_bytes().replace(str(folder).encode(), b"FOLDER")
            files[name] = data if _TEMPORARY.search(name) else _plain(name, data)
    return files


def _plain(name: str, data: bytes) -> bytes:
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
    if name.endswith((".json", ".jsonl")):
        data = re.sub(rb'"seconds": ?[0-9.e-]+', b'"seconds":0', data)
    if name == "results.jsonl":  # a match per line, in the order in which they end
        return b"\n".join(sorted(data.splitlines()))
    if name.endswith(("epochs.csv", "runs.csv")):
        return b"\n".join(sorted(re.sub(rb"[0-9.e-]+", b"", data).splitlines()))
    return data


@dataclass
class Trial:
    case: Case
    home: Path
    server: Server
    whole: Files = field(default_factory=dict)
    number: int = 0

    @cached_property
    def input(self) -> Path:
        folder = self.home / "input"
        self.case.fill(folder)
        return folder

    @cached_property
    def before(self) -> Files:
        return tree(self.input)

    @cached_property
    def undisturbed(self) -> Done:
        folder = self.fresh()
        done = self.run(folder)
        assert done.status == 0, f"{self.case}: {done.status}\n{done.out}{done.err}"
        self.whole = tree(folder)
        assert self.whole != self.before, f"{self.case}: writes nothing"
        return done

    def fresh(self) -> Path:
        shutil.rmtree(self.home / f"case{self.number}", ignore_errors=True)
        self.number += 1
        folder = self.home / f"case{self.number}"
        # The same names, since reports name files, and times, since stages do.
        shutil.copytree(self.input, folder)
        return folder

    def order(self, folder: Path, fault: str = "", call: int = 0) -> Order:
        logs, clock = str(self.home / f"logs{folder.name}"), str(self.server.clock or "")
        return Order(self.case.words, str(folder), logs, self.case.cache, clock, fault, call)

    def run(self, folder: Path, fault: str = "", call: int = 0) -> Done:
        return self.server.run(self.order(folder, fault, call))[0]

    def fault(self, fault: str, call: int = 0) -> bool:
        """Try a fault of `Order`, of `DISKS`, ``clock between`` or ``twins``: was it noticed?

        The `call` of a disk is what is free on it.
        """
        calls = self.undisturbed.calls
        if fault == "twins":
            return self._twins()
        if fault in DISKS and self.server.disks:
            return self._on_disk(fault, call)
        if fault in DISKS:  # made up where no disk can be mounted
            fault, call = "read-only" if fault == "locked disk" else "full", 1
        folder = self.fresh()
        if fault.startswith("clock"):
            try:
                return self._clock_set_back(folder, fault, call)
            finally:
                set_clock(str(self.server.clock), 0)
        done = self.run(folder, fault, call)
        what = f"{self.case}: {fault} at call {call} of {calls}: {done.status}\n{done.err}"
        if fault in ("full", "read-only", "limit"):
            # Where nothing can be removed any more a temporary file and a lock stay.
            return self._refused(folder, done, what, left=fault == "read-only" and call > 1)
        if fault == "call":  # what cannot be removed stays
            return self._refused(folder, done, what, left=calls[call - 1 : call] == "u")
        files = self.check(folder, what, left=fault == "kill")
        if fault in SIGNALS:
            assert done.status in (0, SIGNALS[fault]), what
            self.check_again(folder, what)
            return done.status != 0
        # A standard stream that takes nothing: files are written whole all the same.
        assert done.status in (0, 1), what
        assert self.results(files) in (self.results(self.whole), self.before), what
        if done.status and fault in ("closed", "device"):
            assert done.err.count("standard output: cannot be written") == 1, what
        return done.status != 0

    def _refused(self, folder: Path, done: Done, what: str, *, left: bool) -> bool:
        files = self.check(folder, what, left=left)
        if done.status == 0:
            # What could not be removed stays until the next command.
            stays = (k for k in files if k.endswith(".lock") or (left and _TEMPORARY.search(k)))
            there = {k: files[k] for k in files.keys() - (set(stays) - self.whole.keys())}
            assert self.results(there) == self.results(self.whole), what
        else:
            lines = [line for line in done.err.splitlines() if re.search("error: |Error", line)]
            assert (done.status, len(lines)) == (1, 1), what
            assert re.search(r"[\w.)/-]+: .*\w", lines[0]), what
        if files != self.before:  # else it is as if nobody had run it
            self.check_again(folder, what)
        return done.status != 0

    def _on_disk(self, fault: str, room: int) -> bool:
        entries = list(self.input.rglob("*"))
        # One for the disk itself, and one for the folder of temporary files.
        names = len(entries) + 2 + (room if fault == "few names" else 1_000)
        pages = sum(-(-path.stat().st_size // _PAGE) for path in entries if path.is_file())
        pages += room if fault == "small disk" else 10_000
        folder, system = self.fresh(), self.server.system
        away = folder.with_name(f"{folder.name}-away")
        size = f"size={max(pages, 1) * _PAGE},nr_inodes={names}"
        system("mount", "-t", "tmpfs", "-o", size, "none", folder)
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
        changed = [data for name, data in self.whole.items() if self.before.get(name) != data]
        return 4 + sum(2 + 2 * len(data) // _PAGE for data in changed)

    def _clock_set_back(self, folder: Path, fault: str, call: int) -> bool:
        """Set the clock back at a moment, or kill it there and go on with the clock set back."""
        # What is written names days: both clocks show the same one.
        ahead = CLOCK if time.localtime().tm_hour < 12 else 0
        times = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
        clock = str(self.server.clock)
        set_clock(clock, ahead)
        done = self.run(folder, "clock" if fault == "clock" else "kill", call)
        what = f"{self.case}: {fault} set back at call {call}: {done.status}\n{done.err}"
        if fault == "clock":
            assert done.status == 0, what
            files = self.check(folder, what, left=False)
            assert self.results(files) == self.results(self.whole), what
            return False
        # Files have the time of the clock by which they were written.
        for path in folder.rglob("*"):
            now = path.stat().st_mtime_ns
            if times.get(path) != now:
                shown = now + CLOCK * 1_000_000_000
                os.utime(path, ns=(shown, shown))
        set_clock(clock, ahead - CLOCK)
        self.check(folder, what, left=True)
        self.check_again(folder, what)
        return done.status != 0

    def _twins(self) -> bool:
        """Run it twice at once in one folder; whether one was refused."""
        folder = self.fresh()
        first = self.order(folder)
        both = self.server.run(first, replace(first, logs=f"{first.logs}-second"))
        what = f"{self.case}: twice at once: {both}"
        assert {0} <= {done.status for done in both} <= {0, 1}, what
        files = self.check(folder, what, left=False)
        if not self.case.once:
            assert self.results(files) == self.results(self.whole), what
        return any(done.status for done in both)

    def results(self, files: Files) -> dict[str, bytes]:
        return {name: data for name, data in files.items() if not self._kept(name)}

    def _kept(self, name: str) -> bool:
        return not _TEMPORARY.search(name) and fnmatch.fnmatch(name, self.case.keeps)

    def check(self, folder: Path, what: str, *, left: bool) -> dict[str, bytes]:
        """Each file is as before, or as in the whole result; none besides, but for `left`."""
        assert "Traceback" not in what, what
        files = tree(folder)
        for name in self.results({**self.before, **files}):
            allowed = [each[name] for each in (self.before, self.whole) if name in each]
            if name not in files:
                assert name not in self.before or name not in self.whole, f"{what}\n{name} is gone"
            elif allowed:
                assert files[name] in allowed, f"{what}\n{name} is torn"
            else:
                temporary = _TEMPORARY.search(name) or name.endswith(".lock")
                assert left and temporary, f"{what}\n{name} is left behind"  # noqa: PT018
        scratch = [] if left else list((folder / "tmp").glob("*scratch*"))
        assert not scratch, f"{what}\n{scratch}"
        return files

    def check_again(self, folder: Path, what: str) -> None:
        before, results = self.results(tree(folder)), self.results(self.whole)
        done = self.run(folder)
        what = f"{what}\nagain: {done.status} {done.err}"
        assert "Traceback" not in what, what
        if not self.case.once or not before.items() >= results.items():
            assert done.status == 0, what
        files = tree(folder)
        if self.case.once and done.status != 0:
            files = {n: d for n, d in files.items() if n in self.whole or n.endswith(".lock")}
        different = [n for n in {**self.whole, **files} if files.get(n) != self.whole.get(n)]
        assert not different, f"{what}\n{different} differ"
