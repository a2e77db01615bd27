"""Serving under a path of a proxy, whether the proxy takes it off or not."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["RootPath"]


class RootPath:
    """Tells the application under which path it stands.

    Parameters
    ----------
    app : ASGI application
    path : str
        Such as ``/strength``; '' for none.
    """

    def __init__(self, app: ASGIApp, *, path: str) -> None:
        self.app = app
        self._path = path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "http" and self._path:
            path = scope["path"]
            if path != self._path and not path.startswith(self._path + "/"):
                path = self._path + path
            scope = {**scope, "root_path": self._path, "path": path}
        await self.app(scope, receive, send)
