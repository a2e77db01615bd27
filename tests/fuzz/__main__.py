"""``python -m tests.fuzz``: fuzz for a while, or replay an input that was found.

A target has a process of its own, and a folder: ``corpus/`` (what is worth going on from),
``faults/`` (one input for each fault, with its traceback beside it), ``cases-WAY.txt`` and
the file that is read just now, so that an input that kills the process is known afterwards.
"""

from __future__ import annotations

import argparse
import faulthandler
import hashlib
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from tests.fuzz import cases
from tests.fuzz.mutations import mutants, mutate, repeated

#: Of the time of a target, by each way; by mutations alone where there is no atheris, or less
#: than `_LEAST` seconds: to make a target ready for coverage takes most of that.
_WAYS = {"coverage": 0.75, "mutations": 0.25}
_LEAST = 20.0
#: Reading is slower where it is instrumented.
_SLACK = {"coverage": 5.0, "mutations": 1.0}
#: Workers of a target that may die before it is left.
_DEATHS = 20
#: Seconds on the clock after which a worker that still reads the same input ends itself.
_STUCK = 60
#: Bytes that it may ask the system for, and of the largest input.
_MEMORY = 12 << 30
_MOST_BYTES = 1 << 16


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    actions = parser.add_subparsers(dest="action", required=True)
    run = actions.add_parser("run", help="fuzz all targets, or some")
    run.add_argument("targets", nargs="*", help="by default all; part of a name will do")
    run.add_argument("--seconds", type=float, default=3600.0, help="for all together")
    run.add_argument("--folder", type=Path, default=cases.ROOT / "fuzz-findings")
    run.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="targets at a time")
    again = actions.add_parser("replay", help="read a file again, and write the smallest like it")
    again.add_argument("target")
    again.add_argument("file", type=Path)
    worker = actions.add_parser("work", help="fuzz one target in this process")
    for name, kind in (("target", str), ("folder", Path), ("way", str), ("seconds", float)):
        worker.add_argument(name, type=kind)
    options = parser.parse_args()
    if options.action == "work":
        return work(options.target, options.folder, options.way, options.seconds)
    if options.action == "replay":
        return _replay(options.target, options.file)
    names = [name for name in cases.targets() if any(e in name for e in options.targets or [""])]
    return campaign(names, options.folder, options.seconds, options.jobs)


def campaign(names: Sequence[str], folder: Path, seconds: float, jobs: int) -> int:
    time_of_each = seconds * jobs / len(names)
    by_coverage = time_of_each >= _LEAST and find_spec("atheris") is not None

    def one(name: str) -> tuple[int, ...]:
        # Coverage would go on from what is damaged already.
        ways = _WAYS if by_coverage and not cases.target(name).ways else {"mutations": 1.0}
        home = folder / name
        home.mkdir(parents=True, exist_ok=True)
        for way, share in ways.items():
            fuzz(name, home, way, share * time_of_each)
        tried = sum(int(path.read_text() or 0) for path in home.glob("cases-*.txt"))
        kept = [path for path in home.glob("corpus/*") if not path.name.startswith("seed-")]
        line = tried, len(kept), len(list(home.glob("faults/*.txt")))
        print(f"{name}: {tried:,} cases, {line[2]} faults", file=sys.stderr, flush=True)
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
                command, cwd=cases.ROOT, stdout=output, stderr=subprocess.STDOUT, env=alone
            ).returncode
        if status == 0:
            return
        last = log.read_text(errors="replace")[-6000:]
        (folder / "faults").mkdir(exist_ok=True)
        fault = cases.Fault(f"{way}: the process ended with status {status}", last)
        read = [path.read_bytes() for path in (folder / "reading" / way).glob("input*")]
        for data in read or [b""]:  # it may end before it reads anything
            keep(folder / "faults", fault, data)
        if time.monotonic() > end:
            return


def _replay(name: str, path: Path) -> int:
    here, data = cases.target(name), path.read_bytes()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fault = cases.run_case(here, data, folder) or cases.growth_fault(here, data, folder)
        if fault is None:
            print("no fault")
            return 0
        print(f"{fault.signature}\n\n{fault.text}")
        small = cases.smaller(here, data, folder)
    Path(f"{path}.small").write_bytes(small)
    print(f"{len(small)} bytes of {len(data)}: {path}.small")
    return 1


