"""Seconds of processor that each command takes on a small input, from start to end.

    python -m benchmarks.startup [--runs 5] [--source OTHER/src]

The minimum of some runs (user and system together), each in a new process. `--source` is
the `src` folder of another version, whose figures then stand beside.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent / "src"
EXAMPLES = HERE / "yardstone" / "examples"

COMMANDS = (
    "--help",
    "rate --help",
    "rate league.csv",
    "rate league.csv -o {out}/list.svg -o {out}/list.html",
    "rate tcec.pgn.gz",
    "match 30 20 10",
    "history league.csv",
    "predict Jonny\N{NO-BREAK SPACE}8.1 Fizbo\N{NO-BREAK SPACE}2 league.csv",
    "evaluate league.csv",
    "convert league.csv -o {out}/league.json",
    "convert professional.sgf -o {out}/games.csv",
    "tournament standings open.xml",
    "tournament ratings open.xml",
    "winprob 2d 4d",
    "handicap 5k 2d",
)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=5)
    options.add_argument("--source", type=Path, action="append", default=[])
    given = options.parse_args()
    sources = [*given.source, HERE]
    print("| command | " + " | ".join(str(source) for source in sources) + " |")
    print("|---|" + "--:|" * len(sources))
    for command in COMMANDS:
        seconds = [f"{fastest(command, source, given.runs):.2f}" for source in sources]
        shown = command.replace("{out}/", "").replace("\N{NO-BREAK SPACE}", " ")
        print(f"| `{shown}` | " + " | ".join(seconds) + " |", flush=True)


def fastest(command: str, source: Path, runs: int) -> float:
    """Fewest seconds of processor that a command took."""
    return min(spent(command, source) for _ in range(runs))


def spent(command: str, source: Path) -> float:
    """Seconds of processor of one run."""
    from tempfile import TemporaryDirectory

    environment = {**os.environ, "PYTHONPATH": str(source)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # it compiles all modules each time
    with TemporaryDirectory() as out:
        words = [word.replace("\N{NO-BREAK SPACE}", " ") for word in command.split(" ")]
        arguments = [word.replace("{out}", out) for word in words]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-m", "yardstone", *arguments],
            cwd=EXAMPLES,
            env=environment,
            capture_output=True,
            check=True,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


if __name__ == "__main__":
    main()
