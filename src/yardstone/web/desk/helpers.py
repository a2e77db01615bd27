"""How helpers come and go: signing in and out, one-time links, sessions, and the log."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from functools import partial
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from yardstone.reports.document import Column, Table
from yardstone.reports.files import csv_pieces
from yardstone.web.desk.pages import (
    HELPERS,
    ResultForm,
    SentForm,
    back,
    desk_of,
    desk_page,
    remember,
)
from yardstone.web.desk.sessions import COOKIE, LINK_HOURS, check_site
from yardstone.web.pages.render import READ, address_of, root_of
from yardstone.web.problems import RequestProblem

router = APIRouter(include_in_schema=False)


@router.get("/sign-in")
def sign_in_page(request: Request, next: str = "/") -> Response:
    """Ask for the password."""
    return _asking(request, next)


@router.post("/sign-in")
async def sign_in(request: Request) -> Response:
    """Sign a helper in."""
    async with request.form(max_files=0, max_fields=8) as sent:
        fields = [str(sent.get(field, "")) for field in ("password", "name", "next")]
    signing = partial(_signed_in, request, *fields)
    return await asyncio.get_running_loop().run_in_executor(desk_of(request).signing, signing)


def _signed_in(request: Request, password: str, name: str, next: str) -> Response:
    desk = desk_of(request)
    try:
        helper = desk.sessions.sign_in(password, name, desk.client(request), _host(request))
    except RequestProblem as problem:
        return _asking(request, next, problem, name)
    answer = RedirectResponse(root_of(request) + _inside(next), 303)
    remember(request, answer, helper)
    return answer


def _host(request: Request) -> str:
    return request.client.host if request.client is not None else ""


@router.post("/sign-out")
def sign_out(request: Request, form: ResultForm) -> Response:
    """End a helper's session."""
    desk_of(request).sessions.sign_out(form.helper)
    return _forgotten(request)


def _forgotten(request: Request) -> Response:
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


@router.api_route("/join/{token}", methods=READ)
def join_page(request: Request, token: str) -> Response:
    """Ask whether to use a link: a messenger that looks at it must not use it up."""
    link = desk_of(request).sessions.link(token)
    return desk_page(request, "join", desk_of(request).snapshot(), offer=link, token=token)


@router.post("/join/{token}")
def join(request: Request, token: str) -> Response:
    """Sign a helper in by a link."""
    check_site(request)
    helper = desk_of(request).sessions.join(token, _host(request))
    answer = RedirectResponse(f"{root_of(request)}/results", 303)
    remember(request, answer, helper)
    return answer


@router.get("/helpers", dependencies=HELPERS)
@router.get("/helpers/link", dependencies=HELPERS)  # which the page asks for as it follows changes
def helpers(request: Request) -> Response:
    """The links that are open, and the sessions."""
    return _helpers_page(request)


def _helpers_page(request: Request, **made: Any) -> Response:
    desk = desk_of(request)
    helper = desk.sessions.helper(request)
    return desk_page(
        request,
        "helpers",
        desk.snapshot(),
        links=desk.sessions.links(),
        sessions=desk.sessions.sessions(),
        own="" if helper is None else helper.mark,
        hours=LINK_HOURS,
        moment=_moment_words,
        **{"address": "", "whose": "", **made},
    )


def _moment_words(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC"


@router.post("/helpers/link")
def make_link(request: Request, form: SentForm) -> Response:
    """Make a link, and show its address this once."""
    desk, name = desk_of(request), form.text("name")
    token = desk.sessions.make_link(form.helper, name, form.number("hours"))
    address = desk.address(f"{address_of(request)}/join/{token}")
    return _helpers_page(request, address=address, whose=name)


@router.post("/helpers/withdraw")
def withdraw(request: Request, form: SentForm) -> Response:
    """Close a link that nobody has used."""
    desk_of(request).sessions.withdraw(form.helper, form.text("link"))
    return back(request, "/helpers")


@router.post("/helpers/end")
def end(request: Request, form: SentForm) -> Response:
    """End a session."""
    desk_of(request).sessions.end(form.helper, form.text("session"))
    return back(request, "/helpers")


@router.post("/helpers/end-all")
def end_all(request: Request, form: SentForm) -> Response:
    """End all sessions, also one's own."""
    desk_of(request).sessions.end_all(form.helper)
    return _forgotten(request)


#: Entries that the page lists.
_LISTED = 500


@router.get("/log", dependencies=HELPERS)
def log_page(request: Request) -> Response:
    """Who did what, the last step first."""
    desk = desk_of(request)
    entries = desk.sessions.log.entries()[::-1]
    listed, number = entries[:_LISTED], len(entries)
    return desk_page(request, "log", desk.snapshot(), entries=listed, number=number)


@router.get("/log.csv", dependencies=HELPERS)
def log_csv(request: Request) -> Response:
    """The same as a table for other programs."""
    columns = Column.files("time", "name", "address", "step", "what", kind="text")
    text = "".join(csv_pieces(Table(columns, desk_of(request).sessions.log.entries()[::-1])))
    headers = {"Content-Disposition": 'attachment; filename="log.csv"'}
    return Response(text, media_type="text/csv", headers=headers)
