"""Make the studies again: ``python -m lab.studies``.

Runs those that are named, or all, in the order that works. A study whose needs are not
there is skipped with a line that says what is missing. What is done is not done again
unless ``--anew`` is said, and a study that was stopped goes on where it keeps its stages.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

from lab.studies.order import ROOT, STUDIES, Study, shared_folder, studies_named

DONE = ROOT / "build" / "studies"


def length(minutes: int) -> str:
    """Such as ``20 min`` or ``4 h``."""
    return f"{minutes} min" if minutes < 100 else f"{minutes / 60:.0f} h"


def is_done(study: Study) -> bool:
    """Whether it has been run to its end here, and what it made is there."""
    made = all((ROOT / path).exists() for path in study.makes)
    return made and (DONE / study.name).exists()


def listing(studies: list[Study], shared: Path) -> str:
    """The studies with what they need: a line each, and one for each need that is missing."""
    width = max(len(study.name) for study in studies)
    lines = []
    for study in studies:
        needs = ", ".join(map(str, study.needs)) or "nothing"
        state = "done" if is_done(study) else ""
        lines.append(f"{study.name:{width}}  {length(study.minutes):>6}  {state:4}  needs {needs}")
        lines += [f"{'':{width}}  {what}" for what in study.missing(shared)]
    return "\n".join(lines)


def run(study: Study, shared: Path) -> str:
    """Run a study; what became of it."""
    if missing := study.missing(shared):
        return f"skipped: {'; '.join(missing)}"
    begun = time.monotonic()
    status = subprocess.run(study.command(shared), cwd=ROOT, check=False).returncode
    if status != 0:
        return f"failed with status {status}"
    DONE.mkdir(parents=True, exist_ok=True)
    (DONE / study.name).touch()
    return f"done in {(time.monotonic() - begun) / 60:.0f} min"


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m lab.studies", description="Make the studies again, in the order that works."
    )
    parser.add_argument("names", nargs="*", metavar="STUDY", help="which ones; by default all")
    parser.add_argument("--list", action="store_true", help="only say what each one needs")
    parser.add_argument("--anew", action="store_true", help="also what is done")
    options = parser.parse_args()
    if unknown := set(options.names) - {study.name for study in STUDIES}:
        known = ", ".join(study.name for study in STUDIES)
        parser.error(f"there is no study {sorted(unknown)[0]}: there are {known}")
    shared, studies = shared_folder(), list(studies_named(options.names))
    if options.list:
        print(listing(studies, shared))
        return
    undone = 0
    for number, study in enumerate(studies, start=1):
        head = f"[{number} of {len(studies)}] {study.name}"
        if is_done(study) and not options.anew:
            print(f"{head}: done before", flush=True)
            continue
        print(f"{head}: about {length(study.minutes)}", flush=True)
        became = run(study, shared)
        print(f"{head}: {became}", flush=True)
        undone += not became.startswith("done")
    if undone:
        sys.exit(f"{undone} of {len(studies)} studies are not done.")


if __name__ == "__main__":
    main()
