"""What a test needs that not every machine has: where it is missing the test is skipped."""

from __future__ import annotations

import os
import shutil
from typing import NoReturn

import pytest


def missing(what: str, how: str) -> NoReturn:
    """Skip the test: what is missing, and in brackets how to get it. In CI it fails instead."""
    reason = f"{what} ({how})"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def program(*names: str, package: str) -> str:
    for name in names:
        if (path := shutil.which(name)) is not None:
            return path
    missing(f"{names[0]} is not installed", f"apt-get install {package}")
