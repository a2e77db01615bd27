"""The interface for programs: what it takes and gives, as OpenAPI describes it, and its routes."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from ipaddress import ip_address
from typing import Annotated, Any, Literal, TypeVar

from fastapi import APIRouter, Path, Request, Security
from fastapi.responses import JSONResponse, Response, StreamingResponse
from fastapi.security import HTTPBearer
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from yardstone.web import upkeep
from yardstone.web.kinds import ANY_KIND, KINDS, Kind
from yardstone.web.kinds.kind import Field as FormField
from yardstone.web.kinds.kind import PlayersField
from yardstone.web.middleware import Checkup, Health
from yardstone.web.problems import DatabaseAway, RequestProblem, refusal
from yardstone.web.sent_files import FILES
from yardstone.web.service import LONGEST_KEY, csv_of, result_of, service_of
from yardstone.web.store import JobStore, sent_key

router = APIRouter()
Function = TypeVar("Function", bound=Callable[..., Any])
Status = Literal["queued", "running", "needs_player", "done", "failed", "cancelled"]
KindName = Annotated[str, Field(json_schema_extra={"enum": list(KINDS)})]

_OWNER_KEY = "The owner's key, told this once: what changes or deletes needs it."
_OWNER_PAGE = "The page with that key, for a browser of the owner."


class ProblemShape(BaseModel):
    """What is wrong, and what to do."""

    code: str = Field(description="A word for programs.")
    message: str
    hint: str | None = Field(None, description="What to do about it.")
    file: str | None = Field(None, description="The file it stands in, as it was called.")
    line: int | None = None


class Refusal(BaseModel):
    """A request that was refused."""

    error: ProblemShape


class JobAddress(BaseModel):
    """Where a job is."""

    id: str
    status: Status
    kind: KindName
    url: str = Field(description="Where its progress and its result are.")
    page: str = Field(description="The same for people; this address can be shared.")
    expires: str


class AcceptedJob(JobAddress):
    """A job that was made."""

    owner: str = Field(description=_OWNER_KEY)
    owner_page: str = Field(description=_OWNER_PAGE)


class AcceptedBatch(BaseModel):
    """Jobs that were made together."""

    id: str
    url: str
    page: str
    owner: str = Field(description=_OWNER_KEY)
    owner_page: str = Field(description=_OWNER_PAGE)
    jobs: list[JobAddress]


class Progress(BaseModel):
    """How far a job is."""

    stage: Literal["waiting", "fetching", "reading", "analysing", "searching", "rating", "finished"]
    done: int
    total: int
    fraction: float = Field(ge=0.0, le=1.0)


class SentFile(BaseModel):
    """A file that was sent."""

    name: str
    size: int
    format: str
    reason: str | None = Field(None, description="Why it is not used at all.")


class PlayerChoice(BaseModel):
    """A player who can be chosen."""

    name: str
    games: int


class SkippedRecord(BaseModel):
    """A record that could not be used."""

    file: str
    line: int | None
    reason: str


class JobState(BaseModel):
    """A job, with its result once it is done."""

    id: str
    url: str
    page: str
    kind: KindName
    status: Status
    created: str
    started: str | None
    finished: str | None
    expires: str
    ahead: int | None = Field(description="Jobs that come before it.")
    progress: Progress
    files: list[SentFile]
    options: dict[str, Any]
    players: list[PlayerChoice] | None
    skipped: list[SkippedRecord]
    skipped_total: int
    error: ProblemShape | None
    can_retry: bool
    attempts: int
    batch: str | None
    result: dict[str, Any] | None


class BatchState(BaseModel):
    """The jobs of a batch, with the results so far."""

    id: str
    url: str
    page: str
    status: Literal["running", "done"]
    done: int
    total: int
    expires: str
    jobs: list[JobState]


class Choice(BaseModel):
    """The player whose strength is asked for."""

    player: str = Field(min_length=1, max_length=200, description="One of `players` of the job.")


class HealthState(BaseModel):
    """Whether the server can do its work."""

    status: Literal["ok", "no_workers", "no_database", "no_disk"]
    version: str
    problems: list[ProblemShape]
    workers: int
    queued: int
    running: int


_FILES = {
    "type": "array",
    "items": {"type": "string", "format": "binary"},
    "minItems": 1,
    "description": f"{FILES}, also compressed or in zip archives.",
}
_MEANINGS = {
    400: "The request cannot be read.",
    403: "The owner's key is missing or wrong.",
    404: "There is nothing at this address.",
    408: "The files came too slowly.",
    409: "Its status does not allow that.",
    410: "It has expired and was deleted.",
    413: "More than the limits allow.",
    415: "A kind of file that is not known.",
    422: "Something in it cannot be used.",
    429: "Too much at once: come again after `Retry-After` seconds.",
    503: "Too much is asked by all at once, or nothing can be stored: the same.",
}


def _operation(
    tag: str, summary: str, *refusals: int, gives: str = "", **more: Any
) -> dict[str, Any]:
    """Describe an operation with its refusals: 403 asks for the owner's key; `gives` is no JSON."""
    answers: dict[int | str, dict[str, Any]] = {
        status: {"model": Refusal, "description": _MEANINGS[status]}
        for status in sorted({*refusals, 422, 429, 503})
    }
    if gives:
        words, schema = _ANSWERS[gives]
        answers = {200: {"description": words, "content": {gives: {"schema": schema}}}, **answers}
        more["response_class"] = StreamingResponse if gives == _STREAM else Response
    if 403 in refusals:
        more["dependencies"] = [Security(_OWNER)]
    return {"tags": [tag], "summary": summary, "responses": answers, **more}


