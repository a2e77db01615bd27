"""What all pages of the desk share; signing in, the settings of the event, what was changed."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from yardstone.errors import InputError, YardstoneError
from yardstone.tournament.event.settings import change_settings
from yardstone.tournament.model import System
from yardstone.web.desk.service import COOKIE, LASTING, Desk, Helper
from yardstone.web.desk.views import EVENT_FIELDS, VIEW, changed_texts, field_values, shown_values
from yardstone.web.pages.render import error_lines, page, root_of
from yardstone.web.problems import RequestProblem
from yardstone.web.store import remember_key

if TYPE_CHECKING:
    from yardstone.tournament.event.settings import EventChange
    from yardstone.tournament.model import Tournament
    from yardstone.web.desk.service import Snapshot


__all__ = [
    "Form",
    "SentForm",
    "back",
    "desk_of",
    "desk_page",
    "helpers_only",
    "input_problem",
    "problem_page",
    "reader_page",
    "router",
    "take",
    "wants_json",
    "watch",
]


#: Fields of a form, and bytes of one; the whole has its own limit.
_FIELDS, _LARGEST = 4000, 4 << 20
_HEADINGS = {
    403: "That is for helpers",
    404: "Not found",
    405: "Not possible here",
    409: "Somebody else was there first",
    413: "Too much at once",
    422: "That cannot be done",
    429: "Too many requests",
    500: "Something went wrong here",
    503: "Not at the moment",
}


@dataclass(frozen=True, slots=True)
class Form:
    """What a helper sent."""

    helper: Helper
    fields: dict[str, list[str]]
    files: dict[str, bytes]

    def text(self, name: str) -> str:
        """A field without blanks around it; '' if it was not sent."""
        return self.fields.get(name, [""])[0].strip()

    def number(self, name: str) -> int:
        """A whole number; raises RequestProblem if it is none."""
        text = self.text(name)
        if not text.isdecimal() or len(text) > 6:
            raise RequestProblem(422, "bad_form", f"{name}: {text!r} is not a number.")
        return int(text)

    def every(self, name: str) -> list[str]:
        """All values of a field."""
        return self.fields.get(name, [])


def desk_of(request: Request) -> Desk:
    """The desk that a request is for."""
    desk: Desk = request.app.state.service
    return desk


def helpers_only(request: Request) -> None:
    """Refuse whoever is no helper, by a RequestProblem."""
    sessions = desk_of(request).sessions
    if sessions.guarded and sessions.helper(request) is None:
        raise _not_signed_in()


def _not_signed_in() -> RequestProblem:
    return RequestProblem(
        403,
        "not_signed_in",
        "Only helpers can do that.",
        "Sign in with the password of the helpers.",
    )


async def read_form(request: Request) -> Form:
    """The form of a helper; raises RequestProblem if it does not come from a helper's page."""
    sessions = desk_of(request).sessions
    helper = sessions.helper(request)
    if helper is None:
        raise _not_signed_in() if sessions.guarded else sessions.old_page()
    fields: dict[str, list[str]] = {}
    files: dict[str, bytes] = {}
    async with request.form(max_files=1, max_fields=_FIELDS, max_part_size=_LARGEST) as sent:
        for name, value in sent.multi_items():
            if isinstance(value, str):
                fields.setdefault(name, []).append(value)
            else:
                files[name] = await value.read()
    sessions.check_form(request, helper, fields.get("key", [""])[0])
    return Form(helper, fields, files)


#: The form of a helper, read before the function that takes it begins in a thread of its own.
SentForm = Annotated[Form, Depends(read_form)]


def desk_page(
    request: Request, template: str, snapshot: Snapshot, *, status: int = 200, **values: Any
) -> Response:
    """A page that shows the tournament as it is in `snapshot`, and what else its template asks."""
    sessions = desk_of(request).sessions
    helper, fresh = sessions.helper(request), False
    if helper is None and not sessions.guarded:
        helper, fresh = sessions.new_helper(), True
    shown: dict[str, Any] = {
        "event": snapshot.tournament,
        **{name: partial(view, snapshot.tournament) for name, view in VIEW.items()},
        "rounds": snapshot.rounds,
        "mark": snapshot.mark,
        "trouble": snapshot.trouble,
        "helper": helper,
        "key": "" if helper is None else sessions.form_key(helper),
        "guarded": sessions.guarded,
        "place": "",
        "here": quote(request.url.path.removeprefix(root_of(request)), safe="/"),
        "refresh": 0 if helper is not None else 30,
    }
    answer = page(request, f"desk/{template}", status=status, **(shown | values))
    if fresh and helper is not None:
        _remember(request, answer, helper)
    return answer


