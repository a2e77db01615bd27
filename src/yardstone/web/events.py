"""Server-sent events: what changes is told until there is nothing more to tell."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool

from yardstone.web.problems import DatabaseAway, RequestProblem

if TYPE_CHECKING:
    from fastapi import Request

    from yardstone.web.service import Service

__all__ = ["batch_events", "job_events"]

#: Seconds between two signs of life, and until a stream ends.
_LIFE = 15.0
#: Seconds between two looks while the database does not answer.
_AWAY = 1.0
_LONGEST = 1800.0
#: Statuses in which a job changes by itself.
_GOING = ("queued", "running")

State = dict[str, Any]


async def job_events(request: Request, service: Service, address: str) -> StreamingResponse:
    """The states of one job."""

    def look() -> list[State]:
        state = service.job(address, result=False)
        return [service.job(address) if state["status"] == "done" else state]

    return await _answer(request, service, address, look)


async def batch_events(request: Request, service: Service, address: str) -> StreamingResponse:
    """The states of all jobs of a batch."""

    def look() -> list[State]:
        jobs: list[State] = service.batch(address)["jobs"]
        return jobs

    return await _answer(request, service, address, look)


async def _answer(
    request: Request, service: Service, address: str, look: Callable[[], list[State]]
) -> StreamingResponse:
    first = await run_in_threadpool(look)  # so that a missing job is a refusal, no stream
    client = await run_in_threadpool(service.client, request)
    open_streams = service.streams
    limits = service.settings.limits
    if open_streams[client] >= limits.streams_client or open_streams.total() >= limits.streams:
        raise RequestProblem(
            429,
            "streams",
            "Too many streams of events are open.",
            "Ask for the job itself now and then.",
            retry_after=10,
        )
    open_streams[client] += 1

    async def text() -> AsyncIterator[str]:
        try:
            async for event in _events(first, look, partial(service.changes.wait, address)):
                yield event
        finally:
            open_streams[client] -= 1
            if not open_streams[client]:
                del open_streams[client]

    return StreamingResponse(text(), media_type="text/event-stream")


async def _events(
    states: list[State], look: Callable[[], list[State]], wait: Callable[[], Awaitable[None]]
) -> AsyncIterator[str]:
    known: dict[str, str] = {}
    end = time.monotonic() + _LONGEST
    spoke = time.monotonic()
    while True:
        for state in states:
            text = json.dumps(state, ensure_ascii=False, separators=(",", ":"))
            if known.get(state["id"]) != text:
                known[state["id"]] = text
                spoke = time.monotonic()
                yield f"event: state\ndata: {text}\n\n"
        if not any(state["status"] in _GOING for state in states) or time.monotonic() > end:
            yield "event: end\ndata: {}\n\n"
            return
        if time.monotonic() - spoke > _LIFE:
            spoke = time.monotonic()
            yield ": still here\n\n"
        await wait()
        try:
            states = await run_in_threadpool(look)
        except DatabaseAway:
            await asyncio.sleep(_AWAY)
        except RequestProblem as problem:  # deleted meanwhile
            yield f"event: gone\ndata: {json.dumps(problem.as_dict())}\n\n"
            return
