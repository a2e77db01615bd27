"""Connections that ask for nothing: each has a time to say what it wants, and each address a room.

uvicorn waits for the rest of a request for ever. A hall full of phones may share one address,
so nobody new is refused there: the connection that has waited longest makes room.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from yardstone.web.settings import Limits

__all__ = ["configured"]

#: Seconds beyond those of the application, which answers 408 first where it can.
_GRACE = 2.0


class _Protocol(H11Protocol):
    """HTTP/1.1 with an end to waiting."""

    limits: Limits
    #: By address, all whose request has not come whole; the oldest first.
    waiting: dict[str, dict[_Protocol, None]]
    _timer: asyncio.TimerHandle | None = None
    _phase: Any = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_watch()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def _watch(self) -> None:
        phase = self.conn.their_state
        if self.transport.is_closing() or phase not in (h11.IDLE, h11.SEND_BODY):
            self._end_watch()
            return
        if self._timer is not None and phase is h11.IDLE is self._phase:
            return  # a head must be whole in time, however slowly it comes
        if self._timer is not None:
            self._timer.cancel()
        limits, self._phase = self.limits, phase
        seconds = limits.header_seconds if phase is h11.IDLE else limits.idle_seconds + _GRACE
        self._timer = self.loop.call_later(seconds, self._give_up)
        ours = self.waiting.setdefault(self._address(), {})
        ours[self] = None
        if len(self.connections) > (self.limit_concurrency or 0) // 2:
            ours = max(self.waiting.values(), key=lambda each: len(each))
        elif len(ours) <= limits.connections_client:
            return
        oldest = next(iter(ours))
        oldest._end_watch()
        oldest.transport.abort()

    def _give_up(self) -> None:
        self._timer = None
        if self.flow.read_paused:  # it is we who let it wait
            self._watch()
        else:
            self.transport.abort()

    def _end_watch(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        ours = self.waiting.get(self._address(), {})
        ours.pop(self, None)
        if not ours:
            self.waiting.pop(self._address(), None)

    def _address(self) -> str:
        return self.client[0] if self.client else ""


def configured(app: Any, limits: Limits, *, concurrency: int, farewell: int) -> uvicorn.Config:
    """Return how uvicorn runs an application for strangers, within the limits."""
    return uvicorn.Config(
        app,
        http=type("Protocol", (_Protocol,), {"limits": limits, "waiting": {}}),
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,  # the application does that itself
        server_header=False,
        limit_concurrency=concurrency,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=farewell,
        h11_max_incomplete_event_size=16 << 10,
    )
