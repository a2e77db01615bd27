"""Kills, interrupts and refuses every command at many moments: `python -m tests.faults`.

Prints a table of what was tried and survived, and the cases that failed. Each moment at which
a command makes, renames or removes a file can be met: before it, just after it and while the
file is written. With the same seed the same moments are tried.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.faults.cases import CASES, Case
from tests.faults.trial import Trial
from tests.faults.victim import Server
from yardstone.backgammon.gnubg import find_gnubg
from yardstone.errors import YardstoneError

SIGNALS = ("kill", "term", "int")
REFUSALS = ("full", "read-only", "limit")
STREAMS = ("closed", "device", "pipe", "deaf")


def main() -> int:
    """Try, and print the table; 1 if something did not survive."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("words", nargs="*", help="only the cases that contain one of these")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--each", type=int, default=4, help="trials of each fault of a case")
    parser.add_argument("--minutes", type=float, default=60.0, help="begin no case after these")
    options = parser.parse_args()
    done: dict[str, Counter[str]] = {}
    survived: dict[str, Counter[str]] = {}
    failures = []
    end = time.monotonic() + 60.0 * options.minutes
    with Server() as server, tempfile.TemporaryDirectory() as home:
        for number, case in enumerate(_chosen(options.words)):
            if time.monotonic() > end:
                break
            trial = Trial(case, Path(home) / str(number), server)
            for fault, moment, later in _plan(case, trial, options.seed, options.each):
                done.setdefault(case.command, Counter())[fault] += 1
                try:
                    trial.fault(fault, moment, later)
                except AssertionError as error:
                    failures.append(str(error))
                    print(f"FAILED {error}", file=sys.stderr, flush=True)
                else:
                    survived.setdefault(case.command, Counter())[fault] += 1
    columns = (*SIGNALS, *REFUSALS, "streams", "twins")
    print(f"| command | {' | '.join(columns)} |\n| --- |{' --: |' * len(columns)}")
    for command, tried in done.items():
        good = survived.get(command, Counter())
        cells = [_cell(good, tried, name) for name in (*SIGNALS, *REFUSALS)]
        cells += [_cell(good, tried, *STREAMS), _cell(good, tried, "twins")]
        print(f"| {command} | {' | '.join(cells)} |")
    print(
        f"all: {sum(c.total() for c in survived.values())} of "
        f"{sum(c.total() for c in done.values())} survived",
        file=sys.stderr,
    )
    return 1 if failures else 0


def _cell(good: Counter[str], tried: Counter[str], *names: str) -> str:
    """Survived of tried."""
    number = sum(tried[name] for name in names)
    return f"{sum(good[name] for name in names)} of {number}" if number else ""


def _chosen(words: list[str]) -> list[Case]:
    cases = [case for case in CASES if not words or any(word in str(case) for word in words)]
    try:
        find_gnubg()
    except YardstoneError:
        cases = [case for case in cases if not case.gnubg]
    return cases


def _plan(case: Case, trial: Trial, seed: int, each: int) -> list[tuple[str, int, int]]:
    """What to try, and when."""
    moments = trial.undisturbed[0].moments
    chance = random.Random(f"{seed} {case}")
    each = max(1, each // 4) if case.heavy else each
    plan = [
        (fault, chance.randint(1, moments), chance.choice((0, 0, 1, 3, 8, 20)))
        for fault in SIGNALS
        for _ in range(each)
    ]
    plan += [(fault, chance.randint(1, moments), 0) for fault in REFUSALS[:2] for _ in range(each)]
    plan += [("limit", chance.randint(0, 4000), 0) for _ in range(each)]
    if not case.heavy:
        plan += [(fault, 0, 0) for fault in (*STREAMS, "twins")]
    return plan


if __name__ == "__main__":
    sys.exit(main())
