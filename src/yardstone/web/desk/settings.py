"""What the desk of a tournament may be told."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, replace
from pathlib import Path

from yardstone.errors import UsageError
from yardstone.web.settings import Limits

__all__ = ["DeskSettings", "is_local", "made_password"]

#: Letters and digits that nobody takes for another one, read aloud or from a wall.
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
_SHORTEST = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskSettings:
    """How a desk is served.

    Attributes
    ----------
    file : Path
        The tournament.
    host, port : str, int
        Where it listens; port 0 takes a free one.
    password : str
        Of the helpers; empty where everybody who reaches the desk is one.
    register : Path or None
        A federation's list of players, to enter players from.
    title : str
        On every page; the tournament's name if empty.
    footer : str
        On every page (`yardstone.web.site`).
    root_path, public_url, trusted_proxies : str
        As `yardstone.web.settings.Settings` has them.
    limits : Limits
        Of these, requests a minute and streams count.
    """

    file: Path
    host: str = "127.0.0.1"
    port: int = 8000
    password: str = ""
    register: Path | None = None
    title: str = ""
    footer: str = ""
    root_path: str = ""
    public_url: str = ""
    trusted_proxies: str = "127.0.0.1,::1"
    limits: Limits = field(
        default_factory=lambda: Limits(
            requests_minute=1200, posts_minute=600, streams=600, streams_client=60
        )
    )

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65535:
            raise UsageError(f"port {self.port}: give 0 to 65535")
        if self.password and len(self.password) < _SHORTEST:
            raise UsageError(f"the password needs {_SHORTEST} characters or more")

    @property
    def guarded(self) -> bool:
        """Whether changes need the password."""
        return bool(self.password)

    def with_title(self, name: str) -> DeskSettings:
        """The same with a name for a title where none was given."""
        return self if self.title else replace(self, title=name or "Tournament")

    def with_password(self) -> DeskSettings:
        """The same with a password at random where others can reach it and none was given."""
        open_to_others = not is_local(self.host) or self.public_url or self.root_path
        if self.password or not open_to_others:
            return self
        return replace(self, password=made_password())


def is_local(host: str) -> bool:
    """Whether only this machine reaches what listens there."""
    return host == "localhost" or host.startswith("127.")


def made_password() -> str:
    """A password at random, of 49 bits: ``k7fw-m3qd-9x``.

    Examples
    --------
    >>> len(made_password())
    12
    """
    parts = ["".join(secrets.choice(_LETTERS) for _ in range(size)) for size in (4, 4, 2)]
    return "-".join(parts)
