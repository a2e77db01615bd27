"""Measure commands: processor time, wall time and peak memory of each run."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from statistics import median

#: Runs a command and prints what it took. It is a process of its own since the peak of a
#: child counts from that of the process that started it, and this one is small.
LAUNCHER = """
import os, sys, time
nowhere = os.open(os.devnull, os.O_WRONLY)
started = time.perf_counter()
child = os.posix_spawn(
    sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, nowhere, 1)]
)
_, status, usage = os.wait4(child, 0)
wall = time.perf_counter() - started
print(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, os.waitstatus_to_exitcode(status))
"""

YARDSTONE = Path(sys.executable).parent / "yardstone"


@dataclass(frozen=True)
class Cost:
    """What a run took: seconds of the clock and of the processor, bytes at the peak."""

    wall: float
    cpu: float
    peak: float


def run(command: Sequence[str | Path], variables: Mapping[str, str] | None = None) -> Cost:
    """Run a command to its end; its output is thrown away, an error ends the benchmark.

    `variables` are set in the environment of the command.
    """
    words = [str(part) for part in command]
    launched = subprocess.run(
        [sys.executable, "-I", "-S", "-c", LAUNCHER, *words],
        capture_output=True,
        check=True,
        env={**os.environ, **(variables or {})},
    )
    wall, cpu, peak, status = map(float, launched.stdout.split())
    if status != 0:
        text = launched.stderr.decode(errors="replace").strip()
        sys.exit(f"{' '.join(words)}\nexit status {status:.0f}: {text}")
    return Cost(wall, cpu, peak * (1 if sys.platform == "darwin" else 1024))


def in_turn(commands: dict[str, Sequence[str | Path]], rounds: int) -> dict[str, Cost]:
    """Run the commands A B A B ..., so that both meet the same weather; medians."""
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            costs[name].append(run(command))
    return {
        name: Cost(
            *(median(getattr(cost, part) for cost in runs) for part in ("wall", "cpu", "peak"))
        )
        for name, runs in costs.items()
    }


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]], *, names: int = 0) -> str:
    """Return a table in Markdown; the first columns are names, the rest numbers."""
    rule = ["---"] * names + ["---:"] * (len(head) - names)
    return "\n".join(f"| {' | '.join(line)} |" for line in chain((head, rule), rows))


def print_table(head: Sequence[str], rows: Iterable[Sequence[str]], *, names: int = 0) -> None:
    """Print a table in Markdown, each row as soon as it is there; the first columns are names."""
    rule = ["---"] * names + ["---:"] * (len(head) - names)
    for line in chain((head, rule), rows):
        print(f"| {' | '.join(line)} |", flush=True)


def machine() -> str:
    """The processor, the cores and the versions, in a line."""
    model = "unknown processor"
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    python = ".".join(map(str, sys.version_info[:3]))
    return f"{model}, {os.cpu_count()} cores, Python {python}"