def _schema(field: FormField) -> dict[str, Any]:
    return {**field.schema(), **({"description": field.about} if field.about else {})}


def _any_form() -> dict[str, dict[str, Any]]:
    """The fields of a form of any kind; where their defaults differ, none is named."""
    schemas = {ANY_KIND.name: _schema(ANY_KIND)}
    for field in (field for kind in KINDS.values() for field in kind.fields):
        schema = _schema(field)
        known = schemas.setdefault(field.name, schema)
        if known != schema:
            known.pop("default", None)
    return schemas


def _batch_form(kind: Kind) -> dict[str, dict[str, Any]]:
    schemas = {field.name: _schema(field) for field in kind.fields if not field.optional}
    for field in (field for field in kind.fields if isinstance(field, PlayersField)):
        words = f"The field `{field.name}`, once for each."
        many = {"type": "array", "items": field.schema(), "minItems": 1, "description": words}
        schemas[field.name] = many
    return schemas


def _route(
    place: str, summary: str, *refusals: int, model: Any = None, status: int = 200, gives: str = ""
) -> Callable[[Function], Function]:
    """Register an operation on jobs or batches, which may not be there (404) or no more (410)."""
    method, path = place.split()
    more = _operation(path.split("/")[2], summary, 404, 410, *refusals, gives=gives)
    more |= {"response_model": model, "status_code": status}
    return router.api_route(path, methods=[method], **more)


_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "schema": {"type": "string", "maxLength": LONGEST_KEY},
    "description": "A request that comes again with the same key is the same job.",
}
_EVENT = {
    "type": "object",
    "properties": {
        "event": {"type": "string", "enum": ["state", "end", "gone"]},
        "data": {"type": "string", "description": "A job, as JSON."},
    },
    "required": ["event", "data"],
}
_STREAM, _CSV = "text/event-stream", "text/csv"
_ANSWERS = {_STREAM: ("Events.", _EVENT), _CSV: ("The table.", {"type": "string"})}
_OWNER = HTTPBearer(
    scheme_name="owner",
    auto_error=False,
    description="The key `owner` of the answer that made the job or batch.",
)


#: Seconds between two signs of life, and until a stream ends.
_LIFE = 15.0
#: Seconds between two looks while the database does not answer.
_AWAY = 1.0
_LONGEST = 1800.0
#: Statuses in which a job changes by itself.
_GOING = ("queued", "running")

