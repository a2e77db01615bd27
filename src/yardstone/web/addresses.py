"""Private addresses of jobs and batches."""

from __future__ import annotations

import hashlib
import secrets

from yardstone.web.problems import missing

__all__ = ["check_address", "mark_of", "new_id"]

#: Random bytes of an address.
_BYTES = 18


def new_id() -> str:
    """A new private address of 144 random bits."""
    return secrets.token_urlsafe(_BYTES)


def mark_of(address: str) -> str:
    """What is remembered of an address that expired; it cannot be turned back."""
    return hashlib.sha256(b"expired:" + address.encode()).hexdigest()


def check_address(address: str) -> str:
    """An address, if it can be one: PostgreSQL takes no text with a zero in it.

    Raises
    ------
    RequestProblem
        There is nothing at it.
    """
    if "\0" in address:
        raise missing()
    return address
