"""GNU Backgammon for tests: where it is missing they are skipped, in CI they fail."""

from __future__ import annotations

from pathlib import Path

from tests.needed import missing
from yardstone.backgammon.gnubg import find_clock, find_gnubg
from yardstone.errors import InputError


def real_gnubg(*, clock: bool = False) -> Path:
    """The program, or a skip; with `clock` libfaketime must be there too."""
    try:
        program = find_gnubg()
    except InputError:
        missing("GNU Backgammon is not installed", "apt-get install gnubg")
    if clock and find_clock() is None:
        missing("libfaketime is not installed", "apt-get install faketime")
    return program