State = dict[str, Any]


async def _watch(
    request: Request, address: str, look: Callable[[], list[State]]
) -> StreamingResponse:
    service = service_of(request)
    first = await run_in_threadpool(look)  # so that a missing job is a refusal, no stream
    client = await run_in_threadpool(service.client, request)
    texts = _events(first, look, partial(service.changes.wait, address))
    return service.streams.stream(client, service.settings.limits, texts, refusal("streams"))


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


Address = Annotated[
    str, Path(alias="id", pattern="^[A-Za-z0-9_-]{8,64}$", description="The private address.")
]


async def _accepted(request: Request, kind: str | None = None, *, batch: bool = False) -> Response:
    """Receive files, and answer with the address of the job or of the batch that was made."""
    service = service_of(request)
    made = await service.receive(request, kind, batch=batch)
    states = await run_in_threadpool(service.new, made.jobs if batch else made.jobs[:1])
    jobs = [{name: state[name] for name in JobAddress.model_fields} for state in states]
    body: dict[str, Any] = jobs[0]
    if batch:
        address = states[0]["batch"]
        body = {"id": address, **service.batch_places(address)}
    body |= {"owner": made.key, "owner_page": f"{body['page']}/own/{made.key}"}
    headers = {"Location": body["url"]}
    return JSONResponse({**body, "jobs": jobs} if batch else body, 202, headers=headers)


def _add_sending(
    path: str,
    summary: str,
    fields: dict[str, dict[str, Any]],
    name: str,
    about: str,
    *,
    kind: str | None = None,
    batch: bool = False,
) -> None:
    """Register an operation that takes files and makes a job of them, or with `batch` many."""

    async def send(request: Request) -> Response:
        return await _accepted(request, kind, batch=batch)

    schema = {
        "type": "object",
        "properties": {"files": _FILES, **fields},
        "required": ["files", "player"] if batch else ["files"],
        "additionalProperties": False,
    }
    body = {"content": {"multipart/form-data": {"schema": schema}}, "required": True}
    extra = {"requestBody": body, "parameters": [_KEY]}
    tag, model = ("batches", AcceptedBatch) if batch else ("send", AcceptedJob)
    more = _operation(tag, summary, 400, 408, 413, 415, openapi_extra=extra, response_model=model)
    router.post(path, name=name, description=about, status_code=202, **more)(send)


_words = "See what the files are, and make a job of them."
_add_sending("/api/jobs", "Send files of any kind", _any_form(), "send", _words)
for _kind in KINDS.values():
    _fields = {field.name: _schema(field) for field in _kind.fields}
    _name = f"send_{_kind.name}"
    _add_sending(_kind.path, _kind.summary, _fields, _name, _kind.about, kind=_kind.name)
    if _kind.players is not None:
        _add_sending(
            "/api/batches",
            f"{_kind.summary}, to rate several players",
            _batch_form(_kind),
            "send_batch",
            "Make a job for each player that is named, all from the same games.",
            kind=_kind.name,
            batch=True,
        )


@_route("GET /api/jobs/{id}", "Progress and result", model=JobState)
def job(request: Request, address: Address) -> Response:
    """How far a job is, and its result once it is done."""
    return JSONResponse(service_of(request).job(address))


@_route("GET /api/jobs/{id}/events", "Progress and result as server-sent events", gives=_STREAM)
async def watch(request: Request, address: Address) -> Response:
    """An event ``state`` at each change, and ``end`` when nothing more comes."""
    service = service_of(request)

    def look() -> list[State]:
        state = service.job(address, result=False)
        return [service.job(address) if state["status"] == "done" else state]

    return await _watch(request, address, look)


@_route(
    "PUT /api/jobs/{id}/player", "Choose the player", 400, 403, 409, 413, model=JobState, status=202
)
def choose(request: Request, address: Address, choice: Choice) -> Response:
    """Say whose strength is asked for, where the files do not tell."""
    service_of(request).choose(address, choice.player, sent_key(request))
    return JSONResponse(service_of(request).job(address), 202)


