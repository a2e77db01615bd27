"""The facade offers what it names."""

from __future__ import annotations

import pytest

from yardstone import tournament


def test_every_public_name_is_there() -> None:
    assert tournament.__all__ == sorted(tournament.__all__)
    for name in tournament.__all__:
        assert getattr(tournament, name).__name__ == name
    with pytest.raises(AttributeError, match="no attribute 'no_such_name'"):
        _ = tournament.no_such_name
