"""One target in a process of its own: by coverage, or by mutations, until its time is over.

The folder of the target holds ``corpus/`` (what is worth going on from), ``faults/`` (one
input for each fault, with its traceback beside it), ``stats-WAY.json`` and, while the
worker is at it, the file that is read just now, so that an input that kills the process is
known afterwards.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.fuzz.cases import Fault, run_case
from tests.fuzz.growth import growth_fault, repeated
from tests.fuzz.mutations import Plan, mutant, mutate, plans
from tests.fuzz.targets import Target, target

__all__ = ["Findings", "work"]

#: Reading is slower where it is instrumented.
_SLACK = 5.0
_MEMORY = 12 << 30


class Findings:
    """What one worker has tried and found; kept in its folder."""

    def __init__(self, target: Target, folder: Path, way: str, slack: float) -> None:
        self.target, self.folder, self.way, self.slack = target, folder, way, slack
        self.cases = 0
        self.seconds = 0.0
        self._begin = time.monotonic()
        self._written = 0.0
        self._known = {path.stem for path in (folder / "faults").glob("*.txt")}
        self._reading = folder / "reading" / way
        self._reading.mkdir(parents=True, exist_ok=True)
        (folder / "faults").mkdir(exist_ok=True)

    def warm_up(self) -> None:
        """Have everything imported and compiled, whose time and memory is no input's."""
        for data in self.target.seeds().values():
            run_case(self.target, data, self._reading, slack=100.0)

    def tried(self, data: bytes) -> None:
        """Read one input and keep it if that shows a new fault."""
        self.note(run_case(self.target, data, self._reading, slack=self.slack), data)

    def grown(self, data: bytes) -> None:
        """Read a long input and the beginning of it."""
        self.note(growth_fault(self.target, data, self._reading), data)

    def note(self, fault: Fault | None, data: bytes) -> None:
        """Count a case, and keep the input of a new fault."""
        self.cases += 1
        if fault is not None:
            name = hashlib.sha256(fault.signature.encode()).hexdigest()[:12]
            if name not in self._known:
                self._known.add(name)
                (self.folder / "faults" / f"{name}.input").write_bytes(data)
                (self.folder / "faults" / f"{name}.txt").write_text(
                    f"{fault.signature}\n\n{fault.text}\n", errors="backslashreplace"
                )
        if time.monotonic() - self._written > 1:
            self.write()

    def write(self) -> None:
        """Write down how far it is."""
        self._written = time.monotonic()
        stats = {"cases": self.cases, "seconds": round(self._written - self._begin, 1)}
        (self.folder / f"stats-{self.way}.json").write_text(json.dumps(stats))


def work(name: str, folder: Path, way: str, seconds: float, seed: int) -> None:
    """Fuzz one target for some seconds.

    Args:
        name: The target.
        folder: Where its findings are.
        way: {"coverage", "mutations"}.
        seed: Where chance begins.
    """
    _bounded_memory()
    if way == "coverage":
        _by_coverage(name, folder, seconds, seed)
    else:
        _by_mutations(name, folder, seconds, seed)


def _by_mutations(name: str, folder: Path, seconds: float, seed: int) -> None:
    """Hypothesis chooses seeds and steps; every fifth case is one of growth."""
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import seed as seeded

    here = target(name)
    findings = Findings(here, folder, "mutations", 1.0)
    findings.warm_up()
    seeds = [*here.seeds().values(), *_corpus(folder)]
    for data in seeds:
        findings.tried(data)
    rng = random.Random(seed)
    long = repeated(seeds, rng)
    end = time.monotonic() + seconds

    @seeded(seed)
    @settings(
        max_examples=10**9,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(plans(len(seeds)))
    def all_the_time(plan: Plan) -> None:
        if time.monotonic() > end:
            raise _Over
        findings.tried(mutant(plan, seeds, here.words, here.most_bytes))
        if rng.random() < 0.2:
            findings.grown(next(long))

    with suppress(_Over):
        all_the_time()
    findings.write()


class _Over(BaseException):
    """The time is over."""


def _by_coverage(name: str, folder: Path, seconds: float, seed: int) -> None:
    """Atheris keeps each input that reaches new code in ``corpus/``, and goes on from it."""
    import atheris

    atheris.instrument_imports(include=["yardstone"]).__enter__()
    _loops_as_they_stand()
    here = target(name)
    findings = Findings(here, folder, "coverage", _SLACK)
    findings.warm_up()
    (folder / "corpus").mkdir(exist_ok=True)
    seeds = here.seeds()
    for seed_name, data in seeds.items():
        (folder / "corpus" / f"seed-{seed_name}").write_bytes(data)
    others = list(seeds.values())

    def changed(data: bytes, most: int, number: int) -> bytes:
        rng = random.Random(number)
        if rng.random() < 0.2:
            return bytes(atheris.Mutate(data, len(data)))[:most] if data else b"0"
        return mutate(data, rng, others, here.words)[:most]

    def one(data: bytes) -> None:
        findings.tried(data)

    arguments = [
        sys.argv[0],
        f"-max_total_time={max(1, int(seconds))}",
        f"-max_len={max(here.most_bytes, *map(len, others))}",
        f"-seed={seed + 1}",
        "-len_control=0",
        "-timeout=100000",  # cases are watched here and by the campaign
        f"-artifact_prefix={folder}/",
        "-rss_limit_mb=0",
        "-print_final_stats=0",
        "-verbosity=0",
        "-reload=0",
        str(folder / "corpus"),
    ]
    atheris.Setup(arguments, one, custom_mutator=changed)
    atheris.Fuzz()  # ends the process


def _loops_as_they_stand() -> None:
    """Run kernels as plain Python: instrumented code cannot be compiled."""
    from yardstone.kernels import ways

    def machine(kernel: ways.Kernel) -> Callable[..., Any]:
        import numpy as np

        def run(*arguments: Any) -> Any:
            with np.errstate(all="ignore"):
                return ways._plain_value(kernel.plain(*arguments))

        return run

    ways.Kernel.machine = property(machine)  # type: ignore[assignment]


def _corpus(folder: Path) -> list[bytes]:
    """What earlier runs found worth going on from, the short ones first."""
    files = sorted((folder / "corpus").glob("*"), key=lambda path: (path.stat().st_size, path.name))
    return [path.read_bytes() for path in files[:500]]


def _bounded_memory() -> None:
    """An input that asks for all memory gets an error, and other processes none."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    except (ImportError, ValueError, OSError):
        pass
