"""Tells browsers when the tournament has changed, as server-sent events."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from starlette.concurrency import run_in_threadpool

from yardstone.web.desk.pages import desk_of
from yardstone.web.desk.service import Desk
from yardstone.web.problems import RequestProblem

__all__ = ["router", "watch"]

router = APIRouter(include_in_schema=False)

#: Seconds between two looks at the file, and between two signs of life.
_LOOK, _LIFE = 0.5, 20.0
#: Seconds after which a browser opens the stream anew.
_LONGEST = 900.0


async def watch(desk: Desk) -> None:
    """Look at the file again and again, and wake whoever waits for a change."""
    while True:
        await run_in_threadpool(desk.look)
        await asyncio.sleep(_LOOK)


@router.get("/state")
def state(request: Request) -> Response:
    """What the pages show now, for browsers without a stream."""
    return JSONResponse({"mark": desk_of(request).snapshot().mark})


@router.get("/events")
async def events(request: Request) -> Response:
    """A line for each change of the tournament."""
    desk = desk_of(request)
    client, open_streams, limits = desk.client(request), desk.streams, desk.settings.limits
    if open_streams[client] >= limits.streams_client or open_streams.total() >= limits.streams:
        raise RequestProblem(
            429, "streams", "Too many pages are watching.", "Load the page again.", retry_after=10
        )

    async def text() -> AsyncIterator[str]:
        open_streams[client] += 1
        try:
            async for line in _lines(desk):
                yield line
        finally:
            open_streams[client] -= 1
            if not open_streams[client]:
                del open_streams[client]

    return StreamingResponse(text(), media_type="text/event-stream")


async def _lines(desk: Desk) -> AsyncIterator[str]:
    known, spoke, end = "", time.monotonic(), time.monotonic() + _LONGEST
    yield "retry: 2000\n\n"
    while time.monotonic() < end and not desk.closing:
        mark = desk.last_mark
        if mark != known:
            known, spoke = mark, time.monotonic()
            yield f"event: change\ndata: {json.dumps({'mark': mark})}\n\n"
        elif time.monotonic() - spoke > _LIFE:
            spoke = time.monotonic()
            yield ": still here\n\n"
        await asyncio.sleep(_LOOK)
