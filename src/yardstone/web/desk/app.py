"""The application of a desk, with what holds for each of its requests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.responses import Response
from starlette.middleware.trustedhost import TrustedHostMiddleware
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

import yardstone
from yardstone.web.body_limit import BodyLimit
from yardstone.web.desk import (
    changes,
    draw,
    entries,
    event_settings,
    live,
    outlook,
    public,
    results,
    signing,
)
from yardstone.web.desk.pages import problem_page
from yardstone.web.desk.service import Desk
from yardstone.web.desk.settings import DeskSettings
from yardstone.web.headers import StrictHeaders
from yardstone.web.metrics import Metrics
from yardstone.web.middleware import RequestMonitor
from yardstone.web.pages.problem_page import wants_page
from yardstone.web.problems import RequestProblem
from yardstone.web.rate_limit import RateLimit
from yardstone.web.refusals import add_handlers, plain_answer
from yardstone.web.root_path import RootPath

__all__ = ["make_desk"]

#: Bytes that a form may have: a table of players.
_LARGEST_FORM = 2 << 20
#: Names of this machine; without a password no other is answered, whatever a browser was told
#: about the addresses of other names.
_LOCAL_NAMES = ["127.0.0.1", "localhost"]


def make_desk(settings: DeskSettings) -> FastAPI:
    """The application, for any server of ASGI.

    Raises
    ------
    InputError
        The file is no tournament.
    """
    desk = Desk(settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        watching = asyncio.create_task(live.watch(desk))
        yield
        watching.cancel()
        desk.chances.close()

    app = FastAPI(
        title="Yardstone",
        version=yardstone.__version__,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.service = desk
    for part in (
        public,
        outlook,
        results,
        draw,
        entries,
        changes,
        event_settings,
        signing,
        live,
    ):
        app.include_router(part.router)
    add_handlers(app, _refused, hint="Load the page again.")
    app.add_middleware(
        RequestMonitor,
        rate_limit=RateLimit(settings.limits),
        metrics=Metrics(),
        client=desk.client,
        refuse=_refused,
    )
    app.add_middleware(BodyLimit, most=_LARGEST_FORM, counted=())
    if not settings.guarded:
        app.add_middleware(TrustedHostMiddleware, allowed_hosts=_LOCAL_NAMES)
    app.add_middleware(StrictHeaders)
    app.add_middleware(RootPath, path=settings.root_path)
    trusted = [each.strip() for each in settings.trusted_proxies.split(",") if each.strip()]
    app.add_middleware(ProxyHeadersMiddleware, trusted_hosts=trusted)
    return app


def _refused(request: Request, problem: RequestProblem) -> Response:
    return problem_page(request, problem) if wants_page(request) else plain_answer(problem)