def _remember(request: Request, answer: Response, helper: Helper) -> None:
    remember_key(request, answer, helper.token, root_of(request) or "/", LASTING, COOKIE)


def reader_page(
    request: Request,
    template: str,
    snapshot: Snapshot,
    make: Callable[[], dict[str, Any]] = dict,
) -> Response:
    """The same for everybody, with what `make` gives: the same bytes for all who are no helpers."""
    desk = desk_of(request)
    if not desk.sessions.guarded or desk.sessions.helper(request) is not None:
        return desk_page(request, template, snapshot, **make())
    address = f"{request.url.path}?{request.url.query}"
    kept = desk.pages.get(snapshot.mark, address)
    if kept is None:
        kept = bytes(desk_page(request, template, snapshot, **make()).body)
        desk.pages.keep(snapshot.mark, address, kept)
    return HTMLResponse(kept, headers={"Cache-Control": "no-store"})


def problem_page(request: Request, problem: RequestProblem) -> Response:
    """A refusal as a page; who is not signed in and wants to read is asked to."""
    if problem.code == "not_signed_in" and request.method == "GET":
        path = request.url.path.removeprefix(root_of(request))
        return RedirectResponse(f"{root_of(request)}/sign-in?next={quote(path)}", 303)
    return desk_page(
        request,
        "message",
        desk_of(request).snapshot(),
        title=_HEADINGS.get(problem.status, "That did not work"),
        status=problem.status,
        lines=error_lines(problem.as_dict()),
        sign_in=problem.code == "not_signed_in",
    )


def input_problem(error: InputError) -> str:
    """An error of the library as a sentence, without the place of a file on this machine."""
    place = "" if error.line is None else f"line {error.line}: "
    text = place + error.message + (f" ({error.hint})" if error.hint else "")
    return text[:1].upper() + text[1:] + "."


def wants_json(request: Request) -> bool:
    """Whether the script of a page asks."""
    return "application/json" in request.headers.get("accept", "")


def back(request: Request, path: str, **more: Any) -> Response:
    """The answer to a form that was taken: the page to see next."""
    address = root_of(request) + path
    if wants_json(request):
        return JSONResponse({"page": address, **more})
    return RedirectResponse(address, 303)


def take(
    request: Request, form: Form, step: Callable[[Tournament], EventChange], path: str
) -> Response:
    """Take a step in the file, and say at `path` what was changed."""
    change = desk_of(request).change(step, form.helper)
    return back(request, path, said=" ".join(change.lines))


router = APIRouter(include_in_schema=False)


@router.get("/sign-in")
def sign_in_page(request: Request, next: str = "/") -> Response:
    """Ask for the password."""
    return _asking(request, next)


@router.post("/sign-in")
async def sign_in(request: Request) -> Response:
    """Sign a helper in."""
    desk = desk_of(request)
    async with request.form(max_files=0, max_fields=8) as sent:
        password, name, next = (str(sent.get(field, "")) for field in ("password", "name", "next"))
    try:
        helper = desk.sessions.sign_in(password, name, desk.client(request))
    except RequestProblem as problem:
        return _asking(request, next, problem, name)
    answer = RedirectResponse(root_of(request) + _inside(next), 303)
    _remember(request, answer, helper)
    return answer


@router.post("/sign-out")
def sign_out(request: Request, form: SentForm) -> Response:
    """Forget a helper's browser."""
    answer = RedirectResponse(root_of(request) + "/", 303)
    answer.delete_cookie(COOKIE, path=root_of(request) or "/")
    return answer


def _inside(path: str) -> str:
    """A path of this desk: no address of another site."""
    inside = path.startswith("/") and not path.startswith("//") and "\\" not in path
    return path if inside and path.isprintable() else "/"


