"""The interface for programs."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Path, Request, Security
from fastapi.responses import JSONResponse, Response, StreamingResponse
from fastapi.security import HTTPBearer
from starlette.concurrency import run_in_threadpool

import yardstone
from yardstone.web import upkeep
from yardstone.web.api_docs import (
    batch_form_body,
    csv_answers,
    form_body,
    kind_form_body,
    refusal_answers,
    stream_answers,
)
from yardstone.web.events import batch_events, job_events
from yardstone.web.exports import csv_of, result_of
from yardstone.web.kinds import KINDS, Kind
from yardstone.web.owners import sent_key
from yardstone.web.problems import DatabaseAway, missing
from yardstone.web.schemas import (
    AcceptedBatch,
    AcceptedJob,
    BatchState,
    Choice,
    Health,
    JobAddress,
    JobState,
)

if TYPE_CHECKING:
    from yardstone.web.service import Accepted, Service

__all__ = ["router"]

#: Seconds in which the database answers, if it is there.
_SOON = 3.0

router = APIRouter()
Address = Annotated[
    str, Path(alias="id", pattern="^[A-Za-z0-9_-]{8,64}$", description="The private address.")
]

_OWNER = HTTPBearer(
    scheme_name="owner",
    auto_error=False,
    description="The key `owner` of the answer that made the job or batch.",
)


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


async def _accepted(request: Request, made: Accepted) -> Response:
    (state,) = await run_in_threadpool(_service(request).new, made.jobs[:1])
    body = {**_brief(state), **_owned(state["page"], made)}
    return JSONResponse(body, 202, headers={"Location": state["url"]})


def _brief(state: dict[str, Any]) -> dict[str, Any]:
    return {name: state[name] for name in JobAddress.model_fields}


def _owned(page: str, made: Accepted) -> dict[str, Any]:
    return {"owner": made.key, "owner_page": f"{page}/own/{made.key}"}


@router.post(
    "/api/jobs",
    status_code=202,
    response_model=AcceptedJob,
    tags=["send"],
    summary="Send files of any kind",
    **form_body(),
)
async def send(request: Request) -> Response:
    """See what the files are, and make a job of them."""
    return await _accepted(request, await _service(request).receive(request))


def _add_kind(kind: Kind) -> None:
    """An address that takes files of one kind only."""

    async def send_kind(request: Request) -> Response:
        return await _accepted(request, await _service(request).receive(request, kind.name))

    router.post(
        kind.path,
        status_code=202,
        response_model=AcceptedJob,
        tags=["send"],
        name=f"send_{kind.name}",
        summary=kind.summary,
        description=kind.about,
        **kind_form_body(kind),
    )(send_kind)


def _add_batches(kind: Kind) -> None:
    """An address that makes a job for each player."""

    async def send_batch(request: Request) -> Response:
        service = _service(request)
        made = await service.receive(request, kind.name, batch=True)
        states = await run_in_threadpool(service.new, made.jobs)
        address = states[0]["batch"]
        places = service.batch_places(address)
        body = {
            "id": address,
            **places,
            **_owned(places["page"], made),
            "jobs": [_brief(state) for state in states],
        }
        return JSONResponse(body, 202, headers={"Location": places["url"]})

    router.post(
        "/api/batches",
        status_code=202,
        response_model=AcceptedBatch,
        tags=["batches"],
        summary=f"{kind.summary}, to rate several players",
        description="Make a job for each player that is named, all from the same games.",
        **batch_form_body(kind),
    )(send_batch)


for _kind in KINDS.values():
    _add_kind(_kind)
    if _kind.players is not None:
        _add_batches(_kind)


@router.get(
    "/api/jobs/{id}",
    response_model=JobState,
    tags=["jobs"],
    summary="Progress and result",
    responses=refusal_answers(404, 410),
)
def job(request: Request, address: Address) -> Response:
    """How far a job is, and its result once it is done."""
    return JSONResponse(_service(request).job(address))


@router.get(
    "/api/jobs/{id}/events",
    tags=["jobs"],
    summary="Progress and result as server-sent events",
    response_class=StreamingResponse,
    responses=stream_answers(404, 410),
)
async def watch(request: Request, address: Address) -> Response:
    """An event ``state`` at each change, and ``end`` when nothing more comes."""
    return await job_events(request, _service(request), address)


@router.put(
    "/api/jobs/{id}/player",
    status_code=202,
    response_model=JobState,
    tags=["jobs"],
    summary="Choose the player",
    dependencies=[Security(_OWNER)],
    responses=refusal_answers(400, 403, 404, 409, 410, 413),
)
def choose(request: Request, address: Address, choice: Choice) -> Response:
    """Say whose strength is asked for, where the files do not tell."""
    _service(request).choose(address, choice.player, sent_key(request))
    return JSONResponse(_service(request).job(address), 202)


@router.post(
    "/api/jobs/{id}/cancel",
    response_model=JobState,
    tags=["jobs"],
    summary="Stop a job",
    dependencies=[Security(_OWNER)],
    responses=refusal_answers(403, 404, 410),
)
def cancel(request: Request, address: Address) -> Response:
    """Stop a job; its files are deleted. One that has ended stays as it is."""
    _service(request).cancel(address, sent_key(request))
    return JSONResponse(_service(request).job(address))


@router.post(
    "/api/jobs/{id}/retry",
    status_code=202,
    response_model=JobState,
    tags=["jobs"],
    summary="Try a failed job again",
    dependencies=[Security(_OWNER)],
    responses=refusal_answers(403, 404, 409, 410),
)
def retry(request: Request, address: Address) -> Response:
    """Begin a job anew that failed for no fault of its files."""
    _service(request).retry(address, sent_key(request))
    return JSONResponse(_service(request).job(address), 202)


@router.get(
    "/api/jobs/{id}/result.json",
    tags=["jobs"],
    summary="The result as JSON",
    responses=refusal_answers(404, 409, 410),
)
def result_json(request: Request, address: Address) -> dict[str, Any]:
    """The result by itself."""
    return result_of(_service(request).job(address))


@router.get(
    "/api/jobs/{id}/result.csv",
    tags=["jobs"],
    summary="The result as CSV",
    response_class=Response,
    responses=csv_answers(404, 409, 410),
)
def result_csv(request: Request, address: Address) -> Response:
    """The table of the result: a row a game, or a row a player."""
    state = _service(request).job(address)
    text = csv_of(state)
    name = f'attachment; filename="yardstone-{state["kind"]}.csv"'
    return Response(text, media_type="text/csv", headers={"Content-Disposition": name})


@router.delete(
    "/api/jobs/{id}",
    status_code=204,
    tags=["jobs"],
    summary="Delete a job",
    dependencies=[Security(_OWNER)],
    responses=refusal_answers(403, 404, 410),
)
def delete(request: Request, address: Address) -> Response:
    """Delete a job, its files and its result."""
    _service(request).delete(address, sent_key(request))
    return Response(status_code=204)


@router.get(
    "/api/batches/{id}",
    response_model=BatchState,
    tags=["batches"],
    summary="All jobs of a batch",
    responses=refusal_answers(404, 410),
)
def batch(request: Request, address: Address) -> Response:
    """The jobs of a batch, with the results so far."""
    return JSONResponse(_service(request).batch(address))


@router.get(
    "/api/batches/{id}/events",
    tags=["batches"],
    summary="The results of a batch as they come",
    response_class=StreamingResponse,
    responses=stream_answers(404, 410),
)
async def watch_batch(request: Request, address: Address) -> Response:
    """An event ``state`` for each job that changes, and ``end`` when all have ended."""
    return await batch_events(request, _service(request), address)


@router.delete(
    "/api/batches/{id}",
    status_code=204,
    tags=["batches"],
    summary="Delete a batch",
    dependencies=[Security(_OWNER)],
    responses=refusal_answers(403, 404, 410),
)
def delete_batch(request: Request, address: Address) -> Response:
    """Delete all jobs of a batch."""
    _service(request).delete(address, sent_key(request), batch=True)
    return Response(status_code=204)


@router.get("/api/limits", tags=["server"], summary="What may be sent")
def limits(request: Request) -> dict[str, Any]:
    """All limits, and for how many days results stay."""
    return _service(request).limits()


@router.get(
    "/health",
    response_model=Health,
    tags=["server"],
    summary="Whether the server works",
    responses={
        503: {"model": Health, "description": "No worker lives, or the database does not answer."}
    },
)
async def health(request: Request) -> Response:
    """Whether jobs can be taken, and workers do them."""
    state, status = await _state(_service(request))
    body = {
        "status": status,
        "version": yardstone.__version__,
        "workers": state["workers"],
        "queued": state["jobs"].get("queued", 0),
        "running": state["jobs"].get("running", 0),
    }
    return JSONResponse(body, 200 if status == "ok" else 503)


async def _state(service: Service) -> tuple[dict[str, Any], str]:
    """What `upkeep.state` gives, if the database answers soon, and how that is."""
    ask = partial(upkeep.state, service.store, patience=0.0)
    try:
        async with asyncio.timeout(_SOON):
            state = await run_in_threadpool(ask)
    except (DatabaseAway, TimeoutError):
        return {"workers": 0, "jobs": {}}, "no_database"
    return state, "ok" if state["workers"] else "no_workers"


@router.get("/metrics", include_in_schema=False)
def metrics(request: Request) -> Response:
    """Numbers for Prometheus, for those addresses that may read them."""
    if not request.app.state.may_measure(request):
        raise missing()
    text = request.app.state.metrics.text(upkeep.state(_service(request).store))
    return Response(text, media_type="text/plain; version=0.0.4")
