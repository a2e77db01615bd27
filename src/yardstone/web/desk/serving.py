"""The desk as a process."""

from __future__ import annotations

import logging
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import uvicorn

from yardstone.errors import InputError
from yardstone.web.connections import configured
from yardstone.web.desk.app import make_desk
from yardstone.web.desk.settings import is_local
from yardstone.web.log import configure_log

if TYPE_CHECKING:
    from fastapi import FastAPI

    from yardstone.web.desk.settings import DeskSettings

__all__ = ["DeskServer", "desk_configuration", "run_desk"]

#: Connections at the same time: a phone of every player, and more.
_CONCURRENCY = 2000
_FAREWELL = 1


def desk_configuration(settings: DeskSettings) -> uvicorn.Config:
    """How uvicorn runs a desk."""
    app = make_desk(settings)
    return configured(app, settings.limits, concurrency=_CONCURRENCY, farewell=_FAREWELL)


class DeskServer(uvicorn.Server):
    """A server that sends the watching pages away before it ends, and ends well when asked to."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take Ctrl-C and the like as the wish to end, which is no error."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {
            number: signal.signal(number, self.handle_exit)
            for number in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    @property
    def should_exit(self) -> bool:
        """Whether it is to end."""
        return self._should_exit

    @should_exit.setter
    def should_exit(self, ending: bool) -> None:
        self._should_exit = ending
        app: FastAPI = self.config.app  # type: ignore[assignment]
        app.state.service.closing = ending


def run_desk(settings: DeskSettings, tell: Callable[[str], None]) -> None:
    """Serve a desk until it is stopped.

    Parameters
    ----------
    settings : DeskSettings
    tell : callable
        Takes the lines that say where it is, and the password.

    Raises
    ------
    InputError
        The file is no tournament, or the address cannot be used.
    """
    configure_log(logging.WARNING)
    server = DeskServer(desk_configuration(settings))
    try:
        listening = socket.create_server((settings.host, settings.port), backlog=1024)
    except OSError as error:
        raise InputError(
            f"cannot listen on {settings.host}, port {settings.port}: {error.strerror}",
            hint="another --port, or --host",
        ) from None
    port = listening.getsockname()[1]
    for line in _lines(replace(settings, port=port)):
        tell(line)
    with listening:
        server.run(sockets=[listening])


def _lines(settings: DeskSettings) -> list[str]:
    """Where the desk is, and what helpers need."""
    lines = [f"The desk of {settings.file} is open (Ctrl-C closes it):"]
    lines += [f"  {address}" for address in _addresses(settings)]
    if settings.guarded:
        lines.append(f"Password of the helpers: {settings.password}")
    else:
        lines.append("No password: only this machine reaches it.")
    return lines


def _addresses(settings: DeskSettings) -> list[str]:
    """Where browsers find it."""
    if settings.public_url:
        return [settings.public_url.rstrip("/") + settings.root_path + "/"]
    hosts = [settings.host]
    if settings.host in ("0.0.0.0", "::"):
        hosts = [_own_address(), "127.0.0.1"]
    elif is_local(settings.host):
        hosts = [settings.host]
    return [f"http://{host}:{settings.port}{settings.root_path}/" for host in dict.fromkeys(hosts)]


def _own_address() -> str:
    """The address of this machine in the network; nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"
