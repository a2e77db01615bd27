"""Reading files of which records are left out."""

from __future__ import annotations

from typing import Any

import pytest

import yardstone
from yardstone.errors import SkippedWarning
from yardstone.pool import Pool


def read_skipping(*paths: Any, **options: Any) -> Pool:
    with pytest.warns(SkippedWarning, match="skipped: "):
        return yardstone.read(*paths, **options)
