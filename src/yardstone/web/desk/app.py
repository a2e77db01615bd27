"""The application of a desk: its settings, what holds for each of its requests, its server."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType

import uvicorn
from fastapi import FastAPI

import yardstone
from yardstone.errors import UsageError
from yardstone.web.desk import helpers, pages, rounds
from yardstone.web.desk.service import EVERY_HOST, LOCAL_NAMES, Desk, own_address
from yardstone.web.desk.sessions import readable_secret
from yardstone.web.middleware import Health, Metrics, configured, protect
from yardstone.web.settings import Limits, SiteSettings, configure_log
from yardstone.web.supervisor import listen

_SHORTEST = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskSettings(SiteSettings):
    """How a desk is served."""

    file: Path  #: The tournament.
    password: str = ""  #: Of the helpers; empty where everybody who reaches the desk is one.
    register: Path | None = None  #: A federation's list of players, to enter players from.
    title: str = ""  #: On every page; the tournament's name if empty.
    #: Of these, connections, requests and streams count. The phones of a hall have one address.
    limits: Limits = field(
        default_factory=lambda: Limits(
            connections_client=2_000,
            requests_client=900,
            requests_minute=1200,
            posts_minute=600,
            streams=600,
            streams_client=60,
        )
    )

    def __post_init__(self) -> None:
        SiteSettings.__post_init__(self)
        if self.password and len(self.password) < _SHORTEST:
            raise UsageError(f"the password needs {_SHORTEST} characters or more")

    @property
    def guarded(self) -> bool:
        """Whether changes need the password."""
        return bool(self.password)

    def with_password(self) -> DeskSettings:
        """The same with a password at random where others can reach it and none was given."""
        local = self.host == "localhost" or self.host.startswith("127.")
        if self.password or (local and not self.public_url and not self.root_path):
            return self
        return replace(self, password=readable_secret(4, 4, 2))


#: Bytes that a form may have: a table of players.
_LARGEST_FORM = 2 << 20


def make_desk(settings: DeskSettings) -> FastAPI:
    """The application, for any server of ASGI; raises InputError if the file is no tournament."""
    desk = Desk(settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        watching = asyncio.create_task(pages.watch(desk))
        yield
        watching.cancel()
        desk.chances.close()
        desk.signing.shutdown(wait=False, cancel_futures=True)

    app = FastAPI(
        title="Yardstone",
        version=yardstone.__version__,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.service = desk
    folder = settings.file.resolve().parent
    app.state.health = Health(folder, settings.limits, desk.checkup, "no_file")
    for part in (pages, helpers, rounds):
        app.include_router(part.router)
    protect(
        app,
        settings,
        metrics=Metrics(),
        client=desk.client,
        page=pages.problem_page,
        hint="Load the page again.",
        hosts=[] if settings.guarded else [*LOCAL_NAMES],
        body={"most": _LARGEST_FORM, "counted": ()},
    )
    return app


_FAREWELL = 1


def desk_configuration(settings: DeskSettings) -> uvicorn.Config:
    """How uvicorn runs a desk."""
    app = make_desk(settings)
    return configured(app, settings, farewell=_FAREWELL)


class DeskServer(uvicorn.Server):
    """A server that sends the watching pages away before it ends, and ends well when asked to."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        app: FastAPI = config.app  # type: ignore[assignment]
        app.state.service.is_closing = lambda: self.should_exit

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Take Ctrl-C and the like as the wish to end, which is no error."""
        self.force_exit, self.should_exit = self.should_exit, True


def run_desk(settings: DeskSettings, tell: Callable[[str], None]) -> None:
    """Serve a desk until it is stopped.

    `tell` takes the lines that say where it is, and the password. Raises InputError if the file is
    no tournament, or the address cannot be used.
    """
    configure_log(logging.WARNING)
    server = DeskServer(desk_configuration(settings))
    listening = listen(settings.host, settings.port)
    tell(f"The desk of {settings.file} is open (Ctrl-C closes it):")
    for address in _addresses(settings, listening.getsockname()[1]):
        tell(f"  {address}")
    guarded = f"Password of the helpers: {settings.password}"
    tell(guarded if settings.guarded else "No password: only this machine reaches it.")
    with listening:
        server.run(sockets=[listening])


def _addresses(settings: DeskSettings, port: int) -> list[str]:
    if settings.public_url:
        return [settings.public_url.rstrip("/") + settings.root_path + "/"]
    every = settings.host in EVERY_HOST
    hosts = dict.fromkeys([own_address(), "127.0.0.1"] if every else [settings.host])
    return [settings.url(host, port) for host in hosts]
