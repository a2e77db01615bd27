"""How the two commands with switches of their own run: options, refusals, exit status."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Sequence
from typing import TypeVar

from yardstone.cli.ordo.options import Refused
from yardstone.errors import UsageError, YardstoneError

__all__ = ["exit_status", "parsed"]

Options = TypeVar("Options")


def exit_status(run: Callable[[Sequence[str]], None], arguments: Sequence[str]) -> int:
    """Run a command: 0, or 1 after its refusal or error went to standard error."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    try:
        run(arguments)
    except Refused as refusal:
        if str(refusal):
            sys.stderr.write(f"{refusal}\n")
        return 1
    except YardstoneError as error:
        sys.stderr.write(f"yardstone: error: {error}\n")
        return 1
    return 0


def parsed(read: Callable[[Sequence[str]], Options], arguments: Sequence[str]) -> Options:
    """The options; wrong ones are refused in the words of the original."""
    try:
        return read(arguments)
    except UsageError:
        sys.stdout.write("Error in parameters\n")
        raise Refused("") from None
