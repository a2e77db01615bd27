"""Where the shared data for tests are: large or foreign files outside the repository."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from tests.needed import missing


def shared_folder() -> Path:
    beside = Path(__file__).resolve().parents[2] / "shared"
    return Path(os.environ.get("YARDSTONE_SHARED") or beside)


def shared_or_made(name: str, made: Callable[[], bytes], folder: Path) -> Path:
    """The shared file, or where there is none one of our own with the same things in it."""
    path = shared_folder() / name
    if not path.exists():
        path = folder / Path(name).name
        path.write_bytes(made())
    return path


def shared_path(name: str) -> Path:
    """The file or folder, or a skip that says what is missing (in CI: a failure)."""
    path = shared_folder() / name
    if not path.exists():
        missing("shared data not found", f"{name}; YARDSTONE_SHARED names the folder")
    return path
