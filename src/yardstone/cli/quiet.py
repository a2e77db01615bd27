"""Whether this command says on standard error what it does: a quiet one says only what it must."""

from __future__ import annotations

_quiet = False


def be_quiet(quiet: bool) -> None:
    """Say nothing from now on, or what is usual."""
    global _quiet
    _quiet = quiet


def talks() -> bool:
    """Return whether it does."""
    return not _quiet
