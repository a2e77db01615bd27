"""What all pages of the desk share: the frame, forms that are read, answers and refusals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from fastapi import Request
from fastapi.responses import JSONResponse, RedirectResponse, Response

from yardstone.errors import InputError
from yardstone.web.desk.sessions import Helper
from yardstone.web.pages.render import page, root_of
from yardstone.web.pages.wording import error_lines
from yardstone.web.problems import RequestProblem

if TYPE_CHECKING:
    from yardstone.web.desk.service import Desk
    from yardstone.web.desk.watched_file import Snapshot

__all__ = [
    "Form",
    "back",
    "desk_of",
    "desk_page",
    "helpers_only",
    "input_problem",
    "problem_page",
    "read_form",
    "wants_json",
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
        """A whole number.

        Raises
        ------
        RequestProblem
            It is not one.
        """
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
    """Refuse whoever is no helper.

    Raises
    ------
    RequestProblem
    """
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
    """The form of a helper.

    Raises
    ------
    RequestProblem
        It is none, or it does not come from a helper's page.
    """
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


def desk_page(
    request: Request,
    template: str,
    snapshot: Snapshot,
    *,
    title: str,
    place: str = "",
    status: int = 200,
    **values: Any,
) -> Response:
    """A page of the desk.

    Parameters
    ----------
    request : Request
    template : str
    snapshot : Snapshot
        What it shows.
    title : str
        Of the window.
    place : str
        Which of the links at the top leads to it.
    status : int
    **values
        What the template shows.
    """
    desk = desk_of(request)
    helper, fresh = desk.sessions.helper(request), False
    if helper is None and not desk.sessions.guarded:
        helper, fresh = desk.sessions.new_helper(), True
    path = request.url.path.removeprefix(root_of(request))
    answer = page(
        request,
        f"desk/{template}",
        title=title,
        status=status,
        event=snapshot.tournament,
        rounds=desk.rounds(snapshot),
        mark=snapshot.mark,
        trouble=snapshot.trouble,
        helper=helper,
        key="" if helper is None else desk.sessions.form_key(helper),
        guarded=desk.sessions.guarded,
        place=place,
        here=quote(path, safe="/"),
        refresh=0 if helper is not None else 30,
        **values,
    )
    if fresh and helper is not None:
        secure = request.url.scheme == "https"
        desk.sessions.remember(answer, helper, root_of(request), secure=secure)
    return answer


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
