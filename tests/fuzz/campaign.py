"""All targets in turn, some at once: each in a process of its own, watched over, then a table."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.targets import FUZZ

__all__ = ["Line", "campaign", "table"]

ROOT = FUZZ.parent.parent
#: An input that is read so long, on the clock, is ended with its process.
_STUCK = 60.0
#: Of the time of a target, by mutations without coverage, and for growth.
_WITHOUT_COVERAGE = 0.25


@dataclass(frozen=True)
class Line:
    """What was tried and found for one target, in all runs with this folder.

    Attributes:
        cases: Inputs read.
        kept: New entries of its corpus: inputs that reached something new.
        faults: Faults that differ.
    """

    target: str
    cases: int
    kept: int
    faults: int


def campaign(
    names: Sequence[str], folder: Path, seconds: float, jobs: int, *, quiet: bool = False
) -> list[Line]:
    """Fuzz these targets; `seconds` is for all of them together, `jobs` at a time.

    Findings go to `folder`, a folder for each target; what is there already is gone on from.
    """
    share = seconds * jobs / len(names)
    by_coverage = importlib.util.find_spec("atheris") is not None
    ways = (
        {"coverage": share * (1 - _WITHOUT_COVERAGE), "mutations": share * _WITHOUT_COVERAGE}
        if by_coverage
        else {"mutations": share}
    )

    def one(name: str) -> Line:
        for way, time_of_it in ways.items():
            _watched(name, folder / name, way, time_of_it)
        line = _line(name, folder / name)
        if not quiet:
            print(f"{line.target}: {line.cases:,} cases, {line.faults} faults", flush=True)
        return line

    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(one, names))


def table(lines: Sequence[Line]) -> str:
    """The table of a campaign in Markdown."""
    rows = [f"| {line.target} | {line.cases:,} | {line.kept:,} | {line.faults} |" for line in lines]
    rows.append(
        f"| **together** | {sum(line.cases for line in lines):,} "
        f"| {sum(line.kept for line in lines):,} | {sum(line.faults for line in lines)} |"
    )
    return "\n".join(["| target | cases | kept | faults left |", "|---|---:|---:|---:|", *rows])


def _watched(name: str, folder: Path, way: str, seconds: float) -> None:
    """Run workers until the time is over; one that dies or hangs leaves its input as a fault."""
    end = time.monotonic() + seconds
    stats = folder / f"stats-{way}.json"
    folder.mkdir(parents=True, exist_ok=True)
    before = _stats(stats)
    runs = before.get("runs", 0)
    total = {"cases": before.get("cases", 0), "seconds": before.get("seconds", 0.0)}
    deaths = 0
    while (left := end - time.monotonic()) > 0 and deaths < 20:
        stats.unlink(missing_ok=True)
        log = folder / f"log-{way}.txt"
        with log.open("wb") as output:
            worker = subprocess.Popen(
                [
                    *(sys.executable, "-m", "tests.fuzz", "work", name, str(folder), way),
                    *(str(max(1, round(left))), str(runs)),
                ],
                cwd=ROOT,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            )
            status = _wait(worker, folder / "reading" / way, left)
        runs += 1
        now = _stats(stats)
        total = {what: total[what] + now.get(what, 0) for what in total}
        if status != 0:
            deaths += 1
            _keep_killer(folder, way, status, log)
    stats.write_text(json.dumps({**total, "runs": runs}))


def _wait(worker: subprocess.Popen[bytes], reading: Path, seconds: float) -> int:
    """Its exit status; a worker that reads one file for too long is killed."""
    end = time.monotonic() + seconds + _STUCK
    while (status := worker.poll()) is None:
        time.sleep(0.2)
        since = max((path.stat().st_mtime for path in reading.glob("input*")), default=None)
        reads = 0.0 if since is None else time.time() - since
        over = time.monotonic() > end
        if reads > _STUCK or over:
            worker.kill()
            worker.wait()
            return 0 if over and reads < _STUCK / 4 else -signal.SIGKILL
    return status


def _keep_killer(folder: Path, way: str, status: int, log: Path) -> None:
    """The input that a worker was reading when it died."""
    name = f"killed-{way}-{-status if status < 0 else status}"
    last = log.read_text(errors="replace")[-6000:]
    for path in (folder / "reading" / way).glob("input*"):
        (folder / "faults").mkdir(exist_ok=True)
        (folder / "faults" / f"{name}.input").write_bytes(path.read_bytes())
        (folder / "faults" / f"{name}.txt").write_text(f"the process ended: {status}\n\n{last}")


def _stats(path: Path) -> dict[str, float]:
    try:
        stats: dict[str, float] = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return stats


def _line(name: str, folder: Path) -> Line:
    cases = sum(int(_stats(path).get("cases", 0)) for path in folder.glob("stats-*.json"))
    kept = [path for path in (folder / "corpus").glob("*") if not path.name.startswith("seed-")]
    return Line(name, cases, len(kept), len(list((folder / "faults").glob("*.txt"))))
