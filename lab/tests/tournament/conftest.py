"""Simulated tournaments of tests are small: starting processes takes longer than playing them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from yardstone import parallel


@pytest.fixture(autouse=True)
def one_process() -> Iterator[None]:
    with parallel.context(workers=1):
        yield