@_route("POST /api/jobs/{id}/cancel", "Stop a job", 403, model=JobState)
def cancel(request: Request, address: Address) -> Response:
    """Stop a job; its files are deleted. One that has ended stays as it is."""
    service_of(request).cancel(address, sent_key(request))
    return JSONResponse(service_of(request).job(address))


@_route("POST /api/jobs/{id}/retry", "Try a failed job again", 403, 409, model=JobState, status=202)
def retry(request: Request, address: Address) -> Response:
    """Begin a job anew that failed for no fault of its files."""
    service_of(request).retry(address, sent_key(request))
    return JSONResponse(service_of(request).job(address), 202)


@_route("GET /api/jobs/{id}/result.json", "The result as JSON", 409, model=State)
def result_json(request: Request, address: Address) -> dict[str, Any]:
    """The result by itself."""
    return result_of(service_of(request).job(address))


@_route("GET /api/jobs/{id}/result.csv", "The result as CSV", 409, gives=_CSV)
def result_csv(request: Request, address: Address) -> Response:
    """The table of the result: a row a game, or a row a player."""
    state = service_of(request).job(address)
    name = f'attachment; filename="yardstone-{state["kind"]}.csv"'
    return Response(csv_of(state), media_type=_CSV, headers={"Content-Disposition": name})


@_route("DELETE /api/jobs/{id}", "Delete a job", 403, status=204)
def delete(request: Request, address: Address) -> Response:
    """Delete a job, its files and its result."""
    service_of(request).delete(address, sent_key(request))
    return Response(status_code=204)


@_route("GET /api/batches/{id}", "All jobs of a batch", model=BatchState)
def batch(request: Request, address: Address) -> Response:
    """The jobs of a batch, with the results so far."""
    return JSONResponse(service_of(request).batch(address))


@_route("GET /api/batches/{id}/events", "The results of a batch as they come", gives=_STREAM)
async def watch_batch(request: Request, address: Address) -> Response:
    """An event ``state`` for each job that changes, and ``end`` when all have ended."""
    service = service_of(request)
    return await _watch(request, address, lambda: service.batch(address)["jobs"])


@_route("DELETE /api/batches/{id}", "Delete a batch", 403, status=204)
def delete_batch(request: Request, address: Address) -> Response:
    """Delete all jobs of a batch."""
    service_of(request).delete(address, sent_key(request), batch=True)
    return Response(status_code=204)


@router.get("/api/limits", tags=["server"], summary="What may be sent")
def limits(request: Request) -> dict[str, Any]:
    """All limits, and for how many days results stay."""
    return service_of(request).limits()


@router.get(
    "/health",
    response_model=HealthState,
    tags=["server"],
    summary="Whether the server works",
    responses={
        503: {"model": HealthState, "description": "Something is wrong, as `problems` says."}
    },
)
async def health(request: Request) -> Response:
    """Whether jobs can be taken, and workers do them."""
    health: Health = request.app.state.health
    return await health.answer(request)


def checkup(store: JobStore) -> Checkup:
    """What there is to do, and whether somebody does it."""
    try:
        state = upkeep.state(store, patience=0.0)
        problems = [] if state["workers"] else [refusal("no_workers")]
    except DatabaseAway:
        state, problems = {"workers": 0, "jobs": {}}, [refusal("no_database")]
    jobs = state["jobs"]
    told = {"workers": state["workers"], **{each: jobs.get(each, 0) for each in _GOING}}
    return Checkup(told, problems)


_GOING = ("queued", "running")


@router.get("/metrics", include_in_schema=False)
def metrics(request: Request) -> Response:
    """Numbers for Prometheus, for those addresses that may read them."""
    try:
        address = ip_address(request.client.host if request.client is not None else "")
    except ValueError:
        raise refusal("not_found") from None
    if not any(address in network for network in request.app.state.may_measure):
        raise refusal("not_found")
    text = request.app.state.metrics.text(upkeep.state(service_of(request).store))
    return Response(text, media_type="text/plain; version=0.0.4")
