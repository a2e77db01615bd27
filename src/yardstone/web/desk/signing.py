"""Signing in and out."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from yardstone.web.desk.pages import desk_of, desk_page, read_form
from yardstone.web.desk.sessions import COOKIE
from yardstone.web.pages.render import root_of
from yardstone.web.problems import RequestProblem

__all__ = ["router"]

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
    secure = request.url.scheme == "https"
    desk.sessions.remember(answer, helper, root_of(request), secure=secure)
    return answer


@router.post("/sign-out")
async def sign_out(request: Request) -> Response:
    """Forget a helper's browser."""
    await read_form(request)
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
        title="Sign in",
        status=200 if problem is None else problem.status,
        next=_inside(next),
        name=name,
        lines=[] if problem is None else [problem.message, problem.hint],
    )
    if problem is not None and problem.retry_after is not None:
        answer.headers["Retry-After"] = str(problem.retry_after)
    return answer
