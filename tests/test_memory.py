from __future__ import annotations

from pathlib import Path

import pytest

from yardstone import memory
from yardstone.errors import UsageError


@pytest.mark.parametrize("text", ["", "two", "2XB", "-1GB", "5MB", "nan", "1e9"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--memory"):
        memory.bytes_of(text)


def test_a_container_may_use_less_than_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(memory, "_LIMITS", (limit, tmp_path / "absent"))
    limit.write_text("max\n")
    assert memory.usable_memory() > 600_000_000
    limit.write_text("600000000\n")
    assert memory.usable_memory() == 300_000_000
    assert memory.working_memory("2GB") == 2_000_000_000
