"""The command `yardstone`."""

from __future__ import annotations

_quiet = False


def be_quiet(quiet: bool) -> None:
    """From now on say on standard error only what must be said, or again what is usual."""
    global _quiet
    _quiet = quiet


def talks() -> bool:
    """Return whether this command says on standard error what it does."""
    return not _quiet
