"""What every request passes: the count of floods, the clock and the log."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from yardstone.web.log import log_event
from yardstone.web.metrics import Metrics
from yardstone.web.problems import RequestProblem
from yardstone.web.rate_limit import RateLimit

__all__ = ["RequestMonitor"]

#: Where no flood is counted: style sheets, and what proxies and monitors ask.
_UNCOUNTED = ("/static/", "/health", "/metrics")
_LOGGER = logging.getLogger("yardstone.web")


class RequestMonitor:
    """Lets requests in, unless a visitor makes too many, and tells how they were answered.

    Parameters
    ----------
    app : ASGI application
    rate_limit : RateLimit
    metrics : Metrics
    client : callable
        The mark of who makes a request.
    refuse : callable
        The answer to a request with a problem.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        rate_limit: RateLimit,
        metrics: Metrics,
        client: Callable[[Request], str],
        refuse: Callable[[Request, RequestProblem], Response],
    ) -> None:
        self.app = app
        self._rate_limit = rate_limit
        self._metrics = metrics
        self._client = client
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun = time.perf_counter()
        status = 500

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                self._note(scope, status, time.perf_counter() - begun)
            await send(message)

        request = Request(scope)
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        try:
            if not path.startswith(_UNCOUNTED):
                self._rate_limit.check(self._client(request), scope["method"])
        except RequestProblem as problem:
            await self._refuse(request, problem)(scope, receive, noted)
            return
        await self.app(scope, receive, noted)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "none")
        method = scope["method"] if scope["method"] in _METHODS else "other"
        self._metrics.add(method, route, status, seconds)
        log_event(
            _LOGGER,
            "request",
            method=method,
            route=route,
            status=status,
            milliseconds=round(1000.0 * seconds, 1),
        )


_METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH")
