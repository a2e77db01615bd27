"""How much memory there is to work in, and sizes of memory as users write them."""

from __future__ import annotations

import re
from pathlib import Path

from yardstone.errors import UsageError

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?", re.IGNORECASE)
_UNITS = {"": 1, "k": 1000, "m": 1000**2, "g": 1000**3, "t": 1000**4}
#: Less than this is no room to read anything in.
LEAST = 100_000_000
#: Where the limits of a container stand (control groups of both kinds).
_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def bytes_of(text: str, option: str = "--memory") -> int:
    """A size of memory such as ``2GB`` or ``500MB``; UsageError, with the option's name, if none.

    Examples:
        >>> bytes_of("2GB"), bytes_of("1.5g"), bytes_of("500 MB")
        (2000000000, 1500000000, 500000000)
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"{option} {text[:40]}: a size of memory is wanted, such as 2GB or 500MB")
    size = int(float(match[1]) * _UNITS[match[2].lower()])
    if size < LEAST:
        raise UsageError(f"{option} {text[:40]}: nothing can be done in less than 100MB")
    return size


def usable_memory() -> int:
    """Half of what the machine has, or its container may use, in bytes."""
    import psutil

    whole = int(psutil.virtual_memory().total)
    for path in _LIMITS:
        try:
            text = path.read_text().strip()
        except OSError:
            continue
        if text.isdigit():
            whole = min(whole, int(text))
    return max(whole // 2, LEAST)


def working_memory(text: str | None) -> int:
    """The memory that a user gives, in bytes, or else `usable_memory`."""
    return usable_memory() if text is None else bytes_of(text)


def memory_of(process: int) -> int:
    """Bytes of memory that a process takes; 0 where the system does not tell."""
    import psutil

    try:
        return int(psutil.Process(process).memory_info().rss)
    except psutil.Error:
        return 0
