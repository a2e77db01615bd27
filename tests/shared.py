"""Where the shared data for tests are: large or foreign files outside the repository."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

#: The folder, unless YARDSTONE_SHARED names another.
DEFAULT = Path(__file__).resolve().parents[2] / "shared"


def shared_path(name: str) -> Path:
    """The file or folder, or a skip that says what is missing (in CI: a failure)."""
    path = Path(os.environ.get("YARDSTONE_SHARED", DEFAULT)) / name
    if not path.exists():
        reason = f"shared data {name} not found: set YARDSTONE_SHARED to the folder that holds it"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return path
