"""What a process knows of its place: its cores, whether it is a worker, files that it was sent."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

__all__ = ["available_cores", "enter", "inside", "local_path"]

_far = False
_copies: Mapping[str, Path] = {}


def available_cores() -> int:
    """Number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def enter(copies: Mapping[str, Path]) -> None:
    """Be a worker of Ray from now on; `copies` are files of the machine that asked."""
    global _far, _copies
    _far, _copies = True, copies


def inside() -> bool:
    """Whether this process is a worker, which may not have workers of its own."""
    # Another thread may be in the middle of importing it: then this is no worker of it.
    module = sys.modules.get("multiprocessing.process")
    current = getattr(module, "current_process", None)
    return _far or (current is not None and bool(current().daemon))


def local_path(path: str | os.PathLike[str]) -> Path:
    """Where a file that was given as one of the `files` of `map` lies on this machine.

    Anywhere but in a worker on another machine that is the path itself.
    """
    return _copies.get(os.fspath(path), Path(path))
