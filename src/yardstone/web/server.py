"""The server as a process: answers at a socket that its supervisor has opened."""

from __future__ import annotations

import socket
import sys

import uvicorn

from yardstone.web.app import make_app
from yardstone.web.bell import Bell
from yardstone.web.child import orders
from yardstone.web.connections import configured
from yardstone.web.log import configure_log
from yardstone.web.settings import Settings

__all__ = ["configuration", "main"]

#: Requests that are answered at the same time; more are told to come again.
_CONCURRENCY = 1000
_FAREWELL = 5


def configuration(settings: Settings, bell: Bell | None = None) -> uvicorn.Config:
    """How uvicorn runs the application."""
    app = make_app(settings, bell)
    return configured(app, settings.limits, concurrency=_CONCURRENCY, farewell=_FAREWELL)


def main() -> int:
    """Serve, as the supervisor orders."""
    servers: list[uvicorn.Server] = []

    def end() -> None:
        for server in servers:
            server.should_exit = True

    words = orders(end, 2.0 * _FAREWELL)
    configure_log()
    settings, bell = Settings.of_plain(words["settings"]), Bell(tuple(words["bell"]))
    servers.append(uvicorn.Server(configuration(settings, bell)))
    servers[0].run(sockets=[socket.socket(fileno=words["socket"])])
    return 0


if __name__ == "__main__":
    sys.exit(main())
