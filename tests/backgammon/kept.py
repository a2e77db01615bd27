"""Analyses of the example, kept: what can be said of them is tried without GNU Backgammon too.

With the program the tests analyse anew. The file is the ledger of ``yardstone backgammon analyse``
in a folder with `write_matches`.
"""

from __future__ import annotations

import gzip
from pathlib import Path

from yardstone.backgammon.gnubg import find_gnubg
from yardstone.errors import InputError
from yardstone.examples import example

KEPT = Path(__file__).parent / "data" / "analyses.jsonl.gz"
#: The version that made them.
VERSION = "1.07.001 20230103"


def write_matches(folder: Path) -> None:
    """Two matches and a broken one."""
    text = example("backgammon.mat").read_text()
    (folder / "one.mat").write_text(text)
    (folder / "two.mat").write_text(text.replace("Ann", "Eva").replace("2024.05.31", "2024.06.30"))
    (folder / "broken.mat").write_text("hello")


def program_and_ledger(folder: Path) -> tuple[Path, Path]:
    """GNU Backgammon and a ledger that is not there yet.

    Without it: a program that can only say its version, and the ledger with all it would find.
    """
    ledger = folder / "ledger.jsonl"
    try:
        return find_gnubg(), ledger
    except InputError:
        ledger.write_bytes(gzip.decompress(KEPT.read_bytes()))
    program = folder / "gnubg"
    program.write_text(f"#!/bin/sh\necho 'GNU Backgammon {VERSION}'\n")
    program.chmod(0o755)
    return program, ledger
