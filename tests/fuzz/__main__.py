"""``python -m tests.fuzz``: fuzz for a while; replay an input that was found.

::

    python -m tests.fuzz [run] [TARGET ...] [--seconds 3600] [--folder fuzz-findings] [--jobs 2]
    python -m tests.fuzz replay TARGET FILE
    python -m tests.fuzz list
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from tests.fuzz.campaign import ROOT, campaign, table
from tests.fuzz.cases import run_case
from tests.fuzz.growth import growth_fault
from tests.fuzz.smaller import smaller
from tests.fuzz.targets import target, targets
from tests.fuzz.worker import work


def main(arguments: list[str]) -> int:
    """Do what is asked; 1 if there are faults."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.set_defaults(what="run")
    first = arguments[0] if arguments else "run"
    if first in ("work", "replay", "list"):
        return {"work": _work, "replay": _replay, "list": _list}[first](arguments[1:])
    parser.add_argument("targets", nargs="*", help="by default all; part of a name will do")
    parser.add_argument("--seconds", type=float, default=3600.0, help="for all together")
    parser.add_argument("--folder", type=Path, default=ROOT / "fuzz-findings")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args(arguments[1:] if first == "run" else arguments)
    wanted = options.targets
    names = [name for name in targets() if not wanted or any(part in name for part in wanted)]
    lines = campaign(names, options.folder, options.seconds, options.jobs)
    print(table(lines))
    return int(any(line.faults for line in lines))


def _work(arguments: list[str]) -> int:
    name, folder, way, seconds, seed = arguments
    work(name, Path(folder), way, float(seconds), int(seed))
    return 0


def _replay(arguments: list[str]) -> int:
    """Read a file once more; where it still shows a fault, write the smallest such input."""
    name, path = arguments
    here, data = target(name), Path(path).read_bytes()
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


def _list(arguments: list[str]) -> int:
    for name, each in targets().items():
        print(f"{name}: {len(each.seeds())} examples")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
