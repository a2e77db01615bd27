"""Refuses long bodies where only short ones are expected."""

from __future__ import annotations

from collections.abc import Collection

from fastapi import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from yardstone.web.kinds import KINDS

__all__ = ["BodyLimit"]

#: Bytes of a body that is no form with files.
SMALL = 64 << 10
#: Where forms with files are sent, which count what they receive themselves.
FORMS = {"/api/jobs", "/api/batches", "/send", *(kind.path for kind in KINDS.values())}


class BodyLimit:
    """Counts the bytes of bodies that nothing else counts.

    Parameters
    ----------
    app : ASGI application
    most : int
        Bytes that a body may have.
    counted : collection of str
        Paths where forms are sent that are counted elsewhere.
    """

    def __init__(
        self, app: ASGIApp, *, most: int = SMALL, counted: Collection[str] = frozenset(FORMS)
    ) -> None:
        self.app = app
        self._most = most
        self._elsewhere = counted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        path = scope.get("path", "").removeprefix(scope.get("root_path", ""))
        if scope["type"] != "http" or (scope["method"] == "POST" and path in self._elsewhere):
            await self.app(scope, receive, send)
            return
        received = 0

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self._most:
                raise HTTPException(413)
            return message

        await self.app(scope, counted, send)
