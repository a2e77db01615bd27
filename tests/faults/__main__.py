"""Kills, interrupts and refuses every command at many moments: `python -m tests.faults`.

Writes a table of what was tried and survived, and the cases that failed. Each moment at which
a command makes, renames or removes a file can be met: before it, just after it and while the
file is written. With the same seed the same moments are tried. With a C compiler each call of
the system that changes a file fails once: all of them, up to `MOST_CALLS` of a case. Where the
machine allows it, as root or in a user's own namespace, commands also run on disks that are
really full or read-only.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shlex
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import date
from pathlib import Path
from queue import SimpleQueue

from tests.faults.cases import CASES, Case
from tests.faults.trial import DISKS, Trial
from tests.faults.victim import Server, shim
from yardstone.backgammon.gnubg import find_clock, find_gnubg
from yardstone.errors import YardstoneError

SIGNALS = ("kill", "term", "int")
REFUSALS = ("full", "read-only", "limit")
STREAMS = ("closed", "device", "pipe", "deaf")
CLOCKS = ("clock", "clock between")
#: Columns of the table, and the faults that each counts.
COLUMNS = {
    **{name: (name,) for name in (*SIGNALS, *REFUSALS, "call")},
    "full disk": ("small disk", "few names"),
    "read-only disk": ("locked disk",),
    "clock": CLOCKS,
    "streams": STREAMS,
    "twins": ("twins",),
}
#: Calls of a case that fail, one at a time; of more, as many, spread over all.
MOST_CALLS = 60
#: Of each command, what was tried and what survived.
Counts = dict[str, Counter[str]]


def main() -> int:
    """Try, and write the table; 1 if something did not survive."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("words", nargs="*", help="only the cases that contain one of these")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--each", type=int, default=1, help="trials of each fault of a case")
    parser.add_argument("--minutes", type=float, default=20.0, help="begin no case after these")
    parser.add_argument("--faults", default="", help="only the faults of these columns: a,b,c")
    parser.add_argument("--table", type=Path, help="write the table there, not to the terminal")
    parser.add_argument("--log", type=Path, help="keep each trial there, and try none of it again")
    options = parser.parse_args()
    log = _Log(options.log)
    end = time.monotonic() + 60.0 * options.minutes
    clock = find_clock()
    wanted = [name for name in options.faults.split(",") if name]
    servers: SimpleQueue[tuple[Server, Server]] = SimpleQueue()
    workers = os.cpu_count() or 1

    def try_case(number: int, case: Case) -> None:
        if time.monotonic() > end:
            return
        server, timed = servers.get()
        trial = Trial(case, Path(home) / str(number), server)
        try:
            for fault, moment, later in _plan(case, trial, options, clock=clock is not None):
                if not wanted or _column(fault) in wanted:
                    trial.server = timed if fault in CLOCKS else server
                    log.tried(case, fault, moment, later, trial)
        finally:
            servers.put((server, timed))

    with ExitStack() as stack:
        home = stack.enter_context(tempfile.TemporaryDirectory())
        for _ in range(workers):
            made = Server(), Server(clock)
            servers.put(made)
            for server in made:
                stack.enter_context(server)
        if not made[0].disks:
            print("no disks can be mounted here: full and read-only ones are made up only",
                  file=sys.stderr)  # fmt: skip
        if clock is None:
            print("libfaketime is not installed: no clock is set back", file=sys.stderr)
        if shim() is None:
            print("there is no C compiler: no single call fails", file=sys.stderr)
        chosen = _chosen(options.words)
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(try_case, range(len(chosen)), chosen))
    text = _table(log, f"python -m tests.faults {shlex.join(sys.argv[1:])}".strip())
    if options.table is None:
        print(text, end="")
    else:
        options.table.write_text(text, encoding="utf-8")
    print(f"all: {log.total(log.survived)} of {log.total(log.done)} survived", file=sys.stderr)
    return 1 if log.total(log.survived) < log.total(log.done) else 0


