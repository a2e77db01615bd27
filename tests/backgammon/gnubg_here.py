"""GNU Backgammon for tests: where it is missing they are skipped, in CI they fail."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from yardstone.backgammon.gnubg import find_clock, find_gnubg
from yardstone.errors import InputError


def real_gnubg(*, clock: bool = False) -> Path:
    """The program, or a skip; with `clock` libfaketime must be there too."""
    reason = None
    try:
        program = find_gnubg()
    except InputError as error:
        reason = str(error)
    if clock and find_clock() is None:
        reason = reason or "libfaketime is not installed (apt-get install faketime)"
    if reason is None:
        return program
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)
