"""Tables of what is refused: a call, its error, and words that it must say."""

from __future__ import annotations

from collections.abc import Callable

import pytest

__all__ = ["refuse"]


def refuse(*rows: tuple[Callable[[], object], type[Exception], str]) -> None:
    for call, error, words in rows:
        with pytest.raises(error, match=words or None):
            print("refused, or this is the row that is not:", words, call())
