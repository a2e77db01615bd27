"""How many threads torch computes with."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from yardstone.errors import MissingExtraError

__all__ = ["torch_threads"]


@contextlib.contextmanager
def torch_threads(number: int | None) -> Iterator[None]:
    """Let torch use so many threads for a while; as many as before if None.

    Raises
    ------
    MissingExtraError
        There is no torch.
    """
    try:
        import torch
    except ImportError:
        raise MissingExtraError("torch") from None
    before = torch.get_num_threads()
    if number is not None:
        torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)
