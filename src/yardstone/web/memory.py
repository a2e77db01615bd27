"""How much memory a process takes."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["memory_of"]


def memory_of(process: int) -> int:
    """Bytes of memory that a process takes; 0 where the system does not tell."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
