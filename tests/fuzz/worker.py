"""One target in a process of its own: by coverage, or by mutations, until its time is over.

The folder of the target holds ``corpus/`` (what is worth going on from), ``faults/`` (one
input for each fault, with its traceback beside it), ``cases-WAY.txt`` and, while the
worker is at it, the file that is read just now, so that an input that kills the process is
known afterwards.
"""

from __future__ import annotations

import faulthandler
import hashlib
import random
import resource
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from tests.fuzz.cases import Fault, growth_fault, run_case
from tests.fuzz.mutations import mutants, mutate, repeated
from tests.fuzz.targets import Target, contents, target

#: Reading is slower where it is instrumented.
_SLACK = {"coverage": 5.0, "mutations": 1.0}
#: Seconds on the clock after which a worker that still reads the same input ends itself.
_STUCK = 60
#: Bytes that it may ask the system for.
_MEMORY = 12 << 30
#: The size of the largest input.
_MOST_BYTES = 1 << 16


class Findings:
    """What workers have tried and found for a target, in this way; kept in its folder."""

    def __init__(self, target: Target, folder: Path, way: str) -> None:
        self.target, self.slack = target, _SLACK[way]
        self.faults, self.reading = folder / "faults", folder / "reading" / way
        for each in (self.faults, self.reading, folder / "corpus"):
            each.mkdir(parents=True, exist_ok=True)
        self.count = folder / f"cases-{way}.txt"
        self.before = self.cases = cases(folder.glob(self.count.name))
        # Everything is imported and compiled now, whose time and memory is no input's.
        for data in target.seeds().values():
            run_case(target, data, self.reading, slack=100.0)

    def tried(self, data: bytes, *, grown: bool = False) -> None:
        faulthandler.dump_traceback_later(_STUCK, exit=True)
        if grown:
            fault = growth_fault(self.target, data, self.reading)
        else:
            fault = run_case(self.target, data, self.reading, slack=self.slack)
        faulthandler.cancel_dump_traceback_later()
        self.cases += 1
        self.count.write_text(str(self.cases))
        if fault is not None:
            keep(self.faults, fault, data)


def cases(counts: Iterable[Path]) -> int:
    return sum(int(path.read_text() or 0) for path in counts)


def keep(folder: Path, fault: Fault, data: bytes) -> None:
    path = folder / hashlib.sha256(fault.signature.encode()).hexdigest()[:12]
    if not path.with_suffix(".txt").exists():
        path.with_suffix(".input").write_bytes(data)
        text = f"{fault.signature}\n\n{fault.text}\n"
        path.with_suffix(".txt").write_text(text, errors="backslashreplace")


def work(name: str, folder: Path, way: str, seconds: float) -> None:
    with suppress(ValueError, OSError):  # an input that asks for all memory gets an error
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    {"coverage": _by_coverage, "mutations": _by_mutations}[way](name, folder, seconds)


def _by_mutations(name: str, folder: Path, seconds: float) -> None:
    """Every fifth case is one of growth."""
    here = target(name)
    findings = Findings(here, folder, "mutations")
    short = sorted(contents(folder / "corpus").values(), key=len)[:500]
    seeds = [*here.seeds().values(), *short]
    for data in seeds:
        findings.tried(data)
    rng = random.Random(findings.before)
    changed, long = mutants(seeds, here.words, _MOST_BYTES, rng), repeated(seeds, rng)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        findings.tried(next(changed))
        if rng.random() < 0.2:
            findings.tried(next(long), grown=True)


def _by_coverage(name: str, folder: Path, seconds: float) -> None:
    """Atheris keeps each input that reaches new code in ``corpus/``, and goes on from it."""
    import atheris

    atheris.instrument_imports(include=["yardstone"]).__enter__()
    here = target(name)
    findings = Findings(here, folder, "coverage")
    seeds = here.seeds()
    for seed_name, data in seeds.items():
        (folder / "corpus" / f"seed-{seed_name}").write_bytes(data)
    others = list(seeds.values())

    def changed(data: bytes, most: int, number: int) -> bytes:
        rng = random.Random(number)
        if rng.random() < 0.2:
            return bytes(atheris.Mutate(data, len(data)))[:most] if data else b"0"
        return mutate(data, rng, others, here.words)[:most]

    options = {
        "max_total_time": max(1, int(seconds)),
        "max_len": max(_MOST_BYTES, *map(len, others)),
        "seed": findings.before + 1,
        "timeout": 100_000,  # cases are watched here
        "artifact_prefix": f"{folder}/",
        **dict.fromkeys("len_control rss_limit_mb print_final_stats verbosity reload".split(), 0),
    }
    words = [f"-{option}={value}" for option, value in options.items()]
    words += [str(folder / "corpus")]
    atheris.Setup([sys.argv[0], *words], findings.tried, custom_mutator=changed)
    atheris.Fuzz()  # ends the process
