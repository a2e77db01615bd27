"""The application: pages and interface, with everything that holds for each request."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from ipaddress import ip_address, ip_network
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

import yardstone
from yardstone.web import api, pages
from yardstone.web.bell import Bell
from yardstone.web.body_limit import BodyLimit
from yardstone.web.headers import StrictHeaders
from yardstone.web.metrics import Metrics
from yardstone.web.middleware import RequestMonitor
from yardstone.web.problems import RequestProblem
from yardstone.web.rate_limit import RateLimit
from yardstone.web.root_path import RootPath
from yardstone.web.service import Service
from yardstone.web.settings import Settings
from yardstone.web.store import JobStore

__all__ = ["make_app"]

_LOGGER = logging.getLogger("yardstone.web")
_WORDS = {
    400: ("unreadable", "The request cannot be read.", "See /api/openapi.json."),
    404: ("not_found", "There is nothing at this address.", "Check it."),
    413: ("too_large", "The body is too long.", "Send less."),
    405: ("not_allowed", "That cannot be done at this address.", "See /api/openapi.json."),
}


def make_app(settings: Settings, bell: Bell | None = None) -> FastAPI:
    """The application, for any server of ASGI.

    Parameters
    ----------
    settings : Settings
    bell : Bell, optional
        Wakes workers of this machine; without it they see new jobs at their next look.

    Raises
    ------
    InputError
        The folder cannot be used.
    """
    store = JobStore(settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        store.close()

    app = FastAPI(
        title="Yardstone",
        version=yardstone.__version__,
        summary="How strong am I? Strength from games of Go, ratings from results, "
        "error rates of backgammon.",
        openapi_url="/api/openapi.json",
        docs_url=None,  # those pages load scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.service = Service(settings, store, bell or Bell())
    app.state.metrics = Metrics()
    app.state.may_measure = _among(settings.metrics_from)
    app.include_router(api.router)
    app.include_router(pages.router)
    _add_handlers(app)
    _add_layers(app, settings)
    return app


def _add_layers(app: FastAPI, settings: Settings) -> None:
    """What every request passes, the last one added first."""
    app.add_middleware(
        RequestMonitor,
        rate_limit=RateLimit(settings.limits),
        metrics=app.state.metrics,
        client=app.state.service.client,
        refuse=_refused,
    )
    app.add_middleware(BodyLimit)
    hosts = [host.strip() for host in settings.allowed_hosts.split(",") if host.strip()]
    if hosts:
        app.add_middleware(TrustedHostMiddleware, allowed_hosts=hosts)
    app.add_middleware(StrictHeaders)
    app.add_middleware(RootPath, path=settings.root_path)
    trusted = [each.strip() for each in settings.trusted_proxies.split(",") if each.strip()]
    app.add_middleware(ProxyHeadersMiddleware, trusted_hosts=trusted)


def _add_handlers(app: FastAPI) -> None:
    """How errors are told."""

    async def refuse(request: Request, error: Exception) -> Response:
        return _refused(request, _problem_of(error))

    for kind in (
        RequestProblem,
        RequestValidationError,
        HTTPException,
        sqlite3.Error,
        OSError,
        ClientDisconnect,
        Exception,
    ):
        app.add_exception_handler(kind, refuse)


def _problem_of(error: Exception) -> RequestProblem:
    """Any error as a refusal."""
    if isinstance(error, RequestProblem):
        return error
    if isinstance(error, RequestValidationError):
        first: dict[str, Any] = dict(error.errors()[0])
        place = ".".join(str(each) for each in first["loc"][1:]) or "the body"
        return RequestProblem(422, "invalid", f"{place}: {first['msg']}.", "See /api/openapi.json.")
    if isinstance(error, HTTPException):
        code, message, hint = _WORDS.get(
            error.status_code, ("refused", "That cannot be done.", "See /api/openapi.json.")
        )
        return RequestProblem(error.status_code, code, message, hint)
    if isinstance(error, ClientDisconnect):
        return RequestProblem(400, "broken_off", "The request broke off.", "Send it again.")
    _LOGGER.error("an answer failed", exc_info=error)
    if isinstance(error, (sqlite3.Error, OSError)):
        return RequestProblem(
            503, "storage", "The server cannot store anything at the moment.", "Try again later.",
            retry_after=30,
        )  # fmt: skip
    return RequestProblem(500, "internal", "Something went wrong here.", "Try again later.")


def _refused(request: Request, problem: RequestProblem) -> Response:
    if pages.wants_page(request):
        return pages.problem_page(request, problem)
    headers = {} if problem.retry_after is None else {"Retry-After": str(problem.retry_after)}
    return JSONResponse({"error": problem.as_dict()}, problem.status, headers=headers)


def _among(networks: str) -> Callable[[Request], bool]:
    """Whether a request comes from one of some networks."""
    known = [ip_network(each.strip(), strict=False) for each in networks.split(",") if each.strip()]

    def among(request: Request) -> bool:
        try:
            address = ip_address(request.client.host if request.client is not None else "")
        except ValueError:
            return False
        return any(address in network for network in known)

    return among
