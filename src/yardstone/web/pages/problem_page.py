"""A refusal as a page in the style of all others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yardstone.web.pages.render import page, root_of
from yardstone.web.pages.wording import error_lines

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from yardstone.web.problems import RequestProblem

__all__ = ["problem_page", "wants_page"]

_HEADINGS = {
    403: "That is for the owner alone",
    404: "Not found",
    405: "Not possible here",
    410: "This result has expired",
    413: "Too much at once",
    415: "These files cannot be used",
    422: "These files cannot be used",
    429: "Too much at once",
    500: "Something went wrong here",
    503: "Not at the moment",
}


def wants_page(request: Request) -> bool:
    """Whether a person with a browser asks, not a program."""
    path = request.url.path.removeprefix(root_of(request))
    accepted = request.headers.get("accept", "")
    return not path.startswith("/api/") and "text/html" in accepted


def problem_page(request: Request, problem: RequestProblem) -> Response:
    """The refusal, with its status."""
    response = page(
        request,
        "message",
        title=_HEADINGS.get(problem.status, "That did not work"),
        status=problem.status,
        heading=_HEADINGS.get(problem.status, "That did not work"),
        tone="bad",
        lines=error_lines(problem.as_dict()),
        again="",
        onward="Measure games",
        job=None,
    )
    if problem.retry_after is not None:
        response.headers["Retry-After"] = str(problem.retry_after)
    return response
