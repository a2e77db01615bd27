"""How much memory may be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from yardstone import memory
from yardstone.errors import UsageError


def test_sizes_and_what_a_container_may_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for text in ("", "two", "2XB", "-1GB", "5MB", "nan", "1e9"):
        with pytest.raises(UsageError, match="--memory"):
            memory.bytes_of(text)
    assert memory.working_memory("2GB") == 2_000_000_000
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(memory, "_LIMITS", (limit, tmp_path / "absent"))
    limit.write_text("max\n")
    assert memory.usable_memory() > 600_000_000
    limit.write_text("600000000\n")
    assert memory.usable_memory() == 300_000_000
