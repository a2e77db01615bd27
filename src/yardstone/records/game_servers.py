"""The servers of Go whose public games can be fetched."""

from __future__ import annotations

from collections.abc import Iterable

from yardstone.errors import UsageError

__all__ = ["GAME_SERVERS", "check_importers"]

#: Names of servers, with their titles.
GAME_SERVERS = {"ogs": "OGS (online-go.com)"}
_NO_INTERFACE = {"fox", "foxwq", "tygem", "kgs"}


def check_importers(names: Iterable[str]) -> None:
    """Refuse servers of which games cannot be fetched.

    Raises
    ------
    UsageError
        One is unknown, or has no public interface.
    """
    for name in names:
        if name in _NO_INTERFACE:
            raise UsageError(
                f"{name}: Yardstone knows no stable public interface of this server; "
                "save the games as SGF there, and give the files"
            )
        if name not in GAME_SERVERS:
            raise UsageError(f"no server is called {name!r}: there is {', '.join(GAME_SERVERS)}")
