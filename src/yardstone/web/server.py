"""The application, and the server as a process of its own."""

from __future__ import annotations

import asyncio
import secrets
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import uvicorn
from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool

import yardstone
from yardstone.choices import words
from yardstone.web import api, pages
from yardstone.web.middleware import Health, Metrics, configured, protect, visitor_mark
from yardstone.web.service import Service
from yardstone.web.settings import Settings, configure_log, networks
from yardstone.web.store import JobStore
from yardstone.web.supervisor import Bell, orders


def make_app(settings: Settings, bell: Bell | None = None) -> FastAPI:
    """The application, for any server of ASGI.

    The `bell` wakes workers of this machine; without it they see new jobs at their next look.
    Raises InputError if the folder cannot be used.
    """
    store = JobStore(settings)
    service = Service(settings, store, bell or Bell())

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        service.changes.start(asyncio.get_running_loop())
        yield
        await run_in_threadpool(service.changes.stop)
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
    app.state.service = service
    app.state.metrics = Metrics()
    look = partial(api.checkup, store)
    app.state.health = Health(settings.data, settings.limits, look, "no_database")
    app.state.may_measure = networks("metrics_from", settings.metrics_from)
    app.include_router(api.router)
    app.include_router(pages.router)
    protect(
        app,
        settings,
        metrics=app.state.metrics,
        client=partial(visitor_mark, secret=secrets.token_bytes(32)),  # counted here alone
        page=pages.problem_page,
        hint="See /api/openapi.json.",
        hosts=words(settings.allowed_hosts),
        body={},
    )
    return app


_FAREWELL = 5


def configuration(settings: Settings, bell: Bell | None = None) -> uvicorn.Config:
    """How uvicorn runs the application."""
    app = make_app(settings, bell)
    return configured(app, settings, farewell=_FAREWELL)


def main() -> int:
    """Serve, as the supervisor orders."""
    servers: list[uvicorn.Server] = []

    def end() -> None:
        for server in servers:
            server.should_exit = True

    given = orders(end, 2.0 * _FAREWELL)
    configure_log()
    settings, bell = Settings.of_plain(given["settings"]), Bell(tuple(given["bell"]))
    servers.append(uvicorn.Server(configuration(settings, bell)))
    servers[0].run(sockets=[socket.socket(fileno=given["socket"])])
    return 0


if __name__ == "__main__":
    sys.exit(main())
