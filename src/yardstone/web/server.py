"""The server as a process: answers at a socket that its supervisor has opened."""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
import time

import uvicorn

from yardstone.web import log
from yardstone.web.app import make_app
from yardstone.web.settings import Settings

__all__ = ["configuration", "main"]

#: Requests that are answered at the same time; more are told to come again.
_CONCURRENCY = 1000
_KEEP_ALIVE = 15
_FAREWELL = 5


def configuration(settings: Settings) -> uvicorn.Config:
    """How uvicorn runs the application."""
    return uvicorn.Config(
        make_app(settings),
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,  # the application does that itself
        server_header=False,
        limit_concurrency=_CONCURRENCY,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=_FAREWELL,
        h11_max_incomplete_event_size=16 << 10,
    )


def main() -> int:
    """Serve; settings and the socket's number come on standard input."""
    told = json.loads(sys.stdin.readline())
    settings = Settings.of_plain(told["settings"])
    log.configure()
    listening = socket.socket(fileno=told["socket"])
    server = uvicorn.Server(configuration(settings))
    threading.Thread(target=_end_with_supervisor, args=(server,), daemon=True).start()
    server.run(sockets=[listening])
    return 0


def _end_with_supervisor(server: object) -> None:
    """End this process when whoever started it is gone."""
    while sys.stdin.buffer.read(1):
        continue
    server.should_exit = True  # type: ignore[attr-defined]
    time.sleep(2.0 * _FAREWELL)
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main())
