"""What holds for every test."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent
#: Caches in the project's folder.
MADE_BY_TOOLS = {
    "demo-output",
    ".pytest_cache",
    ".hypothesis",
    ".mypy_cache",
    ".ruff_cache",
    "__pycache__",
}

# A compiled kernel's first call takes seconds, so no example has a deadline.
settings.register_profile("local", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile(
    "ci", parent=settings.get_profile("local"), derandomize=True, print_blob=True
)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "local")


@pytest.fixture(autouse=True)
def _nothing_left_behind() -> Iterator[None]:
    """A test writes into its own temporary folder, never into the project's."""
    before = set(ROOT.iterdir())
    yield
    left = {path.name for path in set(ROOT.iterdir()) - before} - MADE_BY_TOOLS
    assert not left, f"the test left files behind: {sorted(left)}"