class Findings:
    """What workers have tried and found for a target, in this way; kept in its folder."""

    def __init__(self, target: cases.Target, folder: Path, way: str) -> None:
        self.target, self.slack = target, _SLACK[way]
        self.faults, self.reading = folder / "faults", folder / "reading" / way
        for each in (self.faults, self.reading, folder / "corpus"):
            each.mkdir(parents=True, exist_ok=True)
        self.count = folder / f"cases-{way}.txt"
        self.before = self.cases = int(self.count.read_text() or 0) if self.count.exists() else 0
        self.seeds = target.seeds()
        # Everything is imported and compiled now, whose time and memory is no input's.
        for data in self.seeds.values():
            cases.run_case(target, data, self.reading, slack=100.0)

    def tried(self, data: bytes, *, grown: bool = False) -> None:
        faulthandler.dump_traceback_later(_STUCK, exit=True)
        given = self.target, data, self.reading
        fault = cases.growth_fault(*given) if grown else cases.run_case(*given, slack=self.slack)
        faulthandler.cancel_dump_traceback_later()
        self.cases += 1
        self.count.write_text(str(self.cases))
        if fault is not None:
            keep(self.faults, fault, data)


def keep(folder: Path, fault: cases.Fault, data: bytes) -> None:
    path = folder / hashlib.sha256(fault.signature.encode()).hexdigest()[:12]
    if not path.with_suffix(".txt").exists():
        path.with_suffix(".input").write_bytes(data)
        text = f"{fault.signature}\n\n{fault.text}\n"
        path.with_suffix(".txt").write_text(text, errors="backslashreplace")


def work(name: str, folder: Path, way: str, seconds: float) -> int:
    if "ASAN_OPTIONS" not in os.environ:  # the sanitizer takes room for all addresses
        with suppress(ValueError, OSError):  # an input that asks for all memory gets an error
            resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    (_by_coverage if way == "coverage" else _by_mutations)(name, folder, seconds)
    return 0


def _by_mutations(name: str, folder: Path, seconds: float) -> None:
    """Every fifth case is one of growth."""
    here = cases.target(name)
    findings = Findings(here, folder, "mutations")
    short = sorted(cases.contents(folder / "corpus").values(), key=len)[:500]
    seeds = [*findings.seeds.values(), *short]
    for data in seeds:
        findings.tried(data)
    rng = random.Random(findings.before)
    changed = mutants(seeds, here.words, _MOST_BYTES, rng, here.ways)
    long = repeated(seeds, rng)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        findings.tried(next(changed))
        if not here.ways and rng.random() < 0.2:
            findings.tried(next(long), grown=True)


def _by_coverage(name: str, folder: Path, seconds: float) -> None:
    """Atheris keeps each input that reaches new code in ``corpus/``, and goes on from it."""
    import atheris

    atheris.instrument_imports(include=["yardstone"]).__enter__()
    here = cases.target(name)
    findings = Findings(here, folder, "coverage")
    for seed_name, data in findings.seeds.items():
        (folder / "corpus" / f"seed-{seed_name}").write_bytes(data)
    others = list(findings.seeds.values())

    def changed(data: bytes, most: int, number: int) -> bytes:
        rng = random.Random(number)
        if rng.random() < 0.2:
            return bytes(atheris.Mutate(data, len(data)))[:most] if data else b"0"
        return mutate(data, rng, others, here.words)[:most]

    none = "len_control rss_limit_mb print_final_stats verbosity reload".split()
    longest = max(_MOST_BYTES, *map(len, others))
    words = [f"max_total_time={max(1, int(seconds))}", f"max_len={longest}"]
    words += [f"seed={findings.before + 1}", f"artifact_prefix={folder}/"]
    words += ["timeout=100000", *(f"{each}=0" for each in none)]  # cases are watched here
    words = [sys.argv[0], *(f"-{word}" for word in words), str(folder / "corpus")]
    atheris.Setup(words, findings.tried, custom_mutator=changed)
    atheris.Fuzz()  # ends the process


if __name__ == "__main__":
    sys.exit(main())
