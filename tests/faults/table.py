"""Prints the table of what `make faults` tried (docs/studies/faults-tables.md)."""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path


def table(notes: str, minutes: float) -> str:
    """A row for each fault, of lines of a command, a tab and a fault."""
    trials = defaultdict[str, list[str]](list)
    for line in notes.splitlines():
        command, fault = line.split("\t")
        trials[fault].append(command)
    rows = [(fault, len(set(each)), len(each)) for fault, each in trials.items()]
    rows.sort(key=lambda row: (-row[2], row[0]))
    every = [command for each in trials.values() for command in each]
    rows.append(("all", len(set(every)), len(every)))
    lines = ["| fault | commands | trials survived |", "| --- | ---: | ---: |"]
    lines += [f"| {fault} | {commands} | {number:,} |" for fault, commands, number in rows]
    day = datetime.now(UTC)
    made = f"`make faults`, {day.day} {day:%B %Y}, {os.cpu_count()} cores, {minutes:.0f} minutes."
    return "\n".join([*lines, "", made, ""])


if __name__ == "__main__":
    path = Path(sys.argv[1])
    start = path.with_suffix(".start").stat().st_mtime
    print(table(path.read_text("utf-8"), (path.stat().st_mtime - start) / 60), end="")
