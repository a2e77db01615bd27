"""``python -m tests.siege``: attack what is promised, and print a line for each attack.

Parts are ``bombs``, ``hall`` and ``loss``; any other word picks the bombs that have it in their
name or their reader's.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.cases import ROOT
from tests.siege import bombs, hall, loss
from tests.siege.bombs import Bomb
from tests.web.postgres import Postgres

#: What was seen last, a line of JSON each; a later run goes on from it.
SEEN = ROOT / "build" / "siege.jsonl"
PARTS = ("bombs", "hall", "loss")

Note = dict[str, Any]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.siege", description=__doc__)
    parser.add_argument("names", nargs="*", help="parts, or words of bombs; all by default")
    parser.add_argument("--minutes", type=float, default=30.0, help="begin nothing after them")
    options = parser.parse_args()
    words = [name for name in options.names if name not in PARTS]
    parts = [name for name in PARTS if name in options.names]
    parts = parts or (["bombs"] if words else [*PARTS])
    seen = {_key(note): note for note in _read(SEEN)}
    kept = True
    SEEN.parent.mkdir(exist_ok=True)
    # Those that were seen least recently come first, so that a later run goes on from this one.
    order = {key: number for number, key in enumerate(seen)}
    chosen = [(_key({"part": "bombs", "reader": reader, "bomb": bomb.file}), reader, bomb)
              for reader, bomb in bombs.every(words)]  # fmt: skip
    chosen.sort(key=lambda each: order.get(each[0], -1))
    laid = [(reader, bomb) for _, reader, bomb in chosen] if "bombs" in parts else []
    for note in _notes(parts, laid, time.monotonic() + 60 * options.minutes):
        seen.pop(_key(note), None)
        seen[_key(note)] = note
        kept &= note["kept"]
        print(" | ".join(str(value) for value in note.values()), flush=True)
        SEEN.write_text("".join(json.dumps(each) + "\n" for each in seen.values()), "utf-8")
    return int(not kept)


def _key(note: Note) -> tuple[str, ...]:
    return tuple(str(note.get(name)) for name in ("part", "reader", "bomb", "load", "what"))


class _Durable(Postgres):
    """A PostgreSQL that a loss of power does not harm."""

    def __init__(self) -> None:
        super().__init__(durable=True)

    close = Postgres.remove


def _notes(parts: Sequence[str], laid: Sequence[tuple[str, Bomb]], end: float) -> Iterator[Note]:
    """What each attack came to; the two that are timed first, bombs as long as there is time."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if "hall" in parts:
            yield from ({"part": "hall", **row} for row in hall.measure(folder))
        if "loss" in parts:
            for name in ("desk", "server", "postgres"):
                (folder / name).mkdir()
            yield {"part": "loss", **loss.at_the_desk(folder / "desk", 60.0)}
            yield {"part": "loss", **loss.at_the_server(folder / "server", 60.0)}
            with suppress(pytest.skip.Exception), closing(_Durable()) as postgres:
                yield {
                    "part": "loss", **loss.at_the_server(folder / "postgres", 60.0, postgres)
                }  # fmt: skip
        for number, (reader, bomb) in enumerate(laid):
            if time.monotonic() < end:
                yield _note(reader, bomb, folder / f"bomb{number}")
                subprocess.run(
                    ["rm", "-rf", folder / f"bomb{number}"], check=True
                )  # deep ones, too


def _note(reader: str, bomb: Bomb, folder: Path) -> Note:
    done = bombs.burst(bomb, folder, shutil.which("strace"))
    faults = done.faults(bomb.says)
    line = done.line.replace(f"{folder}/case/files/", "")
    return {
        "part": "bombs", "reader": reader, "bomb": bomb.file, "status": done.status,
        "seconds": round(done.seconds, 1), "MB": round(done.megabytes), "line": line[:200],
        "faults": faults, "kept": not faults,
    }  # fmt: skip


def _read(file: Path) -> list[Note]:
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


if __name__ == "__main__":
    sys.exit(main())