def _asking(
    request: Request, next: str, problem: RequestProblem | None = None, name: str = ""
) -> Response:
    answer = desk_page(
        request,
        "sign_in",
        desk_of(request).snapshot(),
        status=200 if problem is None else problem.status,
        next=_inside(next),
        name=name,
        lines=[] if problem is None else [problem.message, problem.hint],
    )
    if problem is not None and problem.retry_after is not None:
        answer.headers["Retry-After"] = str(problem.retry_after)
    return answer


#: Steps that the page lists.
_LISTED = 60


@router.get("/more")
def more(request: Request) -> Response:
    """The last steps, and what else there is for helpers."""
    helpers_only(request)
    desk = desk_of(request)
    return desk_page(
        request,
        "more",
        desk.snapshot(),
        steps=desk.file.steps()[:_LISTED],
        file=desk.settings.file.name,
    )


@router.post("/undo")
def undo(request: Request, form: SentForm) -> Response:
    """Take the last step back, if it still is the last one."""
    change = desk_of(request).file.undo(form.number("step"))
    return back(request, "/more", said=" ".join(change.lines))


@router.get("/file")
def file(request: Request) -> Response:
    """The file of the tournament, as it is now."""
    helpers_only(request)
    path = desk_of(request).settings.file
    plain = re.sub(r"[^A-Za-z0-9._-]", "_", path.name)
    return Response(
        path.read_bytes(),
        media_type="application/octet-stream",
        headers={"Content-Disposition": f'attachment; filename="{plain}"'},
    )


@router.get("/settings")
def settings_page(request: Request) -> Response:
    """The settings as they are."""
    helpers_only(request)
    return _settings_page(request)


@router.post("/settings")
def change(request: Request, form: SentForm) -> Response:
    """Change some, as far as nobody else has changed them meanwhile."""

    def step(tournament: Tournament) -> EventChange:
        texts = changed_texts(form, EVENT_FIELDS, tournament, _changed_meanwhile)
        return change_settings(tournament, **field_values(EVENT_FIELDS, texts, "is not understood"))

    try:
        return take(request, form, step, "/settings")
    except YardstoneError as error:
        return _settings_page(request, f"{error}.", form)


def _changed_meanwhile(label: str, was: str, now: str, text: str) -> RequestProblem:
    words = f"{label}: somebody has changed it to {now or 'nothing'} meanwhile"
    return RequestProblem(409, "changed_meanwhile", words)


def _settings_page(request: Request, problem: str = "", form: Form | None = None) -> Response:
    snapshot = desk_of(request).snapshot()
    mcmahon = snapshot.tournament.system is System.mcmahon
    fields = [each for each in EVENT_FIELDS if mcmahon or each.name not in ("bar", "floor")]
    now = shown_values(EVENT_FIELDS, snapshot.tournament)
    return desk_page(
        request,
        "settings",
        snapshot,
        status=422 if problem else 200,
        fields=fields,
        now=now,
        values=now if form is None else {name: form.text(name) for name in now},
        problem=problem,
    )


#: Seconds between two looks at the file, and between two signs of life.
_LOOK, _LIFE = 0.5, 20.0
#: Seconds after which a browser opens the stream anew.
_LONGEST = 900.0


async def watch(desk: Desk) -> None:
    """Look at the file again and again, and wake whoever waits for a change."""
    while True:
        await run_in_threadpool(desk.snapshot)
        await asyncio.sleep(_LOOK)


@router.get("/state")
def state(request: Request) -> Response:
    """What the pages show now, for browsers without a stream."""
    return JSONResponse({"mark": desk_of(request).snapshot().mark})


@router.get("/events")
async def events(request: Request) -> Response:
    """A line for each change of the tournament."""
    desk = desk_of(request)
    refusal = RequestProblem(
        429, "streams", "Too many pages are watching.", "Load the page again.", retry_after=10
    )
    return desk.streams.stream(desk.client(request), desk.settings.limits, _lines(desk), refusal)


async def _lines(desk: Desk) -> AsyncIterator[str]:
    known, spoke, end = "", time.monotonic(), time.monotonic() + _LONGEST
    yield "retry: 2000\n\n"
    while time.monotonic() < end and not desk.closing:
        mark = desk.file.last.mark
        if mark != known:
            known, spoke = mark, time.monotonic()
            yield f"event: change\ndata: {json.dumps({'mark': mark})}\n\n"
        elif time.monotonic() - spoke > _LIFE:
            spoke = time.monotonic()
            yield ": still here\n\n"
        await asyncio.sleep(_LOOK)
