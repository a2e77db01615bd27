"""``python -m tests.fuzz``: fuzz for a while, or replay an input that was found."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

from tests.fuzz.cases import Fault, growth_fault, run_case, smaller
from tests.fuzz.targets import ROOT, target, targets
from tests.fuzz.worker import cases, keep, work

#: Of the time of a target, by each way; by mutations alone where there is no atheris, or less
#: than `_LEAST` seconds: to make a target ready for coverage takes most of that.
_WAYS = {"coverage": 0.75, "mutations": 0.25}
_LEAST = 20.0
#: Workers of a target that may die before it is left.
_DEATHS = 20


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    actions = parser.add_subparsers(dest="action", required=True)
    run = actions.add_parser("run", help="fuzz all targets, or some")
    run.add_argument("targets", nargs="*", help="by default all; part of a name will do")
    run.add_argument("--seconds", type=float, default=3600.0, help="for all together")
    run.add_argument("--folder", type=Path, default=ROOT / "fuzz-findings")
    run.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="targets at a time")
    again = actions.add_parser("replay", help="read a file again, and write the smallest like it")
    again.add_argument("target")
    again.add_argument("file", type=Path)
    worker = actions.add_parser("work", help="fuzz one target in this process")
    for name, kind in (("target", str), ("folder", Path), ("way", str), ("seconds", float)):
        worker.add_argument(name, type=kind)
    options = parser.parse_args()
    if options.action == "work":
        work(options.target, options.folder, options.way, options.seconds)
        return 0
    if options.action == "replay":
        return _replay(options.target, options.file)
    wanted = options.targets or [""]
    names = [name for name in targets() if any(part in name for part in wanted)]
    return campaign(names, options.folder, options.seconds, options.jobs)


def campaign(names: Sequence[str], folder: Path, seconds: float, jobs: int) -> int:
    time_of_each = seconds * jobs / len(names)
    by_coverage = time_of_each >= _LEAST and find_spec("atheris") is not None
    ways = _WAYS if by_coverage else {"mutations": 1.0}

    def one(name: str) -> tuple[int, ...]:
        home = folder / name
        home.mkdir(parents=True, exist_ok=True)
        for way, share in ways.items():
            fuzz(name, home, way, share * time_of_each)
        kept = [path for path in home.glob("corpus/*") if not path.name.startswith("seed-")]
        line = cases(home.glob("cases-*.txt")), len(kept), len(list(home.glob("faults/*.txt")))
        print(f"{name}: {line[0]:,} cases, {line[2]} faults", file=sys.stderr, flush=True)
        return line

    with ThreadPoolExecutor(jobs) as pool:
        lines = dict(zip(names, pool.map(one, names), strict=True))
    total = [sum(column) for column in zip(*lines.values(), strict=True)]
    print("| target | cases | kept | faults left |\n|---|---:|---:|---:|")
    for name, counts in {**lines, "**together**": total}.items():
        print(f"| {name} | {' | '.join(f'{count:,}' for count in counts)} |")
    return int(total[2] > 0)


def fuzz(name: str, folder: Path, way: str, seconds: float) -> None:
    """Run workers until the time is over; one that dies or hangs leaves its input as a fault."""
    end = time.monotonic() + seconds
    log = folder / f"log-{way}.txt"
    for _ in range(_DEATHS):
        left = f"{max(1.0, end - time.monotonic()):.0f}"
        command = [sys.executable, "-m", "tests.fuzz", "work", name, str(folder), way, left]
        alone = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        with log.open("wb") as output:
            status = subprocess.run(
                command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT, env=alone, check=False
            ).returncode
        if status == 0:
            return
        last = log.read_text(errors="replace")[-6000:]
        for path in (folder / "reading" / way).glob("input*"):
            (folder / "faults").mkdir(exist_ok=True)
            fault = Fault(f"{way}: the process ended with status {status}", last)
            keep(folder / "faults", fault, path.read_bytes())
        if time.monotonic() > end:
            return


def _replay(name: str, path: Path) -> int:
    here, data = target(name), path.read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        fault = run_case(here, data, Path(folder)) or growth_fault(here, data, Path(folder))
        if fault is None:
            print("no fault")
            return 0
        print(f"{fault.signature}\n\n{fault.text}")
        small = smaller(here, data, Path(folder))
    Path(f"{path}.small").write_bytes(small)
    print(f"{len(small)} bytes of {len(data)}: {path}.small")
    return 1


if __name__ == "__main__":
    sys.exit(main())
