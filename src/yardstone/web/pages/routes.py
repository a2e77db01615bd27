"""The routes of the pages, with the fields of the start page as the kinds of job have them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, NamedTuple

from fastapi import APIRouter, Depends, Request
from fastapi import Query as Parameter
from fastapi.responses import JSONResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from yardstone.web.kinds import KINDS, Kind, Query
from yardstone.web.kinds.kind import Field, readable
from yardstone.web.middleware import wants_page
from yardstone.web.pages import job_pages, render
from yardstone.web.problems import RequestProblem, refusal
from yardstone.web.sent_files import ENDINGS
from yardstone.web.service import Service, result_of, service_of
from yardstone.web.store import DAY, OWNER_COOKIE, remember_key, sent_key
from yardstone.web.uploads import read_fields


class FormField(NamedTuple):
    """A field on the page; without `choices` it takes any text."""

    name: str
    label: str
    hint: str
    choices: list[tuple[str, str]]


def form_fields() -> list[FormField]:
    """Each field that has a label, once, however many kinds ask for it."""
    owners: dict[str, list[tuple[Kind, Field]]] = {}
    for kind in KINDS.values():
        for field in kind.fields:
            if field.label:
                owners.setdefault(field.name, []).append((kind, field))
    made = []
    for (_, field), *more in owners.values():
        label, usual, choices = field.label, field.usual(), field.offers()
        if len(more) + 1 < len(KINDS):
            kinds = [kind.short for kind, _ in owners[field.name]]
            label += ", for " + " and ".join(kinds)
        if more:
            others = [(kind.plural, own.usual()) for kind, own in more if own.usual() != usual]
            usual = f"As usual: {usual}" + "".join(f", for {kind} {own}" for kind, own in others)
        made.append(FormField(field.name, label, field.hint, choices and [("", usual), *choices]))
    return made


router = APIRouter(include_in_schema=False)
router.api_route("/static/{name}", methods=render.READ)(render.asset)


def _query(
    request: Request,
    part: Annotated[int, Parameter(alias="page", ge=1, le=100_000)] = 1,
    player: Annotated[str | None, Parameter(max_length=400)] = None,
    everyone: Annotated[bool, Parameter(alias="all")] = False,
    colour: Annotated[str | None, Parameter(max_length=40)] = None,
    scale: Annotated[str | None, Parameter(max_length=40)] = None,
) -> Query:
    path = request.url.path.removeprefix(render.root_of(request))
    return Query(render.root_of(request) + path, part, player, everyone, colour, scale)


_Asked = Annotated[Query, Depends(_query)]


def _start(request: Request, problem: RequestProblem | None = None) -> Response:
    limits = service_of(request).limits()
    return render.page(
        request,
        "start",
        title="How strong am I?",
        private=problem is not None,
        card=render.PageCard(
            "How strong am I?",
            "Drop the records of your games: a rating, how sure it is, and what it rests on.",
            f"{render.address_of(request)}/",
        ),
        status=200 if problem is None else problem.status,
        retry_after=None if problem is None else problem.retry_after,
        limits=limits,
        size=render.size_words,
        table=render.limits_table(limits),
        endings=" ".join(ENDINGS),
        kinds=KINDS.values(),
        fields=form_fields(),
        samples=job_pages.start_samples(),
        importers=limits["importers"],
        keep=render.days_words(limits["keep_days"]),
        problem="" if problem is None else " ".join(render.error_lines(problem.as_dict())),
    )


@router.api_route("/", methods=render.READ)
def start(request: Request) -> Response:
    """The form."""
    return _start(request)


@router.post("/send")
async def send(request: Request) -> Response:
    """Take the files of the form, and lead to the page of the job."""
    try:
        made = await service_of(request).receive(request, page=True)
    except RequestProblem as problem:
        if not wants_page(request):
            raise
        return _start(request, problem)
    address = f"{render.root_of(request)}/r/{made.jobs[0]}"
    answer: Response = JSONResponse({"page": address}, 202)
    if wants_page(request):
        answer = RedirectResponse(address, 303)
    _remember(request, answer, address, made.key)
    return answer


@router.api_route("/r/{address}", methods=render.READ)
def result(request: Request, address: str, query: _Asked) -> Response:
    """A job: its progress, its question, its result or its failure."""
    return job_pages.job_page(request, service_of(request).job(address), query)


@router.api_route("/example/{kind}", methods=render.READ)
def example(request: Request, kind: str, query: _Asked) -> Response:
    """The result of an example, as all results are shown."""
    if kind not in job_pages.SAMPLES:
        raise refusal("not_found")
    return job_pages.example_page(request, kind, query)


@router.api_route("/r/{address}/card.png", methods=render.READ)
def picture(request: Request, address: str) -> Response:
    """The picture that other sites show beside a link to a result."""
    service = service_of(request)
    job = service.job(address)
    if job["status"] != "done" or not job_pages.can_draw():
        raise refusal("not_found")
    with readable():
        card = KINDS[job["kind"]].card(result_of(job))
    return Response(job_pages.card_png(card, service.settings.title), media_type="image/png")


@router.api_route("/r/{address}/state", methods=render.READ)
def state(request: Request, address: str) -> Response:
    """How far a job is, for the script of the page."""
    return JSONResponse(render.progress(service_of(request).job(address, result=False)))


@router.post("/r/{address}/player")
async def choose(request: Request, address: str) -> Response:
    """Say whose strength is asked for."""
    names = (await read_fields(request.stream())).get("player", [])
    if len(names) != 1:
        raise refusal("bad_form/player")
    await run_in_threadpool(service_of(request).choose, address, names[0], sent_key(request))
    return _back(request, address)


def _add_act(name: str, act: Callable[[Service, str, str], None]) -> None:
    @router.post(f"/r/{{address}}/{name}", name=name)
    def change(request: Request, address: str) -> Response:
        act(service_of(request), address, sent_key(request))
        return _back(request, address)


_add_act("cancel", Service.cancel)
_add_act("retry", Service.retry)


def _add_owners(letter: str, *, batch: bool) -> None:
    """Let owners come by their link, and delete what is theirs: a job or a batch."""

    @router.api_route(f"/{letter}/{{address}}/own/{{key}}", methods=render.READ)
    def own(request: Request, address: str, key: str) -> Response:
        service, root = service_of(request), render.root_of(request)
        if not service.owns(address, key, batch=batch):
            raise refusal("not_owner/link")
        answer = RedirectResponse(f"{root}/{letter}/{address}", 303)
        jobs = [job["id"] for job in service.batch(address)["jobs"]] if batch else []
        for path in (f"{letter}/{address}", *(f"r/{job}" for job in jobs)):
            _remember(request, answer, f"{root}/{path}", key)
        return answer

    @router.post(f"/{letter}/{{address}}/delete")
    def delete(request: Request, address: str) -> Response:
        service_of(request).delete(address, sent_key(request), batch=batch)
        words = "The result is gone, and its address leads nowhere any more."
        answer = render.message(request, "Deleted", "good", words)
        answer.delete_cookie(OWNER_COOKIE, path=f"{render.root_of(request)}/{letter}/{address}")
        return answer


_add_owners("r", batch=False)
_add_owners("b", batch=True)


@router.api_route("/b/{address}", methods=render.READ)
def batch(request: Request, address: str) -> Response:
    """All jobs of a batch."""
    service = service_of(request)
    owned = service.owns(address, sent_key(request), batch=True)
    return job_pages.batch_page(request, service.batch(address), owned=owned)


@router.api_route("/b/{address}/state", methods=render.READ)
def batch_state(request: Request, address: str) -> Response:
    """How far a batch is."""
    return JSONResponse(job_pages.batch_progress(service_of(request).batch(address)))


def _back(request: Request, address: str) -> Response:
    return RedirectResponse(f"{render.root_of(request)}/r/{address}", 303)


def _remember(request: Request, answer: Response, path: str, key: str) -> None:
    remember_key(request, answer, key, path, DAY * service_of(request).settings.keep_days)
