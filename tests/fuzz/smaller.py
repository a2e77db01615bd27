"""The smallest input that still shows a fault."""

from __future__ import annotations

import time
from pathlib import Path

from tests.fuzz.cases import run_case
from tests.fuzz.targets import Target

__all__ = ["smaller"]


def smaller(target: Target, data: bytes, folder: Path, seconds: float = 20.0) -> bytes:
    """Cut pieces out of an input as long as its fault stays the same."""
    fault = run_case(target, data, folder)
    if fault is None or fault.signature in ("time", "memory", "growth"):
        return data
    end = time.monotonic() + seconds
    size = len(data) // 2
    while size:
        place = 0
        while place < len(data) and time.monotonic() < end:
            shorter = data[:place] + data[place + size :]
            now = run_case(target, shorter, folder)
            if now is not None and now.signature == fault.signature:
                data = shorter
            else:
                place += size
        size //= 2
    return data