class _Log:
    """What was tried, and what survived; in a file if one is named."""

    def __init__(self, path: Path | None) -> None:
        self.done: Counts = {}
        self.survived: Counts = {}
        self._path = path
        self._lock = threading.Lock()
        self._known: set[str] = set()
        if path is not None and path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                trial, survived = json.loads(line)
                self._count(trial, survived=survived)

    def _count(self, trial: list[str | int], *, survived: bool) -> None:
        self._known.add(json.dumps(trial))
        command, fault = str(trial[0]), str(trial[2])
        self.done.setdefault(command, Counter())[fault] += 1
        self.survived.setdefault(command, Counter())[fault] += survived

    def tried(self, case: Case, fault: str, moment: int, later: int, trial: Trial) -> None:
        """Try it, unless that was done."""
        facts: list[str | int] = [case.command, str(case), fault, moment, later]
        if json.dumps(facts) in self._known and self._path is not None:
            return
        try:
            trial.fault(fault, moment, later)
        except AssertionError as error:
            survived = False
            print(f"FAILED {error}", file=sys.stderr, flush=True)
        else:
            survived = True
        with self._lock:
            self._count(facts, survived=survived)
            if self._path is not None:
                with self._path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([facts, survived]) + "\n")

    @staticmethod
    def total(counts: Counts) -> int:
        """All of them."""
        return sum(each.total() for each in counts.values())


def _table(log: _Log, command: str) -> str:
    """The numbers, survived of tried, by command in the order of the cases."""
    lines = [f"| command | {' | '.join(COLUMNS)} |", f"| --- |{' --: |' * len(COLUMNS)}"]
    for name in dict.fromkeys(case.command for case in CASES):
        if name in log.done:
            cells = [_cell(log.survived[name], log.done[name], *each) for each in COLUMNS.values()]
            lines.append(f"| {name} | {' | '.join(cells)} |")
    good, tried = (sum(counts.values(), Counter()) for counts in (log.survived, log.done))
    cells = [_cell(good, tried, *each) for each in COLUMNS.values()]
    lines.append(f"| all | {' | '.join(cells)} |")
    seen = f"{date.today():%Y-%m-%d}, {os.cpu_count()} cores"
    return "\n".join([*lines, "", f"`{command}`, {seen}.", ""])


def _cell(good: Counter[str], tried: Counter[str], *names: str) -> str:
    """Survived of tried."""
    number = sum(tried[name] for name in names)
    return f"{sum(good[name] for name in names)} of {number}" if number else ""


def _column(fault: str) -> str:
    return next(column for column, faults in COLUMNS.items() if fault in faults)


def _chosen(words: list[str]) -> list[Case]:
    cases = [case for case in CASES if not words or any(word in str(case) for word in words)]
    try:
        find_gnubg()
    except YardstoneError:
        cases = [case for case in cases if not case.gnubg]
    return cases


def _plan(
    case: Case, trial: Trial, options: argparse.Namespace, *, clock: bool
) -> list[tuple[str, int, int]]:
    """What to try, and when."""
    moments = trial.undisturbed[0].moments
    chance = random.Random(f"{options.seed} {case}")
    each = max(1, options.each // 4) if case.heavy else options.each
    delays = (0, 0, 1, 3, 8, 20)
    plan = [
        (fault, chance.randint(1, moments), chance.choice(delays))
        for fault in SIGNALS
        for _ in range(each)
    ]
    plan += [(fault, chance.randint(1, moments), 0) for fault in REFUSALS[:2] for _ in range(each)]
    plan += [("limit", chance.randint(0, 4000), 0) for _ in range(each)]
    plan += [("call", number, 0) for number in failing(trial.undisturbed[0].calls, case)]
    plan += [(fault, 0, 0) for fault in (*STREAMS, "twins")]
    if trial.server.disks:
        small, few, locked = DISKS
        rooms = (0, 1, chance.randint(2, 8), *_spread(chance, trial.most_pages(), each))
        plan += [(small, room, 0) for room in sorted(set(rooms))[: 2 * each]]
        plan += [(few, chance.randint(0, 3), 0), (locked, 0, 0)]
    if clock:
        plan += [("clock", chance.randint(1, moments), 0)]
        if case.resumed:
            plan += [
                ("clock between", chance.randint(1, moments), chance.choice(delays))
                for _ in range(each)
            ]
    return plan


def failing(calls: str, case: Case) -> list[int]:
    """Return the calls to fail, from 1 on: all, or some of them spread over all."""
    most = MOST_CALLS // 10 if case.heavy else MOST_CALLS
    return sorted({1 + i * len(calls) // most for i in range(most)}) if calls else []


def _spread(chance: random.Random, most: int, each: int) -> list[int]:
    """Numbers of pages up to the most that are needed."""
    return [chance.randint(0, most) for _ in range(each)]


if __name__ == "__main__":
    sys.exit(main())
